"""Ours: an observer that grows, beside frozen ones and trained learners.

Four questions. What does each learner explain of new rows, for functions of known depth and
23 real data sets? From how many rows on does ``ln.score`` find such a function? How often does the
observer grow on noise, and is the test's level kept? What does it cost?
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import learnable_novelty as ln
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.repeats import LEVEL, part_of
from novelty_lab.settings import Settings
from novelty_lab.studies.growing.functions import FUNCTIONS, NOISE
from novelty_lab.studies.growing.learners import DEPTH, FEATURES, LEARNERS, Array, held_out
from novelty_lab.studies.growing.sets import SETS, load

OBSERVERS = ("frozen", "wide frozen", "growing")
FOLDS = 5


@dataclass(frozen=True)
class Config(Settings):
    """How many data sets, and how large."""

    functions: tuple[str, ...] = ()
    """Functions by name; all by default."""
    sizes: tuple[int, ...] = (4000, 16_000, 64_000)
    """Training rows of a function."""
    new_rows: int = 4000
    """Rows that learners are judged on."""
    repeats: int = 1
    """Data sets of a function and size."""
    sets: int = len(SETS)
    """How many real data sets; the first five come with scikit-learn."""
    most_rows: int = 4000
    """Of a larger one a random part of so many rows is taken."""
    detection_sizes: tuple[int, ...] = (250, 500, 1000, 2000)
    """Rows of a function whose relation ``ln.score`` is asked for."""
    detection_repeats: int = 10
    """Data sets of a function and size that it is asked for."""
    level_sizes: tuple[int, ...] = (100, 300)
    """Rows of noise."""
    level_repeats: int = 200
    """Data sets of noise of each kind and size."""
    null: int = 99
    """Permutations of ``ln.score``."""
    draws: int = 2
    """Its reservoirs."""
    parts: int = 10
    """Tasks that the repeats of a kind of noise are divided into."""


PAPER = Config()
QUICK = Config(
    functions=("product of 2 of 12 signs",),
    sizes=(200,),
    new_rows=100,
    repeats=1,
    sets=1,
    most_rows=100,
    detection_sizes=(100,),
    detection_repeats=1,
    level_sizes=(100,),
    level_repeats=1,
    null=19,
    draws=1,
    parts=1,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Answer the four questions."""
    names = config.functions or tuple(FUNCTIONS)
    cells = list(itertools.product(names, config.sizes, LEARNERS, range(config.repeats)))
    tasks = {
        f"{name}, n={n}, {learner}, {k}": (name, n, config.new_rows, learner, k, seed)
        for name, n, learner, k in cells
    }
    learned = [
        {"function": name, "n": n, "learner": learner, **scores}
        for (name, n, learner, _), scores in zip(
            cells, context.map(learn_function, tasks).values(), strict=True
        )
    ]
    return RunResult(
        {
            "functions": learned,
            "detection": _detection(config, names, seed, context),
            "level": _level(config, seed, context),
            "sets": _sets(config, seed, context),
        }
    )


def learn_function(
    name: str, n: int, new_rows: int, learner: str, repeat: int, seed: int
) -> dict[str, Any]:
    """Learn one function, and predict new rows."""
    x, y = FUNCTIONS[name](n + new_rows, numpy_generator(seed, name, n, repeat))
    child = split(seed, "learner", repeat) % 2**32
    return held_out(learner, x[:n], y[:n], x[n:], y[n:], child)


# Detection and level, by ln.score.


def _detection(
    config: Config, names: Iterable[str], seed: int, context: RunContext
) -> list[dict[str, Any]]:
    cells = list(itertools.product(names, config.detection_sizes, OBSERVERS))
    tasks = {
        f"{name}, n={n}, {observer}": (config, name, n, observer, seed)
        for name, n, observer in cells
    }
    scored = context.map(detect, tasks).values()
    return [
        {"function": name, "n": n, "observer": observer, **_summary(rows)}
        for (name, n, observer), rows in zip(cells, scored, strict=True)
    ]


def detect(config: Config, name: str, n: int, observer: str, seed: int) -> list[dict[str, Any]]:
    """Score data sets of one function and size."""
    make, repeats = FUNCTIONS[name], range(config.detection_repeats)
    return [_scored(config, make, ("detect", name, n, k), observer, seed) for k in repeats]


def _level(config: Config, seed: int, context: RunContext) -> list[dict[str, Any]]:
    cells = list(itertools.product(NOISE, config.level_sizes))
    tasks = {
        f"{name}, n={n}, part {part}": (config, name, n, part, seed)
        for name, n in cells
        for part in range(config.parts)
    }
    scored = iter(context.map(level_part, tasks).values())
    return [
        {
            "noise": name,
            "n": n,
            **_summary([row for part in itertools.islice(scored, config.parts) for row in part]),
        }
        for name, n in cells
    ]


def level_part(config: Config, name: str, n: int, part: int, seed: int) -> list[dict[str, Any]]:
    """Score some data sets of noise by an observer that may grow."""
    repeats = part_of(config.level_repeats, part, config.parts)
    return [_scored(config, NOISE[name], ("level", name, n, k), "growing", seed) for k in repeats]


def _scored(
    config: Config, make: Any, labels: tuple[Any, ...], observer: str, seed: int
) -> dict[str, Any]:
    x, y = make(labels[2], numpy_generator(seed, *labels))
    child = split(seed, *labels)
    start = time.process_time()
    score = ln.score(
        x,
        y,
        observer=_observer(observer, x, child),
        draws=config.draws,
        null=config.null,
        seed=child,
    )
    return {
        "p": score.p_value,
        "held out": score.held_out_variance,
        "excess": score.excess_bits,
        "grown": score.profile is not None and not score.profile[0].kept,
        "seconds": time.process_time() - start,
    }


def _observer(name: str, x: Array, seed: int) -> ln.Observer | Literal["growing"] | None:
    """Return what ``ln.score`` reads with; the wide one is as wide as growth may become."""
    if name == "wide frozen":
        wide = ln.reservoirs.MLP(x.shape[1], min(FEATURES, len(x) // 2), DEPTH, seed=seed)
        return ln.Observer(wide, ridge_penalty="evidence")
    return "growing" if name == "growing" else None


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "found": float(np.mean([row["p"] <= LEVEL + 1e-9 for row in rows])),
        "grown": float(np.mean([row["grown"] for row in rows])),
        "held out": float(np.mean([row["held out"] for row in rows])),
        "excess": float(np.mean([row["excess"] for row in rows])),
        "seconds": float(np.mean([row["seconds"] for row in rows])),
        "repeats": len(rows),
    }


# Real data sets.


def _sets(config: Config, seed: int, context: RunContext) -> list[dict[str, Any]]:
    cells = list(itertools.product(range(config.sets), LEARNERS))
    tasks = {
        f"{SETS[index].table}, {learner}": (index, learner, config.most_rows, seed)
        for index, learner in cells
    }
    learned = context.map(learn_set, tasks).values()
    return [
        {"set": SETS[index].table, "target": SETS[index].target, "learner": learner, **row}
        for (index, learner), row in zip(cells, learned, strict=True)
    ]


def learn_set(index: int, learner: str, most_rows: int, seed: int) -> dict[str, Any]:
    """Predict every fifth of a data set from the others."""
    x, y = load(SETS[index], most_rows, seed)
    folds = np.arange(len(x)) % FOLDS
    by_fold = []
    for fold in range(FOLDS):
        inside, outside = folds != fold, folds == fold
        child = split(seed, "fold", fold) % 2**32
        by_fold.append(held_out(learner, x[inside], y[inside], x[outside], y[outside], child))
    keys = [key for key in by_fold[0] if all(one.get(key) is not None for one in by_fold)]
    means = {key: float(np.mean([one[key] for one in by_fold])) for key in keys}
    return {"rows": len(x), "columns": x.shape[1], "r2": None, "seconds": None} | means
