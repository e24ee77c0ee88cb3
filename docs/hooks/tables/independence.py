"""Tests of independence, and answers to questions about tables."""

from __future__ import annotations

import statistics
from typing import Any

from docs.hooks.tables.records import markdown, record

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


def _level(row: dict[str, Any]) -> str:
    return f"{row['rate']:.3f} ± {row['se']:.3f}"


def scans() -> str:
    """Give false findings of scans."""
    return markdown(
        ["table of independent columns", "tables with a finding", "p ≤ 0.05"],
        [
            [name, _level(row), f"{row['p_at_5']:.3f}"]
            for name, row in record("answers")["scans"].items()
        ],
    )
