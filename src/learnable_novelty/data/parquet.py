"""Parquet files, and folders of them."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.data.arrays import CHUNK_BYTES
from learnable_novelty.data.source import Chunk, Source
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.storage import (
    MOST_BYTES,
    MOST_CLAIM,
    UNREADABLE,
    check_cells,
    unpacked_limit,
)
from learnable_novelty.text import printable

READ_BYTES = 1 << 16
"""What is read of a column at a time; without a size Arrow holds a whole row group."""
UNNAMED_INDEX = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""How pandas and Dask call an index without a name: it numbers the rows and is not data."""


def files_of(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder in order; numbers in their names count as numbers.

    Files and folders whose names begin with _ or . are left out: tools keep other things there.
    """
    files_by_path = ((path.relative_to(folder).parts, path) for path in folder.rglob("*.parquet"))
    shown = [(parts, path) for parts, path in files_by_path if not any(p[0] in "_." for p in parts)]
    return [path for _, path in sorted(shown, key=lambda one: [_natural(p) for p in one[0]])]


def _natural(name: str) -> tuple[list[str | int], str]:
    """Return what sorts part.2 before part.10: texts and numbers in turn, then the name itself."""
    pieces = re.split(r"([0-9]+)", name)
    return [int(piece) if k % 2 else piece for k, piece in enumerate(pieces)], name


def open_parquet(path: Path | io.BytesIO, name: str, **options: Any) -> Any:
    """Open a Parquet file."""
    with needs_extra("reading Parquet", "data"):
        import pyarrow
        import pyarrow.parquet
    try:
        file = pyarrow.parquet.ParquetFile(
            path, buffer_size=READ_BYTES, pre_buffer=False, **options
        )
        _ = file.schema_arrow  # read here, so that a damaged one is rejected here
        return file
    except (pyarrow.ArrowException, *UNREADABLE) as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: BaseException, kind: str = "a Parquet file") -> UserError:
    """Say that a file is not what its ending claims."""
    return UserError(f"expected {kind} in {name}: {' '.join(str(error).split())}")


def frame_from(read: Callable[[], Any], name: str, kind: str = "a Parquet file") -> Any:
    """Make a data frame of a table of Arrow, which is checked after it is read."""
    import pyarrow

    try:
        table = read()
        table.validate(full=True)  # a damaged place of a text would end the process
        return table.to_pandas()
    except UserError:
        raise
    except (pyarrow.ArrowException, *UNREADABLE) as error:
        raise _unreadable(name, error, kind) from None


class Parquet:
    """A Parquet file, or all files of a folder as one table; it is opened once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = files_of(path) if path.is_dir() else [path]
        if not self.files:
            raise UserError(
                f"expected Parquet files or a Zarr array in the folder {path}, got none"
            )
        self._first = open_parquet(self.files[0], str(self.files[0]))
        self.names = [name for name in self._schemas[0].names if not UNNAMED_INDEX.fullmatch(name)]
        self.num_rows = sum(one.num_rows for one in self._metadata)

    @cached_property
    def _opened(self) -> list[tuple[Any, Any]]:
        """Schema and metadata of every file."""
        heads = [(self._first.schema_arrow, self._first.metadata)]
        for path in self.files[1:]:
            with open_parquet(path, str(path)) as file:
                heads.append((file.schema_arrow, file.metadata))
        return heads

    @property
    def _schemas(self) -> list[Any]:
        return [schema for schema, _ in self._opened]

    @property
    def _metadata(self) -> list[Any]:
        return [metadata for _, metadata in self._opened]

    @property
    def is_uniform(self) -> bool:
        """Whether all files have the same columns."""
        kinds = [
            [(one.name, one.type) for one in schema if not UNNAMED_INDEX.fullmatch(one.name)]
            for schema in self._schemas
        ]
        return all(one == kinds[0] for one in kinds)

    @property
    def size(self) -> int:
        """Bytes as they are stored."""
        return sum(path.stat().st_size for path in self.files)

    def frame(self) -> Any:
        """Read all rows and columns into a data frame."""
        import pandas as pd

        if not self.is_uniform:
            raise UserError(
                f"expected one schema in all files of {self.path}: name columns that are in all"
            )
        check_cells(self.path.name, self.num_rows, len(self.names), self.size)
        self._first.close()
        frames = [
            _frame_of(path, str(path), schema, metadata, path.stat().st_size)
            for path, (schema, metadata) in zip(self.files, self._opened, strict=True)
        ]
        return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)

    def source(self, inputs: list[str], targets: list[str], *, every: bool) -> Source:
        """Return columns of numbers by row groups.

        Args:
            inputs: names.
            targets: names.
            every: whether all columns are used, so that all files must have the same ones.
        """
        self._first.close()
        chosen = [*inputs, *targets]
        claimed = 8 * self.num_rows * len(chosen)
        if claimed > MOST_BYTES and claimed > MOST_CLAIM * self.size:
            raise UserError(
                f"{self.path.name} claims {self.num_rows:,} rows, but only {self.size:,} bytes are "
                "stored: choose fewer rows or columns"
            )
        _check_numbers(chosen, self._schemas[0], self.files[0])
        groups: list[RowGroup] = []
        for path, (schema, metadata) in zip(self.files, self._opened, strict=True):
            _check_schema(self._schemas[0], schema, self.files[0], path, None if every else chosen)
            first_row = 0
            for number in range(metadata.num_row_groups):
                count = metadata.row_group(number).num_rows
                groups.append(
                    RowGroup(path, number, count, first_row, tuple(inputs), tuple(targets))
                )
                first_row += count
        if not sum(group.count for group in groups):
            raise UserError(f"expected rows of data in {self.path}, got none")
        return Source(groups, 8 * len(chosen))


def read_parquet(packed: Packed) -> Any:
    """Read a Parquet file that is packed, or comes from a pipe."""
    content = io.BytesIO(packed.content)
    head = open_parquet(content, packed.name)
    check_cells(packed.name, head.metadata.num_rows, head.metadata.num_columns, packed.size)
    return _frame_of(content, packed.name, head.schema_arrow, head.metadata, packed.size)


def _frame_of(file: Any, name: str, schema: Any, metadata: Any, size: int) -> Any:
    """Read all of a file whose metadata are known."""
    from pyarrow import types

    unpacked = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    if unpacked > (limit := unpacked_limit(size)):
        raise UserError(f"{name} unpacks to {unpacked:,} bytes, more than {limit:,}")
    # A text that is stored once and used in many rows stays one text.
    texts = [
        k
        for k, one in enumerate(schema)
        if types.is_string(one.type) or types.is_large_string(one.type)
    ]
    wanted = [schema.names[k] for k in texts]
    with open_parquet(file, name, metadata=metadata, read_dictionary=wanted) as opened:
        frame = frame_from(opened.read, name)
    for k in texts:
        frame.isetitem(k, frame.iloc[:, k].astype(object))
    return frame


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
        import pyarrow

        wanted = list(dict.fromkeys(self.inputs + self.targets))
        size, row = max(1, CHUNK_BYTES // (8 * len(wanted))), self.first_row
        with open_parquet(self.path, str(self.path)) as file:
            batches = file.iter_batches(size, row_groups=[self.group], columns=wanted)
            while True:
                try:
                    batch = next(batches, None)
                except (pyarrow.ArrowException, OSError) as error:
                    raise _unreadable(str(self.path), error) from None
                if batch is None:
                    return
                columns = {name: self._numbers(batch.column(name), name, row) for name in wanted}
                x = np.stack([columns[name] for name in self.inputs], axis=1)
                y = [columns[name] for name in self.targets]
                yield x, (np.stack(y, axis=1) if y else None)
                row += batch.num_rows

    def _numbers(self, column: Any, name: str, first_row: int) -> np.ndarray:
        if column.null_count:
            row = first_row + column.is_null().to_pylist().index(True)
            raise UserError(
                f"expected numbers in column {name!r} of {self.path.name}, got a null in row {row} "
                "(from 0)"
            )
        return column.to_numpy(zero_copy_only=False)

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        name = (self.targets if targets else self.inputs)[index[1]]
        return f"column {name!r} of {self.path.name}, row {self.first_row + index[0]} (from 0)"


def _check_numbers(names: list[str], schema: Any, path: Path) -> None:
    """Raise unless columns hold numbers."""
    from pyarrow import types

    counts, kinds = Counter(schema.names), dict(zip(schema.names, schema.types, strict=True))
    for name in names:
        kind = kinds[name]
        if counts[name] > 1:
            raise UserError(f"expected one column {name!r} in {path.name}, got several")
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise UserError(
                f"expected numbers in column {name!r} of {path.name}, got {kind}: leave it out, "
                "or load the file whole, which makes categories of few values into numbers"
            )


def _check_schema(
    first: Any, other: Any, name: Path, other_name: Path, chosen: list[str] | None
) -> None:
    """Raise unless both files have the chosen columns, of one type; by default all columns."""
    if other is first:
        return
    schemas = (first, other)
    kinds = [dict(zip(one.names, one.types, strict=True)) for one in schemas]
    shown = [{name for name in one if not UNNAMED_INDEX.fullmatch(name)} for one in kinds]
    compared = set(chosen) if chosen is not None else shown[0] | shown[1]
    counts = [Counter(one.names) for one in schemas]
    unique = all(one[name] == 1 for one in counts for name in compared)
    if unique and all(kinds[0][name] == kinds[1][name] for name in compared):
        return
    listed = [
        ", ".join(f"{printable(one.name)} {one.type}" for one in schema if one.name in compared)
        for schema in schemas
    ]
    raise UserError(
        f"expected one schema in all files, got ({listed[1]}) in {other_name.name} "
        f"after ({listed[0]}) in {name.name}; columns that are in all can be chosen as inputs"
    )
