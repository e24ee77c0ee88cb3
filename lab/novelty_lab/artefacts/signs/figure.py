"""Whether random signs keep the level of the test, and give the floor of permuted residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novelty_lab.artefacts.calibration.figure import draw_false_positives, rate_table
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, ORANGE, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables(record: Record) -> list[Table]:
    """List false-positive rates and floors."""
    floors = [
        [
            name,
            f"{r['bits']:.2f}",
            f"{r['signs']:.2f} ± {r['signs_sd']:.2f}",
            f"{r['permuted']:.2f} ± {r['permuted_sd']:.2f}",
            f"{r['difference_in_bits']:.0e}",
        ]
        for name, r in record.results["floors"].items()
    ]
    columns = ["data", "bits", "floor by signs", "floor by permutation", "bits: |chunks - memory|"]
    return [rate_table(record), Table("Floors, bits at the fixed ridge", columns, floors)]


def figure(record: Record) -> Figure:
    """Draw the p-values, the rates, and the floors."""
    fig = new_figure(10.0, 3.6)
    spread, bars, floors = fig.subplots(1, 3)
    draw_false_positives(spread, bars, record.results["false_positives"])
    held = record.results["floors"]
    places = range(len(held))
    for name, colour, shift, label in (
        ("signs", BLUE, -0.12, "signs of blocks"),
        ("permuted", ORANGE, 0.12, "permuted residuals"),
    ):
        floors.errorbar(
            [r[name] for r in held.values()],
            [place + shift for place in places],
            xerr=[1.96 * r[f"{name}_sd"] for r in held.values()],
            fmt="o",
            color=colour,
            markersize=4,
            elinewidth=1,
            label=label,
        )
    bits = [r["bits"] for r in held.values()]
    floors.plot(bits, places, "|", color=GREY, markersize=12, label="score")
    floors.set_yticks(places, list(held))
    floors.invert_yaxis()
    floors.set(xlabel="bits (floor: mean and 95% range)")
    floors.legend(fontsize=6.5, loc="lower right")
    label_panel(floors, "c", "two floors")
    return fig
