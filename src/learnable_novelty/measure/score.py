"""The measure: how much learnable structure, and is it more than chance?"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty._random import numpy_generator, split
from learnable_novelty.measure.data import as_tensor, column_scale, scaled
from learnable_novelty.measure.defaults import default_observer
from learnable_novelty.measure.rearrange import (
    HYPOTHESES,
    Null,
    correlation_time,
    phase_randomized,
    row_orders,
    shift_orders,
)
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.windows import Windows
from learnable_novelty.observer import Moments, Observer, Refit, Rows, merge

FLOOR_REPEATS = 16
JACKKNIFE_BLOCKS = 20

Progress = Callable[[int, int], None]


def score(
    inputs: Any,
    targets: Any = None,
    *,
    window: int | None = None,
    history: int = 1,
    leads: Sequence[int] | None = None,
    observer: Observer | None = None,
    draws: int = 8,
    null: int | str | Null = 99,
    seed: int = 0,
    standardize_inputs: bool = True,
    target_unit: float | Literal["sd"] = "sd",
    progress: Progress | None = None,
) -> Score:
    """Measure how much structure a bounded observer learns about targets from inputs.

    Args:
        inputs: (num_samples, columns), a vector, or a data frame; (num_samples, channels, length)
            or (num_samples, channels, height, length) for lattices; with ``window`` or ``leads``
            a series (time, columns).
        targets: of as many samples. For a series, None makes its own future the target; another
            series of the same length is predicted from this one.
        window: predict the next ``window`` steps of a series.
        history: how many past values of a series make an input.
        leads: predict these lead times instead of ``window``; 0 is the present of a second series.
        observer: the observer; chosen from the shape and reported by default. Its reservoir is
            the first draw, and it is left as it was.
        draws: how many reservoirs to average over.
        null: how many rearrangements test the relation (0 for none), a kind of rearrangement such
            as "linear", or a ``Null``.
        seed: of reservoirs and rearrangements.
        standardize_inputs: give every input column zero mean and unit deviation, so that units
            do not matter.
        target_unit: what a target is measured in: "sd", its own deviation, or a number in the
            unit of the data (the paper's u_Y).
        progress: called with the number of draws done and to do.

    Returns:
        A ``Score``.

    >>> x = torch.linspace(-3, 3, 200)
    >>> result = score(x, x.sin(), draws=2, null=19)
    >>> result.p_value, result.excess_bits > 0
    (0.05, True)
    """
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise ValueError(f"draws must be a positive integer, got {draws!r}")
    plan = _plan(
        inputs,
        targets,
        window,
        history,
        leads,
        Null.of(null),
        seed,
        standardize_inputs,
        target_unit,
    )
    observers = _draws(observer, plan.inputs, draws, seed)
    parts: list[_Draw] = []
    for done, drawn in enumerate(observers):
        if progress is not None:
            progress(done, draws)
        parts.append(_measure(drawn, plan))
    if progress is not None:
        progress(draws, draws)
    return _summarize(parts, plan, observers[0], draws)


@dataclass(frozen=True)
class _Plan:
    """The prepared data and what will be rearranged."""

    inputs: Tensor
    targets: Tensor
    kind: str
    count: int
    seed: int
    standardization: str
    series: Tensor | None = None
    """The one series that inputs and targets are windows of."""
    windows: Windows | None = None
    spacing: int = 1
    """Least circular shift between two series."""

    def orders(self, purpose: str, count: int) -> Iterator[Tensor]:
        """Yield the orders in which target rows (or residual rows) are rearranged."""
        samples, space = self.targets.shape[0], tuple(self.targets.shape[2:])
        if self.kind == "shifts":
            return iter(shift_orders(samples, self.spacing, count))
        kind = "rows" if self.kind in ("time", "linear") else self.kind
        return row_orders(kind, samples, space, count, split(self.seed, purpose))

    def surrogates(self) -> Iterator[tuple[Tensor | None, Tensor]]:
        """Yield surrogate series, each with the order of time steps if it is a mere shuffle."""
        assert self.series is not None
        for index in range(self.count):
            generator = numpy_generator(self.seed, "surrogate", self.kind, index)
            if self.kind == "linear":
                yield None, phase_randomized(self.series, generator)
            else:
                order = torch.from_numpy(generator.permutation(self.series.shape[0]))
                yield order, self.series[order]


@dataclass(frozen=True)
class _Draw:
    """What one reservoir saw."""

    bits: float
    leave_out_bits: np.ndarray
    floor: np.ndarray
    null_bits: np.ndarray
    explained: float
    null_explained: np.ndarray
    residual_bits: float
    spectrum: np.ndarray
    num_rows: int


def _plan(
    inputs: Any,
    targets: Any,
    window: int | None,
    history: int,
    leads: Sequence[int] | None,
    null: Null,
    seed: int,
    standardize_inputs: bool,
    target_unit: float | str,
) -> _Plan:
    """Check, standardize, and cut windows."""
    x = as_tensor(inputs, "inputs")
    y = None if targets is None else as_tensor(targets, "targets")
    if y is not None and x.shape[0] != y.shape[0]:
        raise ValueError(f"expected as many targets as inputs, {x.shape[0]}, got {y.shape[0]}")
    is_series = window is not None or leads is not None
    if not is_series and y is None:
        raise ValueError("expected targets, or a window or leads to cut them from a series")
    if not is_series and history != 1:
        raise ValueError("history goes with a window or leads, for a series")
    text: list[str] = []
    y = x if y is None else y
    unit, unit_text = _target_unit(y, target_unit)
    y = scaled(y, 1, 0.0, unit)
    if standardize_inputs:
        x = scaled(x, 1, *column_scale(x, 1))
        text.append("inputs standardized per column")
    text.append(unit_text)
    single = is_series and targets is None
    kind = _kind(null.kind, is_series, single, x.ndim)
    common: dict[str, Any] = {
        "kind": kind,
        "count": null.count,
        "seed": seed,
        "standardization": ", ".join(text),
    }
    if not is_series:
        return _Plan(x, y, **common)
    if x.ndim != 2 or y.ndim != 2:
        raise ValueError(f"expected a series (time, columns), got shape {tuple(x.shape)}")
    windows = Windows.of(window, history, leads)
    windows.check(x.shape[0])
    if single and 0 in windows.leads:
        raise ValueError("expected leads of at least 1 for one series, got 0")
    if single:
        joint = torch.cat([x, y], dim=1)
        common |= {"series": joint}
    else:
        common |= {"spacing": max(correlation_time(x), correlation_time(y))}
    return _Plan(windows.inputs(x), windows.targets(y), windows=windows, **common)


def _target_unit(targets: Tensor, unit: float | str) -> tuple[Tensor | float, str]:
    if unit == "sd":
        return column_scale(targets, 1)[1], "targets in units of their own deviation"
    if isinstance(unit, (bool, str)) or not (unit > 0 and math.isfinite(unit)):
        raise ValueError(f'target_unit must be "sd" or a positive number, got {unit!r}')
    return float(unit), f"targets in units of {unit:g}"


def _kind(kind: str, is_series: bool, single: bool, axes: int) -> str:
    """Choose or check what the null rearranges."""
    if kind == "auto":
        if is_series:
            return "time" if single else "shifts"
        return "rows" if axes == 2 else "samples"
    allowed = (
        {"time", "linear"}
        if single
        else {"shifts", "rows"}
        if is_series
        else {"rows"}
        if axes == 2
        else {"samples", "translations"}
    )
    if kind not in allowed:
        raise ValueError(f"null for this data must be one of {sorted(allowed)}, got {kind!r}")
    return kind


def _draws(observer: Observer | None, inputs: Tensor, draws: int, seed: int) -> list[Observer]:
    """Copy the observer once per draw; the first keeps the reservoir it was given."""
    given = observer is not None
    template = observer if given else default_observer(tuple(inputs.shape))
    copies = [copy.deepcopy(template) for _ in range(draws)]
    for index, drawn in enumerate(copies):
        if index > 0 or not given:
            drawn.redraw(split(seed, "draw", index))
    return copies


@torch.no_grad()
def _measure(observer: Observer, plan: _Plan) -> _Draw:
    """Score one draw: the fit, the jackknife, the floor and the null."""
    rows = observer.rows(plan.inputs, plan.targets)
    refit = Refit.of(observer, rows)
    moves = plan.orders("floor", FLOOR_REPEATS)
    floor, _ = refit.rearranged(refit.noise(), moves, same_penalty=True)
    if plan.series is None:
        null_bits, null_explained = refit.rearranged(refit.targets, plan.orders("null", plan.count))
    else:
        null_bits, null_explained = _series_null(observer, plan)
    variance = refit.penalty / (2 * observer.code_scale * observer.resolution)
    return _Draw(
        bits=refit.bits(),
        leave_out_bits=_leave_out(observer, rows, plan.inputs.shape[0]),
        floor=floor.numpy(),
        null_bits=null_bits.numpy(),
        explained=refit.explained_variance(),
        null_explained=null_explained.numpy(),
        residual_bits=refit.residual_power() / (2 * variance * math.log(2)),
        spectrum=torch.linalg.svdvals(refit.readout()).numpy(),
        num_rows=rows.features.shape[0],
    )


def _series_null(observer: Observer, plan: _Plan) -> tuple[Tensor, Tensor]:
    """Score surrogates of one series: inputs and targets change together."""
    assert plan.series is not None and plan.windows is not None
    dims = plan.series.shape[1] // 2
    reservoir, windows = observer.reservoir, plan.windows
    # With a history of one, a shuffle reorders inputs that were all seen before.
    table = reservoir(plan.series[:, :dims]) if windows.history == 1 else None
    results: list[tuple[float, float]] = []
    for order, surrogate in plan.surrogates():
        targets = windows.targets(surrogate[:, dims:])
        if table is not None and order is not None:
            features = table[order[: targets.shape[0]]]
        else:
            features = reservoir(windows.inputs(surrogate[:, :dims]))
        results.append(observer.bits_and_variance(Rows(features, targets)))
    table_of = torch.tensor(results, dtype=torch.float64).reshape(-1, 2)
    return table_of[:, 0], table_of[:, 1]


def _leave_out(observer: Observer, rows: Rows, samples: int) -> np.ndarray:
    """Score the data less one block of samples, for each block."""
    blocks = min(JACKKNIFE_BLOCKS, samples)
    sites = rows.features.shape[0] // samples
    bounds = [round(i * samples / blocks) * sites for i in range(blocks + 1)]
    cuts = list(itertools.pairwise(bounds))
    if samples - math.ceil(samples / blocks) < 2:
        return np.full(blocks, math.nan)
    if observer.solver_for(rows) != "cholesky":
        kept = [torch.cat([torch.arange(a), torch.arange(b, bounds[-1])]) for a, b in cuts]
        return np.array(
            [float(observer.bits_of_rows(Rows(rows.features[k], rows.targets[k]))) for k in kept]
        )
    parts = [Moments.of(rows.features[a:b], rows.targets[a:b]) for a, b in cuts]
    return np.array([float(observer.bits(rest)) for rest in all_but_one(parts)])


def all_but_one(parts: list[Moments]) -> Iterator[Moments]:
    """Merge all moments but one, for each one, from running merges of both sides."""
    after: list[Moments | None] = [None]
    for part in reversed(parts[1:]):
        held = after[0]
        after.insert(0, part if held is None else part + held)
    before: Moments | None = None
    for part, rest in zip(parts, after, strict=True):
        yield merge(side for side in (before, rest) if side is not None)
        before = part if before is None else before + part


def _summarize(parts: list[_Draw], plan: _Plan, observer: Observer, draws: int) -> Score:
    """Average over draws first, then compare."""
    bits = np.array([part.bits for part in parts])
    floor = np.mean([part.floor for part in parts], axis=0)
    null_bits = np.mean([part.null_bits for part in parts], axis=0)
    null_explained = np.mean([part.null_explained for part in parts], axis=0)
    explained = float(np.mean([part.explained for part in parts]))
    left_out = np.mean([part.leave_out_bits for part in parts], axis=0)
    blocks = left_out.size
    bits_se = math.sqrt((blocks - 1) / blocks * float(((left_out - left_out.mean()) ** 2).sum()))
    floor_sd = float(floor.std(ddof=1)) if floor.size > 1 else 0.0
    count = null_explained.size
    # Rounding must not decide a tie, such as constant targets give.
    beaten = int((null_explained >= explained - 1e-12).sum())
    rearranged, hypothesis = HYPOTHESES[plan.kind]
    return Score(
        bits=float(bits.mean()),
        bits_sd=float(bits.std(ddof=1)) if draws > 1 else 0.0,
        bits_se=bits_se,
        floor_bits=float(floor.mean()),
        floor_sd=floor_sd,
        excess_bits=float(bits.mean() - floor.mean()),
        excess_se=math.hypot(bits_se, floor_sd),
        null_bits=float(null_bits.mean()) if count else None,
        p_value=(1 + beaten) / (1 + count) if count else None,
        explained_variance=explained,
        null_explained_variance=tuple(null_explained.tolist()),
        residual_bits=float(np.mean([part.residual_bits for part in parts])),
        spectrum=tuple(np.mean([part.spectrum for part in parts], axis=0).tolist()),
        num_samples=plan.inputs.shape[0],
        num_rows=parts[0].num_rows,
        target_dim=plan.targets.shape[1],
        draws=draws,
        null_count=count,
        rearranged=rearranged,
        hypothesis=hypothesis,
        observer=_describe(observer),
        standardization=plan.standardization,
        seed=plan.seed,
    )


def _describe(observer: Observer) -> str:
    text = repr(observer)
    seed = f", seed={observer.reservoir.seed}"
    return text.replace(seed, "")
