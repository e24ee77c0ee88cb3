"""A part of the neural automaton's panel: before and after its observer grows."""

from __future__ import annotations

from typing import Any

from novelty_lab.explorer.packing import packed, short
from novelty_lab.explorer.panel import DataFiles, Panel, from_paper_run
from novelty_lab.records import Record

CURVE_POINTS = 250
"""Points of a training curve on the page."""


def reduce(record: Record) -> DataFiles:
    """Yield ``together``, and the pictures of each run as a file of their own, loaded on demand."""
    runs: dict[str, Any] = {}
    for name, run in record.results["runs"].items():
        key = name.replace(" ", "-")
        curve, compute = (record.arrays[f"{part}/{key}"] for part in ("curve", "compute"))
        every = max(1, len(curve) // CURVE_POINTS)
        points = zip(compute[::every], curve[::every], strict=True)
        judge = list(run["judged"][0])[-1]
        runs[key] = {
            "update": run["update"],
            "arm": run["arm"],
            "seed": int(name.split()[-1]),
            "curve": [[short(x), short(y)] for x, y in points],
            "judged": [[short(one["compute"]), short(one[judge])] for one in run["judged"]],
            "judge": judge,
            "phases": [_phase(phase) for phase in run["phases"]],
            "travelling": [short(one["travelling"]) for one in run["solitons"]],
        }
        yield f"together-{key}", {"pictures": packed(record.arrays[f"pictures/{key}"])}
    yield "together", {"runs": runs}


def _phase(phase: dict[str, Any]) -> dict[str, Any]:
    """Return the size of a phase's observer, and the profile of the growth that follows."""
    size = {name: phase[name] for name in ("channels", "depth", "focused", "annealed")}
    numbers = ("model_bits", "residual_bits", "held_out_variance")
    words = ("kind", "width", "depth", "rounds", "kept")
    tried = [
        {**{name: step[name] for name in words}, **{name: short(step[name]) for name in numbers}}
        for step in phase["tried"]
    ]
    return {**size, "end": short(phase["end"]), "tried": tried}


PANEL = Panel(order=31, data=from_paper_run(reduce))
