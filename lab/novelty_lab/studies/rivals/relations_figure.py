"""Ours against the forest's, the order of every measure, and its time."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, new_figure
from novelty_lab.tables import table

FOREST, SHARE = "forest, held-out R2", "held-out variance"
OURS = (SHARE, "denoised bits", "excess bits")
ORDER_COLUMNS = {
    "measure": "{measure}",
    "Spearman with the forest": "{spearman:.2f}",
    "largest of 30 shuffled": "{largest shuffled:.2f}",
    "real ones below it": "{below it}",
    "seconds": "{seconds:.3f}",
}


def tables(record: Record) -> list[Table]:
    """List the measures, and the relations."""
    orders = [{"measure": name, **row} for name, row in record.results["orders"].items()]
    columns: dict[str, Any] = {"relation": "{relation}", "rows": "{rows}"}
    for name in dict.fromkeys((SHARE, "p-value", *record.results["orders"])):
        columns[name] = lambda row, name=name: f"{row['real'][name]['value']:.2g}"
    rows = sorted(record.results["rows"], key=lambda row: -row["real"][FOREST]["value"])
    return [
        table("Measures on real relations", ORDER_COLUMNS, orders),
        table("Relations", columns, rows),
    ]


def figure(record: Record) -> Figure:
    """Draw shares against the forest's, and bars of order and time."""
    fig = new_figure(9.6, 3.6)
    against, order, seconds = fig.subplots(1, 3, width_ratios=[1.15, 1.0, 0.8])
    _against(against, record.results["rows"])
    label_panel(against, "a", "variance explained of rows not seen")
    orders = record.results["orders"]
    names = sorted((name for name in orders if name != FOREST), key=lambda n: orders[n]["spearman"])
    _bars(order, orders, names, "spearman")
    order.set_xlabel("Spearman with the forest")
    label_panel(order, "b", "order of the relations")
    _bars(seconds, orders, names, "seconds")
    seconds.set(xscale="log", xlabel="seconds a relation", yticks=[])
    label_panel(seconds, "c", "time")
    return fig


def _against(axes: Axes, rows: list[dict[str, Any]]) -> None:
    x, y = (np.array([row["real"][name]["value"] for row in rows]) for name in (FOREST, SHARE))
    axes.axline((0, 0), slope=1, color=GREY, linewidth=0.8)
    axes.scatter(x, y, s=16, color=BLUE, linewidth=0, alpha=0.8)
    axes.set_xlabel("random forest, R2")
    axes.set_ylabel("held-out variance, ours")
    # The forest may do worse than the mean; ours is cut at 0.
    axes.set_ylim(-0.05, 1.05)


def _bars(axes: Axes, orders: dict[str, Any], names: list[str], key: str) -> None:
    values = [orders[name][key] for name in names]
    colors = [BLUE if name in OURS else GREY for name in names]
    bars = axes.barh(range(len(names)), values, 0.7, color=colors)
    axes.set_yticks(range(len(names)), names)
    axes.bar_label(bars, fmt="{:.2g}", padding=2, fontsize=7.5)
    axes.margins(x=0.15)
