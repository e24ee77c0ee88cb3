"""From draws to a score: averages, a test, and what is told in words and pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.data.source import Source, Stream
from learnable_novelty.measure.classes import accuracy_of
from learnable_novelty.measure.draw import Draw, rows_of
from learnable_novelty.measure.held_out import held_out_share
from learnable_novelty.measure.importance import shares
from learnable_novelty.measure.null import HYPOTHESES
from learnable_novelty.measure.p_values import p_value
from learnable_novelty.measure.power import detectable_share
from learnable_novelty.measure.prepare import PreparedRows, share_a_unit
from learnable_novelty.measure.rearrange import Labels
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.task import Settings
from learnable_novelty.observer.denoise import FALSE_RATE, Denoised
from learnable_novelty.observer.observer import Observer
from learnable_novelty.text import printable

MOST_NAMES = 3
"""Columns that are named in a sentence."""
CLASS_UNIT = "classes in units of their common deviation"
CURVE_SAMPLES = 20_000
"""Samples that a learning curve is made of at most."""
MOST_POINTS = 2_000
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Points:
    """At most 2,000 samples."""

    input: Array | None
    """The input, where there is one column of it, (num_points,)."""
    observed: Array
    """Targets, (num_points,)."""
    predicted: Array
    """By readouts that have not seen the sample, (num_points,)."""
    in_deviations: bool
    """Whether targets are in units of their deviation: several of them are drawn together."""

    @staticmethod
    def of(inputs: Array, targets: Array, predicted: Array, unit: float | None) -> Points:
        """Choose points evenly among samples.

        Args:
            inputs: (num_samples, columns).
            targets: (num_samples, target_dim), in deviations.
            predicted: of the same shape.
            unit: the deviation of a single target; None for several.
        """
        step = max(1, -(-targets.size // MOST_POINTS))
        chosen = np.arange(0, targets.size, step)
        alone = inputs.shape[1] == 1
        x = np.repeat(inputs[:, 0], targets.shape[1])[chosen] if alone else None
        scale = 1.0 if unit is None else unit
        y, guess = (values.reshape(-1)[chosen] * scale for values in (targets, predicted))
        return Points(x, y, guess, unit is None)


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

    bits = np.array([draw.bits for draw in draws])
    floor, null_explained = mean("floor"), mean("null_explained")
    tested, count = float(mean("tested")), null_explained.size
    held_out = [draw.held_out for draw in draws if draw.held_out is not None]
    share, interval = math.nan, (math.nan, math.nan)
    if held_out:
        share, interval = held_out_share(held_out, units, draws[0].num_rows)
    by_groups = null[1] == HYPOTHESES["groups"][1]
    any_p = None if by_groups else p_value(null_explained, tested)
    # Noise whose size depends on the inputs is a dependence, and nothing that can be learned.
    mean_p = p_value(mean("mean_null"), float(mean("explained")))
    both = [one for one in (any_p, mean_p) if one is not None]
    chance = bool(both) and max(both) > max(FALSE_RATE, 1 / (1 + count))
    is_linear = null[1] == HYPOTHESES["linear"][1]
    p = any_p if is_linear or not both else max(both)
    denoised = [_nothing(draw.denoised) if chance else draw.denoised for draw in draws]
    return Score(
        denoised_bits=float(np.mean([one.bits for one in denoised])),
        directions=float(np.mean([one.directions for one in denoised])),
        denoised_spectrum=_mean_spectrum([one.spectrum for one in denoised]),
        root_p_value=_combined([draw.denoised.p_value for draw in draws]),
        effective_rows=float(mean("effective_rows")),
        bits=float(bits.mean()),
        bits_sd=_deviation(bits),
        floor_bits=float(floor.mean()),
        floor_sd=_deviation(floor),
        excess_bits=float(bits.mean() - floor.mean()),
        p_value=p,
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
        is_default=settings.is_default,
    )


def explained(
    score: Score,
    draws: list[Draw],
    observer: Observer,
    data: PreparedRows,
    source: Source | Stream,
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
    guesses = [one.predicted for one in held_out if one.predicted is not None]
    if not guesses or data.inputs.ndim != 2:
        return score
    # Without a test it would take as long as the score.
    if score.null_count and data.folds is not None and data.num_samples <= CURVE_SAMPLES:
        with torch.no_grad():
            first = rows_of(observer, data.inputs, data.targets)
        curve = data.folds.learning(observer, first, held_out[0])
        score = replace(score, learning=tuple(curve))
    score = _with_points(score, np.mean(guesses, axis=0), data)
    if rows.targets is None or settings.windows is not None or settings.rank:
        return score
    unit = torch.as_tensor(data.task.target_unit).double().cpu().numpy()
    raw = rows.targets.double().cpu().numpy()
    return replace(score, classes=accuracy_of(np.mean(guesses, axis=0) * unit, raw))


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


def _with_points(score: Score, predicted: np.ndarray, data: PreparedRows) -> Score:
    """Add points to draw; predictions are in units of the targets."""
    inputs, targets = (values.double().cpu().numpy() for values in (data.inputs, data.targets))
    unit = torch.as_tensor(data.task.target_unit).double().cpu().numpy()
    single = float(unit.item()) if targets.shape[1] == 1 and unit.size == 1 else None
    if inputs.shape[1] == 1 and data.task.input_scale is not None:
        mean, scale = (float(part) for part in data.task.input_scale)
        inputs = inputs * scale + mean
    return replace(score, points=Points.of(inputs, targets, predicted, single))


def _nothing(denoised: Denoised) -> Denoised:
    """Return the readout of data that have no relation; what is NaN stays so."""
    zero = 0 * denoised.bits
    return replace(denoised, bits=zero, directions=zero, spectrum=denoised.spectrum[:0])


def _mean_spectrum(tensors: list[Tensor]) -> tuple[float, ...]:
    """Average spectra of different lengths: what is missing is zero."""
    spectra = [tensor.cpu().numpy() for tensor in tensors]
    longest = max(map(len, spectra))
    return tuple(np.mean([np.pad(s, (0, longest - len(s))) for s in spectra], axis=0).tolist())


def _combined(p_values: list[float]) -> float:
    """Combine p-values of the same hypothesis, however dependent, by Cauchy variables."""
    heights = [math.tan((0.5 - min(max(p, 1e-15), 1 - 1e-15)) * math.pi) for p in p_values]
    return 0.5 - math.atan(sum(heights) / len(heights)) / math.pi


def _deviation(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else 0.0
