"""What codes of CIFAR-10 are worth, by the term that kept them from collapsing."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from novelty_lab.intervals import student
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, list_down, new_figure

MEASURES = {
    "backbone": "linear probe of the network",
    "code": "linear probe of the code",
    "neighbours": "5 neighbours of the code",
    "rank": "effective rank",
    "seconds": "seconds",
}


def tables(record: Record) -> list[Table]:
    """List the terms, and what was tried to choose their settings."""
    results, epochs = record.results, record.configuration
    rows = [
        [results["chosen"][term], *(_cell(measured[m], m) for m in MEASURES)]
        for term, measured in results["table"].items()
    ]
    tried = [
        [name.removeprefix("choose "), *(_cell({"mean": one[m], "runs": 1}, m) for m in MEASURES)]
        for name, one in results["tried"].items()
    ]
    columns = ["term, weight", *MEASURES.values()]
    after = f"test part after {epochs['epochs']} epochs, mean ± 95% interval over seeds"
    before = f"validation part after {epochs['short_epochs']} epochs, one seed"
    return [Table(after, columns, rows), Table(before, columns, tried)]


def half_interval(measured: dict[str, Any]) -> float:
    """Return half the width of the 95% interval of a mean; 0 for a single run."""
    runs = measured["runs"]
    return student(runs - 1) * measured["sd"] / runs**0.5 if runs > 1 else 0.0


def _cell(measured: dict[str, Any], measure: str) -> str:
    scale, digits = (1, 1) if measure in ("rank", "seconds") else (100, 1)
    half = scale * half_interval(measured)
    return f"{scale * measured['mean']:.{digits}f}" + (f" ± {half:.{digits}f}" if half else "")


def figure(record: Record) -> Figure:
    """Draw the three accuracies of every term."""
    table = record.results["table"]
    fig = new_figure(10, 0.9 + 0.35 * len(table))
    panels = zip(fig.subplots(1, 3, sharey=True), "abc", list(MEASURES.items())[:3], strict=True)
    for axes, letter, (measure, title) in panels:
        for place, (term, measured) in enumerate(table.items()):
            value, error = 100 * measured[measure]["mean"], 100 * half_interval(measured[measure])
            colour = BLUE if term == "honest S" else GREY
            axes.errorbar(value, place, xerr=error, fmt="o", color=colour, capsize=2)
        axes.set_xlabel("% of test images")
        label_panel(axes, letter, title)
    list_down(fig.axes[0], list(table))
    return fig
