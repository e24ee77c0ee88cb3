"""What the record of the life map holds, put together from the scores."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from learnable_novelty.errors import UserError
from novelty_lab.intervals import student
from novelty_lab.rank_correlation import spearman
from novelty_lab.studies.life_map.life import MEASURES
from novelty_lab.studies.life_map.stages import (
    Scored,
    Scores,
    excess_by_draw,
    mean_excess,
    places,
)
from novelty_lab.systems.life import NUM_COUNTS, NUM_RULES
from novelty_lab.systems.life_catalogue import UNIVERSAL, NamedRule, named_rules

GRAIN = {
    "bits": 0.01, "floor": 0.01, "null": 0.01, "excess_sd": 0.01, "explained": 1e-4,
    "density": 1e-4, "activity": 1e-4, "change_in_two": 1e-4, "entropy": 1e-3, "compressed": 1e-4,
}  # fmt: skip
"""What a unit of the recorded map stands for: arrays are kept as small integers."""
CHANGE_EDGES = (0.0, 1e-9, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 1.01)
"""Bins of the share of cells that differ after two steps."""
BITS = ("excess", "bits", "floor", "null")


def rule_measures(codes: np.ndarray, scored: Scored) -> dict[str, np.ndarray]:
    """Return all that rules can be ranked by, averaged over draws."""
    averaged = {name: _averaged(scored[name]) for name in MEASURES}
    return {"excess": mean_excess(scored), **averaged, "lambda": langton(codes)}


def _averaged(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float64).mean(0) if values.ndim > 1 else values.astype(np.float64)


def langton(codes: np.ndarray) -> np.ndarray:
    """Return Langton's lambda of rules: bit 2k + c of a code stands for C(8, k) neighbourhoods."""
    ways = [math.comb(NUM_COUNTS - 1, bit // 2) for bit in range(2 * NUM_COUNTS)]
    living = sum((np.asarray(codes) >> bit & 1) * count for bit, count in enumerate(ways))
    return np.asarray(living) / sum(ways)


def half_widths(values: np.ndarray) -> np.ndarray:
    """Return the half widths of 95% intervals of means over draws, (draws, ...) to (...)."""
    draws = len(values)
    if draws < 2:
        return np.full(values.shape[1:], np.nan)
    return student(draws - 1) * values.std(0, ddof=1) / draws**0.5


def finite(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return float(value) if math.isfinite(value) else None


def map_summary(scored: Scores, measures: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Describe the map as a whole."""
    first = measures["excess"][places(scored.codes, scored.again_codes)]
    return {
        "zero": int((measures["bits"] == 0).sum()),
        "by_change": by_change(measures),
        "draw_correlation": agreement(excess_by_draw(scored.measures)),
        "again": len(scored.again_codes),
        "again_spearman": float(spearman(mean_excess(scored.again), first)),
    }


def by_change(measures: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """Summarize rules by how many cells differ after two steps.

    Two, and not one: in a quarter of the rules the empty plane flashes.
    """
    change = measures["change_in_two"]
    rows: list[dict[str, Any]] = []
    for low, high in itertools.pairwise(CHANGE_EDGES):
        here = (change >= low) & (change < high)
        if here.any():
            of = {n: np.quantile(measures[n][here], [0.05, 0.5, 0.95]).tolist() for n in BITS}
            rows.append({"low": low, "high": high, "rules": int(here.sum()), **of})
    return rows


def agreement(values: np.ndarray) -> float | None:
    """Return the correlation within rules, (draws, rules): how far one draw tells of another.

    The intraclass correlation of one-way layouts, (B - W) / (B + (n - 1) W) for n draws, with n
    times the variance of means between rules, B, and the mean variance within rules, W.
    """
    draws, rules = values.shape
    if draws < 2 or rules < 2:
        return None
    between, within = draws * values.mean(0).var(ddof=1), values.var(0, ddof=1).mean()
    total = between + (draws - 1) * within
    return float((between - within) / total) if total > 0 else None


def named_table(scored: Scores, measures: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """List the named rules with their measures, their ranks among all rules, and what is known.

    The rank by second scores is one more than the rules above it among those scored again: any
    other could stand there too, so that it is a bound.
    """
    named = [one for one in named_rules() if one.rule.number in scored.codes]
    codes = np.array([one.rule.number for one in named])
    excess = excess_by_draw(scored.again)
    ranks = {name: len(scored.codes) + 1 - rankdata(of) for name, of in measures.items()}
    here, there = places(scored.codes, codes), places(scored.again_codes, codes)
    return [
        known(one)
        | {
            "measures": {name: float(of[i]) for name, of in measures.items()},
            "ranks": {name: float(of[i]) for name, of in ranks.items()},
            "again_excess": float(excess[:, j].mean()),
            "again_half_width": finite(half_widths(excess[:, j : j + 1])[0]),
            "again_rank": 1 + int((excess.mean(0) > excess[:, j].mean()).sum()),
        }
        for one, i, j in zip(named, here, there, strict=True)
    ]


def known(named: NamedRule) -> dict[str, Any]:
    """Return what the catalogue says of a rule."""
    return {
        "name": named.name,
        "rule": str(named.rule),
        "also": list(named.also),
        "gliders": named.gliders,
        "source": named.source,
        "universal": UNIVERSAL.get(named.name),
    }


def record_arrays(scored: Scores) -> dict[str, np.ndarray]:
    """Keep the map in small integers, 512 x 512 if it is whole, and what was scored again."""
    whole = len(scored.codes) == NUM_RULES
    kept: dict[str, np.ndarray] = {}
    excess = excess_by_draw(scored.measures)
    spread = excess.std(0, ddof=1) if len(excess) > 1 else np.zeros(excess.shape[1])
    for name, grain in GRAIN.items():
        values = spread if name == "excess_sd" else _averaged(scored.measures[name])
        units = np.rint(values / grain)
        if np.abs(units).max(initial=0) > np.iinfo(np.int16).max:
            raise UserError(f"{name} does not fit into 16 bits at a grain of {grain}")
        kept[name] = units.astype(np.int16).reshape((512, 512) if whole else (-1,))
    if not whole:
        kept["codes"] = scored.codes.astype(np.int32)
    again = excess_by_draw(scored.again)
    kept["again_codes"] = scored.again_codes.astype(np.int32)
    kept["again_excess"] = again.mean(0).astype(np.float32)
    kept["again_half_width"] = half_widths(again).astype(np.float32)
    kept["again_bits"] = scored.again["bits"].mean(0).astype(np.float32)
    return kept
