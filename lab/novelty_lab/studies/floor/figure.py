"""Bits, floor and excess against n: what is structure and what only looks like it."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, FLOW_NAMES, GREY, ORANGE, SKY, label_panel, new_figure
from novelty_lab.tables import table

COLUMNS = {
    "data": lambda row: FLOW_NAMES.get(row["name"], row["name"]),
    "n": "{n}",
    "denoised bits": "{denoised_bits:.1f}",
    "directions": "{directions:.1f}",
    "raw bits": "{bits:.1f}",
    "null": lambda row: f"{row['null_bits']:.1f}" if "null_bits" in row else "",
    "floor": "{floor_bits:.1f}",
    "excess": "{excess_bits:.1f}",
    "evidence-ridge bits": "{evidence_bits:.1f}",
}


def tables(record: Record) -> list[Table]:
    """List everything measured."""
    return [table("The noisy television and the dark room", COLUMNS, record.results["rows"])]


def figure(record: Record) -> Figure:
    """Draw raw bits as floor and excess beside denoised bits, and denoised bits against n."""
    rows = record.results["rows"]
    names = list(dict.fromkeys(row["name"] for row in rows))
    fig = new_figure(8.4, 7.2)
    stacked, against = fig.subplots(2, 1, height_ratios=[1.15, 1.0])
    largest = max(row["n"] for row in rows)
    _stacked(stacked, {row["name"]: row for row in rows if row["n"] == largest}, names)
    label_panel(stacked, "a", f"raw bits and their floor, and denoised bits, n = {largest:,}")
    _against(against, rows, names)
    label_panel(against, "b", "denoised bits against n")
    return fig


def _stacked(axes: Axes, rows: dict[str, dict[str, Any]], names: list[str]) -> None:
    x = np.arange(len(names))
    bits = np.array([rows[name]["bits"] for name in names])
    floor = np.array([rows[name]["floor_bits"] for name in names])
    evidence, denoised = (
        [rows[name][key] for name in names] for key in ("evidence_bits", "denoised_bits")
    )
    low, rest = np.minimum(bits, floor), np.maximum(bits - floor, 0)
    spread = {"fmt": "none", "ecolor": "black", "elinewidth": 0.9, "capsize": 2}
    axes.bar(x - 0.28, low, 0.26, color=GREY, label="raw bits: floor, the score of the residuals")
    axes.bar(x - 0.28, rest, 0.26, bottom=low, color=SKY, label="raw bits: excess over the floor")
    sd = [rows[name]["bits_sd"] for name in names]
    axes.errorbar(x - 0.28, bits, yerr=sd, label="raw bits ± sd over draws", **spread)
    axes.bar(x, evidence, 0.26, color=ORANGE, label="raw bits with the evidence ridge")
    axes.bar(x + 0.28, denoised, 0.26, color=BLUE, label="denoised bits")
    axes.set_xticks(x, _spelled(names), rotation=35, ha="right")
    axes.set_ylabel("bits")
    axes.legend(loc="upper right")


def _against(axes: Axes, rows: list[dict[str, Any]], names: list[str]) -> None:
    sizes = sorted({row["n"] for row in rows})
    by_size = {(row["name"], row["n"]): row for row in rows}
    width, middle = 0.8 / len(sizes), (len(sizes) - 1) / 2
    for place, size in enumerate(sizes):
        group = [by_size[name, size] for name in names]
        axes.bar(
            np.arange(len(names)) + (place - middle) * width,
            [row["denoised_bits"] for row in group],
            width,
            color=BLUE,
            alpha=float(np.linspace(0.25, 1.0, len(sizes))[place]),
            label=f"n = {size:,}",
        )
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xticks(range(len(names)), _spelled(names), rotation=35, ha="right")
    axes.set_ylabel("denoised bits")
    axes.legend(loc="upper left", ncols=1)


def _spelled(names: list[str]) -> list[str]:
    return [FLOW_NAMES.get(name, name) for name in names]
