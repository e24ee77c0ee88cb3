"""From a user's data to what is scored: checked, standardized, cut, and what to rearrange."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.measure.data import as_tensor, column_scale, scaled
from learnable_novelty.measure.rearrange import (
    HYPOTHESES,
    Null,
    correlation_time,
    num_shifts,
    phase_randomized,
    row_orders,
    shift_orders,
)
from learnable_novelty.measure.summary import About, num_sign_blocks
from learnable_novelty.measure.windows import Windows
from learnable_novelty.seeds import numpy_generator, split


@dataclass(frozen=True)
class Plan:
    """The prepared data and what will be rearranged."""

    inputs: Tensor
    targets: Tensor
    column_axis: int
    null: Null
    seed: int
    standardization: str
    series: Tensor | None = None
    """The one series that inputs and targets are windows of, as input and as target columns."""
    windows: Windows | None = None
    spacing: int = 1
    """Correlation time of two series: the least circular shift, where twenty fit."""

    @property
    def target_dim(self) -> int:
        """Number of target columns."""
        return self.targets.shape[self.column_axis]

    def orders(self, purpose: str, count: int, num_rows: int) -> Iterator[Tensor]:
        """Yield the orders in which target rows, or residual rows, are rearranged."""
        samples = self.targets.shape[0]
        if self.null.kind == "shifts":
            return iter(shift_orders(num_rows, self.spacing, count))
        space: tuple[int, ...] = (num_rows // samples,)
        if self.null.kind == "translations":
            space = tuple(self.targets.shape[2:])
        kind = "rows" if self.series is not None else self.null.kind
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

    def about(self) -> About:
        """Say what is scored, and against which null."""
        moved, claim = self.hypothesis()
        samples = self.inputs.shape[0]
        return About(samples, self.target_dim, moved, claim, self.standardization, self.seed)

    def hypothesis(self) -> tuple[str, str]:
        """Say what the null moves, and what it claims."""
        moved, claim = HYPOTHESES[self.null.kind]
        if self.null.kind == "shifts":
            rows = self.targets.shape[0]
            step = rows // num_shifts(rows, self.spacing, self.null.count)
            moved += f" of {step} steps and its multiples (correlation time {self.spacing})"
        if self.null.kind == "signs":
            moved = f"{moved} ({num_sign_blocks(self.targets.shape[0])} blocks)"
        return moved, claim


def make_plan(
    inputs: Any,
    targets: Any,
    *,
    window: int | None,
    history: int,
    leads: Sequence[int] | None,
    null: Null,
    seed: int,
    standardize_inputs: bool,
    target_unit: float | str,
    column_axis: int,
) -> Plan:
    """Check, standardize, and cut windows."""
    x = as_tensor(inputs, "inputs")
    y = x if targets is None else as_tensor(targets, "targets")
    if x.shape[0] != y.shape[0]:
        raise UserError(f"expected as many targets as inputs, {x.shape[0]}, got {y.shape[0]}")
    is_series = asks_for_series(window, leads, history)
    if not is_series and targets is None:
        raise UserError(NO_TARGETS)
    axis = 1 if x.ndim == 2 else column_axis
    unit, text = target_scale(y, axis, target_unit)
    y = scaled(y, axis, 0.0, unit)
    if standardize_inputs:
        x = scaled(x, axis, *column_scale(x, axis))
        text = INPUTS_STANDARDIZED + text
    single = is_series and targets is None
    null = replace(null, kind=_kind(null.kind, is_series, single, x.ndim))
    plan = Plan(x, y, axis, null, seed, text)
    return _cut(plan, Windows.of(window, history, leads), single) if is_series else plan


INPUTS_STANDARDIZED = "inputs standardized per column, "
NO_TARGETS = "expected targets, or a window or leads to cut them from a series"


def asks_for_series(window: int | None, leads: Sequence[int] | None, history: int) -> bool:
    """Tell whether rows are time."""
    is_series = window is not None or leads is not None
    if not is_series and history != 1:
        raise UserError("history goes with a window or leads, for a series")
    return is_series


def check_leads(windows: Windows, single: bool) -> None:
    """Raise if one series is to predict its own present."""
    if single and 0 in windows.leads:
        raise UserError("expected leads of at least 1 for one series, got 0")


def _cut(plan: Plan, windows: Windows, single: bool) -> Plan:
    """Turn series into pairs."""
    x, y = plan.inputs, plan.targets
    if x.ndim != 2 or y.ndim != 2:
        raise UserError(f"expected a series (time, columns), got shape {tuple(x.shape)}")
    windows.check(x.shape[0])
    check_leads(windows, single)
    return replace(
        plan,
        inputs=windows.inputs(x),
        targets=windows.targets(y),
        windows=windows,
        series=torch.cat([x, y], dim=1) if single else None,
        spacing=1 if single else max(correlation_time(x), correlation_time(y)),
    )


def target_scale(targets: Tensor, axis: int, unit: float | str) -> tuple[Tensor | float, str]:
    """Return what targets are divided by, one or one per column, and say so in words."""
    posited, text = read_target_unit(unit)
    return (column_scale(targets, axis)[1] if posited is None else posited), text


def read_target_unit(unit: float | str) -> tuple[float | None, str]:
    """Return the unit, None for the deviation of the targets, and how to speak of it."""
    if unit == "sd":
        return None, "targets in units of their own deviation"
    if not isinstance(unit, (int, float)) or isinstance(unit, bool):
        raise UserError(f'target_unit must be "sd" or a positive number, got {unit!r}')
    if not (unit > 0 and math.isfinite(unit)):
        raise UserError(f'target_unit must be "sd" or a positive number, got {unit!r}')
    return float(unit), f"targets in units of {unit:g}"


def _kind(kind: str, is_series: bool, single: bool, axes: int) -> Any:
    """Choose or check what the null rearranges."""
    if single:
        allowed = ["time", "linear"]
    elif is_series:
        allowed = ["shifts", "rows"]
    else:
        allowed = ["rows"] if axes == 2 else ["samples", "translations"]
    allowed.append("signs")
    if kind == "auto":
        return allowed[0]
    if kind not in allowed:
        raise UserError(f"null for this data must be one of {', '.join(allowed)}, got {kind!r}")
    return kind
