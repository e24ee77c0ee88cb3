"""From draws to a score: averages, a test, and what is told in words and pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from learnable_novelty.data.source import Source
from learnable_novelty.measure.classes import accuracy_of
from learnable_novelty.measure.draw import Draw, rows_of
from learnable_novelty.measure.held_out import HeldOut, gain_p_value, held_out_share, jackknife
from learnable_novelty.measure.importance import shares
from learnable_novelty.measure.line import paired_difference
from learnable_novelty.measure.null import HYPOTHESES
from learnable_novelty.measure.p_values import combined, p_value, wild_p_value
from learnable_novelty.measure.power import detectable_share
from learnable_novelty.measure.prepare import PreparedRows, share_a_unit
from learnable_novelty.measure.result import Predictions, Score
from learnable_novelty.measure.task import Settings
from learnable_novelty.observer.denoise import FALSE_RATE, Denoised
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs.identity import Identity
from learnable_novelty.observer.summary import Rows
from learnable_novelty.rearrange import Labels
from learnable_novelty.text import printable

MOST_NAMES = 3
"""Columns that are named in a sentence."""
CLASS_UNIT = "classes in units of their common deviation"
LARGEST_UNIT = 1e150
"""Squares of predictions in larger units are no numbers; these are told in deviations."""


def summarize(
    draws: list[Draw],
    observer: Observer,
    settings: Settings,
    num_samples: int,
    null: tuple[str, str],
    units: int | Labels,
) -> Score:
    """Average over draws first, then compare.

    Args:
        draws: one for each reservoir.
        observer: the first of them.
        settings: what was asked for.
        num_samples: how many samples there were.
        null: what it rearranges, and what it claims.
        units: how many blocks of samples are independent of each other, or their numbers.
    """

    def mean(name: str) -> np.ndarray:
        return np.mean([getattr(draw, name) for draw in draws], axis=0)

    bits, null_explained = np.array([draw.bits for draw in draws]), mean("null_explained")
    tested, count = float(mean("tested")), null_explained.size
    held_out = [draw.held_out for draw in draws if draw.held_out is not None]
    share, interval = math.nan, (math.nan, math.nan)
    if held_out:
        share, interval = held_out_share(held_out, units, draws[0].num_rows)
    any_p = None if null[1] == HYPOTHESES["groups"][1] else p_value(null_explained, tested)
    # Noise whose size depends on the inputs is a dependence, and nothing that can be learned.
    mean_p = wild_p_value(mean("mean_null"), float(mean("explained")))
    both = [one for one in (any_p, mean_p) if one is not None]
    if both and held_out and not isinstance(units, int) and null[1] == HYPOTHESES["blocks"][1]:
        both.append(gain_p_value(held_out, units))
    chance = bool(both) and max(both) > max(FALSE_RATE, 1 / (1 + count))
    is_linear = null[1] == HYPOTHESES["linear"][1]
    denoised = [_nothing(draw.denoised) if chance else draw.denoised for draw in draws]
    return Score(
        denoised_bits=float(np.mean([one.bits for one in denoised])),
        denoised_interval=_interval(denoised, held_out),
        directions=float(np.mean([one.directions for one in denoised])),
        root_p_value=combined([draw.denoised.p_value for draw in draws]),
        bits=float(bits.mean()),
        bits_sd=float(bits.std(ddof=1)) if bits.size > 1 else 0.0,
        floor_bits=float(mean("floor").mean()),
        floor_sd=float(mean("floor").std(ddof=1)) if mean("floor").size > 1 else 0.0,
        excess_bits=float(bits.mean() - mean("floor").mean()),
        p_value=any_p if is_linear or not both else max(both),
        dependence_p_value=any_p,
        explained_variance=float(mean("explained")),
        tested_variance=tested,
        held_out_variance=share,
        held_out_interval=interval,
        null_explained_variance=tuple(null_explained.tolist()),
        spectrum=tuple(mean("spectrum").tolist()),
        num_samples=num_samples,
        num_rows=draws[0].num_rows,
        target_dim=draws[0].target_dim,
        draws=len(draws),
        null_count=count,
        rearranged=null[0],
        hypothesis=null[1],
        # The seed of the first draw would say nothing of the others.
        observer=repr(observer).replace(f", seed={observer.reservoir.seed}", ""),
        standardization=settings.standardization,
        seed=settings.seed,
    )


def explained(
    score: Score,
    draws: list[Draw],
    observer: Observer,
    data: PreparedRows,
    source: Source,
) -> Score:
    """Add what is told in words and pictures about rows in memory."""
    settings, rows = data.settings, source.rows
    assert rows is not None
    own = [name for name in data.places if not name.startswith("input ")]
    subject, target = in_words(data.task.kind, score.target_dim, source.target_names, own)
    effects = [draw.effects for draw in draws if draw.effects is not None]
    importance = shares(np.mean(effects, axis=0), data.places) if effects else None
    score = replace(score, subject=subject, target_text=target, importance=importance)
    if share_a_unit(rows) and settings.target_unit == "sd" and not settings.rank:
        inputs = score.standardization.rpartition("targets")[0]
        score = replace(score, standardization=f"{inputs}{CLASS_UNIT}")
    if score.p_value is not None and score.p_value > 0.05:
        score = replace(score, detectable_share=_detectable(observer, data))
    held_out = [draw.held_out for draw in draws if draw.held_out is not None]
    if not held_out or data.inputs.ndim != 2 or held_out[0].predicted is None:
        return score
    whole = HeldOut.mean(held_out)
    score = replace(score, **_beside_line(draws, observer, data, whole))
    score = replace(score, predictions=_predictions(whole, held_out, data))
    if rows.targets is None or settings.windows is not None or settings.rank:
        return score
    unit = torch.as_tensor(data.task.target_unit).double().cpu().numpy()
    assert whole.predicted is not None
    raw = rows.targets.double().cpu().numpy()
    return replace(score, classes=accuracy_of(whole.predicted, raw, unit))


def _beside_line(
    draws: list[Draw], observer: Observer, data: PreparedRows, whole: HeldOut
) -> dict[str, Any]:
    """Score a straight line on the same folds, and test for a bend."""
    assert data.folds is not None
    ridge = Observer(Identity(data.inputs.shape[1]), ridge_penalty="evidence")
    straight = data.folds.errors(ridge, Rows(data.inputs, data.targets))
    share, interval = held_out_share([straight], data.units, data.num_samples)
    beyond, reach = paired_difference(straight, whole, data.units)
    found: dict[str, Any] = {
        "linear_variance": share,
        "linear_interval": interval,
        "bend_variance": beyond,
        "bend_interval": reach,
    }
    if data.line is not None:
        null = np.mean([one.bend_null for one in draws if one.bend_null is not None], axis=0)
        found["bend_p_value"] = wild_p_value(null, float(np.mean([draw.bend for draw in draws])))
        found["line_bits"] = float(np.mean([draw.line_bits for draw in draws]))
    return found


def in_words(
    kind: str, target_dim: int, targets: Sequence[str], inputs: Sequence[str]
) -> tuple[str, str]:
    """Say what explains and what is explained; names may be unknown."""
    if kind == "series":
        named = _listed(inputs)
        return "the past", f"the future of {named}" if named else "the future"
    if kind == "two series":
        return "the past of the first series", _listed(targets) or "the second"
    return "the inputs", _listed(targets) or ("the target" if target_dim == 1 else "the targets")


def _listed(names: Sequence[str]) -> str:
    """Join a few names; those of columns without names are their numbers."""
    if len(names) > MOST_NAMES:
        return ""
    return " and ".join(f"column {one}" if one.isdigit() else printable(one) for one in names)


def _detectable(observer: Observer, data: PreparedRows) -> float | None:
    """Return what a straight line would need to be found; None but for independent rows."""
    if data.null.kind != "rows" or data.task.windows is not None:
        return None
    with torch.no_grad():
        fit = observer.fit(rows_of(observer, data.inputs, data.targets))
    orders = data.moves.orders("null", data.null.drawn, data.num_samples)
    return detectable_share(fit, data.inputs, orders, data.settings.seed)


def _predictions(whole: HeldOut, draws: Sequence[HeldOut], data: PreparedRows) -> Predictions:
    """Return held-out predictions of every sample, in the units of the data for one target."""
    assert whole.predicted is not None
    inputs, targets = (values.double().cpu().numpy() for values in (data.inputs, data.targets))
    unit = torch.as_tensor(data.task.target_unit).double().cpu().numpy()
    is_single = targets.shape[1] == 1 and unit.size == 1 and unit.item() < LARGEST_UNIT
    single = float(unit.item()) if is_single else None
    if inputs.shape[1] == 1 and data.task.input_scale is not None:
        mean, scale = (float(part) for part in data.task.input_scale)
        inputs = inputs * scale + mean
    guesses = np.array([one.predicted for one in draws]) * (single or 1.0)
    return Predictions(
        input=inputs[:, 0] if inputs.shape[1] == 1 else None,
        observed=targets * (single or 1.0),
        predicted=whole.predicted * (single or 1.0),
        draw_variance=guesses.var(axis=0, ddof=1).sum(1) / len(draws) if len(draws) > 1 else None,
        held_out=whole,
        units=data.units,
        in_deviations=single is None,
    )


def _interval(denoised: Sequence[Denoised], held_out: Sequence[HeldOut]) -> tuple[float, float]:
    """Return the interval of denoised bits; a reservoir that found nothing has none of them."""
    bits, told = [one.bits for one in denoised], [one.told for one in held_out]
    if not sum(bits) > 0 or all(one is None for one in told):
        return math.nan, math.nan
    none = np.zeros(next(one.size for one in told if one is not None))
    without = np.mean([none if one is None else one for one in told], axis=0)
    return jackknife(float(np.mean(bits)), without)


def _nothing(denoised: Denoised) -> Denoised:
    """Return the readout of data that have no relation; what is NaN stays so."""
    zero = 0 * denoised.bits
    return replace(denoised, bits=zero, directions=zero, spectrum=denoised.spectrum[:0])
