"""Learning curves of agents, and their returns beside the paper's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from novelty_lab.paper.table1_agents.looks import LOOKS, NAMES
from novelty_lab.paper.table1_agents.paper import PAPER, PAPER_CONDITIONS
from novelty_lab.paper.table1_agents.runs import TASKS, Run, Runs, collect, mean_curve
from novelty_lab.paper.table1_agents.statistics import Estimate
from novelty_lab.records import Record
from novelty_lab.style import label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOT_RUN = "not run"


def figure(records: Iterable[Record]) -> Figure:
    """Draw the learning curves, one panel per task: mean over seeds and its 95% band."""
    runs = collect(records)
    fig = new_figure(13.0, 5.6)
    panels = fig.subplots(2, 5, sharex=True)
    for axes, task in zip(panels.flat, TASKS, strict=True):
        for condition in runs.conditions:
            _draw_curve(axes, runs.cells.get((task, condition), []), condition)
        axes.set_title(task, loc="left")
        axes.set(xlim=(0, 610), xticks=(0, 200, 400, 600))
    for axes in panels[-1]:
        axes.set_xlabel("environment steps (thousands)")
    for axes in panels[:, 0]:
        axes.set_ylabel("return of recent\ntraining episodes")
    handles = [_handle(runs, name, linestyle=LOOKS[name][2], lw=2.0) for name in runs.conditions]
    band = Patch(color="0.85", label="95% interval of the mean over seeds")
    fig.legend(handles=[*handles, band], loc="outside lower center", ncols=5)
    return fig


def _draw_curve(axes: Axes, cell: list[Run], condition: str) -> None:
    """Draw the mean curve over the steps that all seeds have."""
    curve = mean_curve(cell)
    if curve is None:
        return
    steps, mean, band = curve
    colour, _, line = LOOKS[condition]
    front = 3 if condition == "task+epiplexity" else 2
    if band is not None:
        axes.fill_between(steps / 1000, *band, color=colour, alpha=0.2, lw=0, zorder=front - 1)
    axes.plot(steps / 1000, mean, color=colour, linestyle=line, zorder=front)


def _handle(runs: Runs, condition: str, **look: Any) -> Line2D:
    """Make an entry of a legend: the condition, and how many seeds its tasks have."""
    sizes = [len(cell) for (_, name), cell in runs.cells.items() if name == condition]
    if not sizes:
        seeds = NOT_RUN
    elif min(sizes) == max(sizes):
        seeds = f"{max(sizes)} seed{'s' if max(sizes) > 1 else ''}"
    else:
        seeds = f"{min(sizes)} to {max(sizes)} seeds"
    return Line2D([], [], color=LOOKS[condition][0], label=f"{NAMES[condition]} ({seeds})", **look)


def summary_figure(records: Iterable[Record]) -> Figure:
    """Draw the return of every run beside the paper's, and how sure an improvement is."""
    runs = collect(records)
    shown = [name for name in NAMES if name in PAPER_CONDITIONS or name in runs.conditions]
    fig = new_figure(13.0, 10.1)
    top, bottom = fig.subfigures(2, 1, height_ratios=(1.7, 1.0), squeeze=False)[:, 0]
    panels = top.subplots(2, 5)
    for axes, task in zip(panels.flat, TASKS, strict=True):
        for place, condition in enumerate(shown):
            _draw_cell(axes, runs, task, condition, place)
        axes.set_title(task, loc="left")
        axes.set(xticks=[], xlim=(-0.6, len(shown) - 0.4))
    for axes in panels[-1]:
        names = [NAMES[name].replace("task + ", "+ ") for name in shown]
        axes.set_xticks(range(len(shown)), names, rotation=55, ha="right", rotation_mode="anchor")
    for axes in panels[:, 0]:
        axes.set_ylabel("return of 100\nevaluation episodes")
    handles = [_handle(runs, name, marker=LOOKS[name][1], linestyle="") for name in shown]
    mean = Line2D([], [], color="0.3", lw=2.2, label="mean over seeds")
    band = Patch(color="0.88", label="paper: mean ± sd of ten seeds")
    top.legend(handles=[*handles, mean, band], loc="outside lower center", ncols=5)
    title = r"$\bf{a}$  return after 600,000 steps, one point per seed"
    top.suptitle(title, x=0.005, ha="left", fontsize=10)
    _draw_certainty(bottom.subplots(1, 3, width_ratios=(3.0, 1.0, 1.0)), runs)
    return fig


def _draw_cell(axes: Axes, runs: Runs, task: str, condition: str, place: int) -> None:
    """Draw seeds as dots, their mean as a bar, and behind them the paper's mean ± sd."""
    colour, marker, _ = LOOKS[condition]
    if condition in PAPER_CONDITIONS:
        mean, sd = PAPER[task][condition]
        axes.fill_between([place - 0.42, place + 0.42], mean - sd, mean + sd, color="0.88", lw=0)
        axes.hlines(mean, place - 0.42, place + 0.42, color="0.65", lw=1.2)
    values = runs.returns(task, condition)
    if not len(values):
        look = {"rotation": 90, "ha": "center", "va": "center", "color": "0.55", "fontsize": 7}
        axes.text(place, 0.5, NOT_RUN, transform=axes.get_xaxis_transform(), **look)
        return
    spread = np.linspace(-0.24, 0.24, len(values)) if len(values) > 1 else np.zeros(1)
    axes.scatter(place + spread, values, s=14, color=colour, marker=marker, lw=0, zorder=3)
    axes.hlines(values.mean(), place - 0.34, place + 0.34, color=colour, lw=2.2, zorder=4)


def _draw_certainty(panels: Sequence[Axes], runs: Runs) -> None:
    """Draw the probability of improvement by task and over tasks, and the interquartile mean."""
    by_task, mean, level = panels
    bonuses = [name for name in runs.conditions if name != "task"]
    for number, condition in enumerate(bonuses):
        offset = (number - (len(bonuses) - 1) / 2) * 0.8 / len(bonuses)
        for place, task in enumerate(TASKS):
            _draw_estimate(by_task, runs.improvement(condition, [task]), condition, place + offset)
        tasks = runs.tasks(condition)
        _draw_estimate(mean, runs.improvement(condition, tasks), condition, number, across=True)
        _draw_estimate(level, runs.iqm(condition, tasks), condition, number, across=True)
    for edge in range(1, len(TASKS)):
        by_task.axvline(edge - 0.5, color="0.92", lw=0.8, zorder=0)
    by_task.axhline(0.5, color="0.6", ls=":", zorder=0)
    by_task.set_xticks(range(len(TASKS)), TASKS, rotation=25, ha="right", rotation_mode="anchor")
    by_task.set(
        xlim=(-0.5, len(TASKS) - 0.5), ylim=(-0.04, 1.04), ylabel="P(better than task only)"
    )
    label_panel(by_task, "b", "improvement by task, 95% intervals (gap: not run; hollow: one run)")
    for axes, neutral in ((mean, 0.5), (level, 1.0)):
        axes.axvline(neutral, color="0.6", ls=":", zorder=0)
        axes.set(
            yticks=range(len(bonuses)), yticklabels=[], ylim=(max(len(bonuses), 1) - 0.5, -0.5)
        )
    mean.set_yticklabels([f"{NAMES[name]}, {len(runs.tasks(name))} tasks" for name in bonuses])
    mean.set(xlim=(-0.04, 1.04), xlabel="P(better than task only)")
    label_panel(mean, "c", "mean over tasks")
    level.axvline(0.0, color="0.92", lw=0.8, zorder=0)
    level.set_xlabel("normalized return\n(0 random policy, 1 task only)")
    label_panel(level, "d", "interquartile mean")


def _draw_estimate(
    axes: Axes, estimate: Estimate | None, condition: str, place: float, *, across: bool = False
) -> None:
    """Draw a number and its interval at a place of the axis of categories."""
    if estimate is None:
        return
    colour, marker, _ = LOOKS[condition]
    at = (estimate.value, place) if across else (place, estimate.value)
    face = "white" if estimate.interval is None else colour
    axes.plot(*at, marker=marker, color=colour, markerfacecolor=face, ms=5, zorder=3)
    if estimate.interval is not None:
        draw = axes.hlines if across else axes.vlines
        draw(place, *estimate.interval, color=colour, lw=1.5)
