"""Whether random signs keep the level of the test, and give the floor of permuted residuals."""

from __future__ import annotations

from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.studies.calibration.calibration.figure import (
    draw_false_positives,
    draw_ranges,
    rate_table,
)
from novelty_lab.style import BLUE, FLOW_NAMES, GREY, ORANGE, label_panel, list_down, new_figure
from novelty_lab.tables import named, table


def tables(record: Record) -> list[Table]:
    """List false-positive rates and floors."""
    columns = {
        "data": lambda row: FLOW_NAMES.get(row["name"], row["name"]),
        "bits": "{bits:.2f}",
        "floor by signs": "{signs:.2f} ± {signs_sd:.2f}",
        "floor by permutation": "{permuted:.2f} ± {permuted_sd:.2f}",
        "bits: |chunks - memory|": "{difference_in_bits:.0e}",
    }
    floors = table("Floors, bits at the fixed ridge", columns, named(record.results["floors"]))
    return [rate_table(record), floors]


def figure(record: Record) -> Figure:
    """Draw the p-values, the rates, and the floors."""
    fig = new_figure(10.0, 3.6)
    spread, bars, floors = fig.subplots(1, 3)
    draw_false_positives(spread, bars, record.results["false_positives"])
    rows = record.results["floors"]
    draw_ranges(floors, rows, "signs", "signs_sd", -0.12, color=BLUE, label="signs of blocks")
    look = {"color": ORANGE, "label": "permuted residuals"}
    draw_ranges(floors, rows, "permuted", "permuted_sd", 0.12, **look)
    bits = [row["bits"] for row in rows.values()]
    floors.plot(bits, range(len(rows)), "|", color=GREY, markersize=12, label="score")
    list_down(floors, [FLOW_NAMES.get(name) or str(name) for name in rows])
    floors.set(xlabel="bits (floor: mean and 95% range)")
    floors.legend(loc="lower right")
    label_panel(floors, "c", "two floors")
    return fig
