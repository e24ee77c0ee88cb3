"""Denoised bits of flows and automata beside raw bits and excess."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BITS, BLUE, CLASS_COLOURS, GREY, ORANGE, label_panel, new_figure
from novelty_lab.tables import table

MEASURES = {
    "bits": "raw bits",
    "excess": "excess",
    "denoised": "denoised bits",
    "directions": "directions",
}
COLUMNS = {label: f"{{{name}:.1f}}" for name, label in MEASURES.items()}
OTHERS = {"class": "Wolfram's class", "network": "structure found by a trained network"}
FIGURES = 12
"""Systems of the collection that are listed, with most denoised bits."""


def tables(record: Record) -> list[Table]:
    """List the six flows, the automata and flows with most bits, and the agreements."""
    results = record.results
    rows = [row for row in results["rows"] if "failed" not in row]
    kinds = {kind: [row for row in rows if row["kind"] == kind] for kind in ("six", "automaton")}
    kinds["flow"] = [row for row in rows if row["sampling"] == "period"]
    for of_kind in kinds.values():
        of_kind.sort(key=lambda row: -row["denoised"])
    agreements = [
        [one["group"], OTHERS[one["with"]], str(one["n"]), *(_rho(one[name]) for name in MEASURES)]
        for one in results["agreements"]
    ]
    return [
        table("The flows of appendix F", {"flow": "{name}", **COLUMNS}, kinds["six"]),
        table(
            "Elementary automata with most denoised bits",
            {"rule": "{name}", "class": "{class}", **COLUMNS},
            kinds["automaton"][:FIGURES],
        ),
        table(
            "Flows of the collection, sampled by period, with most denoised bits",
            {"flow": "{name}", **COLUMNS},
            kinds["flow"][:FIGURES],
        ),
        Table(
            "Rank correlation (95%)",
            ["systems", "with", "n", *MEASURES.values()],
            agreements,
        ),
        *([_published(results["published"])] if results["published"] else []),
    ]


def _rho(correlation: dict[str, float]) -> str:
    return "{rho:.2f} ({low:.2f} to {high:.2f})".format(**correlation)


def _published(correlations: list[dict[str, Any]]) -> Table:
    keys = list(dict.fromkeys((one["sampling"], one["figure"]) for one in correlations))
    by_key = {(one["sampling"], one["figure"], one["measure"]): one for one in correlations}
    rows = [[*key, *(_rho(by_key[*key, name]) for name in MEASURES)] for key in keys]
    title = "Flows of the collection: rank correlation with published figures (95%)"
    return Table(title, ["sampling", "figure", *MEASURES.values()], rows)


def figure(record: Record) -> Figure:
    """Draw denoised against raw bits, for automata and for flows."""
    rows = [row for row in record.results["rows"] if "failed" not in row]
    fig = new_figure(10.0, 3.8)
    six, automata, flows = fig.subplots(1, 3)
    for name, colour in (("bits", GREY), ("excess", BLUE), ("denoised", ORANGE)):
        own = [row for row in rows if row["kind"] == "six"]
        own.sort(key=lambda row: row["denoised"])
        six.plot(
            [row[name] for row in own], range(len(own)), "o", color=colour, label=MEASURES[name]
        )
        six.set_yticks(range(len(own)), [row["name"] for row in own])
    six.set_xlabel(BITS)
    six.legend(fontsize=6.5)
    label_panel(six, "a", "flows of appendix F")
    for row in rows:
        if row["kind"] == "automaton":
            colour = CLASS_COLOURS[row["class"]]
            automata.plot(row["bits"], row["denoised"], "o", color=colour, markersize=3)
            if row["name"] == "110":
                place = row["bits"], row["denoised"]
                automata.annotate("110", place, (-7, -11), textcoords="offset points", fontsize=7)
        elif row["sampling"] == "period":
            flows.plot(row["bits"], row["denoised"], "o", color=BLUE, markersize=2)
    for number, roman in enumerate(("I", "II", "III", "IV"), start=1):
        automata.plot(
            [], [], "o", color=CLASS_COLOURS[number], markersize=3, label=f"class {roman}"
        )
    automata.legend(fontsize=6.5, loc="lower right")
    label_panel(automata, "b", "elementary automata")
    label_panel(flows, "c", "the dysts collection")
    for axes in (automata, flows):
        _finish(axes)
    return fig


def _finish(axes: Axes) -> None:
    top = max(axes.get_xlim()[1], axes.get_ylim()[1])
    axes.plot([0, top], [0, top], color="0.5", linewidth=0.8)
    axes.set(xlabel=f"raw {BITS}", ylabel=f"denoised {BITS}")
