"""The panel of the life-like rules: one data file per measure, in the record's integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from novelty_lab.explorer.packing import packed, short
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record
from novelty_lab.studies.life_map.figure import LABELLED

SHARES = ("density", "activity", "change_in_two", "explained")
"""Measures whose colours go from 0 to 1; those of the others end where a thousandth lies above."""


def reduce(record: Record) -> DataFiles:
    """Yield ``life``, and one file per measure.

    A record of some rules only cannot fill the map; the panel then says so.
    """
    results, arrays = record.results, record.arrays
    whole = "codes" not in arrays
    about: dict[str, Any] = {"rules": results["rules"], "whole": whole}
    if not whole:
        yield "life", about
        return
    config = {name: record.configuration[name] for name in _SETTINGS}
    again = {
        name: packed(arrays[f"again_{name}"]) for name in ("codes", "excess", "half_width", "bits")
    }
    yield (
        "life",
        about
        | config
        | {
            "grain": results["grain"],
            "limits": _limits(record),
            "zero": results["summary"]["zero"],
            "again": again,
            "named": [_named(row) for row in results["named"]],
        },
    )
    for name in results["grain"]:
        yield f"life-{name}", packed(arrays[name])


_SETTINGS = (
    "grid",
    "samples",
    "draws",
    "window",
    "density",
    "burn_in",
    "again_grid",
    "again_draws",
)


def _limits(record: Record) -> dict[str, list[float]]:
    """Return where the colours of every measure begin and end."""
    grain = record.results["grain"]
    values = {name: record.arrays[name] * grain[name] for name in grain}
    values["excess"] = values["bits"] - values["floor"]
    limits = {name: [0.0, short(float(np.quantile(v, 0.999)))] for name, v in values.items()}
    return limits | {name: [0.0, 1.0] for name in SHARES}


def _named(row: dict[str, Any]) -> dict[str, Any]:
    known = {name: row[name] for name in ("name", "rule", "also", "gliders", "source", "universal")}
    known["labelled"] = row["name"] in LABELLED
    return known | {"rank": round(row["ranks"]["excess"])}


PANEL = Panel(
    order=20,
    data=from_paper_run(reduce),
    scripts=("life.js", "record.js", "map.js", "world.js", "panel.js"),
)
