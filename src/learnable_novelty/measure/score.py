"""The measure: how much learnable structure, and is it more than chance?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.engine import in_order
from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.measure.data import whole_number
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.job import Request
from learnable_novelty.measure.plan import Plan, make_plan
from learnable_novelty.measure.rearrange import Null
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.sources import source_of
from learnable_novelty.measure.streaming import score_source
from learnable_novelty.measure.summary import (
    FLOOR_REPEATS,
    JACKKNIFE_BLOCKS,
    Draw,
    block_bounds,
    leave_out_bits,
    measure_blocks,
    num_sign_blocks,
    summarize,
)
from learnable_novelty.observer import Observer, Refit, Rows
from learnable_novelty.observer.penalty import RidgePenalty
from learnable_novelty.observer.readout import residual_bits
from learnable_novelty.observer.roots import Roots
from learnable_novelty.seeds import Seed, split

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
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Score:
    """Measure how much structure a bounded observer learns about targets from inputs.

    Args:
        inputs: (num_samples, columns), a vector, or a data frame; (num_samples, channels, length)
            or (num_samples, channels, height, length) for lattices; with ``window`` or ``leads``
            a series (time, columns). With an observer whose reservoir is ``Recurrent``,
            (num_sequences, time, columns). Data that does not fit into memory is read by chunks:
            a function or an object that makes iterators over pairs (inputs, targets), or over
            pieces of a series; a NumPy memory map, a Zarr or a Dask array, a Dask data frame; the
            path of a .npy, Parquet or Zarr file, or of a folder of Parquet files. See
            docs/scale.md.
        targets: of as many samples; names of columns, beside a path. For a series, None makes
            its own future the target; another series of the same length is predicted from this
            one.
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
            where that many fit; data that is read by chunks takes random signs.
        seed: of reservoirs and rearrangements.
        standardize_inputs: give every input column zero mean and unit deviation, so that units
            do not matter.
        target_unit: what a target is measured in: "sd", its own deviation, or a number in the
            unit of the data (the paper's u_Y).
        executor: where draws, or the shards of data that is read by chunks, are computed; in
            this process by default. Any ``concurrent.futures.Executor`` of other processes, or
            that of a Dask client.
        progress: called with the number of draws done and to do, or of samples where they are
            read by chunks, those of the first pass counted too.

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
        raise UserTypeError(f"observer must be an Observer, got {type(observer).__name__}")
    if observer is not None and observer.process_group is not None:
        raise UserError("score measures the data of one process: expected no process_group")
    if observer is not None and ridge_penalty is not None:
        raise UserError("ridge_penalty is for the default observer; the one given has its own")
    penalty = "evidence" if ridge_penalty is None else ridge_penalty
    is_series = window is not None or leads is not None
    source = source_of(inputs, targets, is_series=is_series)
    if source is not None:
        return score_source(
            source,
            Request(
                window=window,
                history=history,
                leads=leads,
                observer=observer,
                ridge_penalty=penalty,
                draws=draws,
                null=Null.of(null),
                seed=root,
                standardize_inputs=standardize_inputs,
                target_unit=target_unit,
                executor=executor,
                progress=progress,
            ),
        )
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
    observers = draw_observers(observer, penalty, tuple(plan.inputs.shape), draws, root)
    parts: list[Draw] = []
    if progress is not None:
        progress(0, draws)
    for part in in_order(executor, _measure, ((drawn, plan) for drawn in observers)):
        parts.append(part)
        if progress is not None:
            progress(len(parts), draws)
    return summarize(parts, plan.about(), observers[0])


@torch.no_grad()
def _measure(observer: Observer, plan: Plan) -> Draw:
    """Score one draw: the fit, the jackknife, the floor and the null."""
    rows = observer.rows(plan.inputs, plan.targets)
    num_rows, samples = rows.features.shape[0], plan.inputs.shape[0]
    if plan.null.kind == "signs":
        blocks = _blocks(observer, rows, samples, num_sign_blocks(samples))
        return measure_blocks(observer, blocks, plan.null.count, plan.seed)
    refit = Refit.of(observer, rows)
    moves = plan.orders("floor", FLOOR_REPEATS, num_rows)
    floor, _ = refit.rearranged(refit.noise(), moves, same_penalty=True)
    if plan.series is None:
        orders = plan.orders("null", plan.null.count, num_rows)
        null_bits, null_explained = refit.rearranged(refit.targets, orders)
    else:
        null_bits, null_explained = _series_null(observer, plan)
    return Draw(
        bits=refit.bits(),
        leave_out_bits=_leave_out(observer, rows, samples),
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
        fit = observer.fit(Rows(features, targets))  # the solver of the observed series
        results.append((fit.bits(), fit.explained_variance()))
    pairs = torch.tensor(results, dtype=torch.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _leave_out(observer: Observer, rows: Rows, samples: int) -> np.ndarray:
    """Score the data less one block of samples, for each block."""
    blocks = min(JACKKNIFE_BLOCKS, samples)
    if samples - math.ceil(samples / blocks) < 2:
        return np.full(blocks, math.nan)
    if observer.solver_for(rows) == "gram":
        return leave_out_bits(observer, _blocks(observer, rows, samples, blocks))
    bounds = _row_bounds(rows, samples, blocks)
    cuts = itertools.pairwise(bounds)
    kept = [torch.cat([torch.arange(a), torch.arange(b, bounds[-1])]) for a, b in cuts]
    return np.array(
        [float(observer.bits_of_rows(Rows(rows.features[k], rows.targets[k]))) for k in kept]
    )


def _blocks(observer: Observer, rows: Rows, samples: int, blocks: int) -> list[Roots]:
    """Return the roots of blocks of samples."""
    return [
        Rows(rows.features[a:b], rows.targets[a:b]).roots(observer.accumulate_dtype)
        for a, b in itertools.pairwise(_row_bounds(rows, samples, blocks))
    ]


def _row_bounds(rows: Rows, samples: int, blocks: int) -> list[int]:
    sites = rows.features.shape[0] // samples
    return [bound * sites for bound in block_bounds(samples, blocks)]
