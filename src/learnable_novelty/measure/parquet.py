"""Parquet files and folders of them, row group by row group and column by column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.measure.files import choose_columns
from learnable_novelty.measure.parts import CHUNK_BYTES, Chunk, Opened, Source

READ_BYTES = 1 << 16
"""What is read of a column at a time; without a size Arrow holds a whole row group."""
UNNAMED_INDEX = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""How pandas and Dask call an index without a name: it numbers rows and is no data."""


def open_parquet(path: Path) -> Any:
    """Open a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise UserError("reading .parquet needs the [data] extra (pyarrow)") from None
    try:
        file = pyarrow.parquet.ParquetFile(path, buffer_size=READ_BYTES, pre_buffer=False)
        _ = file.schema_arrow  # read here, so that a damaged one is refused here
        return file
    except (pyarrow.ArrowException, OSError) as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> ValueError:
    """Say that a file is not what its ending claims."""
    return UserError(f"expected a Parquet file in {path}: {' '.join(str(error).split())}")


def data_columns(schema: Any) -> list[str]:
    """Return the names of a file's columns, but for an index without a name."""
    return [name for name in schema.names if not UNNAMED_INDEX.fullmatch(name)]


def numbers_of(column: Any, name: str, path: Path, first_row: int = 0) -> np.ndarray:
    """Return a column as an array.

    Raises:
        ValueError: for a null, with its row in the file, which is that of the first plus its own.
    """
    if column.null_count:
        row = first_row + column.is_null().to_pylist().index(True)
        raise UserError(
            f"expected numbers in column {name!r} of {path.name}, got a null in row {row} (from 0)"
        )
    dense = {} if hasattr(column, "chunks") else {"zero_copy_only": False}
    return column.to_numpy(**dense)


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
                    raise unreadable(self.path, error) from None
                if batch is None:
                    return
                yield {n: numbers_of(batch.column(n), n, self.path, row) for n in wanted}
                row += batch.num_rows


def open_row_groups(path: Path, inputs: str | None, targets: str | None) -> Opened:
    """Open columns of a file, or of all files of a folder in the order of ``files_of``."""
    files = files_of(path) if path.is_dir() else [path]
    if not files:
        raise UserError(f"expected Parquet files or a Zarr array in the folder {path}, found none")
    with open_parquet(files[0]) as file:
        first = file.schema_arrow
    names = data_columns(first)
    x, y = (tuple(names[i] for i in one) for one in choose_columns(names, inputs, targets, path))
    for name in x + y:
        _check_numbers(name, first, files[0])
    groups: list[RowGroup] = []
    for one in files:
        with open_parquet(one) as file:
            _check_schema(
                first, file.schema_arrow, files[0], one, None if inputs is None else x + y
            )
            groups += _row_groups(one, file.metadata, x, y)
    if not sum(group.count for group in groups):
        raise UserError(f"expected rows of data in {path}, got none")
    return Opened(Source(groups), list(x), list(y))


def files_of(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder in order; numbers in their names count as numbers.

    Files and folders whose names begin with _ or . are left out: tools keep what is no data there.
    """
    found = ((path.relative_to(folder).parts, path) for path in folder.rglob("*.parquet"))
    shown = [(parts, path) for parts, path in found if not any(p[0] in "_." for p in parts)]
    return [path for _, path in sorted(shown, key=lambda one: [_natural(p) for p in one[0]])]


def _natural(name: str) -> tuple[list[str | int], str]:
    """Return what sorts part.2 before part.10: texts and numbers in turn, then the name itself."""
    pieces = re.split(r"([0-9]+)", name)
    return [int(piece) if k % 2 else piece for k, piece in enumerate(pieces)], name


def _row_groups(
    path: Path, held: Any, x: tuple[str, ...], y: tuple[str, ...]
) -> Iterator[RowGroup]:
    first_row = 0
    for number in range(held.num_row_groups):
        count = held.row_group(number).num_rows
        yield RowGroup(path, number, count, first_row, x, y)
        first_row += count


def _check_numbers(name: str, schema: Any, path: Path) -> None:
    """Raise unless a column holds numbers."""
    from pyarrow import types

    if schema.names.count(name) > 1:
        raise UserError(f"expected one column {name!r} in {path.name}, got several")
    kind = schema.field(name).type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise UserError(f"expected numbers in column {name!r} of {path.name}, got {kind}")


def _check_schema(
    first: Any, other: Any, name: Path, other_name: Path, chosen: tuple[str, ...] | None
) -> None:
    """Raise unless chosen columns are in both files, alike; all of them where none were chosen."""
    compared = sorted(chosen or {*data_columns(first), *data_columns(other)})
    listed = [
        ", ".join(f"{one.name} {one.type}" for one in held if one.name in compared)
        for held in (first, other)
    ]
    alike = [held.names.count(n) == 1 for n in compared for held in (first, other)]
    if all(alike) and all(first.field(n).type == other.field(n).type for n in compared):
        return
    raise UserError(
        f"expected one schema in all files, got ({listed[1]}) in {other_name.name} "
        f"after ({listed[0]}) in {name.name}; columns that are in all can be chosen as inputs"
    )
