"""Files and folders as inputs and targets: typed tables or arrays; nothing is unpickled.

One rule decides how a file is scored, whatever its format: up to ``LARGE_ROWS`` rows and
``LARGE_BYTES`` bytes of chosen columns it is loaded, and scored as arrays in memory are; a larger
one is read by chunks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np
import torch

from learnable_novelty.data.array_files import choose_arrays, is_zarr, stored_bytes
from learnable_novelty.data.choose import choose
from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.data.names import Names, select
from learnable_novelty.data.parquet import Parquet
from learnable_novelty.data.reading import Reading, check_readable, read_table, typed
from learnable_novelty.data.source import Source, joined, read_all, table_source
from learnable_novelty.data.table import Table
from learnable_novelty.errors import UserError
from learnable_novelty.storage import check_cells

LARGE_ROWS, LARGE_BYTES = 1_000_000, 1 << 28
"""Up to both a file is loaded: the features of so many rows take half a gigabyte."""


@dataclass(frozen=True)
class Columns:
    """Chosen columns of a file and their names: what ``score`` takes in place of inputs."""

    source: Source
    input_names: list[str]
    target_names: list[str]
    decisions: tuple[str, ...] = ()
    """What was decided while the file was read, in plain words."""
    classes: tuple[str, ...] = ()
    """Levels of the target, where it is one category."""
    gaps: int = 0
    """Rows with gaps that were filled or left out: what there is now is no series."""

    def as_source(self) -> Source:
        """Return the source with what was decided about it."""
        return replace(self.source, decisions=self.decisions)

    @property
    def inputs(self) -> np.ndarray:
        """The input columns of a file that was loaded."""
        return self._rows.inputs.numpy()

    @property
    def targets(self) -> np.ndarray | None:
        """The target columns of a file that was loaded; None if none were named."""
        return None if self._rows.targets is None else self._rows.targets.numpy()

    @property
    def _rows(self) -> MemoryRows:
        if self.source.rows is None:
            raise UserError("expected columns that are in memory, got a file read by chunks")
        return self.source.rows


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
    path, reading = Path(path), reading or Reading()
    is_series = targets is None if is_series is None else is_series
    if str(path) == "-" or (reading != Reading() and not chunks):
        table = read_table(path, **vars(reading))
        return choose_columns(table, inputs, targets, chunks, is_series=is_series, where=path.name)
    check_readable(path)
    if is_zarr(path) or path.suffix.lower() in (".npy", ".npz"):
        return _stored(path, *choose_arrays(path, inputs, targets), chunks)
    if path.is_dir() or path.suffix.lower() == ".parquet":
        file = Parquet(path)
        large = _is_large(file.num_rows, 8 * len(file.names)) and chunks is not False
        if chunks or large or not file.is_uniform:
            return _stored(path, *_choose_parquet(file, inputs, targets), chunks)
        table = typed(file.frame(), path.name)
    else:
        table = read_table(path)
    return choose_columns(table, inputs, targets, chunks, is_series=is_series, where=path.name)


def _choose_parquet(
    file: Parquet, inputs: Names, targets: Names
) -> tuple[Source, list[str], list[str]]:
    places = select(file.names, inputs, targets, file.path.name)
    wanted, chosen = ([file.names[k] for k in some] for some in places)
    return file.source(wanted, chosen, every=inputs is None), wanted, chosen


def _stored(
    path: Path, source: Source, inputs: list[str], targets: list[str], chunks: bool | None
) -> Columns:
    """Return columns of numbers, read by chunks or loaded."""
    rows = source.count or 0
    if chunks is None:
        chunks = _is_large(rows, source.row_bytes)
    if not chunks:
        check_cells(path.name, rows, -(-source.row_bytes // 8), stored_bytes(path))
        source = table_source(*joined(list(read_all(source))), in_memory=True)
    places = {name: slice(k, k + 1) for k, name in enumerate(inputs)}
    source = replace(source, input_places=places, target_names=tuple(targets))
    return Columns(source, inputs, targets)


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
    if chunks is None:
        chunks = _is_large(len(x), x[0].nbytes + (0 if y is None else y[0].nbytes))
    source = replace(
        table_source(x, y, in_memory=not chunks),
        input_places=chosen.inputs.places,
        target_names=tuple(chosen.target_names),
        kept=chosen.inputs.rows,
        groups=chosen.groups,
        is_dated=chosen.is_dated,
    )
    return Columns(
        source,
        chosen.input_names,
        chosen.target_names,
        chosen.notes,
        chosen.classes,
        chosen.gaps,
    )


def _is_large(rows: int, row_bytes: int) -> bool:
    return rows > LARGE_ROWS or rows * row_bytes > LARGE_BYTES
