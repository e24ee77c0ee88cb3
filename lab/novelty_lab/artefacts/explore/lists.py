"""Lists of cells, decisive ones first."""

from __future__ import annotations

from novelty_lab.artefacts.explore.cells import Exploration

Cell = tuple[Exploration, int]
ROOMS, DOOR, CAR = "MultiRoom-N4-S5", "DoorKey-8x8", "MountainCarContinuous-sparse"


def cells(
    task: str,
    world: str,
    bonus: str,
    seeds: int,
    steps: int,
    coefficient: float = 0.1,
    **more: bool,
) -> list[Cell]:
    """Return one cell per seed."""
    return [
        (Exploration(task, world, bonus, steps, coefficient, **more), 30 + s) for s in range(seeds)
    ]


def frozen(steps: int = 800_000) -> list[Cell]:
    """Return MultiRoom-N4-S5 at the coefficient of DoorKey-8x8, and with one that falls."""
    falling = {"coefficient": 0.5, "falling": True}
    return [
        *cells(ROOMS, "clean", "foresight", 3, steps),
        *cells(ROOMS, "clean", "e3b", 3, steps),
        *cells(ROOMS, "pixels", "foresight", 3, steps),
        *cells(ROOMS, "pixels", "foresight", 2, steps, **falling),
        *cells(ROOMS, "clean", "foresight", 2, steps, **falling),
        *cells(ROOMS, "clean", "e3b", 2, steps, **falling),
        *cells(ROOMS, "noise", "foresight", 1, steps),
        *cells(ROOMS, "noise", "foresight", 1, steps, **falling),
    ]


def door(steps: int = 300_000) -> list[Cell]:
    """Return DoorKey-8x8: more seeds of the small coefficients, falling ones, and pixels."""
    ours = ("foresight", "e3b", "raw")
    return [
        *(c for b in ours for c in cells(DOOR, "clean", b, 2, steps, 0.1)),
        *(c for b in ours for c in cells(DOOR, "clean", b, 1, steps, 0.5, falling=True)),
        *(c for b in (*ours, "rnd", "none") for c in cells(DOOR, "pixels", b, 1, steps, 0.1)),
        *(c for b in ours[:2] for c in cells(DOOR, "clean", b, 1, steps, 0.25, falling=True)),
    ]


def others(steps: int = 800_000) -> list[Cell]:
    """Return the other tasks, clean and with the television in the pixels."""
    car = ("foresight", "e3b", "raw", "none")
    return [
        *(c for w in ("clean", "pixels") for c in cells("MultiRoom-N6", w, "foresight", 1, steps)),
        *(c for w in ("clean", "pixels") for c in cells("MultiRoom-N6", w, "e3b", 1, steps)),
        *(c for b in car for c in cells(CAR, "clean", b, 1, 200_000)),
        *(c for b in car[:2] for c in cells("KeyCorridorS3R3", "clean", b, 1, steps)),
    ]
