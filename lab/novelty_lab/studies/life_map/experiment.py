"""Ours: every life-like automaton on one map of learnable novelty.

All 2^18 rules are scored by one observer with its floor removed; the best are scored again with
more draws on larger tori. Recorded beside them: where the rules with a name rank, and what the best
ones without a name do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.engine import open_engine
from novelty_lab.context import RunContext, RunResult, unpack
from novelty_lab.studies.life_map.look import look
from novelty_lab.studies.life_map.results import (
    GRAIN,
    gallery_entry,
    glider_areas,
    map_summary,
    named_table,
    record_arrays,
    rule_measures,
)
from novelty_lab.studies.life_map.stages import (
    Scores,
    StageConfig,
    mean_excess,
    scores,
    some_codes,
)
from novelty_lab.systems.life import LifeRule
from novelty_lab.systems.life_catalogue import named_rules


@dataclass(frozen=True)
class Config(StageConfig):
    """The map, and what is made of it."""

    gallery: int = 50
    """How many of the best rules without a name are looked at closely."""
    steady_gallery: int = 20
    """The same for rules whose empty plane does not flash."""
    look_steps: int = 400
    """Steps in which moving objects are searched."""
    look_period: int = 180
    """Longest period of a moving object."""
    look_patches: tuple[int, ...] = (1, 9)
    """Runs from so many patches of soup each, in an empty torus, from which objects may leave."""


PAPER = Config()
QUICK = dataclasses.replace(
    PAPER, grid=31, samples=4, burn_in=100, window=8, channels=32, floor_repeats=2,
    null_repeats=1, rules=200, block=64, again_share=0.1, again_grid=37, again_draws=3,
    random_rules=200, gallery=3, steady_gallery=3, look_steps=60, look_period=20,
    look_patches=(1,),
)  # fmt: skip


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Score all rules, and compare them with what is known of them."""
    scored = scores(config, seed, context)
    measures = rule_measures(scored.codes, scored.measures)
    named = named_table(scored, measures)
    best = best_unnamed(scored, config.gallery)
    steady = best_unnamed(scored, config.steady_gallery, steady=True)
    wanted = [*best, *steady, *(LifeRule(row["rule"]).number for row in named)]
    knobs = config.look_steps, config.look_period, config.look_patches
    tasks = {f"look, {LifeRule(code)}": (config, code, seed, *knobs) for code in wanted}
    with _on_cores(context) as cores:
        seen = cores.map(look, tasks)
    looked = {code: seen[f"look, {LifeRule(code)}"] for code in wanted}
    for row in named:
        row["moving"] = looked[LifeRule(row["rule"]).number]["kinds"]
    random = np.intersect1d(some_codes(config.random_rules, seed), scored.codes)
    results: dict[str, Any] = {
        "rules": len(scored.codes),
        "summary": map_summary(scored, measures),
        "named": named,
        "areas": glider_areas(named, scored.codes, random, measures, seed),
        "gallery": [gallery_entry(code, scored, measures, looked) for code in best],
        "steady_gallery": [gallery_entry(code, scored, measures, looked) for code in steady],
        "grain": GRAIN,
    }
    pictures = np.array([unpack(looked[code]["picture"]) for code in [*best, *steady]], np.uint8)
    names = {row["name"]: row["again_excess"] for row in named}
    devices = sorted({*scored.measures["devices"], *scored.again["devices"]})
    return RunResult(results, names, record_arrays(scored, pictures), ", ".join(devices))


@contextmanager
def _on_cores(context: RunContext) -> Iterator[RunContext]:
    """Return where to do what no GPU helps with: beside one, on all cores."""
    if context.device == "cpu":
        yield context
        return
    with open_engine("cores") as executor:
        yield dataclasses.replace(context, executor=executor)


def best_unnamed(scored: Scores, count: int, *, steady: bool = False) -> list[int]:
    """Return the rules of highest excess on the larger tori, one of each pair of complements.

    The complement of a rule with a name does the same as that rule, and is left out. If steady,
    only rules whose empty plane does not flash.
    """
    taken = {one.rule.number for one in named_rules()}
    taken |= {LifeRule(code).complemented().number for code in taken}
    best: list[int] = []
    for code in scored.again_codes[np.argsort(-mean_excess(scored.again), kind="stable")]:
        flashes = steady and LifeRule(int(code)).flashes
        if int(code) not in taken and not flashes and len(best) < count:
            best.append(int(code))
            taken |= {int(code), LifeRule(int(code)).complemented().number}
    return best
