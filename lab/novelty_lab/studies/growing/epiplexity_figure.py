"""The automata beside a trained network."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, new_figure
from novelty_lab.tables import table


def tables(record: Record) -> list[Table]:
    """List the correlations."""
    columns = {
        "learner": "{learner}",
        "measure": "{measure}",
        "with the network": "{network:.2f}",
        "of one data set": "{one data set:.2f}",
        "with itself on other data": "{itself:.2f}",
    }
    title = "Automata: rank correlation with the structure of a trained network"
    return [table(title, columns, record.results["agreement"])]


def figure(record: Record) -> Figure:
    """Draw the means over data sets of both measures against the structure of the network."""
    rows = record.results["rows"]
    network = _means(rows, "network", "structure")
    fig = new_figure(8.0, 3.6)
    for axes, key, letter in zip(fig.subplots(1, 2), ("model", "structure"), "ab", strict=True):
        for learner, color in (("frozen", GREY), ("growing", BLUE)):
            own = _means(rows, learner, key)
            at = [network[rule] for rule in own]
            axes.plot(at, list(own.values()), "o", ms=3, color=color, label=learner)
        axes.set(xlabel="network: structure (bits)", ylabel=f"{key} (bits)")
        label_panel(axes, letter, f"{len(network)} automata: {key}")
    fig.axes[0].legend()
    return fig


def _means(rows: list[dict[str, Any]], learner: str, key: str) -> dict[str, float]:
    own: dict[str, list[float]] = {}
    for row in rows:
        if row["learner"] == learner:
            own.setdefault(row["rule"], []).append(row[key])
    return {rule: float(np.mean(values)) for rule, values in own.items()}
