"""Ours: encoders and observers for images, ranked without a label.

Raw scores of different observers are different rulers, so a code is not judged by the one it was
trained with. A jury judges: fresh draws of every kind of observer score each code on images that
no training saw, and the excess over the floor (the part that is not the code's own noise) ranks
the codes. What is encoded is the image moved by a pixel or two, what is read is the image where it
was: a thing stays what it is when it moves, so what a code says of the place does not count. The
code of the best mean rank is chosen, or several on a tie. Then the same jury says how long each
chosen one is worth training. No label is looked at.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.objective import effective_rank
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.context import RunContext, RunResult, TaskContext, describe_device, devices_of
from novelty_lab.paper.fig3_neural.neural import arithmetic
from novelty_lab.paper.fig4_encoder.encoding import images_of
from novelty_lab.settings import Settings, choice
from novelty_lab.studies.image_codes.recipes import (
    PER_SAMPLE,
    RECIPES,
    encode,
    image_observer,
    move,
    train_recipe,
)

JURORS: tuple[tuple[Literal["mlp", "conv"], float], ...] = (
    ("mlp", 30.0),
    ("mlp", 300.0),
    ("conv", 30.0),
    ("conv", 300.0),
)
"""Kind of reservoir and resolution of each juror."""


@dataclass(frozen=True)
class Config(Settings):
    """What is compared, and by whom."""

    dataset: str = "mnist"
    """Images; their labels are not used."""
    recipes: tuple[str, ...] = choice(RECIPES)
    """Candidates, by name."""
    steps: int = 500
    """Training steps of each candidate."""
    budgets: tuple[int, ...] = (1000, 2000, 4000)
    """Longer trainings of the chosen ones, for the jury to choose from."""
    held_out: int = 10_000
    """Training images kept from training, for the jury."""
    judged: int = 1024
    """Of these, how many each juror sees."""
    moved: int = 2
    """The largest shift, in pixels, of the images whose codes are judged."""
    orders: int = 8
    """Permutations of the residuals that make the floor."""


PAPER = Config()
QUICK = Config(
    dataset="digits", recipes=("paper", "coding rate"), steps=20, budgets=(40,), held_out=300,
    judged=128, moved=1, orders=4,
)  # fmt: skip


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train every candidate and let the jury rank them."""
    if not 0 < config.judged <= config.held_out:
        raise UserError(f"judged must be from 1 to held_out={config.held_out}, got {config.judged}")
    candidates = judged(
        config, {name: (name, config.steps) for name in config.recipes}, seed, context
    )
    mean_rank = rank(candidates)
    chosen = best_of(mean_rank)
    lengths = {
        name: choose_length(config, name, candidates[name], seed, context) for name in chosen
    }
    results = {
        "candidates": candidates,
        "mean_rank": mean_rank,
        "chosen": chosen,
        "lengths": lengths,
        "chosen_steps": [int(best_of(choice["mean_rank"])[0]) for choice in lengths.values()],
        "jurors": [f"{kind}, resolution {eta:g}" for kind, eta in JURORS],
    }
    trainings = [
        *candidates.values(),
        *(c for choice in lengths.values() for c in choice["candidates"].values()),
    ]
    return RunResult(results, device=devices_of(trainings))


def choose_length(
    config: Config, name: str, first: dict[str, Any], seed: int, context: RunContext
) -> dict[str, Any]:
    """Train a chosen recipe for each budget and let the jury rank them, the first length too."""
    longer = {f"{name}, {steps} steps": (name, steps) for steps in config.budgets}
    trained = judged(config, longer, seed, context)
    candidates = {str(config.steps): dict(first)}
    candidates |= {str(steps): trained[f"{name}, {steps} steps"] for steps in config.budgets}
    return {"candidates": candidates, "mean_rank": rank(candidates)}


def judged(
    config: Config, trainings: Mapping[str, tuple[str, int]], seed: int, context: RunContext
) -> dict[str, Any]:
    """Train recipes for so many steps, and have their codes judged."""
    tasks = {
        name: (
            dataclasses.replace(config, steps=steps), recipe, seed, context.data, context.device,
            context.task(name),
        )
        for name, (recipe, steps) in trainings.items()
    }  # fmt: skip
    return context.map(train_and_judge, tasks)


def rank(candidates: Mapping[str, dict[str, Any]]) -> dict[str, float]:
    """Note every juror's rank with the candidates, 1 the best, and return the mean ranks."""
    excess = np.array([candidate["excess"] for candidate in candidates.values()])
    ranks = 1 + np.argsort(np.argsort(-excess, axis=0), axis=0)
    for candidate, places in zip(candidates.values(), ranks.tolist(), strict=True):
        candidate["ranks"] = places
    return {name: float(np.mean(candidate["ranks"])) for name, candidate in candidates.items()}


def best_of(mean_rank: Mapping[str, float]) -> list[str]:
    """Return who has the best mean rank; the shorter training comes first on a tie."""
    best = min(mean_rank.values())
    return [name for name, value in mean_rank.items() if value == best]


def train_and_judge(
    config: Config, name: str, seed: int, data: Path | None, device: str, task: TaskContext
) -> dict[str, Any]:
    """Train one candidate and have its code judged on images that training did not see."""
    images = images_of(config.dataset, data).train_images.to(device)
    seen, unseen = images[: -config.held_out], images[-config.held_out :][: config.judged]
    with arithmetic("tf32"):
        child = split(seed, "training")
        encoder, ascended = train_recipe(RECIPES[name], seen, child, config.steps, task)
        codes = encode(encoder, move(unseen, config.moved, torch_generator(seed, "moves")))
    scored: list[tuple[float, float, float]] = []
    for number, (kind, resolution) in enumerate(JURORS):
        ridge = PER_SAMPLE * len(unseen)
        draw = split(seed, "juror", number)
        juror = image_observer(kind, unseen.shape[-1], ridge, resolution, draw)
        seen_by = unseen.flatten(1) if kind == "mlp" else unseen
        scored.append(above_floor(juror, seen_by, codes, config.orders, draw))
    return {
        "excess": [bits - floor for bits, floor, _ in scored],
        "floor": [floor for _, floor, _ in scored],
        "explained_variance": [variance for _, _, variance in scored],
        "own_score": ascended.scores[-1],
        "effective_rank": effective_rank(codes),
        "device": describe_device(device),
    }


def above_floor(
    observer: Observer, inputs: Tensor, codes: Tensor, orders: int, seed: int
) -> tuple[float, float, float]:
    """Return the bits of a code, its floor, and the share of its variance that is explained."""
    fit = observer.fit(observer.rows(inputs, codes))
    generator = torch_generator(seed, "floor")
    count = len(codes)
    shuffles = (torch.randperm(count, generator=generator).to(codes.device) for _ in range(orders))
    floors, _ = fit.rearranged(fit.noise(), shuffles, same_penalty=True)
    return fit.bits(), float(floors.mean()), fit.explained_variance()
