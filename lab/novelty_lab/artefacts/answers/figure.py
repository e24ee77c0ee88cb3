"""False findings of scans, relations that are found, and the scale of bits."""

from __future__ import annotations

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
    left.barh(range(len(scans)), [row["rate"] for row in scans.values()], color=BLUE)
    left.axvline(0.05, color=GREEN)
    list_down(left, list(scans))
    left.set(xlabel="share of tables with a finding (line: 0.05)")
    label_panel(left, "a", "false findings")
    middle.plot([row["rate"] for row in power.values()], range(len(power)), "o", color=BLUE)
    middle.axvline(PROMISED, color=GREEN)
    list_down(middle, list(power))
    middle.set(xlabel="share found (line: 0.9)", xlim=(0, 1.02))
    label_panel(middle, "b", "relations of the named share")
    for name, bits in scale["bits"].items():
        right.plot(scale["sizes"], bits, "o-", label=name)
    right.set(xscale="log", xlabel="rows", ylabel="denoised bits", ylim=(0, None))
    right.legend(fontsize=7)
    label_panel(right, "c", "scale of bits")
    return fig
