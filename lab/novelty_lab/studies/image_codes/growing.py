"""Ours: a code of images against an observer that grows, chosen without labels.

Two observers (frozen, growing) times the ways to change the image that is encoded (moved by up to
two pixels; moved and mirrored; moved, with a square erased; turned, scaled, sheared and moved; the
same and bent; cropped) are trained on 50,000 images. The jury of ``encoder-select`` ranks the codes
by its excess bits on images that no training saw, which are changed as well, and the best mean rank
is chosen. A code forgets what its change alters, and which change does not matter is not to be seen
without labels. ``joined`` leaves the question open: the codes of all changes, side by side, are a
candidate too, and so is a control as long, the code of the first change from as many seeds. Then
the codes of the chosen observer are trained from more seeds. The probes see labels: they say how
well the jury chose, and do not choose.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.objective import effective_rank
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.context import (
    RunContext,
    RunResult,
    TaskContext,
    describe_device,
    devices_of,
    mean_and_sd,
)
from novelty_lab.paper.fig3_neural.neural import arithmetic
from novelty_lab.paper.fig4_encoder.encoding import images_of, probe
from novelty_lab.settings import Settings, choice
from novelty_lab.studies.image_codes.recipes import (
    PER_SAMPLE,
    encode,
    image_observer,
    move,
)
from novelty_lab.studies.image_codes.select import (
    JURORS,
    above_floor,
    best_of,
    rank,
)
from novelty_lab.studies.image_codes.training import (
    Change,
    TrainingConfig,
    changed,
    train_growing,
)

PROBES = ("linear", "neighbours")
JOINED = "joined"
"""Names the codes of all changes, side by side."""


@dataclass(frozen=True)
class Config(Settings):
    """What is trained, and how it is judged."""

    dataset: str = "mnist"
    """Images; their labels are used by the probes alone."""
    changes: tuple[Change, ...] = choice(get_args(Change), ("moved", "warped"))
    """What is done to the encoded image, a code for each."""
    judged_changes: tuple[Change, ...] = choice(get_args(Change), ("moved",))
    """What is done to the images whose codes the jury sees; it judges once for each."""
    joined: bool = False
    """Whether the codes of all changes side by side are a candidate, and a control as long."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    """Of every code."""
    seeds: int = 3
    """From how many seeds all codes of the chosen observer are trained."""
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
    """Train all codes, choose one without labels, and train those of its observer again."""
    _check(config)
    (first,) = trained(config, ("frozen", "growing"), [0], seed, context)
    mean_rank = rank(first)
    chosen = best_of(mean_rank)[0]
    observer = chosen.split(", ")[0]
    more = trained(config, (observer,), range(1, config.seeds), seed, context)
    seeds = {
        name: [first[name], *(one[name] for one in more)]
        for name in first
        if name.startswith(f"{observer}, ")
    }
    results = {
        "candidates": first,
        "mean_rank": mean_rank,
        "chosen": chosen,
        "chosen_by_change": {change: chosen_by(first, change) for change in seen_changes(config)},
        "places_by_label": {key: place_of(first, chosen, key) for key in PROBES},
        "more": more,
        "probes": {
            name: {key: mean_and_sd([one[key] for one in runs]) for key in PROBES}
            for name, runs in seeds.items()
        },
        "jurors": [
            f"images {change}: {kind}, resolution {eta:g}"
            for change in config.judged_changes
            for kind, eta in JURORS
        ],
    }
    everyone = [one for group in (first, *more) for one in group.values()]
    return RunResult(results, device=devices_of(everyone))


def _check(config: Config) -> None:
    if not 0 < config.judged <= config.held_out:
        raise UserError(f"judged must be from 1 to held_out={config.held_out}, got {config.judged}")
    for changes in (config.changes, config.judged_changes):
        if len(set(changes)) < len(changes):
            raise UserError(f"expected every change once, got {', '.join(changes)}")
    if config.joined and len(config.changes) < 2:
        raise UserError(f"joined needs two changes or more, got {', '.join(config.changes)}")


def seen_changes(config: Config) -> tuple[Change, ...]:
    """List how images are changed before a jury sees their codes; some juries decide nothing."""
    return tuple(dict.fromkeys((*config.judged_changes, *config.changes)))


def name_of(observer: str, code: str) -> str:
    """Name a candidate: its observer, and how the encoded image is changed."""
    return f"{observer}, {code}"


def chosen_by(trained: Mapping[str, dict[str, Any]], change: Change) -> str:
    """Return whose code a jury chooses that sees images changed in this way only."""
    judged = {name: {"excess": one["excess_by_change"][change]} for name, one in trained.items()}
    return best_of(rank(judged))[0]


def place_of(candidates: Mapping[str, dict[str, Any]], chosen: str, key: str) -> int:
    """Return the place that a probe gives the chosen candidate, 1 the best."""
    return 1 + sum(one[key] > candidates[chosen][key] for one in candidates.values())


def trained(
    config: Config,
    observers: Sequence[str],
    numbers: Sequence[int],
    seed: int,
    context: RunContext,
) -> list[dict[str, Any]]:
    """Train the codes of observers from numbered seeds; return the candidates of each seed."""
    tasks = {
        f"{observer}, seed {number}": (
            config, observer == "growing", number, seed, context.data, context.device,
            context.task(f"{observer}, seed {number}"),
        )
        for number in numbers
        for observer in observers
    }  # fmt: skip
    judged = context.map(train_and_judge, tasks) if tasks else {}
    return [
        {
            name_of(observer, code): one
            for observer in observers
            for code, one in judged[f"{observer}, seed {number}"].items()
        }
        for number in numbers
    ]


def train_and_judge(
    config: Config,
    grows: bool,
    number: int,
    seed: int,
    data: Path | None,
    device: str,
    task: TaskContext,
) -> dict[str, dict[str, Any]]:
    """Train the codes of one observer, have the jury judge them without labels, and probe them."""
    images = images_of(config.dataset, data)
    pixels = images.train_images.to(device)
    if config.held_out >= len(pixels):
        raise UserError(
            f"held_out must leave some of the {len(pixels):,} images to train on, "
            f"got {config.held_out:,}"
        )
    seen, unseen = pixels[: -config.held_out], pixels[-config.held_out :][: config.judged]
    encoded = {"train": pixels, "test": images.test_images.to(device)} | {
        change: _judged_images(config, unseen, change, seed) for change in seen_changes(config)
    }

    def train(change: Change, *labels: str | int) -> Code:
        child, started = split(seed, "training", number, *labels), time.perf_counter()
        part = _part(task, "-".join(map(str, (change, *labels))))
        with arithmetic("tf32"):
            encoder, phases = train_growing(
                config.training, seen, change, child, grows=grows, task=part
            )
            seconds = round(time.perf_counter() - started, 1)
            codes = {name: encode(encoder, some) for name, some in encoded.items()}
        return Code(codes, [phase.describe() for phase in phases], seconds)

    # Codes that are joined have seeds of their own, and their control has the same seeds.
    labels = {
        change: ("copy", copy) if config.joined and copy else ()
        for copy, change in enumerate(config.changes)
    }
    codes = {str(change): train(change, *labels[change]) for change in config.changes}
    if config.joined:
        repeated, count = config.changes[0], len(config.changes)
        again = [train(repeated, *of) for change, of in labels.items() if change != repeated]
        codes |= {
            JOINED: joined(list(codes.values())),
            f"{repeated} x{count}": joined([codes[repeated], *again]),
        }
    return {
        name: judge(config, unseen, code.codes, seed)
        | probe(code.codes["train"], code.codes["test"], images)
        | {"phases": code.phases, "seconds": code.seconds, "device": describe_device(device)}
        for name, code in codes.items()
    }


@dataclass(frozen=True)
class Code:
    """A trained code of several sets of images."""

    codes: dict[str, Tensor]
    """By the name of the set, (num_images, code_dim) each."""
    phases: list[dict[str, Any]]
    seconds: float
    """That the training took in this process; less if it went on from a checkpoint."""


def _judged_images(config: Config, images: Tensor, change: Change, seed: int) -> Tensor:
    """Change the images whose codes are judged."""
    generator = torch_generator(seed, "moves")
    if change == "moved":
        return move(images, config.moved, generator)
    return changed(images, change, generator)


def _part(task: TaskContext, name: str) -> TaskContext:
    """Give the training of one code a folder of its own for its checkpoints."""
    folder = None if task.directory is None else task.directory / name
    return dataclasses.replace(task, directory=folder)


def joined(codes: Sequence[Code]) -> Code:
    """Put codes of the same images side by side, at unit length again."""
    scale, names = len(codes) ** -0.5, codes[0].codes
    return Code(
        {name: scale * torch.cat([one.codes[name] for one in codes], dim=1) for name in names},
        [phase for one in codes for phase in one.phases],
        round(sum(one.seconds for one in codes), 1),
    )


def judge(config: Config, images: Tensor, codes: Mapping[str, Tensor], seed: int) -> dict[str, Any]:
    """Have the jury judge the codes of images that were changed in each way."""
    scored = {
        change: _scored(config, images, codes[change], seed) for change in seen_changes(config)
    }
    excess = {change: (of[:, 0] - of[:, 1]).tolist() for change, of in scored.items()}
    return {
        "excess": [bits for change in config.judged_changes for bits in excess[change]],
        "excess_by_change": excess,
        "floor": {change: of[:, 1].tolist() for change, of in scored.items()},
        "explained_variance": {change: of[:, 2].tolist() for change, of in scored.items()},
        "effective_rank": {change: effective_rank(codes[change]) for change in scored},
    }


def _scored(config: Config, images: Tensor, codes: Tensor, seed: int) -> np.ndarray:
    """Return bits, floor and explained variance (columns) by every juror (rows)."""
    rows: list[tuple[float, float, float]] = []
    for index, (kind, resolution) in enumerate(JURORS):
        draw = split(seed, "juror", index)
        juror = image_observer(kind, images.shape[-1], PER_SAMPLE * len(images), resolution, draw)
        read = images.flatten(1) if kind == "mlp" else images
        rows.append(above_floor(juror, read, codes, config.orders, draw))
    return np.array(rows)
