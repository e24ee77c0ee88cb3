"""Order, time and false alarms of measures on thirty real relations.

The truth is not known for real tables. A forest that is judged on rows it has not seen stands for
it: a measure orders relations well if it orders them as that forest does. Each relation is measured
again with one column shuffled, where a measure should have nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.seeds import numpy_generator
from novelty_lab.context import RunContext, RunResult
from novelty_lab.rank_correlation import spearman
from novelty_lab.settings import Settings
from novelty_lab.studies.rivals.data import RELATIONS, load
from novelty_lab.studies.rivals.rivals import RIVALS, measured, timed

REFERENCE = "forest, held-out R2"
OURS = ("held-out variance", "denoised bits", "excess bits")


@dataclass(frozen=True)
class Config(Settings):
    """Which relations, and how they are scored."""

    relations: int = len(RELATIONS)
    """How many of the list; the first four come with scikit-learn."""
    most_rows: int = 2000
    """Of a larger table a random part of so many rows is taken."""
    draws: int = 8
    """Reservoirs of ``ln.score``."""
    null: int = 999
    """Its permutations."""


PAPER = Config()
QUICK = Config(relations=2, most_rows=100, draws=1, null=19)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Measure every relation as it is and shuffled, then compare the orders."""
    chosen = RELATIONS[: config.relations]
    tasks = {one.name: (config, index, seed) for index, one in enumerate(chosen)}
    rows = list(context.map(measure, tasks).values())
    called = {
        key: sum(row[key]["p-value"]["value"] <= 0.05 for row in rows)
        for key in ("real", "shuffled")
    }
    return RunResult({"rows": rows, "orders": orders(rows), "p at most 0.05": called})


def measure(config: Config, index: int, seed: int) -> dict[str, Any]:
    """Measure one relation, as it is and shuffled."""
    relation = RELATIONS[index]
    x, y = load(relation, config.most_rows, seed)
    shuffled = numpy_generator(seed, "shuffle", relation.name).permutation(y)
    row: dict[str, Any] = {"relation": relation.name, "rows": len(x)}
    for key, target in (("real", y), ("shuffled", shuffled)):
        own = measured(x, target, config.draws, config.null, seed)
        seconds = own.pop("seconds")
        row[key] = {name: {"value": value, "seconds": seconds} for name, value in own.items()}
        row[key] |= {name: timed(rival, (x, target)) for name, rival in RIVALS.items()}
    return row


def orders(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Compare each measure's order with that of the forest, and its values with the shuffled.

    Relations "below it" have no larger value than the largest of all shuffled ones: their value
    alone does not tell them from noise.
    """
    by_measure = {}
    for name in (*OURS, *RIVALS):
        real = [row["real"][name]["value"] for row in rows]
        reference = [row["real"][REFERENCE]["value"] for row in rows]
        if None in real or None in reference:
            continue
        shuffled = [row["shuffled"][name]["value"] for row in rows]
        by_measure[name] = {
            "spearman": float(spearman(np.array(real), np.array(reference))),
            "largest shuffled": max(shuffled),
            "below it": sum(value <= max(shuffled) for value in real),
            "seconds": sum(row["real"][name]["seconds"] for row in rows) / len(rows),
        }
    return by_measure
