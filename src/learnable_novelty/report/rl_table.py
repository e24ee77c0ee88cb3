"""Ten tasks, what agents are paid by, and what they earn: table 1 with its uncertainty.

Unlike other reports this one is of many records, one per training run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from learnable_novelty.records import Record
from learnable_novelty.report.base import Table
from learnable_novelty.report.rl_paper import CONDITIONS, PAPER
from learnable_novelty.report.rl_runs import NAMES, RIVALS, TASKS, Runs, collect, settings_of
from learnable_novelty.report.rl_statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENOUGH = 5
"""Seeds under which a cell is counted as thin."""
NOT_RUN = "not run"
CLEARLY = 0.9
"""From which probability on a task is named."""
NAMED = ("task",)
"""Columns whose words are never cut."""


def figures(records: Sequence[Record]) -> Iterator[tuple[str, Figure]]:
    """Draw the figures of the runs at the paper's settings, with their names."""
    from learnable_novelty.report import rl_figures

    if not collect(records).cells:
        return
    yield "curves", rl_figures.figure(records)
    yield "summary", rl_figures.summary_figure(records)


def tables(records: Iterable[Record]) -> list[Table]:
    """List returns beside the paper's, those of the rivals, all tasks together, and the rest."""
    held = list(records)
    runs = collect(held)
    shown: list[Table] = []
    if runs.cells:
        shown.append(_beside_the_paper(runs))
    if any(condition in RIVALS for condition in runs.conditions):
        shown.append(_rivals(runs))
    if runs.cells:
        shown.append(_together(runs))
        shown += _practice(runs)
        shown += _head_to_head(runs)
        shown += _worth(runs)
    tuned = collect(held, "-tuned")
    if tuned.cells:
        shown.append(_tuned(tuned))
    return [*shown, *_others(held)]


def _beside_the_paper(runs: Runs) -> Table:
    rows: list[list[str]] = []
    for task, published in PAPER.items():
        rows.append([task, *(_cell(runs, task, condition) for condition in CONDITIONS)])
        row = ["  paper"]
        for condition in CONDITIONS:
            mean, sd = published[condition]
            row.append(f"{mean} ± {sd}{' ▲' if mean > published['task'][0] else ''}")
        rows.append(row)
    title = (
        "Return after 600,000 steps, mean ± sd over seeds (number of seeds; the paper has ten). "
        f"▲ above task only in the mean, △ too, but with fewer than {ENOUGH} seeds on either side"
    )
    return Table(title, ["task", *(NAMES[condition] for condition in CONDITIONS)], rows, NAMED)


def _tuned(runs: Runs) -> Table:
    tasks = [task for task in TASKS if any(task in runs.tasks(name) for name in runs.conditions)]
    rows = [[task, *(_cell(runs, task, name) for name in runs.conditions)] for task in tasks]
    title = (
        "With the hyperparameters that the RL zoo publishes: return, mean ± sd over seeds (number "
        "of seeds) after 600,000 steps, on MountainCarContinuous after the zoo's 20,000"
    )
    return Table(title, ["task", *(NAMES[name] for name in runs.conditions)], rows, NAMED)


def _others(held: list[Record]) -> list[Table]:
    """List runs at neither settings, and in what they differ from the paper's where those ran."""
    papers = {
        record.config: _flat(record.configuration) for record in held if settings_of(record) == ""
    }
    rows: list[list[str]] = []
    for record in held:
        if settings_of(record) is not None:
            continue
        own = _flat(record.configuration)
        paper = papers.get(f"{own.get('task')}-{own.get('reward')}", own)
        differs = [f"{name}={value}" for name, value in own.items() if paper.get(name) != value]
        steps, value = record.results["steps_trained"], record.results["return"]
        rows.append(
            [record.config, ", ".join(differs), str(record.seed), f"{steps:,}", f"{value:.4g}"]
        )
    columns = ["run", "other than the paper's", "seed", "steps", "return"]
    return [Table("Runs at other settings", columns, rows)] if rows else []


def _flat(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by name, those within others beside them."""
    flat: dict[str, Any] = {}
    for name, value in configuration.items():
        flat |= value if isinstance(value, Mapping) else {name: value}
    return flat


def _rivals(runs: Runs) -> Table:
    shown = ["task", "task+epiplexity", *(name for name in RIVALS if name in runs.conditions)]
    tasks = [task for task in TASKS if any(task in runs.tasks(name) for name in RIVALS)]
    rows = [[task, *(_cell(runs, task, name) for name in shown)] for task in tasks]
    title = "Other bonuses, where they were run: return, mean ± sd over seeds (number of seeds)"
    return Table(title, ["task", *(NAMES[name] for name in shown)], rows, NAMED)


def _cell(runs: Runs, task: str, condition: str) -> str:
    values, baseline = runs.returns(task, condition), runs.returns(task, "task")
    if not len(values):
        return NOT_RUN
    mean = float(values.mean())
    digits = 0 if abs(mean) >= 100 else 1
    text = f"{mean:z.{digits}f}"
    if len(values) > 1:
        text += f" ± {values.std(ddof=1):.{digits}f}"
    text += f" ({len(values)})"
    if len(baseline) and mean > baseline.mean():
        text += " ▲" if min(len(values), len(baseline)) >= ENOUGH else " △"
    return text


def _together(runs: Runs) -> Table:
    rows: list[list[str]] = []
    for condition in runs.conditions:
        tasks = runs.tasks(condition)
        sizes = [len(runs.returns(task, condition)) for task in tasks]
        rows.append(
            [
                NAMES[condition],
                str(len(tasks)),
                str(sum(sizes)),
                str(sum(size < ENOUGH for size in sizes)),
                _text(runs.iqm(condition, tasks)),
                _text(runs.iqm("task", tasks)),
                "" if condition == "task" else _text(runs.improvement(condition, tasks)),
                "" if condition == "task" else _improved(runs, condition, tasks),
            ]
        )
    columns = [
        "condition",
        "tasks",
        "runs",
        f"tasks with fewer than {ENOUGH} seeds",
        "IQM",
        "IQM of task only, same tasks",
        "P(better than task only)",
        "tasks above task only in the mean",
    ]
    title = (
        "All tasks together: interquartile mean over runs (IQM) of returns with 0 a random policy "
        "and 1 the mean of our task-only agents, and the probability that a run beats a task-only "
        "one; 95% bootstrap intervals over seeds, none where a task has a single run"
    )
    return Table(title + _left_out(runs), columns, rows)


def _practice(runs: Runs) -> list[Table]:
    """Hold learning curves against those of task-only agents: who learns sooner, and where."""
    rows: list[list[str]] = []
    for name in runs.conditions:
        found = {task: runs.head_start(name, [task]) for task in TASKS}
        held = {task: each.value for task, each in found.items() if each is not None}
        if name == "task" or not held:
            continue
        sooner = [task for task, value in held.items() if value >= CLEARLY]
        later = [task for task, value in held.items() if value <= 1 - CLEARLY]
        together = _text(runs.head_start(name, held))
        rows.append([NAMES[name], str(len(held)), together, ", ".join(sooner), ", ".join(later)])
    title = (
        "Over the whole of training: P(above), the probability that the mean of a run's learning "
        "curve is above that of a task-only run's"
    )
    columns = [
        "condition",
        "tasks",
        "P(above)",
        f"{CLEARLY} and more",
        f"{1 - CLEARLY:.1f} and less",
    ]
    return [Table(title, columns, rows)] if rows else []


def _head_to_head(runs: Runs) -> list[Table]:
    """Hold the other bonuses against the paper's: on all tasks of both, and on those of all."""
    paper = "task+epiplexity"
    others = [name for name in runs.conditions if name in ("task+magnitude", *RIVALS)]
    common = [t for t in runs.tasks(paper) if all(t in runs.tasks(name) for name in others)]
    rows: list[list[str]] = []
    for name in others:
        tasks = [task for task in runs.tasks(name) if task in runs.tasks(paper)]
        if tasks:
            both = [_text(runs.improvement(name, held, over=paper)) for held in (tasks, common)]
            rows.append([NAMES[name], str(len(tasks)), *both])
    title = "Other bonuses against the paper's: P(better) that a run beats one of task + epiplexity"
    if common:
        title += f"; all bonuses were run on {', '.join(common)}"
    columns = ["bonus", "tasks", "P(better), these tasks", "P(better), tasks of all bonuses"]
    return [Table(title, columns, rows)] if rows else []


def _worth(runs: Runs) -> list[Table]:
    """List what the bonus is worth beside what is at stake: the weight is found on random play."""
    rows: list[list[str]] = []
    for task in runs.tasks("task+epiplexity"):
        held = [run.worth for run in runs.cells[task, "task+epiplexity"] if run.worth is not None]
        random, trained = runs.random_return(task), runs.returns(task, "task")
        if not held or random is None or not len(trained):
            continue
        gain = float(trained.mean()) - random
        shares = [100 * worth / gain for worth in held] if gain > 0 else []
        row = [_range(held), _brief(random), _brief(float(trained.mean())), _range(shares)]
        rows.append([task, *row])
    title = (
        "What task + epiplexity pays a random episode, over seeds: 0.1 times the size of its task "
        "return, however little that is beside what training gains. Trained agents earn more bits"
    )
    columns = ["task", "bonus", "random return", "task only", "bonus, % of the gain"]
    return [Table(title, columns, rows, NAMED)] if rows else []


def _range(values: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(map(_brief, (min(values), max(values))))) if values else ""


def _brief(value: float) -> str:
    """Return a number in two digits, or as a whole one.

    >>> [_brief(value) for value in (0.01666, 3.3, 1759.6)]
    ['0.017', '3.3', '1760']
    """
    return f"{value:z.0f}" if abs(value) >= 10 else f"{value:z.2g}"


def _text(estimate: Estimate | None) -> str:
    return "" if estimate is None else str(estimate)


def _improved(runs: Runs, condition: str, tasks: list[str]) -> str:
    held = [task for task in tasks if len(runs.returns(task, "task"))]
    above = [runs.returns(t, condition).mean() > runs.returns(t, "task").mean() for t in held]
    text = f"{sum(above)} of {len(held)}"
    if condition not in CONDITIONS:
        return text
    paper = sum(PAPER[task][condition][0] > PAPER[task]["task"][0] for task in TASKS)
    return f"{text} (paper: {paper} of {len(TASKS)})"


def _left_out(runs: Runs) -> str:
    """Name the tasks without units."""
    run = [task for task in TASKS if any(task == other for other, _ in runs.cells)]
    unscaled = [task for task in run if runs.normalized(task, "task") is None]
    if not unscaled:
        return ""
    return (
        f". Left out of the IQM: {', '.join(unscaled)}, where the task-only agents are no better "
        "than a random policy or either was not run"
    )
