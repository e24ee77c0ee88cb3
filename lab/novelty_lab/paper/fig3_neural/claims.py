"""Section 4.1 and appendix G: neural automata that climb their own score."""

from __future__ import annotations

from typing import Any

import numpy as np

from novelty_lab.ledger.findings import Finding, Value
from novelty_lab.ledger.rules import welch
from novelty_lab.ledger.source import Source
from novelty_lab.records import Record

SMOOTH = 50
"""Steps averaged, as the recorded final score is."""
LEVEL = 1.0
"""Bits: how near to its end a curve is on the plateau, which the paper does not define."""


def _runs(record: Record, update: str) -> list[dict[str, Any]]:
    seeds = record.configuration["seeds"]
    return [record.results["runs"][f"{update} seed {seed}"] for seed in seeds]


def _finals(record: Record, update: str) -> Value:
    return Value.of(run["final"] for run in _runs(record, update))


def _final(record: Record) -> Finding:
    finals = [run["final"] for run in _runs(record, "residual")]
    return Finding(
        values=(Value.of(finals),), note=f"Seeds from {min(finals):.1f} to {max(finals):.1f}."
    )


def _plateau(record: Record) -> Finding:
    curves = [record.arrays[f"curve/residual-seed-{s}"] for s in record.configuration["seeds"]]
    steps = Value.of(plateau_step(curve) for curve in curves)
    note = f"From where on means of {SMOOTH} steps stay within {LEVEL:g} bit of the last."
    return Finding(values=(steps,), note=note)


def plateau_step(curve: np.ndarray) -> int:
    """Return the step from which a smoothed curve stays near its end."""
    smooth = np.convolve(curve.astype(np.float64), np.full(SMOOTH, 1 / SMOOTH), "valid")
    off = np.flatnonzero(np.abs(smooth - smooth[-1]) > LEVEL)
    return 0 if not len(off) else int(off[-1]) + SMOOTH


def _band(record: Record) -> Finding:
    values = tuple(_finals(record, update) for update in record.configuration["updates"])
    return Finding(values=values)


def _solitons(record: Record) -> Finding:
    """Count the seeds; on wider lattices compare what travels with that on the meter's own."""
    against: dict[str, bool] = {}
    phrases: list[str] = []
    for update in record.configuration["updates"]:
        summary = record.results["summary"][update]
        more, crossing, seeds = (
            summary[key] for key in ("seeds_that_travel_more", "seeds_with_more_crossings", "seeds")
        )
        against[f"more travels in only {more} of {seeds} {update} seeds"] = more < seeds
        against[f"more collides in only {crossing} of {seeds} {update} seeds"] = crossing < seeds
    for width in record.configuration["wide"]:
        change = Value.of(_change_on(record, f"wide {width}"))
        phrases.append(f"{change.mean:+z.2f} ± {change.sd or 0.0:.2f} on {width} sites")
        against[f"less travels on {width} sites"] = change.mean < -welch(change, Value(0.0))
    runs = record.results["summary"][record.configuration["updates"][0]]["seeds"]
    note = f"Travelling share on wider lattices: {', '.join(phrases)}."
    return Finding(against=against, runs=runs, note=note)


def _change_on(record: Record, lattice: str) -> list[float]:
    """Return how the travelling share of each run differs on another lattice."""
    return [
        float(np.mean(run["solitons"][lattice]["travelling"]))
        - float(np.mean(run["solitons"]["end"]["travelling"]))
        for update in record.configuration["updates"]
        for run in _runs(record, update)
    ]


SOURCES = {
    "nca.final": Source("nca", _final),
    "nca.plateau": Source("nca", _plateau),
    "nca.solitons": Source("nca", _solitons),
    "nca.band": Source("nca", _band),
}
