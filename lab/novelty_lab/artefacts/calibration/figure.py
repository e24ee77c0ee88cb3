"""Whether the test keeps its level, and whether noise stays at its floor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOW, LEVEL, HIGH = 0.03, 0.05, 0.07


def tables(record: Record) -> list[Table]:
    """List false-positive rates and the excess of noise."""
    noise = [
        [
            name,
            f"{r['mean_excess']:+.3f}",
            f"{r['sd_excess']:.3f}",
            f"{r['largest_excess']:.3f}",
            f"{r['covered']:.2f}",
            str(r["repeats"]),
        ]
        for name, r in record.results["noise"].items()
    ]
    found = [
        [name, f"{r['p_value']:.2f}", f"{r['excess_bits']:.2f} ± {r['excess_se']:.2f}"]
        for name, r in record.results["controls"].items()
    ]
    return [
        Table("Structure, which must be found", ["data", "p-value", "excess, bits"], found),
        rate_table(record),
        Table(
            "Excess bits of noise, default observers",
            ["data", "mean", "sd", "largest", "interval covers 0", "data sets"],
            noise,
        ),
    ]


def rate_table(record: Record) -> Table:
    """List false-positive rates."""
    rates = [
        [kind, f"{r['rate']:.3f} ± {r['se']:.3f}", str(r["repeats"])]
        for kind, r in record.results["false_positives"].items()
    ]
    return Table("False positives at p <= 0.05", ["null data", "rate", "data sets"], rates)


def figure(record: Record) -> Figure:
    """Draw the distribution of p-values, the rates, and the excess of noise."""
    rates, noise = record.results["false_positives"], record.results["noise"]
    fig = new_figure(10.0, 3.6)
    spread, bars, excess = fig.subplots(1, 3)
    draw_false_positives(spread, bars, rates)
    names = list(noise)
    excess.errorbar(
        [noise[n]["mean_excess"] for n in names],
        range(len(names)),
        xerr=[1.96 * noise[n]["sd_excess"] for n in names],
        fmt="o",
        color=BLUE,
        markersize=4,
        elinewidth=1,
    )
    excess.axvline(0, color=GREY, linewidth=0.8)
    excess.set_yticks(range(len(names)), names)
    excess.locator_params(axis="x", nbins=4)
    excess.set(xlabel="excess (bits):\nmean and 95% range")
    excess.invert_yaxis()
    label_panel(excess, "c", "noise above its floor")
    return fig


def draw_false_positives(spread: Any, bars: Any, rates: dict[str, Any]) -> None:
    """Draw the distribution of p-values, and the shares at or below the level."""
    colours = iter((BLUE, ORANGE, GREEN, PURPLE, RED))
    for kind, held in rates.items():
        values = np.sort(held["p_values"])
        share = np.arange(1, values.size + 1) / values.size
        style = ":" if "permuted" in kind else "-"
        colour = next(colours)
        spread.plot(values, share, style, color=colour, linewidth=1.2, label=kind)
    spread.plot([0, 1], [0, 1], color="0.5", linewidth=0.8, linestyle="--")
    spread.set(xlabel="p-value", ylabel="share of null data sets at or below")
    spread.legend(fontsize=6.5, loc="lower right")
    label_panel(spread, "a", "p-values under the null")
    places = range(len(rates))
    fills = [RED if "permuted" in kind else BLUE for kind in rates]
    bars.barh(
        places,
        [r["rate"] for r in rates.values()],
        color=fills,
        xerr=[1.96 * r["se"] for r in rates.values()],
        error_kw={"elinewidth": 0.8},
    )
    bars.axvspan(LOW, HIGH, color=GREEN, alpha=0.2, linewidth=0, zorder=0)
    bars.axvline(LEVEL, color="0.3", linewidth=0.8, linestyle="--")
    bars.set_yticks(places, [kind.replace(", ", ",\n") for kind in rates])
    if max(r["rate"] for r in rates.values()) > 4 * HIGH:
        bars.set_xscale("log")
    bars.set(xlabel="share with p ≤ 0.05\n(band: 0.03 to 0.07)")
    bars.invert_yaxis()
    label_panel(bars, "b", "false positives")
