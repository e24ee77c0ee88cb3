"""Columns in common units, windows cut, and what a null rearranges of the rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.data.names import positions
from learnable_novelty.data.reading import read_table
from learnable_novelty.data.source import Source
from learnable_novelty.data.table import Table
from learnable_novelty.errors import UserError
from learnable_novelty.measure.cautions import (
    outliers,
    refusal_of_blocks,
    refusal_of_few,
    refusal_of_groups,
    refusal_of_pair,
    wide,
)
from learnable_novelty.measure.classes import are_classes
from learnable_novelty.measure.dependent_rows import dependent_rows
from learnable_novelty.measure.held_out import Folds
from learnable_novelty.measure.importance import place_inputs
from learnable_novelty.measure.line import Line
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.surrogates import beyond_linear, normal_scores
from learnable_novelty.measure.task import Settings, Task, check_target_unit
from learnable_novelty.observer.checks import check_range
from learnable_novelty.observer.standardize import is_constant
from learnable_novelty.rearrange import Labels, Rearrangements, correlation_time
from learnable_novelty.seeds import numpy_generator

SIGN_BLOCKS = 40
"""Blocks that get a sign each; a multiple of those that are held out."""


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


def columns_in_units(
    rows: MemoryRows, task: Task, settings: Settings
) -> tuple[Task, Tensor, Tensor]:
    """Return the task with the units of these rows, and inputs and targets in them."""
    inputs = Spread.of(rows.inputs, task.column_axis)
    targets = inputs if rows.targets is None else Spread.of(rows.targets, task.column_axis)
    task = in_units(task, inputs, targets, settings)
    if settings.target_unit == "sd" and share_a_unit(rows):
        variance = targets.power / targets.count * targets.unit.square()
        task = replace(task, target_unit=variance.mean().sqrt())
    return task, *scale_columns(task, rows.inputs, rows.targets)


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
    """Correlation time of a series, 1 of samples."""
    folds: Folds | None
    """For the held-out variance; None where there are too few samples."""
    cautions: list[str]
    """What makes the p-value less than it seems."""
    refusal: str | None
    """Why there is no p-value."""
    moves: Rearrangements
    places: dict[str, list[int]] = field(default_factory=dict)
    """Which inputs of the observer a named column is; of lattices none."""
    beyond_linear: tuple[Tensor, Tensor] | None = None
    """Inputs, and targets less their linear prediction, of the one series and of its surrogates."""
    line: Line | None = None
    """Of vectors that are tested."""
    tested_by: str = ""
    """What has a sign each, for the first sentence."""
    decisions: tuple[str, ...] = ()
    """What was seen of the values."""

    @property
    def num_samples(self) -> int:
        """How many samples, or pairs of a series."""
        return self.inputs.shape[0]

    @property
    def sign_starts(self) -> list[int]:
        """Where the signs of the targets at each lead begin: a step of a series has one sign."""
        windows = self.task.windows
        if windows is None or self.moves.groups is not None:
            return [0]
        return [windows.history - 1 + lead for lead in windows.leads]

    @property
    def units(self) -> int | Labels:
        """How many blocks of samples are independent of each other, or their numbers."""
        if self.moves.groups is not None:
            return self.moves.groups
        if self.task.windows is None:
            return self.num_samples
        return max(10, self.num_samples // (4 * (self.spacing + self.task.reach)))

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
    task, x, y = columns_in_units(rows, task, settings)
    memory = 1 if task.windows is None else max(correlation_time(x), correlation_time(y))
    is_table = task.windows is None and x.ndim == 2
    numbers, found = None, None
    if settings.groups is not None:
        numbers = number_groups(settings.groups, rows.count)
    elif null.kind == "rows" and is_table:
        found = dependent_rows(x, y, is_dated=settings.is_dated)
        numbers = None if found is None else found.labels
    if numbers is not None and null.kind != "signs":
        null = replace(null, kind="blocks" if found is not None and found.length else "groups")
    tested_by = "" if numbers is None else f"by {numbers.max() + 1} groups of rows"
    refusal = None if found is None or not null.drawn else found.refusal
    refusal = refusal or _refusal(x, y, null, numbers, is_table=is_table)
    if refusal is not None:
        null = replace(null, count=0)
    if numbers is None or task.windows is None:
        past, future = cut_windows(task, x, y)
    else:
        past, future, numbers = _cut_each(task, x, y, numbers)
    one_series = task.kind == "series" and null.kind in ("time", "linear")
    linear = None
    if task.windows is not None and null.kind == "linear" and null.drawn:
        linear = beyond_linear(x, task.windows, _generators(settings.seed, null))
    gap = None if task.windows is None or numbers is not None else task.reach + memory
    if found is not None and found.length:  # held out in stretches, with a gap on both sides
        gap = found.length
    moves = Rearrangements(
        null.kind,
        len(past),
        settings.seed,
        space=tuple(future.shape[2:]),
        spacing=memory if found is None else max(1, found.length),
        steps=len(past) + task.reach,
        groups=numbers,
    )
    return PreparedRows(
        past,
        future,
        null=null,
        settings=settings,
        task=task,
        series=torch.cat([x, y], dim=1) if one_series else None,
        spacing=memory,
        folds=Folds.of(
            len(past),
            gap,
            numpy_generator(settings.seed, "folds"),
            None if found is not None and found.length else numbers,
        ),
        cautions=[
            *(wide(x) if is_table else []),
            *(outliers(x, y) if null.kind == "signs" and is_table else []),
        ],
        refusal=refusal,
        moves=moves,
        places={} if past.ndim != 2 else place_inputs(names, rows.inputs.shape[1], task.history),
        beyond_linear=linear,
        line=Line.of(past, future) if past.ndim == 2 and null.drawn else None,
        tested_by=tested_by if found is None else found.tested_by,
        decisions=tuple(outliers(x, y)) if is_table and null.kind != "signs" else (),
    )


def split_groups(data: Any, groups: Any) -> tuple[Any, Any]:
    """Take the column of groups out of a table: return what is left, and a label for each row."""
    if not isinstance(groups, str):
        if groups is not None and isinstance(data, Table):
            _check_no_gap(data)
        return data, groups
    table = read_table(data)
    known = [column.name for column in table.columns]
    (place,) = positions(known, [groups], "the table")
    left = replace(table, columns=(*table.columns[:place], *table.columns[place + 1 :]))
    _check_no_gap(left)
    return left, table.columns[place].values


def _check_no_gap(table: Table) -> None:
    """Raise where interpolation would cross from one group to the next."""
    if table.missing == "interpolate" and any(column.missing for column in table.columns):
        raise UserError(
            "expected series without gaps beside groups, because interpolation would cross from "
            "one group to the next: interpolate within each group before"
        )


def labels_of(source: Source, groups: Any) -> NDArray[Any] | None:
    """Return the labels of the rows that were kept of a table."""
    if groups is None:
        return None
    labels, kept = np.asarray(groups), getattr(source, "kept", None)
    return labels if kept is None or labels.size <= len(kept) else labels[kept]


def number_groups(groups: Sequence[Any] | Labels, count: int) -> Labels:
    """Number the groups of rows from 0, or raise unless every row has one."""
    labels = np.asarray(groups)
    if labels.shape != (count,):
        raise UserError(
            f"expected one group for each of {count} rows, got labels of shape {labels.shape}"
        )
    if labels.dtype.kind == "O":
        labels = np.array([None if _is_gap(one) else str(one) for one in labels])
    missing = labels == None if labels.dtype.kind == "O" else labels != labels  # noqa: E711
    if np.any(missing):
        row = int(np.argmax(missing))
        raise UserError(f"expected a group for every row, got none in row {row} (from 0)")
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _is_gap(value: Any) -> bool:
    """Tell None, NaN, NaT, and the NA of pandas, which is not even true or false."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _cut_each(task: Task, x: Tensor, y: Tensor, numbers: Labels) -> tuple[Tensor, Tensor, Labels]:
    """Cut windows from the series of each group."""
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    if len(starts) > numbers.max() + 1:
        raise UserError(
            "expected the steps of each group one after the other, got a group in several places: "
            "sort the rows by group and time"
        )
    pieces = [slice(a, b) for a, b in itertools.pairwise([*starts.tolist(), len(numbers)])]
    assert task.windows is not None
    for piece in pieces:
        task.windows.check(piece.stop - piece.start)
    pairs = [cut_windows(task, x[piece], y[piece]) for piece in pieces]
    of_pairs = [
        np.full(len(past), numbers[p.start]) for (past, _), p in zip(pairs, pieces, strict=True)
    ]
    past, future = (torch.cat(many) for many in zip(*pairs, strict=True))
    return past, future, np.concatenate(of_pairs)


def share_a_unit(rows: MemoryRows) -> bool:
    """Tell whether targets are classes: these have one unit, so that a rare one counts by rows."""
    y = rows.targets
    return y is not None and y.ndim == 2 and y.shape[1] > 1 and are_classes(y.cpu().numpy())


def _ranked(rows: MemoryRows, column_axis: int) -> MemoryRows:
    targets = None if rows.targets is None else normal_scores(rows.targets, column_axis)
    return replace(rows, inputs=normal_scores(rows.inputs, column_axis), targets=targets)


def _refusal(
    x: Tensor, y: Tensor, null: Null, groups: Labels | None, *, is_table: bool
) -> str | None:
    if not null.drawn:
        return None
    if groups is not None:
        return refusal_of_groups(int(groups.max()) + 1)
    if null.kind == "shifts":
        return refusal_of_pair(x, y)
    if null.kind == "signs" and is_table:
        return refusal_of_blocks(x, y, len(x) // SIGN_BLOCKS)
    return refusal_of_few(len(x)) if null.kind in ("rows", "samples", "translations") else None
