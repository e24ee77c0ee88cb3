"""Figure 4: an encoder trained on its own learnable novelty, without labels.

PAPER is the paper's: MNIST, an MLP reservoir of width 2,048 and depth 4, ridge 3, resolution 30,
batches of 128, 500 steps. Records the score, both probes and a clustering at six checkpoints for
five training seeds, t-SNE projections of the first, and what the paper does not show: the same
probes on raw pixels and on as many principal components as the code has dimensions. The paper does
not say how its probes are fitted; a second pair, on few codes, shows how much hangs on that.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.context import NO_CHECKPOINTS, RunContext, RunResult, TaskContext, mean_and_sd
from novelty_lab.paper.fig4_encoder.encoding import (
    ON_DIGITS,
    EncoderConfig,
    images_of,
    probe,
    probed_images,
    small_probe,
    train,
)
from novelty_lab.paper.fig4_encoder.probes import principal_components
from novelty_lab.systems.encoder import Encoder
from novelty_lab.systems.images import Images

PROBES = ("linear", "neighbours", "small_linear", "small_neighbours")
"""Accuracies, from many codes and from few."""
MEASURES = ("bits", *PROBES)
"""Held-out score, and probes."""
HELD_OUT_BATCHES = 8


@dataclass(frozen=True)
class Config(EncoderConfig):
    """The encoder, and how it is looked at on the way."""

    training_seeds: int = 5
    """Encoders, each with its own weights, reservoir and batches."""
    checkpoint_every: int = 100
    """Steps between the checkpoints that are probed."""
    small_probe_train: int = 2000
    """Codes of the second pair of probes, which are not standardized; an encoder before training
    then has about the accuracy that the paper reports."""
    projected: int = 2000
    """Test images in a projection."""
    perplexity: float = 30.0
    """Of t-SNE."""


PAPER = Config()
QUICK = dataclasses.replace(
    PAPER,
    **ON_DIGITS,
    steps=100,
    learning_rate=3e-3,
    training_seeds=2,
    checkpoint_every=20,
    small_probe_train=300,
    projected=200,
    perplexity=20.0,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train encoders from several seeds and look at each at its checkpoints."""
    where = context.data, context.device
    tasks = {
        f"training {index}": (config, seed, index, *where, context.task(f"training {index}"))
        for index in range(config.training_seeds)
    }
    trainings = list(context.map(train_and_probe, tasks).values())
    controls = context.map(probe_control, {n: (config, n, seed, *where) for n in ("pixels", "pca")})
    measured = {m: np.array([one["measures"][m] for one in trainings]) for m in MEASURES}
    results: dict[str, Any] = {
        "steps": trainings[0]["steps"],
        **{name: mean_and_sd(values) for name, values in measured.items()},
        "controls": controls,
        "chance": trainings[0]["chance"],
    }
    arrays = {
        "scores": np.array([one["scores"] for one in trainings], dtype=np.float32),
        **measured,
        "projection": np.array(trainings[0]["projection"], dtype=np.float32),
        "projected_labels": np.array(trainings[0]["projected_labels"], dtype=np.uint8),
        "projected_images": projected_images(config, seed, context.data),
    }
    return RunResult(results, None, arrays)


def train_and_probe(
    config: Config,
    seed: int,
    index: int,
    data: Path | None,
    device: str,
    task: TaskContext = NO_CHECKPOINTS,
) -> dict[str, Any]:
    """Train one encoder and measure it at its checkpoints; project the first one's codes."""
    images = images_of(config.dataset, data)
    labelled = probed_images(config, images, seed, device)
    child = split(seed, "training", index)
    encoder, observer, ascended = train(
        config, images.train_images.to(device), child, config.checkpoint_every, task
    )
    some = _projected(config, labelled, seed)
    measures: dict[str, list[float]] = {name: [] for name in MEASURES}
    projections: list[Any] = []
    for state in ascended.snapshots.values():
        encoder.load_state_dict(state)
        for name, value in measure(encoder, observer, labelled, config).items():
            measures[name].append(value)
        if index == 0:
            with torch.no_grad():
                codes = encoder(labelled.test_images[some])
            projections.append(project(codes, config.perplexity, seed))
    counts = torch.bincount(labelled.test_labels)
    return {
        "steps": list(ascended.snapshots),
        "scores": ascended.scores,
        "measures": measures,
        "projection": projections,
        "projected_labels": labelled.test_labels[some].tolist() if index == 0 else [],
        "chance": float(counts.max() / counts.sum()),
    }


@torch.no_grad()
def measure(
    encoder: Encoder, observer: Observer, labelled: Images, config: Config
) -> dict[str, float]:
    """Take every measure of an encoder."""
    train_codes, test_codes = encoder(labelled.train_images), encoder(labelled.test_images)
    return {
        "bits": held_out_bits(encoder, observer, labelled, config.batch_size),
        **probe(train_codes, test_codes, labelled),
        **small_probe(train_codes, test_codes, labelled, config.small_probe_train),
    }


@torch.no_grad()
def held_out_bits(encoder: Encoder, observer: Observer, labelled: Images, size: int) -> float:
    """Score codes of test images, in batches as in training."""
    batches = labelled.test_images.flatten(1).split(size)
    whole = [x for x in batches[:HELD_OUT_BATCHES] if len(x) == size] or batches[:1]
    return float(np.mean([float(observer(x, encoder(x))) for x in whole]))


def probe_control(
    config: Config, name: str, seed: int, data: Path | None, device: str
) -> dict[str, float]:
    """Probe what needs no training: the pixels, or their principal components."""
    labelled = probed_images(config, images_of(config.dataset, data), seed, device)
    first, second = labelled.train_images.flatten(1), labelled.test_images.flatten(1)
    if name == "pca":
        dim = min(config.code_dim, first.shape[1])
        first, second = principal_components(first, second, dim)
    few = small_probe(first, second, labelled, config.small_probe_train)
    return probe(first, second, labelled) | few


def project(codes: Tensor, perplexity: float, seed: int) -> list[list[float]]:
    """Lay codes out in the plane by t-SNE, from their principal axes."""
    from sklearn.manifold import TSNE

    state = split(seed, "projection") % 2**32
    layout = TSNE(perplexity=perplexity, init="pca", random_state=state)
    return layout.fit_transform(codes.cpu().numpy()).tolist()


def projected_images(config: Config, seed: int, data: Path | None) -> np.ndarray:
    """Return the images of a projection, as bytes: (projected, side, side).

    They are the dots of the map, in its order; the files hold them as bytes too.
    """
    labelled = probed_images(config, images_of(config.dataset, data), seed, "cpu")
    pixels = labelled.test_images[_projected(config, labelled, seed)]
    return (255 * pixels).round().to(torch.uint8).numpy()


def _projected(config: Config, labelled: Images, seed: int) -> Tensor:
    count = len(labelled.test_labels)
    if not config.perplexity < config.projected <= count:
        raise UserError(f"projected must be above perplexity and at most {count}")
    return torch.randperm(count, generator=torch_generator(seed, "projected"))[: config.projected]
