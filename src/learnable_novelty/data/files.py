"""Files and folders: typed tables, and arrays of numbers. Nothing is unpickled.

One rule decides how a file is scored, whatever its format: up to ``LARGE_ROWS`` rows and
``LARGE_BYTES`` bytes of chosen columns it is loaded, and scored as arrays in memory are; a larger
one is read by chunks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path

import torch

from learnable_novelty.data.array_files import open_npy, open_npz, open_zarr
from learnable_novelty.data.choose import choose
from learnable_novelty.data.columns import ColumnFile, Columns, select_columns
from learnable_novelty.data.memory import MemoryRows, describe_index
from learnable_novelty.data.names import Names
from learnable_novelty.data.parquet import open_parquet, open_parquet_table
from learnable_novelty.data.reading import Reading, check_readable, read_table
from learnable_novelty.data.source import Source, joined, read_all, table_source
from learnable_novelty.data.stored import is_zarr
from learnable_novelty.data.table import Table
from learnable_novelty.errors import UserError
from learnable_novelty.storage import MOST_BYTES

LARGE_ROWS, LARGE_BYTES = 1_000_000, 1 << 28
"""Up to both a file is loaded: the features of so many rows take half a gigabyte."""

OPENERS: dict[str, Callable[[Path], ColumnFile]] = {
    ".npy": open_npy,
    ".npz": open_npz,
    ".parquet": open_parquet_table,
}
"""Formats of numbers that can be read by chunks; all others become typed tables."""


def open_columns(
    path: str | PathLike[str],
    inputs: Names = None,
    targets: Names = None,
    *,
    chunks: bool | None = None,
    is_series: bool | None = None,
    reading: Reading | None = None,
) -> Columns:
    """Open input and target columns of a file, by name or by place from 0 (``#4``).

    Args:
        path: a file of any format of docs/tables.md, ``-`` for standard input, a folder of Parquet
            files, or a Zarr array or group. The columns of an .npz file or a Zarr group are its
            arrays.
        inputs: a list of columns, or text with commas between them (a name that holds a comma is
            quoted: ``'"a,b",c'``); by default all that can be measured and are not targets.
        targets: the same for the targets.
        chunks: whether to read the file by chunks, or to load it; by default its size decides.
        is_series: whether rows are steps of time, so that none with a gap can be left out; by
            default they are where no targets are named.
        reading: what you decide about columns and gaps instead of ``read_table``.

    Returns:
        What ``score`` takes in place of inputs.

    Raises:
        ValueError: for a file that cannot be read, is empty, or lacks a column.
    """
    path = Path(path)
    if _is_typed(path, chunks, reading):
        is_series = targets is None if is_series is None else is_series
        return _open_typed(path, inputs, targets, chunks, is_series, reading or Reading())
    return _open_stored(path, inputs, targets, chunks)


def _open_stored(path: Path, inputs: Names, targets: Names, chunks: bool | None) -> Columns:
    """Open columns of numbers in a format that can be read by chunks."""
    file = _open(path)
    chosen = select_columns(file.names, inputs, targets, path)
    source = file.select(chosen)
    if chunks is None:
        chunks = _is_large(source.count or 0, source.row_bytes)
    inputs, targets = ([file.names[i] for i in some] for some in (chosen.inputs, chosen.targets))
    places = {name: slice(k, k + 1) for k, name in enumerate(inputs)}
    source = replace(source, input_places=places, target_names=tuple(targets))
    return Columns(source if chunks else _load(source, path), inputs, targets)


def _open_typed(
    path: Path,
    inputs: Names,
    targets: Names,
    chunks: bool | None,
    is_series: bool,
    reading: Reading,
) -> Columns:
    """Read a table whole, and choose columns by their kinds."""
    table = read_table(path, **vars(reading))
    columns = choose_columns(table, inputs, targets, chunks, is_series=is_series, where=path.name)
    used = [table[name] for name in columns.input_names + columns.target_names]
    numbers = all(one.kind == "number" and not one.missing for one in used)
    if path.suffix.lower() == ".parquet" and numbers and reading == Reading():
        # Numbers without gaps keep the precision that they are stored in.
        stored = _open_stored(path, columns.input_names, columns.target_names, chunks)
        return replace(stored, decisions=columns.decisions)
    return columns


def choose_columns(
    table: Table,
    inputs: Names,
    targets: Names,
    chunks: bool | None = None,
    *,
    is_series: bool,
    where: str = "the table",
) -> Columns:
    """Choose inputs and targets of a typed table; many rows are scored as chunks are."""
    chosen = choose(table, inputs, targets, is_series=is_series, where=where)
    x = torch.from_numpy(chosen.inputs.matrix)
    y = None if chosen.targets is None else torch.from_numpy(chosen.targets.matrix)
    width = x.shape[1] + (0 if y is None else y.shape[1])
    if chunks is None:
        chunks = _is_large(len(x), 8 * width)
    source = table_source(x, y, lambda index, targets: describe_index(index))
    if not chunks:
        source = replace(source, partitions=[MemoryRows(x, y)], in_memory=True)
    source = replace(
        source, input_places=chosen.inputs.places, target_names=tuple(chosen.target_names)
    )
    return Columns(
        source,
        chosen.input_names,
        chosen.target_names,
        chosen.notes,
        chosen.classes,
        table.num_rows - len(x),
    )


def read_columns(path: str | PathLike[str], inputs: Names = None, targets: Names = None) -> Columns:
    """Load input and target columns of a file; see ``open_columns``."""
    return open_columns(path, inputs, targets, chunks=False)


def column_names(path: str | PathLike[str]) -> list[str]:
    """Return the names of a file's columns; those of a file without names are their numbers.

    Raises:
        ValueError: for a file that cannot be read or is empty.
    """
    if _is_typed(Path(path), None, None):
        return [column.name for column in read_table(path).columns]
    return _open(Path(path)).names


def _is_large(rows: int, row_bytes: int) -> bool:
    return rows > LARGE_ROWS or rows * row_bytes > LARGE_BYTES


def _is_typed(path: Path, chunks: bool | None, reading: Reading | None) -> bool:
    """Tell whether a file is read as a typed table, and not as stored numbers."""
    if str(path) == "-":
        return True
    check_readable(path)
    if reading is not None and reading != Reading():
        return not chunks
    if path.is_dir() or is_zarr(path) or path.suffix.lower() in (".npy", ".npz"):
        return False
    if path.suffix.lower() != ".parquet":
        return True
    if chunks:
        return False
    with open_parquet(path) as file:
        rows, columns = file.metadata.num_rows, file.metadata.num_columns
    if chunks is False:
        _check_claim(rows, 8 * columns, path)
    return chunks is False or not _is_large(rows, 8 * columns)


def _open(path: Path) -> ColumnFile:
    check_readable(path)
    if is_zarr(path):
        return open_zarr(path)
    if path.is_dir():
        return open_parquet_table(path)
    return OPENERS[path.suffix.lower()](path)


def _load(source: Source, path: Path) -> Source:
    """Read all samples into memory; a file that claims too many is rejected before that."""
    _check_claim(source.count or 0, source.row_bytes, path)
    x, y = joined(list(read_all(source)))
    return replace(source, partitions=[MemoryRows(x, y)], in_memory=True)


def _check_claim(rows: int, row_bytes: int, path: Path) -> None:
    if not 0 <= rows * row_bytes <= MOST_BYTES:
        raise UserError(
            f"{path.name} claims {rows:,} rows of {row_bytes:,} bytes, more than "
            f"{MOST_BYTES:,} bytes; choose fewer columns, or read it by chunks"
        )
