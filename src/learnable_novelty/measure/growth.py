"""An observer that grows on one part of the data and is judged on the other.

Given the part that it grew on, the observer is fixed: permutations of the other part test it as
they test any observer, and nothing has to be grown again for them. Where nothing has grown, all of
the data are scored by the frozen observer, to the last digit. Its size is then at most the nominal
one times 1 + P(growth on noise).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import torch

from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.data.source import (
    Chunk,
    Partition,
    Samples,
    Source,
    Stream,
    joined,
    read_all,
    read_partition,
)
from learnable_novelty.errors import UserError
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.importance import Importance, shares
from learnable_novelty.measure.null import Null, choose_kind
from learnable_novelty.measure.prepare import PreparedRows, prepare_rows
from learnable_novelty.measure.task import Settings, Task
from learnable_novelty.observer.growing.growth import Growing, Growth, Step
from learnable_novelty.seeds import split, torch_generator

MOST_SAMPLES = 65_536
"""Samples that an observer grows on at most."""
FEWEST_SAMPLES = 80
MOST_FEATURES = 512


@dataclass(frozen=True)
class Grown:
    """What is scored, by which observer, and how it came about."""

    source: Source | Stream
    settings: Settings
    profile: tuple[Step, ...]
    focus: Importance | None
    """The diagonal of M, by the names of the inputs; None where nothing is focused."""
    decision: str


def grow_on_one_part(
    source: Source | Stream, settings: Settings, growing: Growing | Literal["growing"]
) -> Grown:
    """Grow on up to half of the samples; return the others, and the observer that judges them."""
    task = Task.of(source.layout(), settings)
    part, others, total = _divided(source, task, settings.seed)
    kind = choose_kind("auto", task.kind, in_memory=True)
    names = source.input_places
    data = prepare_rows(part, task, Null(0, kind), settings, names)
    if growing == "growing":
        growing = default_growing(settings, (task.num_samples(total), *data.inputs.shape[1:]))
    growth = growing.grow(
        data.inputs,
        data.targets,
        ordered=task.windows is not None,
        seed=split(settings.seed, "grow"),
    )
    if not growth.has_grown:
        decision = f"not grown: no step on {part.count} samples shortened the description"
        return Grown(source, settings, growth.steps, None, decision)
    judged = replace(settings, observer=growth.observer, ridge_penalty=None, resolution=None)
    decision = f"grown on {part.count} of {total} samples; the others are judged"
    return Grown(others, judged, growth.steps, _focus(growth, data), decision)


def default_growing(settings: Settings, shape: tuple[int, ...]) -> Growing:
    """Start from the first draw of the observer that these inputs get."""
    frozen = draw_observers(replace(settings, draws=1), shape)[0]
    return Growing(
        frozen.reservoir,
        ridge_penalty=frozen.ridge_penalty,
        resolution=frozen.resolution,
        most_features=max(MOST_FEATURES, frozen.reservoir.feature_dim),
    )


def _focus(growth: Growth, data: PreparedRows) -> Importance | None:
    """Name the diagonal of M; of lattices, whose windows have no names, None."""
    if growth.importance is None or data.inputs.ndim != 2:
        return None
    each = growth.importance.cpu().numpy()
    return shares(torch.tensor([each[p].sum() for p in data.places.values()]).numpy(), data.places)


def _divided(
    source: Source | Stream, task: Task, seed: int
) -> tuple[MemoryRows, Source | Stream, int]:
    """Return samples to grow on, the others, and how many there are of both."""
    if isinstance(source, Stream) and not source.again:
        raise UserError(
            "expected data that can be read twice, to grow on one part and judge the other, got an "
            "iterator: pass a function that makes one"
        )
    if isinstance(source, Source) and source.rows is not None:
        return _divided_memory(source, source.rows, task, seed)
    return _divided_chunks(source, task)


def _divided_memory(
    source: Source, rows: MemoryRows, task: Task, seed: int
) -> tuple[MemoryRows, Source, int]:
    count = rows.count
    _check_count(count)
    size = min(count // 2, MOST_SAMPLES)
    order = torch.arange(count)
    if task.windows is None:
        order = torch.randperm(count, generator=torch_generator(seed, "grow", "part"))
    both = [part.sort().values.to(rows.inputs.device) for part in order.tensor_split([size])]
    y = rows.targets
    parts = [MemoryRows(rows.inputs[p], None if y is None else y[p]) for p in both]
    return parts[0], replace(source, partitions=[parts[1]]), count


def _check_count(count: int) -> None:
    if count < FEWEST_SAMPLES:
        raise UserError(
            f"expected at least {FEWEST_SAMPLES} samples to grow on one half and judge the other, "
            f"got {count}"
        )


def _divided_chunks(source: Source | Stream, task: Task) -> tuple[MemoryRows, Source | Stream, int]:
    """Take every k-th sample to grow on; of a series its first steps."""
    count = source.count
    if count is None:
        count = sum(len(x) for x, _ in read_all(source))
    _check_count(count)
    size = min(count // 2, MOST_SAMPLES)
    stride = None if task.windows is not None else -(-count // size)
    rule = _Others(stride, size)
    part = MemoryRows(*joined(list(rule.split(read_all(source), 0, judged=False))))
    if isinstance(source, Stream):
        make = functools.partial(_others_of_stream, source, rule)
        return part, Stream(make, again=True, decisions=source.decisions), count
    partitions: list[Partition] = []
    start = 0
    for one in source.partitions:
        partitions.append(_OtherSamples(one, rule, start))
        start += one.count or sum(len(x) for x, _ in read_partition(one, None))
    return part, replace(source, partitions=partitions), count


@dataclass(frozen=True)
class _Others:
    """Which samples are judged: all but every k-th, or all after the first ones."""

    stride: int | None
    size: int

    def split(self, chunks: Iterator[Samples], start: int, *, judged: bool) -> Iterator[Samples]:
        """Yield those samples that are judged, or the others; the first of all has number start."""
        for x, y in chunks:
            place = torch.arange(start, start + len(x), device=x.device)
            start += len(x)
            grows = place < self.size if self.stride is None else place % self.stride == 0
            kept = ~grows if judged else grows
            if bool(kept.any()):
                yield x[kept], None if y is None else y[kept]

    def num_judged(self, start: int, end: int) -> int:
        """Return how many samples are judged among those from start to end."""
        if self.stride is None:
            return max(end, self.size) - max(start, self.size)
        return end - start - (-(-end // self.stride) - -(-start // self.stride))


def _others_of_stream(stream: Stream, rule: _Others) -> Iterator[Chunk]:
    for x, y in rule.split(read_all(stream), 0, judged=True):
        yield (x, y) if y is not None else cast(Any, x)


@dataclass(frozen=True)
class _OtherSamples:
    """The samples of a partition that are judged."""

    partition: Partition
    rule: _Others
    start: int
    """The number of its first sample."""

    @property
    def count(self) -> int | None:
        """How many are left."""
        whole = self.partition.count
        return None if whole is None else self.rule.num_judged(self.start, self.start + whole)

    def chunks(self) -> Iterator[Chunk]:
        return self.rule.split(read_partition(self.partition, None), self.start, judged=True)

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        return self.partition.where(index, targets=targets)

    @property
    def futures(self) -> tuple[Any, ...]:
        """Results on a Dask cluster that its samples are computed from."""
        return tuple(getattr(self.partition, "futures", ()))

    def with_results(self, values: Mapping[Any, Any]) -> _OtherSamples:
        """Return it with results in the place of futures."""
        return replace(self, partition=cast(Any, self.partition).with_results(values))
