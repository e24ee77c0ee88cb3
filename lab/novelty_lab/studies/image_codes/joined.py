"""Ours: the codes of several changes of the image, side by side, judged without labels.

A code forgets what its change alters, and which change does not matter is not to be seen without
labels. The codes of all changes side by side leave the question open: they are a candidate beside
each of them, and beside a control as long, the code of the first change from as many seeds. The
jury sees images changed in each way. The probes see labels: they say how well it chose.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
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
from novelty_lab.studies.image_codes.jury import JUROR_NAMES, best_of, judge, parted, rank
from novelty_lab.studies.image_codes.training import (
    PER_SAMPLE,
    RECIPES,
    Change,
    changed,
    encode,
    train,
)

JOINED = "joined"


@dataclass(frozen=True)
class Config(Settings):
    """What is trained, and how it is judged."""

    dataset: str = "mnist"
    """Images; their labels are used by the probes alone."""
    changes: tuple[Change, ...] = choice(get_args(Change))
    """What is done to the encoded image, a code for each."""
    seeds: int = 1
    """From how many seeds the codes are trained; the jury judges the first."""
    steps: int = 3000
    """Training steps of each code; in the last fifth the learning rate falls to zero."""
    batch_size: int = 1024
    """Images per step."""
    width: int = 1024
    """Features of the observer."""
    held_out: int = 10_000
    """Training images kept from training, for the jury."""
    judged: int = 1024
    """Of these, how many each juror sees."""
    orders: int = 8
    """Permutations of the residuals that make the floor."""


PAPER = Config()
QUICK = Config(
    dataset="digits", changes=("moved", "bent"), seeds=2, steps=30, batch_size=64, width=32,
    held_out=300, judged=128, orders=2,
)  # fmt: skip


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train all codes from every seed, and choose one of the first seed without labels."""
    if len(set(config.changes)) < max(2, len(config.changes)):
        raise UserError(f"expected two changes or more, each once; got {config.changes}")
    tasks = {}
    for number in range(config.seeds):
        task = context.task(f"seed {number}")
        tasks[f"seed {number}"] = config, number, seed, context.data, context.device, task
    first, *more = context.map(train_and_judge, tasks).values()
    mean_rank = rank(first)
    probes = {
        name: {key: mean_and_sd([of[name][key] for of in (first, *more)]) for key in PROBES}
        for name in first
    }
    results = {
        "candidates": first,
        "mean_rank": mean_rank,
        "chosen": best_of(mean_rank)[0],
        "more": more,
        "probes": probes,
        "jurors": [f"images {c}: {juror}" for c in config.changes for juror in JUROR_NAMES],
    }
    everyone = [one for group in (first, *more) for one in group.values()]
    return RunResult(results, device=devices_of(everyone))


PROBES = ("linear", "neighbours")


def train_and_judge(
    config: Config, number: int, seed: int, data: Path | None, device: str, task: TaskContext
) -> dict[str, dict[str, Any]]:
    """Train the codes of one seed, have the jury judge them without labels, and probe them."""
    images = images_of(config.dataset, data)
    pixels = images.train_images.to(device)
    seen, unseen = parted(pixels, config.held_out, config.judged)
    encoded = {"train": pixels, "test": images.test_images.to(device)} | {
        change: changed(unseen, change, torch_generator(seed, "moves")) for change in config.changes
    }

    def trained(change: Change, *labels: str | int) -> Code:
        child, started = split(seed, "training", number, *labels), time.perf_counter()
        folder = task.directory and task.directory / "-".join(map(str, (change, *labels)))
        recipe = dataclasses.replace(
            RECIPES["conv by mlp"],
            change=change,
            batch_size=config.batch_size,
            ridge_penalty=PER_SAMPLE * config.batch_size,
            width=config.width,
            annealed=0.2,
        )
        with arithmetic("tf32"):
            part = dataclasses.replace(task, directory=folder)
            encoder, _ = train(recipe, seen, child, config.steps, part)
            seconds = round(time.perf_counter() - started, 1)
            return Code({name: encode(encoder, some) for name, some in encoded.items()}, seconds)

    # Codes that are joined have seeds of their own, and their control has the same seeds.
    labels = [("copy", copy) if copy else () for copy in range(len(config.changes))]
    each = [trained(change, *of) for change, of in zip(config.changes, labels, strict=True)]
    repeated = config.changes[0]
    control = [each[0], *(trained(repeated, *of) for of in labels[1:])]
    codes: dict[str, Code] = dict(zip(config.changes, each, strict=True))
    codes |= {JOINED: joined(each), f"{repeated} x{len(each)}": joined(control)}
    return {
        name: _judged(config, unseen, code.codes, seed)
        | probe(code.codes["train"], code.codes["test"], images)
        | {"seconds": code.seconds, "device": describe_device(device)}
        for name, code in codes.items()
    }


@dataclass(frozen=True)
class Code:
    """A trained code of several sets of images."""

    codes: dict[str, Tensor]
    """By the name of the set, (num_images, code_dim) each."""
    seconds: float
    """That the training took in this process; less if it went on from a checkpoint."""


def joined(codes: Sequence[Code]) -> Code:
    """Put codes of the same images side by side, at unit length again."""
    scale = len(codes) ** -0.5
    sides = {
        name: scale * torch.cat([one.codes[name] for one in codes], dim=1)
        for name in codes[0].codes
    }
    return Code(sides, round(sum(one.seconds for one in codes), 1))


def _judged(
    config: Config, images: Tensor, codes: Mapping[str, Tensor], seed: int
) -> dict[str, Any]:
    """Have the jury judge the codes of images that were changed in each way."""
    scored = {c: judge(images, codes[c], config.orders, seed) for c in config.changes}
    excess = [bits for of in scored.values() for bits in (of[:, 0] - of[:, 1]).tolist()]
    return {"excess": excess}
