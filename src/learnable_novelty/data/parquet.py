"""Parquet files and folders of them, row group by row group."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.data.arrays import CHUNK_BYTES
from learnable_novelty.data.columns import ColumnFile, Selection
from learnable_novelty.data.folders import files_of
from learnable_novelty.data.source import Chunk, Source
from learnable_novelty.errors import UserError, missing_extra
from learnable_novelty.text import printable

READ_BYTES = 1 << 16
"""What is read of a column at a time; without a size Arrow holds a whole row group."""
UNNAMED_INDEX = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""How pandas and Dask call an index without a name: it numbers the rows and is not data."""


def open_parquet(path: Path) -> Any:
    """Open a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise missing_extra("reading Parquet", "pyarrow", "data") from None
    try:
        file = pyarrow.parquet.ParquetFile(path, buffer_size=READ_BYTES, pre_buffer=False)
        _ = file.schema_arrow  # read here, so that a damaged one is rejected here
        return file
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> ValueError:
    """Say that a file is not what its ending claims."""
    return UserError(f"expected a Parquet file in {path}: {' '.join(str(error).split())}")


def _data_columns(schema: Any) -> list[str]:
    """Return the names of a file's columns, but for an index without a name."""
    return [name for name in schema.names if not UNNAMED_INDEX.fullmatch(name)]


def _numbers(column: Any, name: str, path: Path, first_row: int) -> np.ndarray:
    """Return a column of a batch, which begins at a row of the file, as an array.

    Raises:
        ValueError: for a null, with its row in the file.
    """
    if column.null_count:
        row = first_row + column.is_null().to_pylist().index(True)
        raise UserError(
            f"expected numbers in column {name!r} of {path.name}, got a null in row {row} (from 0)"
        )
    return column.to_numpy(zero_copy_only=False)


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file."""

    path: Path
    group: int
    count: int
    first_row: int
    """How many rows of the file come before it."""
    inputs: tuple[str, ...]
    targets: tuple[str, ...]

    def chunks(self) -> Iterator[Chunk]:
        wanted = list(dict.fromkeys(self.inputs + self.targets))
        for columns in self._batches(wanted):
            x = np.stack([columns[name] for name in self.inputs], axis=1)
            y = [columns[name] for name in self.targets]
            yield x, (np.stack(y, axis=1) if y else None)

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        name = (self.targets if targets else self.inputs)[index[1]]
        return f"column {name!r} of {self.path.name}, row {self.first_row + index[0]} (from 0)"

    def _batches(self, wanted: list[str]) -> Iterator[dict[str, np.ndarray]]:
        import pyarrow

        size, row = max(1, CHUNK_BYTES // (8 * len(wanted))), self.first_row
        with open_parquet(self.path) as file:
            batches = file.iter_batches(size, row_groups=[self.group], columns=wanted)
            while True:
                try:
                    batch = next(batches, None)
                except (pyarrow.ArrowException, OSError) as error:
                    raise _unreadable(self.path, error) from None
                if batch is None:
                    return
                yield {n: _numbers(batch.column(n), n, self.path, row) for n in wanted}
                row += batch.num_rows


def open_parquet_table(path: Path) -> ColumnFile:
    """Open a file, or all files of a folder in the order of ``files_of``, as one table."""
    files = files_of(path) if path.is_dir() else [path]
    if not files:
        raise UserError(f"expected Parquet files or a Zarr array in the folder {path}, got none")
    with open_parquet(files[0]) as file:
        first = file.schema_arrow
    names = _data_columns(first)

    def select(chosen: Selection) -> Source:
        x, y = (tuple(names[i] for i in one) for one in (chosen.inputs, chosen.targets))
        for name in x + y:
            _check_numbers(name, first, files[0])
        groups: list[RowGroup] = []
        for one in files:
            with open_parquet(one) as file:
                compared = None if chosen.every else x + y
                _check_schema(first, file.schema_arrow, files[0], one, compared)
                groups += _row_groups(one, file.metadata, x, y)
        if not sum(group.count for group in groups):
            raise UserError(f"expected rows of data in {path}, got none")
        return Source(groups, 8 * len(x + y))

    return ColumnFile(names, select)


def _row_groups(
    path: Path, metadata: Any, x: tuple[str, ...], y: tuple[str, ...]
) -> Iterator[RowGroup]:
    first_row = 0
    for number in range(metadata.num_row_groups):
        count = metadata.row_group(number).num_rows
        yield RowGroup(path, number, count, first_row, x, y)
        first_row += count


def _check_numbers(name: str, schema: Any, path: Path) -> None:
    """Raise unless a column holds numbers."""
    from pyarrow import types

    if schema.names.count(name) > 1:
        raise UserError(f"expected one column {name!r} in {path.name}, got several")
    kind = schema.field(name).type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise UserError(
            f"expected numbers in column {name!r} of {path.name}, got {kind}: leave it out, or "
            "load the file whole, which makes categories of few values into numbers"
        )


def _check_schema(
    first: Any, other: Any, name: Path, other_name: Path, chosen: tuple[str, ...] | None
) -> None:
    """Raise unless both files have the chosen columns, of one type; by default all columns."""
    compared = sorted(chosen or {*_data_columns(first), *_data_columns(other)})
    schemas = (first, other)
    unique = all(schema.names.count(name) == 1 for name in compared for schema in schemas)
    if unique and all(first.field(name).type == other.field(name).type for name in compared):
        return
    listed = [
        ", ".join(f"{printable(one.name)} {one.type}" for one in schema if one.name in compared)
        for schema in schemas
    ]
    raise UserError(
        f"expected one schema in all files, got ({listed[1]}) in {other_name.name} "
        f"after ({listed[0]}) in {name.name}; columns that are in all can be chosen as inputs"
    )
