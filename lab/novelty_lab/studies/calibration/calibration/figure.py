"""Whether the test keeps its level, and whether noise stays at its floor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    label_panel,
    list_down,
    new_figure,
)
from novelty_lab.tables import named, table

LOW, LEVEL, HIGH = 0.03, 0.05, 0.07
NORMAL = 1.96
"""Two-sided 95% point of the normal distribution."""

Rows = Mapping[str, Mapping[str, Any]]


def tables(record: Record) -> list[Table]:
    """List false-positive rates and the excess of noise."""
    structure = {
        "data": "{name}",
        "p-value": "{p_value:.2f}",
        "excess, bits": "{excess_bits:.2f} ± {excess_se:.2f}",
    }
    noise = {
        "data": "{name}",
        "mean": "{mean_excess:+.3f}",
        "sd": "{sd_excess:.3f}",
        "largest": "{largest_excess:.3f}",
        "interval covers 0": "{covered:.2f}",
        "data sets": "{repeats}",
    }
    results = record.results
    return [
        table("Structure, which must be detected", structure, named(results["controls"])),
        rate_table(record),
        table("Excess bits of noise, default observers", noise, named(results["noise"])),
    ]


def rate_table(record: Record) -> Table:
    """List false-positive rates."""
    columns = {"null data": "{name}", "rate": "{rate:.3f} ± {se:.3f}", "data sets": "{repeats}"}
    rates = named(record.results["false_positives"])
    return table("False positives at p <= 0.05", columns, rates)


def figure(record: Record) -> Figure:
    """Draw the distribution of p-values, the rates, and the excess of noise."""
    rates, noise = record.results["false_positives"], record.results["noise"]
    fig = new_figure(10.0, 3.6)
    spread, bars, excess = fig.subplots(1, 3)
    draw_false_positives(spread, bars, rates)
    draw_ranges(excess, noise, "mean_excess", "sd_excess", color=BLUE)
    excess.axvline(0, color=GREY, linewidth=0.8)
    list_down(excess, list(noise))
    excess.locator_params(axis="x", nbins=4)
    excess.set(xlabel="excess (bits):\nmean and 95% range")
    label_panel(excess, "c", "noise above its floor")
    return fig


def draw_ranges(
    axes: Axes, rows: Rows, mean: str, sd: str, shift: float = 0.0, **look: Any
) -> None:
    """Draw the means of rows, from top to bottom, with 95% ranges of normal values."""
    values = [row[mean] for row in rows.values()]
    reach = [NORMAL * row[sd] for row in rows.values()]
    places = np.arange(len(rows)) + shift
    axes.errorbar(values, places, xerr=reach, fmt="o", markersize=4, elinewidth=1, **look)


def draw_false_positives(spread: Axes, bars: Axes, rates: Rows) -> None:
    """Draw the distribution of p-values, and the shares at or below the level."""
    colours = iter((BLUE, ORANGE, GREEN, PURPLE, RED))
    for kind, rate in rates.items():
        values = np.sort(rate["p_values"])
        share = np.arange(1, values.size + 1) / values.size
        style = ":" if "permuted" in kind else "-"
        spread.plot(values, share, style, color=next(colours), linewidth=1.2, label=kind)
    spread.plot([0, 1], [0, 1], color="0.5", linewidth=0.8, linestyle="--")
    spread.set(xlabel="p-value", ylabel="share of null data sets at or below")
    spread.legend(fontsize=6.5, loc="lower right")
    label_panel(spread, "a", "p-values under the null")
    fills = [RED if "permuted" in kind else BLUE for kind in rates]
    shares = [rate["rate"] for rate in rates.values()]
    errors = [NORMAL * rate["se"] for rate in rates.values()]
    bars.barh(range(len(rates)), shares, color=fills, xerr=errors, error_kw={"elinewidth": 0.8})
    bars.axvspan(LOW, HIGH, color=GREEN, alpha=0.2, linewidth=0, zorder=0)
    bars.axvline(LEVEL, color="0.3", linewidth=0.8, linestyle="--")
    list_down(bars, [kind.replace(", ", ",\n") for kind in rates])
    if max(shares) > 4 * HIGH:
        bars.set_xscale("log")
    bars.set(xlabel="share with p ≤ 0.05\n(band: 0.03 to 0.07)")
    label_panel(bars, "b", "false positives")
