"""The default observer of ``ln.score`` with a linear and with an activated last layer.

The paper's last layer is linear. The default of the library need not follow it, since its ridge is
chosen by evidence and its features serve any data. For each process and each form: the held-out
share of variance, the share of sets with p <= 0.05 with a relation (power) and without (size; the
targets, or the series, are in random order), seconds, and how many sets were refused.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.measure.defaults import LATTICE_DEPTH, VECTOR_DEPTH, default_width
from learnable_novelty.measure.score import score
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.settings import Settings
from novelty_lab.studies.calibration.default_observer.processes import KINDS

FORMS = {"linear": True, "activated": False}
"""Of the last layer, by name."""
LEVEL = 0.05


@dataclass(frozen=True)
class Config(Settings):
    """How many data sets, and how large."""

    sets: int = 40
    """Data sets of each process with its relation."""
    null_sets: int = 100
    """Data sets of each process without it."""
    rows: int = 300
    """Rows of vectors, steps of series."""
    rings: int = 20
    """Rings of a lattice."""
    draws: int = 2
    """Reservoir draws per score."""
    null: int = 99
    """Rearrangements per test."""


PAPER = Config()
QUICK = Config(sets=2, null_sets=2, rows=100, rings=8, draws=1, null=19)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Score every data set with both forms."""
    tasks = {
        f"{kind}/{name}": (config, kind, name, seed)
        for kind, processes in KINDS.items()
        for name in processes
    }
    return RunResult({"processes": context.map(both_forms, tasks)})


def both_forms(config: Config, kind: str, name: str, seed: int) -> dict[str, dict[str, float]]:
    """Return what each form gets on the same data sets of a process."""
    found: dict[str, list[tuple[float, float, float]]] = {form: [] for form in FORMS}
    under_null: dict[str, list[float]] = {form: [] for form in FORMS}
    refused = dict.fromkeys(FORMS, 0)
    for index in range(config.sets + config.null_sets):
        related = index < config.sets
        generator = numpy_generator(seed, kind, name, index)
        data = KINDS[kind][name](generator, config.rings if kind == "lattices" else config.rows)
        if not related:
            data = without_relation(*data, generator)
        for form, linear_last in FORMS.items():
            began = time.perf_counter()
            try:
                result = scored(config, data, linear_last, split(seed, kind, name, index))
            except UserError:
                refused[form] += 1
                continue
            if related:
                seconds = time.perf_counter() - began
                found[form].append((result.held_out_variance, result.p_value, seconds))
            else:
                under_null[form].append(result.p_value)
    return {form: summary(found[form], under_null[form], refused[form]) for form in FORMS}


def without_relation(
    inputs: np.ndarray, targets: np.ndarray | None, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray | None]:
    """Put targets, or the steps of a series, in random order."""
    if targets is None:
        return generator.permutation(inputs), None
    return inputs, generator.permutation(targets)


def scored(
    config: Config, data: tuple[np.ndarray, np.ndarray | None], linear_last: bool, seed: int
) -> Any:
    """Score a data set with one form of the default observer."""
    inputs, targets = data
    series: dict[str, Any] = {"window": 1, "history": 2} if targets is None else {}
    if inputs.ndim == 3:
        width = default_width(inputs.shape[0] * inputs.shape[2])
        reservoir = reservoirs.Conv1d(1, width, LATTICE_DEPTH, linear_last=linear_last, seed=seed)
    else:
        columns = series.get("history", inputs.shape[1])
        width = default_width(len(inputs))
        reservoir = reservoirs.MLP(columns, width, VECTOR_DEPTH, linear_last=linear_last, seed=seed)
    observer = Observer(reservoir, ridge_penalty="evidence")
    common = {"observer": observer, "draws": config.draws, "null": config.null, "seed": seed}
    return score(inputs, targets, **series, **common)


def summary(
    found: list[tuple[float, float, float]], under_null: list[float], refused: int
) -> dict[str, float]:
    """Summarize a process under one form."""
    held_out, p_values, seconds = np.array(found).T if found else np.full((3, 1), np.nan)
    return {
        "held_out": float(held_out.mean()),
        "held_out_se": float(held_out.std(ddof=1) / len(held_out) ** 0.5),
        "power": float((p_values <= LEVEL).mean()),
        "size": float((np.array(under_null) <= LEVEL).mean()) if under_null else float("nan"),
        "seconds": float(np.median(seconds)),
        "refused": refused,
    }
