"""Power over the size of the sample in a grid, and tables of power, level and time."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREEN, GREY, ORANGE, new_figure
from novelty_lab.tables import named, table

INDEPENDENT = "multimodal_independence"
LOOKS = {"ours": BLUE, "MGC": ORANGE, "Hsic": GREEN, "Dcorr": GREY}
LABELS = {"Hsic": "HSIC", "Dcorr": "distance corr."}
"""Names of hyppo's classes that are not those of the tests."""


def tables(record: Record) -> list[Table]:
    """List power, level and time."""
    results = record.results
    tests = [test for test in LOOKS if test in results["seconds"]]
    columns = {"simulation": "{name}", **{test: f"{{{test}:.2f}}" for test in tests}}
    share = {"data": "{name}", "p ≤ 0.05": "{rate:.3f} ± {se:.3f}", "data sets": "{repeats}"}
    times = [
        {"name": f"{row['n']:,} rows", **{t: results["seconds"][t][i]["seconds"] for t in tests}}
        for i, row in enumerate(results["seconds"]["ours"])
    ]
    seconds = {"size": "{name}", **{test: f"{{{test}:.3g}}" for test in tests}}
    last = {name: curve[-1:] for name, curve in results["size"].items()}
    dimension = "Power over dimension, mean of its curve"
    return [
        table("Power with the largest sample, one column", columns, _rows(last, tests)),
        table(dimension, columns, _rows(results["dimension"], tests)),
        table("Level without dependence", share, named(results["level"])),
        table("CPU seconds of a test with all permutations", seconds, times),
    ]


def _rows(power: dict[str, Any], tests: list[str]) -> list[dict[str, Any]]:
    """Return the mean of each curve, and the mean over the simulations with dependence."""
    rows = {
        name: {test: float(np.mean([one[test] for one in curve])) for test in tests}
        for name, curve in power.items()
    }
    dependent = [row for name, row in rows.items() if name != INDEPENDENT]
    mean = {test: float(np.mean([row[test] for row in dependent])) for test in tests}
    shown = [{"name": name.replace("_", " "), **row} for name, row in rows.items()]
    return [*shown, {"name": "mean of the dependent ones", **mean}]


def figure(record: Record) -> Figure:
    """Draw power over the size of the sample, one panel for each simulation."""
    return _grid(record.results["size"], "n", "rows")


def extra_figures(record: Record) -> list[tuple[str, Figure]]:
    """Draw power over dimension in the same way."""
    return [("dimension", _grid(record.results["dimension"], "p", "columns"))]


def _grid(power: dict[str, list[dict[str, Any]]], axis: str, label: str) -> Figure:
    rows = -(-len(power) // 5)
    fig = new_figure(10.0, 1.0 + 1.75 * rows)
    panels = fig.subplots(rows, 5, squeeze=False, sharey=True)
    for panel, (name, curve) in zip(panels.ravel(), power.items(), strict=False):
        at = [entry[axis] for entry in curve]
        for test in [test for test in LOOKS if test in curve[0]]:
            look = {"color": LOOKS[test], "label": LABELS.get(test, test)}
            line = ".-" if test == "ours" else ".--"
            panel.plot(at, [entry[test] for entry in curve], line, **look)
        panel.axhline(0.05, color="0.8", linewidth=0.8, zorder=0)
        panel.set(title=name.replace("_", " "), ylim=(-0.03, 1.03), xlabel=label)
    for panel in panels.ravel()[len(power) :]:
        panel.set_axis_off()
    for panel in panels[:, 0]:
        panel.set_ylabel("share p ≤ 0.05")
    panels[0, 0].legend(fontsize=6.5)
    return fig
