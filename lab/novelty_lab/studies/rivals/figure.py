"""Learnable novelty beside its rivals: who ranks what high, who falls for noise, what it costs."""

from __future__ import annotations

import math
from typing import Any

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.studies.rivals.pictures import (
    FIGURES,
    MEASURES,
    SAMPLINGS,
    correlations,
    figure,
)

__all__ = ["figure", "tables"]


VECTORS = ("white noise", "red noise", "sine", "constant")
CONTROLS = [("cells", "coins"), *(("control", name) for name in VECTORS)]
"""Kind and name of the rows without structure, or with nothing else."""


def tables(record: Record) -> list[Table]:
    """List who is fooled by noise, the correlations, the tops of the rankings, and the cost."""
    return [_noise_table(record), *_correlation_tables(record), _top_table(record)]


def _noise_table(record: Record) -> Table:
    results = record.results
    values = {(row["kind"], row["name"]): row["values"] for row in results["rows"]}
    below, seconds = results["below_noise"], results["seconds"]
    shares = below["automaton"]["steps"], below["flow"]["period"], below["flow"]["fixed"]
    rows = [
        [
            name.strip(),
            *(_form("{:.3g}", values[control].get(key)) for control in CONTROLS),
            *(_form("{:.0%}", share.get(key)) for share in shares),
            *(_form("{:.3g}", seconds[kind].get(key)) for kind in ("automaton", "flow")),
        ]
        for key, name in MEASURES.items()
    ]
    columns = ["measure", "coins", *VECTORS]
    columns += ["moving rules below noise", "flows below noise (periods)", "(0.1 to 1)"]
    columns += ["CPU s, rule", "CPU s, flow"]
    return Table("Who is fooled by noise, and at what cost", columns, rows)


def _correlation_tables(record: Record) -> list[Table]:
    columns = ["measure", *(name.replace("\n", " ") for name in FIGURES.values())]
    shown: list[Table] = []
    for sampling, leads in SAMPLINGS.items():
        rho = correlations(record, sampling)
        rows = [
            [name.strip(), *(_rho(rho.get((key, figure))) for figure in FIGURES)]
            for key, name in MEASURES.items()
        ]
        shown.append(Table(f"Rank correlation over the flows, {leads}", columns, rows))
    return shown


def _top_table(record: Record) -> Table:
    rows = []
    for key, name in MEASURES.items():
        tops = []
        for kind, sampling in (("automaton", ""), ("flow", "period"), ("flow", "fixed")):
            values = {
                row["name"]: float(row["values"][key])
                for row in record.results["rows"]
                if (row["kind"], row["sampling"]) == (kind, sampling)
                and row["values"].get(key) is not None
            }
            tops.append(", ".join(_first(values)))
        rows.append([name.strip(), *tops])
    columns = ["measure", "rules", "flows, leads in periods", "flows, leads of 0.1 to 1"]
    return Table("What each ranks highest", columns, rows)


def _first(values: dict[str, float]) -> list[str]:
    """Name the five highest, or say how many share infinity."""
    infinite = sum(value == math.inf for value in values.values())
    if infinite > 5:
        return [f"{infinite} at infinity"]
    return sorted(values, key=lambda name: -values[name])[:5]


def _rho(correlation: dict[str, Any] | None) -> str:
    form = "{rho:+.2f} [{low:+.2f}, {high:+.2f}]"
    return "" if correlation is None else form.format(**correlation)


def _form(form: str, value: float | str | None) -> str:
    return "" if value is None else form.format(float(value))
