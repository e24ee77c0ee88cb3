"""Data that is read by chunks: the roots of blocks of samples, partition by partition.

Inputs are standardized per column, so a first pass finds means and deviations, unless they are not
wanted. Everything else is one pass: all draws see a batch of data while it is in memory, and what
is kept of it are the roots of a few dozen blocks per draw.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field

import torch
from torch import Tensor

from learnable_novelty.engine import Parcel, in_order
from learnable_novelty.errors import UserError
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import block_bounds, num_sign_blocks, roots_between, rows_of
from learnable_novelty.measure.prepare import Spread, cut_windows, in_units, scale_columns
from learnable_novelty.measure.sources.base import Source, Stream
from learnable_novelty.measure.sources.batches import OverlappingPartition, overlapping
from learnable_novelty.measure.task import Settings, Task
from learnable_novelty.observer import Observer, Roots

Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do."""
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
    source: Source | Stream,
    task: Task,
    settings: Settings,
    executor: Executor | None,
    progress: Progress,
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
    source: Source | Stream,
    task: Task,
    settings: Settings,
    executor: Executor | None,
    progress: Progress,
) -> _Survey:
    """Find counts, and means and deviations where they are wanted."""
    wanted = settings.standardize_inputs or settings.target_unit == "sd"
    if isinstance(source, Source) and source.count is not None and not wanted:
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
