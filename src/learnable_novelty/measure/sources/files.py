"""Files and folders: .csv, .tsv, .npy, .npz, Parquet and Zarr. Nothing is unpickled.

One rule decides how a file is scored, whatever its format: up to ``LARGE_ROWS`` rows and
``LARGE_BYTES`` bytes of chosen columns it is loaded, and scored as arrays in memory are; a larger
one is read by chunks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path

from learnable_novelty.errors import UserError
from learnable_novelty.measure.sources.base import Source, joined, read_all
from learnable_novelty.measure.sources.columns import Columns, Names, Table, select_columns
from learnable_novelty.measure.sources.memory import MemoryRows
from learnable_novelty.measure.sources.numpy import open_npy, open_npz
from learnable_novelty.measure.sources.parquet import open_parquet_table
from learnable_novelty.measure.sources.text import open_text
from learnable_novelty.measure.sources.zarr import is_zarr, open_zarr
from learnable_novelty.storage import MOST_BYTES

LARGE_ROWS, LARGE_BYTES = 1_000_000, 1 << 28
"""Up to both a file is loaded: the features of so many rows take half a gigabyte."""

OPENERS: dict[str, Callable[[Path], Table]] = {
    ".csv": lambda path: open_text(path, ","),
    ".tsv": lambda path: open_text(path, "\t"),
    ".npy": open_npy,
    ".npz": open_npz,
    ".parquet": open_parquet_table,
}


def open_columns(
    path: str | PathLike[str],
    inputs: Names = None,
    targets: Names = None,
    *,
    chunks: bool | None = None,
) -> Columns:
    """Open input and target columns of a file, named or numbered from 0.

    Args:
        path: a .csv, .tsv, .npy, .npz or .parquet file, a folder of Parquet files, or a Zarr array
            or group. The columns of an .npz file or a Zarr group are its arrays.
        inputs: a list of columns, or text with commas between them (a name that holds a comma is
            quoted: ``'"a,b",c'``); all that are not targets by default.
        targets: the same for the targets.
        chunks: whether to read the file by chunks, or to load it; by default its size decides.

    Returns:
        What ``score`` takes in place of inputs.

    Raises:
        ValueError: for a file that cannot be read, is empty, or lacks a column.
    """
    path = Path(path)
    table = _open(path)
    chosen = select_columns(table.names, inputs, targets, path)
    source = table.select(chosen)
    if chunks is None:
        rows = source.count or 0
        chunks = rows > LARGE_ROWS or rows * source.row_bytes > LARGE_BYTES
    return Columns(
        source if chunks else _load(source, path),
        [table.names[i] for i in chosen.inputs],
        [table.names[i] for i in chosen.targets],
    )


def read_columns(path: str | PathLike[str], inputs: Names = None, targets: Names = None) -> Columns:
    """Load input and target columns of a file; see ``open_columns``."""
    return open_columns(path, inputs, targets, chunks=False)


def column_names(path: str | PathLike[str]) -> list[str]:
    """Return the names of a file's columns; those of a file without names are their numbers.

    Raises:
        ValueError: for a file that cannot be read or is empty.
    """
    return _open(Path(path)).names


def _open(path: Path) -> Table:
    suffix = path.suffix.lower()
    if not path.exists() and suffix in (*OPENERS, ".zarr", ""):
        raise UserError(f"expected a file or a folder, {path} does not exist")
    if is_zarr(path):
        return open_zarr(path)
    if path.is_dir():
        return open_parquet_table(path)
    if suffix not in OPENERS:
        raise UserError(
            f"expected a file ending in {', '.join(OPENERS)} or .zarr, or a folder of Parquet "
            f"files, got {path}"
        )
    if not path.is_file():
        raise UserError(f"expected a file, {path} is not one")
    if path.stat().st_size == 0:
        raise UserError(f"expected data in {path}, the file is empty")
    return OPENERS[suffix](path)


def _load(source: Source, path: Path) -> Source:
    """Read all samples into memory; a file that claims too many is rejected before that."""
    rows = source.count or 0
    if not 0 <= rows * source.row_bytes <= MOST_BYTES:
        raise UserError(
            f"{path.name} claims {rows:,} rows of {source.row_bytes:,} bytes, more than "
            f"{MOST_BYTES:,} bytes; choose fewer columns, or read it by chunks"
        )
    x, y = joined(list(read_all(source)))
    return replace(source, partitions=[MemoryRows(x, y)], in_memory=True)
