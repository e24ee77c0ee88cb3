"""Names of tasks, distractors and bonuses, how bonuses look, and the settings of one training."""

from __future__ import annotations

from dataclasses import dataclass

from novelty_lab.rivals.registry import RIVALS
from novelty_lab.settings import Settings

ROOMS = "MultiRoom-N4-S5"
TASKS = (ROOMS, "MultiRoom-N6", "DoorKey-8x8", "KeyCorridorS3R3")
DISTRACTORS = {
    "clean": "clean",
    "tv": "television",
    "pixels": "television in the pixels",
    "noise": "noise everywhere",
    "remote": "remote control",
}
"""In words."""
BONUSES = {
    "foresight": ("foresight", "#0072B2"),
    **{name: (rival.label, rival.colour) for name, rival in RIVALS.items()},
    "raw": ("raw bits (the paper)", "#117733"),
    "none": ("task only", "#000000"),
}
"""In words, and as a colour; in the order of tables. Rivals bring both along."""
COEFFICIENT = 0.1
"""Of every bonus, in units of running returns: chosen on DoorKey-8x8."""
LAYOUTS = 4000
"""Mazes that episodes are drawn from, by default."""


@dataclass(frozen=True)
class Exploration(Settings):
    """One training."""

    task: str
    distractor: str
    bonus: str
    steps: int
    coefficient: float = COEFFICIENT
    """Of the bonus, in units of the running size of returns."""
    layouts: int = LAYOUTS
    """Mazes that episodes are drawn from."""

    @property
    def name(self) -> str:
        """Of its records."""
        words = [self.task, self.distractor, self.bonus, f"{self.coefficient:g}"]
        words += [f"{self.layouts}-layouts"] if self.layouts != LAYOUTS else []
        thousands, rest = divmod(self.steps, 1000)
        return "-".join([*words, f"{self.steps}" if rest else f"{thousands}k"])
