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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.independence import dependence
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.repeats import LEVEL, part_of
from novelty_lab.settings import Settings
from novelty_lab.studies.dependence.processes import (
    CONFOUNDED,
    CONNECTED,
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
    """Of ours; a fifth of it over dimension and given a third variable."""
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
    given_sizes: tuple[int, ...] = (200, 500)
    """Rows of confounded pairs."""
    given_repeats: int = 1000
    """Data sets per confounded pair."""
    given_rival_repeats: int = 100
    """The same for the tree test of conditional independence (FCIT)."""
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
    given_sizes=(60,),
    given_repeats=2,
    given_rival_repeats=1,
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
    given = [("level", k) for k in CONFOUNDED] + [("power", k) for k in CONNECTED]
    return RunResult(
        {
            "size": _power(config, sizes, config.repeats, config.permutations, seed, context),
            "dimension": _power(
                config, grown, config.dimension_repeats, config.permutations // 5, seed, context
            ),
            "level": _shares(
                config, level_part, _level_cells(config), config.repeats, seed, context
            ),
            "given": {
                test: _shares(
                    config,
                    given_part,
                    [(*cell, n, test) for cell in given for n in config.given_sizes],
                    config.given_repeats if test == OURS else config.given_rival_repeats,
                    seed,
                    context,
                )
                for test in (OURS, "FCIT")
            },
            "seconds": _times(config, seed, context),
        },
        versions=_versions(),
    )


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
        f"{name}, n={n}, p={p}, noise={noise}, {test}, part {part}": (
            (name, n, p, noise, test, permutations),
            list(part_of(repeats, part, config.parts)),
            seed,
        )
        for (name, n, p, noise), test in itertools.product(cells, tests)
        for part in range(config.parts)
    }
    results = iter(context.map(power_part, tasks).values())
    power: dict[str, list[dict[str, Any]]] = {}
    for name, n, p, _ in cells:
        entry: dict[str, Any] = {"n": n, "p": p, "repeats": repeats}
        for test in tests:
            rows = [row for part in itertools.islice(results, config.parts) for row in part]
            entry[test] = _share(rows) if test == OURS else _beyond(rows)
        power.setdefault(name, []).append(entry)
    return power


def power_part(cell: tuple[Any, ...], indices: Iterable[int], seed: int) -> list[Any]:
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
    from hyppo import independence  # pyright: ignore[reportMissingImports]

    return float(getattr(independence, test)().statistic(x, y))


def _share(p_values: list[float]) -> float:
    return float(np.mean(np.array(p_values) <= LEVEL + 1e-9))


def _beyond(statistics: list[list[float]]) -> float:
    """Return the share of statistics beyond the 95% quantile of permuted ones."""
    data, permuted = np.array(statistics).T
    return float((data >= np.quantile(permuted, 1 - LEVEL)).mean())


# Level, and a third variable.


def _shares(
    config: Config,
    part_function: Callable[..., list[float]],
    cells: list[tuple[Any, ...]],
    repeats: int,
    seed: int,
    context: RunContext,
) -> dict[str, dict[str, float]]:
    """Return the share of p <= 0.05 of every cell."""
    tasks = {
        f"{cell}, part {part}": (
            config,
            cell,
            list(part_of(repeats, part, config.parts)),
            seed,
        )
        for cell in cells
        for part in range(config.parts)
    }
    results = iter(context.map(part_function, tasks).values())
    shares = {}
    for cell in cells:
        p = [row for part in itertools.islice(results, config.parts) for row in part]
        rate = _share(p)
        error = (rate * (1 - rate) / len(p)) ** 0.5
        name = ", ".join(str(part) for part in cell if not isinstance(part, int))
        key = f"{name}, n={next(part for part in cell if isinstance(part, int))}"
        shares[key] = {"rate": rate, "se": error, "repeats": len(p)}
    return shares


def _level_cells(config: Config) -> list[tuple[Any, ...]]:
    rows = [(name, n) for name in NULLS for n in config.null_sizes]
    return rows + [(name, 10 * config.null_sizes[-1]) for name in SERIES]


def level_part(
    config: Config, cell: tuple[str, int], indices: Iterable[int], seed: int
) -> list[float]:
    """Return p-values of independent pairs; series are tested in blocks."""
    name, n = cell
    make, blocks = (SERIES[name], OURS_BLOCKS) if name in SERIES else (NULLS[name], None)
    return [
        dependence(
            *make(n, numpy_generator(seed, *cell, index)),
            permutations=config.permutations,
            blocks=blocks,
            seed=split(seed, index),
        ).p_value
        for index in indices
    ]


def given_part(
    config: Config, cell: tuple[str, str, int, str], indices: Iterable[int], seed: int
) -> list[float]:
    """Return p-values given a third variable."""
    kind, name, n, test = cell
    make = (CONFOUNDED if kind == "level" else CONNECTED)[name]
    p_values = []
    for index in indices:
        x, y, z = make(n, numpy_generator(seed, kind, name, n, index))
        child = split(seed, index)
        if test == OURS:
            result = dependence(x, y, z, permutations=config.permutations // 5, seed=child)
            p_values.append(result.p_value)
        else:
            p_values.append(_tree_p_value(x, y, z, child))
    return p_values


def _tree_p_value(x: np.ndarray, y: np.ndarray, z: np.ndarray, seed: int) -> float:
    """Return the p-value of the fast conditional independence test, in this process alone."""
    from hyppo.conditional import FCIT  # pyright: ignore[reportMissingImports]
    from joblib import parallel_config

    np.random.seed(seed % 2**32)  # noqa: NPY002
    with parallel_config(backend="sequential"):
        return float(FCIT().test(x, y, z)[1])


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
