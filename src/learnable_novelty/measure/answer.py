"""What a report of rows in memory adds to numbers: words, classes, power, and points to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from learnable_novelty.measure.classes import accuracy_of
from learnable_novelty.measure.draw import Draw, rows_of
from learnable_novelty.measure.points import Points
from learnable_novelty.measure.power import detectable_share
from learnable_novelty.measure.prepare import PreparedRows, are_classes
from learnable_novelty.measure.result import Score, importance_of
from learnable_novelty.measure.sources.memory import MemoryRows
from learnable_novelty.measure.task import Settings
from learnable_novelty.observer import Observer
from learnable_novelty.text import printable

MOST_NAMES = 3
"""Columns that are named in a sentence."""
CLASS_UNIT = "classes in units of their common deviation"
CURVE_SAMPLES = 20_000
"""Samples that a learning curve is made of at most."""


def explained(
    score: Score,
    draws: list[Draw],
    observer: Observer,
    data: PreparedRows,
    rows: MemoryRows,
    targets: Sequence[str],
    settings: Settings,
) -> Score:
    """Add what is told in words and pictures; targets are their names, where they are known."""
    own = [name for name in data.places if not name.startswith("input ")]
    subject, target = in_words(data.task.kind, score.target_dim, targets, own)
    importance = importance_of(draws, data.places)
    score = replace(score, subject=subject, target_text=target, importance=importance)
    if are_classes(rows) and settings.target_unit == "sd" and not settings.rank:
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
    orders = data.orders("null", data.null.drawn, data.num_samples)
    return detectable_share(fit, data.inputs, orders, data.seed)


def _with_points(score: Score, predicted: np.ndarray, data: PreparedRows) -> Score:
    """Add points to draw; predictions are in units of the targets."""
    inputs, targets = (values.double().cpu().numpy() for values in (data.inputs, data.targets))
    unit = torch.as_tensor(data.task.target_unit).double().cpu().numpy()
    single = float(unit.item()) if targets.shape[1] == 1 and unit.size == 1 else None
    if inputs.shape[1] == 1 and data.task.input_scale is not None:
        mean, scale = (float(part) for part in data.task.input_scale)
        inputs = inputs * scale + mean
    return replace(score, points=Points.of(inputs, targets, predicted, single))
