"""Appendix B: how the ranking of the automata depends on the estimator.

One setting at a time is varied around table 2 and all 88 rules are scored again with one draw.
The reference, every configuration at which another rule leads, and every one at which rules 30
and 54 change order are scored with three draws, as in the paper. Every claim of the appendix is
recorded beside ours. The comparison of a linear with an
activated last layer (``linear_last``) is ours.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.seeds import split
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.paper.fig2_automata.automata import (
    AutomatonConfig,
    automaton_observer,
    ranking,
    ranks,
    rule_rows,
)
from novelty_lab.rank_correlation import agreement
from novelty_lab.settings import choice, varied
from novelty_lab.systems.elementary import ElementaryRule, unique_rules

AXES: dict[str, tuple[float, ...]] = {
    "resolution": (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
    "ridge_penalty": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
    "window": (4, 8, 16, 32, 48, 64),
    "depth": (1, 2, 3, 4, 5),
    "kernel_size": (3, 5, 7),
    "channels": (64, 128, 256, 512),
    "samples": (128, 256, 512, 1024),
    "linear_last": (True, False),
}


@dataclass(frozen=True)
class Config(AutomatonConfig):
    """Table 2 as the centre of the scan."""

    draws: int = 3
    """Draws of the reference and of every configuration that is scored again."""
    axes: tuple[str, ...] = choice(AXES)
    """Which settings to vary."""


PAPER = Config()
QUICK = dataclasses.replace(
    PAPER, samples=64, burn_in=200, axes=("depth", "window"), channels=64, draws=2
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Scan every axis with one draw, then score again what the paper scores again."""
    cells = {_name(axis, value): (axis, value) for axis in config.axes for value in AXES[axis]}
    variants = {name: varied(config, axis, value) for name, (axis, value) in cells.items()}
    everything = {"reference": config, **variants}
    scanned = {
        name: {rule: bits[0] for rule, bits in scored.items()}
        for name, scored in _score(context, "scan", everything, seed, draws=1).items()
    }
    again = [
        name
        for name, means in scanned.items()
        if name == "reference" or ranking(means)[0] != "110" or _reversed(means)
    ]
    chosen = {name: everything[name] for name in again}
    rescored = _score(context, "again", chosen, seed, draws=config.draws)
    summary = {name: summarize(scanned[name], scanned["reference"]) for name in cells}
    for name, (axis, value) in cells.items():
        summary[name] |= {"axis": axis, "value": value}
        summary[name]["is_reference"] = getattr(config, axis) == value
    details = {name: _spread(rescored[name]) for name in again}
    results: dict[str, Any] = {
        "cells": summary,
        "reference": summarize(scanned["reference"], scanned["reference"]),
        "rescored": details,
    }
    scores = details["reference"]["mean"]
    return RunResult(results, scores)


def _name(axis: str, value: float) -> str:
    return f"{axis}={value:g}"


def _score(
    context: RunContext, stage: str, variants: dict[str, Config], seed: int, draws: int
) -> dict[str, dict[str, list[float]]]:
    """Score all rules at all variants; a task is one rule, so that rings are simulated once.

    Returns:
        By variant and rule: the bits of every draw.
    """
    longest = max(v.window for v in variants.values()), max(v.samples for v in variants.values())
    tasks = {
        f"{stage}, rule {rule}": (variants, rule, seed, draws, *longest) for rule in unique_rules()
    }
    by_rule = context.map(score_variants, tasks)
    rules = [str(rule) for rule in unique_rules()]
    by_variant: dict[str, dict[str, list[float]]] = {name: {} for name in variants}
    for rule, scored in zip(rules, by_rule.values(), strict=True):
        for name, bits in scored.items():
            by_variant[name][rule] = bits
    return by_variant


def score_variants(
    variants: dict[str, Config], rule: int, seed: int, draws: int, window: int, samples: int
) -> dict[str, list[float]]:
    """Score one rule at every variant, from one simulation per draw."""
    by_variant: dict[str, list[float]] = {name: [] for name in variants}
    for draw in range(draws):
        child = split(seed, "ensemble", rule, draw)
        burn_in = next(iter(variants.values())).burn_in
        history = ElementaryRule(rule).sample_words(samples, burn_in, window, child)
        for name, variant in variants.items():
            observer = automaton_observer(variant, seed, draw)
            part = history[: variant.window + 1, : variant.samples]
            by_variant[name].append(float(observer.bits(rule_rows(observer, part))))
    return by_variant


def summarize(means: dict[str, float], reference: dict[str, float]) -> dict[str, Any]:
    """Reduce a ranking to what the appendix reports of it."""
    order, rank = ranking(means), ranks(means)
    return {
        "margin": means["110"] - max(bits for rule, bits in means.items() if rule != "110"),
        "first": order[0],
        "rank_110": rank["110"],
        "rank_30": rank["30"],
        "rank_54": rank["54"],
        "gap_54_30": means["54"] - means["30"],
        "spearman": agreement(means, reference),
    }


def _reversed(means: dict[str, float]) -> bool:
    return means["54"] < means["30"]


def _spread(scores: dict[str, list[float]]) -> dict[str, Any]:
    """Mean and deviation over draws, and of the differences that the appendix names."""
    draws = {rule: np.array(bits) for rule, bits in scores.items()}
    mean = {rule: float(bits.mean()) for rule, bits in draws.items()}
    gap = draws["54"] - draws["30"]
    order = ranking(mean)
    return {
        "mean": mean,
        "sd": {rule: float(deviation(bits)) for rule, bits in draws.items()},
        "first": order[0],
        "runner_up": order[1],
        "margin": mean["110"] - max(bits for rule, bits in mean.items() if rule != "110"),
        "gap_54_30": float(gap.mean()),
        "gap_54_30_sd": float(deviation(gap)),
        "ranks": ranks(mean),
    }
