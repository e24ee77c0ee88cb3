"""Arrays that can be sliced, as memory maps and Zarr arrays can, in partitions of their rows."""

from __future__ import annotations

import functools
import math
import mmap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.data.memory import describe_index
from learnable_novelty.data.source import Chunk, Source
from learnable_novelty.errors import UserError
from learnable_novelty.storage import UNREADABLE

CHUNK_BYTES = 8 << 20
"""About how much is read at a time."""
PARTITION_CHUNKS, PARTITION_ROWS = 8, 65_536
"""Chunks, and about how many rows, of a partition: what one worker takes at a time."""
MOST_PARTITIONS = 100_000
"""Arrays of more rows than so many partitions hold are divided into larger ones."""


@dataclass(frozen=True)
class ArrayColumns:
    """Columns of an array, or several arrays side by side; they are opened where they are read."""

    open: tuple[Callable[[], Any], ...]
    columns: tuple[int, ...] | None = None
    """Of one array; all by default."""
    name: str = "the array"

    def copy_rows(self, arrays: list[Any], first: int, last: int) -> np.ndarray:
        """Copy some rows.

        Raises:
            UserError: for chunks of a file that cannot be read.
        """
        try:
            parts = [np.asarray(array[first:last]) for array in arrays]
        except UNREADABLE as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise UserError(
                f"could not read rows {first} to {last} of {self.name}: {reason}"
            ) from None
        rows = parts[0] if len(parts) == 1 else np.column_stack(parts)
        if self.columns is None:
            return np.array(rows)
        table = rows[:, None] if rows.ndim == 1 else rows
        low, high = min(self.columns), max(self.columns) + 1
        if self.columns == tuple(range(low, high)):  # neighbours: one copy, no list of places
            return np.array(table[:, low:high])
        return table[:, list(self.columns)]


@dataclass(frozen=True)
class ArrayRows:
    """Rows of arrays that can be sliced."""

    inputs: ArrayColumns
    targets: ArrayColumns | None
    first: int
    last: int
    step: int
    """How many rows are read at a time."""

    @property
    def count(self) -> int:
        """How many rows."""
        return self.last - self.first

    def chunks(self) -> Iterator[Chunk]:
        sides = [one for one in (self.inputs, self.targets) if one is not None]
        opened = [(side, [open_again() for open_again in side.open]) for side in sides]
        for first in range(self.first, self.last, self.step):
            last = min(first + self.step, self.last)
            rows = [side.copy_rows(arrays, first, last) for side, arrays in opened]
            for _, arrays in opened:
                for array in arrays:
                    release_pages(array)
            yield rows[0], rows[1] if self.targets is not None else None

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        chosen = self.targets if targets and self.targets is not None else self.inputs
        row, column, *rest = index
        column = column if chosen.columns is None else chosen.columns[column]
        return f"{describe_index((self.first + row, column, *rest))} of {chosen.name}"


def array_source(inputs: ArrayColumns, targets: ArrayColumns | None) -> Source:
    """Divide arrays into partitions of whole chunks, as they are stored.

    Raises:
        UserError: for arrays without rows, or of different numbers of them.
    """
    chosen = [one for one in (inputs, targets) if one is not None]
    sides = [[open_again() for open_again in one.open] for one in chosen]
    arrays = [array for side in sides for array in side]
    if not arrays[0].shape:
        raise UserError("expected an array of samples, got one number without axes")
    rows = arrays[0].shape[0]
    for side in sides:
        flat = len(side) == 1 or all(len(array.shape) < 3 for array in side)
        if not flat or any(array.shape[:1] != side[0].shape[:1] for array in side):
            shapes = ", ".join(str(array.shape) for array in side)
            raise UserError(
                f"expected arrays of equally many rows to put side by side, got {shapes}"
            )
    if arrays[-1].shape[:1] != (rows,):
        raise UserError(f"expected as many targets as inputs, {rows}, got {arrays[-1].shape}")
    sizes = [sum(math.prod(a.shape[1:]) * np.dtype(a.dtype).itemsize for a in s) for s in sides]
    align = max([stored[0] for a in arrays if (stored := getattr(a, "chunks", None))], default=1)
    step = align * max(1, min(CHUNK_BYTES // max(1, sum(sizes)), PARTITION_ROWS) // align)
    most = max(1, min(PARTITION_CHUNKS, PARTITION_ROWS // step))
    size = step * max(most, -(-rows // (step * MOST_PARTITIONS)))
    kept = (
        whole if one.columns is None else whole // math.prod(s[0].shape[1:2]) * len(one.columns)
        for one, s, whole in zip(chosen, sides, sizes, strict=True)
    )
    return Source(
        [ArrayRows(inputs, targets, a, min(a + size, rows), step) for a in range(0, rows, size)],
        sum(kept),
    )


def opener(array: Any) -> Callable[[], Any]:
    """Return what opens an array again: of a mapped file its name is sent, not its content."""
    if isinstance(array, np.memmap) and isinstance(array.base, mmap.mmap) and array.filename:
        order = "C" if array.flags.c_contiguous else "F"
        return functools.partial(
            np.memmap, array.filename, array.dtype, "r", array.offset, array.shape, order
        )
    return functools.partial(itself, array)


def itself(data: Any) -> Any:
    """Return what is given: an opener that can be sent to other processes."""
    return data


def release_pages(array: Any) -> None:
    """Give back the memory of a mapped file that was read: it would count as ours otherwise."""
    while isinstance(array, np.ndarray):
        array = array.base
    if isinstance(array, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        array.madvise(mmap.MADV_DONTNEED)
