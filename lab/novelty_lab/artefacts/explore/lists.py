"""Lists of cells, decisive ones first."""

from __future__ import annotations

from novelty_lab.artefacts.explore.training import Cell

ROOMS = "MultiRoom-N4-S5"
BASE = "foresight:pay=quad,honest=signed,center=1,units=0.05"
CHOSEN = f"{BASE},gate=3"
RIVALS = ("rnd", "raw", "icm", "noveld", "counts", "none")
COEFFICIENT = 0.25


def coefficient(steps: int = 300_000) -> list[Cell]:
    """Return DoorKey-8x8 at four coefficients: what the others are frozen at."""
    return [
        Cell("DoorKey-8x8", "clean", bonus, 10, steps, value)
        for value in (0.25, 0.5, 0.1, 1.0)
        for bonus in ("e3b", CHOSEN, "rnd", "raw")
    ]


def decisive(steps: int = 800_000) -> list[Cell]:
    """Return the chosen bonus and its rivals on MultiRoom-N4-S5, in the order of importance."""

    def cells(distractor: str, bonus: str, seeds: int = 1) -> list[Cell]:
        return [
            Cell(ROOMS, distractor, bonus, 10 + seed, steps, COEFFICIENT) for seed in range(seeds)
        ]

    return [
        *cells("pixels", CHOSEN, 5),
        *cells("clean", CHOSEN, 3),
        *cells("clean", "e3b", 3),
        *cells("pixels", "e3b"),
        *cells("noise", CHOSEN, 2),
        *cells("pixels", "rnd"),
        *cells("pixels", "raw"),
        *(cell for d in ("tv", "remote") for cell in cells(d, CHOSEN, 2)),
        *(cell for d in ("noise", "tv", "remote") for cell in cells(d, "e3b")),
        *(cell for bonus in RIVALS[2:] for cell in cells("pixels", bonus)),
        *(cell for bonus in RIVALS for cell in cells("clean", bonus)),
    ]


def variants(steps: int = 500_000) -> list[Cell]:
    """Return what may be better than the chosen bonus, each in three worlds."""
    seeds = {
        f"{CHOSEN},recall=1": {"noise": 2, "pixels": 1, "clean": 1},
        f"{CHOSEN},ridge=0.1": {"pixels": 2, "clean": 2, "noise": 1},
        f"{BASE},ridge=0.1": {"pixels": 1, "clean": 1, "noise": 1},
        CHOSEN.replace("quad", "log"): {"pixels": 1, "clean": 1, "noise": 1},
        f"{CHOSEN},life=300": {"pixels": 1, "clean": 1, "noise": 1},
        f"{CHOSEN},ridge=0.01": {"pixels": 1, "clean": 1},
    }
    plain = [
        Cell(ROOMS, distractor, bonus, 20 + seed, steps, COEFFICIENT)
        for bonus, worlds in seeds.items()
        for distractor, count in worlds.items()
        for seed in range(count)
    ]
    falling = [
        Cell(ROOMS, distractor, CHOSEN, 20, steps, 0.5, falling=True)
        for distractor in ("pixels", "clean")
    ]
    return [*plain, *falling]


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
