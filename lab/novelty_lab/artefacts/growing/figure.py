"""Held-out variance against rows, detection, level, and real data sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, new_figure
from novelty_lab.tables import table

COLORS = {
    "frozen": GREY,
    "wide frozen": "#000000",
    "growing": BLUE,
    "network": "#D55E00",
    "boosted trees": "#009E73",
    "kernel ridge": "#CC79A7",
    "xRFM": "#E69F00",
}


def means(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> dict[tuple[Any, ...], float | None]:
    """Average R2 over repeats; None where a learner is missing."""
    found: dict[tuple[Any, ...], list[float | None]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row["r2"])
    return {
        key: None if None in values else float(np.mean([v for v in values if v is not None]))
        for key, values in found.items()
    }


def tables(record: Record) -> list[Table]:
    """List functions and sets by learner, detection, and level."""
    results = record.results
    functions = means(results["functions"], ("function", "n", "learner"))
    cells = dict.fromkeys((name, n) for name, n, _ in functions)
    rows = [
        {"function": name, "n": n, "of": {k: functions[name, n, k] for k in COLORS}}
        for name, n in cells
    ]
    sets = means(results["sets"], ("set", "learner"))
    set_rows = [
        {"set": name, "of": {k: sets[name, k] for k in COLORS}}
        for name in dict.fromkeys(name for name, _ in sets)
    ]
    seconds = _seconds(results["functions"])
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
        table("Held-out R2 of functions", {"function": "{function}", "n": "{n}"} | _each(), rows),
        table("Held-out R2 of real sets", {"set": "{set}"} | _each(), set_rows),
        table("CPU seconds", {"n": "{n}"} | _each("{:.1f}"), seconds),
        table("Detection", detection_columns, results["detection"]),
        table("Level", level_columns, results["level"]),
    ]


def _seconds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for n in dict.fromkeys(row["n"] for row in rows):
        of: dict[str, float | None] = dict.fromkeys(COLORS)
        for name in COLORS:
            times = [r["seconds"] for r in rows if (r["n"], r["learner"]) == (n, name)]
            of[name] = None if None in times else float(np.median(times))
        found.append({"n": n, "of": of})
    return found


def _each(pattern: str = "{:.2f}") -> dict[str, Any]:
    def cell(row: dict[str, Any], name: str) -> str:
        value = row["of"][name]
        return "-" if value is None else pattern.format(value)

    return {name: lambda row, name=name: cell(row, name) for name in COLORS}


def figure(record: Record) -> Figure:
    """Draw the hardest functions against rows, and real sets."""
    functions = means(record.results["functions"], ("function", "n", "learner"))
    names = list(dict.fromkeys(name for name, _, _ in functions))
    shown = [name for name in names if "2 of 12" not in name][:9] or names
    rows = -(-(len(shown) + 1) // 5)
    fig = new_figure(11.0, 2.5 * rows)
    axes = fig.subplots(rows, 5, squeeze=False).ravel()
    for one in axes[len(shown) + 1 :]:
        one.set_axis_off()
    for place, (one, name) in enumerate(zip(axes, shown, strict=False)):
        _against_rows(one, functions, name)
        label_panel(one, "abcdefghijklm"[place], name)
    axes[0].legend(frameon=False, fontsize=6)
    last = axes[len(shown)]
    _real(last, means(record.results["sets"], ("set", "learner")))
    label_panel(last, "abcdefghijklm"[len(shown)], "real data sets")
    return fig


def _against_rows(axes: Axes, functions: dict[tuple[Any, ...], float | None], name: str) -> None:
    for learner, color in COLORS.items():
        points = [(n, v) for (f, n, k), v in functions.items() if (f, k) == (name, learner)]
        if points and None not in dict(points).values():
            shares = [max(0.0, v) for _, v in points if v is not None]
            axes.plot([n for n, _ in points], shares, ".-", color=color, label=learner)
    axes.set(xscale="log", ylim=(-0.05, 1.05), xlabel="rows", ylabel="held-out R2")


def _real(axes: Axes, sets: dict[tuple[Any, ...], float | None]) -> None:
    names = list(dict.fromkeys(name for name, _ in sets))
    for learner, color in COLORS.items():
        pairs = [(sets[name, "frozen"], sets[name, learner]) for name in names]
        if learner != "frozen" and all(y is not None for _, y in pairs):
            x, y = zip(*pairs, strict=True)
            axes.scatter(x, [max(0.0, v) for v in y if v is not None], s=10, color=color, alpha=0.8)
    axes.axline((0, 0), slope=1, color=GREY, linewidth=0.8)
    axes.set(xlabel="frozen", ylabel="held-out R2", xlim=(0, 1.02), ylim=(0, 1.02))
