"""Ours: every test and every interval of the measure on data it was not designed on.

For every null and option: the share of data sets with p <= 0.05, which should be 0.05 without
structure and near 1 with it, how often the data get a caution, or a reason instead of a p-value.
For the held-out variance: how often its interval covers what the same readouts explain of many new
samples.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.measure.null import Null
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.repeats import LEVEL, in_parts, part_of
from novelty_lab.settings import Settings
from novelty_lab.studies.calibration.new_samples import share_of_new_samples
from novelty_lab.studies.calibration.nulls.processes import (
    LINEAR,
    NONLINEAR,
    PAIRS,
    filtered,
    garch,
)


@dataclass(frozen=True)
class Config(Settings):
    """How many data sets, and how large."""

    repeats: int = 1000
    """Data sets per kind."""
    draws: int = 2
    """Reservoir draws per score."""
    surrogates: int = 99
    """Surrogates of one series."""
    permutations: int = 199
    """Permutations of rows, and shifts of two series."""
    series_lengths: tuple[int, ...] = (150, 600)
    """Steps of one series."""
    pair_lengths: tuple[int, ...] = (400, 1000)
    """Steps of two series."""
    samples: int = 100
    """Rows."""
    coverage_sizes: tuple[int, ...] = (50, 200, 1000, 5000)
    """Rows for the coverage of the held-out interval."""
    coverage_repeats: int = 1000
    """Data sets per kind and size; a fifth of it from 1,000 rows on."""
    new_samples: int = 20_000
    """New samples that give the population value."""
    parts: int = 20
    """Tasks that the repeats of a kind are divided into."""


PAPER = Config()
QUICK = Config(
    repeats=4,
    draws=1,
    surrogates=19,
    permutations=19,
    series_lengths=(150,),
    pair_lengths=(400,),
    coverage_sizes=(50,),
    coverage_repeats=2,
    new_samples=500,
    parts=2,
)

Dataset = tuple[np.ndarray, np.ndarray | None, dict[str, Any]]
"""Inputs, targets, and further arguments of ``score``."""


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Count what the tests say, and what the intervals cover."""
    tested = in_parts(config, list(tested_kinds(config)), tested_part, seed, context)
    covered = in_parts(config, list(coverage_kinds(config)), coverage_part, seed, context)
    return RunResult(
        {
            "tests": {kind: _rates(rows) for kind, rows in tested.items()},
            "coverage": {kind: _coverage(rows) for kind, rows in covered.items()},
        }
    )


# Tests: level and power.


def tested_kinds(config: Config) -> dict[str, Callable[[np.random.Generator], Dataset]]:
    """List data sets by name, each with how it is tested."""
    linear = {"window": 1, "null": Null(config.surrogates, "linear")}
    kinds: dict[str, Callable[[np.random.Generator], Dataset]] = {}
    for n, (name, make) in itertools.product(config.series_lengths, (LINEAR | NONLINEAR).items()):
        kinds[f"linear: {name}, n={n}"] = lambda g, n=n, make=make: (make(n, g), None, linear)
    pair = {"leads": [0], "null": config.permutations}
    for n, (name, make) in itertools.product(config.pair_lengths, PAIRS.items()):
        kinds[f"shifts: {name}, n={n}"] = lambda g, n=n, make=make: (*make(n, g).T, pair)
    time = {"window": 1, "null": config.surrogates}
    for n in config.series_lengths:
        kinds[f"time: white, n={n}"] = lambda g, n=n: (g.standard_normal(n), None, time)
        kinds[f"time: GARCH, n={n}"] = lambda g, n=n: (garch(n, g), None, time)
    return kinds | {f"rows: {name}": make for name, make in _rows(config).items()}


def _rows(config: Config) -> dict[str, Callable[[np.random.Generator], Dataset]]:
    n, plain = config.samples, {"null": config.permutations}
    ranked = {**plain, "rank": True}

    def pair(draw: Callable[..., np.ndarray], settings: dict[str, Any]) -> Dataset:
        return draw((n, 1)), draw((n, 1)), settings

    def scaled(g: np.random.Generator) -> Dataset:
        x = g.standard_normal((n, 1))
        return x, np.abs(x) * g.standard_normal((n, 1)), plain

    def repeated(g: np.random.Generator) -> Dataset:
        rows = np.repeat(g.standard_normal((n // 5, 2)), 5, axis=0)
        return rows[:, :1], rows[:, 1:], plain

    def slow(g: np.random.Generator) -> Dataset:
        rows = filtered(n, g, past=(0.9,), columns=2)
        return rows[:, :1], rows[:, 1:], plain

    def cauchy(g: np.random.Generator, settings: dict[str, Any]) -> Dataset:
        x = g.standard_normal((n, 1))
        return x, x + g.standard_cauchy((n, 1)), settings

    return {
        "normal": lambda g: pair(g.standard_normal, plain),
        "Cauchy": lambda g: pair(g.standard_cauchy, plain),
        "Cauchy, rank": lambda g: pair(g.standard_cauchy, ranked),
        "y = |x| e": scaled,
        "each row five times": repeated,
        "AR 0.9": slow,
        "x + Cauchy noise": lambda g: cauchy(g, plain),
        "x + Cauchy noise, rank": lambda g: cauchy(g, ranked),
    }


def tested_part(config: Config, kind: str, part: int, seed: int) -> list[list[Any]]:
    """Return p of dependence and of a mean, and whether there are cautions or a refusal."""
    make, rows = tested_kinds(config)[kind], []
    for index in part_of(config.repeats, part, config.parts):
        x, y, settings = make(numpy_generator(seed, kind, index))
        child = split(seed, "score", kind, index)
        result = score(x, y, draws=config.draws, seed=child, **settings)
        said = bool(result.cautions), result.refusal is not None
        rows.append([result.dependence_p_value, result.p_value, *said])
    return rows


def _rates(rows: list[list[Any]]) -> dict[str, Any]:
    """Count p-values at or below the level; none at all is no finding."""
    p, mean_p, cautions, refusals = zip(*rows, strict=True)

    def share(values: Any) -> float:
        return float(np.mean([value is not None and value <= LEVEL for value in values]))

    rate = share(p)
    return {
        "rate": rate,
        "se": (rate * (1 - rate) / len(rows)) ** 0.5,
        "mean_rate": None if all(value is None for value in mean_p) else share(mean_p),
        "cautioned": float(np.mean(cautions)),
        "refused": float(np.mean(refusals)),
        "repeats": len(rows),
    }


# Coverage of the held-out interval.

STRENGTHS = {"none": 0.0, "weak": 0.5, "strong": 2.0}
"""Deviation of the signal beside noise of deviation one."""
SIGNAL_DEVIATION = 0.7025
"""Of sin(1.5 x), x normal."""


def coverage_kinds(config: Config) -> dict[str, tuple[str, str, int]]:
    """List noise, strength and size by name; lattices and series of the two middle sizes."""
    kinds = {
        f"{noise}, {strength}, n={n}": (noise, strength, n)
        for noise in ("normal", "t3", "skewed")
        for strength in STRENGTHS
        for n in config.coverage_sizes
    }
    for n in config.coverage_sizes[1:3] or config.coverage_sizes:
        kinds |= {
            f"{noise}, {strength}, n={n}": (noise, strength, n)
            for noise in ("lattices", "AR 0.8 series")
            for strength in ("none", "strong")
        }
    return kinds


def coverage_data(
    noise: str, strength: str, n: int, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Draw inputs and targets, sin(1.5 x) in noise of deviation one."""
    size = STRENGTHS[strength] / SIGNAL_DEVIATION
    if noise == "lattices":
        x = generator.standard_normal((n // 8, 1, 8))
        # Sites of a sample share half of their noise.
        shared = generator.standard_normal((n // 8, 1, 1))
        e = (shared + generator.standard_normal(x.shape)) / 2**0.5
        return x, size * np.sin(1.5 * x) + e, {}
    if noise == "AR 0.8 series":
        x, e = filtered(n, generator, past=(0.8,), columns=2).T * 0.6
        return x, size * np.sin(1.5 * x) + e, {"leads": [0]}
    x = generator.standard_normal((n, 1))
    if noise == "t3":
        e = generator.standard_t(3, x.shape) / 3**0.5
    else:
        e = generator.standard_normal(x.shape)
        e = e if noise == "normal" else generator.exponential(1.0, x.shape) - 1
    return x, size * np.sin(1.5 * x) + e, {}


def coverage_part(config: Config, kind: str, part: int, seed: int) -> list[list[float]]:
    """Return share, interval and population value, cut at 0, of each set."""
    noise, strength, n = coverage_kinds(config)[kind]
    repeats = config.coverage_repeats if n < 1000 else -(-config.coverage_repeats // 5)
    rows = []
    for index in part_of(repeats, part, config.parts):
        generator, child = numpy_generator(seed, kind, index), split(seed, "cover", kind, index)
        x, y, settings = coverage_data(noise, strength, n, generator)
        new_x, new_y, _ = coverage_data(noise, strength, config.new_samples, generator)
        common: dict[str, Any] = {"draws": config.draws, "seed": child, **settings}
        result: Score = score(x, y, null=0, **common)
        value = share_of_new_samples(x, y, new_x, new_y, **common)
        rows.append([result.held_out_variance, *result.held_out_interval, max(0.0, value)])
    return rows


def _coverage(rows: list[list[float]]) -> dict[str, float]:
    share, low, high, value = np.array(rows).T
    near = 1e-9
    return {
        "covered": float(((low <= value + near) & (value - near <= high)).mean()),
        "too_high": float((low > value + near).mean()),
        "too_low": float((high < value - near).mean()),
        "share": float(share.mean()),
        "population": float(value.mean()),
        "width": float((high - low).mean()),
        "repeats": len(rows),
    }
