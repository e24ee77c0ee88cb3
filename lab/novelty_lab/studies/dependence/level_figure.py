"""The level of the test of independence, cell by cell, and its power given a third variable."""

from __future__ import annotations

from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREEN, list_down, new_figure
from novelty_lab.tables import named, table


def tables(record: Record) -> list[Table]:
    """List level and power of every cell."""
    columns = {"data": "{name}", "p ≤ 0.05": "{rate:.4f} ± {se:.4f}", "data sets": "{repeats}"}
    titles = {"level": "Level without dependence", "power": "Power given a third variable"}
    return [table(title, columns, named(record.results[part])) for part, title in titles.items()]


def figure(record: Record) -> Figure:
    """Draw the level with its 95% interval."""
    cells = record.results["level"]
    fig = new_figure(6.0, 1.2 + 0.22 * len(cells))
    axes = fig.subplots()
    axes.axvline(0.05, color=GREEN)
    for place, cell in enumerate(cells.values()):
        axes.errorbar(cell["rate"], place, xerr=1.96 * cell["se"], fmt="o", color=BLUE, ms=4)
    list_down(axes, list(cells))
    axes.set(xlabel="share p ≤ 0.05, 95% (line: 0.05)", xlim=(0, None))
    return fig
