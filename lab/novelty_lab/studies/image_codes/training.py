"""Train a code of images against an observer that deepens or focuses when the score stops rising.

Images carry no gradient and an observer is frozen within a phase, so its features of all images are
computed once a phase. The width stays, so a step costs the same in both arms. Labels are not used.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.evidence import PerSample
from learnable_novelty.observer.growing.focused import Focused
from learnable_novelty.observer.growing.growth import Growing, Growth
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.standardize import Rows
from learnable_novelty.seeds import split
from novelty_lab.ascent.ascent import Ascended, Ascent, AscentConfig
from novelty_lab.context import NO_CHECKPOINTS, TaskContext
from novelty_lab.settings import Settings
from novelty_lab.studies.image_codes.recipes import (
    CODE_DIM,
    PER_SAMPLE,
    encode,
    move,
)
from novelty_lab.systems.encoder import ConvEncoder

Change = Literal["moved", "warped", "bent", "cropped", "mirrored", "erased"]
LARGEST_MOVE = 2
"""Pixels, as in the recipe that ``encoder-select`` chose."""
LARGEST_TURN, LARGEST_SCALING, LARGEST_SHEAR = math.pi / 12, 0.1, 0.1
"""Of a warp: an angle, and shares of the image's size."""
LARGEST_BEND, KNOTS = 3, 5
"""Of a bend: pixels, and how many points along an edge are drawn; cubic between them."""
SMALLEST_CROP = 0.6
"""Of a crop: the least share of an edge that is kept."""
ERASED = 0.4
"""Share of an edge that the erased square has."""


@dataclass(frozen=True)
class TrainingConfig(Settings):
    """The training of "conv by mlp, moved" of ``encoder-select``, and how its observer grows."""

    steps: int = 3000
    """Training steps of each arm."""
    annealed: float = 0.2
    """Share of the steps in which the learning rate falls to zero and nothing grows."""
    batch_size: int = 1024
    """Images per step."""
    learning_rate: float = 1e-3
    """Of AdamW."""
    width: int = 1024
    """Features of the observer."""
    depth: int = 4
    """Layers of the observer at the start."""
    resolution: float = 30.0
    """eta."""
    smooth: int = 50
    """Steps that the score is averaged over."""
    rise: float = 0.5
    """Bits by which this mean must exceed what it reached before."""
    patience: int = 300
    """Steps without such a rise after which the observer grows."""
    growth_images: int = 20_000
    """Images that decide how to grow. A focus on 784 pixels takes some 1,700 bits to describe,
    which few images would not repay."""
    rounds: int = 2
    """Rounds of focus that are tried at each growth."""


@dataclass(frozen=True)
class Phase:
    """An ascent against one observer, and the growth that follows it."""

    observer: Observer
    ascended: Ascended
    growth: Growth | None

    def describe(self) -> dict[str, object]:
        """Return what a record holds of it."""
        reservoir = self.observer.reservoir
        return {
            "steps": len(self.ascended.scores),
            "depth": reservoir.layers,
            "focused": isinstance(reservoir, Focused),
            "first": self.ascended.scores[0],
            "last": self.ascended.scores[-1],
            "grew": None if self.growth is None else self.growth.kept.kind,
        }


def changed(images: Tensor, change: Change, generator: torch.Generator) -> Tensor:
    """Change images (n, side, side): see the function of each change.

    Mirrored and erased images are moved too, and bent ones warped.
    """
    if change == "cropped":
        return crop(images, generator)
    if change in ("warped", "bent"):
        warped = warp(images, generator)
        return bend(warped, generator) if change == "bent" else warped
    moved = move(images, LARGEST_MOVE, generator)
    if change == "mirrored":
        return mirror(moved, generator)
    return erase(moved, generator) if change == "erased" else moved


def mirror(images: Tensor, generator: torch.Generator) -> Tensor:
    """Exchange left and right in half of the images (n, side, side)."""
    chosen = _uniform((len(images), 1, 1), images, generator) > 0
    return torch.where(chosen, images.flip(2), images)


def erase(images: Tensor, generator: torch.Generator) -> Tensor:
    """Set a square of every image (n, side, side) to zero, anywhere within it."""
    count, side = images.shape[:2]
    edge = round(ERASED * side)
    corners = (1 + _uniform((2, count, 1), images, generator)) / 2 * (side + 1 - edge)
    past = torch.arange(side, device=images.device) - corners.floor()
    rows, columns = (past >= 0) & (past < edge)
    return images.masked_fill(rows[:, :, None] & columns[:, None, :], 0.0)


def crop(images: Tensor, generator: torch.Generator) -> Tensor:
    """Cut a rectangle out of images (n, side, side), and stretch it to their size."""
    count, side = images.shape[:2]
    drawn = _uniform((4, count), images, generator)
    width, height = 1 - (1 - SMALLEST_CROP) * (1 + drawn[:2]) / 2
    x, y = (1 - width) * drawn[2], (1 - height) * drawn[3]
    none = torch.zeros_like(width)
    maps = torch.stack([width, none, x, none, height, y], dim=1).view(count, 2, 3)
    return _sample(images, functional.affine_grid(maps, [count, 1, side, side], False))


def warp(images: Tensor, generator: torch.Generator) -> Tensor:
    """Turn, scale, shear and move images (n, side, side)."""
    count, side = images.shape[:2]
    turn, scaling, shear, *shifts = _uniform((5, count), images, generator)
    angle, size = LARGEST_TURN * turn, 1 + LARGEST_SCALING * scaling
    cosine, sine = size * angle.cos(), size * angle.sin()
    x, y = (2 * LARGEST_MOVE / side * shift for shift in shifts)
    rows = [cosine, LARGEST_SHEAR * shear - sine, x, sine, cosine, y]
    maps = torch.stack(rows, dim=1).view(count, 2, 3)
    return _sample(images, functional.affine_grid(maps, [count, 1, side, side], False))


def bend(images: Tensor, generator: torch.Generator) -> Tensor:
    """Move every pixel of images (n, side, side) by a smooth field of its own."""
    count, side = images.shape[:2]
    knots = LARGEST_BEND * _uniform((count, 2, KNOTS, KNOTS), images, generator)
    field = functional.interpolate(knots, size=(side, side), mode="bicubic", align_corners=True)
    # Made on the device: a captured graph cannot copy from the CPU.
    unbent = torch.eye(2, 3, dtype=images.dtype, device=images.device).expand(count, 2, 3)
    grid = functional.affine_grid(unbent, [count, 1, side, side], False)
    return _sample(images, grid + 2 / side * field.movedim(1, -1))


def _uniform(shape: tuple[int, ...], like: Tensor, generator: torch.Generator) -> Tensor:
    """Draw numbers from -1 to 1."""
    return 2 * torch.rand(shape, generator=generator, device=generator.device).to(like) - 1


def _sample(images: Tensor, grid: Tensor) -> Tensor:
    """Read images (n, side, side) at points (n, side, side, 2); zeros come in."""
    return functional.grid_sample(images[:, None], grid, align_corners=False)[:, 0]


def train_growing(
    config: TrainingConfig,
    images: Tensor,
    change: Change,
    seed: int,
    *,
    grows: bool,
    task: TaskContext = NO_CHECKPOINTS,
) -> tuple[nn.Module, list[Phase]]:
    """Train an encoder on images (n, side, side), on their device."""
    if not 0 < config.annealed <= 1:
        raise UserError(f"annealed must be a share above 0 and up to 1, got {config.annealed}")
    side = images.shape[-1]
    encoder = ConvEncoder(side, code_dim=CODE_DIM, seed=split(seed, "encoder")).to(images.device)
    return encoder, list(_phases(config, encoder, images, change, seed, grows, task))


def _phases(
    config: TrainingConfig,
    encoder: nn.Module,
    images: Tensor,
    change: Change,
    seed: int,
    grows: bool,
    task: TaskContext,
) -> Iterator[Phase]:
    start = reservoirs.MLP(
        images[0].numel(), config.width, config.depth, seed=split(seed, "reservoir")
    )
    observer = _observer(config, start)
    constant, done, waits = int((1 - config.annealed) * config.steps), 0, config.patience
    for number in itertools.count():
        annealed = done >= constant
        steps = (config.steps if annealed else constant) - done
        features = features_of(observer, images)

        def make_batch(
            generator: torch.Generator, features: Tensor = features
        ) -> tuple[Tensor, Tensor]:
            shape = (config.batch_size,)
            chosen = torch.randint(len(images), shape, generator=generator, device=images.device)
            return features[chosen], encoder(changed(images[chosen], change, generator))

        def score(features: Tensor, codes: Tensor, observer: Observer = observer) -> Tensor:
            return observer.bits_of_rows(Rows(features, codes))

        climb = AscentConfig(
            steps=steps, learning_rate=config.learning_rate, clip=None, graph=True,
            annealing="cosine" if annealed else "none", checkpoint_every=config.steps,
        )  # fmt: skip
        folder = None if task.directory is None else task.directory / f"phase-{number}"
        seeded = split(seed, "batches", number)
        ascent = Ascent(encoder, score, make_batch, climb, seed=seeded, directory=folder)
        rule = {"smooth": config.smooth, "rise": config.rise, "patience": waits}
        stop = functools.partial(has_stalled, **rule) if grows and not annealed else None
        ascended = ascent.run(resume=folder is not None, report=task.report, stop=stop)
        done += len(ascended.scores)
        growth = None
        if len(ascended.scores) < steps:
            growth = _grown(
                config, encoder, observer, images, change, split(seed, "growth", number)
            )
        yield Phase(observer, ascended, growth)
        if annealed:
            return
        if growth is not None:
            observer = growth.observer
            waits = config.patience if growth.has_grown else 2 * waits


def has_stalled(scores: Sequence[float], *, smooth: int, rise: float, patience: int) -> bool:
    """Tell whether a score has stopped rising; the arguments are those of ``TrainingConfig``."""
    if len(scores) < smooth + patience:
        return False
    means = np.convolve(scores, np.full(smooth, 1 / smooth), "valid")
    return bool(means[-patience:].max() < means[:-patience].max() + rise)


def _observer(config: TrainingConfig, reservoir: reservoirs.Reservoir) -> Observer:
    penalty = PerSample(PER_SAMPLE)
    return Observer(reservoir, ridge_penalty=penalty, resolution=config.resolution)


@torch.no_grad()
def features_of(observer: Observer, images: Tensor, chunk: int = 1000) -> Tensor:
    """Compute the features of all images once, some at a time."""
    return torch.cat([observer.reservoir(part) for part in images.flatten(1).split(chunk)])


@torch.no_grad()
def _grown(
    config: TrainingConfig,
    encoder: nn.Module,
    observer: Observer,
    images: Tensor,
    change: Change,
    seed: int,
) -> Growth:
    """Grow an observer, in float64, on images and the codes of their changed versions."""
    generator = torch.Generator(images.device).manual_seed(seed)
    count = min(config.growth_images, len(images))
    chosen = torch.randperm(len(images), generator=generator, device=images.device)[:count]
    codes = encode(encoder, changed(images[chosen], change, generator))
    growing = Growing(
        observer.reservoir,
        ridge_penalty=observer.ridge_penalty,
        resolution=observer.resolution,
        most_features=config.width,
        rounds=config.rounds,
    )
    return growing.grow(images[chosen].flatten(1).double(), codes.double(), seed=seed)
