"""Ways to train a code of images without labels: an encoder, an objective, a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.standardize import Rows
from learnable_novelty.seeds import split
from novelty_lab.ascent.ascent import Ascended, Ascent, AscentConfig, Objective
from novelty_lab.context import NO_CHECKPOINTS, TaskContext
from novelty_lab.paper.fig4_encoder.encoding import EncoderConfig
from novelty_lab.studies.image_codes.coding_rate import total_coding_rate
from novelty_lab.systems.encoder import ConvEncoder, Encoder

CODE_DIM = 64


@dataclass(frozen=True)
class Recipe:
    """One way."""

    encoder: Literal["mlp", "conv"] = "mlp"
    """The paper's perceptron, or a small convolutional network."""
    objective: Literal["mlp", "conv", "both", "coding rate"] = "mlp"
    """The score by the paper's MLP reservoir, by a convolutional one, or the mean of the two; or
    the coding rate."""
    moved: int = 0
    """The largest shift, in pixels, of the image that is encoded; the observer reads it unmoved, so
    what a code says of the shift is noise to it."""
    batch_size: int = 128
    ridge_penalty: float = 3.0
    resolution: float = 30.0
    learning_rate: float = 1e-3


PER_SAMPLE = 3.0 / 128
"""The paper's ridge over its batch: a larger batch needs a ridge that grows with it."""


def _large(
    encoder: Literal["mlp", "conv"], objective: Literal["mlp", "conv", "both"], **more: Any
) -> Recipe:
    batch = {"batch_size": 1024, "ridge_penalty": PER_SAMPLE * 1024}
    return Recipe(encoder, objective, **(batch | more))


RECIPES: dict[str, Recipe] = {
    "paper": Recipe(),
    "coding rate": Recipe(objective="coding rate"),
    "mlp by mlp, batch 1024": _large("mlp", "mlp"),
    "mlp by conv": _large("mlp", "conv"),
    "conv by mlp": _large("conv", "mlp"),
    "conv by conv": _large("conv", "conv"),
    "conv by conv, resolution 300": _large("conv", "conv", resolution=300.0),
    "conv by conv, ridge 8, resolution 300": _large(
        "conv", "conv", ridge_penalty=8.0, resolution=300.0
    ),
    "conv by conv, ridge 80, resolution 300": _large(
        "conv", "conv", ridge_penalty=80.0, resolution=300.0
    ),
    "conv by conv, resolution 1000": _large("conv", "conv", resolution=1000.0),
    "conv by both, resolution 300": _large("conv", "both", resolution=300.0),
    "conv by mlp, moved": _large("conv", "mlp", moved=2),
    "conv by conv, moved": _large("conv", "conv", moved=2),
    "conv by conv, resolution 300, moved": _large("conv", "conv", resolution=300.0, moved=2),
    "conv by both, resolution 300, moved": _large("conv", "both", resolution=300.0, moved=2),
}
"""What is compared; an encoder, and what reads its code."""


def image_observer(
    kind: Literal["mlp", "conv"], side: int, ridge_penalty: float, resolution: float, seed: int
) -> Observer:
    """Draw an observer of images: the paper's MLP, or three convolutions with pooling."""
    if kind == "mlp":
        paper = EncoderConfig()
        width, depth = paper.reservoir_width, paper.reservoir_depth
        reservoir = reservoirs.MLP(side * side, width, depth, seed=seed)
    else:
        reservoir = reservoirs.ImageConv(side, 128, 3, seed=seed)
    return Observer(reservoir, ridge_penalty=ridge_penalty, resolution=resolution)


def make_encoder(recipe: Recipe, side: int, seed: int) -> nn.Module:
    """Draw the untrained encoder."""
    if recipe.encoder == "mlp":
        return Encoder(side * side, code_dim=CODE_DIM, seed=seed)
    return ConvEncoder(side, code_dim=CODE_DIM, seed=seed)


def train_recipe(
    recipe: Recipe, images: Tensor, seed: int, steps: int, task: TaskContext = NO_CHECKPOINTS
) -> tuple[nn.Module, Ascended]:
    """Train an encoder on images (num_samples, side, side), on their device, without labels."""
    side = images.shape[-1]
    encoder = make_encoder(recipe, side, split(seed, "encoder")).to(images.device)
    objective: Objective = total_coding_rate
    seen = images
    if recipe.objective != "coding rate":
        observers = observers_of(recipe, side, seed)
        # Images carry no gradient and reservoirs are frozen: their features never change.
        features = [features_of(observer, images) for observer in observers]
        seen, widths = torch.cat(features, dim=1), [each.shape[1] for each in features]

        def score(features: Tensor, codes: Tensor) -> Tensor:
            parts = zip(observers, features.split(widths, dim=1), strict=True)
            bits = [observer.bits_of_rows(Rows(part, codes)) for observer, part in parts]
            return torch.stack(bits).mean()

        objective = score

    def make_batch(generator: torch.Generator) -> tuple[Tensor, Tensor]:
        # With replacement: a draw of few among many repeats almost none, and costs no shuffle.
        shape = (recipe.batch_size,)
        chosen = torch.randint(len(images), shape, generator=generator, device=images.device)
        return seen[chosen], encoder(move(images[chosen], recipe.moved, generator))

    config = AscentConfig(
        steps=steps,
        learning_rate=recipe.learning_rate,
        clip=None,
        checkpoint_every=max(1, steps // 10),
        graph=True,
    )
    ascent = Ascent(encoder, objective, make_batch, config, seed=seed, directory=task.directory)
    return encoder, ascent.run(resume=task.directory is not None, report=task.report)


def observers_of(recipe: Recipe, side: int, seed: int) -> list[Observer]:
    """Draw the observers whose mean score is the objective."""
    settings = recipe.ridge_penalty, recipe.resolution, split(seed, "reservoir")
    return [
        image_observer(kind, side, *settings)
        for kind in ("mlp", "conv")
        if recipe.objective in (kind, "both")
    ]


def move(images: Tensor, largest: int, generator: torch.Generator) -> Tensor:
    """Shift every image (n, side, side) by up to so many pixels each way; zeros come in."""
    if largest == 0:
        return images
    count, side = images.shape[:2]
    shape, where = (2, count, 1), images.device
    shifts = torch.randint(2 * largest + 1, shape, generator=generator, device=generator.device)
    rows, columns = shifts.to(where) + torch.arange(side, device=where)
    which = torch.arange(count, device=where)[:, None, None]
    return functional.pad(images, (largest,) * 4)[which, rows[:, :, None], columns[:, None, :]]


@torch.no_grad()
def features_of(observer: Observer, images: Tensor, chunk: int = 1000) -> Tensor:
    """Compute the features of all images once, some at a time."""
    flat = isinstance(observer.reservoir, reservoirs.MLP)
    chunks = images.flatten(1).split(chunk) if flat else images.split(chunk)
    return torch.cat([observer.reservoir(part) for part in chunks])


@torch.no_grad()
def encode(encoder: nn.Module, images: Tensor, chunk: int = 10_000) -> Tensor:
    """Encode many images, some at a time."""
    return torch.cat([encoder(part) for part in images.split(chunk)])
