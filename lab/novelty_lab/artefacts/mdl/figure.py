"""The ridge readout against the exact minimizer, with both automaton observers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import CLASS_COLOURS, CLASS_NAMES, RED, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Rules that the appendix names, and where their labels stand clear of other points.
NAMED = {"110": (-8, 2), "25": (8, -8), "54": (-8, 4), "41": (8, -9)}


def _change(change: dict[str, Any]) -> str:
    return f"rule {change['rule']}: {change['from']} to {change['to']}"


# What is compared, what the paper says of it, and how our result reads.
QUANTITIES: list[tuple[str, str, Callable[[dict[str, Any]], str]]] = [
    ("Spearman correlation", "0.997", lambda r: f"{r['spearman']:.3f}"),
    (
        "exact not below ridge",
        "880 of 880",
        lambda r: f"{r['pairs_exact_not_below']} of {r['pairs']}",
    ),
    ("largest ratio exact / ridge", "2.3", lambda r: f"{r['largest_ratio']:.2f}"),
    ("same top fourteen", "yes", lambda r: "yes" if r["same_top_fourteen"] else "no"),
    ("margin of 110, ridge (bits)", "24.7", lambda r: f"{r['margin_ridge']:.1f}"),
    ("margin of 110, exact (bits)", "38.7", lambda r: f"{r['margin_exact']:.1f}"),
    ("rank of rule 41, ridge then exact", "2, 13", lambda r: "{}, {}".format(*r["rank_41"])),
    ("largest rank change", "rule 41", lambda r: _change(r["largest_rank_change"])),
    (
        "rescaled starts differ by (bits)",
        "unchanged",
        lambda r: f"{r['largest_restart_difference_bits']:.2g}",
    ),
    ("last sweep moves the readout by", "", lambda r: f"{r['worst_stationarity']:.1e}"),
]


def tables(record: Record) -> list[Table]:
    """List the claims of appendix D beside what each observer gives."""
    names = _observers(record)
    rows = [
        [quantity, paper, *(ours(result) for result in names.values())]
        for quantity, paper, ours in QUANTITIES
    ]
    return [Table("Appendix D beside ours", ["quantity", "paper", *names], rows)]


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
        axes.errorbar(
            ridge[rule],
            exact[rule],
            xerr=result["ridge_sd"][rule],
            yerr=result["exact_sd"][rule],
            fmt="o",
            markersize=3.5,
            color=CLASS_COLOURS[classes[rule]],
            elinewidth=0.7,
        )
    top = max(ridge.values()) * 1.08
    axes.plot([0, top], [0, top], color="0.5", linestyle="--", linewidth=1)
    axes.annotate(
        "equal",
        (0.62 * top, 0.62 * top),
        xytext=(8, -4),
        textcoords="offset points",
        fontsize=7,
        color="0.4",
        va="top",
    )
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
