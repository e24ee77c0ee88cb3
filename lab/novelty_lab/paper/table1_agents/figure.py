"""Ten tasks, what agents are paid by, and what they earn: table 1 with its uncertainty.

Unlike other reports this one is of many records, one per training run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from novelty_lab.paper.table1_agents.looks import ADDED_CONDITIONS, NAMES
from novelty_lab.paper.table1_agents.paper import PAPER, PAPER_CONDITIONS
from novelty_lab.paper.table1_agents.runs import TASKS, Runs, collect, has_paper_settings
from novelty_lab.paper.table1_agents.statistics import Estimate
from novelty_lab.records import Record
from novelty_lab.report import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENOUGH = 5
"""Seeds under which a cell is counted as thin."""
CLEARLY = 0.9
"""Probability from which on a task is named."""
NOT_RUN = "not run"
NAMED = ("task",)
"""Columns whose words are never cut."""


def figures(records: Sequence[Record]) -> Iterator[tuple[str, Figure]]:
    """Draw the figures of the runs at the paper's settings, with their names."""
    from novelty_lab.paper.table1_agents import pictures as rl_figures

    if not collect(records).cells:
        return
    yield "curves", rl_figures.figure(records)
    yield "summary", rl_figures.summary_figure(records)


def tables(records: Iterable[Record]) -> list[Table]:
    """List returns beside the paper's, those of the rivals, all tasks together, and the rest."""
    all_records = list(records)
    runs = collect(all_records)
    shown: list[Table] = []
    if runs.cells:
        has_rivals = any(condition in ADDED_CONDITIONS for condition in runs.conditions)
        rivals = [_rivals(runs)] if has_rivals else []
        shown = [
            _beside_the_paper(runs),
            *rivals,
            _together(runs),
            *_practice(runs),
            *_same_units(runs),
        ]
    return [*shown, *_others(all_records)]


def _beside_the_paper(runs: Runs) -> Table:
    rows: list[list[str]] = []
    for task, published in PAPER.items():
        rows.append([task, *(_cell(runs, task, condition) for condition in PAPER_CONDITIONS)])
        row = ["  paper"]
        for condition in PAPER_CONDITIONS:
            mean, sd = published[condition]
            row.append(f"{mean} ± {sd}{' ▲' if mean > published['task'][0] else ''}")
        rows.append(row)
    title = (
        "Return after 600,000 steps, mean ± sd over seeds (number of seeds; the paper has ten). "
        f"▲ above task only in the mean, △ too, but with fewer than {ENOUGH} seeds on either side"
    )
    return Table(
        title, ["task", *(NAMES[condition] for condition in PAPER_CONDITIONS)], rows, NAMED
    )


def _others(records: list[Record]) -> list[Table]:
    """List runs at other settings, and in what they differ from the paper's where those ran."""
    papers = {
        record.config: _flat(record.configuration)
        for record in records
        if has_paper_settings(record)
    }
    rows: list[list[str]] = []
    for record in records:
        if has_paper_settings(record):
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
    shown = [
        "task",
        "task+epiplexity",
        *(name for name in ADDED_CONDITIONS if name in runs.conditions),
    ]
    title = "Other bonuses, where they were run: return, mean ± sd over seeds (number of seeds)"
    return _returns(title, runs, shown, ADDED_CONDITIONS)


def _returns(title: str, runs: Runs, shown: Sequence[str], run: Sequence[str]) -> Table:
    """List the returns of conditions on the tasks on which any of ``run`` was run."""
    tasks = [task for task in TASKS if any(task in runs.tasks(name) for name in run)]
    rows = [[task, *(_cell(runs, task, name) for name in shown)] for task in tasks]
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
                text(runs.iqm(condition, tasks)),
                text(runs.iqm("task", tasks)),
                "" if condition == "task" else text(runs.improvement(condition, tasks)),
                "" if condition == "task" else _improved(runs, condition, tasks),
                "" if condition == "task" else text(runs.head_start(condition, tasks)),
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
        "P(curve above)",
    ]
    title = (
        "All tasks together: interquartile mean over runs (IQM) of returns with 0 a random policy "
        "and 1 the mean of our task-only agents, and the probability that a run beats a task-only "
        "one in its return or in the mean of its curve; 95% bootstrap intervals over seeds, none "
        "where a task has a single run"
    )
    return Table(title + _left_out(runs), columns, rows)


def _improved(runs: Runs, condition: str, tasks: list[str]) -> str:
    compared = [task for task in tasks if len(runs.returns(task, "task"))]
    above = [runs.returns(t, condition).mean() > runs.returns(t, "task").mean() for t in compared]
    text = f"{sum(above)} of {len(compared)}"
    if condition not in PAPER_CONDITIONS:
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


def text(estimate: Estimate | None) -> str:
    """Return an estimate with its interval, or nothing."""
    return "" if estimate is None else str(estimate)
