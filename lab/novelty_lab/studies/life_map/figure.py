"""The map of the life-like automata: where bits are, what is known there, and what is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.patheffects import withStroke

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, ORANGE, PURPLE, RED, label_panel, new_figure
from novelty_lab.systems.life import LifeRule
from novelty_lab.tables import table

LABELLED = ("Life", "HighLife", "Day & Night", "Morley", "Diamoeba", "Anneal", "2x2", "34 Life",
            "Long Life", "Replicator", "Seeds", "Maze", "Coral")  # fmt: skip
GLIDERS = {True: "yes", False: "no", None: "?"}


def tables(record: Record) -> list[Table]:
    """List the named rules, and bits by the share of cells that change."""
    results = record.results
    named = sorted(results["named"], key=lambda row: -row["again_excess"])
    columns = {
        "name": "{name}",
        "rule": "{rule}",
        "gliders": lambda row: GLIDERS[row["gliders"]],
        "on the map": "{measures[excess]:.1f}",
        "again (95%)": lambda row: _with_width(row["again_excess"], row["again_half_width"]),
        "place": "{again_rank:,}",
    }
    title = (
        "Rules with a name: excess bits on the map and again on the larger tori, and their place "
        f"among the {results['summary']['again']} that were scored again"
    )
    return [
        table(title, columns, named, unbroken=list(columns)[1:]),
        _changes(results),
    ]


def _changes(results: dict[str, Any]) -> Table:
    columns = {
        "below, %": _share,
        "rules": "{rules}",
        "excess": "{excess[1]:.1f}",
        "raw": "{bits[1]:.1f}",
        "floor": "{floor[1]:.1f}",
        "null": "{null[1]:.1f}",
        "excess, 95% quantile": "{excess[2]:.1f}",
    }
    title = "By the share of cells that differ after two steps: medians in bits"
    return table(title, columns, results["summary"]["by_change"])


def figure(record: Record) -> Figure:
    """Draw the map, and bits against change."""
    results = record.results
    fig = new_figure(11.0, 11.6)
    top, bottom = fig.subfigures(2, 1, height_ratios=[2.2, 1.0], squeeze=False)[:, 0]
    _draw_map(top, top.subplots(), record)
    _draw_change(bottom.subplots(), results)
    return fig


def place_of(rule: str) -> tuple[int, int]:
    """Return column and row of a rule on the drawn map: fewer neighbours weigh more.

    The first bit is 0 neighbours, the last one 8, so that halves of the map differ in B0 (left,
    right) and S0 (up, down), quarters in B1 and S1, and so on.
    """
    born_survives = rule.removeprefix("B").split("/S")
    column, row = (sum(1 << (8 - int(count)) for count in counts) for counts in born_survives)
    return column, row


def drawn_order() -> np.ndarray:
    """Return for every column of the drawn map its nine-bit mask."""
    return np.array([int(f"{place:09b}"[::-1], 2) for place in range(512)])


def _draw_rules(axes: Axes, record: Record) -> Any:
    """Draw excess bits: all rules as an image, some as points."""
    arrays, grain = record.arrays, record.results["grain"]
    excess = arrays["bits"] * grain["bits"] - arrays["floor"] * grain["floor"]
    top = float(np.quantile(excess, 0.999))
    look: dict[str, Any] = {"vmin": 0, "vmax": top, "cmap": "viridis"}
    if "codes" in arrays:
        places = np.array([place_of(str(LifeRule(int(code)))) for code in arrays["codes"]])
        axes.set(xlim=(0, 512), ylim=(512, 0), aspect="equal", facecolor="#222222")
        return axes.scatter(*places.T, c=excess, s=8, **look)
    order = drawn_order()
    return axes.imshow(excess[np.ix_(order, order)], interpolation="nearest", **look)


def _draw_map(part: SubFigure, axes: Axes, record: Record) -> None:
    image = _draw_rules(axes, record)
    for row in record.results["named"]:
        _mark(axes, row)
    for colour, label in ((RED, "named, has gliders"), (GREY, "named, none or not known (white)")):
        axes.plot([], [], "o", color=colour, markerfacecolor="none", label=label)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    ticks, names = [128, 384], ["without", "with"]
    axes.set_xticks(ticks, [f"{name} B0" for name in names])
    axes.set_yticks(ticks, [f"{name} S0" for name in names], rotation=90, va="center")
    axes.set_xlabel("born with: halves by B0, quarters by B1, eighths by B2, ...")
    axes.set_ylabel("survives with: halves by S0, quarters by S1, eighths by S2, ...")
    below = axes.inset_axes((0.0, -0.15, 1.0, 0.022))
    bar = part.colorbar(image, cax=below, orientation="horizontal", extend="max")
    bar.set_label("excess over the floor (bits)")
    label_panel(axes, "a", f"{record.results['rules']:,} life-like rules")


BESIDE = {
    "Life": (46, -60),
    "Day & Night": (64, -8),
    "Maze": (52, -18),
    "Replicator": (22, 12),
    "Seeds": (26, -12),
    "Anneal": (-14, -28),
}
"""Rules that are named on the map, and where their names stand from their rings, in points."""


def _mark(axes: Axes, row: dict[str, Any]) -> None:
    """Draw a ring around a rule with a name, and a few of the names."""
    place = place_of(row["rule"])
    colour = RED if row["gliders"] else "white"
    axes.plot(*place, "o", markersize=5, markerfacecolor="none", markeredgecolor=colour)
    if row["name"] in BESIDE:
        outline = [withStroke(linewidth=1.5, foreground="black")]
        line = {"arrowstyle": "-", "color": "white", "linewidth": 0.7, "shrinkB": 3}
        look: dict[str, Any] = {"color": "white", "fontsize": 8, "path_effects": outline}
        look |= {"arrowprops": {**line, "path_effects": outline}, "textcoords": "offset points"}
        axes.annotate(row["name"], place, xytext=BESIDE[row["name"]], **look)


def _draw_change(axes: Axes, results: dict[str, Any]) -> None:
    """Draw bits against how much changes: the median rule, and nine tenths of the rules."""
    rows = results["summary"]["by_change"]
    places = np.arange(len(rows))
    for name, colour, line, label in (
        ("bits", ORANGE, "o-", "raw bits"),
        ("null", PURPLE, "s--", "null"),
        ("floor", GREY, "o-", "floor"),
        ("excess", BLUE, "o-", "excess"),
    ):
        low, middle, high = np.array([row[name] for row in rows]).T
        axes.plot(places, middle, line, markersize=3, color=colour, label=label)
        if name == "excess":
            axes.fill_between(places, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set_xticks(places, [_share(row) for row in rows], rotation=60)
    axes.set(xlabel="cells that differ after two steps, below (%)", ylabel="bits")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2)
    label_panel(axes, "b", "still, busy, chaotic: medians")


def _with_width(value: float, half_width: float | None) -> str:
    """Write a value with half the width of its interval, where it has one."""
    return f"{value:.1f}" if half_width is None else f"{value:.1f} ± {half_width:.1f}"


def _share(row: dict[str, float]) -> str:
    """Write the upper end of a range of shares, in percent."""
    return "0" if row["low"] == 0 else f"{min(100.0, 100 * row['high']):g}"
