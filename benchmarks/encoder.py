"""A training step of the image encoder: the primal QR of appendix E, and the dual."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.timing import Row, compare
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.solvers import Solver
from novelty_lab.ascent.ascent import Ascent, AscentConfig
from novelty_lab.systems.encoder import Encoder


def prepare(
    batch: int, width: int, pixels: int = 784
) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Make one step of the paper's encoder by each solver, from equal weights."""

    def step_by(solver: Solver) -> Callable[[], Tensor]:
        encoder = Encoder(pixels)
        reservoir = reservoirs.MLP(pixels, width, 4)
        observer = Observer(reservoir, ridge_penalty=3.0, resolution=30.0, solver=solver)

        def make_batch(generator: torch.Generator) -> tuple[Tensor, Tensor]:
            images = torch.rand(batch, pixels, generator=generator)
            return images, encoder(images)

        ascent = Ascent(encoder, observer, make_batch, AscentConfig(steps=500, clip=None))
        return lambda: ascent._step(0)[0]

    return step_by("qr"), step_by("auto")


def run(batch: int = 128, width: int = 2048) -> list[Row]:
    """Time both in turn."""
    plain, ours = prepare(batch, width)
    name = f"encoder step, batch {batch}, reservoir {width}: dual against primal QR"
    return [compare(name, plain, ours, at_least=3, calls=(1, 5))]
