"""The training runs of agents, sorted by task, condition (what is rewarded) and seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from learnable_novelty.errors import UserError
from novelty_lab.paper.table1_agents.paper import PAPER
from novelty_lab.paper.table1_agents.statistics import (
    Estimate,
    has_scale,
    improvement,
    mean_band,
    normalize,
    normalized_iqm,
)
from novelty_lab.records import Record

EXPERIMENT = "rl-table"
TASKS = tuple(PAPER)


@dataclass(frozen=True)
class Run:
    """The result of one training run: its evaluation and its learning curve."""

    seed: int
    mean_return: float
    """Over the evaluation episodes."""
    curve: np.ndarray
    """Steps and mean return of recent training episodes, (points, 2)."""
    random_return: float | None
    """Of a random policy on the task, where the run has a bonus to weigh."""
    older_observer: bool = False


@dataclass(frozen=True)
class Runs:
    """All runs at the paper's settings, by task and condition, in the order of seeds."""

    cells: dict[tuple[str, str], list[Run]]

    @property
    def conditions(self) -> list[str]:
        """Conditions with at least one run."""
        from novelty_lab.paper.table1_agents.looks import (
            NAMES,  # needs torch, which claims do not
        )

        return [name for name in NAMES if any(name == condition for _, condition in self.cells)]

    def tasks(self, condition: str) -> list[str]:
        """Return the tasks on which a condition was run."""
        return [task for task in TASKS if (task, condition) in self.cells]

    def returns(self, task: str, condition: str) -> np.ndarray:
        """Return the mean return of each run, (num_runs,)."""
        return np.array([run.mean_return for run in self.cells.get((task, condition), [])])

    def practice(self, task: str, condition: str) -> np.ndarray:
        """Return the mean of each run's learning curve over its steps, (num_runs,)."""
        curves = [run.curve for run in self.cells.get((task, condition), []) if len(run.curve) > 1]
        return np.array([np.trapezoid(c[:, 1], c[:, 0]) / np.ptp(c[:, 0]) for c in curves])

    def random_return(self, task: str) -> float | None:
        """Return what a random policy earns, the mean over the seeds that played one."""
        played = {
            run.seed: run.random_return
            for (other, _), cell in self.cells.items()
            for run in cell
            if other == task and run.random_return is not None
        }
        return float(np.mean(list(played.values()))) if played else None

    def normalized(self, task: str, condition: str) -> np.ndarray | None:
        """Return the runs in units of random and task-only return, None where there are none."""
        random, baseline = self.random_return(task), self.returns(task, "task")
        if random is None or not len(baseline):
            return None
        reference = float(baseline.mean())
        if not has_scale(random=random, reference=reference):
            return None
        return normalize(self.returns(task, condition), random=random, reference=reference)

    def iqm(self, condition: str, tasks: Iterable[str]) -> Estimate | None:
        """Return the interquartile mean of a condition over those of the tasks with units."""
        groups = [self.normalized(task, condition) for task in tasks]
        known = [group for group in groups if group is not None and len(group)]
        return normalized_iqm(known) if known else None

    def improvement(
        self, condition: str, tasks: Iterable[str], over: str = "task"
    ) -> Estimate | None:
        """Return the probability that a run beats one of another condition, over tasks."""
        return _improvement([(self.returns(t, condition), self.returns(t, over)) for t in tasks])

    def head_start(self, condition: str, tasks: Iterable[str]) -> Estimate | None:
        """Return the probability that a run's curve is above a task-only one's in the mean."""
        return _improvement(
            [(self.practice(t, condition), self.practice(t, "task")) for t in tasks]
        )


def _improvement(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> Estimate | None:
    complete = [(x, y) for x, y in pairs if len(x) and len(y)]
    return improvement([x for x, _ in complete], [y for _, y in complete]) if complete else None


def mean_curve(cell: list[Run]) -> tuple[np.ndarray, np.ndarray, np.ndarray | None] | None:
    """Return the mean curve of runs over the steps that all have, None if there is no curve.

    Returns:
        The steps and the mean, (points,), and its 95% band, (2, points), if there are runs enough.
    """
    drawn = [run.curve for run in cell if len(run.curve)]
    if not drawn:
        return None
    steps = reduce(np.intersect1d, [curve[:, 0] for curve in drawn])
    curves = np.stack([curve[np.isin(curve[:, 0], steps), 1] for curve in drawn])
    return steps, *mean_band(curves)


def has_paper_settings(record: Record) -> bool:
    """Tell whether a run has the paper's settings, by its name."""
    task, condition = record.configuration.get("task"), record.configuration.get("reward")
    return record.experiment == EXPERIMENT and record.config == f"{task}-{condition}"


def collect(records: Iterable[Record]) -> Runs:
    """Sort the runs at the paper's settings by task and condition; leave out all others."""
    cells: dict[tuple[str, str], list[Run]] = {}
    for record in sorted(records, key=lambda record: record.seed):
        task, condition = record.configuration.get("task"), record.configuration.get("reward")
        if not has_paper_settings(record):
            continue
        cell = cells.setdefault((str(task), str(condition)), [])
        if any(run.seed == record.seed for run in cell):
            raise UserError(f"expected one run of {record.config} per seed, got two of one")
        results = record.results
        curve = np.array(results["curve"], dtype=np.float64).reshape(-1, 2)
        random = results.get("random_return")
        cell.append(Run(record.seed, results["return"], curve, random, record.older_observer))
    return Runs(cells)
