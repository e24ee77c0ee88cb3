"""Level and power of every null, and coverage of the held-out interval."""

from __future__ import annotations

from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREEN, ORANGE, label_panel, list_down, new_figure
from novelty_lab.tables import named, table

BAND = (0.03, 0.07)
COVERED = (0.93, 0.97)


def tables(record: Record) -> list[Table]:
    """List what the tests say, and what the intervals cover."""
    tests = {
        "null: data": "{name}",
        "p ≤ 0.05": "{rate:.3f} ± {se:.3f}",
        "by signs": lambda row: "" if row["mean_rate"] is None else f"{row['mean_rate']:.3f}",
        "caution": "{cautioned:.2f}",
        "no p-value": "{refused:.2f}",
        "data sets": "{repeats}",
    }
    coverage = {
        "data": "{name}",
        "covered": "{covered:.3f}",
        "interval above": "{too_high:.3f}",
        "below": "{too_low:.3f}",
        "mean share": "{share:.3f}",
        "population": "{population:.3f}",
        "mean width": "{width:.3f}",
        "data sets": "{repeats}",
    }
    results = record.results
    return [
        table("What the tests say", tests, named(results["tests"])),
        table(
            "What the 95% interval of the held-out variance covers",
            coverage,
            named(results["coverage"]),
        ),
    ]


def figure(record: Record) -> Figure:
    """Draw rates of p <= 0.05, and coverage."""
    tests, coverage = record.results["tests"], record.results["coverage"]
    fig = new_figure(10.0, 1.5 + 0.16 * max(len(tests), len(coverage)))
    left, right = fig.subplots(1, 2)
    rates = [row["rate"] for row in tests.values()]
    left.barh(range(len(tests)), rates, color=BLUE)
    refused = [row["refused"] for row in tests.values()]
    left.barh(range(len(tests)), refused, color=ORANGE, height=0.3, label="no p-value")
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
