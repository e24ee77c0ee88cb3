"""Tables of the appendices and of our own studies."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
from scipy.stats import rankdata

from docs.hooks.tables.records import ROOT, markdown, record
from novelty_lab import records
from novelty_lab.studies.rivals.figure import MEASURES as COMPARED


def durations() -> str:
    """Say how long every artefact takes at the paper's configuration."""
    from novelty_lab.registry import all_artefacts

    timed = [artefact for artefact in all_artefacts().values() if artefact.takes]
    rows = ([f"`{one.name}`", one.title, one.takes] for one in timed)
    return markdown(["artefact", "shows", "takes"], rows)


SOLVER_TITLES = {
    "float64 Gram": "float64 Cholesky",
    "float64 dual": "float64 dual",
    "float64 QR": "float64 QR",
    "online observer": "online observer",
    "determinants": "determinants alone",
    "float32 Gram": "float32 moments",
    "float32 QR": "float32 QR",
}
SOLVER_RATIOS = {1e2: "10²", 1e4: "10⁴", 1e6: "10⁶", 1e8: "10⁸", 1e9: "10⁹"}


def solver_errors() -> str:
    """Give the largest relative error of the score over all data sets, by solver and n/lambda."""
    solvers = records.load(ROOT / "results" / "solvers" / "paper-seed0")
    names, errors = solvers.results["solvers"], solvers.arrays["score_error"]
    ratios = np.array(solvers.configuration["ratios"])

    def cell(name: str, ratio: float) -> str:
        column = int(np.abs(ratios / ratio - 1).argmin())
        worst = errors[:, names.index(name), column]
        if np.isfinite(worst).all():
            digits, power = f"{worst.max():.0e}".split("e")
            return f"{digits}e{int(power)}"
        return "refused" if name == "online observer" else "fails"

    rows = [[t, *(cell(name, at) for name in SOLVER_TITLES)] for at, t in SOLVER_RATIOS.items()]
    return markdown(["n/λ", *SOLVER_TITLES.values()], rows)


def calibration() -> str:
    """Give how often the tests say yes, to noise and to relations."""

    def share(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}"

    names = "rate", "dependence", "bend", "kept", "refused"
    rows = [
        [cell.replace("|", "\\|"), *(share(row[name]) for name in names), str(row["sets"])]
        for cell, row in record("calibration")["tests"].items()
    ]
    heads = "data", "p ≤ 0.05", "any dependence", "a bend", "direction kept", "no p-value", "sets"
    return markdown(heads, rows)


def calibration_coverage() -> str:
    """Give how often the interval of the held-out variance covers its population value."""
    rows = [
        [name, f"{row['covered']:.2f}", f"{row['share']:.3f}", f"{row['population']:.3f}"]
        for name, row in record("calibration")["coverage"].items()
    ]
    return markdown(["noise, signal", "covered", "mean share", "population"], rows)


TESTS = {"ours": "ours", "MGC": "MGC", "Dcorr": "distance correlation", "Hsic": "HSIC"}


def _power_of(curves: dict[str, Any], test: str, *, last: bool) -> dict[str, float]:
    """Return the power of a test by simulation: with most rows, or the mean of the curve."""
    return {
        name.replace("_", " "): statistics.fmean(
            one[test] for one in (curve[-1:] if last else curve)
        )
        for name, curve in curves.items()
    }


def power() -> str:
    """Give power by simulation, with 100 rows and over dimension."""
    results = record("dependence")
    columns = [
        _power_of(results[part], test, last=last)
        for part, last in (("size", True), ("dimension", False))
        for test in TESTS
    ]
    null = "multimodal independence"
    names = [name for name in columns[0] if name != null]
    means = [statistics.fmean(one[name] for name in names) for one in columns]
    cells = [[name, *(f"{one[name]:.2f}" for one in columns)] for name in [*names, null]]
    shown = ["**mean of the 19**", *(f"**{mean:.2f}**" for mean in means)]
    heads = [f"{name}, {part}" for part in ("100 rows", "dimensions") for name in TESTS.values()]
    return markdown(["simulation", *heads], [shown, *cells])


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


def real_sets() -> str:
    """Compare learners over the real data sets: mean R2, mean rank, and time."""
    from novelty_lab.studies.growing.figure import COLORS, means

    recorded = record("growing")["sets"]
    known = means(recorded, ("set", "learner"))
    names = list(dict.fromkeys(name for name, _ in known))
    shares = np.array([[known[name, k] for k in COLORS] for name in names], dtype=float)
    ranks = rankdata(-shares, axis=1).mean(axis=0)
    best = (shares >= shares.max(axis=1, keepdims=True) - 0.01).sum(axis=0)
    seconds = [
        np.median([row["seconds"] for row in recorded if row["learner"] == k]) for k in COLORS
    ]
    readings = {
        "mean R2": [f"{value:.3f}" for value in shares.mean(axis=0)],
        "mean rank of seven": [f"{value:.1f}" for value in ranks],
        "within 0.01 of the best": [f"{value} of {len(names)}" for value in best],
        "median CPU seconds": [f"{value:.2f}" for value in seconds],
    }
    return markdown([f"{len(names)} sets", *COLORS], [[k, *v] for k, v in readings.items()])


LIFE_NAMES = ("Anneal", "Holstein", "Day & Night", "Life", "Diamoeba", "HighLife", "Morley")


def life_named() -> str:
    """List well-known rules with their excess on the map and scored again."""
    named = {row["name"]: row for row in record("life-map")["named"]}
    rows = [
        [
            name,
            f"{named[name]['measures']['excess']:.1f}",
            f"{named[name]['again_excess']:.1f} ± {named[name]['again_half_width']:.1f}",
            f"{named[name]['again_rank']:,}",
        ]
        for name in LIFE_NAMES
    ]
    columns = ["excess on the map", "again (95%)", "place among the best, again"]
    return markdown(["rule", *columns], rows)
