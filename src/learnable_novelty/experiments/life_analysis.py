"""What the life map says: ranks of the rules with a name, settings, complements, intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from learnable_novelty._random import numpy_generator
from learnable_novelty.experiments.life_stages import Found, mean_excess
from learnable_novelty.experiments.rankings import mean_ranks, spearman
from learnable_novelty.systems import LifeRule
from learnable_novelty.systems.life import NUM_COUNTS
from learnable_novelty.systems.life_catalogue import UNIVERSAL, named_rules

BOOTSTRAPS = 2000

# Two-sided 95% quantiles of Student's t, by degrees of freedom.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306,
           9: 2.262, 10: 2.228, 11: 2.201, 12: 2.179, 13: 2.160, 14: 2.145, 15: 2.131}  # fmt: skip


def student(draws: int) -> float:
    """Return the 95% quantile of Student's t for a mean of so many draws, infinite for one."""
    return math.inf if draws < 2 else STUDENT.get(draws - 1, 1.96)


def half_widths(values: np.ndarray) -> np.ndarray:
    """Return the half widths of 95% intervals of means over draws, (draws, ...) to (...)."""
    draws = len(values)
    if draws < 2:
        return np.full(values.shape[1:], np.nan)
    return student(draws) * values.std(0, ddof=1) / draws**0.5


def area_under_curve(positive: np.ndarray, negative: np.ndarray) -> float:
    """Return the probability that a positive lies above a negative, ties counting half."""
    ranks = mean_ranks(np.concatenate([positive, negative]))[: len(positive)]
    above = ranks.sum() - len(positive) * (len(positive) + 1) / 2
    return float(above / (len(positive) * len(negative)))


def area_with_interval(positive: np.ndarray, negative: np.ndarray, seed: int) -> dict[str, float]:
    """Return the area under the curve and its 95% bootstrap interval, both classes resampled."""
    generator = numpy_generator(seed, "area")
    areas = [
        area_under_curve(
            generator.choice(positive, len(positive)), generator.choice(negative, len(negative))
        )
        for _ in range(BOOTSTRAPS)
    ]
    low, high = np.quantile(areas, [0.025, 0.975])
    return {"area": area_under_curve(positive, negative), "low": float(low), "high": float(high)}


def langton(codes: np.ndarray) -> np.ndarray:
    """Return Langton's lambda of rules."""
    return np.array([LifeRule(int(code)).langton_lambda for code in codes])


def complement_codes(codes: np.ndarray) -> np.ndarray:
    """Return the codes of the complements: bit 2k + c becomes not bit 2(8 - k) + (1 - c)."""
    bits = 2 * NUM_COUNTS
    flipped = np.zeros_like(codes)
    for bit in range(bits):
        flipped |= (1 - (codes >> bit & 1)) << (bits - 1 - bit)
    return flipped


def compare_settings(study: Mapping[str, Found]) -> dict[str, dict[str, float]]:
    """Correlate the ranking at every setting with the reference's, by excess and by raw bits."""
    reference = study["reference"]
    best = _best(mean_excess(reference))
    compared: dict[str, dict[str, float]] = {}
    for name, found in study.items():
        if name != "reference":
            compared[name] = {
                "spearman_excess": spearman(mean_excess(found), mean_excess(reference)),
                "spearman_bits": spearman(found["bits"].mean(0), reference["bits"].mean(0)),
                "top_shared": len(best & _best(mean_excess(found))) / len(best),
                "mean_excess": float(mean_excess(found).mean()),
            }
    return compared


def _best(values: np.ndarray, share: float = 0.1) -> set[int]:
    """Return the places of the best tenth."""
    return set(np.argsort(-values, kind="stable")[: max(1, round(share * len(values)))].tolist())


def compare_pairs(first: np.ndarray, second: np.ndarray) -> dict[str, float]:
    """Compare rules with their complements: excess by draw, (draws, rules) each.

    Draws are paired, and where the observer treats both colours alike the differences scatter
    around zero: a paired t-test then rejects in one case of twenty.
    """
    difference = first - second
    draws = len(difference)
    mean, sd = difference.mean(0), difference.std(0, ddof=1) if draws > 1 else np.nan
    told = np.abs(mean) > student(draws) * sd / draws**0.5
    live = (np.abs(first).max(0) > 0) | (np.abs(second).max(0) > 0)
    told, mean = told[live], mean[live]
    return {
        "pairs": int(live.sum()),
        "told_apart": float(told.mean()) if live.any() else 0.0,
        "rms_difference": float(np.sqrt(np.square(mean).mean())) if live.any() else 0.0,
        "mean_spread": float(np.sqrt(np.square(difference[:, live]).mean() / draws))
        if live.any()
        else 0.0,
        "correlation": float(np.corrcoef(first.mean(0), second.mean(0))[0, 1])
        if first.mean(0).std() > 0 and second.mean(0).std() > 0
        else 0.0,
    }


def excess_by_draw(found: Found) -> np.ndarray:
    """Return bits less floor, (draws, rules)."""
    return found["bits"].astype(np.float64) - found["floor"]


def named_table(
    codes: np.ndarray, measures: Mapping[str, np.ndarray], again_codes: np.ndarray, again: Found
) -> list[dict[str, Any]]:
    """List the named rules with their measures, their ranks among all rules, and what is known."""
    place = {int(code): i for i, code in enumerate(codes)}
    later = {int(code): i for i, code in enumerate(again_codes)}
    excess = excess_by_draw(again)
    ranks = {name: len(codes) + 1 - mean_ranks(values) for name, values in measures.items()}
    rows: list[dict[str, Any]] = []
    for one in named_rules():
        if one.rule.number not in place:
            continue
        here, there = place[one.rule.number], later[one.rule.number]
        rows.append(
            {
                "name": one.name,
                "rule": str(one.rule),
                "gliders": one.gliders,
                "source": one.source,
                "universal": UNIVERSAL.get(one.name),
                "measures": {name: float(values[here]) for name, values in measures.items()},
                "ranks": {name: float(values[here]) for name, values in ranks.items()},
                "again_excess": float(excess[:, there].mean()),
                "again_half_width": finite(half_widths(excess[:, there : there + 1])[0]),
            }
        )
    return rows


def finite(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return float(value) if math.isfinite(value) else None
