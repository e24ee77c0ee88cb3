"""Zarr arrays and groups of them. What they claim is held against limits before any is read."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.measure.files import check_width, choose_columns, numeric
from learnable_novelty.measure.parts import Columns, Opened, array_source, row_bytes
from learnable_novelty.storage import UNREADABLE, quiet_headers

METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")
MOST_METADATA = 64 << 20
"""Bytes of the text that describes an array or a group."""
MOST_CHUNK_BYTES = 1 << 30
"""Of a chunk, and of all chunks that hold a row: they are read together."""


def is_zarr(path: Path) -> bool:
    """Tell whether a path is that of a Zarr array or group."""
    return path.suffix.lower() == ".zarr" or any((path / n).exists() for n in METADATA[:3])


def open_zarr(path: Path, inputs: str | None, targets: str | None) -> Opened | None:
    """Open arrays of a group, one for the inputs and one for the targets; None for an array."""
    node = open_node(path)
    if hasattr(node, "shape"):
        return None
    try:
        with quiet_headers():
            names = sorted(node.array_keys())
    except UNREADABLE as error:
        raise _unreadable(path, error) from None
    chosen = choose_columns(names, inputs, targets, path)
    if any(len(one) > 1 for one in chosen):
        listed = ", ".join(names)
        raise UserError(
            f"expected one array of {path.name} for the inputs and one for the targets, choose of "
            f"{listed} with inputs and targets"
        )
    x, y = ([names[i] for i in one] for one in chosen)
    arrays = [open_node(path, name) for name in x + y]
    held = [
        Columns(functools.partial(open_node, path, name), None, f"{name} of {path.name}")
        for name in x + y
    ]
    source = array_source(
        held[0],
        held[1] if y else None,
        bytes_per_row=sum(row_bytes(array) for array in arrays),
        align=max(array.chunks[0] for array in arrays),
    )
    return Opened(source, x, y)


def open_node(path: Path, name: str | None = None) -> Any:
    """Open an array or a group of arrays.

    Raises:
        ValueError: for what is neither, or claims more than is read.
    """
    try:
        import zarr
    except ModuleNotFoundError:
        raise UserError("reading Zarr needs the [data] extra (zarr)") from None
    folder = path if name is None else path / name
    for text in (folder / one for one in METADATA):
        if text.is_file() and text.stat().st_size > MOST_METADATA:
            raise UserError(f"expected at most {MOST_METADATA:,} bytes in {text}")
    try:
        with quiet_headers():
            node = zarr.open(path, mode="r", path=name)
        is_array = hasattr(node, "shape")
    except UNREADABLE as error:
        raise _unreadable(path, error) from None
    if is_array:
        check_array(node, path.name if name is None else f"{name} of {path.name}")
    return node


def _unreadable(path: Path, error: BaseException) -> ValueError:
    return UserError(f"expected a Zarr array in {path}: {' '.join(str(error).split())}")


def check_array(array: Any, name: str) -> None:
    """Raise unless a Zarr array holds rows of numbers, in chunks that can be held."""
    try:
        shape, chunks, kind = tuple(array.shape), tuple(array.chunks), np.dtype(array.dtype)
    except UNREADABLE as error:
        raise UserError(f"expected a Zarr array of equal chunks in {name}: {error}") from None
    _refuse_pickles(array, name)
    numeric(array, name)
    if not shape or min(shape) < 1 or len(chunks) != len(shape) or min(chunks) < 1:
        raise UserError(f"expected rows of data in {name}, got shape {shape} in chunks {chunks}")
    check_width(shape, kind.itemsize, name)
    whole = [math.ceil(n / c) * c for n, c in zip(shape[1:], chunks[1:], strict=True)]
    size = math.prod([chunks[0], *whole]) * kind.itemsize
    if size > MOST_CHUNK_BYTES:
        raise UserError(
            f"expected chunks of {name} whose rows take at most {MOST_CHUNK_BYTES:,} bytes, got "
            f"{size:,} for {chunks[0]:,} rows: store it in chunks of fewer rows"
        )


def _refuse_pickles(array: Any, name: str) -> None:
    """Raise if a Zarr array is stored by a codec that unpickles."""
    held = getattr(array, "metadata", None)
    codecs = [*(getattr(held, "filters", None) or ()), getattr(held, "compressor", None)]
    codecs += getattr(held, "codecs", None) or ()
    if any("pickle" in str(getattr(codec, "codec_id", codec)).lower() for codec in codecs):
        raise UserError(f"expected numbers in {name}, but it holds pickles, which are not read")
