"""Ours: a code of images against an observer that grows, chosen without labels.

Two observers (frozen, growing) times the ways to change the image that is encoded (moved by up to
two pixels; also turned, scaled and sheared; also bent) are trained on 50,000 images. The jury of
``encoder-select`` ranks the codes by its excess bits on images that no training saw, and the best
mean rank is chosen. The judged images are changed as well, and the jury judges once for every
change: which change does not matter is for the user to say, and ``judged_change`` says it. Then the
chosen code and the control are trained from more seeds. The probes see labels: they say how well
the jury chose, and do not choose.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.objective import effective_rank
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.artefacts.encoder.encoding import images_of, probe
from novelty_lab.artefacts.encoder_growing.training import (
    Change,
    TrainingConfig,
    changed,
    train_growing,
)
from novelty_lab.artefacts.encoder_select.experiment import JURORS, above_floor, best_of, rank
from novelty_lab.artefacts.encoder_select.recipes import PER_SAMPLE, encode, image_observer, move
from novelty_lab.artefacts.nca.neural import arithmetic
from novelty_lab.context import (
    RunContext,
    RunResult,
    TaskContext,
    describe_device,
    devices_of,
    mean_and_sd,
)
from novelty_lab.settings import Settings, choice

PROBES = ("linear", "neighbours")


@dataclass(frozen=True)
class Config(Settings):
    """What is trained, and how it is judged."""

    dataset: str = "mnist"
    """Images; their labels are used by the probes alone."""
    changes: tuple[Change, ...] = choice(get_args(Change), ("moved", "warped"))
    """What is done to the encoded image; the first one, with a frozen observer, is the control."""
    judged_change: Change = "moved"
    """What is done to the images whose codes the deciding jury sees."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    """Of every candidate."""
    seeds: int = 3
    """Training seeds of the chosen candidate and of the control."""
    held_out: int = 10_000
    """Training images kept from training, for the jury."""
    judged: int = 1024
    """Of these, how many each juror sees."""
    moved: int = 2
    """The largest shift, in pixels, of judged images that are moved only."""
    orders: int = 8
    """Permutations of the residuals that make the floor."""


PAPER = Config()
QUICK = Config(
    dataset="digits",
    training=TrainingConfig(
        steps=60, batch_size=64, width=32, depth=2, smooth=5, rise=2.0, patience=10,
        growth_images=200, rounds=1,
    ),
    seeds=2, held_out=300, judged=128, moved=1, orders=4,
)  # fmt: skip


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train all candidates, choose one without labels, and train it from more seeds."""
    if not 0 < config.judged <= config.held_out:
        raise UserError(f"judged must be from 1 to held_out={config.held_out}, got {config.judged}")
    first = trained(config, {name: (name, 0) for name in candidates(config)}, seed, context)
    mean_rank = rank(first)
    chosen, control = best_of(mean_rank)[0], next(iter(first))
    again = {
        f"{name}, seed {number}": (name, number)
        for number in range(1, config.seeds)
        for name in dict.fromkeys((chosen, control))
    }
    more = trained(config, again, seed, context)
    seeds = {
        name: [first[name], *(more[key] for key, (other, _) in again.items() if other == name)]
        for name in dict.fromkeys((chosen, control))
    }
    results = {
        "candidates": first,
        "mean_rank": mean_rank,
        "chosen": chosen,
        "chosen_by_change": {change: chosen_by(first, change) for change in config.changes},
        "places_by_label": {key: place_of(first, chosen, key) for key in PROBES},
        "more": more,
        "probes": {
            name: {key: mean_and_sd([one[key] for one in runs]) for key in PROBES}
            for name, runs in seeds.items()
        },
        "jurors": [f"{kind}, resolution {eta:g}" for kind, eta in JURORS],
    }
    return RunResult(results, device=devices_of([*first.values(), *more.values()]))


def candidates(config: Config) -> dict[str, tuple[bool, Change]]:
    """List, by name, whether the observer grows and what is done to the encoded image."""
    return {
        f"{observer}, {change}": (observer == "growing", change)
        for change in config.changes
        for observer in ("frozen", "growing")
    }


def chosen_by(trained: Mapping[str, dict[str, Any]], change: Change) -> str:
    """Return whose code a jury chooses that sees images changed in this way."""
    judged = {name: {"excess": one["excess_by_change"][change]} for name, one in trained.items()}
    return best_of(rank(judged))[0]


def place_of(candidates: Mapping[str, dict[str, Any]], chosen: str, key: str) -> int:
    """Return the place that a probe gives the chosen candidate, 1 the best."""
    return 1 + sum(one[key] > candidates[chosen][key] for one in candidates.values())


def trained(
    config: Config, trainings: Mapping[str, tuple[str, int]], seed: int, context: RunContext
) -> dict[str, Any]:
    """Train candidates from numbered seeds, have them judged, and probe them."""
    tasks = {
        name: (config, candidate, number, seed, context.data, context.device, context.task(name))
        for name, (candidate, number) in trainings.items()
    }
    return context.map(train_and_judge, tasks)


def train_and_judge(
    config: Config,
    candidate: str,
    number: int,
    seed: int,
    data: Path | None,
    device: str,
    task: TaskContext,
) -> dict[str, Any]:
    """Train one code, have the jury judge it without labels, and probe it."""
    images, (grows, change) = images_of(config.dataset, data), candidates(config)[candidate]
    pixels, started = images.train_images.to(device), time.perf_counter()
    if config.held_out >= len(pixels):
        raise UserError(
            f"held_out must leave some of the {len(pixels):,} images to train on, "
            f"got {config.held_out:,}"
        )
    seen, unseen = pixels[: -config.held_out], pixels[-config.held_out :][: config.judged]
    with arithmetic("tf32"):
        child = split(seed, "training", number)
        encoder, phases = train_growing(
            config.training, seen, change, child, grows=grows, task=task
        )
        seconds = time.perf_counter() - started
        judged = {
            change: encode(encoder, _judged_images(config, unseen, change, seed))
            for change in dict.fromkeys((config.judged_change, *config.changes))
        }
        probed = encode(encoder, pixels), encode(encoder, images.test_images.to(device))
    by_change = {change: _scored(config, unseen, codes, seed) for change, codes in judged.items()}
    codes, scored = judged[config.judged_change], by_change[config.judged_change]
    return {
        "excess": (scored[:, 0] - scored[:, 1]).tolist(),
        "excess_by_change": {
            change: (of[:, 0] - of[:, 1]).tolist() for change, of in by_change.items()
        },
        "floor": scored[:, 1].tolist(),
        "explained_variance": scored[:, 2].tolist(),
        "effective_rank": effective_rank(codes),
        "phases": [phase.describe() for phase in phases],
        **probe(*probed, images),
        "seconds": round(seconds, 1),
        "device": describe_device(device),
    }


def _judged_images(config: Config, images: Tensor, change: Change, seed: int) -> Tensor:
    """Change the images whose codes are judged."""
    generator = torch_generator(seed, "moves")
    if change == "moved":
        return move(images, config.moved, generator)
    return changed(images, change, generator)


def _scored(config: Config, images: Tensor, codes: Tensor, seed: int) -> np.ndarray:
    """Return bits, floor and explained variance (columns) by every juror (rows)."""
    rows: list[tuple[float, float, float]] = []
    for index, (kind, resolution) in enumerate(JURORS):
        draw = split(seed, "juror", index)
        juror = image_observer(kind, images.shape[-1], PER_SAMPLE * len(images), resolution, draw)
        read = images.flatten(1) if kind == "mlp" else images
        rows.append(above_floor(juror, read, codes, config.orders, draw))
    return np.array(rows)
