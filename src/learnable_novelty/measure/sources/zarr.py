"""Zarr arrays and groups of them. The sizes they claim are checked before anything is read."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError, missing_extra
from learnable_novelty.measure.sources.arrays import (
    ArrayColumns,
    array_source,
    check_table,
)
from learnable_novelty.measure.sources.base import Source
from learnable_novelty.measure.sources.columns import Selection, Table
from learnable_novelty.measure.sources.numpy import array_table
from learnable_novelty.storage import UNREADABLE, quiet_headers
from learnable_novelty.text import printable

METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")
MOST_METADATA = 64 << 20
"""Bytes of the text that describes an array or a group."""
MOST_CHUNK_BYTES = 1 << 30
"""Of a chunk, and of all chunks that hold a row: they are read together."""


def is_zarr(path: Path) -> bool:
    """Tell whether a path is that of a Zarr array or group."""
    return path.suffix.lower() == ".zarr" or any((path / n).exists() for n in METADATA[:3])


def open_zarr(path: Path) -> Table:
    """Open an array as a table, or a group, whose arrays are one for inputs and one for targets."""
    node = open_node(path)
    if hasattr(node, "shape"):
        return array_table(path.name, functools.partial(open_node, path))
    try:
        with quiet_headers():
            names = sorted(node.array_keys())
    except UNREADABLE as error:
        raise _unreadable(path, error) from None

    def select(chosen: Selection) -> Source:
        if max(len(chosen.inputs), len(chosen.targets)) > 1:
            raise UserError(
                f"expected one array of {path.name} for the inputs and one for the targets; "
                f"choose among {', '.join(map(printable, names))}"
            )
        arrays = [
            ArrayColumns(functools.partial(open_node, path, name), None, f"{name!r} of {path.name}")
            for name in (names[i] for i in chosen.inputs + chosen.targets)
        ]
        return array_source(arrays[0], arrays[1] if chosen.targets else None)

    return Table(names, select)


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
        raise _unreadable(path, error) from None
    if is_array:
        check_array(node, path.name if name is None else f"{name!r} of {path.name}")
    return node


def _unreadable(path: Path, error: BaseException) -> ValueError:
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
