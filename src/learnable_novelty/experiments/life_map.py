"""Ours: every life-like automaton on one map of learnable novelty.

All 2^18 rules are scored by one observer with its floor removed; the best are scored again with
more draws on larger tori. Recorded beside them: how the ranking depends on the settings, whether a
rule and its complement agree, where the rules with a name rank, and what the best ones without a
name do.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from learnable_novelty.experiments.base import Bench, Outcome
from learnable_novelty.experiments.life_stages import (
    Found,
    StageConfig,
    chosen_codes,
    score_again,
    score_all,
    score_complements,
    study_settings,
)

USES = ("device",)


@dataclass(frozen=True)
class Config(StageConfig):
    """The map, and what is made of it."""

    gallery: int = 50
    """How many of the best rules without a name are looked at closely."""


PAPER = Config()
QUICK = dataclasses.replace(
    PAPER, draws=2, grid=31, samples=4, burn_in=100, window=8, channels=32, floor_repeats=2, null_repeats=1,
    rules=200, block=64, again_grid=37, again_draws=3, study_rules=100,
    study_axes=("density", "states"), symmetry_rules=10, gallery=3,
)  # fmt: skip


class Scores(NamedTuple):
    """What the device computes."""

    codes: np.ndarray
    found: Found
    again_codes: np.ndarray
    again: Found
    study_codes: np.ndarray
    study: dict[str, Found]
    complements: dict[str, tuple[Found, Found]]


def scores(config: Config, seed: int, bench: Bench) -> Scores:
    """Score everything that is scored in blocks: what a GPU is for."""
    codes = chosen_codes(config, seed)
    found = score_all(bench, "map", config, codes, seed, config.block)
    again = score_again(config, codes, found, seed, bench)
    study = study_settings(config, seed, bench)
    return Scores(codes, found, *again, *study, score_complements(config, seed, bench))


def run(config: Config, *, seed: int, bench: Bench) -> Outcome:
    """Score all rules, and compare them with what is known of them."""
    held = scores(config, seed, bench)
    return Outcome({"rules": len(held.codes)})
