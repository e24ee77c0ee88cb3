"""Arrays out of an .npz file that may be damaged or hostile.

Nothing is unpickled, and nothing is allocated before the size and shape that the file claims have
been held against each other and against a limit: a few kilobytes of zip can unfold to gigabytes.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from learnable_novelty.errors import UserError

MOST_BYTES = 4 * 2**30
"""Of all arrays of an archive together, once unpacked."""
MOST_ARRAYS = 10_000
MOST_AXES = 64

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
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_arrays(path: Path, most_bytes: int = MOST_BYTES) -> Mapping[str, np.ndarray]:
    """Read all arrays of an .npz file.

    Raises:
        ValueError: in one sentence, for anything that is not an archive of numeric arrays of at
            most ``most_bytes`` bytes.
    """
    try:
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
        reason = "it is damaged or no archive of arrays"
    raise UserError(f"expected NumPy arrays in {path.name}, but {reason}")


def read_tensors(path: Path, device: Any = "cpu") -> Any:
    """Read what ``torch.save`` wrote, with ``weights_only``: data, and nothing that runs.

    Raises:
        ValueError: for a file that is damaged, too large once unpacked, or of another kind.
    """
    import torch

    if not path.is_file():
        raise UserError(f"expected a file, {path} is none")
    try:
        # torch.load does not look at the checksums: a flipped bit would be a weight.
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size <= MOST_BYTES and archive.testzip() is None:
                return torch.load(path, map_location=device, weights_only=True)
    except Exception:  # noqa: BLE001 - there is no end to the ways that damaged bytes fail
        pass
    raise UserError(f"{path} is damaged, or no file of tensors")


class _Refused(Exception):
    """Why a well-formed file is not read."""


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    name = member.filename.removesuffix(".npy")
    if name == member.filename:
        raise _Refused(f"{name!r} is no array")
    try:
        with archive.open(member) as file:
            with quiet_headers():
                shape, fortran, dtype = _read_header(file)
            if dtype.hasobject:
                raise _Refused(f"{name!r} holds pickled objects, which are not read")
            expected = math.prod(shape) * dtype.itemsize
            if len(shape) > MOST_AXES or any(size < 0 for size in shape):
                raise _Refused(f"{name!r} has an impossible shape")
            if expected > member.file_size:
                raise _Refused(f"{name!r} is damaged: it claims more than it holds")
            data = file.read(expected)
            if len(data) != expected or file.read(1):
                raise _Refused(f"{name!r} is damaged: its size is not that of its shape")
            array = np.frombuffer(bytearray(data), dtype=dtype)
            return array.reshape(shape, order="F" if fortran else "C")
    except UNREADABLE:
        raise _Refused(f"{name!r} is damaged or no array") from None


@contextlib.contextmanager
def quiet_headers() -> Iterator[None]:
    """Keep NumPy from remarking on odd headers, as of Python 2: they are read, or refused."""
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


def write_whole(path: Path, content: bytes) -> None:
    """Write one file of a run; one of the same name is replaced whole or not at all.

    Raises:
        OSError: in one sentence, if it cannot be written; what was there is as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".draft-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(0o644)
            os.replace(name, path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise not_written(path, error) from error


def not_written(path: Path, error: OSError) -> OSError:
    """Say that a file of a run could not be written, and what to do about it."""
    return OSError(
        f"could not write {path}: {error.strerror or error}; nothing that was there has changed. "
        "Make room or grant access, or name another folder with --out; then run the same command "
        "again, and what was finished is not run again"
    )
