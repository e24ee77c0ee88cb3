"""Pictures of a scan: what is explained of every column, and a clustered heat map of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from learnable_novelty.measure.words import percent
from learnable_novelty.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from learnable_novelty.measure.scan_result import Scan

BLUE, GREY = "#0072B2", "#BBBBBB"
SHARES = LinearSegmentedColormap.from_list("shares", ["#FFFFFF", "#56B4E9", "#003F6B"])
MOST_BARS, MOST_NUMBERS, LONGEST = 60, 16, 28
"""Columns drawn as bars, columns up to which cells have numbers, and letters of a name."""


def draw_scan(scan: Scan, path: str | Path | None, ax: Any) -> Figure:
    """Draw a scan; see ``Scan.plot``."""
    size = len(scan.names)
    side, height = 2.8 + 0.34 * size, 1.4 + 0.28 * min(size, MOST_BARS)
    shape = (side, side) if scan.pairs else (7.5, height)
    figure = Figure(figsize=shape, layout="constrained") if ax is None else ax.figure
    axes = figure.subplots() if ax is None else ax
    (_heat_map if scan.pairs else _bars)(axes, scan)
    if path is not None:
        figure.savefig(path, dpi=160)
    return figure


def _bars(axes: Axes, scan: Scan) -> None:
    shown = [one for one in scan.relations if one.p_value is not None][:MOST_BARS][::-1]
    shares = np.array([one.held_out_variance for one in shown])
    ends = np.array([one.held_out_interval for one in shown]).reshape(-1, 2)
    errors = np.abs(ends.T - shares)
    colors = [BLUE if one.is_found else GREY for one in shown]
    axes.barh(range(len(shown)), shares, color=colors, xerr=errors, ecolor="#444444", capsize=2)
    axes.set_yticks(range(len(shown)), [_short(one.target) for one in shown])
    axes.set(xlim=(0, 1), xlabel="share of variance explained on held-out rows")
    axes.set_title(f"{len(scan.discoveries())} of {len(scan.relations)} columns found", fontsize=10)
    axes.xaxis.set_major_formatter(lambda value, _place: f"{value:.0%}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(y=0.02)


def _heat_map(axes: Axes, scan: Scan) -> None:
    order = scan.clustered()
    names = [_short(scan.names[index]) for index in order]
    found = np.zeros((len(names),) * 2, dtype=bool)
    place = {scan.names[index]: where for where, index in enumerate(order)}
    for one in scan.discoveries():
        found[place[one.inputs[0]], place[one.target]] = True
    values = np.where(found, np.nan_to_num(scan.matrix()[np.ix_(order, order)]), 0.0)
    image = axes.imshow(values, cmap=SHARES, vmin=0, vmax=1)
    np.fill_diagonal(found, False)
    for i, j in zip(*np.nonzero(found), strict=True):
        if len(names) <= MOST_NUMBERS:
            ink = "white" if values[i, j] > 0.6 else "black"
            text = percent(float(values[i, j])).rstrip("%")
            axes.text(j, i, text, ha="center", va="center", color=ink, fontsize=7)
    for index in range(len(names)):
        axes.plot(index, index, marker="s", color="#DDDDDD", markersize=4)
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="about this column", ylabel="this column tells")
    axes.set_title(f"{len(scan.discoveries())} of {len(scan.relations)} pairs found", fontsize=10)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.6)
    bar.set_label("held-out variance")


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
