"""Level and power of every test, and coverage of every interval."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREEN, ORANGE, label_panel, list_down, new_figure
from novelty_lab.tables import named, table

BAND = (0.03, 0.07)
COVERED = (0.93, 0.97)


def tables(record: Record) -> list[Table]:
    """List what tests say and what intervals cover, with the number of data sets."""

    def share(name: str) -> Any:
        return lambda row: "" if row[name] is None else f"{row[name]:.2f}"

    tests = {
        "data": "{name}",
        "p ≤ 0.05": "{rate:.2f}",
        "any dependence": share("dependence"),
        "a bend": share("bend"),
        "a direction kept": "{kept:.2f}",
        "no p-value": "{refused:.2f}",
        "caution": "{cautioned:.2f}",
        "data sets": "{sets}",
    }
    coverage = {
        "noise, signal": "{name}",
        "covered": "{covered:.2f}",
        "interval above": "{too_high:.3f}",
        "mean share": "{share:.3f}",
        "population": "{population:.3f}",
        "mean width": "{width:.3f}",
        "data sets": "{sets}",
    }
    differences = {
        "a third input": "{name}",
        "p ≤ 0.05": "{rate:.3f}",
        "mean gain": "{gain:.4f}",
        "mean difference": "{difference:.4f}",
        "data sets": "{sets}",
    }
    scans = {
        "table": "{name}",
        "with a finding": "{rate:.3f}",
        "columns found": "{columns:.2f} of 8",
        "data sets": "{sets}",
    }
    found = record.results
    return [
        table("What the tests say", tests, named(found["tests"])),
        table("What 95% intervals of held-out variance cover", coverage, named(found["coverage"])),
        table("Two scores compared", differences, named(found["differences"])),
        table("Scans of tables without a relation", scans, named(found["scans"])),
    ]


def figure(record: Record) -> Figure:
    """Draw rates of p <= 0.05, kept directions, and coverage."""
    tests, coverage = record.results["tests"], record.results["coverage"]
    fig = new_figure(10.0, 1.5 + 0.16 * max(len(tests), len(coverage)))
    left, right = fig.subplots(1, 2)
    left.barh(range(len(tests)), [row["rate"] for row in tests.values()], color=BLUE)
    kept = [row["kept"] for row in tests.values()]
    left.plot(kept, range(len(tests)), "o", color=ORANGE, markersize=3, label="a direction kept")
    left.axvspan(*BAND, color=GREEN, alpha=0.2, linewidth=0, zorder=0)
    list_down(left, list(tests))
    left.set(xlabel="share with p ≤ 0.05 (band: 0.03 to 0.07)")
    left.legend(fontsize=6.5, loc="lower right")
    label_panel(left, "a", "level and power")
    right.plot([row["covered"] for row in coverage.values()], range(len(coverage)), "o", color=BLUE)
    right.axvspan(*COVERED, color=GREEN, alpha=0.2, linewidth=0, zorder=0)
    list_down(right, list(coverage))
    right.set(xlabel="share of intervals that cover (band: 0.93 to 0.97)")
    label_panel(right, "b", "held-out interval")
    return fig
