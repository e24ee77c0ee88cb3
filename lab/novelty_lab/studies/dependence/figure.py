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
    share = {"data": "{name}", "p ≤ 0.05": "{rate:.3f} ± {se:.3f}", "data sets": "{repeats}"}
    shown = [
        table(title, {"simulation": "{name}", **{test: f"{{{test}:.2f}}" for test in tests}}, rows)
        for title, rows in (
            ("Power with the largest sample, one column", _rows(results["size"], tests, last=True)),
            (
                "Power over dimension, mean of its curve",
                _rows(results["dimension"], tests, last=False),
            ),
        )
    ]
    shown.append(table("Level without dependence", share, named(results["level"])))
    shown += [
        table(f"Given a third variable: {test}", share, named(results["given"][test]))
        for test in results["given"]
    ]
    times = [
        {
            "name": f"{row['n']:,} rows",
            **{test: results["seconds"][test][i]["seconds"] for test in tests},
        }
        for i, row in enumerate(results["seconds"]["ours"])
    ]
    columns = {"size": "{name}", **{test: f"{{{test}:.3g}}" for test in tests}}
    return [*shown, table("CPU seconds of a test with all permutations", columns, times)]


def _rows(power: dict[str, Any], tests: list[str], *, last: bool) -> list[dict[str, Any]]:
    """Return one row for each simulation, and the mean over those with dependence."""
    rows = []
    for name, curve in power.items():
        chosen = curve[-1:] if last else curve
        rows.append(
            {"name": in_words(name), **{t: float(np.mean([c[t] for c in chosen])) for t in tests}}
        )
    dependent = [row for row in rows if row["name"] != in_words(INDEPENDENT)]
    mean = {test: float(np.mean([row[test] for row in dependent])) for test in tests}
    return [*rows, {"name": "mean of the dependent ones", **mean}]


def in_words(name: str) -> str:
    """Write the name of a simulation."""
    return name.replace("_", " ")


def figure(record: Record) -> Figure:
    """Draw power over the size of the sample, one panel for each simulation."""
    return _grid(record, "size", "n", "rows")


def extra_figures(record: Record) -> list[tuple[str, Figure]]:
    """Draw power over dimension in the same way."""
    return [("dimension", _grid(record, "dimension", "p", "columns"))]


def _grid(record: Record, part: str, axis: str, label: str) -> Figure:
    power = record.results[part]
    rows = -(-len(power) // 5)
    fig = new_figure(10.0, 1.0 + 1.75 * rows)
    panels = fig.subplots(rows, 5, squeeze=False, sharey=True).ravel()
    for panel, (name, curve) in zip(panels, power.items(), strict=False):
        for test, colour in LOOKS.items():
            if test in curve[0]:
                at = [entry[axis] for entry in curve]
                look = ".-" if test == "ours" else ".--"
                panel.plot(
                    at,
                    [entry[test] for entry in curve],
                    look,
                    color=colour,
                    label=LABELS.get(test, test),
                )
        panel.axhline(0.05, color="0.8", linewidth=0.8, zorder=0)
        panel.set(title=in_words(name), ylim=(-0.03, 1.03), xlabel=label)
    for panel in panels[len(power) :]:
        panel.set_axis_off()
    for row in range(rows):
        panels[5 * row].set_ylabel("share p ≤ 0.05")
    panels[0].legend(fontsize=6.5)
    return fig
