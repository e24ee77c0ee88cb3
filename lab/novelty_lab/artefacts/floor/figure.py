"""Bits, floor and excess against n: what is structure and what only looks like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, ORANGE, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def tables(record: Record) -> list[Table]:
    """List everything measured."""
    rows = [
        [
            row["name"],
            str(row["n"]),
            f"{row['bits']:.1f}",
            _number(row.get("null_bits")),
            f"{row['floor_bits']:.1f}",
            f"{row['excess_bits']:.1f} ± {row['excess_se']:.1f}",
            f"{row['evidence_bits']:.1f}",
        ]
        for row in record.results["rows"]
    ]
    columns = ["data", "n", "bits", "null", "floor", "excess", "evidence-ridge bits"]
    return [Table("The noisy television and the dark room", columns, rows)]


def figure(record: Record) -> Figure:
    """Draw bits as floor and excess at the largest n, and the excess against n."""
    rows = record.results["rows"]
    names = list(dict.fromkeys(row["name"] for row in rows))
    fig = new_figure(8.4, 7.2)
    stacked, against = fig.subplots(2, 1, height_ratios=[1.15, 1.0])
    largest = max(row["n"] for row in rows)
    _stacked(stacked, {row["name"]: row for row in rows if row["n"] == largest}, names)
    label_panel(stacked, "a", f"the raw score and its floor, n = {largest}")
    _against(against, rows, names)
    label_panel(against, "b", "what is left above the floor, against n")
    return fig


def _stacked(axes: Axes, rows: dict[str, dict[str, Any]], names: list[str]) -> None:
    x = np.arange(len(names))
    bits = np.array([rows[name]["bits"] for name in names])
    floor = np.array([rows[name]["floor_bits"] for name in names])
    evidence = [rows[name]["evidence_bits"] for name in names]
    axes.bar(x - 0.2, np.minimum(bits, floor), 0.4, color=GREY, label="floor: noise of that size")
    axes.bar(
        x - 0.2,
        np.maximum(bits - floor, 0),
        0.4,
        bottom=np.minimum(bits, floor),
        color=BLUE,
        label="excess: learnable structure",
    )
    axes.bar(x + 0.2, evidence, 0.4, color=ORANGE, label="bits with the evidence ridge")
    axes.set_xticks(x, names, rotation=35, ha="right")
    axes.set_ylabel(r"$S^\phi$ (bits)")
    axes.legend(loc="upper right")


def _against(axes: Axes, rows: list[dict[str, Any]], names: list[str]) -> None:
    sizes = sorted({row["n"] for row in rows})
    held = {(row["name"], row["n"]): row for row in rows}
    shades = np.linspace(0.25, 1.0, len(sizes))
    width = 0.8 / len(sizes)
    for place, (size, shade) in enumerate(zip(sizes, shades, strict=True)):
        x = np.arange(len(names)) + (place - (len(sizes) - 1) / 2) * width
        axes.bar(
            x,
            [held[name, size]["excess_bits"] for name in names],
            width,
            color=BLUE,
            alpha=float(shade),
            label=f"n = {size}",
            yerr=[1.96 * held[name, size]["excess_se"] for name in names],
            error_kw={"elinewidth": 0.8, "capsize": 1.5},
        )
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right")
    axes.set_ylabel("excess (bits)")
    axes.legend(loc="upper left", ncols=len(sizes))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
