"""Appendix D, second half: both readouts along the training of the neural automaton.

Reads the rules of experiment ``nca`` at every checkpoint. Each is run again, from fresh states and
seen by a fresh reservoir, and the ridge readout and the exact minimizer are solved on the same
moments: paired, draw by draw.
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.seeds import split
from novelty_lab import records
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.paper.app_d_exact_readout.experiment import solve_both
from novelty_lab.paper.fig3_neural.experiment import rule_of
from novelty_lab.paper.fig3_neural.neural import NeuralConfig, neural_observer, sample
from novelty_lab.records import Record
from novelty_lab.settings import Settings
from novelty_lab.systems.neural import Update


@dataclass(frozen=True)
class Config(Settings):
    """Which rules to look at, and how."""

    source: str = "paper"
    """Configuration of the experiment ``nca`` whose record is read: the name it is saved under."""
    update: Update = "residual"
    """Update rule."""
    seeds: int = 3
    """How many training seeds, from the first one."""
    draws: int = 3
    """Reservoirs and batches of states per checkpoint."""
    samples: int = 2048
    """States per draw; as many as a training step takes."""
    tolerance: float = 1e-7
    """How far a sweep may still move the readout, relative to its size, to count as stationary."""
    plateau: int = 1500
    """Step from which the training counts as converged."""


PAPER = Config()
QUICK = Config(source="quick", seeds=1, draws=2, samples=64, plateau=225)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Solve both readouts for every seed, checkpoint and draw."""
    trained = load_trained(config, seed, context)
    table_4 = neural_config(trained)
    steps: list[int] = trained.results["checkpoints"]
    numbers: list[int] = trained.configuration["seeds"][: config.seeds]
    tasks: dict[str, tuple[Any, ...]] = {}
    for number in numbers:
        vectors = trained.arrays[f"weights/{config.update}-seed-{number}"]
        for (step, vector), draw in itertools.product(
            zip(steps, vectors, strict=True), range(config.draws)
        ):
            # The draw is the same at every checkpoint: what changes along a run is the rule.
            chance = split(seed, "mdl-nca", number, draw)
            name = f"{config.samples} states, seed {number}, step {step}, draw {draw}"
            tasks[name] = (config, table_4, vector, chance)
    solved = list(context.map(solve, tasks).values())
    shape = (len(numbers), len(steps), config.draws)
    ridge, exact = (np.array([s[key] for s in solved]).reshape(shape) for key in ("ridge", "exact"))
    on_plateau = np.array(steps) >= config.plateau
    results = {
        "checkpoints": steps,
        "seeds": numbers,
        **compare(ridge, exact, on_plateau),
        "most_sweeps": max(s["sweeps"] for s in solved),
        "worst_stationarity": max(s["stationarity"] for s in solved),
    }
    return RunResult(results, arrays={"ridge": ridge, "exact": exact})


def load_trained(config: Config, seed: int, context: RunContext) -> Record:
    """Read the record of the training."""
    name = f"{config.source}-seed{seed}"
    try:
        trained = records.load(context.records / "nca" / name)
    except ValueError:
        how = f" --config {config.source}" if config.source in ("paper", "quick") else ""
        raise UserError(
            f"expected a record of nca in {context.records / 'nca' / name}, found none; "
            f"run: novelty run nca{how} --seed {seed}"
        ) from None
    settings = trained.configuration
    if config.update not in settings["updates"] or len(settings["seeds"]) < config.seeds:
        raise UserError(
            f"expected {config.seeds} seeds of update {config.update!r} in the record {name} of "
            f"nca, it holds {len(settings['seeds'])} of {' and '.join(settings['updates'])}"
        )
    return trained


def neural_config(trained: Record) -> NeuralConfig:
    """Return what the automata of a record were trained with; their observer is the present one."""
    held = trained.configuration
    names = [field.name for field in dataclasses.fields(NeuralConfig)]
    return NeuralConfig(**{name: held[name] for name in names if name in held})


@torch.no_grad()
def solve(config: Config, table_4: NeuralConfig, vector: np.ndarray, seed: int) -> dict[str, Any]:
    """Solve both readouts of one rule on one draw: states in float32, moments in float64."""
    rule = rule_of(table_4, config.update, vector)
    generator = torch.Generator().manual_seed(split(seed, "states"))
    inputs, targets = sample(dataclasses.replace(table_4, batch=config.samples), rule, generator)
    observer = neural_observer(table_4, split(seed, "reservoir"))
    moments = observer.rows(inputs, targets).moments(observer.accumulate_dtype)
    axes = Spectral.of(moments.standardized(observer.target_unit))
    return solve_both(observer, axes, config.tolerance)


def compare(ridge: np.ndarray, exact: np.ndarray, on_plateau: np.ndarray) -> dict[str, Any]:
    """Reduce paired bits, (seeds, checkpoints, draws), to what the appendix reports."""
    mean_ridge, mean_exact = ridge.mean(2), exact.mean(2)
    excess = mean_exact - mean_ridge
    # Two points have a correlation, one has none; nor has a score that never moves.
    varies = mean_ridge.std() > 0 and mean_exact.std() > 0
    correlation = np.corrcoef(mean_ridge.ravel(), mean_exact.ravel())[0, 1] if varies else None
    offsets = excess[:, on_plateau].ravel()
    return {
        "ridge": mean_ridge.tolist(),
        "exact": mean_exact.tolist(),
        "ridge_sd": deviation(ridge).tolist(),
        "exact_sd": deviation(exact).tolist(),
        "pairs": ridge.size,
        "pairs_exact_not_below": int((exact >= ridge - 1e-9).sum()),
        "pearson": None if correlation is None else float(correlation),
        "offset_by_checkpoint": excess.mean(0).tolist(),
        "plateau_points": offsets.size,
        "plateau_ridge": float(mean_ridge[:, on_plateau].mean()) if offsets.size else None,
        "offset": float(offsets.mean()) if offsets.size else None,
        "offset_sd": float(deviation(offsets)) if offsets.size else None,
    }
