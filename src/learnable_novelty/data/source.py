"""What every source of data has in common: partitions of consecutive samples, read in chunks.

A partition knows where its samples are and reads them whenever it is asked, in this process or in
another one: what is sent there is the place, not the data. Data in memory is one partition of one
chunk.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.data.memory import MemoryRows, NotFiniteError, as_chunk, describe_index
from learnable_novelty.errors import UserError

Chunk = tuple[Any, Any]
"""Inputs and targets of some samples, as the user's library has them; targets may be None."""
Samples = tuple[Tensor, Tensor | None]
"""The same as checked tensors."""
TABLE_ROWS = 65_536
"""Of a partition of a table that was read whole."""


class Partition(Protocol):
    """Consecutive samples."""

    @property
    def count(self) -> int | None:
        """How many, where that is known before they are read."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Read the samples, beginning with the first."""
        ...

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number of the inputs or of the targets is."""
        ...


@dataclass(frozen=True)
class Layout:
    """What all chunks have in common."""

    inputs: tuple[int, ...]
    """Axes of an input, without that of the samples."""
    targets: tuple[int, ...] | None
    input_dtype: torch.dtype
    target_dtype: torch.dtype | None

    @staticmethod
    def of(x: Tensor, y: Tensor | None) -> Layout:
        """Take it from a chunk."""
        if y is None:
            return Layout(tuple(x.shape[1:]), None, x.dtype, None)
        return Layout(tuple(x.shape[1:]), tuple(y.shape[1:]), x.dtype, y.dtype)

    def check(self, other: Layout) -> None:
        """Raise unless another chunk has the same layout."""
        if (self.targets is None) != (other.targets is None):
            raise UserError("expected targets in all chunks, or in none")
        for name, shape, got in (
            ("inputs", self.inputs, other.inputs),
            ("targets", self.targets, other.targets),
        ):
            if shape != got:
                raise UserError(
                    f"expected chunks of {name} of one shape, "
                    f"got {_shape(got)} after {_shape(shape)}"
                )
        for name, dtype, got in (
            ("inputs", self.input_dtype, other.input_dtype),
            ("targets", self.target_dtype, other.target_dtype),
        ):
            if dtype != got:
                raise UserError(f"expected {name} of one dtype, got {got} after {dtype}")


def _shape(tail: tuple[int, ...] | None) -> str:
    return f"({', '.join(['samples', *map(str, tail or ())])})"


@dataclass
class Chunks:
    """A partition of chunks that come from an iterator, or from what makes iterators."""

    make: Callable[[], Iterable[Any]]
    again: bool
    """Whether it can be read more than once."""
    count: None = None
    """How many samples there are is not known before they are read."""
    _seen: list[Any] = field(default_factory=list)
    """Chunks that were looked at, where they cannot be read again."""

    def chunks(self) -> Iterator[Chunk]:
        """Yield pairs of inputs and targets."""
        for number, chunk in enumerate(itertools.chain(self._seen, self.make())):
            if isinstance(chunk, (tuple, list)) and len(chunk) == 2:
                yield chunk[0], chunk[1]
            elif isinstance(chunk, (tuple, list)):
                raise UserError(
                    "expected chunks of a series, or pairs (inputs, targets); "
                    f"chunk {number} is a {type(chunk).__name__} of {len(chunk)}"
                )
            else:
                yield chunk, None

    def head(self) -> Iterator[Chunk]:
        """Yield chunks without losing them."""
        seen: list[Chunk] = []
        for chunk in self.chunks():
            seen.append(chunk)
            if not self.again:
                self._seen = seen
            yield chunk

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        return describe_index(index)


@dataclass(frozen=True)
class Source:
    """All samples in order, in partitions that can be read again."""

    partitions: Sequence[Partition]
    row_bytes: int = 0
    """What a sample takes in memory, where that is known."""
    in_memory: bool = False
    """Whether one partition holds all rows in memory, to be scored at once."""
    decisions: tuple[str, ...] = ()
    """What was decided while a table was read, in plain words."""
    input_places: dict[str, slice] | None = None
    """Which columns of the inputs a named column became, where names are known."""
    target_names: tuple[str, ...] = ()
    kept: np.ndarray | None = None
    """Of a table: the numbers of the rows that are left."""
    groups: np.ndarray | None = None
    """Labels of these rows, where a column of the table names groups."""
    is_dated: bool = False
    """Whether they are in the order of a column that dates them."""

    @property
    def count(self) -> int | None:
        """How many samples there are, where that is known before they are read."""
        counts = [part.count for part in self.partitions]
        return None if None in counts else sum(count for count in counts if count is not None)

    @property
    def rows(self) -> MemoryRows | None:
        """All samples, where they are in memory; else None."""
        first = self.partitions[0] if self.in_memory else None
        return first if isinstance(first, MemoryRows) else None

    def chunks(self) -> Iterator[Chunk]:
        """Read all samples, as they are stored."""
        return itertools.chain.from_iterable(part.chunks() for part in self.partitions)

    @property
    def stream(self) -> Chunks | None:
        """What the user's iterator, or function that makes one, yields; else None."""
        first = self.partitions[0] if self.partitions else None
        return first if isinstance(first, Chunks) else None

    @property
    def is_read_once(self) -> bool:
        """Whether it cannot be read again."""
        return self.stream is not None and not self.stream.again

    def layout(self) -> Layout:
        """Look at the first samples, without losing them."""
        for x, y in read_all(self) if self.stream is None else read(self.stream.head()):
            return Layout.of(x, y)
        raise UserError("expected samples, got none")


def read(chunks: Iterator[Chunk], layout: Layout | None = None) -> Iterator[Samples]:
    """Turn chunks into checked tensors of one layout; empty chunks are left out."""
    done = 0
    for inputs, targets in chunks:
        try:
            x = as_chunk(inputs, "inputs")
            y = None if targets is None else as_chunk(targets, "targets")
        except NotFiniteError as error:  # count rows from the first chunk on
            row, *rest = error.index
            raise NotFiniteError(error.name, error.value, (done + row, *rest)) from None
        done += x.shape[0]
        if y is not None and x.shape[0] != y.shape[0]:
            raise UserError(
                f"expected as many targets as inputs in a chunk, {x.shape[0]}, got {y.shape[0]}"
            )
        if x.shape[0] == 0:
            continue
        layout = layout or Layout.of(x, y)
        layout.check(Layout.of(x, y))
        yield x, y


def read_partition(partition: Partition, layout: Layout | None) -> Iterator[Samples]:
    """Read a partition; an error about a number says where in the data it is."""
    if isinstance(partition, MemoryRows):  # checked already
        yield partition.inputs, partition.targets
        return
    try:
        yield from read(partition.chunks(), layout)
    except NotFiniteError as error:
        place = partition.where(error.index, targets=error.name == "targets")
        raise UserError(error.at(place)) from None


def read_all(source: Source) -> Iterator[Samples]:
    """Read all samples; chunks of different layouts are rejected."""
    layout: Layout | None = None
    for partition in source.partitions:
        for x, y in read_partition(partition, layout):
            layout = layout or Layout.of(x, y)
            yield x, y


def table_source(x: Tensor, y: Tensor | None, *, in_memory: bool = False) -> Source:
    """Return checked rows in memory as a source: in partitions, or to be scored at once."""
    size = x[0].nbytes + (0 if y is None else y[0].nbytes)
    rows = max(1, x.shape[0]) if in_memory else TABLE_ROWS
    parts = [
        MemoryRows(x[a : a + rows], None if y is None else y[a : a + rows])
        for a in range(0, x.shape[0], rows)
    ]
    return Source(parts, size, in_memory)


def joined(chunks: Sequence[Samples]) -> Samples:
    """Put chunks behind each other."""
    if len(chunks) == 1:
        return chunks[0]
    targets = [y for _, y in chunks if y is not None]
    return torch.cat([x for x, _ in chunks]), torch.cat(targets) if targets else None
