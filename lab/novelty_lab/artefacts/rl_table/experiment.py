"""Table 1: every task under every reward, many seeds, one record per run.

Runs are independent and each saves its own record whole, so a table that was cut off at any moment
goes on where it was: what is there is not run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from learnable_novelty.engine import Report, Serial
from novelty_lab.agents.runs import config_name, find_run, run_agent
from novelty_lab.agents.tasks import TASKS
from novelty_lab.agents.training import REWARDS, Training
from novelty_lab.agents.tuned import TUNED, make_training
from novelty_lab.lock import Busy


@dataclass(frozen=True)
class Config:
    """Which runs."""

    tasks: tuple[str, ...] = tuple(TASKS)
    rewards: tuple[str, ...] = REWARDS[:4]
    """What the agents are paid by; the paper's four columns."""
    seeds: tuple[int, ...] = tuple(range(10))
    steps: int = 600_000
    """Environment steps of a run."""
    evaluation_episodes: int = 100
    tuned: bool = False
    """With the hyperparameters that the RL zoo publishes, where it has the task."""


PAPER = Config()
QUICK = Config(
    tasks=("Pendulum",),
    rewards=("task", "task+epiplexity"),
    seeds=(0,),
    steps=16_384,
    evaluation_episodes=20,
)


def trainings(config: Config) -> Iterator[tuple[Training, int]]:
    """List the runs, seed by seed, so that a table that was cut off is even."""
    tasks = [task for task in config.tasks if not config.tuned or task in TUNED]
    for seed in config.seeds:
        for task in tasks:
            for reward in config.rewards:
                training = make_training(task, reward, config.steps, tuned=config.tuned)
                yield replace(training, evaluation_episodes=config.evaluation_episodes), seed


def run(
    config: Config,
    root: Path,
    executor: Executor,
    *,
    report: Report | None = None,
    force: bool = False,
) -> dict[str, Exception]:
    """Run what is missing; return what failed, by name. A failed run does not stop the others."""
    root = root.resolve()  # a worker may stand in another folder
    wanted = list(trainings(config))
    missing = [(t, s) for t, s in wanted if force or find_run(t, s, root) is None]
    done = len(wanted) - len(missing)
    if report is not None:
        report(done, len(wanted))
    futures: dict[Future[bool], tuple[Training, int]] = {}
    failures: dict[str, Exception] = {}

    def finish(future: Future[bool]) -> None:
        nonlocal done
        training, seed = futures[future]
        error = future.exception()
        if error is None and future.result() and find_run(training, seed, root) is None:
            error = FileNotFoundError(
                f"it was saved where this machine does not see it, not in {root}"
            )
        if isinstance(error, Exception):
            failures[f"{config_name(training)}-seed{seed}"] = error
        elif error is not None:
            raise error
        done += 1
        if report is not None:
            report(done, len(wanted))

    for training, seed in missing:
        future = executor.submit(_run_one, training, seed, root, force)
        futures[future] = training, seed
        if isinstance(executor, Serial):
            finish(future)
    if not isinstance(executor, Serial):
        for future in as_completed(futures):
            finish(future)
    return failures


def _run_one(training: Training, seed: int, root: Path, force: bool) -> bool:
    """Run and save one; the record stays on disk, where the table is read from.

    One that another process is at is left to it, so that two runners of one table share the work.

    Returns:
        Whether the record was saved.
    """
    try:
        run_agent(training, seed, root, force=force)
    except Busy:
        return False
    return True
