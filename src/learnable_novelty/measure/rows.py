"""All rows of a task in memory, scaled and cut, and what a null rearranges of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.measure.null import (
    Null,
    correlation_time,
    phase_randomized,
    row_orders,
    shift_orders,
)
from learnable_novelty.measure.prepare import Spread
from learnable_novelty.measure.sources.memory import MemoryRows
from learnable_novelty.measure.task import Settings, Task
from learnable_novelty.seeds import numpy_generator, split


@dataclass(frozen=True)
class PreparedRows:
    """Inputs and targets as the observer gets them, and what will be rearranged."""

    inputs: Tensor
    targets: Tensor
    null: Null
    """Of a kind that was chosen."""
    seed: int
    task: Task
    series: Tensor | None
    """The one series that both are cut from, as input and as target columns."""
    spacing: int
    """Correlation time of two series: the least circular shift, where twenty fit."""

    @property
    def num_samples(self) -> int:
        """How many samples, or pairs of a series."""
        return self.inputs.shape[0]

    def orders(self, purpose: str, count: int, num_rows: int) -> Iterator[Tensor]:
        """Yield the orders in which target rows, or residual rows, are rearranged."""
        samples, kind = self.num_samples, self.null.kind
        if kind == "shifts":
            return iter(shift_orders(num_rows, self.spacing, count))
        space: tuple[int, ...] = (num_rows // samples,)
        if kind == "translations":
            space = tuple(self.targets.shape[2:])
        kind = kind if self.series is None else "rows"
        return row_orders(kind, samples, space, count, split(self.seed, purpose))

    def surrogates(self) -> Iterator[tuple[Tensor | None, Tensor]]:
        """Yield surrogate series, each with the order of time steps if it is a mere shuffle."""
        assert self.series is not None
        for index in range(self.null.count):
            generator = numpy_generator(self.seed, "surrogate", self.null.kind, index)
            if self.null.kind == "linear":
                yield None, phase_randomized(self.series, generator)
            else:
                order = torch.from_numpy(generator.permutation(self.series.shape[0]))
                yield order, self.series[order]


def prepare_rows(rows: MemoryRows, task: Task, null: Null, settings: Settings) -> PreparedRows:
    """Scale columns, cut windows, and find how far two series must be shifted."""
    task.num_samples(rows.count)
    inputs = Spread.of(rows.inputs, task.column_axis)
    targets = inputs if rows.targets is None else Spread.of(rows.targets, task.column_axis)
    task = task.in_units(inputs, targets, settings)
    x, y = task.scale(rows.inputs, rows.targets)
    paired = null.kind == "shifts"
    one_series = task.kind == "series" and null.kind != "signs"
    return PreparedRows(
        *task.cut(x, y),
        null=null,
        seed=settings.seed,
        task=task,
        series=torch.cat([x, y], dim=1) if one_series else None,
        spacing=max(correlation_time(x), correlation_time(y)) if paired else 1,
    )
