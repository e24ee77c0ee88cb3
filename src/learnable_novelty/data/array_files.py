"""Arrays in files: .npy, which is mapped, .npz, which is read whole, and Zarr, read by its chunks.

Nothing is unpickled, and what a file claims is held against limits before anything is read.
"""

from __future__ import annotations

import functools
import io
import math
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.data.arrays import ArrayColumns, array_source, itself
from learnable_novelty.data.frames import frame_of
from learnable_novelty.data.names import Names, select
from learnable_novelty.data.source import Source, joined, read_all, table_source
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.storage import (
    MOST_BYTES,
    MOST_CHUNK_BYTES,
    MOST_CLAIM,
    MOST_COLUMNS,
    MOST_METADATA,
    MOST_ROW_BYTES,
    UNREADABLE,
    check_cells,
    quiet_headers,
    read_arrays,
)
from learnable_novelty.text import printable

METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")


def open_arrays(path: Path) -> dict[str, ArrayColumns]:
    """Return the arrays of a file by name; the only one of a file has the name ""."""
    if is_zarr(path):
        return _zarr_arrays(path)
    if path.suffix.lower() == ".npy":
        return {"": ArrayColumns((functools.partial(map_array, path),), name=path.name)}
    arrays = read_arrays(path)
    if not arrays:
        raise UserError(f"expected arrays in {path}, got none")
    cells = sum(one.size for one in arrays.values())
    check_cells(path.name, cells, 1, path.stat().st_size)
    named = {"": next(iter(arrays.values()))} if len(arrays) == 1 else arrays
    return {
        name: ArrayColumns((functools.partial(itself, one),), name=_label(path, name))
        for name, one in named.items()
    }


def _label(path: Path, name: str | None) -> str:
    return f"{name!r} of {path.name}" if name else path.name


def map_array(path: Path) -> Any:
    """Map a .npy file."""
    try:
        with quiet_headers():
            return np.lib.format.open_memmap(path, mode="r")
    except UNREADABLE as error:
        raise _not_numpy(path.name, error) from None


def _not_numpy(name: str, error: BaseException) -> UserError:
    reason = " ".join(str(error).split()) or "it ends too early"
    if "object" in reason.lower():
        reason = "it holds pickled objects, which are not read"
    return UserError(f"expected NumPy data in {name}, but {reason}")


def choose_arrays(path: Path, inputs: Names, targets: Names) -> tuple[Source, list[str], list[str]]:
    """Return columns of the only array of a file, or some of its arrays side by side, by chunks."""
    arrays = open_arrays(path)
    only = arrays.get("")
    if only is not None:
        array = only.open[0]()
        check_array(array, path.name)
        names = [str(k) for k in range(1 if array.ndim == 1 else array.shape[1])]
    else:
        names = list(arrays)
    wanted, chosen = select(names, inputs, targets, path.name)

    def side(places: list[int]) -> ArrayColumns | None:
        if not places:
            return None
        if only is not None:
            return ArrayColumns(only.open, tuple(places), path.name)
        if len(places) > 1 and is_zarr(path):
            listed = ", ".join(map(printable, names))
            raise UserError(
                f"expected one array of {path.name} for the inputs and one for the targets; "
                f"choose among {listed}"
            )
        parts = [arrays[names[k]] for k in places]
        for part in parts:
            check_array(part.open[0](), part.name)
        opened = tuple(part.open[0] for part in parts)
        return ArrayColumns(opened, name=", ".join(part.name for part in parts))

    first = side(wanted)
    assert first is not None
    source = array_source(first, side(chosen))
    if path.suffix.lower() == ".npz":  # in memory already: its parts carry their own rows
        source = table_source(*joined(list(read_all(source))))
    return source, [names[k] for k in wanted], [names[k] for k in chosen]


def read_array_file(path: Path) -> Any:
    """Return a data frame of all arrays; those of several columns have a name for each."""
    import pandas as pd

    frames: dict[str, Any] = {}
    for name, columns in open_arrays(path).items():
        array = columns.open[0]()
        label = _label(path, name)
        check_cells(label, math.prod(array.shape), 1, stored_bytes(path))
        try:
            frames[name] = _array_frame(np.asarray(array[:]), label)
        except UNREADABLE as error:
            if isinstance(error, UserError):
                raise
            raise UserError(f"could not read {path}: {' '.join(str(error).split())}") from None
    if "" in frames:
        return frames[""]
    if len({len(frame) for frame in frames.values()}) > 1:
        shapes = ", ".join(f"{printable(name)} {len(frame)}" for name, frame in frames.items())
        raise UserError(f"expected arrays of equally many rows in {path.name}, got {shapes}")
    for name, frame in frames.items():
        wide = frame.shape[1] > 1
        frame.columns = [f"{name}.{k}" if wide else name for k in range(frame.shape[1])]
    return pd.concat(list(frames.values()), axis=1)


def read_npy(packed: Packed) -> Any:
    """Read an array that is packed, or comes from a pipe."""
    try:
        with quiet_headers():
            array = np.load(io.BytesIO(packed.content), allow_pickle=False)
    except UNREADABLE as error:
        raise _not_numpy(packed.name, error) from None
    check_cells(packed.name, array.size, 1, packed.size)
    return _array_frame(array, packed.name)


def _array_frame(array: np.ndarray, name: str) -> Any:
    if array.dtype.kind not in "fiubUM" and not array.dtype.names:
        raise UserError(f"expected numbers in {name}, got an array of dtype {array.dtype}")
    for field in array.dtype.names or ():
        if array.dtype[field].names or array.dtype[field].shape:
            raise UserError(
                f"expected one value in each field of {name}, got {array.dtype[field]} in "
                f"{field!r}: load it in Python and pass its arrays"
            )
    if array.ndim not in (1, 2):
        raise UserError(
            f"expected a table (rows, columns) in {name}, got shape {array.shape}: reshape it, or "
            "load it in Python and score it as lattices"
        )
    return frame_of(array)


def is_zarr(path: Path) -> bool:
    """Tell whether a path is that of a Zarr array or group."""
    return path.suffix.lower() == ".zarr" or any((path / n).exists() for n in METADATA[:3])


def _zarr_arrays(path: Path) -> dict[str, ArrayColumns]:
    node = open_node(path)
    if hasattr(node, "shape"):
        return {"": ArrayColumns((functools.partial(open_node, path),), name=path.name)}
    try:
        with quiet_headers():
            names = sorted(node.array_keys())
    except UNREADABLE as error:
        raise _not_zarr(path, error) from None
    if not names:
        raise UserError(f"expected arrays in the Zarr group {path}, got none")
    return {
        name: ArrayColumns((functools.partial(open_node, path, name),), name=_label(path, name))
        for name in names
    }


def open_node(path: Path, name: str | None = None) -> Any:
    """Open an array or a group of arrays.

    Raises:
        UserError: for what is neither, or claims more than is read.
    """
    with needs_extra("reading Zarr", "data"):
        import zarr
    folder = path if name is None else path / name
    for text in (folder / one for one in METADATA):
        if text.is_file() and text.stat().st_size > MOST_METADATA:
            raise UserError(f"expected at most {MOST_METADATA:,} bytes in {text}")
    try:
        with quiet_headers():
            node: Any = zarr.open(path, mode="r", path=name)
        is_array = hasattr(node, "shape")
    except UNREADABLE as error:
        raise _not_zarr(path, error) from None
    if is_array:
        label = _label(path, name)
        check_array(node, label)
        claimed = math.prod(node.shape) * np.dtype(node.dtype).itemsize
        if claimed > MOST_BYTES and claimed > MOST_CLAIM * (stored := stored_bytes(folder)):
            raise UserError(
                f"{label} claims {claimed:,} bytes, but {stored:,} are stored: write its chunks, "
                "or choose fewer rows"
            )
    return node


def stored_bytes(path: Path) -> int:
    """Return how many bytes a file, or all files of a folder, hold."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(one.stat().st_size for one in files if one.is_file())


def _not_zarr(path: Path, error: BaseException) -> UserError:
    return UserError(f"expected a Zarr array in {path}: {' '.join(str(error).split())}")


def check_array(array: Any, name: str) -> None:
    """Raise unless an array holds rows of numbers, in chunks that fit in memory."""
    if np.dtype(array.dtype).kind not in "fiub":
        raise UserError(f"expected numbers in {name}, got an array of dtype {array.dtype}")
    shape, itemsize = tuple(array.shape), np.dtype(array.dtype).itemsize
    if not shape or min(shape) < 1:
        raise UserError(f"expected rows of data in {name}, got shape {shape}")
    columns = shape[1] if len(shape) > 1 else 1
    size = math.prod(shape[1:]) * itemsize
    if columns > MOST_COLUMNS or size > MOST_ROW_BYTES:
        raise UserError(
            f"expected rows of at most {MOST_COLUMNS:,} columns and {MOST_ROW_BYTES:,} bytes in "
            f"{name}, got {columns:,} columns, {size:,} bytes"
        )
    if not hasattr(array, "metadata"):
        return
    try:
        chunks = tuple(array.chunks)
    except UNREADABLE as error:
        raise UserError(f"expected a Zarr array of equal chunks in {name}: {error}") from None
    codecs = [*(getattr(array.metadata, "filters", None) or ())]
    codecs += [getattr(array.metadata, "compressor", None)]
    codecs += getattr(array.metadata, "codecs", None) or ()
    if any("pickle" in str(getattr(codec, "codec_id", codec)).lower() for codec in codecs):
        raise UserError(f"expected numbers in {name}, but it holds pickles, which are not read")
    if len(chunks) != len(shape) or min(chunks) < 1:
        raise UserError(f"expected rows of data in {name}, got shape {shape} in chunks {chunks}")
    whole = [math.ceil(n / c) * c for n, c in zip(shape[1:], chunks[1:], strict=True)]
    size = math.prod([chunks[0], *whole]) * itemsize
    if size > MOST_CHUNK_BYTES:
        raise UserError(
            f"expected chunks of {name} whose rows take at most {MOST_CHUNK_BYTES:,} bytes, got "
            f"{size:,} for {chunks[0]:,} rows: store it in chunks of fewer rows"
        )
