"""Ours: every null, interval and edge of the measure, against processes in families.

Of noise, whatever its size depends on: how often p <= 0.05 and how often a direction is kept. Of
relations: how often they are found. Of straight lines: how often there is a bend. Of intervals: how
often they cover what the same readouts explain of many new samples. Of two scores: how often an
idle input is called a gain, and one that tells is found. Of scans: how often there is any finding.
Every rate stands beside the number of its data sets.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.measure.difference import difference
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.scan import scan
from learnable_novelty.measure.score import score
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.settings import Settings
from novelty_lab.studies.calibration.new_samples import share_of_new_samples
from novelty_lab.studies.calibration.processes import (
    BENDS,
    GROUP_NOISE,
    LINEAR_SERIES,
    LINES,
    RELATIONS,
    ROW_NOISE,
    SERIES_NOISE,
    Data,
    Generator,
    filtered,
)

LEVEL = 0.05
"""Of every test whose level is measured."""


@dataclass(frozen=True)
class Config(Settings):
    """How many data sets, and how large."""

    repeats: int = 100
    """Data sets of each kind of noise."""
    others: int = 20
    """Data sets of each other process, interval and comparison; half of it of scans."""
    draws: int = 1
    """Reservoirs of a score."""
    null: int = 99
    """Rearrangements of a test."""
    samples: int = 150
    """Rows, and steps of a series whose null is linear."""
    steps: int = 300
    """Steps of other series, and rows of groups."""
    new_samples: int = 4000
    """New samples that tell the population value of an interval."""
    parts: int = 5
    """Tasks that the data sets of a process are divided into."""


PAPER = Config()
QUICK = Config(repeats=2, others=2, null=19, samples=80, steps=120, new_samples=200, parts=1)

TESTED = {
    "rows": ROW_NOISE,
    "groups": GROUP_NOISE,
    "series": SERIES_NOISE,
    "linear series": LINEAR_SERIES,
    "relations": RELATIONS,
    "lines": LINES,
    "bends": BENDS,
}
NOISE = ("rows", "groups", "series")


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Count what tests say, and what intervals cover."""
    cells = [f"{family}: {name}" for family, some in TESTED.items() for name in some]
    tested = in_parts(config, cells, tested_part, seed, context)
    covered = in_parts(config, list(COVERED), covered_part, seed, context)
    compared = in_parts(config, list(COMPARED), compared_part, seed, context)
    scanned = in_parts(config, list(SCANNED), scanned_part, seed, context)
    return RunResult(
        {
            "tests": {cell: rates(rows) for cell, rows in tested.items()},
            "coverage": {cell: coverage(rows) for cell, rows in covered.items()},
            "differences": {cell: gains(rows) for cell, rows in compared.items()},
            "scans": {cell: findings(rows) for cell, rows in scanned.items()},
        }
    )


# Tests: level and power.


def tested_part(config: Config, cell: str, part: int, seed: int) -> list[list[Any]]:
    """Return p of a mean, of dependence and of a bend, whether a direction is kept, refusals."""
    family, _, name = cell.partition(": ")
    repeats = config.repeats if family in NOISE else config.others
    n = config.steps if family in ("groups", "series") else config.samples
    rows = []
    for index in part_of(repeats, part, config.parts):
        data = TESTED[family][name](numpy_generator(seed, cell, index), n)
        found = scored(data, config, split(seed, "score", cell, index))
        told = found.dependence_p_value, found.bend_p_value, found.linear_variance
        kept = found.directions > 0  # NaN where the test is refused
        rows.append([found.p_value, *told, kept, found.refusal is not None, bool(found.cautions)])
    return rows


def scored(data: Data, config: Config, seed: int) -> Score:
    """Score a data set as a user would, with few rearrangements."""
    settings = dict(data)
    x, y = settings.pop("inputs"), settings.pop("targets", None)
    null = Null(config.null, settings.pop("null", "auto"))
    return score(x, y, draws=config.draws, null=null, seed=seed, **settings)


def rates(rows: list[list[Any]]) -> dict[str, Any]:
    """Count p-values at or below the level; none at all is no finding."""
    p, of_any, bend, _, kept, refused, cautioned = zip(*rows, strict=True)

    def share(values: Any) -> float | None:
        if all(value is None for value in values):
            return None
        return float(np.mean([value is not None and value <= LEVEL for value in values]))

    return {
        "rate": share(p) or 0.0,
        "dependence": share(of_any),
        "bend": share(bend),
        "kept": float(np.mean(kept)),
        "refused": float(np.mean(refused)),
        "cautioned": float(np.mean(cautioned)),
        "sets": len(rows),
    }


# Coverage of the intervals of held-out variance.

STRENGTHS = {"none": 0.0, "weak": 0.5, "strong": 2.0}
"""Deviation of the signal beside noise of deviation one."""
SIGNAL_DEVIATION = 0.7025
"""Of sin(1.5 x), x normal."""
NOISES = ("normal", "t3", "skewed", "groups of ten", "AR 0.8 series")
COVERED = {
    f"{noise}, {strength}": (noise, strength)
    for noise, strength in itertools.product(NOISES, STRENGTHS)
}


def covered_data(noise: str, strength: str, n: int, g: Generator) -> Data:
    """Draw inputs and targets, sin(1.5 x) in noise of deviation one."""
    x, e = g.standard_normal((2, n, 1))
    settings: Data = {}
    if noise == "t3":
        e = g.standard_t(3, x.shape) / 3**0.5
    elif noise == "skewed":
        e = g.exponential(1.0, x.shape) - 1
    elif noise == "groups of ten":
        labels = np.arange(n) // 10
        x, e = ((g.standard_normal((n, 1))[labels] + one) / 2**0.5 for one in (x, e))
        settings = {"groups": labels}
    elif noise == "AR 0.8 series":
        x, e = (filtered(g, n, past=(0.8,)) * 0.6 for _ in range(2))
        settings = {"leads": [0]}
    y = STRENGTHS[strength] / SIGNAL_DEVIATION * np.sin(1.5 * x) + e
    return {"inputs": x, "targets": y, **settings}


def covered_part(config: Config, cell: str, part: int, seed: int) -> list[list[float]]:
    """Return share, interval and population value, cut at 0, of each set."""
    rows = []
    for index in part_of(config.others, part, config.parts):
        g, child = numpy_generator(seed, cell, index), split(seed, "cover", cell, index)
        data = covered_data(*COVERED[cell], config.samples, g)
        new = covered_data(*COVERED[cell], config.new_samples, g)
        found = score(null=0, draws=config.draws, seed=child, **data)
        value = share_of_new_samples(data, new, draws=config.draws, seed=child)
        rows.append([found.held_out_variance, *found.held_out_interval, max(0.0, value)])
    return rows


def coverage(rows: list[list[float]]) -> dict[str, float]:
    """Count the intervals that hold the population value."""
    share, low, high, value = np.array(rows).T
    near = 1e-9
    return {
        "covered": float(((low <= value + near) & (value - near <= high)).mean()),
        "too_high": float((low > value + near).mean()),
        "share": float(share.mean()),
        "population": float(value.mean()),
        "width": float((high - low).mean()),
        "sets": len(rows),
    }


# Two scores: an input more.

COMPARED = {"idle input, curve": (1.0, 0.0), "idle input, lines": (0.0, 0.0), "adds 6%": (1.0, 0.4)}
"""How much of a sine and of the third input are in the targets."""


def compared_part(config: Config, cell: str, part: int, seed: int) -> list[list[float]]:
    """Return p of a gain, the gain, and the difference of held-out variances."""
    bent, third = COMPARED[cell]
    rows = []
    for index in part_of(config.others, part, config.parts):
        g, child = numpy_generator(seed, cell, index), split(seed, "compare", cell, index)
        x = g.standard_normal((config.steps, 3))
        first = np.sin(2 * x[:, 0]) if bent else x[:, 0]
        y = first + x[:, 1] + third * x[:, 2] + 0.7 * g.standard_normal(len(x))
        one, other = (score(x[:, :k], y, draws=4, null=0, seed=child) for k in (2, 3))
        found = difference(one, other)
        rows.append([found.p_value, found.gain, found.difference])
    return rows


def gains(rows: list[list[float]]) -> dict[str, float]:
    """Count the gains that are found."""
    p, gain, apart = np.array(rows).T
    found = {"rate": float((p <= LEVEL).mean()), "gain": float(gain.mean())}
    return {**found, "difference": float(apart.mean()), "sets": len(rows)}


# Scans.

SCANNED = ("independent columns", "eight columns of one size", "groups of ten", "equal rows")


def scanned_part(config: Config, cell: str, part: int, seed: int) -> list[list[float]]:
    """Return the number of findings in tables without a mean that can be learned."""
    rows = []
    for index in part_of(-(-config.others // 2), part, config.parts):
        g = numpy_generator(seed, cell, index)
        settings: dict[str, Any] = {}
        values = g.standard_normal((config.samples, 8))
        if cell == "eight columns of one size":
            values *= np.exp(0.7 * g.standard_normal((config.samples, 1)))
        elif cell == "groups of ten":
            labels = np.arange(config.samples) // 10
            values += g.standard_normal((config.samples, 8))[labels]
            settings = {"groups": labels}
        elif cell == "equal rows":
            values = np.repeat(values[: config.samples // 3], 3, axis=0)
        columns = {f"c{k}": column for k, column in enumerate(values.T)}
        found = scan(columns, draws=1, seed=split(seed, "scan", cell, index), **settings)
        rows.append([len(found.discoveries())])
    return rows


def findings(rows: list[list[float]]) -> dict[str, float]:
    """Count the tables with a finding."""
    many = np.array(rows)[:, 0]
    return {"rate": float((many > 0).mean()), "columns": float(many.mean()), "sets": len(rows)}


def part_of(repeats: int, part: int, parts: int) -> range:
    """Return which repeats belong to a part.

    >>> [list(part_of(5, part, 2)) for part in range(2)]
    [[0, 1], [2, 3, 4]]
    """
    first, last = (round(k * repeats / parts) for k in (part, part + 1))
    return range(first, last)


def in_parts(
    config: Any, kinds: Sequence[str], part: Callable[..., Any], seed: int, context: RunContext
) -> dict[str, list[Any]]:
    """Compute the parts of every kind, each a task ``part(config, kind, number, seed)``.

    Returns:
        The rows of each kind, joined.
    """
    tasks = {
        f"{kind}, part {number}": (config, kind, number, seed)
        for kind in kinds
        for number in range(config.parts)
    }
    results = iter(context.map(part, tasks).values())
    return {
        kind: [row for rows in itertools.islice(results, config.parts) for row in rows]
        for kind in kinds
    }
