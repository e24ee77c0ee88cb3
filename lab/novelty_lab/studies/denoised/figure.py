"""Denoised bits: how often noise keeps a direction, and bits against noise and rows."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BITS, BLUE, GREY, ORANGE, label_panel, new_figure
from novelty_lab.tables import table

NOISE_COLUMNS = {
    "noise": "{kind}",
    "n": "{n}",
    "targets": "{D}",
    "sets": "{repeats}",
    "keep a direction": "{kept:.3f}",
    "not known": "{refused:.3f}",
    "instant p <= 0.05": "{p_at_5:.3f}",
    "instant p <= 0.01": "{p_at_1:.3f}",
    "most bits": "{most_bits:.2f}",
}
FUNCTION_COLUMNS = {
    "noise": "{kind}",
    "deviation": "{noise:g}",
    "n": "{n}",
    "targets": "{D}",
    "denoised bits": "{bits:.2f} ± {sd:.2f}",
    "directions": "{directions:.1f}",
    "raw bits": "{raw:.1f}",
    "excess": "{excess:.1f}",
}


def tables(record: Record) -> list[Table]:
    """List false directions, and bits of functions."""
    return [
        table("Pure noise", NOISE_COLUMNS, record.results["noise"]),
        table("A known function in noise", FUNCTION_COLUMNS, record.results["functions"]),
    ]


def figure(record: Record) -> Figure:
    """Draw rates of false directions, and bits against rows for each level of noise."""
    rows = record.results["functions"]
    targets = sorted({row["D"] for row in rows})
    fig = new_figure(10.0, 5.6)
    kept, instant, *against = fig.subplots(2, max(2, len(targets))).ravel()
    spare = against[: max(2, len(targets)) - 2]
    for axes in spare:
        axes.set_axis_off()
    _rates(kept, record.results["noise"], "kept", 0.01)
    label_panel(kept, "a", "noise that keeps a direction")
    _rates(instant, record.results["noise"], "p_at_5", 0.05)
    label_panel(instant, "b", "instant p at most 0.05")
    for axes, d, letter in zip(against[max(2, len(targets)) - 2 :], targets, "cdefg", strict=False):
        _against(axes, [row for row in rows if row["D"] == d and row["kind"] == "Gaussian"])
        label_panel(axes, letter, f"{d} target{'s' if d > 1 else ''}")
    levels = against[-1].get_legend_handles_labels()
    if spare:
        spare[0].legend(*levels, loc="center left", title="Gaussian noise, below", frameon=False)
    else:
        against[0].legend(*levels, fontsize=6.5)
    return fig


def _rates(axes: Axes, rows: list[dict[str, Any]], name: str, nominal: float) -> None:
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    sizes = sorted({row["n"] for row in rows})
    for size, colour in zip(sizes, (ORANGE, BLUE, GREY), strict=False):
        points = [(kinds.index(row["kind"]), row[name]) for row in rows if row["n"] == size]
        place, rate = np.array(points).T
        axes.plot(rate, place, "o", color=colour, markersize=3.5, alpha=0.7, label=f"n = {size}")
    axes.axvline(nominal, color="0.4", linewidth=0.8)
    axes.set_yticks(range(len(kinds)), kinds)
    axes.invert_yaxis()
    axes.set_xlim(left=-0.002)
    axes.set_xlabel("share of sets")
    axes.legend(fontsize=6.5, loc="best")


def _against(axes: Axes, rows: list[dict[str, Any]]) -> None:
    levels = sorted({row["noise"] for row in rows})
    shades = matplotlib.colormaps["viridis"](np.linspace(0, 0.85, len(levels)))
    for level, shade in zip(levels, shades, strict=True):
        at_level = [row for row in rows if row["noise"] == level]
        n, bits, sd = ([row[name] for row in at_level] for name in ("n", "bits", "sd"))
        axes.errorbar(
            n, bits, sd, marker="o", markersize=3, color=shade, label=f"noise {level:g} sd"
        )
    axes.set(xscale="log", xlabel="rows n", ylabel=f"denoised {BITS}", ylim=(-0.3, None))
