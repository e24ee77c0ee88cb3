"""A part of the agents' panel: which bonus finds the goal of a maze beside a noisy television."""

from __future__ import annotations

from novelty_lab.explorer.packing import short
from novelty_lab.explorer.panel import DataFiles, Panel, from_all_runs
from novelty_lab.records import Record
from novelty_lab.studies.explore.cells import BONUSES, COEFFICIENT, ROOMS

SHOWN = {"task": ROOMS, "steps": 800_000, "coefficient": COEFFICIENT}
WORLDS = {"clean": "without a television", "pixels": "with one in the pixels"}
DEFAULT, NONE = "foresight", "none"
"""What ``NoveltyReward`` pays by default, and no bonus at all."""
RIVALS = ("raw", "rnd", "icm", "e3b", "noveld", "counts")
REACHED = 0.5
"""Final return from which on an agent is said to reach the goal."""


def reduce(records: list[Record]) -> DataFiles:
    """Yield ``explore``."""
    finals: dict[tuple[str, str], list[float]] = {}
    for record in records:
        config = record.configuration
        is_shown = {name: config[name] for name in SHOWN} == SHOWN
        if is_shown and config["distractor"] in WORLDS:
            key = config["bonus"], config["distractor"]
            finals.setdefault(key, []).append(short(record.results["final"]))
    rows = [
        {"name": BONUSES[bonus][0], "bonus": bonus, "finals": own}
        for bonus in (DEFAULT, NONE, *RIVALS)
        if all(own := [finals.get((bonus, world), []) for world in WORLDS])
    ]
    if rows:
        sizes = {"reached": REACHED, "default": DEFAULT, "none": NONE}
        yield "explore", {"worlds": [*WORLDS.values()], "rows": rows, **sizes}


PANEL = Panel(order=51, data=from_all_runs(reduce))
