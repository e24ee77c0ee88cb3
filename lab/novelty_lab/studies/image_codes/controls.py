"""Our study: codes of images, compared with controls that the paper does not have.

Raw pixels, their first 64 principal components, the untrained encoders, the coding rate on the same
encoder and budget, the paper's encoder, and the one that ``encoder-select`` chose without labels,
with the two that it had chosen before its images were moved; on MNIST and Fashion-MNIST, five
training seeds. The probes are fitted on all training images and tested on all test images. Only the
probes use labels.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.seeds import split
from novelty_lab.context import (
    RunContext,
    RunResult,
    TaskContext,
    describe_device,
    devices_of,
    mean_and_sd,
)
from novelty_lab.paper.fig3_neural.neural import arithmetic
from novelty_lab.paper.fig4_encoder.clustering import agreement, kmeans
from novelty_lab.paper.fig4_encoder.encoding import images_of, probe
from novelty_lab.paper.fig4_encoder.probes import principal_components
from novelty_lab.settings import Settings, choice
from novelty_lab.studies.image_codes.training import (
    CODE_DIM,
    RECIPES,
    Recipe,
    encode,
    make_encoder,
    train,
)
from novelty_lab.systems.images import Images

FIXED = ("pixels", "PCA-64")
"""Codes that need no training and have no seeds."""
UNTRAINED_CONV = "untrained conv"
MEASURES = ("linear", "neighbours", "clusters", "information")


@dataclass(frozen=True)
class Config(Settings):
    """Which codes, on which images."""

    datasets: tuple[str, ...] = ("mnist", "fashion-mnist")
    """Images."""
    selected: tuple[str, ...] = choice(RECIPES, ("conv by mlp, moved",))
    """The recipes that encoder-select chose."""
    chosen_unmoved: tuple[str, ...] = choice(
        RECIPES, ("conv by mlp", "conv by conv, resolution 300"), required=False
    )
    """The recipes that it chose when the images it judged by were not moved."""
    seeds: int = 5
    """Training seeds of all codes that are trained or drawn."""
    selected_steps: tuple[int, ...] = (4000,)
    """Training steps of each selected recipe, as encoder-select chose them."""
    unmoved_steps: tuple[int, ...] = (500, 8000)
    """Training steps of each recipe of ``chosen_unmoved``."""
    paper_steps: int = 500
    """Training steps of the paper's encoder, and of the coding rate on it."""


PAPER = Config()
QUICK = Config(
    datasets=("digits",),
    selected=("mlp by conv",),
    chosen_unmoved=(),
    seeds=2,
    selected_steps=(20,),
    unmoved_steps=(),
    paper_steps=20,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Make every code and probe it."""
    where, codes = (seed, context.data, context.device), codes_of(config)
    tasks = {
        (name := f"{dataset}, {method}, {number}"): (
            config, dataset, method, number, *where, context.task(name)
        )
        for dataset, (method, number) in itertools.product(config.datasets, codes)
    }  # fmt: skip
    probed = context.map(make_and_probe, tasks)
    table: dict[str, Any] = {dataset: {} for dataset in config.datasets}
    for dataset, method in itertools.product(config.datasets, dict(codes)):
        runs = [probed[f"{dataset}, {method}, {k}"] for name, k in codes if name == method]
        table[dataset][method] = {
            m: {**mean_and_sd([run[m] for run in runs]), "runs": len(runs)} for m in MEASURES
        }
    return RunResult({"runs": probed, "table": table}, device=devices_of(probed.values()))


def codes_of(config: Config) -> list[tuple[str, int]]:
    """List the codes made of each set of images: method and seed."""
    counts = dict.fromkeys(FIXED, 1)
    trained = "untrained", "coding rate", "paper", UNTRAINED_CONV
    counts |= dict.fromkeys((*trained, *config.chosen_unmoved, *config.selected), config.seeds)
    return [(method, number) for method, count in counts.items() for number in range(count)]


def make_and_probe(
    config: Config,
    dataset: str,
    method: str,
    number: int,
    seed: int,
    data: Path | None,
    device: str,
    task: TaskContext,
) -> dict[str, Any]:
    """Make one code, and probe it for the labels."""
    images = images_of(dataset, data)
    started = time.perf_counter()
    with arithmetic("tf32"):
        child = split(seed, number)
        train_codes, test_codes = make_codes(config, images, method, child, device, task)
    seconds = time.perf_counter() - started
    classes = int(images.train_labels.max()) + 1
    clusters = kmeans(test_codes, classes, seed=split(seed, "kmeans", number))
    return {
        **probe(train_codes, test_codes, images),
        **agreement(clusters, images.test_labels.numpy()),
        "seconds": round(seconds, 1),
        "device": describe_device(device),
    }


def make_codes(
    config: Config,
    images: Images,
    method: str,
    seed: int,
    device: str,
    task: TaskContext,
) -> tuple[Tensor, Tensor]:
    """Return codes of the training and the test images; labels are not used."""
    train_pixels, test_pixels = images.train_images.to(device), images.test_images.to(device)
    if method in FIXED:
        train_pixels, test_pixels = train_pixels.flatten(1), test_pixels.flatten(1)
        if method == "pixels":
            return train_pixels, test_pixels
        return principal_components(train_pixels, test_pixels, min(CODE_DIM, train_pixels.shape[1]))
    if method in ("untrained", UNTRAINED_CONV):
        kind = Recipe("mlp" if method == "untrained" else "conv")
        encoder = make_encoder(kind, images.side, split(seed, "encoder")).to(device)
    else:
        chosen = dict(zip(config.selected, config.selected_steps, strict=True))
        chosen |= zip(config.chosen_unmoved, config.unmoved_steps, strict=True)
        steps = chosen.get(method, config.paper_steps)
        encoder, _ = train(RECIPES[method], train_pixels, seed, steps, task)
    with torch.no_grad():
        return encode(encoder, train_pixels), encode(encoder, test_pixels)
