"""From partitions of any size to batches of a fixed size, with the rows that windows reach.

A partition of a series is read together with as many rows after it as its last window reaches: no
pair is lost at a border, and none is counted twice. Within it rows are taken in batches of a fixed
size, so that the result does not depend on the chunks that they were stored in.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.data.source import (
    Layout,
    Partition,
    Samples,
    Source,
    joined,
    read,
    read_partition,
)


@dataclass(frozen=True)
class OverlappingPartition:
    """A partition, and those after it that hold the rows its windows reach."""

    start: int
    """The number of its first sample."""
    partition: Partition
    following: tuple[Partition, ...]
    reach: int
    """How many rows after its last sample are read."""

    @property
    def futures(self) -> tuple[Any, ...]:
        """Results on a Dask cluster that its samples are computed from."""
        all_parts = (self.partition, *self.following)
        return tuple(itertools.chain.from_iterable(getattr(p, "futures", ()) for p in all_parts))

    def with_results(self, values: Mapping[Any, Any]) -> OverlappingPartition:
        """Return it with results in the place of futures."""
        first, *rest = (
            cast(Any, part).with_results(values) for part in (self.partition, *self.following)
        )
        return replace(self, partition=first, following=tuple(rest))

    def rows(self, layout: Layout | None) -> Iterator[Samples]:
        """Read its samples, then those that it reaches."""
        yield from read_partition(self.partition, layout)
        left = self.reach
        parts = (read_partition(part, layout) for part in self.following)
        chunks = itertools.chain.from_iterable(parts)
        while left > 0 and (chunk := next(chunks, None)) is not None:
            x, y = chunk
            yield x[:left], None if y is None else y[:left]
            left -= min(left, x.shape[0])

    def batches(self, layout: Layout, size: int) -> Iterator[Samples]:
        """Yield samples, ``size`` at a time, each time with those that windows reach."""
        return regrouped(self.rows(layout), size, self.reach)


def overlapping(
    source: Source,
    layout: Layout,
    reach: int,
    size: int,
    counts: Sequence[int] | None = None,
) -> Iterator[OverlappingPartition]:
    """Yield the partitions of a source with their overlap; those of a stream hold ``size`` samples.

    Args:
        source: what is divided.
        layout: of the chunks.
        reach: how many rows a window goes on after its first one.
        size: of the partitions of a stream.
        counts: how many samples the partitions have, where they do not know it themselves.
    """
    if source.stream is not None:
        for number, (x, y) in enumerate(regrouped(read(source.chunks(), layout), size, reach)):
            yield OverlappingPartition(number * size, MemoryRows(x, y), (), reach)
        return
    start = 0
    known = [part.count or 0 for part in source.partitions] if counts is None else counts
    for number, partition in enumerate(source.partitions):
        last, left = number + 1, reach
        while left > 0 and last < len(known):
            left, last = left - known[last], last + 1
        following = tuple(source.partitions[number + 1 : last])
        yield OverlappingPartition(start, partition, following, reach)
        start += known[number]


def regrouped(chunks: Iterator[Samples], size: int, reach: int) -> Iterator[Samples]:
    """Cut chunks anew: each group holds ``size`` samples and the ``reach`` that follow them.

    The last group is what is left, if it is more than ``reach``.
    """
    waiting: list[Samples] = []
    total = 0
    for chunk in chunks:
        waiting.append(chunk)
        total += chunk[0].shape[0]
        if total < size + reach:
            continue
        x, y = joined(waiting)
        first = 0
        while total - first >= size + reach:
            last = first + size + reach
            yield x[first:last], None if y is None else y[first:last]
            first += size
        waiting, total = [(x[first:], None if y is None else y[first:])], total - first
    if total > reach:
        yield joined(waiting)
