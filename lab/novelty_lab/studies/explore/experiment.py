"""Ours: sparse tasks with distractors: which bonus explores, and which is held by noise.

One record per training. The decisive ones come first: the television in the pixels of the view,
then the clean maze, then the other distractors, then the other tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from novelty_lab.artefact import Run
from novelty_lab.context import RunContext, RunResult
from novelty_lab.paper.table1_agents.packages import need_rl, package_versions
from novelty_lab.settings import Settings, choice
from novelty_lab.studies.explore.cells import (
    BONUSES,
    COEFFICIENT,
    DISTRACTORS,
    LAYOUTS,
    ROOMS,
    TASKS,
    Exploration,
)

# The main task has all bonuses and all distractors; the others have these.
FEWER_DISTRACTORS = ("clean", "pixels")
FEWER_BONUSES = ("none", "rnd", "e3b", "raw", "foresight")
FEWER_SEEDS = 3
ORDER = ("pixels", "clean", "noise", "tv", "remote")
STEPS = 800_000
FEWER_STEPS = {"DoorKey-8x8": 300_000}
"""Tasks that have fewer steps than the others by default."""


@dataclass(frozen=True)
class Config(Settings):
    """Which runs."""

    tasks: tuple[str, ...] = choice(TASKS)
    """Mazes."""
    distractors: tuple[str, ...] = choice(DISTRACTORS)
    """What a useless action shows."""
    bonuses: tuple[str, ...] = choice(BONUSES)
    """What agents are paid by, beside the task."""
    seeds: tuple[int, ...] = (10, 11, 12, 13, 14)
    """Training seeds; smaller ones were used to choose the settings of the new bonus."""
    steps: int = 0
    """Environment steps of a run; 0 is 800,000, in DoorKey-8x8 300,000."""
    coefficient: float = COEFFICIENT
    """Of every bonus, in units of running returns; chosen on DoorKey-8x8."""
    layouts: int = LAYOUTS
    """Mazes that episodes are drawn from."""


PAPER = Config()
QUICK = Config(
    tasks=(ROOMS,),
    distractors=("pixels",),
    bonuses=("none", "foresight"),
    seeds=(10,),
    steps=4096,
    layouts=16,
)


def runs(config: Config) -> Iterator[Run]:
    """List the runs: the full grid of the main task seed by seed, then the other tasks."""
    for task in sorted(config.tasks, key=lambda name: name != ROOMS):
        full = task == ROOMS
        seeds = config.seeds if full else config.seeds[:FEWER_SEEDS]
        for seed in seeds:
            for distractor in sorted(config.distractors, key=ORDER.index):
                for bonus in config.bonuses:
                    if full or (distractor in FEWER_DISTRACTORS and bonus in FEWER_BONUSES):
                        exploration = Exploration(
                            task,
                            distractor,
                            bonus,
                            steps_of(task, config),
                            config.coefficient,
                            config.layouts,
                        )
                        yield Run(exploration.name, exploration, seed)


def steps_of(task: str, config: Config) -> int:
    """Return how long a run is: as long as was set, or the task's own default."""
    return config.steps or FEWER_STEPS.get(task, STEPS)


def run(config: Exploration, *, seed: int, context: RunContext) -> RunResult:
    """Train one agent."""
    need_rl()
    from novelty_lab.studies.explore.training import explore

    pools = context.records / "explore" / ".layouts"
    results = explore(config, seed=seed, pools=pools)
    return RunResult(results, versions=package_versions("minigrid"))
