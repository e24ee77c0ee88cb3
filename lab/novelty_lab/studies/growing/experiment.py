"""Ours: an observer that grows, beside frozen ones and trained learners.

Four questions. What does each learner explain of new rows, for functions of known depth and
23 real data sets? From how many rows on does ``ln.score`` find such a function? How often does the
observer grow on noise, and is the test's level kept? What does it cost?
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import learnable_novelty as ln
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.repeats import LEVEL
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
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Answer the four questions."""
    names = config.functions or tuple(FUNCTIONS)

    def rows(function: Any, about: dict[str, Any]) -> list[dict[str, Any]]:
        """Call a function with every combination of what it is asked about, a task each."""
        cells = list(itertools.product(*about.values()))
        tasks = {", ".join(map(str, cell)): (config, *cell, seed) for cell in cells}
        found = context.map(function, tasks).values()
        return [dict(zip(about, c, strict=True)) | f for c, f in zip(cells, found, strict=True)]

    learned = {"function": names, "n": config.sizes, "learner": LEARNERS}
    learned["repeat"] = range(config.repeats)
    asked = {"function": names, "n": config.detection_sizes, "observer": OBSERVERS}
    tables = [one.table for one in SETS[: config.sets]]
    return RunResult(
        {
            "functions": rows(learn_function, learned),
            "detection": rows(detect, asked),
            "level": rows(grow_on_noise, {"noise": NOISE, "n": config.level_sizes}),
            "sets": rows(learn_set, {"set": tables, "learner": LEARNERS}),
        }
    )


def learn_function(
    config: Config, name: str, n: int, learner: str, repeat: int, seed: int
) -> dict[str, Any]:
    """Learn one function, and predict new rows."""
    x, y = FUNCTIONS[name](n + config.new_rows, numpy_generator(seed, name, n, repeat))
    child = split(seed, "learner", repeat) % 2**32
    return held_out(learner, x[:n], y[:n], x[n:], y[n:], child)


def learn_set(config: Config, name: str, learner: str, seed: int) -> dict[str, Any]:
    """Predict every fifth of a data set from the others."""
    (one,) = [one for one in SETS if one.table == name]
    x, y = load(one, config.most_rows, seed)
    folds = np.arange(len(x)) % FOLDS
    by_fold = []
    for fold in range(FOLDS):
        inside, outside = folds != fold, folds == fold
        child = split(seed, "fold", fold) % 2**32
        by_fold.append(held_out(learner, x[inside], y[inside], x[outside], y[outside], child))
    keys = [key for key in by_fold[0] if all(one.get(key) is not None for one in by_fold)]
    means = {key: float(np.mean([one[key] for one in by_fold])) for key in keys}
    about = {"target": one.target, "rows": len(x), "columns": x.shape[1]}
    return {**about, "r2": None, "seconds": None} | means


def detect(config: Config, name: str, n: int, observer: str, seed: int) -> dict[str, Any]:
    """Score data sets of one function and size."""
    labels = [("detect", name, n, k) for k in range(config.detection_repeats)]
    return _summary([_scored(config, FUNCTIONS[name], one, observer, seed) for one in labels])


def grow_on_noise(config: Config, name: str, n: int, seed: int) -> dict[str, Any]:
    """Score data sets of noise by an observer that may grow."""
    labels = [("level", name, n, k) for k in range(config.level_repeats)]
    return _summary([_scored(config, NOISE[name], one, "growing", seed) for one in labels])


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
    found = float(np.mean([row["p"] <= LEVEL + 1e-9 for row in rows]))
    keys = ("grown", "held out", "excess", "seconds")
    means = {key: float(np.mean([row[key] for row in rows])) for key in keys}
    return {"found": found, **means, "repeats": len(rows)}
