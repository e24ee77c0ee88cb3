"""The panel of the rooms: where agents of each drive spend their time, and what habits are paid."""

from __future__ import annotations

from typing import Any

import numpy as np

from novelty_lab.explorer.packing import rounded
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run, page_colour
from novelty_lab.records import Record
from novelty_lab.studies.rooms.rooms.drives import DRIVE_LABELS
from novelty_lab.studies.rooms.rooms.figure import (
    HABIT_STYLES,
    ROOM_COLOURS,
    ROOM_NAMES,
    departure,
    is_common,
    lives_of,
    ordered,
)


def reduce(record: Record) -> DataFiles:
    """Yield ``rooms``."""
    results, config = record.results, record.configuration
    yield (
        "rooms",
        {
            "rooms": [_room(room) for room in results["rooms"]],
            "steps": config["steps"],
            "rows": [_row(row, record) for row in ordered(results["shares"])],
            "habits": [_habit(row) for row in results["habits"]],
            "lengths": config["habit_lengths"],
        },
    )


def _room(room: str) -> dict[str, str]:
    return {"key": room, "name": ROOM_NAMES.get(room, room), "colour": _colour(ROOM_COLOURS[room])}


def _colour(colour: str) -> str:
    """Return the page's colour; the black of the dark room stays dark in the dark theme."""
    name = page_colour(colour)
    return "night" if name == "black" else name


def _row(row: dict[str, Any], record: Record) -> dict[str, Any]:
    """Reduce the agents of one drive in one corridor."""
    lives = lives_of(record, row)
    places = [record.results["lives"].index(life) for life in lives]
    return {
        "drive": row["drive"],
        "name": DRIVE_LABELS[row["drive"]],
        "common": is_common(row, record),
        "departure": departure(row, record),
        **{name: row[name] for name in ("length", "pixels", "clock")},
        "mean": rounded(np.array(row["mean"])),
        "sd": rounded(np.array(row["sd"])),
        "agents": [rounded(np.array(life["share"])) for life in lives],
        "along": rounded(record.arrays["along"][places].mean(0)),
    }


def _habit(row: dict[str, Any]) -> dict[str, Any]:
    colour, line = HABIT_STYLES[row["habit"]]
    return {
        **row,
        "colour": _colour(colour),
        "dashed": line != "-",
        "mean": rounded(np.array(row["mean"])),
        "sd": rounded(np.array(row["sd"])),
    }


PANEL = Panel(order=60, data=from_paper_run(reduce))
