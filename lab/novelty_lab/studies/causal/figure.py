"""F1 against time of each search."""

from __future__ import annotations

from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREEN, ORANGE, RED, label_panel, new_figure
from novelty_lab.tables import named, table

COLOURS = {"novelty": BLUE, "kci": ORANGE, "cmiknn": ORANGE, "rcit": GREEN}


def tables(record: Record) -> list[Table]:
    """List F1 and time of every search."""
    columns = {
        "algorithm, test, graph": "{name}",
        "F1": "{f1:.2f} ± {error:.2f}",
        "seconds": "{seconds:.1f}",
        "graphs": "{sets}",
    }
    return [table("Causal discovery", columns, named(record.results["searches"]))]


def figure(record: Record) -> Figure:
    """Draw F1 over time, a point for each cell."""
    fig = new_figure(8.0, 3.2)
    axes = fig.subplots(1, 2)
    for ax, letter, algorithm in zip(axes, "ab", ("PC", "PCMCI"), strict=True):
        said = set()
        for name, row in record.results["searches"].items():
            own, test, _ = name.split(", ", 2)
            if own == algorithm:
                label = None if test in said else test
                said.add(test)
                colour = COLOURS.get(test, RED)
                ax.errorbar(
                    row["seconds"], row["f1"], row["error"], fmt="o", color=colour, label=label
                )
        ax.set(xscale="log", xlabel="seconds of a search", ylabel="F1", ylim=(0, 1))
        ax.legend(fontsize=7)
        label_panel(ax, letter, algorithm)
    return fig
