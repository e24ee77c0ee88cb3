"""Robustness of the automaton ranking: two maps of the scan, and appendix B beside ours."""

from __future__ import annotations

from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.scan_map import Cell, draw_scan
from novelty_lab.style import label_panel, new_figure
from novelty_lab.tables import in_words, table

LABELS = {
    "resolution": r"resolution $\eta$",
    "ridge_penalty": r"ridge $\lambda$",
    "window": r"window $\tau$",
    "depth": "depth",
    "kernel_size": "kernel size",
    "channels": "channels",
    "samples": "samples $N$",
    "linear_last": "last layer linear",
}
COLUMNS = {
    "setting": "{setting}",
    "value": "{value:g}",
    "margin of 110, bits": "{margin:.1f}",
    "first": "{first}",
    "ranks 30 / 54": "{rank_30} / {rank_54}",
    "Spearman": "{spearman:.3f}",
}


def tables(record: Record) -> list[Table]:
    """List the whole scan, and the claims of appendix B beside ours."""
    cells = record.results["cells"].values()
    rows = [{**cell, "setting": in_words(cell["axis"])} for cell in cells]
    return [table("The scan, one draw each", COLUMNS, rows)]


def figure(record: Record) -> Figure:
    """Draw both maps, columns aligned by the step from the reference."""
    cells = list(record.results["cells"].values())
    fig = new_figure(8.2, 0.85 * len({cell["axis"] for cell in cells}) + 1.6)
    lead, order = fig.subplots(2, 1)
    label_panel(lead, "a", "margin of rule 110 over the best other rule (bits)")
    label_panel(order, "b", "ranks of rules 30 / 54")
    look = {"outline": 1.6, "dark": 1.4, "fontsize": 6.5, "linespacing": 1.15}
    margins = draw_scan(
        lead,
        cells,
        LABELS,
        number=lambda cell: cell["margin"],
        text=_margin_text,
        limits=(-30.0, 30.0),
        **look,
    )
    ranks = draw_scan(
        order,
        cells,
        LABELS,
        number=lambda cell: cell["rank_30"] - cell["rank_54"],
        text="{0[rank_30]} / {0[rank_54]}".format,
        limits=(-15.0, 15.0),
        **look,
    )
    for axes, scale, label in (
        (lead, margins, "margin (bits); blue: rule 110 first"),
        (order, ranks, "rank difference; blue: 54 above 30"),
    ):
        axes.set_xlabel("steps from the reference value (each cell: value, then what it shows)")
        fig.colorbar(scale, ax=axes, label=label, shrink=0.8, pad=0.01)
    return fig


def _margin_text(cell: Cell) -> str:
    text = f"{cell['margin']:.1f}"
    return text if cell["rank_110"] == 1 else f"{text}\nrank {cell['rank_110']}"
