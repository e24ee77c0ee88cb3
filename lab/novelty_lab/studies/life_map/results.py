"""What the record of the life map holds, put together from the scores."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError
from novelty_lab.rank_correlation import spearman
from novelty_lab.studies.life_map.analysis import (
    agreement,
    area_with_interval,
    compare_pairs,
    complement_codes,
    finite,
    half_widths,
    langton,
)
from novelty_lab.studies.life_map.life import MEASURES
from novelty_lab.studies.life_map.look import describe
from novelty_lab.studies.life_map.stages import (
    Scored,
    Scores,
    excess_by_draw,
    mean_excess,
    places,
)
from novelty_lab.systems.life import NUM_RULES, LifeRule
from novelty_lab.systems.life_catalogue import named_rules, why_no_gliders

GRAIN = {
    "bits": 0.01, "floor": 0.01, "null": 0.01, "excess_sd": 0.01, "explained": 1e-4,
    "density": 1e-4, "activity": 1e-4, "change_in_two": 1e-4, "entropy": 1e-3, "compressed": 1e-4,
}  # fmt: skip
"""What a unit of the recorded map stands for: arrays are kept as small integers."""


def rule_measures(codes: np.ndarray, scored: Scored) -> dict[str, np.ndarray]:
    """Return all that rules can be ranked by, averaged over draws."""
    averaged = {
        name: values.astype(np.float64).mean(0) if values.ndim > 1 else values.astype(np.float64)
        for name, values in scored.items()
        if name in MEASURES
    }
    return {"excess": mean_excess(scored), **averaged, "lambda": langton(codes)}


def gallery_entry(
    code: int, scored: Scores, measures: Mapping[str, np.ndarray], looked: dict[int, dict[str, Any]]
) -> dict[str, Any]:
    """Put together what the gallery says of one rule."""
    there = int(np.flatnonzero(scored.again_codes == code)[0])
    here = int(np.flatnonzero(scored.codes == code)[0])
    own = {name: scored.again[name][..., there : there + 1] for name in MEASURES}
    excess = excess_by_draw(own)
    again = rule_measures(scored.again_codes[there : there + 1], own)
    numbers = {name: float(values[0]) for name, values in again.items()}
    seen = {name: value for name, value in looked[code].items() if name != "picture"}
    return {
        "rule": str(LifeRule(code)),
        "complement": str(LifeRule(code).complemented()),
        "excess": float(excess.mean()),
        "half_width": finite(half_widths(excess)[0]),
        "map_excess": float(measures["excess"][here]),
        "measures": numbers,
        "looked": seen,
        "sentence": describe(numbers, seen),
    }


def map_summary(scored: Scores, measures: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Describe the map as a whole."""
    spread = excess_by_draw(scored.measures)
    draws = len(spread)
    first_excess = measures["excess"][places(scored.codes, scored.again_codes)]
    return {
        "zero": int((measures["bits"] == 0).sum()),
        "quantiles": {
            name: np.quantile(measures[name], [0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0]).tolist()
            for name in ("excess", "bits", "floor", "null")
        },
        "by_change": by_change(measures),
        "draw_correlation": agreement(spread),
        "draw_spearman": float(spearman(*spread[:2])) if draws > 1 else None,
        "median_sd": float(np.median(spread.std(0, ddof=1))) if draws > 1 else None,
        "again": len(scored.again_codes),
        "median_block_seconds": finite(float(np.nanmedian(scored.measures["seconds"]))),
        "again_spearman": float(spearman(mean_excess(scored.again), first_excess)),
    }


CHANGE_EDGES = (0.0, 1e-9, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 1.01)
"""Bins of the share of cells that differ after two steps."""


def by_change(measures: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """Summarize rules by how many cells differ after two steps.

    Two, and not one: in a quarter of the rules the empty plane flashes.
    """
    change = measures["change_in_two"]
    rows: list[dict[str, Any]] = []
    for low, high in itertools.pairwise(CHANGE_EDGES):
        here = (change >= low) & (change < high)
        if here.any():
            quantiles = {
                name: np.quantile(measures[name][here], [0.05, 0.5, 0.95]).tolist()
                for name in ("excess", "bits", "floor", "null")
            }
            rows.append({"low": low, "high": high, "rules": int(here.sum()), **quantiles})
    return rows


def glider_areas(
    named: list[dict[str, Any]],
    codes: np.ndarray,
    random_codes: np.ndarray,
    measures: Mapping[str, np.ndarray],
    parsed: Mapping[int, float],
    seed: int,
) -> dict[str, dict[str, Any]]:
    """Ask of every measure how well it tells rules known to have gliders from others.

    Against the other named rules; against rules drawn at random, of which little is known; and
    against those of them that provably have none.
    """
    groups = glider_groups(named, random_codes)
    place = {int(code): here for here, code in enumerate(codes)}
    areas: dict[str, dict[str, Any]] = {}
    for name in ("excess", "bits", "compressed", "lempel_ziv", "entropy", "lambda", "activity"):

        def values(codes: set[int], name: str = name) -> np.ndarray:
            if name == "lempel_ziv":
                return np.array([parsed[code] for code in sorted(codes)])
            return measures[name][[place[code] for code in sorted(codes)]]

        areas[name] = areas_of(groups, values, seed)
    return areas


def glider_groups(named: list[dict[str, Any]], random_codes: np.ndarray) -> dict[str, set[int]]:
    """Return the rules with gliders, and the groups that they are told from."""
    gliders = {LifeRule(row["rule"]).number for row in named if row["gliders"]}
    without = {LifeRule(row["rule"]).number for row in named} - gliders
    unnamed = set(random_codes.tolist()) - gliders - without
    proved = {code for code in unnamed if why_no_gliders(LifeRule(code))}
    return {"gliders": gliders, "named": without, "random": unnamed, "proved": proved}


def areas_of(
    groups: Mapping[str, set[int]], values: Callable[[set[int]], np.ndarray], seed: int
) -> dict[str, dict[str, Any]]:
    """Return the area under the curve of rules with gliders against each of the other groups."""
    gliders = groups["gliders"]
    return {
        group: area_with_interval(values(gliders), values(others), seed)
        | {"positives": len(gliders), "negatives": len(others)}
        for group, others in groups.items()
        if group != "gliders" and gliders and others
    }


def compare_complements(scored: Scores) -> dict[str, Any]:
    """Compare rules with their complements: drawn at random in both codings, and on the map."""
    compared = {
        states: compare_pairs(excess_by_draw(first), excess_by_draw(second))
        for states, (first, second) in scored.complements.items()
    }
    if len(scored.codes) == NUM_RULES:
        excess = excess_by_draw(scored.measures)
        swapped = complement_codes(scored.codes)
        partner = places(scored.codes, swapped)
        first_of_pair = scored.codes < swapped
        compared["map"] = compare_pairs(excess[:, first_of_pair], excess[:, partner[first_of_pair]])
    return compared


def top_rules(scored: Scores, count: int) -> list[dict[str, Any]]:
    """List the best rules on the larger tori, names and complements included."""
    names = {one.rule.number: one.name for one in named_rules()}
    excess = excess_by_draw(scored.again)
    widths = half_widths(excess)
    best = np.argsort(-excess.mean(0), kind="stable")[:count]
    return [
        {
            "rule": str(LifeRule(int(scored.again_codes[i]))),
            "name": names.get(int(scored.again_codes[i])),
            "excess": float(excess[:, i].mean()),
            "half_width": finite(float(widths[i])),
        }
        for i in best
    ]


def record_arrays(scored: Scores, pictures: np.ndarray) -> dict[str, np.ndarray]:
    """Keep the map in small integers, 512 x 512 if it is whole, and what was scored again."""
    whole = len(scored.codes) == NUM_RULES
    kept: dict[str, np.ndarray] = {"pictures": pictures}
    measures = dict(scored.measures)
    excess = excess_by_draw(measures)
    measures["excess_sd"] = excess.std(0, ddof=1) if len(excess) > 1 else np.zeros(excess.shape[1])
    for name, grain in GRAIN.items():
        values = measures[name].astype(np.float64)
        values = values.mean(0) if values.ndim > 1 else values
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
