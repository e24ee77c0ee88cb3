"""How often plans reach their goal, by the term that kept the model's code from collapsing."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, list_down, new_figure


def tables(record: Record) -> list[Table]:
    """List success by scene, and what a line reads of the codes."""
    table, chosen = record.results["table"], record.results["chosen"]
    shown: list[Table] = []
    for measure, scale, title in (
        ("success", 100, "goals reached, %"),
        ("other room", 100, "goals in the other room reached, %"),
        ("position", 100, "place of the dot, % of its variance read by a line"),
        ("rank", 1, "effective rank of the code"),
        ("seconds", 1, "seconds of training"),
    ):
        rows = [
            [f"{term}, {weight:g}"]
            + [
                f"{scale * each[term][measure]['mean']:.1f} ± "
                f"{scale * each[term][measure]['sd']:.1f}"
                for each in table.values()
            ]
            for term, weight in chosen.items()
        ]
        name = f"{title}: mean ± deviation over {record.configuration['seeds']} seeds"
        shown.append(Table(name, ["term, weight", *table], rows))
    return shown


def figure(record: Record) -> Figure:
    """Draw the share of goals that are reached, a panel per scene."""
    table = record.results["table"]
    fig = new_figure(2.2 * len(table) + 1, 0.9 + 0.3 * len(record.results["chosen"]))
    panels = np.atleast_1d(fig.subplots(1, len(table), sharex=True, sharey=True))
    for axes, letter, (scene, terms) in zip(panels, "abcde", table.items(), strict=False):
        for place, (term, measured) in enumerate(terms.items()):
            value = measured["success"]
            colour = BLUE if "S of" in term else GREY
            look = {"fmt": "o", "color": colour, "capsize": 2}
            axes.errorbar(100 * value["mean"], place, xerr=100 * value["sd"], **look)
        axes.set_xlabel("% of goals")
        label_panel(axes, letter, scene)
    list_down(panels[0], list(record.results["chosen"]))
    return fig
