"""Ways to train a code of images without labels: an encoder, an objective, a change of the image.

What is encoded is the changed image, what the observer reads is the image as it was: what a code
says of the change is noise to the observer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.code_length import log2det_plus_identity
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows
from learnable_novelty.seeds import split
from novelty_lab.ascent.ascent import Ascended, Ascent, AscentConfig, Objective
from novelty_lab.context import NO_CHECKPOINTS, TaskContext
from novelty_lab.paper.fig4_encoder.encoding import EncoderConfig
from novelty_lab.systems.encoder import ConvEncoder, Encoder

Change = Literal["moved", "warped", "bent", "cropped", "mirrored", "erased"]
CODE_DIM = 64
PER_SAMPLE = 3.0 / 128
"""The paper's ridge over its batch: a larger batch needs a ridge that grows with it."""
LARGEST_MOVE = 2
"""Pixels."""
LARGEST_TURN, LARGEST_SCALING, LARGEST_SHEAR = math.pi / 12, 0.1, 0.1
"""Of a warp: an angle, and shares of the image's size."""
LARGEST_BEND, KNOTS = 3, 5
"""Of a bend: pixels, and how many points along an edge are drawn; cubic between them."""
SMALLEST_CROP = 0.6
"""Of a crop: the least share of an edge that is kept."""
ERASED = 0.4
"""Share of an edge that the erased square has."""


@dataclass(frozen=True)
class Recipe:
    """One way."""

    encoder: Literal["mlp", "conv"] = "mlp"
    """The paper's perceptron, or a small convolutional network."""
    objective: Literal["mlp", "conv", "both", "coding rate"] = "mlp"
    """The score by the paper's MLP reservoir, by a convolutional one, or the mean of the two; or
    the coding rate."""
    change: Change | None = None
    """What is done to the image that is encoded."""
    batch_size: int = 128
    ridge_penalty: float = 3.0
    resolution: float = 30.0
    width: int = EncoderConfig.reservoir_width
    """Of the MLP reservoir."""
    learning_rate: float = 1e-3
    annealed: float = 0.0
    """Share of the steps, the last ones, in which the learning rate falls to zero."""


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
    "conv by mlp, moved": _large("conv", "mlp", change="moved"),
    "conv by conv, moved": _large("conv", "conv", change="moved"),
    "conv by conv, resolution 300, moved": _large("conv", "conv", resolution=300.0, change="moved"),
    "conv by both, resolution 300, moved": _large("conv", "both", resolution=300.0, change="moved"),
}
"""What is compared; an encoder, and what reads its code."""


def make_encoder(recipe: Recipe, side: int, seed: int) -> nn.Module:
    """Draw the untrained encoder."""
    if recipe.encoder == "mlp":
        return Encoder(side * side, code_dim=CODE_DIM, seed=seed)
    return ConvEncoder(side, code_dim=CODE_DIM, seed=seed)


def image_observer(
    kind: Literal["mlp", "conv"],
    side: int,
    ridge_penalty: float,
    resolution: float,
    seed: int,
    width: int = EncoderConfig.reservoir_width,
) -> Observer:
    """Draw an observer of images: the paper's MLP, or three convolutions with pooling."""
    if kind == "mlp":
        depth = EncoderConfig.reservoir_depth
        reservoir = reservoirs.MLP(side * side, width, depth, seed=seed)
    else:
        reservoir = reservoirs.ImageConv(side, 128, 3, linear_last=False, seed=seed)
    return Observer(reservoir, ridge_penalty=ridge_penalty, resolution=resolution)


def train(
    recipe: Recipe, images: Tensor, seed: int, steps: int, task: TaskContext = NO_CHECKPOINTS
) -> tuple[nn.Module, list[Ascended]]:
    """Train an encoder on images (num_samples, side, side), on their device, without labels.

    Returns:
        The encoder, and its ascents: one at the full rate, and one in which the rate falls.
    """
    encoder = make_encoder(recipe, images.shape[-1], split(seed, "encoder")).to(images.device)
    seen, objective = _objective(recipe, images, seed)

    def make_batch(generator: torch.Generator) -> tuple[Tensor, Tensor]:
        # With replacement: a draw of few among many repeats almost none, and costs no shuffle.
        shape = (recipe.batch_size,)
        chosen = torch.randint(len(images), shape, generator=generator, device=images.device)
        return seen[chosen], encoder(changed(images[chosen], recipe.change, generator))

    falling = steps - int((1 - recipe.annealed) * steps)
    ascents: list[Ascended] = []
    for number, count in enumerate((steps - falling, falling)):
        if not count:
            continue
        config = AscentConfig(
            steps=count,
            learning_rate=recipe.learning_rate,
            annealing="cosine" if number or not falling else "none",
            clip=None,
            checkpoint_every=max(1, steps // 10),
            graph=True,
        )
        child, folder = seed, task.directory
        if falling:
            child = split(seed, "batches", number)
            folder = folder and folder / f"phase-{number}"
        ascent = Ascent(encoder, objective, make_batch, config, seed=child, directory=folder)
        ascents.append(ascent.run(resume=folder is not None, report=task.report))
    return encoder, ascents


def _objective(recipe: Recipe, images: Tensor, seed: int) -> tuple[Tensor, Objective]:
    """Return what the objective sees of the images, and the objective."""
    if recipe.objective == "coding rate":
        return images, total_coding_rate
    settings = recipe.ridge_penalty, recipe.resolution, split(seed, "reservoir"), recipe.width
    observers = [
        image_observer(kind, images.shape[-1], *settings)
        for kind in ("mlp", "conv")
        if recipe.objective in (kind, "both")
    ]
    # Images carry no gradient and reservoirs are frozen: their features never change.
    features = [features_of(observer, images) for observer in observers]
    widths = [each.shape[1] for each in features]

    def score(features: Tensor, codes: Tensor) -> Tensor:
        parts = zip(observers, features.split(widths, dim=1), strict=True)
        bits = [observer.bits(Rows(part, codes)) for observer, part in parts]
        return torch.stack(bits).mean()

    return torch.cat(features, dim=1), score


def total_coding_rate(inputs: Tensor, codes: Tensor, *, squared_distortion: float = 0.5) -> Tensor:
    """Measure the bits that codes of unit length take at a distortion: MCR2's expansion term.

        R = 1/2 log2 det(I + d / (n epsilon^2) Z'Z)

    It does not look at the inputs: a code that no observer could read off an image is worth as much
    to it as one that can be read. Beside the score, it shows what the observer adds.

    >>> round(float(total_coding_rate(torch.zeros(2, 1), torch.eye(2), squared_distortion=1.0)), 9)
    1.0
    """
    num_samples, code_dim = codes.shape
    z = codes.to(torch.float64)
    # det(I + Z'Z) = det(I + ZZ'): the smaller one.
    product = z.T @ z if code_dim <= num_samples else z @ z.T
    return log2det_plus_identity(product, code_dim / (num_samples * squared_distortion)) / 2


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


def changed(images: Tensor, change: Change | None, generator: torch.Generator) -> Tensor:
    """Change images (n, side, side); mirrored and erased ones are moved too, and bent ones warped.

    Nothing is copied from the CPU, which a captured graph could not do.
    """
    if change is None:
        return images
    if change == "cropped":
        return crop(images, generator)
    if change in ("warped", "bent"):
        warped = warp(images, generator)
        return bend(warped, generator) if change == "bent" else warped
    moved = move(images, LARGEST_MOVE, generator)
    if change == "mirrored":
        return mirror(moved, generator)
    return erase(moved, generator) if change == "erased" else moved


def move(images: Tensor, largest: int, generator: torch.Generator) -> Tensor:
    """Shift every image by up to so many pixels each way; zeros come in."""
    count, side = images.shape[:2]
    shape, where = (2, count, 1), images.device
    shifts = torch.randint(2 * largest + 1, shape, generator=generator, device=generator.device)
    rows, columns = shifts.to(where) + torch.arange(side, device=where)
    which = torch.arange(count, device=where)[:, None, None]
    return functional.pad(images, (largest,) * 4)[which, rows[:, :, None], columns[:, None, :]]


def mirror(images: Tensor, generator: torch.Generator) -> Tensor:
    """Exchange left and right in half of the images."""
    chosen = _uniform((len(images), 1, 1), images, generator) > 0
    return torch.where(chosen, images.flip(2), images)


def erase(images: Tensor, generator: torch.Generator) -> Tensor:
    """Set a square of every image to zero, anywhere within it."""
    count, side = images.shape[:2]
    edge = round(ERASED * side)
    corners = (1 + _uniform((2, count, 1), images, generator)) / 2 * (side + 1 - edge)
    past = torch.arange(side, device=images.device) - corners.floor()
    rows, columns = (past >= 0) & (past < edge)
    return images.masked_fill(rows[:, :, None] & columns[:, None, :], 0.0)


def crop(images: Tensor, generator: torch.Generator) -> Tensor:
    """Cut a rectangle out of each image, and stretch it to its size."""
    drawn = _uniform((4, len(images)), images, generator)
    width, height = 1 - (1 - SMALLEST_CROP) * (1 + drawn[:2]) / 2
    none = torch.zeros_like(width)
    x, y = (1 - width) * drawn[2], (1 - height) * drawn[3]
    return _sample(images, _affine(images, [width, none, x, none, height, y]))


def warp(images: Tensor, generator: torch.Generator) -> Tensor:
    """Turn, scale, shear and move each image."""
    turn, scaling, shear, *shifts = _uniform((5, len(images)), images, generator)
    angle, size = LARGEST_TURN * turn, 1 + LARGEST_SCALING * scaling
    cosine, sine = size * angle.cos(), size * angle.sin()
    x, y = (2 * LARGEST_MOVE / images.shape[-1] * shift for shift in shifts)
    return _sample(
        images, _affine(images, [cosine, LARGEST_SHEAR * shear - sine, x, sine, cosine, y])
    )


def bend(images: Tensor, generator: torch.Generator) -> Tensor:
    """Move every pixel of each image by a smooth field of its own."""
    count, side = images.shape[:2]
    knots = LARGEST_BEND * _uniform((count, 2, KNOTS, KNOTS), images, generator)
    field = functional.interpolate(knots, size=(side, side), mode="bicubic", align_corners=True)
    one, none = images.new_ones(count), images.new_zeros(count)
    unbent = _affine(images, [one, none, none, none, one, none])
    return _sample(images, unbent + 2 / side * field.movedim(1, -1))


def _uniform(shape: tuple[int, ...], like: Tensor, generator: torch.Generator) -> Tensor:
    """Draw numbers from -1 to 1."""
    return 2 * torch.rand(shape, generator=generator, device=generator.device).to(like) - 1


def _affine(images: Tensor, rows: list[Tensor]) -> Tensor:
    """Return the points that six entries of a 2 x 3 matrix, (n,) each, map the grid to."""
    count, side = images.shape[:2]
    maps = torch.stack(rows, dim=1).view(count, 2, 3)
    return functional.affine_grid(maps, [count, 1, side, side], False)


def _sample(images: Tensor, grid: Tensor) -> Tensor:
    """Read images at points (n, side, side, 2); zeros come in."""
    return functional.grid_sample(images[:, None], grid, align_corners=False)[:, 0]
