"""Appendix G: how the encoder depends on its training and its observer.

One setting at a time is varied around the paper's, and an encoder is trained for 150 steps with
the same seed. The paper names the ranges of ridge and resolution only by their ends; the values
of the other settings are ours.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from learnable_novelty.seeds import split
from novelty_lab.context import NO_CHECKPOINTS, RunContext, RunResult, TaskContext
from novelty_lab.paper.fig4_encoder.encoding import (
    ON_DIGITS,
    EncoderConfig,
    images_of,
    probe,
    probed_images,
    train,
)
from novelty_lab.settings import choice, varied

AXES: dict[str, tuple[float, ...]] = {
    "learning_rate": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2),
    "batch_size": (32, 64, 128, 256, 512),
    "code_dim": (16, 32, 64, 128, 256),
    "reservoir_depth": (1, 2, 4, 6, 8),
    "reservoir_width": (256, 512, 1024, 2048, 4096),
    "ridge_penalty": (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
    "resolution": (0.01, 0.1, 1.0, 3.0, 30.0, 100.0, 300.0),
}
LAST = 10
"""Steps whose mean is the final score."""


@dataclass(frozen=True)
class Config(EncoderConfig):
    """The paper's setting as the centre of the scan."""

    steps: int = 150
    """Training steps."""
    axes: tuple[str, ...] = choice(AXES)
    """Which settings to vary."""


PAPER = Config()
QUICK = dataclasses.replace(PAPER, **ON_DIGITS, steps=30, axes=("code_dim", "ridge_penalty"))


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train one encoder per cell; a cell at the reference is the reference."""
    cells = {f"{axis}={value:g}": (axis, value) for axis in config.axes for value in AXES[axis]}
    variants = {"reference": config} | {
        name: varied(config, axis, value)
        for name, (axis, value) in cells.items()
        if getattr(config, axis) != value
    }
    where = seed, context.data, context.device
    tasks = {name: (variant, *where, context.task(name)) for name, variant in variants.items()}
    trained = context.map(train_variant, tasks)
    summary: dict[str, Any] = {
        name: {
            "axis": axis,
            "value": value,
            "is_reference": name not in variants,
            **trained.get(name, trained["reference"]),
        }
        for name, (axis, value) in cells.items()
    }
    return RunResult({"cells": summary, "reference": trained["reference"]})


def train_variant(
    config: Config, seed: int, data: Path | None, device: str, task: TaskContext = NO_CHECKPOINTS
) -> dict[str, float]:
    """Train one encoder: its final bits, and both probes."""
    images = images_of(config.dataset, data)
    labelled = probed_images(config, images, seed, device)
    child = split(seed, "training", 0)
    encoder, _, ascended = train(config, images.train_images.to(device), child, config.steps, task)
    with torch.no_grad():
        codes = encoder(labelled.train_images), encoder(labelled.test_images)
    return {"bits": float(np.mean(ascended.scores[-LAST:])), **probe(*codes, labelled)}
