"""Ours: every life-like automaton on one map of learnable novelty.

All 2^18 rules are scored by one observer with its floor removed; the best are scored again with
more draws on larger tori. Recorded beside them: where the rules with a name rank.
"""

from __future__ import annotations

import dataclasses

from novelty_lab.context import RunContext, RunResult
from novelty_lab.studies.life_map.results import (
    GRAIN,
    map_summary,
    named_table,
    record_arrays,
    rule_measures,
)
from novelty_lab.studies.life_map.stages import Config, scores

PAPER = Config()
QUICK = dataclasses.replace(
    PAPER, grid=31, samples=4, burn_in=100, window=8, channels=32, floor_repeats=2,
    null_repeats=1, rules=200, block=64, again_share=0.1, again_grid=37, again_draws=3,
)  # fmt: skip


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Score all rules, and say where those with a name stand."""
    scored = scores(config, seed, context)
    measures = rule_measures(scored.codes, scored.measures)
    named = named_table(scored, measures)
    results = {
        "rules": len(scored.codes),
        "summary": map_summary(scored, measures),
        "named": named,
        "grain": GRAIN,
    }
    devices = sorted({*scored.measures["devices"], *scored.again["devices"]})
    names = {row["name"]: row["again_excess"] for row in named}
    return RunResult(results, names, record_arrays(scored), ", ".join(devices))
