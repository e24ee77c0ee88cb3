"""Ours: a ResNet-18 learns CIFAR-10 without labels, and five terms keep its code from collapsing.

Two views of an image, cropped, mirrored and recoloured, shall have the same code of 64 numbers:

    loss = mean squared difference of the codes + weight * term

The weight of each term is chosen on a validation part after short trainings. What the code is worth
is then measured on the test part, for several seeds: a linear probe of the network's 512 features
and of the code, five nearest neighbours, and the number of directions that the code uses.
"""

from __future__ import annotations

import functools
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import affine_grid, grid_sample

from learnable_novelty.errors import UserError
from learnable_novelty.objective import effective_rank
from learnable_novelty.seeds import split
from learnable_novelty.storage import accessing
from novelty_lab.context import RunContext, RunResult, describe_device, mean_and_sd
from novelty_lab.paper.fig4_encoder.probes import linear_probe, nearest_neighbours
from novelty_lab.settings import Settings
from novelty_lab.studies.collapse.terms import Arm, make_term
from novelty_lab.systems.images import load_images

CANDIDATES = (
    Arm("honest S", 1.0),
    Arm("SIGReg", 0.05),
    Arm("VICReg", 1.0, normed=False),
    Arm("plain S", 1.0),
    Arm("honest S", 0.3),
    Arm("SIGReg", 0.015),
    Arm("VICReg", 0.3, normed=False),
    Arm("plain S", 0.3),
    Arm("honest S", 3.0),
    Arm("SIGReg", 0.15),
    Arm("VICReg", 3.0, normed=False),
    Arm("plain S", 3.0),
    Arm("honest S", 1.0, features=256),
    Arm("SIGReg", 0.05, normed=False),
    Arm("VICReg", 1.0),
)
MEASURES = ("backbone", "code", "neighbours", "rank", "seconds")


@dataclass(frozen=True)
class Config(Settings):
    """How long, and how large."""

    dataset: str = "cifar-10"
    """cifar-10 from the file cifar10.npz in the data folder, or digits, which need no file."""
    epochs: int = 16
    """Of the trainings whose codes are compared."""
    short_epochs: int = 4
    """Of those that choose the weights."""
    seeds: int = 3
    """Trainings of each term."""
    train: int = 25_000
    """Images to train on, the first of the set."""
    validation: int = 5_000
    """Images to choose weights by, the next ones."""
    test: int = 5_000
    """Images of the result, the last of the set."""
    batch_size: int = 256
    """Images of a step, each in two views."""
    width: int = 64
    """Channels of the network's first stage."""
    code_dim: int = 64
    """Length of the code."""
    learning_rate: float = 2e-3
    """Of AdamW: it rises in the first tenth, then falls as a cosine."""
    weight_decay: float = 1e-2
    """Of AdamW."""
    crop: float = 0.2
    """Smallest share of the image's area that a view shows."""


PAPER = Config()
QUICK = Config(
    dataset="digits",
    epochs=2,
    short_epochs=1,
    seeds=1,
    train=256,
    validation=128,
    test=128,
    batch_size=64,
    width=4,
    code_dim=8,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Choose the weights, then train with each term."""
    where = context.data, context.device
    tried = context.map(
        train_and_probe,
        {
            f"choose {arm.name}": (config, arm, config.short_epochs, "validation", seed, *where)
            for arm in CANDIDATES
        },
    )
    chosen: dict[str, Arm] = {"none": Arm()}
    for arm in sorted(CANDIDATES, key=lambda arm: -tried[f"choose {arm.name}"]["backbone"]):
        chosen.setdefault(arm.term, arm)
    done = context.map(
        train_and_probe,
        {
            f"{term} {k}": (config, arm, config.epochs, "test", split(seed, "run", k), *where)
            for k in range(config.seeds)
            for term, arm in chosen.items()
        },
    )
    runs = {term: [done[f"{term} {k}"] for k in range(config.seeds)] for term in chosen}
    table = {
        term: {m: {**mean_and_sd([r[m] for r in each]), "runs": len(each)} for m in MEASURES}
        for term, each in runs.items()
    }
    results = {
        "tried": tried,
        "chosen": {term: arm.name for term, arm in chosen.items()},
        "runs": runs,
        "table": table,
    }
    return RunResult(results, device=describe_device(context.device))


def train_and_probe(
    config: Config, arm: Arm, epochs: int, part: str, seed: int, data: Path | None, device: str
) -> dict[str, Any]:
    """Train a network with a term, and probe it on a part of the images."""
    pictures, labels = parts_of(config, data, device)
    torch.manual_seed(split(seed, "network"))
    torch.cuda.manual_seed_all(split(seed, "views"))
    network = Network(config, arm.normed).to(device)
    network.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]
    train = pictures["train"]
    started = time.perf_counter()
    losses = fit(network, train, arm, epochs, config, seed)
    seconds = time.perf_counter() - started
    fitted, judged = (codes_of(network, pictures[name]) for name in ("train", part))
    if not all(bool(codes.isfinite().all()) for codes in (*fitted, *judged)):
        return dict.fromkeys(MEASURES, 0.0) | {"diverged": True}
    known, asked = labels["train"], labels[part]
    probes = [
        linear_probe(a, known, b, asked, penalty=1e-3, tolerance=1e-4)
        for a, b in zip(fitted, judged, strict=True)
    ]
    return {
        "backbone": probes[0],
        "code": probes[1],
        "neighbours": nearest_neighbours(fitted[1], known, judged[1], asked),
        "rank": effective_rank(judged[1]),
        "loss": losses,
        "seconds": round(seconds, 2),
        "images_per_second": round(2 * epochs * (len(train) // config.batch_size)
                                   * config.batch_size / seconds),
    }  # fmt: skip


def fit(
    network: Network, pictures: Tensor, arm: Arm, epochs: int, config: Config, seed: int
) -> list[float]:
    """Train; return the loss at the end of every epoch."""
    term, device = make_term(arm, split(seed, "observer")), pictures.device
    if isinstance(term, nn.Module):
        term.to(device)
    per_epoch = len(pictures) // config.batch_size
    optimizer = torch.optim.AdamW(
        network.parameters(),
        config.learning_rate,
        weight_decay=config.weight_decay,
        fused=device.type == "cuda",
    )
    steps = max(2, epochs * per_epoch)
    rate = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, config.learning_rate, steps, pct_start=0.1, cycle_momentum=False
    )
    losses: list[float] = []
    network.train()
    for _ in range(epochs):
        order = torch.randperm(len(pictures), device=device)
        loss = torch.zeros(())
        for rows in order[: per_epoch * config.batch_size].view(per_epoch, -1):
            images = pictures[rows].float() / 255
            views = augment(torch.cat([images, images]), config.crop)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                codes = network(views)[1].float()
            one, two = codes.chunk(2)
            loss = (one - two).square().mean()
            if arm.weight:
                loss = loss + arm.weight * term(images, [one, two])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            rate.step()
        losses.append(float(loss.detach()))
    return losses


@torch.no_grad()
def codes_of(network: Network, pictures: Tensor) -> tuple[Tensor, Tensor]:
    """Return features and codes of all pictures."""
    network.eval()
    pairs: list[tuple[Tensor, Tensor]] = []
    for chunk in pictures.split(2000):
        with torch.autocast(pictures.device.type, torch.bfloat16, enabled=pictures.is_cuda):
            pairs.append(network(standardized(chunk.float() / 255)))
    features, codes = (torch.cat(each).float() for each in zip(*pairs, strict=True))
    return features, codes


class Block(nn.Module):
    """Two convolutions and a way past them."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(),
            nn.Conv2d(outside, outside, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outside),
        )
        self.past = nn.Sequential()
        if inside != outside:
            self.past.append(nn.Conv2d(inside, outside, 1, stride, bias=False))
            self.past.append(nn.BatchNorm2d(outside))

    def forward(self, images: Tensor) -> Tensor:
        return torch.relu(self.body(images) + self.past(images))


class Network(nn.Module):
    """ResNet-18 for small images (He et al. 2016), and a perceptron that makes its code."""

    def __init__(self, config: Config, normed: bool) -> None:
        super().__init__()
        w = config.width
        layers: list[nn.Module] = [nn.Conv2d(3, w, 3, 1, 1, bias=False), nn.BatchNorm2d(w)]
        inside = w
        layers.append(nn.ReLU())
        for stage in range(4):
            for number in range(2):
                stride = 2 if stage and not number else 1
                layers.append(Block(inside, w * 2**stage, stride))
                inside = w * 2**stage
        self.backbone = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Sequential(
            nn.Linear(inside, 2 * inside),
            nn.BatchNorm1d(2 * inside),
            nn.ReLU(),
            nn.Linear(2 * inside, config.code_dim),
            nn.BatchNorm1d(config.code_dim, affine=False) if normed else nn.Identity(),
        )

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        features = self.backbone(images.contiguous(memory_format=torch.channels_last))
        return features, self.head(features)


def standardized(images: Tensor) -> Tensor:
    """Centre pixels from 0 to 1, and divide by their usual deviation."""
    return (images - 0.5) / 0.25


def augment(images: Tensor, smallest: float) -> Tensor:
    """Crop, mirror, recolour or grey each of the images (n, 3, side, side), on their device."""
    n = len(images)
    u = torch.rand(16, n, device=images.device)
    area = smallest + (1 - smallest) * u[0]
    ratio = torch.exp((2 * u[1] - 1) * math.log(4 / 3) / 2)
    width, height = ((area.sqrt() * r).clamp(max=1) for r in (ratio, 1 / ratio))
    mirror = torch.where(u[2] < 0.5, -1.0, 1.0)
    none = torch.zeros_like(width)
    x, y = (1 - width) * (2 * u[3] - 1), (1 - height) * (2 * u[4] - 1)
    maps = torch.stack([width * mirror, none, x, none, height, y], 1).view(n, 2, 3)
    grid = affine_grid(maps, list(images.shape), align_corners=False)
    views = grid_sample(images, grid, padding_mode="reflection", align_corners=False)
    return standardized(recoloured(views, u[5:]))


def recoloured(images: Tensor, u: Tensor) -> Tensor:
    """Change brightness, contrast, saturation and hue of 80% of the images, and grey 20%."""
    change = (u[0] < 0.8).float()[:, None, None, None]
    bright, contrast, colour = (
        1 + change * 0.4 * (2 * u[i][:, None, None, None] - 1) for i in (1, 2, 3)
    )
    colour = colour * (u[5] >= 0.2)[:, None, None, None]
    images = (images * bright).clamp(0, 1)
    mean = _grey(images).mean((2, 3), keepdim=True)
    images = (mean + contrast * (images - mean)).clamp(0, 1)
    # Saturation and hue: colours, less their grey, are shortened and turned about the grey axis.
    grey = _grey(images)
    angle = change * 0.2 * math.pi * (2 * u[4][:, None, None, None] - 1)
    off = images - grey
    axis = off.roll(1, 1) - off.roll(-1, 1)
    turned = angle.cos() * off + angle.sin() / 3**0.5 * axis
    turned = turned + (1 - angle.cos()) * off.mean(1, keepdim=True)
    return (grey + colour * turned).clamp(0, 1)


def _grey(images: Tensor) -> Tensor:
    weights = images.new_tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)
    return (images * weights).sum(1, keepdim=True)


@functools.lru_cache(maxsize=1)
def parts_of(
    config: Config, data: Path | None, device: str
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return images (n, 3, side, side), in bytes, and labels of every part, on a device."""
    if config.dataset == "digits":
        digits = load_images("digits")
        pictures = (digits.train_images[:, None] * 255).byte().expand(-1, 3, -1, -1)
        labels = digits.train_labels
    elif config.dataset == "cifar-10" and data is not None:
        path = data / "cifar10.npz"
        with accessing(path, "read"), np.load(path, allow_pickle=False) as file:
            pictures = torch.from_numpy(file["images"]).permute(0, 3, 1, 2)
            labels = torch.from_numpy(file["labels"]).long()
    else:
        raise UserError(
            "expected dataset=digits, or dataset=cifar-10 and a data folder with cifar10.npz: "
            "images (n, 32, 32, 3) in bytes, and labels"
        )
    middle, last = config.train, config.train + config.validation
    slices = {
        "train": slice(middle),
        "validation": slice(middle, last),
        "test": slice(len(labels) - config.test, None),
    }
    if last + config.test > len(labels):
        raise UserError(f"expected at least {last + config.test} images, got {len(labels)}")
    return (
        {k: pictures[s].to(device).contiguous() for k, s in slices.items()},
        {k: labels[s].to(device) for k, s in slices.items()},
    )
