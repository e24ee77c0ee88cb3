"""Ways to train a code of images without labels: an encoder, an objective, a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from learnable_novelty._random import split
from learnable_novelty.experiments.base import Place
from learnable_novelty.experiments.encoding import HERE, EncoderConfig
from learnable_novelty.objective import Ascended, Ascent, AscentConfig
from learnable_novelty.objective.ascent import Objective
from learnable_novelty.objective.coding_rate import total_coding_rate
from learnable_novelty.observer import Observer, Rows, reservoirs
from learnable_novelty.systems.encoder import ConvEncoder, Encoder

CODE_DIM = 64


@dataclass(frozen=True)
class Recipe:
    """One way."""

    encoder: Literal["mlp", "conv"] = "mlp"
    """The paper's perceptron, or a small convolutional network."""
    objective: Literal["mlp", "conv", "coding rate"] = "mlp"
    """The score by the paper's MLP reservoir or by a convolutional one, or the coding rate."""
    batch_size: int = 128
    ridge_penalty: float = 3.0
    resolution: float = 30.0
    learning_rate: float = 1e-3


PER_SAMPLE = 3.0 / 128
"""The paper's ridge over its batch: a larger batch needs a ridge that grows with it."""


def _large(
    encoder: Literal["mlp", "conv"], objective: Literal["mlp", "conv"], **more: float
) -> Recipe:
    ridge = more.get("ridge_penalty", PER_SAMPLE * 1024)
    return Recipe(encoder, objective, 1024, ridge, more.get("resolution", 30.0))


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
    recipe: Recipe, images: Tensor, seed: int, steps: int, place: Place = HERE
) -> tuple[nn.Module, Ascended]:
    """Train an encoder on images (num_samples, side, side), on their device, without labels."""
    side = images.shape[-1]
    encoder = make_encoder(recipe, side, split(seed, "encoder")).to(images.device)
    objective: Objective = total_coding_rate
    seen = images
    if recipe.objective != "coding rate":
        observer = image_observer(
            recipe.objective, side, recipe.ridge_penalty, recipe.resolution,
            split(seed, "reservoir"),
        )  # fmt: skip
        # Images carry no gradient and the reservoir is frozen: its features never change.
        seen = features_of(observer, images, flat=recipe.objective == "mlp")

        def score(features: Tensor, codes: Tensor) -> Tensor:
            return observer.bits_of_rows(Rows(features, codes))

        objective = score

    def make_batch(generator: torch.Generator) -> tuple[Tensor, Tensor]:
        # With replacement: a draw of few among many repeats almost none, and costs no shuffle.
        shape = (recipe.batch_size,)
        chosen = torch.randint(len(images), shape, generator=generator, device=images.device)
        return seen[chosen], encoder(images[chosen])

    config = AscentConfig(
        steps=steps,
        learning_rate=recipe.learning_rate,
        clip=None,
        checkpoint_every=max(1, steps // 10),
        graph=True,
    )
    ascent = Ascent(encoder, objective, make_batch, config, seed=seed, directory=place.directory)
    return encoder, ascent.run(resume=place.directory is not None, report=place.report)


@torch.no_grad()
def features_of(observer: Observer, images: Tensor, flat: bool, chunk: int = 1000) -> Tensor:
    """Compute the features of all images once, some at a time."""
    parts = images.flatten(1).split(chunk) if flat else images.split(chunk)
    return torch.cat([observer.reservoir(part) for part in parts])


@torch.no_grad()
def encode(encoder: nn.Module, images: Tensor, chunk: int = 10_000) -> Tensor:
    """Encode many images, some at a time."""
    return torch.cat([encoder(part) for part in images.split(chunk)])
