"""Data larger than memory, as parts that are read one after the other or side by side.

A part knows where its samples are and reads them in chunks whenever it is asked, here or in another
process: what is sent there is the place, not the data.
"""

from __future__ import annotations

import functools
import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.measure.data import where_in_array
from learnable_novelty.storage import UNREADABLE

Chunk = tuple[Any, Any]
"""Inputs and targets of some samples, as the user's library holds them; targets may be None."""

CHUNK_BYTES = 8 << 20
"""About how much is read at a time."""
PART_CHUNKS, PART_ROWS = 8, 65_536
"""Chunks, and about how many rows, of a part of an array: what one worker takes at a time."""
MOST_PARTS = 100_000
"""Arrays of more rows than so many parts hold are divided into larger ones."""


class Part(Protocol):
    """A stretch of consecutive samples."""

    @property
    def count(self) -> int | None:
        """How many, where that is known before they are read."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Read the samples from the first on."""
        ...

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number of the inputs or of the targets is."""
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
class Opened:
    """A file that is read by chunks, and the names of its columns."""

    source: Source
    input_names: list[str]
    target_names: list[str]


@dataclass(frozen=True)
class Columns:
    """An array of files or of memory, opened where it is read, and which columns of it."""

    open: Callable[[], Any]
    columns: tuple[int, ...] | None = None
    name: str = "the array"

    def slice(self, array: Any, first: int, last: int) -> np.ndarray:
        """Copy some rows.

        Raises:
            ValueError: for chunks of a file that cannot be read.
        """
        try:
            rows = np.asarray(array[first:last])
        except UNREADABLE as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise UserError(
                f"could not read rows {first} to {last} of {self.name}: {reason}"
            ) from None
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

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        held = self.targets if targets and self.targets is not None else self.inputs
        row, column, *rest = index
        column = column if held.columns is None else held.columns[column]
        return f"{where_in_array((self.first + row, column, *rest))} of {held.name}"

    @property
    def _held(self) -> tuple[Columns, Columns | None]:
        return self.inputs, self.targets


def array_source(
    inputs: Columns, targets: Columns | None, *, bytes_per_row: int, align: int = 1
) -> Source:
    """Divide arrays into parts of whole chunks of ``align`` rows, as they are stored."""
    shape = inputs.open().shape
    if not shape:
        raise UserError("expected an array of samples, got one number without axes")
    rows = shape[0]
    if targets is not None and targets.open().shape[:1] != (rows,):
        found = targets.open().shape
        raise UserError(f"expected as many targets as inputs, {rows}, got shape {found}")
    step = align * max(1, min(CHUNK_BYTES // max(1, bytes_per_row), PART_ROWS) // align)
    most = max(1, min(PART_CHUNKS, PART_ROWS // step))
    size = step * max(most, -(-rows // (step * MOST_PARTS)))
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

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        return where_in_array(index)
