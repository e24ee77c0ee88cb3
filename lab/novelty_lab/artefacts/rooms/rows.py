"""The rows of the rooms' record: their names, their order, and the lives behind them."""

from __future__ import annotations

from typing import Any

from novelty_lab.artefacts.rooms.drives import DRIVE_LABELS
from novelty_lab.records import Record

ROOM_NAMES = {"noise": "noisy television", "dark": "dark room"}
"""Where they differ from those of the record."""


def ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort by drive, the corridor that all drives share first."""
    common = _corridor(rows[0]) if rows else ()
    drives = list(DRIVE_LABELS)
    return sorted(rows, key=lambda r: (_corridor(r) != common, drives.index(r["drive"])))


def _corridor(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["length"], row["pixels"], row["clock"]


def lives_of(record: Record, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lives that a row is the summary of."""
    kind = row["drive"], _corridor(row)
    return [life for life in record.results["lives"] if (life["drive"], _corridor(life)) == kind]


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
