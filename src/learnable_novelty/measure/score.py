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

from learnable_novelty._random import Seed, split
from learnable_novelty.measure.data import whole_number
from learnable_novelty.measure.defaults import default_observer
from learnable_novelty.measure.plan import Plan, make_plan
from learnable_novelty.measure.rearrange import Null
from learnable_novelty.measure.result import Score
from learnable_novelty.observer import Moments, Observer, Refit, Rows, merge
from learnable_novelty.observer.penalty import RidgePenalty
from learnable_novelty.observer.readout import residual_bits

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
    ridge_penalty: RidgePenalty | None = None,
    draws: int = 8,
    null: int | str | Null = 99,
    seed: Seed = 0,
    standardize_inputs: bool = True,
    target_unit: float | Literal["sd"] = "sd",
    progress: Progress | None = None,
) -> Score:
    """Measure how much structure a bounded observer learns about targets from inputs.

    Args:
        inputs: (num_samples, columns), a vector, or a data frame; (num_samples, channels, length)
            or (num_samples, channels, height, length) for lattices; with ``window`` or ``leads``
            a series (time, columns). With an observer whose reservoir is ``Recurrent``,
            (num_sequences, time, columns).
        targets: of as many samples. For a series, None makes its own future the target; another
            series of the same length is predicted from this one.
        window: predict the next ``window`` steps of a series.
        history: how many past values of a series make an input.
        leads: predict these lead times instead of ``window``; 0 is the present of a second series.
        observer: the observer; chosen from the shape and reported by default. Its reservoir is
            the first draw, and it is left as it was. Its own ``target_unit`` applies on top of
            the one here.
        ridge_penalty: lambda of the observer that is chosen by default; "evidence" unless given.
        draws: how many reservoirs to average over.
        null: how many rearrangements test the relation (0 for none), a kind of rearrangement such
            as "linear", or a ``Null``. Two series take a multiple of twenty shifts, less one,
            where that many fit.
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
    draws = whole_number("draws", draws, 1)
    root = split(seed, "score") if isinstance(seed, torch.Generator) else int(seed)
    if observer is not None and not isinstance(observer, Observer):
        raise TypeError(f"observer must be an Observer, got {type(observer).__name__}")
    if observer is not None and ridge_penalty is not None:
        raise ValueError("ridge_penalty is for the default observer; the one given has its own")
    plan = make_plan(
        inputs,
        targets,
        window=window,
        history=history,
        leads=leads,
        null=Null.of(null),
        seed=root,
        standardize_inputs=standardize_inputs,
        target_unit=target_unit,
        column_axis=1 if observer is None else observer.reservoir.column_axis,
    )
    observers = _draws(
        observer, "evidence" if ridge_penalty is None else ridge_penalty, plan, draws
    )
    parts: list[_Draw] = []
    for done, drawn in enumerate(observers):
        if progress is not None:
            progress(done, draws)
        parts.append(_measure(drawn, plan))
    if progress is not None:
        progress(draws, draws)
    return _summarize(parts, plan, observers[0])


@dataclass(frozen=True)
class _Draw:
    """What one reservoir saw."""

    bits: float
    leave_out_bits: np.ndarray
    floor: np.ndarray
    null_bits: np.ndarray
    explained: float
    null_explained: np.ndarray
    residual_bits: float | None
    spectrum: np.ndarray
    num_rows: int


def _draws(
    observer: Observer | None, ridge_penalty: RidgePenalty, plan: Plan, draws: int
) -> list[Observer]:
    """Copy the observer once per draw; one that was given keeps its reservoir in the first."""
    template = observer
    if template is None:
        template = default_observer(tuple(plan.inputs.shape), ridge_penalty)
        template.redraw(split(plan.seed, "draw", 0))
    copies = [copy.deepcopy(template) for _ in range(draws)]
    for index, drawn in enumerate(copies[1:], start=1):
        drawn.redraw(split(plan.seed, "draw", index))
    return copies


@torch.no_grad()
def _measure(observer: Observer, plan: Plan) -> _Draw:
    """Score one draw: the fit, the jackknife, the floor and the null."""
    rows = observer.rows(plan.inputs, plan.targets)
    num_rows = rows.features.shape[0]
    refit = Refit.of(observer, rows)
    moves = plan.orders("floor", FLOOR_REPEATS, num_rows)
    floor, _ = refit.rearranged(refit.noise(), moves, same_penalty=True)
    if plan.series is None:
        orders = plan.orders("null", plan.null.count, num_rows)
        null_bits, null_explained = refit.rearranged(refit.targets, orders)
    else:
        null_bits, null_explained = _series_null(observer, plan)
    return _Draw(
        bits=refit.bits(),
        leave_out_bits=_leave_out(observer, rows, plan.inputs.shape[0]),
        floor=floor.cpu().numpy(),
        null_bits=null_bits.cpu().numpy(),
        explained=refit.explained_variance(),
        null_explained=null_explained.cpu().numpy(),
        residual_bits=residual_bits(refit.residual_power(), observer.noise_variance(refit.penalty)),
        spectrum=torch.linalg.svdvals(refit.readout()).cpu().numpy(),
        num_rows=num_rows,
    )


def _series_null(observer: Observer, plan: Plan) -> tuple[Tensor, Tensor]:
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
    pairs = torch.tensor(results, dtype=torch.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


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
    dtype = observer.accumulate_dtype
    parts = [Rows(rows.features[a:b], rows.targets[a:b]).moments(dtype) for a, b in cuts]
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


def _summarize(parts: list[_Draw], plan: Plan, observer: Observer) -> Score:
    """Average over draws first, then compare."""

    def mean(name: str) -> np.ndarray:
        return np.mean([getattr(part, name) for part in parts], axis=0)

    bits = np.array([part.bits for part in parts])
    floor, left_out, null_explained = mean("floor"), mean("leave_out_bits"), mean("null_explained")
    explained, count = float(mean("explained")), null_explained.size
    # Rounding must not decide a tie, such as constant targets give.
    beaten = int((null_explained >= explained - 1e-12).sum())
    bits_se, floor_sd = _jackknife_error(left_out), _deviation(floor)
    rearranged, hypothesis = plan.hypothesis()
    return Score(
        bits=float(bits.mean()),
        bits_sd=_deviation(bits),
        bits_se=bits_se,
        floor_bits=float(floor.mean()),
        floor_sd=floor_sd,
        excess_bits=float(bits.mean() - floor.mean()),
        excess_se=math.hypot(bits_se, floor_sd),
        null_bits=float(mean("null_bits").mean()) if count else None,
        p_value=(1 + beaten) / (1 + count) if count else None,
        explained_variance=explained,
        null_explained_variance=tuple(null_explained.tolist()),
        residual_bits=None if parts[0].residual_bits is None else float(mean("residual_bits")),
        spectrum=tuple(mean("spectrum").tolist()),
        num_samples=plan.inputs.shape[0],
        num_rows=parts[0].num_rows,
        target_dim=plan.target_dim,
        draws=len(parts),
        null_count=count,
        rearranged=rearranged,
        hypothesis=hypothesis,
        # The seed of the first draw would say nothing of the others.
        observer=repr(observer).replace(f", seed={observer.reservoir.seed}", ""),
        standardization=plan.standardization,
        seed=plan.seed,
    )


def _jackknife_error(left_out: np.ndarray) -> float:
    """Return sqrt((B - 1)/B sum (S_b - mean)^2) over B blocks left out."""
    blocks = left_out.size
    return math.sqrt((blocks - 1) / blocks * float(((left_out - left_out.mean()) ** 2).sum()))


def _deviation(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else 0.0
