"""Data larger than memory, as parts that are read one after the other or side by side.

A part knows where its samples are and reads them in chunks whenever it is asked, here or in another
process: what is sent there is the place, not the data.
"""

from __future__ import annotations

import functools
import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Chunk = tuple[Any, Any]
"""Inputs and targets of some samples, as the user's library holds them; targets may be None."""

CHUNK_BYTES = 8 << 20
"""About how much is read at a time."""
PART_CHUNKS, PART_ROWS = 8, 32_768
"""Chunks, and about how many rows, of a part of an array: what one worker takes at a time."""


class Part(Protocol):
    """A stretch of consecutive samples."""

    @property
    def count(self) -> int | None:
        """How many, where that is known before they are read."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Read the samples from the first on."""
        ...


@dataclass(frozen=True)
class Source:
    """All samples, in order."""

    parts: Sequence[Part]

    @property
    def count(self) -> int | None:
        """How many samples there are, where that is known before they are read."""
        counts = [part.count for part in self.parts]
        return None if None in counts else sum(count for count in counts if count is not None)

    def chunks(self) -> Iterator[Chunk]:
        """Read all samples, as ``score`` takes chunks: with targets, or without."""
        for part in self.parts:
            yield from part.chunks()


@dataclass(frozen=True)
class Columns:
    """An array of files or of memory, opened where it is read, and which columns of it."""

    open: Callable[[], Any]
    columns: tuple[int, ...] | None = None

    def slice(self, array: Any, first: int, last: int) -> np.ndarray:
        """Copy some rows."""
        rows = np.asarray(array[first:last])
        if self.columns is None:
            return np.array(rows)
        table = rows[:, None] if rows.ndim == 1 else rows
        low, high = min(self.columns), max(self.columns) + 1
        if self.columns == tuple(range(low, high)):  # neighbours: one copy, no list of places
            return np.array(table[:, low:high])
        return table[:, list(self.columns)]


@dataclass(frozen=True)
class ArrayPart:
    """Rows of arrays that can be sliced: NumPy memory maps, Zarr."""

    inputs: Columns
    targets: Columns | None
    first: int
    last: int
    step: int

    @property
    def count(self) -> int:
        """How many rows."""
        return self.last - self.first

    def chunks(self) -> Iterator[Chunk]:
        arrays = [None if held is None else (held, held.open()) for held in self._held]
        for first in range(self.first, self.last, self.step):
            last = min(first + self.step, self.last)
            x, y = (None if one is None else one[0].slice(one[1], first, last) for one in arrays)
            for one in arrays:
                if one is not None:
                    forget_pages(one[1])
            yield x, y

    @property
    def _held(self) -> tuple[Columns, Columns | None]:
        return self.inputs, self.targets


def array_source(
    inputs: Columns, targets: Columns | None, *, bytes_per_row: int, align: int = 1
) -> Source:
    """Divide arrays into parts of whole chunks of ``align`` rows, as they are stored."""
    shape = inputs.open().shape
    if not shape:
        raise ValueError("expected an array of samples, got one number without axes")
    rows = shape[0]
    if targets is not None and targets.open().shape[:1] != (rows,):
        found = targets.open().shape
        raise ValueError(f"expected as many targets as inputs, {rows}, got shape {found}")
    step = align * max(1, min(CHUNK_BYTES // max(1, bytes_per_row), PART_ROWS) // align)
    size = step * max(1, min(PART_CHUNKS, PART_ROWS // step))
    return Source(
        [ArrayPart(inputs, targets, a, min(a + size, rows), step) for a in range(0, rows, size)]
    )


def row_bytes(array: Any) -> int:
    """Return how many bytes a row takes once it is read."""
    return int(np.prod(array.shape[1:], dtype=np.int64)) * np.dtype(array.dtype).itemsize


def opener_of(array: Any) -> Callable[[], Any]:
    """Return what opens an array again; a mapped file is named, its content not sent."""
    if isinstance(array, np.memmap) and isinstance(array.base, mmap.mmap) and array.filename:
        order = "C" if array.flags.c_contiguous else "F"
        return functools.partial(
            np.memmap, array.filename, array.dtype, "r", array.offset, array.shape, order
        )
    return functools.partial(_same, array)


def _same(array: Any) -> Any:
    return array


def forget_pages(array: Any) -> None:
    """Give back the memory of a mapped file that was read: it would count as ours otherwise."""
    while isinstance(array, np.ndarray):
        array = array.base
    if isinstance(array, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        array.madvise(mmap.MADV_DONTNEED)


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file."""

    path: Path
    group: int
    count: int
    inputs: tuple[str, ...]
    targets: tuple[str, ...]

    def chunks(self) -> Iterator[Chunk]:
        import pyarrow.parquet

        wanted = list(dict.fromkeys(self.inputs + self.targets))
        size = max(1, CHUNK_BYTES // (8 * len(wanted)))
        with pyarrow.parquet.ParquetFile(self.path) as file:
            for batch in file.iter_batches(size, row_groups=[self.group], columns=wanted):
                columns = {n: batch.column(n).to_numpy(zero_copy_only=False) for n in wanted}
                x = np.stack([columns[name] for name in self.inputs], axis=1)
                y = [columns[name] for name in self.targets]
                yield x, (np.stack(y, axis=1) if y else None)


@dataclass(frozen=True)
class DaskPart:
    """A partition of a Dask array or data frame, or of two of them."""

    inputs: Any
    targets: Any
    count: int | None

    def chunks(self) -> Iterator[Chunk]:
        from dask.base import compute

        # In this process and thread: where a part is read is settled already.
        x, y = compute(self.inputs, self.targets, scheduler="synchronous")
        yield x, y


@dataclass(frozen=True)
class HeldPart:
    """Samples that were read already."""

    inputs: Any
    targets: Any

    @property
    def count(self) -> int:
        """How many samples."""
        return len(self.inputs)

    def chunks(self) -> Iterator[Chunk]:
        yield self.inputs, self.targets
