"""Ours: what the sentences of a report are worth, on data that they were not designed on.

Scans of tables whose columns are independent: how often is anything called a finding? At a false
discovery rate of 5% that should be at most 5% of the tables. Relations of the strength that a
report says "would have been found 9 times in 10": how often are they found? And the denoised bits
of three known relations for every number of rows, the scale that reports show.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.data.table import Column, Table
from learnable_novelty.measure.scan import scan
from learnable_novelty.measure.score import score
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.repeats import LEVEL, in_parts, part_of
from novelty_lab.settings import Settings


@dataclass(frozen=True)
class Config(Settings):
    """How many data sets, and how large."""

    tables: int = 300
    """Tables per kind of column."""
    columns: int = 8
    """Columns of a table."""
    rows: int = 150
    """Rows of a table."""
    permutations: int = 499
    """Of a scan."""
    sizes: tuple[int, ...] = (30, 100, 400)
    """Rows for the power statement."""
    inputs: tuple[int, ...] = (1, 4)
    """Input columns for the power statement."""
    power_repeats: int = 200
    """Data sets per relation."""
    reference_sizes: tuple[int, ...] = (30, 100, 300, 1000, 3000, 10_000)
    """Rows for the scale of bits."""
    reference_repeats: int = 40
    """Data sets per size; a tenth of it from 1,000 rows on."""
    draws: int = 4
    """Reservoir draws for the scale of bits; 2 for all else."""
    parts: int = 20
    """Tasks that the data sets of a kind are divided into."""


PAPER = Config()
QUICK = Config(
    tables=2,
    columns=3,
    rows=40,
    permutations=59,
    sizes=(30,),
    inputs=(1,),
    power_repeats=2,
    reference_sizes=(30, 100),
    reference_repeats=2,
    draws=1,
    parts=2,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Scan tables of independent columns, look for known relations, and measure the scale."""
    scanned = in_parts(config, scan_kinds(), scan_part, seed, context)
    powers = in_parts(config, power_kinds(config), power_part, seed, context)
    references = in_parts(config, reference_kinds(config), reference_part, seed, context)
    return RunResult(
        {
            "scans": {kind: _false_findings(rows) for kind, rows in scanned.items()},
            "power": {kind: _found(rows) for kind, rows in powers.items()},
            "references": _scale(config, references),
        }
    )


# Scans: tables in which nothing can be found.

COLUMNS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda g, n: g.standard_normal(n),
    "t3": lambda g, n: g.standard_t(3, n),
    "Cauchy": lambda g, n: g.standard_cauchy(n),
    "counts": lambda g, n: g.poisson(0.7, n).astype(float),
}


def scan_kinds() -> list[str]:
    """List kinds of columns, and whether pairs are scanned."""
    kinds = [*COLUMNS, "categories", "all of these"]
    return [f"{what}: {kind}" for what in ("columns", "pairs") for kind in kinds]


def independent_table(kind: str, config: Config, generator: np.random.Generator) -> Table:
    """Draw a table of independent columns."""
    kinds = [kind] * config.columns
    if kind == "all of these":
        kinds = list(itertools.islice(itertools.cycle([*COLUMNS, "categories"]), config.columns))
    columns = []
    for place, column_kind in enumerate(kinds):
        name = f"column {place}"
        if column_kind == "categories":
            levels = tuple("abcd"[: 2 + place % 3])
            rates = np.arange(1.0, len(levels) + 1)
            values = generator.choice(len(levels), config.rows, p=rates / rates.sum())
            columns.append(Column(name, "category", values, levels))
        else:
            columns.append(Column(name, "number", COLUMNS[column_kind](generator, config.rows)))
    return Table(tuple(columns))


def scan_part(config: Config, kind: str, part: int, seed: int) -> list[list[float]]:
    """Return how many relations were called, and how many have p <= 0.05, of each table."""
    what, _, columns = kind.partition(": ")
    rows = []
    for index in part_of(config.tables, part, config.parts):
        table = independent_table(columns, config, numpy_generator(seed, kind, index))
        result = scan(
            table,
            pairs=what == "pairs",
            permutations=config.permutations,
            seed=split(seed, "scan", kind, index),
        )
        p = [one.p_value for one in result.relations if one.p_value is not None]
        rows.append([len(result.discoveries()), float(np.mean(np.array(p) <= LEVEL))])
    return rows


def _false_findings(rows: list[list[float]]) -> dict[str, float]:
    called, small = np.array(rows).T
    rate = float((called > 0).mean())
    return {
        "rate": rate,
        "se": (rate * (1 - rate) / len(rows)) ** 0.5,
        "p_at_5": float(small.mean()),
        "most": float(called.max()),
        "repeats": len(rows),
    }


# Power: relations of the strength that a report names.

RELATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "line": lambda x: x[:, 0],
    "all inputs": lambda x: x.sum(1),
    "sine": lambda x: np.sin(1.5 * x[:, 0]),
    "step": lambda x: np.sign(x[:, 0]),
}
NOISES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda g, n: g.standard_normal(n),
    "t3": lambda g, n: g.standard_t(3, n) / 3**0.5,
}


def power_kinds(config: Config) -> list[str]:
    """List relations with noise, rows and inputs."""
    return [
        f"{relation}, {noise} noise, n={n}, {inputs} inputs"
        for relation, noise in itertools.product(RELATIONS, NOISES)
        for n, inputs in itertools.product(config.sizes, config.inputs)
        if inputs > 1 or relation != "all inputs"
    ]


def power_part(config: Config, kind: str, part: int, seed: int) -> list[list[float]]:
    """Return the share that a report of noise names, and whether a relation of it was found."""
    relation, noise, size, columns = kind.split(", ")
    n, inputs = int(size[2:]), int(columns.split()[0])
    draw, function = NOISES[noise.split()[0]], RELATIONS[relation]
    rows = []
    for index in part_of(config.power_repeats, part, config.parts):
        generator, child = numpy_generator(seed, kind, index), split(seed, "power", kind, index)
        named = _named_share(generator, draw, n, inputs, child)
        if named is None or math.isnan(named):
            continue
        many = function(generator.standard_normal((20_000, inputs)))
        x = generator.standard_normal((n, inputs))
        signal = (function(x) - many.mean()) / many.std()
        y = named**0.5 * signal + (1 - named) ** 0.5 * draw(generator, n)
        p = score(x, y, draws=2, null=199, seed=child).p_value
        rows.append([named, float(p is not None and p <= LEVEL)])
    return rows


def _named_share(
    generator: np.random.Generator,
    draw: Callable[[np.random.Generator, int], np.ndarray],
    n: int,
    inputs: int,
    seed: int,
) -> float | None:
    """Return the share that a report of unrelated data names; None where it finds a relation."""
    x, y = generator.standard_normal((n, inputs)), draw(generator, n)
    return score(x, y, draws=2, null=199, seed=seed).detectable_share


def _found(rows: list[list[float]]) -> dict[str, float]:
    shares, hits = np.array(rows or [[math.nan, 0.0]]).T
    rate = float(hits.mean())
    return {
        "share": float(shares.mean()),
        "rate": rate,
        "se": (rate * (1 - rate) / len(hits)) ** 0.5,
        "repeats": len(rows),
    }


# The scale of bits.


def _logistic(x: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        x = 4 * x * (1 - x)
    return x


REFERENCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "line": lambda x: x,
    "parabola": lambda x: _logistic(x, 1),
    "logistic map, 3 steps": lambda x: _logistic(x, 3),
}
NOISE_SHARE = 0.1
"""Of the targets' variance."""


def reference_kinds(config: Config) -> list[str]:
    """List relations with their numbers of rows."""
    return [f"{name}; {n}" for name in REFERENCES for n in config.reference_sizes]


def reference_part(config: Config, kind: str, part: int, seed: int) -> list[float]:
    """Return denoised bits of each set."""
    name, _, size = kind.partition("; ")
    n = int(size)
    repeats = config.reference_repeats if n < 1000 else -(-config.reference_repeats // 10)
    bits = []
    for index in part_of(repeats, part, config.parts):
        generator, child = numpy_generator(seed, kind, index), split(seed, "bits", kind, index)
        x = generator.uniform(size=n)
        signal = REFERENCES[name](x)
        y = (1 - NOISE_SHARE) ** 0.5 * signal / signal.std()
        y = y + NOISE_SHARE**0.5 * generator.standard_normal(n)
        bits.append(score(x, y, draws=config.draws, null=0, seed=child).denoised_bits)
    return bits


def _scale(config: Config, by_kind: dict[str, list[float]]) -> dict[str, Any]:
    bits = {
        name: [float(np.mean(by_kind[f"{name}; {n}"])) for n in config.reference_sizes]
        for name in REFERENCES
    }
    return {"sizes": list(config.reference_sizes), "bits": bits}
