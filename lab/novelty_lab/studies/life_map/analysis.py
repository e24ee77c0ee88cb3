"""What the life map says: ranks of the rules with a name, settings, complements, intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from learnable_novelty.seeds import numpy_generator
from novelty_lab.context import deviation
from novelty_lab.intervals import student
from novelty_lab.rank_correlation import spearman
from novelty_lab.studies.life_map.stages import Scored, excess_by_draw, mean_excess
from novelty_lab.systems.life import NUM_COUNTS
from novelty_lab.systems.life_catalogue import UNIVERSAL, NamedRule, named_rules

BOOTSTRAPS = 2000


def half_widths(values: np.ndarray) -> np.ndarray:
    """Return the half widths of 95% intervals of means over draws, (draws, ...) to (...)."""
    draws = len(values)
    if draws < 2:
        return np.full(values.shape[1:], np.nan)
    return student(draws - 1) * values.std(0, ddof=1) / draws**0.5


def areas_under_curve(positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """Return the probability that a positive lies above a negative, ties counting half.

    Args:
        positive: (..., some).
        negative: (..., others).
    """
    count, others = positive.shape[-1], negative.shape[-1]
    ranks = rankdata(np.concatenate([positive, negative], axis=-1), axis=-1)[..., :count]
    return (ranks.sum(-1) - count * (count + 1) / 2) / (count * others)


def area_with_interval(positive: np.ndarray, negative: np.ndarray, seed: int) -> dict[str, float]:
    """Return the area under the curve and its 95% bootstrap interval, both classes resampled."""
    generator = numpy_generator(seed, "area")
    resamples = [
        (generator.choice(positive, len(positive)), generator.choice(negative, len(negative)))
        for _ in range(BOOTSTRAPS)
    ]
    areas = areas_under_curve(*(np.stack(one) for one in zip(*resamples, strict=True)))
    low, high = np.quantile(areas, [0.025, 0.975])
    area = float(areas_under_curve(positive, negative))
    return {"area": area, "low": float(low), "high": float(high)}


def langton(codes: np.ndarray) -> np.ndarray:
    """Return Langton's lambda of rules: bit 2k + c of a code stands for C(8, k) neighbourhoods."""
    ways = [math.comb(NUM_COUNTS - 1, bit // 2) for bit in range(2 * NUM_COUNTS)]
    living = sum((np.asarray(codes) >> bit & 1) * count for bit, count in enumerate(ways))
    return np.asarray(living) / sum(ways)


def complement_codes(codes: np.ndarray) -> np.ndarray:
    """Return the codes of the complements: bit 2k + c becomes not bit 2(8 - k) + (1 - c)."""
    bits = 2 * NUM_COUNTS
    flipped = np.zeros_like(codes)
    for bit in range(bits):
        flipped |= (1 - (codes >> bit & 1)) << (bits - 1 - bit)
    return flipped


def compare_settings(study: Mapping[str, Scored]) -> dict[str, dict[str, float]]:
    """Correlate the ranking at every setting with the reference's, by excess and by raw bits."""
    reference = study["reference"]
    best = _best(mean_excess(reference))
    return {
        name: {
            "spearman_excess": float(spearman(mean_excess(scored), mean_excess(reference))),
            "spearman_bits": float(spearman(scored["bits"].mean(0), reference["bits"].mean(0))),
            "top_shared": len(best & _best(mean_excess(scored))) / len(best),
            "mean_excess": float(mean_excess(scored).mean()),
        }
        for name, scored in study.items()
        if name != "reference"
    }


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
    live = (np.abs(first).max(0) > 0) | (np.abs(second).max(0) > 0)
    mean, variance = difference[:, live].mean(0), deviation(difference[:, live], 0) ** 2
    error = np.sqrt(variance / draws)
    differs = np.abs(mean) > (student(draws - 1) * error if draws > 1 else np.inf)
    return {
        "pairs": int(live.sum()),
        "told_apart": float(differs.mean()) if live.any() else 0.0,
        "rms_difference": root_mean_square(mean),
        # Of the mean difference, around itself: a difference of colours does not add to it.
        "mean_spread": root_mean_square(error),
        "correlation": float(np.corrcoef(first.mean(0), second.mean(0))[0, 1])
        if first.mean(0).std() > 0 and second.mean(0).std() > 0
        else 0.0,
    }


def root_mean_square(values: np.ndarray) -> float:
    """Return the root of the mean square, 0 of nothing."""
    return float(np.sqrt(np.square(values).mean())) if values.size else 0.0


def agreement(values: np.ndarray) -> float | None:
    """Return the correlation within rules, (draws, rules): how far one draw tells of another.

    The intraclass correlation of one-way layouts, (B - W) / (B + (n - 1) W) for n draws, with n
    times the variance of means between rules, B, and the mean variance within rules, W.
    """
    draws, rules = values.shape
    if draws < 2 or rules < 2:
        return None
    return intraclass(values.mean(0), values.std(0, ddof=1), draws)


def intraclass(means: np.ndarray, deviations: np.ndarray, draws: int) -> float | None:
    """Return the same from the means and standard deviations of rules over draws."""
    between, within = draws * means.var(ddof=1), np.square(deviations).mean()
    total = between + (draws - 1) * within
    return float((between - within) / total) if total > 0 else None


def named_table(
    codes: np.ndarray, measures: Mapping[str, np.ndarray], again_codes: np.ndarray, again: Scored
) -> list[dict[str, Any]]:
    """List the named rules with their measures, their ranks among all rules, and what is known.

    The rank by second scores is one more than the rules above it among those scored again: any
    other could stand there too, so that it is a bound.
    """
    place = {int(code): i for i, code in enumerate(codes)}
    later = {int(code): i for i, code in enumerate(again_codes)}
    excess = excess_by_draw(again)
    ranks = {name: len(codes) + 1 - rankdata(values) for name, values in measures.items()}
    rows: list[dict[str, Any]] = []
    for named in named_rules():
        if named.rule.number not in place:
            continue
        here, there = place[named.rule.number], later[named.rule.number]
        rows.append(
            known(named)
            | {
                "measures": {name: float(values[here]) for name, values in measures.items()},
                "ranks": {name: float(values[here]) for name, values in ranks.items()},
                "again_excess": float(excess[:, there].mean()),
                "again_half_width": finite(half_widths(excess[:, there : there + 1])[0]),
                "again_rank": 1 + int((excess.mean(0) > excess[:, there].mean()).sum()),
            }
        )
    return rows


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


def finite(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return float(value) if math.isfinite(value) else None
