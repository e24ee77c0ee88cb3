"""Where do 86 to 89 bits come from? One training per open choice, all else held.

Each variant is trained from the same seed. Its own score says what the variant's ruler reads; the
score of its final rule under the reference observer, on fresh states and fresh reservoirs in
float64, says whether the rule has become a better one.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.experiments.base import Bench, Outcome, deviation
from learnable_novelty.experiments.neural import NeuralConfig, evaluate, train

ENGINE, USES = "serial", ("device",)

VARIANTS: dict[str, dict[str, Any]] = {
    "reference": {},
    "input scale 1": {"input_scale": 1.0},
    "input scale 0.3": {"input_scale": 0.3},
    "target unit 1/sqrt(2)": {"target_unit": 2**-0.5},
    "tf32": {"precision": "tf32"},
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
class Config:
    """The reference, the variants, and how they are judged."""

    reference: NeuralConfig = field(default_factory=NeuralConfig)
    variants: tuple[str, ...] = tuple(VARIANTS)
    """Which to train."""
    update: str = "residual"
    """The update rule of all of them."""
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


def run(config: Config, *, seed: int, bench: Bench) -> Outcome:
    """Train every variant."""
    unknown = set(config.variants) - set(VARIANTS)
    if unknown:
        raise ValueError(f"variants must be among {', '.join(VARIANTS)}; got {unknown.pop()!r}")
    tasks = {
        name: (config, name, seed, bench.device, bench.directory(name), bench.narrator(name))
        for name in config.variants
    }
    found = bench.map(train_variant, tasks)
    curves = np.array([found[name].pop("curve") for name in config.variants], dtype=np.float32)
    return Outcome(found, {name: f["final"] for name, f in found.items()}, {"curves": curves})


def train_variant(
    config: Config, name: str, seed: int, device: str, directory: Path | None, report: Any
) -> dict[str, Any]:
    """Train one variant and judge its final rule by the reference observer."""
    variant = dataclasses.replace(config.reference, **VARIANTS[name])
    update: Any = config.update
    automaton, found = train(variant, update, seed, device, directory, report)
    last = found.scores[-max(1, len(found.scores) // 40) :]
    judged = [
        evaluate(config.reference, automaton, seed, draw, config.judged_samples)
        for draw in range(config.draws)
    ]
    bits = [j["bits"] for j in judged]
    return {
        "final": float(np.mean(last)),
        "judged": float(np.mean(bits)),
        "judged_sd": float(deviation(bits)),
        "curve": found.scores,
    }
