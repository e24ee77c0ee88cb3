"""Figure 2: the 88 elementary automata ranked by epiplexity.

PAPER is table 2 with ten draws. Records the mean and deviation over draws per rule, the ranking,
the margin of the first, and space-time diagrams of the six reference rules.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.paper.fig2_automata.automata import (
    AutomatonConfig,
    automaton_observer,
    denoised_rule,
    floor_bits,
    ranking,
    ranks,
    rule_rows,
    rule_tasks,
    sample_draws,
)
from novelty_lab.systems.elementary import ElementaryRule


@dataclass(frozen=True)
class Config(AutomatonConfig):
    """Table 2, and what the figure shows."""

    inset_rules: tuple[int, ...] = (1, 2, 3, 30, 54, 110)
    """Rules whose space-time diagrams are drawn."""
    inset_steps: int = 64
    """Steps of a diagram, after as many unseen ones."""
    floor_repeats: int = 2
    """Rearrangements of the residuals per draw, for the floor."""


PAPER = Config()
QUICK = dataclasses.replace(PAPER, samples=64, burn_in=200, draws=2)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Score all rules and rank them."""
    by_rule = context.map(score_rule, rule_tasks(config, seed))
    scores = {rule: scored["bits"] for rule, scored in by_rule.items()}
    draws = np.array(list(scores.values()))
    means = dict(zip(scores, draws.mean(1).tolist(), strict=True))
    floor = {rule: float(np.mean(scored["floor"])) for rule, scored in by_rule.items()}
    excess = {rule: means[rule] - floor[rule] for rule in means}
    denoised = {rule: float(np.mean(scored["denoised"])) for rule, scored in by_rule.items()}
    order, rank = ranking(means), ranks(means)
    results = {
        "sd": dict(zip(scores, deviation(draws).tolist(), strict=True)),
        "wolfram_class": {rule: ElementaryRule(int(rule)).wolfram_class for rule in scores},
        "floor": floor,
        "excess": excess,
        "rank_by_excess": ranks(excess),
        "denoised": denoised,
        "denoised_sd": {
            rule: float(deviation(scored["denoised"])) for rule, scored in by_rule.items()
        },
        "directions": {
            rule: float(np.mean(scored["directions"])) for rule, scored in by_rule.items()
        },
        "rank_by_denoised": ranks(denoised),
        "ranking": order,
        "margin": means[order[0]] - means[order[1]],
        "runner_up": order[1],
        "rank_54": rank["54"],
        "rank_30": rank["30"],
        "gap_54_30": means["54"] - means["30"],
        "exactly_zero": [rule for rule, bits in scores.items() if not np.any(bits)],
    }
    insets = {f"inset_{rule}": space_time(rule, config, seed) for rule in config.inset_rules}
    return RunResult(results, means, {"scores": draws, **insets})


def score_rule(config: Config, rule: int, seed: int) -> dict[str, list[float]]:
    """Score one rule, its floor and its denoised readout once per draw."""
    scored: dict[str, list[float]] = {"bits": [], "floor": [], "denoised": [], "directions": []}
    for draw, history in enumerate(sample_draws(config, rule, seed)):
        observer = automaton_observer(config, seed, draw)
        scored["bits"].append(float(observer.bits(rule_rows(observer, history))))
        child = split(seed, "rings", rule, draw)
        scored["floor"].append(floor_bits(observer, history, config.floor_repeats, child))
        denoised = denoised_rule(observer, history, child)
        scored["denoised"].append(denoised.bits)
        scored["directions"].append(denoised.directions)
    return scored


def space_time(rule: int, config: Config, seed: int) -> np.ndarray:
    """Draw one ring's history, (inset_steps, 64)."""
    cells = numpy_generator(seed, "inset").integers(0, 2, size=64, dtype=np.uint8)
    return ElementaryRule(rule).run(cells, 2 * config.inset_steps)[config.inset_steps :]
