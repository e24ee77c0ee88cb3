"""Model bits and structure by case of each finding, and the automata beside a trained network."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, ORANGE, label_panel, new_figure
from novelty_lab.tables import table

COLORS = {"frozen": GREY, "growing": BLUE, "network": ORANGE}
TITLES = {
    "rules": "rules",
    "hidden bits": "hidden bits (hard)",
    "hidden symbols": "hidden symbols (easy)",
    "time": "rule 30 in time",
}


def tables(record: Record) -> list[Table]:
    """List in how many seeds every ordering holds, and the correlations."""
    columns = {
        "finding": "{finding}",
        "learner": "{learner}",
        "measure": "{measure}",
        "holds in": "{holds} of {seeds} seeds",
        "p": "{p:.2g}",
        "mean bits": lambda row: ", ".join(
            f"{case}: {bits:,.0f}" if bits >= 100 else f"{case}: {bits:.2g}"
            for case, bits in row["means"].items()
        ),
    }
    automata = {
        "learner": "{learner}",
        "measure": "{measure}",
        "with the network": "{network:.2f}",
        "of one data set": "{one data set:.2f}",
        "with itself on other data": "{itself:.2f}",
    }
    return [
        table("Published orderings", columns, record.results["orders"]),
        table(
            "Automata: rank correlation with the structure of a trained network",
            automata,
            record.results["agreement"],
        ),
    ]


def figure(record: Record) -> Figure:
    """Draw both measures of every case, and the automata beside the network."""
    rows = record.results["rows"]
    fig = new_figure(12.0, 5.2)
    grid = fig.subplots(2, 5)
    for row, key in enumerate(("model", "structure")):
        for column, finding in enumerate(TITLES):
            axes = grid[row, column]
            _cases(axes, rows, finding, key)
            label_panel(axes, "abcdefghij"[5 * row + column], TITLES[finding])
        _automata(grid[row, 4], rows, key)
        label_panel(grid[row, 4], "abcdefghij"[5 * row + 4], "88 automata")
    grid[1, 0].legend(frameon=False, fontsize=7)
    return fig


def _cases(axes: Axes, rows: list[dict[str, Any]], finding: str, key: str) -> None:
    for learner, color in COLORS.items():
        own = [
            row
            for row in rows
            if (row["finding"], row["learner"]) == (finding, learner) and key in row
        ]
        cases = list(dict.fromkeys(row["case"] for row in own))
        values = [[row[key] for row in own if row["case"] == case] for case in cases]
        axes.errorbar(
            range(len(cases)),
            [np.mean(one) for one in values],
            yerr=[np.std(one) for one in values],
            fmt="o-",
            color=color,
            label=learner,
        )
        if cases:
            axes.set_xticks(range(len(cases)), cases)
    axes.set_ylabel(f"{key} (bits)")


def _automata(axes: Axes, rows: list[dict[str, Any]], key: str) -> None:
    """Draw the means over data sets of one measure against the structure of the network."""

    def means(learner: str, of: str) -> dict[str, float]:
        own: dict[str, list[float]] = {}
        for row in rows:
            if (row["finding"], row["learner"]) == ("automata", learner):
                own.setdefault(row["case"], []).append(row[of])
        return {case: float(np.mean(values)) for case, values in own.items()}

    network = means("network", "structure")
    for learner in ("frozen", "growing"):
        own = means(learner, key)
        axes.plot(
            [network[case] for case in own], list(own.values()), "o", ms=3, color=COLORS[learner]
        )
    axes.set_xlabel("network: structure (bits)")
    axes.set_ylabel(f"{key} (bits)")
