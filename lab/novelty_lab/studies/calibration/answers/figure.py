"""False findings of scans, relations that are found, and the scale of bits."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREEN, label_panel, list_down, new_figure
from novelty_lab.tables import named, table

PROMISED = 0.9


def tables(record: Record) -> list[Table]:
    """List false findings, power, and bits."""
    scans = {
        "independent columns": "{name}",
        "tables with a finding": "{rate:.3f} ± {se:.3f}",
        "p ≤ 0.05": "{p_at_5:.3f}",
        "most findings": "{most:.0f}",
        "tables": "{repeats}",
    }
    power = {
        "relation": "{name}",
        "named share": "{share:.2f}",
        "found": "{rate:.3f} ± {se:.3f}",
        "data sets": "{repeats}",
    }
    scale = record.results["references"]
    bits = [
        {"n": n, **{name: values[place] for name, values in scale["bits"].items()}}
        for place, n in enumerate(scale["sizes"])
    ]
    columns = {"n": "{n}", **{name: f"{{{name}:.2f}}" for name in scale["bits"]}}
    return [
        table("Scans of independent columns", scans, named(record.results["scans"])),
        table("Relations of the named share", power, named(record.results["power"])),
        table("Denoised bits of known relations with 10% noise", columns, bits),
    ]


def figure(record: Record) -> Figure:
    """Draw the three."""
    scans, power, scale = (record.results[name] for name in ("scans", "power", "references"))
    fig = new_figure(12.0, 1.5 + 0.16 * max(len(scans), len(power)))
    left, middle, right = fig.subplots(1, 3)
    left.axvline(0.05, color=GREEN)
    _points(left, scans)
    list_down(left, list(scans))
    left.set(xlabel="share of tables with a finding, 95% (line: 0.05)", xlim=(0, None))
    label_panel(left, "a", "false findings")
    middle.axvline(PROMISED, color=GREEN)
    _points(middle, power)
    list_down(middle, list(power))
    middle.set(xlabel="share found, 95% (line: 0.9)", xlim=(0.5, 1.02))
    label_panel(middle, "b", "relations of the named share")
    for name, bits in scale["bits"].items():
        right.plot(scale["sizes"], bits, "o-", label=name)
    right.set(xscale="log", xlabel="rows", ylabel="denoised bits", ylim=(0, None))
    right.legend(fontsize=7)
    label_panel(right, "c", "scale of bits")
    return fig


def _points(axes: Axes, rows: dict[str, Any]) -> None:
    """Draw rates with intervals of two standard errors, one below the other."""
    rates, errors = ([row[name] for row in rows.values()] for name in ("rate", "se"))
    spans = [2 * error for error in errors]
    axes.errorbar(rates, range(len(rows)), xerr=spans, fmt="o", ms=4, lw=1, color=BLUE)
