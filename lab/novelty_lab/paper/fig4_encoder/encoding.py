"""What both encoder experiments share: train on bits alone, then ask what the code knows.

Labels enter in ``probe`` and nowhere else.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.ascent.ascent import Ascended, Ascent, AscentConfig
from novelty_lab.context import NO_CHECKPOINTS, TaskContext
from novelty_lab.paper.fig4_encoder.probes import linear_probe, nearest_neighbours
from novelty_lab.settings import Settings
from novelty_lab.systems.encoder import Encoder
from novelty_lab.systems.images import Images, load_images


@dataclass(frozen=True)
class EncoderConfig(Settings):
    """The encoder, its observer, its training and its probes (tables 3 and 4)."""

    dataset: str = "mnist"
    """Images: mnist, fashion-mnist or digits."""
    widths: tuple[int, ...] = (64, 128, 256)
    """Units of the encoder's hidden layers."""
    code_dim: int = 64
    """Length of a code, D."""
    activation: str = "relu"
    """Of the encoder; the paper is silent, and this is the usual one."""
    normalize: bool = True
    """Codes of unit length."""
    reservoir_width: int = 2048
    """Units per reservoir layer, m."""
    reservoir_depth: int = 4
    """Reservoir layers."""
    ridge_penalty: float = 3.0
    """lambda."""
    resolution: float = 30.0
    """eta."""
    batch_size: int = 128
    """Images per step."""
    steps: int = 500
    """Training steps."""
    learning_rate: float = 1e-3
    """Of AdamW; the paper gives none, and this is PyTorch's default."""
    probe_train: int = 10_000
    """Training codes of the probes, at random; the paper gives no number."""
    probe_test: int = 10_000
    """Test codes of the probes, at random."""


ON_DIGITS = {
    "dataset": "digits",
    "widths": (32, 64),
    "code_dim": 16,
    "reservoir_width": 256,
    "probe_train": 1300,
    "probe_test": 497,
}
"""What a quick run on scikit-learn's digits changes."""


@functools.lru_cache(maxsize=1)
def images_of(dataset: str, data: Path | None) -> Images:
    """Load a set once per process."""
    return load_images(dataset, data)


def train(
    config: EncoderConfig,
    images: Tensor,
    seed: int,
    checkpoint_every: int,
    task: TaskContext = NO_CHECKPOINTS,
) -> tuple[Encoder, Observer, Ascended]:
    """Train an encoder E on images to maximize S(E(X) | X), on the device of the images."""
    pixels = images.flatten(1)
    encoder = Encoder(
        pixels.shape[1],
        config.widths,
        config.code_dim,
        activation=config.activation,
        normalize=config.normalize,
        seed=split(seed, "encoder"),
    ).to(images.device)
    observer = encoder_observer(config, pixels.shape[1], seed)
    if not 0 < config.batch_size <= len(pixels):
        raise UserError(f"batch_size must be from 1 to {len(pixels)}, got {config.batch_size}")

    def make_batch(generator: torch.Generator) -> tuple[Tensor, Tensor]:
        order = torch.randperm(len(pixels), generator=generator, device=pixels.device)
        batch = pixels[order[: config.batch_size]]
        return batch, encoder(batch)

    climb = AscentConfig(
        steps=config.steps,
        learning_rate=config.learning_rate,
        clip=None,  # table 4 clips the automaton's gradient only
        checkpoint_every=checkpoint_every,
    )
    ascent = Ascent(encoder, observer, make_batch, climb, seed=seed, directory=task.directory)
    ascended = ascent.run(resume=task.directory is not None, report=task.report)
    return encoder, observer, ascended


def encoder_observer(config: EncoderConfig, pixels: int, seed: int) -> Observer:
    """Make the observer of table 3: an MLP on the pixels."""
    reservoir = reservoirs.MLP(
        pixels, config.reservoir_width, config.reservoir_depth, seed=split(seed, "reservoir")
    )
    return Observer(reservoir, ridge_penalty=config.ridge_penalty, resolution=config.resolution)


def probed_images(config: EncoderConfig, images: Images, seed: int, device: str) -> Images:
    """Pick the images for the probes, the same for every encoder of a seed."""
    tensors: list[Tensor] = []
    for name, count in (("train", config.probe_train), ("test", config.probe_test)):
        pixels, labels = getattr(images, f"{name}_images"), getattr(images, f"{name}_labels")
        if not 0 < count <= len(labels):
            raise UserError(f"probe_{name} must be from 1 to {len(labels)}, got {count}")
        order = torch.randperm(len(labels), generator=torch_generator(seed, "probe", name))[:count]
        tensors += [pixels[order].to(device), labels[order].to(device)]
    return Images(images.name, *tensors)


def probe(train_codes: Tensor, test_codes: Tensor, images: Images) -> dict[str, float]:
    """Recover the labels of images from their codes by both probes: accuracies."""
    labels = images.train_labels.to(train_codes.device), images.test_labels.to(test_codes.device)
    codes_and_labels = train_codes, labels[0], test_codes, labels[1]
    return {
        "linear": linear_probe(*codes_and_labels),
        "neighbours": nearest_neighbours(*codes_and_labels),
    }


def small_probe(
    train_codes: Tensor, test_codes: Tensor, images: Images, count: int
) -> dict[str, float]:
    """Recover labels from few codes, not standardized, at scikit-learn's default penalty."""
    if not 0 < count <= len(train_codes):
        raise UserError(f"small_probe_train must be from 1 to {len(train_codes)}, got {count}")
    codes_and_labels = (
        train_codes[:count],
        images.train_labels[:count],
        test_codes,
        images.test_labels,
    )
    return {
        "small_linear": linear_probe(*codes_and_labels, penalty=1 / count, standardize=False),
        "small_neighbours": nearest_neighbours(*codes_and_labels),
    }
