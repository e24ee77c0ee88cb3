"""Model bits and structure by case of each finding, and the automata beside a trained network."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, new_figure
from novelty_lab.tables import table

COLORS = {"frozen": GREY, "growing": BLUE}
TITLES = {
    "rules": "rules (published: 54 > 15 > 30)",
    "hidden bits": "hard induction: bits hidden",
    "hidden symbols": "easy induction: symbols hidden",
    "time": "steps of rule 30",
}


def tables(record: Record) -> list[Table]:
    """List in how many seeds every ordering holds, and the correlations."""
    columns = {
        "finding": "{finding}",
        "observer": "{observer}",
        "measure": "{measure}",
        "holds in": "{holds} of {seeds} seeds",
        "p": "{p:.2g}",
        "mean bits": lambda row: ", ".join(
            f"{case}: {bits:.3g}" for case, bits in row["means"].items()
        ),
    }
    found = [
        {"measure": key, "rho": value}
        for key, value in record.results["correlations"].items()
        if key != "rules"
    ]
    return [
        table("Published orderings", columns, record.results["orders"]),
        table(
            "Automata: rank correlation with the structure of a trained network",
            {"measure": "{measure}", "Spearman": "{rho:.2f}"},
            found,
        ),
    ]


def figure(record: Record) -> Figure:
    """Draw both measures of every case."""
    fig = new_figure(10.0, 5.2)
    grid = fig.subplots(2, 4)
    for row, key in enumerate(("model", "structure")):
        for column, finding in enumerate(TITLES):
            axes = grid[row, column]
            _cases(axes, record.results["rows"], finding, key)
            label_panel(axes, "abcdefgh"[4 * row + column], TITLES[finding])
    return fig


def _cases(axes: Axes, rows: list[dict[str, Any]], finding: str, key: str) -> None:
    for observer, color in COLORS.items():
        own = [row for row in rows if (row["finding"], row["observer"]) == (finding, observer)]
        cases = list(dict.fromkeys(row["case"] for row in own))
        values = [[row[key] for row in own if row["case"] == case] for case in cases]
        axes.errorbar(
            range(len(cases)),
            [np.mean(one) for one in values],
            yerr=[np.std(one) for one in values],
            fmt="o-",
            color=color,
            label=observer,
        )
        axes.set_xticks(range(len(cases)), cases)
    axes.set_ylabel(f"{key} (bits)")
    axes.legend(frameon=False, fontsize=7)
