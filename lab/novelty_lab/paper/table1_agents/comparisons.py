"""Bonus against bonus: who learns sooner, who ends higher, and what a bonus is worth."""

from __future__ import annotations

from collections.abc import Sequence

from novelty_lab.paper.table1_agents.looks import ADDED_CONDITIONS, NAMES
from novelty_lab.paper.table1_agents.runs import TASKS, Runs
from novelty_lab.paper.table1_agents.statistics import Estimate
from novelty_lab.report import Table

CLEARLY = 0.9
"""From which probability on a task is named."""


def comparisons(runs: Runs) -> list[Table]:
    """List all that there are runs for."""
    return [*_practice(runs), *_head_to_head(runs), *_same_units(runs), *_worth(runs)]


def _practice(runs: Runs) -> list[Table]:
    """Hold learning curves against those of task-only agents: who learns sooner, and where."""
    rows: list[list[str]] = []
    for name in runs.conditions:
        head_starts = {task: runs.head_start(name, [task]) for task in TASKS}
        known = {task: each.value for task, each in head_starts.items() if each is not None}
        if name == "task" or not known:
            continue
        sooner = [task for task, value in known.items() if value >= CLEARLY]
        later = [task for task, value in known.items() if value <= 1 - CLEARLY]
        together = text(runs.head_start(name, known))
        rows.append([NAMES[name], str(len(known)), together, ", ".join(sooner), ", ".join(later)])
    title = (
        "Over the whole of training: P(above), the probability that the mean of a run's learning "
        "curve is above that of a task-only run's"
    )
    clearly = f"{CLEARLY} and more", f"{1 - CLEARLY:.1f} and less"
    columns = ["condition", "tasks", "P(above)", *clearly]
    return [Table(title, columns, rows)] if rows else []


def _head_to_head(runs: Runs) -> list[Table]:
    """Hold the other bonuses against the paper's: on all tasks of both, and on those of all."""
    paper = "task+epiplexity"
    others = [name for name in runs.conditions if name in ("task+magnitude", *ADDED_CONDITIONS)]
    common = [t for t in runs.tasks(paper) if all(t in runs.tasks(name) for name in others)]
    rows: list[list[str]] = []
    for name in others:
        tasks = [task for task in runs.tasks(name) if task in runs.tasks(paper)]
        if tasks:
            both = [text(runs.improvement(name, chosen, over=paper)) for chosen in (tasks, common)]
            rows.append([NAMES[name], str(len(tasks)), *both])
    title = "Other bonuses against the paper's: P(better) that a run beats one of task + epiplexity"
    if common:
        title += f"; all bonuses were run on {', '.join(common)}"
    columns = ["bonus", "tasks", "P(better), these tasks", "P(better), tasks of all bonuses"]
    return [Table(title, columns, rows)] if rows else []


def _same_units(runs: Runs) -> list[Table]:
    """Hold foresight against the task alone in the same units: what the bonus itself adds."""
    name, control = "task+foresight", "task-running"
    tasks = [task for task in runs.tasks(name) if task in runs.tasks(control)]
    title = (
        "Units and bonus: P(better) that a run beats one of the task alone in the same units, the "
        "running size of its return"
    )
    better = text(runs.improvement(name, tasks, over=control))
    row = [NAMES[name], str(len(tasks)), better]
    return [Table(title, ["bonus", "tasks", "P(better)"], [row])] if tasks else []


def _worth(runs: Runs) -> list[Table]:
    """List what the bonus is worth beside what is at stake: the weight is found on random play."""
    rows: list[list[str]] = []
    for task in runs.tasks("task+epiplexity"):
        worths = [run.worth for run in runs.cells[task, "task+epiplexity"] if run.worth is not None]
        random, trained = runs.random_return(task), runs.returns(task, "task")
        if not worths or random is None or not len(trained):
            continue
        gain = float(trained.mean()) - random
        shares = [100 * worth / gain for worth in worths] if gain > 0 else []
        row = [_range(worths), _brief(random), _brief(float(trained.mean())), _range(shares)]
        rows.append([task, *row])
    title = (
        "What task + epiplexity pays a random episode, over seeds: 0.1 times the size of its task "
        "return, however little that is beside what training gains. Trained agents earn more bits"
    )
    columns = ["task", "bonus", "random return", "task only", "bonus, % of the gain"]
    return [Table(title, columns, rows, ("task",))] if rows else []


def _range(values: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(map(_brief, (min(values), max(values))))) if values else ""


def _brief(value: float) -> str:
    """Return a number in two digits, or as a whole one.

    >>> [_brief(value) for value in (0.01666, 3.3, 1759.6)]
    ['0.017', '3.3', '1760']
    """
    return f"{value:z.0f}" if abs(value) >= 10 else f"{value:z.2g}"


def text(estimate: Estimate | None) -> str:
    """Return an estimate with its interval, or nothing."""
    return "" if estimate is None else str(estimate)
