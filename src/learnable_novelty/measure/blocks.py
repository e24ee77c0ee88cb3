"""Data that is read by chunks: the roots of blocks of samples, partition by partition.

Inputs are standardized per column, so a first pass finds means and deviations, unless they are not
wanted. Everything else is one pass: all draws see a batch of data while it is in memory, and what
is kept of it are the roots of a few dozen blocks per draw. An iterator is read once: how long it is
shows at its end.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field

import torch
from torch import Tensor

from learnable_novelty.data.batches import OverlappingPartition, overlapping, regrouped
from learnable_novelty.data.source import Samples, Source, read
from learnable_novelty.engine import Parcel, Report, in_order
from learnable_novelty.errors import UserError
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import (
    block_bounds,
    num_sign_blocks,
    roots_between,
    rows_of,
)
from learnable_novelty.measure.prepare import (
    SIGN_BLOCKS,
    Spread,
    cut_windows,
    in_units,
    scale_columns,
)
from learnable_novelty.measure.task import Settings, Task
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Roots

STREAM_BATCHES = 4
"""Batches in a partition of a stream."""


@dataclass(frozen=True)
class Blocks:
    """What is kept of data that was read by chunks."""

    observers: list[Observer]
    roots: list[list[Roots]]
    """Of every block, and in it of every observer."""
    num_samples: int


@dataclass
class BlockRoots:
    """Roots of numbered blocks, one for each observer, as they are gathered."""

    roots: dict[int, list[Roots]] = field(default_factory=dict)

    def add(self, number: int, roots: list[Roots]) -> None:
        """Merge roots into those of a block."""
        before = self.roots.get(number)
        if before is not None:
            roots = [a + b for a, b in zip(before, roots, strict=True)]
        self.roots[number] = roots

    def in_order(self) -> list[list[Roots]]:
        """Return the roots of all blocks."""
        return [self.roots[number] for number in sorted(self.roots)]


def gather_blocks(
    source: Source,
    task: Task,
    settings: Settings,
    executor: Executor | None,
    progress: Report,
) -> Blocks:
    """Read all samples, twice where means and deviations are wanted."""
    survey = _survey(source, task, settings, executor, progress)
    if survey.inputs is not None and survey.targets is not None:
        task = in_units(task, survey.inputs, survey.targets, settings)
    samples = task.num_samples(sum(survey.counts))
    observers = draw_observers(settings, task.observer_shape(samples))
    bounds = block_bounds(samples, num_sign_blocks(samples))
    total, done = BlockRoots(), 0
    size = task.batch_size * STREAM_BATCHES
    partitions = overlapping(source, task.layout, task.reach, size, survey.counts)
    parcel = Parcel((task, observers, bounds))
    for count, gathered in in_order(executor, observe, ((one, parcel) for one in partitions)):
        for number, roots in gathered.roots.items():
            total.add(number, roots)
        done += count
        progress(survey.read + min(done, samples), survey.read + samples)
    if done != samples:
        raise UserError(
            f"expected the same samples when they are read again, got {done} after {samples}"
        )
    return Blocks(observers, total.in_order(), samples)


@dataclass(frozen=True)
class _Survey:
    """What the first pass found."""

    counts: list[int]
    """Samples of each partition."""
    inputs: Spread | None = None
    targets: Spread | None = None
    read: int = 0
    """Samples that were read to find it."""


def _survey(
    source: Source,
    task: Task,
    settings: Settings,
    executor: Executor | None,
    progress: Report,
) -> _Survey:
    """Find counts, and means and deviations where they are wanted."""
    wanted = settings.standardize_inputs or settings.target_unit == "sd"
    if source.count is not None and not wanted:
        return _Survey([partition.count or 0 for partition in source.partitions])
    length = source.count or 0
    partitions = overlapping(source, task.layout, 0, task.batch_size * STREAM_BATCHES)
    counts: list[int] = []
    done = 0
    total: tuple[Spread, Spread] | None = None
    for count, spreads in in_order(executor, survey_partition, ((one, task) for one in partitions)):
        counts.append(count)
        done += count
        progress(done, 2 * max(length, done))  # of two passes, each as long as is known
        if spreads is not None:
            total = spreads if total is None else (total[0] + spreads[0], total[1] + spreads[1])
    assert total is not None  # the first samples were seen already
    return _Survey(counts, *total, read=done)


def survey_partition(
    partition: OverlappingPartition, task: Task
) -> tuple[int, tuple[Spread, Spread] | None]:
    """Count the samples of a partition; return the spread of inputs and of targets."""
    count, total = 0, None
    for x, y in partition.batches(task.layout, task.batch_size):
        spread = Spread.of(x, task.column_axis)
        pair = spread, spread if y is None else Spread.of(y, task.column_axis)
        total = pair if total is None else (total[0] + pair[0], total[1] + pair[1])
        count += x.shape[0]
    return count, total


@torch.no_grad()
def roots_of_batch(
    observers: list[Observer], x: Tensor, y: Tensor, cuts: list[int]
) -> list[list[Roots]]:
    """Return the roots of samples between cuts, one for each observer."""
    by_observer = (
        roots_between(observer, rows_of(observer, x, y), x.shape[0], cuts) for observer in observers
    )
    return [list(roots) for roots in zip(*by_observer, strict=True)]


def observe(partition: OverlappingPartition, parcel: Parcel) -> tuple[int, BlockRoots]:
    """Return how many samples a partition has, and the roots of the blocks that it is in."""
    task, observers, bounds = parcel.content
    gathered, first = BlockRoots(), partition.start
    for x, y in partition.batches(task.layout, task.batch_size):
        inputs, targets = cut_windows(task, *scale_columns(task, x, y))
        last = first + inputs.shape[0]
        block = start = bisect.bisect_right(bounds, first) - 1
        cuts = [0]
        while cuts[-1] < last - first:
            # More samples than were counted go to the last block; the count will not agree.
            end = bounds[block + 1] if block + 2 < len(bounds) else last
            cuts.append(min(end, last) - first)
            block += 1
        for number, roots in enumerate(roots_of_batch(observers, inputs, targets, cuts), start):
            gathered.add(number, roots)
        first = last
    return first - partition.start, gathered


def gather_in_one_pass(stream: Source, task: Task, settings: Settings, progress: Report) -> Blocks:
    """Read all samples once.

    Blocks begin small. Whenever there are twice as many as wanted, they are merged two by two. The
    deviation of the targets is found on the way, and divided out of them at the end.
    """
    counter = _Counter(task.column_axis)
    chunks = counter.watch(read(stream.chunks(), task.layout))
    batches = regrouped(chunks, task.batch_size, task.reach)
    head = list(itertools.islice(batches, 2))  # the default width depends on few samples
    known = sum(x.shape[0] - task.reach for x, _ in head)
    observers = draw_observers(settings, task.observer_shape(known))
    gathered, size, done = BlockRoots(), 1, 0
    for x, y in itertools.chain(head, batches):
        inputs, targets = cut_windows(task, *scale_columns(task, x, y))
        count = inputs.shape[0]
        while (done + count - 1) // size >= 2 * SIGN_BLOCKS:
            gathered, size = _merged_by_two(gathered), 2 * size
        cuts = [0, *range(size - done % size, count, size), count]
        for number, roots in enumerate(
            roots_of_batch(observers, inputs, targets, cuts), done // size
        ):
            gathered.add(number, roots)
        done += count
        progress(done, done)
    samples = task.num_samples(counter.count)
    blocks = gathered.in_order()
    if settings.target_unit == "sd":
        unit = counter.target_deviation(task)
        blocks = [[roots.in_units(unit) for roots in block] for block in blocks]
    return Blocks(observers, blocks, samples)


def _merged_by_two(gathered: BlockRoots) -> BlockRoots:
    merged = BlockRoots()
    for number, roots in sorted(gathered.roots.items()):
        merged.add(number // 2, roots)
    return merged


class _Counter:
    """Counts rows, and finds the deviation of the targets, as they pass."""

    def __init__(self, column_axis: int) -> None:
        self.count, self._axis = 0, column_axis
        self._spread: Spread | None = None

    def watch(self, chunks: Iterator[Samples]) -> Iterator[Samples]:
        """Pass chunks on."""
        for x, y in chunks:
            spread = Spread.of(x if y is None else y, self._axis)
            self._spread = spread if self._spread is None else self._spread + spread
            self.count += x.shape[0]
            yield x, y

    def target_deviation(self, task: Task) -> Tensor:
        """Return the deviation of every target column of the readout."""
        assert self._spread is not None
        deviation = self._spread.scale()[1]
        return deviation if task.windows is None else deviation.repeat(len(task.windows.leads))
