"""Held-out variance against rows, detection, and real data sets; all tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    label_panel,
    label_row,
    list_down,
    new_figure,
)
from novelty_lab.tables import table

COLORS = {
    "frozen": GREY,
    "wide frozen": BLACK,
    "growing": BLUE,
    "network": RED,
    "boosted trees": GREEN,
    "kernel ridge": PURPLE,
    "xRFM": ORANGE,
}
COLUMNS = 4
"""Panels side by side."""
LEARNED = 0.97
"""Share of the variance from which on a function counts as known."""


def means(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> dict[tuple[Any, ...], float | None]:
    """Average R2 over repeats; None where a learner is missing."""
    shares: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        shares.setdefault(tuple(row[key] for key in keys), []).append(row["r2"])
    return {key: None if None in of else float(np.mean(of)) for key, of in shares.items()}


def tables(record: Record) -> list[Table]:
    """List functions and sets by learner, detection, and level."""
    results = record.results
    functions = means(results["functions"], ("function", "n", "learner"))
    cells = dict.fromkeys((name, n) for name, n, _ in functions)
    rows = [[name, str(n), *(_share(functions[name, n, k]) for k in COLORS)] for name, n in cells]
    sets = means(results["sets"], ("set", "learner"))
    names = dict.fromkeys(name for name, _ in sets)
    set_rows = [[name, *(_share(sets[name, k]) for k in COLORS)] for name in names]
    detection_columns = {
        "function": "{function}",
        "n": "{n}",
        "observer": "{observer}",
        "found": "{found:.2f}",
        "held-out variance": "{held out:.2f}",
        "CPU seconds": "{seconds:.1f}",
    }
    level_columns = {
        "noise": "{noise}",
        "n": "{n}",
        "p at most 0.05": "{found:.3f}",
        "grown": "{grown:.3f}",
        "mean excess bits": "{excess:.3f}",
        "repeats": "{repeats}",
    }
    return [
        Table("Held-out R2 of functions", ["function", "n", *COLORS], rows),
        Table("Held-out R2 of real sets", ["set", *COLORS], set_rows),
        table("Detection", detection_columns, results["detection"]),
        table("Level", level_columns, results["level"]),
    ]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def figure(record: Record) -> Figure:
    """Draw functions against rows, what ``ln.score`` detects, and real sets."""
    functions = means(record.results["functions"], ("function", "n", "learner"))
    shown = _told_apart(functions)
    rows = -(-len(shown) // COLUMNS)
    fig = new_figure(9.0, 1.9 * rows + 4.2)
    halves: Any = fig.subfigures(2, 1, height_ratios=[1.9 * rows + 0.4, 3.8])
    top, bottom = halves
    panels = top.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)
    for axes in panels.ravel()[len(shown) :]:
        axes.set_axis_off()
    for axes, name in zip(panels.ravel(), shown, strict=False):
        _against_rows(axes, functions, name)
        axes.set_title(name, loc="left", fontsize=9)
    label_row(top, "a", "held-out R2 of functions against training rows")
    left, right = bottom.subplots(1, 2)
    _detection(left, record.results["detection"])
    _real(right, means(record.results["sets"], ("set", "learner")))
    handles = [Line2D([], [], color=color, marker=".", label=k) for k, color in COLORS.items()]
    bottom.legend(handles=handles, loc="outside lower center", ncols=len(COLORS))
    return fig


def _told_apart(functions: dict[tuple[Any, ...], float | None]) -> list[str]:
    """List the functions that some learner does not know with the fewest rows."""
    fewest = min(n for _, n, _ in functions)
    names = dict.fromkeys(name for name, _, _ in functions)
    hard = [k for k in names if any((functions[k, fewest, one] or 0) < LEARNED for one in COLORS)]
    return hard or list(names)


def _against_rows(axes: Axes, functions: dict[tuple[Any, ...], float | None], name: str) -> None:
    sizes = sorted({n for _, n, _ in functions})
    for learner, color in COLORS.items():
        shares = [functions[name, n, learner] for n in sizes]
        known = [max(0.0, share) for share in shares if share is not None]
        if len(known) == len(sizes):
            order = 3 if learner == "growing" else 2
            axes.plot(sizes, known, ".-", color=color, zorder=order)
    axes.set(xscale="log", ylim=(-0.05, 1.05))
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.xaxis.set_minor_locator(NullLocator())


def _detection(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """Draw, for the most rows, in how many data sets a relation was found."""
    most = max(row["n"] for row in rows)
    names = list(dict.fromkeys(row["function"] for row in rows))
    sizes = {"frozen": 70, "wide frozen": 34, "growing": 12}  # rings, where they fall together
    for row in rows:
        if row["n"] == most:
            size, color = sizes[row["observer"]], COLORS[row["observer"]]
            look: dict[str, Any] = {"s": size, "facecolor": "none", "edgecolor": color}
            look |= {"facecolor": color} if row["observer"] == "growing" else {}
            axes.scatter(row["found"], names.index(row["function"]), clip_on=False, **look)
    list_down(axes, names)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.set(xlim=(0, 1), xlabel="share of data sets with p at most 0.05")
    label_panel(axes, "b", f"found by ln.score in {most:,} rows")


def _real(axes: Axes, sets: dict[tuple[Any, ...], float | None]) -> None:
    """Draw what each learner has less the median learner, set by set."""
    names = list(dict.fromkeys(name for name, _ in sets))
    learners = [k for k in COLORS if all(sets[name, k] is not None for name in names)]
    share = np.array([[sets[name, k] for k in learners] for name in names], dtype=float)
    above = share - np.median(share, axis=1, keepdims=True)
    for place, (learner, values) in enumerate(zip(learners, above.T, strict=True)):
        spread = np.linspace(-0.25, 0.25, len(values))[np.argsort(np.argsort(values))]
        axes.scatter(values, place + spread, s=9, color=COLORS[learner], alpha=0.7)
        axes.plot([np.mean(values)] * 2, [place - 0.4, place + 0.4], color=COLORS[learner])
    axes.axvline(0, color="0.8", linewidth=0.8, zorder=0)
    list_down(axes, learners)
    axes.set_xlabel("held-out R2 above that of the median learner")
    label_panel(axes, "c", "real data sets, and their mean")
