"""Ours: level, power and time of the test of independence, beside other people's tests.

Data are the twenty simulations of hyppo, as its own benchmarks use them: one column with noise and
growing samples, and 100 rows without noise in growing dimension. Power of ours is the share of
p <= 0.05. Power of the others is estimated as hyppo does it: the share of statistics beyond the 95%
quantile of statistics of as many permuted data sets.

The features of ours were chosen on other relations. That hyppo's sine of sixteen periods, its
square and its rising dimension are hard for random features was known before.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.independence.dependence import dependence
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.repeats import LEVEL, part_of
from novelty_lab.settings import Settings
from novelty_lab.studies.dependence.processes import (
    NULLS,
    SERIES,
    dimensions,
    simulate,
    simulation_names,
)

OURS, OURS_BLOCKS = "ours", 50


@dataclass(frozen=True)
class Config(Settings):
    """How many data sets, and how large."""

    repeats: int = 1000
    """Data sets per size of the sample, and per independent pair."""
    dimension_repeats: int = 100
    """Data sets per dimension."""
    permutations: int = 999
    """Of ours; a fifth of it over dimension."""
    sizes: tuple[int, ...] = (20, 40, 60, 80, 100)
    """Rows, one column each."""
    dimension_step: int = 2
    """Every how many of hyppo's dimensions."""
    simulations: tuple[str, ...] = ()
    """Simulations of hyppo; all twenty by default."""
    rivals: tuple[str, ...] = ("MGC", "Dcorr", "Hsic")
    """Tests of hyppo."""
    null_sizes: tuple[int, ...] = (30, 100)
    """Rows of independent pairs."""
    time_sizes: tuple[int, ...] = (100, 1000, 10_000)
    """Rows of timed tests."""
    parts: int = 10
    """Tasks that the repeats of a cell are divided into."""


PAPER = Config()
QUICK = Config(
    repeats=4,
    dimension_repeats=2,
    permutations=39,
    sizes=(20,),
    dimension_step=20,
    simulations=("circle", "multimodal_independence"),
    rivals=("MGC",),
    null_sizes=(30,),
    time_sizes=(30,),
    parts=2,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Measure power, level and time."""
    names = list(config.simulations) or simulation_names()
    sizes = [(name, n, 1, True) for name in names for n in config.sizes]
    grown = [
        (name, 100, p, False) for name in names for p in dimensions(name)[:: config.dimension_step]
    ]
    few = config.permutations // 5
    nulls = [(name, n) for name in NULLS for n in config.null_sizes]
    nulls += [(name, 10 * config.null_sizes[-1]) for name in SERIES]
    cells = {f"{name}, n={n}": (config.permutations, name, n, seed) for name, n in nulls}
    level = divided(context, level_part, cells, config.repeats, config.parts)
    results = {
        "size": _power(config, sizes, config.repeats, config.permutations, seed, context),
        "dimension": _power(config, grown, config.dimension_repeats, few, seed, context),
        "level": {name: share(p_values) for name, p_values in level.items()},
        "seconds": _times(config, seed, context),
    }
    return RunResult(results, versions=_versions())


def divided(
    context: RunContext,
    function: Callable[..., list[Any]],
    cells: Mapping[str, tuple[Any, ...]],
    repeats: int,
    parts: int,
) -> dict[str, list[Any]]:
    """Call a function with the arguments of each cell and the indices of a part of its repeats."""
    tasks = {
        f"{name}, part {part}": (*arguments, list(part_of(repeats, part, parts)))
        for name, arguments in cells.items()
        for part in range(parts)
    }
    results = iter(context.map(function, tasks).values())
    return {
        name: [row for rows in itertools.islice(results, parts) for row in rows] for name in cells
    }


def share(p_values: Sequence[float]) -> dict[str, float]:
    """Return how often p <= 0.05, with its standard error."""
    rate = float(np.mean(np.array(p_values) <= LEVEL + 1e-9))
    error = (rate * (1 - rate) / len(p_values)) ** 0.5
    return {"rate": rate, "se": error, "repeats": len(p_values)}


def level_part(
    permutations: int, name: str, n: int, seed: int, indices: Iterable[int]
) -> list[float]:
    """Return p-values of independent pairs; series are tested in blocks."""
    make, blocks = (SERIES[name], OURS_BLOCKS) if name in SERIES else (NULLS[name], None)
    return [
        dependence(
            *make(n, numpy_generator(seed, name, n, index)),
            permutations=permutations,
            blocks=blocks,
            seed=split(seed, index),
        ).p_value
        for index in indices
    ]


# Power on hyppo's simulations.


def _power(
    config: Config,
    cells: list[tuple[str, int, int, bool]],
    repeats: int,
    permutations: int,
    seed: int,
    context: RunContext,
) -> dict[str, list[dict[str, Any]]]:
    """Return the power of every test by simulation, in the order of the cells."""
    tests = (OURS, *config.rivals)
    tasks = {
        f"{', '.join(map(str, cell))}, {test}": ((*cell, test, permutations), seed)
        for cell, test in itertools.product(cells, tests)
    }
    results = iter(divided(context, power_part, tasks, repeats, config.parts).values())
    power: dict[str, list[dict[str, Any]]] = {}
    for name, n, p, _ in cells:
        rows = zip(tests, results, strict=False)
        of = {test: share(own)["rate"] if test == OURS else beyond(own) for test, own in rows}
        power.setdefault(name, []).append({"n": n, "p": p, "repeats": repeats, **of})
    return power


def power_part(cell: tuple[Any, ...], seed: int, indices: Iterable[int]) -> list[Any]:
    """Return p-values of ours; or statistics of data and of permuted data, of a rival."""
    name, n, p, noise, test, permutations = cell
    rows: list[Any] = []
    for index in indices:
        child = split(seed, index)
        x, y = simulate(name, n, p, noise=noise, seed=child)
        if test == OURS:
            rows.append(dependence(x, y, permutations=permutations, seed=child).p_value)
        else:
            moved = numpy_generator(child, "order").permutation(y)
            rows.append([_statistic(test, x, y), _statistic(test, x, moved)])
    return rows


def _statistic(test: str, x: np.ndarray, y: np.ndarray) -> float:
    from hyppo import independence

    return float(getattr(independence, test)().statistic(x, y))


def beyond(statistics: list[list[float]]) -> float:
    """Return the share of statistics beyond the 95% quantile of permuted ones."""
    data, permuted = np.array(statistics).T
    return float((data >= np.quantile(permuted, 1 - LEVEL)).mean())


# Time.


def _times(config: Config, seed: int, context: RunContext) -> dict[str, list[dict[str, Any]]]:
    tests = (OURS, *config.rivals)
    tasks = {
        f"time of {test}, n={n}": (test, n, config.permutations, seed)
        for n in config.time_sizes
        for test in tests
    }
    seconds = context.map(seconds_of, tasks)
    return {
        test: [{"n": n, **seconds[f"time of {test}, n={n}"]} for n in config.time_sizes]
        for test in tests
    }


def seconds_of(test: str, n: int, permutations: int, seed: int) -> dict[str, float]:
    """Return CPU seconds of a test with all its permutations, on hyppo's circle.

    Of a rival one statistic is timed, the best of up to three, and multiplied by the number of
    permutations: a statistic of MGC takes minutes at 10,000 rows.
    """
    x, y = simulate("circle", n, 1, noise=True, seed=seed)

    def once() -> float:
        started = time.process_time()
        if test == OURS:
            dependence(x, y, permutations=permutations)
        else:
            _statistic(test, x, y)
        return time.process_time() - started

    simulated = simulate("circle", 30, 1, noise=True, seed=seed)
    if test == OURS:
        dependence(*simulated, permutations=9)
    else:
        _statistic(test, *simulated)  # compiles, where it does
    best = min(once() for _ in range(3 if n <= 1000 else 1))
    return {"seconds": best if test == OURS else best * (permutations + 1)}


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {"hyppo": version("hyppo")}
