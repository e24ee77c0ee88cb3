"""The ridge readout against the exact minimizer, with both automaton observers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import (
    CLASS_COLOURS,
    CLASS_NAMES,
    RED,
    draw_equal_line,
    label_panel,
    name_equal_line,
    new_figure,
)

# Rules that the appendix names, and where their labels stand clear of other points.
NAMED = {"110": (-8, 2), "25": (8, -8), "54": (-8, 4), "41": (8, -9)}


def _change(change: dict[str, Any]) -> str:
    return f"rule {change['rule']}: {change['from']} to {change['to']}"


# What is compared, and how it reads for one observer.
QUANTITIES: dict[str, Callable[[dict[str, Any]], str]] = {
    "Spearman correlation": "{0[spearman]:.3f}".format,
    "exact not below ridge": "{0[pairs_exact_not_below]} of {0[pairs]}".format,
    "largest ratio exact / ridge": "{0[largest_ratio]:.2f}".format,
    "same top fourteen": lambda r: "yes" if r["same_top_fourteen"] else "no",
    "margin of 110, ridge (bits)": "{0[margin_ridge]:.1f}".format,
    "margin of 110, exact (bits)": "{0[margin_exact]:.1f}".format,
    "rank of rule 41, ridge then exact": "{0[rank_41][0]}, {0[rank_41][1]}".format,
    "largest rank change": lambda r: _change(r["largest_rank_change"]),
    "rescaled starts differ by (bits)": "{0[largest_restart_difference_bits]:.2g}".format,
    "last sweep moves the readout by": "{0[worst_stationarity]:.1e}".format,
}


def tables(record: Record) -> list[Table]:
    """List what each observer gives, and the claims of appendix D beside ours."""
    observers = _observers(record)
    rows = [
        [quantity, *(text(result) for result in observers.values())]
        for quantity, text in QUANTITIES.items()
    ]
    return [Table("Ridge against exact", ["quantity", *observers], rows)]


def figure(record: Record) -> Figure:
    """Draw exact against ridge bits per rule, one panel per observer."""
    names = _observers(record)
    fig = new_figure(4.2 * len(names), 4.0)
    panels = fig.subplots(1, len(names), squeeze=False)[0]
    for letter, axes, (name, result) in zip("abcd", panels, names.items(), strict=False):
        _draw(axes, result, record.results["wolfram_class"])
        label_panel(axes, letter, f"observer of {name}" if "table" in name else f"{name} observer")
    present = sorted(set(record.results["wolfram_class"].values()))
    handles = [
        panels[0].plot([], [], "o", color=CLASS_COLOURS[c], label=f"class {CLASS_NAMES[c]}")[0]
        for c in present
    ]
    panels[0].legend(handles=handles, loc="upper left")
    return fig


def _draw(axes: Axes, result: dict[str, Any], classes: dict[str, int]) -> None:
    ridge, exact = result["ridge"], result["exact"]
    for rule in ridge:
        errors = {"xerr": result["ridge_sd"][rule], "yerr": result["exact_sd"][rule]}
        look = {"fmt": "o", "markersize": 3.5, "elinewidth": 0.7}
        axes.errorbar(
            ridge[rule], exact[rule], color=CLASS_COLOURS[classes[rule]], **errors, **look
        )
    top = max(ridge.values()) * 1.08
    draw_equal_line(axes, top)
    name_equal_line(axes, 0.62 * top, (8, -4))
    for rule, (x, y) in NAMED.items():
        axes.annotate(
            f"rule {rule}",
            (ridge[rule], exact[rule]),
            xytext=(x, y),
            textcoords="offset points",
            ha="left" if x > 0 else "right",
            fontsize=7.5,
            color=RED if rule == "41" else "black",
        )
    axes.set(
        xlabel=r"ridge readout $S^\phi$ (bits)",
        ylabel=r"exact minimizer $S^\phi_{\mathrm{MDL}}$ (bits)",
    )


def _observers(record: Record) -> dict[str, dict[str, Any]]:
    return {name: record.results[name] for name in record.configuration["observers"]}
