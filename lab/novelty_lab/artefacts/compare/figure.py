"""Learnable novelty beside its rivals: who ranks what high, who falls for noise, what it costs."""

from __future__ import annotations

import math
from typing import Any

from novelty_lab.artefacts.compare.names import FIGURES, MEASURES, SAMPLINGS, correlations
from novelty_lab.artefacts.compare.pictures import figure
from novelty_lab.records import Record
from novelty_lab.report import Table

__all__ = ["figure", "tables"]


def tables(record: Record) -> list[Table]:
    """List who is fooled by noise, the correlations, the tops of the rankings, and the cost."""
    return [_noise_table(record), *_correlation_tables(record), _top_table(record)]


def _noise_table(record: Record) -> Table:
    results = record.results
    held = {(row["kind"], row["name"]): row["values"] for row in results["rows"]}
    shares = results["below_noise"]
    rows = [
        [
            name.strip(),
            *(_number(held[place].get(key)) for place in _control_places()),
            _share(shares["automaton"]["steps"].get(key)),
            _share(shares["flow"]["period"].get(key)),
            _share(shares["flow"]["fixed"].get(key)),
            _seconds(results["seconds"]["automaton"], key),
            _seconds(results["seconds"]["flow"], key),
        ]
        for key, name in MEASURES.items()
    ]
    columns = ["measure", "coins", "white noise", "red noise", "sine", "constant"]
    columns += ["moving rules below noise", "flows below noise (periods)", "(0.1 to 1)"]
    columns += ["CPU s, rule", "CPU s, flow"]
    return Table("Who is fooled by noise, and at what cost", columns, rows)


def _control_places() -> list[tuple[str, str]]:
    vectors = ("white noise", "red noise", "sine", "constant")
    return [("cells", "coins"), *(("control", name) for name in vectors)]


def _correlation_tables(record: Record) -> list[Table]:
    found = []
    for sampling, shown in SAMPLINGS.items():
        held = correlations(record, sampling)
        rows = [
            [name.strip(), *(_rho(held.get((key, figure))) for figure in FIGURES)]
            for key, name in MEASURES.items()
        ]
        columns = ["measure", *(name.replace("\n", " ") for name in FIGURES.values())]
        found.append(Table(f"Rank correlation over the flows, {shown}", columns, rows))
    return found


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
    endless = sum(value == math.inf for value in values.values())
    if endless > 5:
        return [f"{endless} at infinity"]
    return sorted(values, key=lambda name: -values[name])[:5]


def _rho(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    return f"{found['rho']:+.2f} [{found['low']:+.2f}, {found['high']:+.2f}]"


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f}%"


def _number(value: float | str | None) -> str:
    return "" if value is None else f"{float(value):.3g}"


def _seconds(held: dict[str, float], key: str) -> str:
    return f"{held[key]:.3g}" if key in held else ""
