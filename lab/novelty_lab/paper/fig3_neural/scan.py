"""Where do 86 to 89 bits come from? One change of an open choice at a time, all else held.

Each variant is trained from the same seeds. Its own score says what the variant's ruler reads; the
score of its final rule under the reference observer, on fresh states and fresh reservoirs in
float64, says whether the rule has become a better one.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnable_novelty.seeds import split
from novelty_lab.context import RunContext, RunResult, TaskContext, deviation
from novelty_lab.paper.fig3_neural.neural import NeuralConfig, final_score, judge, train
from novelty_lab.settings import Settings, choice
from novelty_lab.systems.neural import Update

VARIANTS: dict[str, dict[str, Any]] = {
    "reference": {},
    "last layer activated": {"linear_last": False},
    "target unit 1/sqrt(2)": {"target_unit": 2**-0.5},
    "tf32": {"precision": "tf32"},
    "float32": {"precision": "float32"},
    "initial weights x 3": {"initial_weights": 3.0},
    "initial weights / 3": {"initial_weights": 1 / 3},
    "initial projection x 3": {"initial_projection": 3.0},
    "initial projection / 10": {"initial_projection": 0.1},
    "running moments in burn-in": {"burn_in_statistics": "running"},
    "noise renormalized": {"renormalize_noise": True},
    "clip by value": {"clip_by": "value"},
    "clip before scaling": {"score_scale": 1.0},
    "no weight decay": {"weight_decay": 0.0},
    "learning rate 3e-4": {"learning_rate": 3e-4},
    "learning rate 1e-3": {"learning_rate": 1e-3},
}
"""Changes of the reference, by name."""


@dataclass(frozen=True)
class Config(Settings):
    """The reference, the variants, and how they are judged."""

    reference: NeuralConfig = field(default_factory=NeuralConfig)
    variants: tuple[str, ...] = choice(VARIANTS)
    """Which to train."""
    update: Update = "residual"
    """The update rule of all of them."""
    seeds: int = 2
    """Trainings of each."""
    draws: int = 3
    """Reservoirs and batches that judge a final rule."""
    judged_samples: int = 512
    """States per judging draw."""


PAPER = Config()
QUICK = Config(
    reference=NeuralConfig(batch=32, hidden=16, channels=32, steps=30, learning_rate=1e-3),
    variants=("reference", "target unit 1/sqrt(2)"),
    draws=2,
    judged_samples=32,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train every variant."""
    tasks = {
        f"{name}, {number}": (config, name, split(seed, "variant", number), context.device, task)
        for number in range(config.seeds)
        for name in config.variants
        for task in (context.task(f"{name}, {number}"),)
    }
    trained = context.map(train_variant, tasks)
    results = {name: summary(trained, name, config.seeds) for name in config.variants}
    curves = [
        trained[f"{name}, {k}"]["curve"] for name in config.variants for k in range(config.seeds)
    ]
    shape = len(config.variants), config.seeds, -1
    arrays = {"curves": np.array(curves, dtype=np.float32).reshape(shape)}
    return RunResult(results, {name: r["final"] for name, r in results.items()}, arrays)


def summary(trained: dict[str, Any], name: str, seeds: int) -> dict[str, Any]:
    """Reduce the seeds of a variant."""
    runs = [trained[f"{name}, {number}"] for number in range(seeds)]
    final, judged = ([run[key] for run in runs] for key in ("final", "judged"))
    return {
        "final": float(np.mean(final)),
        "final_sd": float(deviation(final)),
        "finals": final,
        "judged": float(np.mean(judged)),
        "judged_sd": float(deviation(judged)),
    }


def train_variant(
    config: Config, name: str, seed: int, device: str, task: TaskContext
) -> dict[str, Any]:
    """Train one variant and judge its final rule by the reference observer."""
    variant = dataclasses.replace(config.reference, **VARIANTS[name])
    automaton, ascended = train(variant, config.update, seed, device, task)
    judged = judge(config.reference, automaton, seed, config.draws, config.judged_samples)
    return {
        "final": final_score(ascended.scores),
        "judged": float(np.mean(judged)),
        "curve": ascended.scores,
    }
