"""Arrays of other stores: the sizes that they claim are checked before anything is read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError, missing_extra
from learnable_novelty.storage import UNREADABLE, quiet_headers

METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")
MOST_METADATA = 64 << 20
"""Bytes of the text that describes an array or a group."""
MOST_CHUNK_BYTES = 1 << 30
"""Of a chunk, and of all chunks that hold a row: they are read together."""
MOST_COLUMNS, MOST_ROW_BYTES = 1_000_000, 1 << 28
"""Of a row: its columns have names, and a few thousand rows are in memory at a time."""


def is_zarr(path: Path) -> bool:
    """Tell whether a path is that of a Zarr array or group."""
    return path.suffix.lower() == ".zarr" or any((path / n).exists() for n in METADATA[:3])


def open_node(path: Path, name: str | None = None) -> Any:
    """Open an array or a group of arrays.

    Raises:
        ValueError: for what is neither, or claims more than is read.
    """
    try:
        import zarr
    except ModuleNotFoundError:
        raise missing_extra("reading Zarr", "zarr", "data") from None
    folder = path if name is None else path / name
    for text in (folder / one for one in METADATA):
        if text.is_file() and text.stat().st_size > MOST_METADATA:
            raise UserError(f"expected at most {MOST_METADATA:,} bytes in {text}")
    try:
        with quiet_headers():
            node = zarr.open(path, mode="r", path=name)
        is_array = hasattr(node, "shape")
    except UNREADABLE as error:
        raise unreadable_zarr(path, error) from None
    if is_array:
        check_array(node, path.name if name is None else f"{name!r} of {path.name}")
    return node


def unreadable_zarr(path: Path, error: BaseException) -> ValueError:
    """Say that a folder is not what its name claims."""
    return UserError(f"expected a Zarr array in {path}: {' '.join(str(error).split())}")


def check_array(array: Any, name: str) -> None:
    """Raise unless a Zarr array holds rows of numbers, in chunks that fit in memory."""
    try:
        shape, chunks, kind = tuple(array.shape), tuple(array.chunks), np.dtype(array.dtype)
    except UNREADABLE as error:
        raise UserError(f"expected a Zarr array of equal chunks in {name}: {error}") from None
    _reject_pickles(array, name)
    check_table(array, name)
    if len(chunks) != len(shape) or min(chunks) < 1:
        raise UserError(f"expected rows of data in {name}, got shape {shape} in chunks {chunks}")
    whole = [math.ceil(n / c) * c for n, c in zip(shape[1:], chunks[1:], strict=True)]
    size = math.prod([chunks[0], *whole]) * kind.itemsize
    if size > MOST_CHUNK_BYTES:
        raise UserError(
            f"expected chunks of {name} whose rows take at most {MOST_CHUNK_BYTES:,} bytes, got "
            f"{size:,} for {chunks[0]:,} rows: store it in chunks of fewer rows"
        )


def _reject_pickles(array: Any, name: str) -> None:
    """Raise if a Zarr array is stored by a codec that unpickles."""
    metadata = getattr(array, "metadata", None)
    codecs = [*(getattr(metadata, "filters", None) or ()), getattr(metadata, "compressor", None)]
    codecs += getattr(metadata, "codecs", None) or ()
    if any("pickle" in str(getattr(codec, "codec_id", codec)).lower() for codec in codecs):
        raise UserError(f"expected numbers in {name}, but it holds pickles, which are not read")


def check_table(array: Any, name: str) -> None:
    """Raise unless an array holds rows of numbers that fit in memory; nothing is read."""
    if array.dtype.kind not in "fiub":
        raise UserError(f"expected numbers in {name}, got an array of dtype {array.dtype}")
    shape = tuple(array.shape)
    if not shape or min(shape) < 1:
        raise UserError(f"expected rows of data in {name}, got shape {shape}")
    columns = shape[1] if len(shape) > 1 else 1
    size = math.prod(shape[1:]) * np.dtype(array.dtype).itemsize
    if columns > MOST_COLUMNS or size > MOST_ROW_BYTES:
        raise UserError(
            f"expected rows of at most {MOST_COLUMNS:,} columns and {MOST_ROW_BYTES:,} bytes in "
            f"{name}, got {columns:,} columns, {size:,} bytes"
        )
