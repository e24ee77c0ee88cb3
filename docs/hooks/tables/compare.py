"""The score beside other measures of the same data."""

from __future__ import annotations

from docs.hooks.tables.records import markdown, record
from novelty_lab.studies.rivals.figure import MEASURES as COMPARED

TIMED = {"evidence_excess": "evidence_bits", "excess": None, "prequential_rate": None}
"""Under which name the time of a measure is recorded, if not its own; None: it comes along."""


def compare() -> str:
    """Give the share of systems that each measure puts below noise, and its cost."""
    results = record("compare")
    below, seconds = results["below_noise"], results["seconds"]

    def share(shares: dict[str, float], name: str) -> str:
        return f"{100 * shares[name]:.0f}%" if name in shares else "not measured"

    def time(kind: str, timed: str | None) -> str:
        if timed is None:
            return "with it"
        if timed not in seconds[kind]:
            return ""
        milliseconds = 1000 * seconds[kind][timed]
        return f"{milliseconds:.0f}" if milliseconds >= 10 else f"{milliseconds:.1f}"

    rows = [
        [
            title.strip(),
            share(below["automaton"]["steps"], name),
            share(below["flow"]["period"], name),
            share(below["flow"]["fixed"], name),
            time("automaton", TIMED.get(name, name)),
            time("flow", TIMED.get(name, name)),
        ]
        for name, title in COMPARED.items()
    ]
    leads = ["flows, leads in periods", "flows, leads of 0.1 to 1"]
    return markdown(["measure", "rules", *leads, "CPU ms, a rule", "CPU ms, a flow"], rows)
