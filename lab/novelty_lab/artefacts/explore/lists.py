"""Lists of cells, decisive ones first."""

from __future__ import annotations

from novelty_lab.artefacts.explore.training import Cell

ROOMS = "MultiRoom-N4-S5"
BASE = "foresight:pay=quad,honest=signed,center=1,units=0.05"


def screen(steps: int = 500_000) -> list[Cell]:
    """Return candidates on MultiRoom-N4-S5, clean and with the television in the pixels."""
    everywhere = ("pixels", "clean", "tv", "noise", "remote")
    first = [Cell(ROOMS, d, BASE, seed, steps) for d in everywhere for seed in (0, 1)]
    first += [Cell(ROOMS, d, "e3b", 0, steps) for d in everywhere]
    first += [Cell(ROOMS, "clean", "e3b", 1, steps)]
    common = "foresight:pay=quad,honest=signed"
    centred = f"{common},center=1"
    variants = [
        f"{BASE},gate=3",
        centred,
        BASE.replace("quad", "log"),
        BASE.replace("quad", "lev"),
        f"{BASE},whiten=1",
        f"{BASE},ridge=0.1",
        f"{BASE},ridge=10",
        f"{BASE},trust=1",
        BASE.replace("signed", "life"),
        BASE.replace("signed", "none"),
        f"{BASE},forget=0.98",
        f"{BASE},hidden=128",
        f"{BASE},k=0",
        f"{BASE},k=32",
        f"{centred},units=0.5",
        f"{centred},units=0.01",
        f"{BASE},life=300",
        "foresight:pay=quad,what=seen",
    ]
    second = [
        Cell(ROOMS, d, variant, seed, steps)
        for seed in (0, 1)
        for variant in variants
        for d in ("clean", "pixels")
    ]
    coefficients = [
        Cell(ROOMS, "clean", bonus, 0, steps, coefficient)
        for coefficient in (0.25, 1.0, 2.0)
        for bonus in (BASE, BASE.replace("quad", "log"), "e3b")
    ]
    half = len(second) // 2
    return [*first, *second[:half], *coefficients, *second[half:]]
