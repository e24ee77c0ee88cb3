"""What the runs of all arms amount to, by update."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from novelty_lab.context import mean_and_sd

Runs = Sequence[dict[str, Any]]
COMPARED = ("frozen", "large")
"""Arms that the growing one is compared with, seed by seed."""


def summarize(runs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Compare the arms of one update; each arm's runs are in the order of their seeds."""
    arms: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        arms.setdefault(run["arm"], []).append(run)
    ends = {arm: _ends(of_arm) for arm, of_arm in arms.items()}
    summary: dict[str, Any] = {"ends": ends}
    if "growing" in arms:
        summary["differences"] = {
            arm: {
                key: spread(np.subtract(ends["growing"][key], ends[arm][key])) for key in ends[arm]
            }
            for arm in COMPARED
            if arm in arms
        }
        summary["phases"] = _phases(arms["growing"])
    return summary


def spread(values: Any) -> dict[str, Any]:
    """Return mean, standard deviation and number of values."""
    return {**mean_and_sd(values), "runs": len(values)}


def _ends(runs: Runs) -> dict[str, list[float]]:
    """Return what is measured of the last rules, one value for each run."""
    keys = [key for key in runs[0]["judged"][-1] if key not in ("compute", "phase")]
    judged = {key: [run["judged"][-1][key] for run in runs] for key in keys}
    travelling = [run["solitons"][-1]["travelling"] for run in runs]
    return {**judged, "travelling": travelling, "seconds": [run["seconds"] for run in runs]}


def _phases(runs: Runs) -> dict[str, dict[str, Any]]:
    """Say for each phase what the score gained under its own observer, and under all judges."""
    entries: dict[str, dict[str, Any]] = {}
    for run in runs:
        for number, phase in enumerate(run["phases"]):
            first, *_, last = [one for one in run["judged"] if one["phase"] == number]
            name = "annealed" if phase["annealed"] else str(number)
            entry = entries.setdefault(name, {"gained": {}, "steps": [], "sizes": [], "stalled": 0})
            for key in first:
                if key not in ("compute", "phase"):
                    entry["gained"].setdefault(key, []).append(last[key] - first[key])
            focus = " focused" if phase["focused"] else ""
            entry["steps"].append(phase["steps"])
            entry["sizes"].append(f"{phase['channels']}x{phase['depth']}{focus}")
            entry["stalled"] += bool(phase["tried"])
    for entry in entries.values():
        entry["gained"] = {key: spread(values) for key, values in entry["gained"].items()}
    return dict(sorted(entries.items()))
