"""Learning curves under every distractor, and what each bonus reaches, with its uncertainty."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.paper.table1_agents.statistics import normalized_iqm
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.studies.explore.cells import BONUSES as LABELS
from novelty_lab.studies.explore.cells import DISTRACTORS as WORLDS
from novelty_lab.style import label_panel, new_figure

FEWEST = 4
"""Runs that get an interval: of two it covers half of the time, of four 84% and of five 93%."""
CHANCE = 1 / 7
"""Share of useless actions if all seven of MiniGrid are equally likely."""

Group = dict[tuple[str, str], list[Record]]
"""Records by distractor and bonus."""


def settings(records: Sequence[Record]) -> dict[tuple[str, str], Group]:
    """Group records by task and settings, and within these by distractor and bonus."""
    groups: dict[tuple[str, str], Group] = defaultdict(lambda: defaultdict(list))
    for record in records:
        config = record.configuration
        words = f"{config['steps']:,} steps, coefficient {config['coefficient']:g}"
        groups[config["task"], words][config["distractor"], config["bonus"]].append(record)
    return groups


def tables(records: Sequence[Record]) -> list[Table]:
    """List final returns, means of the curves, and time at the television."""
    shown: list[Table] = []
    for (task, words), group in settings(records).items():
        worlds = [world for world in WORLDS if any(key[0] == world for key in group)]
        bonuses = [bonus for bonus in LABELS if any(key[1] == bonus for key in group)]
        columns = ["bonus", *(WORLDS[world] for world in worlds)]
        for title, read in READINGS.items() if len(bonuses) > 1 else [*READINGS.items()][:1]:
            rows = [
                [LABELS[bonus][0], *(read(group.get((world, bonus), [])) for world in worlds)]
                for bonus in bonuses
            ]
            shown.append(Table(f"{task}, {words}: {title}", columns, rows, ("bonus",)))
    return shown


def _estimate(name: str) -> Any:
    """Return how a cell shows runs: interquartile mean and interval, or the runs if few."""

    def read(runs: list[Record]) -> str:
        values = np.array([run.results[name] for run in runs])
        if len(values) < FEWEST:
            return ", ".join(f"{value:.2f}" for value in np.sort(values)) or "-"
        return f"{normalized_iqm([values])} ({len(values)})"

    return read


READINGS = {
    "final return, interquartile mean with 95% interval (runs)": _estimate("final"),
    "mean of the learning curve": _estimate("mean"),
    "share of useless actions at the end": _estimate("useless_final"),
}


def figures(records: Sequence[Record]) -> Iterator[tuple[str, Figure]]:
    """Draw the curves of every task and setting that has more than one bonus."""
    for (task, words), group in settings(records).items():
        if len({bonus for _, bonus in group}) < 2:
            continue
        worlds = [world for world in WORLDS if any(key[0] == world for key in group)]
        name = "-".join(word for word in f"{task} {words}".replace(",", "").split() if word)
        yield name, curves(worlds, group)


def curves(worlds: list[str], group: Group) -> Figure:
    """Draw returns, and below them the share of useless actions, against steps."""
    figure = new_figure(2.6 * max(len(worlds), 2), 4.9)
    panels = figure.subplots(2, len(worlds), sharex=True, sharey="row", squeeze=False)
    for column, world in enumerate(worlds):
        for bonus, (label, colour) in reversed(LABELS.items()):  # ours is drawn last
            runs = group.get((world, bonus), [])
            if runs:
                _curve(panels[0, column], runs, "curve", colour, label)
                _curve(panels[1, column], runs, "useless_curve", colour, label)
        label_panel(panels[0, column], "abcde"[column], WORLDS[world])
        panels[1, column].set_xlabel("thousand steps")
    panels[0, 0].set(ylabel="return", ylim=(-0.02, 1.02))
    panels[1, 0].set(ylabel="useless actions", ylim=(-0.02, 1.02))
    for axes in panels[1]:
        axes.axhline(CHANCE, color="0.7", linewidth=0.8, linestyle="--", zorder=0)
    handles: dict[str, Any] = {}
    for axes in panels[0]:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    order = [label for label, _ in LABELS.values() if label in handles]
    columns = 6 if len(worlds) > 3 else 3
    figure.legend(
        [handles[label] for label in order], order, loc="outside lower center", ncols=columns
    )
    return figure


def _curve(axes: Axes, runs: list[Record], name: str, colour: str, label: str) -> None:
    """Draw the mean over runs, and each run faintly."""
    length = min(len(run.results[name]) for run in runs)
    steps = np.array(runs[0].results["curve_steps"][:length]) / 1000
    values = np.array([run.results[name][:length] for run in runs])
    if len(runs) > 1:
        axes.plot(steps, values.T, color=colour, linewidth=0.5, alpha=0.3)
    axes.plot(steps, values.mean(0), color=colour, linewidth=1.6, label=label)
