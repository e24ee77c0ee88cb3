"""Ours: does an observer in closed form find the structure that a trained network finds?

Finzi et al. (2026, arXiv 2601.03220) estimate the epiplexity of a trained network by the code that
it needs while it learns, less what the same data cost at the end. With blocks b of n_b rows, each
as large as all before it, and l_b the mean code length of a row by what was learned before b,

    structure = sum_b n_b (l_b - l_B),   B the last block.

Every l_b is measured on the same new rows. Measured on the block itself, as a real code would, the
sampling error of the block is multiplied by the number of all rows, and hides the structure.

Over the 88 elementary automata, seen from the past of a cell and its neighbours, the structure that
a frozen observer and one that grows find is compared with that of the network, in the mean over
data sets, and each with itself on other data: no measure can agree with the network better than
the network does.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.observer.growing.growth import Growing
from learnable_novelty.seeds import numpy_generator
from novelty_lab.context import RunContext, RunResult
from novelty_lab.measures.prequential import prequential_code
from novelty_lab.rank_correlation import spearman
from novelty_lab.settings import Settings
from novelty_lab.studies.growing.learners import Array, mlp, readout, tensor
from novelty_lab.systems.elementary import ElementaryRule, unique_rules

Data = tuple[Array, Array]
LEARNERS: dict[str, tuple[str, ...]] = {
    "frozen": ("model", "structure"),
    "growing": ("model", "structure"),
    "network": ("structure",),
}
"""What is measured of each: bits of the readout and focus of the shortest description, and the
area under the learning curve."""
RADIUS, LEADS, CELLS = 2, range(1, 33), 64
"""Cells to each side that a rule is seen through, steps that are predicted, width of a ring."""
FEATURES, ROUNDS = 256, 5
FIRST_BLOCK = 64
"""Rows that are coded as fair coins, before anything is learned."""
HELD_OUT = 5
"""The last one in so many of the seen rows is not learned from."""
COINS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Shares of a fair coin in a probability."""


@dataclass(frozen=True)
class Config(Settings):
    """How much data, and how many sets."""

    rules: tuple[int, ...] = ()
    """Rules by number; all 88 by default."""
    rows: int = 8192
    """Of each rule: a cell, the two cells to each side, and 32 steps."""
    new_rows: int = 8192
    """Rows that all stages of learning are judged on."""
    seeds: int = 10
    """Data sets of each rule."""


PAPER = Config()
QUICK = Config(rules=(30, 54, 110), rows=128, new_rows=128, seeds=2)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Measure all rules by all learners, and compare their orders."""
    rules = config.rules or unique_rules()
    cells = list(itertools.product(rules, LEARNERS, range(config.seeds)))
    tasks = {f"{r}, {learner}, {k}": (config, r, learner, k, seed) for r, learner, k in cells}
    measured = context.map(measure, tasks).values()
    rows = [
        {"rule": rule, "learner": learner, "seed": number, **values}
        for (rule, learner, number), values in zip(cells, measured, strict=True)
    ]
    compared = {"agreement": agreement(rows), "recorded": recorded(rows, context.records)}
    return RunResult({"rows": rows, **compared})


def measure(config: Config, rule: int, learner: str, repeat: int, seed: int) -> dict[str, float]:
    """Measure one rule; learners and rules see the same random numbers."""
    generator = numpy_generator(seed, "automata", repeat)
    own, new = (windows_of_rule(rule, n, generator) for n in (config.rows, config.new_rows))
    if learner != "network":
        return structure(own, new, grows=learner == "growing", seed=repeat)
    code = prequential_code(*own, judged_on=new, seed=repeat)
    left = code.block_bits[-1] if code.block_bits else 0.0
    return {"structure": code.structure_bits, "total": code.total_bits, "left": left}


def windows_of_rule(rule: int, rows: int, generator: np.random.Generator) -> Data:
    """Predict states of a cell from the cells around it, after 200 steps."""
    start = generator.integers(0, 2, (-(-rows // 16), CELLS), dtype=np.uint8)
    states = ElementaryRule(rule).run(start, 200 + LEADS[-1])[199:]
    around = np.stack([np.roll(states[0], k, -1) for k in range(RADIUS, -RADIUS - 1, -1)], -1)
    future = np.moveaxis(states[list(LEADS)], 0, -1)
    # Every fourth cell: neighbours see nearly the same.
    x, y = (part[:, ::4].reshape(-1, part.shape[-1]) for part in (around, future))
    order = generator.permutation(len(x))[:rows]
    return x[order].astype(float), y[order].astype(float)


def structure(own: Data, new: Data, *, grows: bool, seed: int) -> dict[str, float]:
    """Learn from blocks of one set of rows, and code the rows of another set.

    The learner is a readout that is solved, with a reservoir that is frozen or grows on four fifths
    of the rows that were seen. Targets are zeros and ones. A prediction, cut to [0, 1], is mixed
    with a fair coin to be the probability of a one; the last fifth chooses how much.

    Returns:
        Structure and total in bits; ``model``, the bits of the last readout and its focus;
        ``left``, the bits of a row in the end.
    """
    (x, y), (new_x, new_y) = own, new
    varies = (y != y[0]).any(0)
    if not varies.any():
        return {"structure": 0.0, "total": 0.0, "model": 0.0, "left": 0.0}
    mean, scale = x.mean(0), np.where(x.std(0) > 0, x.std(0), 1.0)
    x, new_x, y, new_y = (x - mean) / scale, (new_x - mean) / scale, y[:, varies], new_y[:, varies]
    start = min(FIRST_BLOCK, len(x))
    lengths, sizes, model = [float(y.shape[1])], [start], 0.0
    while start < len(x):
        learned, stop = start - start // HELD_OUT, min(2 * start, len(x))
        later = np.concatenate([x[learned:start], new_x])
        guess, model = _learned(x[:learned], y[:learned], later, grows=grows, seed=seed)
        held_out, of_new = guess[: start - learned], guess[start - learned :]
        coin = min(COINS, key=lambda share: _bits(held_out, y[learned:start], share))
        lengths.append(_bits(of_new, new_y, coin))
        sizes.append(stop - start)
        start = stop
    total = float(np.dot(sizes, lengths))
    area = total - len(x) * lengths[-1]
    return {"structure": area, "total": total, "model": model, "left": lengths[-1]}


def _bits(guess: Array, y: Array, coin: float) -> float:
    """Return the mean code length of a row of targets."""
    ones = (1 - coin) * np.clip(guess, 0, 1) + coin / 2
    return float(-np.log2(np.where(y > 0.5, ones, 1 - ones)).sum(1).mean())


def _learned(x: Array, y: Array, new: Array, *, grows: bool, seed: int) -> tuple[Array, float]:
    """Return predictions of new rows, and the bits of the readout and of its focus."""
    reservoir = mlp(x, seed)
    if not grows:
        fitted, guess = readout(reservoir, x, y, new, target_unit=1.0)
        return guess, fitted.bits_
    growing = Growing(reservoir, most_features=FEATURES, rounds=ROUNDS)
    growth = growing.grow(tensor(x), tensor(y), seed=seed)
    guess = readout(growth.observer.reservoir, x, y, new, target_unit=1.0)[1]
    return guess, growth.kept.model_bits


def agreement(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Compare what learners find with the structure that the network finds."""
    network = _by_seed(rows, "network", "structure")
    comparisons = []
    for learner, key in [(learner, key) for learner, keys in LEARNERS.items() for key in keys]:
        own = _by_seed(rows, learner, key)
        one = [spearman(a, b) for a, b in zip(own, network, strict=True)]
        itself = [spearman(a, b) for a, b in itertools.combinations(own, 2)]
        comparisons.append(
            {
                "learner": learner,
                "measure": key,
                "network": float(spearman(own.mean(0), network.mean(0))),
                "one data set": float(np.mean(one)),
                "itself": float(np.mean(itself)),
                "rules": own.shape[1],
                "seeds": own.shape[0],
            }
        )
    return comparisons


def recorded(rows: list[dict[str, Any]], records: Path) -> dict[str, float]:
    """Compare the paper's bits and the network of ``compare`` with the network here."""
    path = records / "compare" / "paper-seed0" / "record.json"
    if not path.exists():
        return {}
    compared = json.loads(path.read_text())["results"]["rows"]
    values = {row["name"]: row["values"] for row in compared if row["kind"] == "automaton"}
    names = [str(r["rule"]) for r in rows if (r["learner"], r["seed"]) == ("network", 0)]
    network = _by_seed(rows, "network", "structure").mean(0)
    return {
        key: float(spearman(np.array([values[name][key] for name in names]), network))
        for key in ("bits", "excess", "prequential_structure")
    }


def _by_seed(rows: list[dict[str, Any]], learner: str, key: str) -> NDArray[np.float64]:
    """Return a measure of the automata, (seeds, rules)."""
    own = [row for row in rows if row["learner"] == learner]
    seeds = sorted({row["seed"] for row in own})
    return np.array([[row[key] for row in own if row["seed"] == seed] for seed in seeds])
