"""A closer look at single rules: what moves in them, a picture, and a sentence of measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import pack
from novelty_lab.meters.gliders import Gliders, measure_gliders, off_background
from novelty_lab.observers.binary_torus import pattern_codes
from novelty_lab.studies.life_map.life import pattern_entropy
from novelty_lab.studies.life_map.stages import StageConfig
from novelty_lab.systems.life import Cells, LifeRule, soup

PATCH = 16
"""Height and width of a soup in an empty torus."""
TRAIL = 15
"""Steps that a picture looks back."""
COUNTED = ("still", "oscillating", "main_period", "main_share", "isolated", "crowded")
"""Fields of the glider meter that are recorded."""


def look(
    config: StageConfig, code: int, seed: int, steps: int, period: int, patches: Sequence[int]
) -> dict[str, Any]:
    """Run one rule from a full soup and from patches of soup, and measure what moves.

    A full soup shows what the score has seen; a patch in an empty torus lets what leaves it travel
    undisturbed. Of as many soups as a score sees, a typical one is looked at.
    """
    rule, side = LifeRule(code), config.again_grid
    child = split(seed, "look", code)
    soups = soup(config.samples, side, side, config.density, child)
    tori = rule.advance(soups, config.burn_in)
    history = rule.run(tori[typical(tori)], steps)
    everywhere = measure_gliders(history, max_period=period)
    outside = [
        measure_gliders(rule.run(_patches(side, child, count), steps), max_period=period)
        for count in patches
    ]
    return {
        "everywhere": _plain(everywhere),
        "patches": [_plain(one) for one in outside],
        "kinds": _gathered([everywhere, *outside]),
        "picture": pack(trail(history[: TRAIL + 1])),
    }


def typical(tori: Cells) -> int:
    """Return the place of the torus of median entropy of 3 x 3 patterns.

    Of an even number the upper one; a torus of like cells, which shows nothing, is passed over
    unless all are.
    """
    entropy = pattern_entropy(pattern_codes(torch.from_numpy(tori)).flatten(1)).numpy()
    order = np.argsort(entropy, kind="stable")
    alive = order[[tori[place].min() != tori[place].max() for place in order]]
    order = alive if alive.size else order
    return int(order[len(order) // 2])


def _patches(side: int, seed: int, count: int) -> Cells:
    """Put patches of soup on an empty torus, evenly in rows and columns."""
    across = math.ceil(count**0.5)
    generator = numpy_generator(seed, "patches", count)
    cells = np.zeros((side, side), dtype=np.uint8)
    for place in range(count):
        down, right = (side * k // across for k in divmod(place, across))
        size = min(PATCH, side // across)
        soup_here = generator.integers(0, 2, (size, size), dtype=np.uint8)
        cells[down : down + size, right : right + size] = soup_here
    return cells


def _plain(gliders: Gliders) -> dict[str, float]:
    return {"moving": gliders.moving, **{name: getattr(gliders, name) for name in COUNTED}}


def _gathered(many: Sequence[Gliders]) -> list[dict[str, Any]]:
    """List the kinds of moving patterns over all runs, the most frequent first."""
    counts: dict[str, dict[str, Any]] = {}
    for gliders in many:
        for kind in gliders.kinds:
            entry = counts.setdefault(
                str(kind),
                {"kind": str(kind), "period": kind.period, "displacement": list(kind.displacement),
                 "count": 0, "pattern": kind.pattern.tolist()},
            )  # fmt: skip
            entry["count"] += kind.count
    return sorted(counts.values(), key=lambda kind: (-kind["count"], kind["period"]))


def trail(history: Cells) -> Cells:
    """Draw space-time: how many steps ago each cell was last off the background, or ``TRAIL`` + 1.

    The last frame is now; the background is the more frequent state of each frame, as for the
    meter.
    """
    ago = np.full(history.shape[1:], TRAIL + 1, dtype=np.uint8)
    off = off_background(history[-1 - TRAIL :])
    for steps in range(len(off) - 1, -1, -1):
        ago[off[-1 - steps] == 1] = steps
    return ago


def describe(measures: Mapping[str, float], looked: Mapping[str, Any]) -> str:
    """Say in a sentence what was measured."""
    phrases = [
        f"{_percent(measures['density'])} of the cells live",
        _change(measures["activity"], measures["change_in_two"]),
        _standing(looked["everywhere"]),
        _moving(looked),
        f"{_percent(measures['explained'])} of the next steps' variance read off one frame",
    ]
    text = "; ".join(filter(None, phrases))
    return text[0].upper() + text[1:] + "."


def _standing(seen: Mapping[str, float]) -> str:
    period, share = seen["main_period"], seen["main_share"]
    most = "" if share == 1 else "mostly " if share > 0.5 else f"{_percent(share)} "
    counted = [
        _count(seen["still"], "still life"),
        _count(seen["oscillating"], "oscillator", f" ({most}of period {period})"),
    ]
    return f"a frame holds {' and '.join(filter(None, counted))}" if any(counted) else ""


def _moving(looked: Mapping[str, Any]) -> str:
    kinds, seen = looked["kinds"], looked["everywhere"]
    if kinds:
        listed = "; ".join(f"{kind['kind']} ({kind['count']} seen)" for kind in kinds[:2])
        more = f" and {len(kinds) - 2} further kinds" if len(kinds) > 2 else ""
        return f"moving: {listed}{more}"
    if seen["crowded"] > 0.5 and all(one["crowded"] > 0.5 for one in looked["patches"]):
        return "too crowded to look for moving objects"
    return "no moving object found"


def _count(number: float, what: str, more: str = "") -> str:
    rounded = round(number)
    return f"{rounded} {what}{'' if rounded == 1 else 's'}{more}" if rounded else ""


def _change(activity: float, change_in_two: float) -> str:
    if activity == 0:
        return "nothing changes"
    text = f"{_percent(activity)} change at a step"
    return text + (", nearly all of them back and forth" if change_in_two < activity / 5 else "")


def _percent(share: float) -> str:
    value = 100 * share
    form = ".0f" if value >= 10 or value == 0 else ".1f" if value >= 0.1 else ".2g"
    return f"{value:{form}}%"
