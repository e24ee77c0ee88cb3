"""The ranking of the elementary automata: bars by Wolfram class, with space-time diagrams."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.paper.fig2_automata.claims import SHOWN
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import CLASS_COLOURS, CLASS_NAMES, label_panel, new_figure
from novelty_lab.tables import gathered, table

COLUMNS = {
    "rank": "{rank}",
    "rule": "{name}",
    "Wolfram class": "{shown_class}",
    "bits": "{bits:.2f}",
    "sd": "{sd:.2f}",
    "denoised": "{denoised:.1f}",
    "directions": "{directions:.1f}",
    "by denoised": "{rank_by_denoised}",
    "floor": "{floor:.1f}",
    "excess": "{excess:.1f}",
    "by excess": "{rank_by_excess}",
}


def tables(record: Record) -> list[Table]:
    """List all rules by rank, and what the paper says about them."""
    scores, results = record.scores or {}, record.results
    rows = gathered(results["ranking"], {**results, "bits": scores})
    for rank, row in enumerate(rows, start=1):
        row |= {"rank": rank, "shown_class": CLASS_NAMES[row["wolfram_class"]]}
    title = f"The {len(rows)} elementary automata by learnable novelty"
    return [table(title, COLUMNS, rows)]


def figure(record: Record) -> Figure:
    """Draw the top rules and the reference rules, as figure 2."""
    scores, results = record.scores or {}, record.results
    order = results["ranking"]
    insets = sorted(
        (name.removeprefix("inset_") for name in record.arrays if name.startswith("inset_")),
        key=order.index,
    )
    shown = [*order[:SHOWN], *(rule for rule in insets if rule not in order[:SHOWN])]
    fig = new_figure(8.0, 5.2)
    grid = fig.add_gridspec(2, len(insets), height_ratios=[1.0, 1.9])
    bars = fig.add_subplot(grid[1, :])
    classes = [results["wolfram_class"][rule] for rule in shown]
    bars.bar(
        range(len(shown)),
        [scores[rule] for rule in shown],
        yerr=[results["sd"][rule] for rule in shown],
        color=[CLASS_COLOURS[c] for c in classes],
        error_kw={"elinewidth": 1.0, "capsize": 2.0},
    )
    denoised = [results["denoised"][rule] for rule in shown]
    places = np.arange(len(shown))
    line = bars.hlines(denoised, places - 0.4, places + 0.4, color="black", linewidth=2.0)
    bars.set_xticks(places, shown)
    bars.set_xlabel(f"rule: the first {SHOWN} of {len(order)}, and the reference rules below them")
    bars.set_ylabel("bits")
    bars.axvline(SHOWN - 0.5, color="0.6", linewidth=0.8, linestyle=":")
    present = sorted(set(classes))
    handles = [bars.bar(0, 0, color=CLASS_COLOURS[c]) for c in present]
    labels = [f"class {CLASS_NAMES[c]}" for c in present]
    marks = [*labels, "denoised bits: without what noise makes"]
    # Left of the line, above the bars behind the first.
    look = {"loc": "upper right", "bbox_to_anchor": (SHOWN - 0.6, 1.0), "ncols": 2}
    bars.legend([*handles, line], marks, bbox_transform=bars.get_xaxis_transform(), **look)
    label_panel(bars, "b", "raw bits of the first rules (bars, ± sd over draws)")
    for column, rule in enumerate(insets):
        axes = fig.add_subplot(grid[0, column])
        axes.imshow(record.arrays[f"inset_{rule}"], cmap="gray_r", interpolation="nearest")
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(True)
        colour = CLASS_COLOURS[results["wolfram_class"][rule]]
        axes.spines[:].set(color=colour, linewidth=2.0)
        below = f"denoised {results['denoised'][rule]:.1f}\nraw {scores[rule]:.1f}"
        axes.set_xlabel(below, fontsize=8)
        label_panel(axes, "a" if column == 0 else "", f"rule {rule}")
        if column == 0:
            axes.set_ylabel("time ↓")
    return fig
