"""The rows of the rooms' record: their names, their order, and the lives behind them."""

from __future__ import annotations

from typing import Any

from novelty_lab.artefacts.rooms.drives import DRIVE_LABELS
from novelty_lab.records import Record

ROOM_NAMES = {"noise": "noisy television", "dark": "dark room"}
"""Where they differ from those of the record."""


def ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort by drive, the corridor that all drives share first."""
    names, first = list(DRIVE_LABELS), {(r["length"], r["pixels"], r["clock"]) for r in rows[:1]}
    return sorted(
        rows,
        key=lambda r: (
            (r["length"], r["pixels"], r["clock"]) not in first,
            names.index(r["drive"]),
        ),
    )


def lives_of(record: Record, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lives that a row is the summary of."""
    keys = ("drive", "length", "pixels", "clock")
    return [life for life in record.results["lives"] if all(life[k] == row[k] for k in keys)]


def is_common(row: dict[str, Any], record: Record) -> bool:
    """Tell whether a row is of the corridor that all drives share."""
    return all(row[key] == value for key, value in record.configuration["corridor"].items())


def describe(row: dict[str, Any]) -> str:
    """Say what a row's corridor is like."""
    return ", ".join(_parts(row).values())


def departure(row: dict[str, Any], record: Record) -> str:
    """Say how a row's corridor differs from the one that all drives share."""
    common = record.configuration["corridor"]
    return ", ".join(text for key, text in _parts(row).items() if row[key] != common[key])


def _parts(row: dict[str, Any]) -> dict[str, str]:
    clock = "clock" if row["clock"] else "no clock"
    return {"length": f"{row['length']} steps", "pixels": f"{row['pixels']} pixels", "clock": clock}
