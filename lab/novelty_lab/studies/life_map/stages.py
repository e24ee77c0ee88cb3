"""The scores of the life map: every rule, and the best ones again.

Tasks are blocks of rules; what a task returns is arrays packed for the journal.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from learnable_novelty.seeds import numpy_generator
from novelty_lab.context import RunContext, describe_device, pack, unpack
from novelty_lab.studies.life_map.life import MEASURES, LifeConfig, score_rules, vary
from novelty_lab.systems.life import NUM_COUNTS, NUM_RULES
from novelty_lab.systems.life_catalogue import named_rules

BY_DRAW = ("bits", "floor", "null")
"""Measures that are kept draw by draw; of the others the mean over draws is kept."""


@dataclass(frozen=True)
class Config(LifeConfig):
    """Which rules are scored, how often, and how."""

    rules: int = 0
    """How many rules, drawn at random and the named ones; 0 for all 2^18."""
    block: int = 4096
    """Rules per task."""
    again_share: float = 0.02
    """Share of the rules, those of highest excess, that is scored again, with the named ones."""
    again_grid: int = 131
    """Height and width of their torus: a prime that 2 generates."""
    again_draws: int = 8
    """Their draws."""


Scored = dict[str, np.ndarray]
"""Measures of rules by name, as ``score_all`` returns them."""


class Scores(NamedTuple):
    """What the device computes."""

    codes: np.ndarray
    measures: Scored
    again_codes: np.ndarray
    again: Scored


def scores(config: Config, seed: int, context: RunContext) -> Scores:
    """Score everything that is scored in blocks, which a GPU is for.

    The best share and the named rules are scored again: larger tori, more draws, all of them new.
    """
    codes = chosen_codes(config, seed)
    scored = score_all(context, "map", config, codes, seed, config.block)
    best = codes[np.argsort(-mean_excess(scored), kind="stable")]
    best = best[: math.ceil(config.again_share * len(codes))]
    named = [one.rule.number for one in named_rules()]
    again = np.union1d(best, np.intersect1d(named, codes))
    larger = vary(config, grid=config.again_grid, draws=config.again_draws)
    block = max(1, config.block // 8)
    later = score_all(context, "again", larger, again, seed, block, first_draw=config.draws)
    return Scores(codes, scored, again, later)


def map_codes() -> np.ndarray:
    """Return the codes of all rules by their place on the map, (512 survival, 512 birth)."""
    masks = np.arange(1 << NUM_COUNTS)
    spread = np.sum([((masks >> k) & 1) << 2 * k for k in range(NUM_COUNTS)], axis=0)
    return 2 * spread[:, None] + spread[None, :]


def chosen_codes(config: Config, seed: int) -> np.ndarray:
    """Return the codes of the rules to score, in the order of the map."""
    every = map_codes().ravel()
    return every[np.isin(every, some_codes(config.rules, seed))] if config.rules else every


def some_codes(count: int, seed: int) -> np.ndarray:
    """Return the named rules and others drawn at random, ascending, ``count`` or more in all.

    More of them hold the fewer, and a name more or less changes one of the others.
    """
    named = np.array(sorted(one.rule.number for one in named_rules()))
    order = numpy_generator(seed, "study").permutation(NUM_RULES)
    drawn = order[~np.isin(order, named)][: max(0, count - len(named))]
    return np.union1d(named, drawn)


def score_all(
    context: RunContext, stage: str, config: LifeConfig, codes: np.ndarray, seed: int, block: int,
    first_draw: int = 0,
) -> Scored:  # fmt: skip
    """Measure rules in blocks, one task each.

    Returns:
        ``BY_DRAW`` measures (draws, rules), the others (rules,).
    """
    settings = vary(config)
    blocks = np.array_split(codes, math.ceil(len(codes) / block))
    tasks = {
        f"{stage}, block {place}": (settings, part.tolist(), seed, first_draw, context.device)
        for place, part in enumerate(blocks)
    }
    results = list(context.map(score_block, tasks).values())
    return {
        **{name: np.concatenate([unpack(p[name]) for p in results], axis=-1) for name in MEASURES},
        "devices": np.array(sorted({part["device"] for part in results})),
        "seconds": np.array([part["seconds"] for part in results], dtype=np.float64),
    }


def score_block(
    config: LifeConfig, codes: Sequence[int], seed: int, first_draw: int, device: str
) -> dict[str, Any]:
    """Measure a block of rules in every draw of a configuration."""
    started = time.perf_counter()
    draws = [
        score_rules(config, codes, seed, first_draw + draw, device) for draw in range(config.draws)
    ]
    packed: dict[str, Any] = {}
    for name in MEASURES:
        values = np.stack([one[name] for one in draws])
        packed[name] = pack((values if name in BY_DRAW else values.mean(0)).astype(np.float32))
    spent = round(time.perf_counter() - started, 3)
    return packed | {"device": describe_device(device), "seconds": spent}


def excess_by_draw(scored: Scored) -> np.ndarray:
    """Return bits less floor, (draws, rules)."""
    return scored["bits"].astype(np.float64) - scored["floor"]


def mean_excess(scored: Scored) -> np.ndarray:
    """Return bits less floor, averaged over draws."""
    return excess_by_draw(scored).mean(0)


def places(codes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return where the wanted codes stand among codes, all of which must be there."""
    order = np.argsort(codes)
    return order[np.searchsorted(codes, wanted, sorter=order)]
