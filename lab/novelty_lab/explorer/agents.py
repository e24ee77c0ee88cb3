"""What the page shows of agents: table 1 with learning curves, and the corridor of rooms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novelty_lab.artefacts.rl_table.paper import CONDITIONS, PAPER
from novelty_lab.artefacts.rl_table.runs import NAMES, Run, Runs, mean_curve
from novelty_lab.artefacts.rooms.rows import (
    DRIVE_NAMES,
    ROOM_NAMES,
    departure,
    is_common,
    lives_of,
    ordered,
)
from novelty_lab.explorer.packing import rounded, short
from novelty_lab.records import Record


def agents(runs: Runs) -> dict[str, Any]:
    """Set the returns of our agents beside table 1, with their curves."""
    tasks = {
        task: {
            "paper": published,
            "ours": {name: _cell(runs.cells.get((task, name), [])) for name in runs.conditions},
        }
        for task, published in PAPER.items()
    }
    return {"tasks": tasks, "names": NAMES, "columns": CONDITIONS}


def _cell(cell: list[Run]) -> dict[str, Any]:
    """Reduce the seeds of a task and condition: returns, mean curve and its 95% band."""
    found = mean_curve(cell)
    held: dict[str, Any] = {
        "returns": [short(run.mean_return) for run in cell],
        "curves": [[[int(step), short(value)] for step, value in run.curve] for run in cell],
    }
    if found is not None:
        steps, mean, band = found
        held |= {"steps": steps.astype(int).tolist(), "mean": rounded(mean)}
        held["band"] = None if band is None else rounded(band)
    return held


def rooms(record: Record) -> Iterator[tuple[str, Any]]:
    """Reduce ``rooms``: where agents of each drive spend their time, and what habits are paid."""
    found, config = record.results, record.configuration
    along = record.arrays["along"]
    kept = ("length", "pixels", "clock")
    rows = []
    for row in ordered(found["shares"]):
        lives = lives_of(record, row)
        places = [found["lives"].index(life) for life in lives]
        rows.append(
            {
                "drive": row["drive"],
                "name": DRIVE_NAMES[row["drive"]],
                "common": is_common(row, record),
                "departure": departure(row, record),
                **{name: row[name] for name in kept},
                "mean": rounded(np.array(row["mean"])),
                "sd": rounded(np.array(row["sd"])),
                "agents": [rounded(np.array(life["share"])) for life in lives],
                "along": rounded(along[places].mean(0)),
            }
        )
    habits = [
        {**row, "mean": rounded(np.array(row["mean"])), "sd": rounded(np.array(row["sd"]))}
        for row in found["habits"]
    ]
    yield (
        "rooms",
        {
            "rooms": found["rooms"],
            "names": {room: ROOM_NAMES.get(room, room) for room in found["rooms"]},
            "steps": config["steps"],
            "rows": rows,
            "habits": habits,
            "lengths": config["habit_lengths"],
        },
    )
