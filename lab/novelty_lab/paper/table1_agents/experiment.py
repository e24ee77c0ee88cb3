"""Table 1: every task under every reward, many seeds, one record per run."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from novelty_lab import records
from novelty_lab.artefact import Run
from novelty_lab.context import RunContext, RunResult
from novelty_lab.paper.table1_agents.packages import need_rl, package_versions
from novelty_lab.paper.table1_agents.tasks import TASKS
from novelty_lab.paper.table1_agents.training import REWARDS, Reading, Training, train
from novelty_lab.settings import Settings, choice

POLICY = "policy.zip"
"""The trained agent, in the directory of its record where it is kept."""


@dataclass(frozen=True)
class Config(Settings):
    """Which runs."""

    tasks: tuple[str, ...] = choice(TASKS)
    """Tasks of the table."""
    rewards: tuple[str, ...] = choice(REWARDS, REWARDS[:4])
    """What the agents are paid by; the paper's four columns."""
    seeds: tuple[int, ...] = tuple(range(10))
    """Training seeds of each."""
    steps: int = 600_000
    """Environment steps of a run."""
    evaluation_episodes: int = 100
    """Episodes of the trained agent whose returns are recorded."""
    reading: Reading = field(default_factory=Reading)
    """What the text leaves open."""


PAPER = Config()
QUICK = Config(
    tasks=("Pendulum",),
    rewards=("task", "task+epiplexity"),
    seeds=(0,),
    steps=16_384,
    evaluation_episodes=20,
)


def runs(config: Config) -> Iterator[Run]:
    """List the runs, seed by seed, so that a table that was cut off is even."""
    for seed in config.seeds:
        for task in config.tasks:
            for reward in config.rewards:
                training = Training(
                    task,
                    reward,
                    config.steps,
                    reading=config.reading,
                    evaluation_episodes=config.evaluation_episodes,
                )
                yield run_of(training, seed)


def run_of(training: Training, seed: int) -> Run:
    """Name a run: task and reward, and a digest where it departs from the paper's settings."""
    name = f"{training.task}-{training.reward}"
    if training != Training(training.task, training.reward):
        name += f"-custom-{records.digest(records.configuration_of(training))}"
    return Run(name, training, seed)


def run(config: Training, *, seed: int, context: RunContext) -> RunResult:
    """Train and evaluate one agent; keep its policy if the context keeps files."""
    need_rl()
    # MuJoCo writes a log of its warnings into the working directory.
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        model, figures = train(config, seed=seed, report=context.step_report)
    files: dict[str, bytes] = {}
    if context.keep_files:
        content = io.BytesIO()
        model.save(content)
        files[POLICY] = content.getvalue()
    return RunResult(figures, versions=package_versions(), files=files)
