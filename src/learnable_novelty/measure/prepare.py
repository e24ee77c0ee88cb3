"""Columns in common units, windows cut, and what a null rearranges of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.measure.cautions import (
    cautions_of_rows,
    outliers,
    refusal_of_few,
    refusal_of_pair,
)
from learnable_novelty.measure.classes import are_classes
from learnable_novelty.measure.held_out import Folds
from learnable_novelty.measure.importance import place_inputs
from learnable_novelty.measure.null import (
    Null,
    correlation_time,
    row_orders,
    shift_orders,
)
from learnable_novelty.measure.ranks import normal_scores
from learnable_novelty.measure.surrogates import beyond_linear
from learnable_novelty.measure.task import Settings, Task, check_target_unit
from learnable_novelty.observer.checks import check_range
from learnable_novelty.observer.standardize import is_constant
from learnable_novelty.seeds import numpy_generator, split

FEWEST_SIGNS, FEWEST_AT_ONCE, FEWEST_STRETCHES = 199, 32, 20
"""Random signs that test the mean, those that are held at a time, and stretches of two series that
have one each, at least."""
MOST_KEPT = 10_000_000
"""Places in orders that are kept, 80 MB; more of them are drawn again when they are needed."""


@dataclass(frozen=True)
class Spread:
    """Count, means and sums of squared deviations of columns; ``+`` merges (Chan et al.)."""

    count: int
    unit: Tensor
    """Powers of two near the largest values, (columns,): 1e200 and 1e-200 have no squares in
    float64, and division by a power of two does not round."""
    mean: Tensor
    """In these units, (columns,)."""
    power: Tensor
    """Sums of squared deviations in these units, (columns,)."""
    eps: float
    """Rounding unit of the values' own dtype: what "constant" means for them."""

    @staticmethod
    def of(values: Tensor, column_axis: int) -> Spread:
        """Compute it over all axes but that of the columns."""
        columns = values.movedim(column_axis, -1).reshape(-1, values.shape[column_axis]).double()
        exponent = torch.frexp(columns.abs().amax(0)).exponent.clamp(-1000, 1000)
        unit = torch.exp2(exponent.double())
        columns = columns / unit
        mean = columns.mean(0)
        power = (columns - mean).square().sum(0)
        return Spread(columns.shape[0], unit, mean, power, torch.finfo(values.dtype).eps)

    def __add__(self, other: Spread) -> Spread:
        """Merge two disjoint sets of rows."""
        count, unit = self.count + other.count, torch.maximum(self.unit, other.unit)
        mine, theirs = self.unit / unit, other.unit / unit
        share, apart = other.count / count, other.mean * theirs - self.mean * mine
        power = self.power * mine.square() + other.power * theirs.square()
        return Spread(
            count=count,
            unit=unit,
            mean=self.mean * mine + share * apart,
            power=power + self.count * share * apart.square(),
            eps=max(self.eps, other.eps),
        )

    def scale(self) -> tuple[Tensor, Tensor]:
        """Return mean and deviation, 1 for a constant column."""
        variance = self.power / self.count
        constant = is_constant(variance, self.mean, self.eps)
        return self.mean * self.unit, torch.where(constant, 1.0, variance.sqrt() * self.unit)


def column_scale(values: Tensor, column_axis: int) -> tuple[Tensor, Tensor]:
    """Return mean and deviation per column, over all other axes; 1 for a constant column."""
    return Spread.of(values, column_axis).scale()


def scaled(values: Tensor, column_axis: int, mean: Tensor | float, scale: Tensor | float) -> Tensor:
    """Return (values - mean) / scale per column, in the dtype of the values."""
    columns = values.movedim(column_axis, -1).double()
    return ((columns - mean) / scale).to(values.dtype).movedim(-1, column_axis)


def target_scale(targets: Tensor, axis: int, unit: float | str) -> Tensor | float:
    """Return what targets are divided by: one number, or one per column."""
    return column_scale(targets, axis)[1] if unit == "sd" else check_target_unit(unit)


def in_units(task: Task, inputs: Spread, targets: Spread, settings: Settings) -> Task:
    """Return the task with the means and deviations of the data."""
    return replace(
        task,
        input_scale=inputs.scale() if settings.standardize_inputs else None,
        target_unit=targets.scale()[1] if settings.target_unit == "sd" else task.target_unit,
    )


def scale_columns(task: Task, x: Tensor, y: Tensor | None) -> tuple[Tensor, Tensor]:
    """Scale columns and check what becomes of them; without targets the inputs are both."""
    future = scaled(x if y is None else y, task.column_axis, 0.0, task.target_unit)
    past = x if task.input_scale is None else scaled(x, task.column_axis, *task.input_scale)
    check_range("inputs", past)
    check_range("targets", future)
    return past, future


def cut_windows(task: Task, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return inputs and targets of the observer, cut from the scaled columns of a series."""
    if task.windows is None:
        return x, y
    return task.windows.inputs(x), task.windows.targets(y)


@dataclass(frozen=True)
class PreparedRows:
    """Inputs and targets as the observer gets them, and what will be rearranged."""

    inputs: Tensor
    targets: Tensor
    null: Null
    """Of a kind that was chosen."""
    settings: Settings
    task: Task
    series: Tensor | None
    """The one series that both are cut from, as input and as target columns."""
    spacing: int
    """Correlation time of a series, 1 of samples: the least shift of two, where twenty fit."""
    folds: Folds | None
    """For the held-out variance; None where there are too few samples."""
    cautions: list[str]
    """What makes the p-value less than it seems."""
    refusal: str | None
    """Why there is no p-value."""
    places: dict[str, list[int]] = field(default_factory=dict)
    """Which inputs of the observer a named column is; of lattices none."""
    beyond_linear: tuple[Tensor, Tensor] | None = None
    """Inputs, and targets less their linear prediction, of the one series and of its surrogates."""
    _kept: dict[Any, list[Tensor]] = field(default_factory=dict, repr=False)
    """Orders and signs that were drawn: all draws share them."""

    @property
    def num_samples(self) -> int:
        """How many samples, or pairs of a series."""
        return self.inputs.shape[0]

    def orders(self, purpose: str, count: int, num_rows: int) -> Iterator[Tensor]:
        """Yield the orders in which target rows, or residual rows, are rearranged."""
        key = purpose, count
        if key not in self._kept and count * num_rows <= MOST_KEPT:
            self._kept[key] = list(self._drawn(purpose, count, num_rows))
        return iter(self._kept[key] if key in self._kept else self._drawn(purpose, count, num_rows))

    def _drawn(self, purpose: str, count: int, num_rows: int) -> Iterator[Tensor]:
        samples, kind = self.num_samples, self.null.kind
        if kind == "shifts":
            return iter(shift_orders(num_rows, self.spacing, count))
        space: tuple[int, ...] = (num_rows // samples,)
        if kind == "translations":
            space = tuple(self.targets.shape[2:])
        kind = kind if self.series is None else "rows"
        return row_orders(kind, samples, space, count, split(self.settings.seed, purpose))

    def dependent_orders(self, purpose: str, count: int, num_rows: int) -> Iterator[Tensor]:
        """Yield orders that keep the dependence between rows: circular shifts of one series."""
        if self.series is None:
            return self.orders(purpose, count, num_rows)
        return iter(shift_orders(num_rows, 1, count))

    @property
    def num_signs(self) -> int:
        """How many random signs test the mean: no fewer than rearrangements."""
        return max(FEWEST_SIGNS, self.null.drawn)

    def signs(self) -> Iterator[Tensor]:
        """Yield random signs of the samples, or of the steps of a series, (some, steps).

        Stretches as long as the memory of two series share a sign where these are shifted.
        """
        steps, length = self.num_samples + self.task.reach, 1
        if self.null.kind == "shifts":
            length = max(1, min(self.spacing, self.num_samples // FEWEST_STRETCHES))
        if "signs" not in self._kept and self.num_signs * steps <= MOST_KEPT:
            self._kept["signs"] = list(self._drawn_signs(steps, length))
        return iter(self._kept.get("signs") or self._drawn_signs(steps, length))

    def _drawn_signs(self, steps: int, length: int) -> Iterator[Tensor]:
        generator = numpy_generator(self.settings.seed, "signs", "mean")
        size = max(FEWEST_AT_ONCE, MOST_KEPT // steps)
        for start in range(0, self.num_signs, size):
            count = min(size, self.num_signs - start)
            drawn = generator.integers(0, 2, size=(count, -(-steps // length)))
            signs = torch.from_numpy(2.0 * drawn - 1.0)
            yield signs.repeat_interleave(length, dim=1)[:, :steps].to(self.targets.device)

    def shuffles(self) -> Iterator[Tensor]:
        """Yield orders of the time steps of one series."""
        assert self.series is not None
        for generator in _generators(self.settings.seed, self.null):
            yield torch.from_numpy(generator.permutation(self.series.shape[0]))


def _generators(seed: int, null: Null) -> list[np.random.Generator]:
    """Return one generator for each surrogate of one series."""
    return [numpy_generator(seed, "surrogate", null.kind, i) for i in range(null.drawn)]


def prepare_rows(
    rows: MemoryRows,
    task: Task,
    null: Null,
    settings: Settings,
    names: dict[str, slice] | None = None,
) -> PreparedRows:
    """Scale columns, cut windows, and look for what the null does not allow for."""
    task.num_samples(rows.count)
    if settings.rank:
        rows = _ranked(rows, task.column_axis)
    inputs = Spread.of(rows.inputs, task.column_axis)
    targets = inputs if rows.targets is None else Spread.of(rows.targets, task.column_axis)
    task = in_units(task, inputs, targets, settings)
    if settings.target_unit == "sd" and share_a_unit(rows):
        variance = targets.power / targets.count * targets.unit.square()
        task = replace(task, target_unit=variance.mean().sqrt())
    x, y = scale_columns(task, rows.inputs, rows.targets)
    memory = 1 if task.windows is None else max(correlation_time(x), correlation_time(y))
    refusal = _refusal(x, y, null)
    if refusal is not None:
        null = replace(null, count=0)
    gap = None if task.windows is None else task.reach + memory
    past, future = cut_windows(task, x, y)
    one_series = task.kind == "series" and null.kind != "signs"
    linear = None
    if task.windows is not None and null.kind == "linear" and null.drawn:
        linear = beyond_linear(x, task.windows, _generators(settings.seed, null))
    return PreparedRows(
        past,
        future,
        null=null,
        settings=settings,
        task=task,
        series=torch.cat([x, y], dim=1) if one_series else None,
        spacing=memory,
        folds=Folds.of(len(past), gap, numpy_generator(settings.seed, "folds")),
        cautions=_cautions(x, y, task, null),
        refusal=refusal,
        places={} if past.ndim != 2 else place_inputs(names, rows.inputs.shape[1], task.history),
        beyond_linear=linear,
    )


def share_a_unit(rows: MemoryRows) -> bool:
    """Tell whether targets are classes: these have one unit, so that a rare one counts by rows."""
    y = rows.targets
    return y is not None and y.ndim == 2 and y.shape[1] > 1 and are_classes(y.cpu().numpy())


def _ranked(rows: MemoryRows, column_axis: int) -> MemoryRows:
    targets = None if rows.targets is None else normal_scores(rows.targets, column_axis)
    return replace(rows, inputs=normal_scores(rows.inputs, column_axis), targets=targets)


def _refusal(x: Tensor, y: Tensor, null: Null) -> str | None:
    if null.kind == "shifts" and null.drawn:
        return refusal_of_pair(x, y)
    if null.kind in ("rows", "samples", "translations") and null.drawn:
        return refusal_of_few(len(x))
    return None


def _cautions(x: Tensor, y: Tensor, task: Task, null: Null) -> list[str]:
    if not null.drawn or x.ndim != 2:
        return []
    return (
        cautions_of_rows(x, y) if null.kind == "rows" and task.windows is None else outliers(x, y)
    )
