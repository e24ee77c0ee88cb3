"""Files: arrays read from ones that may be damaged or hostile, content written whole or not at all.

Nothing is unpickled. Before anything is allocated, the size and the shape that a file claims are
compared with each other and with a limit: a few kilobytes of zip can unpack to gigabytes.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import secrets
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from learnable_novelty.errors import StorageError, UserError

# What a file may become in memory, counted before it is read. A small file may become the first
# number of each pair, a larger one so many times its own size, and none more than MOST_BYTES.
MOST_BYTES = 4 << 30
UNPACKED_BYTES, EXPANSION = 128 << 20, 20
"""Of an archive."""
NUMBER_CELLS, TEXT_CELLS, CELLS_PER_BYTE = 1 << 24, 1 << 22, 2.5
"""Rows times columns: of arrays and Arrow; of text, JSON and workbooks, which are objects."""
TEXT_COLUMNS = 200_000
MOST_JSON, MOST_PIPE = 1 << 28, 1 << 30
"""Bytes that are held while a file is read: of JSON, and of a pipe."""
MOST_COLUMNS, MOST_ROW_BYTES, MOST_CHUNK_BYTES = 1_000_000, 1 << 28, 1 << 30
"""Of a row that is read by chunks, and of all stored chunks that hold it."""
MOST_CLAIM = 1000
"""Times the stored bytes that chunks may claim, beyond MOST_BYTES."""
MOST_METADATA, MOST_ARRAYS, MOST_AXES = 64 << 20, 10_000, 64
DRAFT, STALE_SECONDS = ".draft-", 3600.0
"""How the names of drafts begin; one of this age was left by a process that was killed."""

# What Python and NumPy raise on bytes that are not what they claim to be.
UNREADABLE = (
    ValueError,
    ArithmeticError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OSError,
    EOFError,
    SyntaxError,
    MemoryError,
    RecursionError,
    NotImplementedError,
    RuntimeError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def unpacked_limit(size: int) -> int:
    """Return how many bytes an archive of a size may unpack to."""
    return min(MOST_BYTES, max(UNPACKED_BYTES, EXPANSION * size))


def check_cells(name: str, rows: int, columns: int, size: int, *, text: bool = False) -> None:
    """Raise if a file of a size claims more rows times columns than are read into memory."""
    most = max(TEXT_CELLS if text else NUMBER_CELLS, int(CELLS_PER_BYTE * size))
    most = min(most, MOST_BYTES // 8)
    if text and columns > TEXT_COLUMNS:
        raise UserError(
            f"expected at most {TEXT_COLUMNS:,} columns in {name}, got {columns:,}: save an array "
            "of numbers as .npy, or make columns of rows"
        )
    if rows * columns > most:
        raise UserError(
            f"{name} holds {size:,} bytes and claims {rows:,} rows of {columns:,} columns, more "
            f"than {most:,} cells: leave out rows or columns, or read numbers in Parquet, .npy or "
            "Zarr by chunks"
        )


def read_arrays(path: Path, most_bytes: int | None = None) -> Mapping[str, np.ndarray]:
    """Read all arrays of an .npz file.

    Args:
        path: the file.
        most_bytes: limit on all arrays together; by default ``unpacked_limit``.

    Raises:
        UserError: in one sentence, for anything but an archive of numeric arrays within the limit.
    """
    try:
        if most_bytes is None:
            most_bytes = unpacked_limit(path.stat().st_size)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MOST_ARRAYS:
                raise _Refused(f"it holds {len(members):,} members, more than {MOST_ARRAYS:,}")
            size = sum(member.file_size for member in members)
            if size > most_bytes:
                raise _Refused(f"it unpacks to {size:,} bytes, more than {most_bytes:,}")
            return {
                member.filename.removesuffix(".npy"): _read_member(archive, member)
                for member in members
            }
    except _Refused as error:
        reason = str(error)
    except UNREADABLE:
        reason = "it is damaged or not an archive of arrays"
    raise UserError(f"expected NumPy arrays in {path.name}, but {reason}")


def read_tensors(path: Path, device: Any = "cpu") -> Any:
    """Read what ``torch.save`` wrote, with ``weights_only``: data, and nothing that runs.

    Raises:
        UserError: for a file that is damaged, compressed, or of another kind.
    """
    import torch

    if not path.is_file():
        raise UserError(f"expected a file, {path} is not one")
    try:
        # torch.load does not look at the checksums: a flipped bit would be a weight.
        with zipfile.ZipFile(path) as archive:
            # torch.save does not compress: it wrote no file that unpacks to more than its size.
            size = sum(member.file_size for member in archive.infolist())
            if size <= path.stat().st_size and archive.testzip() is None:
                return torch.load(path, map_location=device, weights_only=True)
    except Exception:  # noqa: BLE001 - there is no end to the ways that damaged bytes fail
        pass
    raise UserError(f"{path} is damaged, or not a file of tensors")


class _Refused(Exception):
    """Why a well-formed file is not read."""


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    name = member.filename.removesuffix(".npy")
    if name == member.filename:
        raise _Refused(f"{name!r} is not an array")
    try:
        with quiet_headers(), archive.open(member) as file:
            shape, _, dtype = _read_header(file)
        if dtype.hasobject:
            raise _Refused(f"{name!r} holds pickled objects, which are not read")
        if len(shape) > MOST_AXES or any(size < 0 for size in shape):
            raise _Refused(f"{name!r} has an impossible shape")
        if math.prod(shape) * dtype.itemsize > member.file_size:
            raise _Refused(f"{name!r} is damaged: it claims more than it holds")
        with quiet_headers(), archive.open(member) as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
            if file.read(1):
                raise _Refused(f"{name!r} is damaged: its size is not that of its shape")
        return array
    except UNREADABLE:
        raise _Refused(f"{name!r} is damaged or not an array") from None


@contextlib.contextmanager
def quiet_headers() -> Iterator[None]:
    """Silence NumPy's warnings on odd headers, as of Python 2: they are read, or rejected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    return readers[version](file)


@contextlib.contextmanager
def writing(path: str | Path) -> Iterator[io.BytesIO]:
    """Yield a buffer whose content becomes a file when the block ends: whole, or not at all.

    Nothing is written while the block runs, so whatever fails there leaves no half file.

    Raises:
        StorageError: if it cannot be written; what was there is unchanged.
    """
    content = io.BytesIO()
    yield content
    write_whole(Path(path), content.getbuffer())


def write_whole(path: Path, content: bytes | memoryview) -> None:
    """Write a file; one of the same name is replaced whole or not at all.

    A draft in the same folder reaches the disk before it is renamed, and its name after that.

    Raises:
        StorageError: if it cannot be written; what was there is unchanged.
    """
    try:
        path = Path(os.path.realpath(path))  # a link stays one
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _replace(path, content)
        except FileNotFoundError:  # another process, whose clock is ahead, took our draft for stale
            _replace(path, content)
        reach_disk(path.parent)
    except OSError as error:
        raise not_written(path, error) from error


def _replace(path: Path, content: bytes | memoryview) -> None:
    draft = path.parent / f"{DRAFT}{secrets.token_hex(8)}"
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _remove_stale_drafts(draft)
        if path.exists():
            draft.chmod(path.stat().st_mode)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _remove_stale_drafts(fresh: Path) -> None:
    """Remove what killed writers left, by the clock of the file system; others' may be locked."""
    now = fresh.stat().st_mtime
    for draft in fresh.parent.glob(f"{DRAFT}*"):
        with contextlib.suppress(OSError):
            if draft.is_file() and now - draft.lstat().st_mtime > STALE_SECONDS:
                draft.unlink()


def write_figure(path: str | Path, figure: Any) -> None:
    """Write a matplotlib figure; the ending of the file is its format, by default .png."""
    path = Path(path)
    path = path if path.suffix else path.with_suffix(".png")
    kinds = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in kinds:
        listed = ", ".join(f".{kind}" for kind in sorted(kinds))
        raise UserError(f"expected a picture ending in one of {listed}, got {path}")
    with writing(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=160)


def reach_disk(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    if os.name != "posix" and path.is_dir():
        return  # only POSIX opens folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def not_written(path: Path, error: OSError) -> StorageError:
    """Return the error for a file that could not be written and is as it was before."""
    return StorageError(
        f"could not write {path}: {error.strerror or error}; what was there is unchanged. "
        "Make room, grant access, or choose another folder, then run it again"
    )


@contextlib.contextmanager
def accessing(path: Path, how: Literal["read", "write"]) -> Iterator[None]:
    """Turn the system's refusal to let this block read or write a file into a sentence."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        raise StorageError(f"could not {how} {path}: {error.strerror or error}") from error
