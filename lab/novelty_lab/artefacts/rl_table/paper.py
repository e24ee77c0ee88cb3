"""Table 1 of the paper: task return after 600,000 steps, mean and sd over ten seeds."""

from __future__ import annotations

CONDITIONS = ("task", "epiplexity", "task+magnitude", "task+epiplexity")
"""What the agents of the table are paid by, in the order of its columns."""

PAPER: dict[str, dict[str, tuple[float, float]]] = {
    "Acrobot": {
        "task": (-167, 166),
        "epiplexity": (-500, 0),
        "task+magnitude": (-89, 4),
        "task+epiplexity": (-83, 2),
    },
    "MountainCarContinuous": {
        "task": (28, 43),
        "epiplexity": (-97, 4),
        "task+magnitude": (93, 1),
        "task+epiplexity": (93, 1),
    },
    "Hopper": {
        "task": (1879, 325),
        "epiplexity": (1006, 21),
        "task+magnitude": (516, 128),
        "task+epiplexity": (2192, 270),
    },
    "BipedalWalker": {
        "task": (125, 74),
        "epiplexity": (-59, 42),
        "task+magnitude": (146, 51),
        "task+epiplexity": (151, 49),
    },
    "HalfCheetah": {
        "task": (362, 201),
        "epiplexity": (-181, 244),
        "task+magnitude": (623, 212),
        "task+epiplexity": (393, 260),
    },
    "Walker2d": {
        "task": (296, 45),
        "epiplexity": (327, 45),
        "task+magnitude": (294, 32),
        "task+epiplexity": (285, 41),
    },
    "Swimmer": {
        "task": (181, 76),
        "epiplexity": (-12, 26),
        "task+magnitude": (194, 76),
        "task+epiplexity": (206, 86),
    },
    "PointMaze": {
        "task": (229, 77),
        "epiplexity": (6, 3),
        "task+magnitude": (242, 79),
        "task+epiplexity": (256, 22),
    },
    "LunarLander": {
        "task": (169, 74),
        "epiplexity": (-438, 393),
        "task+magnitude": (-171, 35),
        "task+epiplexity": (208, 25),
    },
    "Pendulum": {
        "task": (-1044, 42),
        "epiplexity": (-1092, 56),
        "task+magnitude": (-1016, 21),
        "task+epiplexity": (-987, 23),
    },
}
"""Mean and sd by task, in the order of the rows, and by condition."""
