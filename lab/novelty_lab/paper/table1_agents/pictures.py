"""Learning curves of agents, and their returns beside the paper's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from novelty_lab.paper.table1_agents.looks import LOOKS, NAMES
from novelty_lab.paper.table1_agents.paper import PAPER, PAPER_CONDITIONS
from novelty_lab.paper.table1_agents.runs import TASKS, Run, Runs, collect, mean_curve
from novelty_lab.records import Record
from novelty_lab.style import new_figure

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
    """Draw the return of every run beside the paper's."""
    runs = collect(records)
    shown = [name for name in NAMES if name in PAPER_CONDITIONS or name in runs.conditions]
    fig = new_figure(13.0, 6.4)
    panels = fig.subplots(2, 5)
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
    fig.legend(handles=[*handles, mean, band], loc="outside lower center", ncols=5)
    fig.suptitle("return after 600,000 steps, one point per seed", x=0.005, ha="left", fontsize=10)
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
