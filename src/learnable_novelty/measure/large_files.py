"""Files and folders that are read by chunks: .npy, Parquet, Zarr. Nothing is ever unpickled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError
from learnable_novelty.measure.files import check_width, choose_columns, load_array, numeric
from learnable_novelty.measure.parquet import open_parquet, open_row_groups
from learnable_novelty.measure.parts import Columns, Opened, array_source, row_bytes
from learnable_novelty.measure.zarr_files import is_zarr, open_node, open_zarr

LARGE_ROWS, LARGE_BYTES = 1_000_000, 1 << 28
"""Beyond either, a file is read by chunks without being asked: features of that many rows take half
a gigabyte."""


def is_large(path: Path) -> bool:
    """Tell whether a file is to be read by chunks: folders are, and what would fill the memory."""
    if path.is_dir():
        return True
    if not path.is_file() or path.suffix.lower() not in (".npy", ".parquet"):
        return False
    if path.suffix.lower() == ".npy":
        array = load_array(path)
        return array.nbytes > LARGE_BYTES or array.shape[:1] > (LARGE_ROWS,)
    with open_parquet(path) as file:
        held = file.metadata
        return held.num_rows > LARGE_ROWS or held.num_rows * held.num_columns * 8 > LARGE_BYTES


def open_columns(path: Path, inputs: str | None, targets: str | None) -> Opened:
    """Open input and target columns, named or numbered from 0, to be read by chunks.

    Args:
        path: a .npy or Parquet file, a folder of Parquet files, or a Zarr array or group. The
            "columns" of a group are its arrays: one for the inputs, one for the targets.
        inputs: names separated by commas; all that are no targets by default.
        targets: names separated by commas.

    Returns:
        What ``score`` takes in place of inputs.

    Raises:
        ValueError: for what cannot be read, is empty, or lacks a column.
    """
    if not path.exists():
        raise UserError(f"expected a file or a folder, {path} is none")
    if is_zarr(path):
        group = open_zarr(path, inputs, targets)
        opener = functools.partial(open_node, path)
        return group or _open_array(path.name, opener, inputs, targets)
    if path.is_dir() or path.suffix.lower() == ".parquet":
        return open_row_groups(path, inputs, targets)
    if path.suffix.lower() != ".npy":
        raise UserError(
            "expected a .npy or .parquet file, a folder of Parquet files, or a Zarr array to read "
            f"by chunks, got {path}"
        )
    return _open_array(path.name, functools.partial(load_array, path), inputs, targets)


def _open_array(
    name: str, open_again: Callable[[], Any], inputs: str | None, targets: str | None
) -> Opened:
    array = open_again()
    numeric(array, name)
    if array.ndim < 1 or 0 in array.shape:
        raise UserError(f"expected rows of data in {name}, got shape {array.shape}")
    check_width(array.shape, array.dtype.itemsize, name)
    columns = 1 if array.ndim == 1 else array.shape[1]
    names = [str(number) for number in range(columns)]
    chosen = choose_columns(names, inputs, targets, Path(name))
    held = [Columns(open_again, tuple(one), name) for one in chosen]
    stored = getattr(array, "chunks", None)
    source = array_source(
        held[0],
        held[1] if chosen[1] else None,
        bytes_per_row=2 * row_bytes(array),
        align=stored[0] if stored else 1,
    )
    return Opened(source, *([names[i] for i in one] for one in chosen))
