"""Ours: encoders and observers for images, ranked without a label.

What is encoded is the image moved by a pixel or two, what the jury reads is the image where it was:
a thing stays what it is when it moves. The code of the best mean rank is chosen, or several on a
tie. Then the same jury says how long each chosen one is worth training. No label is looked at.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learnable_novelty.objective import effective_rank
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.context import RunContext, RunResult, TaskContext, describe_device, devices_of
from novelty_lab.paper.fig3_neural.neural import arithmetic
from novelty_lab.paper.fig4_encoder.encoding import images_of
from novelty_lab.settings import Settings, choice
from novelty_lab.studies.image_codes.jury import JUROR_NAMES, best_of, judge, parted, rank
from novelty_lab.studies.image_codes.training import RECIPES, encode, move, train


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
    """Train every candidate and let the jury rank them; then every length of the chosen ones."""
    first = {name: (name, config.steps) for name in config.recipes}
    candidates = judged(config, first, seed, context)
    mean_rank = rank(candidates)
    chosen = best_of(mean_rank)
    lengths: dict[str, Any] = {}
    for name in chosen:
        longer = {f"{name}, {steps} steps": (name, steps) for steps in config.budgets}
        trained = judged(config, longer, seed, context)
        by_steps = {str(config.steps): dict(candidates[name])}
        by_steps |= {str(steps): trained[f"{name}, {steps} steps"] for steps in config.budgets}
        lengths[name] = {"candidates": by_steps, "mean_rank": rank(by_steps)}
    results = {
        "candidates": candidates,
        "mean_rank": mean_rank,
        "chosen": chosen,
        "lengths": lengths,
        "chosen_steps": [int(best_of(of["mean_rank"])[0]) for of in lengths.values()],
        "jurors": JUROR_NAMES,
    }
    everyone = [c for of in (results, *lengths.values()) for c in of["candidates"].values()]
    return RunResult(results, device=devices_of(everyone))


def judged(
    config: Config, trainings: Mapping[str, tuple[str, int]], seed: int, context: RunContext
) -> dict[str, Any]:
    """Train recipes for so many steps, and have their codes judged."""
    where = seed, context.data, context.device
    tasks = {
        name: (dataclasses.replace(config, steps=steps), recipe, *where, context.task(name))
        for name, (recipe, steps) in trainings.items()
    }
    return context.map(train_and_judge, tasks)


def train_and_judge(
    config: Config, name: str, seed: int, data: Path | None, device: str, task: TaskContext
) -> dict[str, Any]:
    """Train one candidate and have its code judged on images that training did not see."""
    images = images_of(config.dataset, data).train_images.to(device)
    seen, unseen = parted(images, config.held_out, config.judged)
    with arithmetic("tf32"):
        child = split(seed, "training")
        encoder, ascents = train(RECIPES[name], seen, child, config.steps, task)
        codes = encode(encoder, move(unseen, config.moved, torch_generator(seed, "moves")))
    bits, floor, explained = judge(unseen, codes, config.orders, seed).T
    return {
        "excess": (bits - floor).tolist(),
        "floor": floor.tolist(),
        "explained_variance": explained.tolist(),
        "own_score": ascents[-1].scores[-1],
        "effective_rank": effective_rank(codes),
        "device": describe_device(device),
    }
