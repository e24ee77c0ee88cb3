"""Names of tasks, distractors and bonuses, and the settings of one training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learnable_novelty.errors import UserError
from learnable_novelty.reward import Fading, ForesightConfig
from novelty_lab.rivals import RIVALS
from novelty_lab.settings import Settings

ROOMS, CAR = "MultiRoom-N4-S5", "MountainCarContinuous-sparse"
TASKS = (ROOMS, "MultiRoom-N6", "DoorKey-8x8", "KeyCorridorS3R3", CAR)
DISTRACTORS = ("clean", "tv", "pixels", "noise", "remote")
UNHINDERED = "e3b-unhindered"
"""E3B on observations without the distractor, which no agent has: what this PPO could reach."""
FORESIGHT = {
    "foresight-limited": ForesightConfig(),
    "foresight": ForesightConfig(limited=False),
    "foresight-bits": ForesightConfig(form="bits"),
    "modulated": ForesightConfig(limited=False),
}
"""Settings of the bonuses that pay for foresight: the default of ``NoveltyReward`` comes first."""
BONUSES = (
    "none",
    *FORESIGHT,
    *RIVALS,
    "raw",
    "excess",
    "evidence",
    UNHINDERED,
)
COEFFICIENT = 0.1
"""Of every bonus, in units of running returns: chosen on DoorKey-8x8."""
LAYOUTS = 4000
"""Mazes that episodes are drawn from, by default."""
Unit = Literal["deviation", "size"]


@dataclass(frozen=True)
class Exploration(Settings):
    """One training."""

    task: str
    distractor: str
    bonus: str
    steps: int
    coefficient: float = COEFFICIENT
    """Of the bonus, in running units."""
    falling: bool = False
    """Whether the coefficient falls to zero, in a line, over the run."""
    layouts: int = LAYOUTS
    """Mazes that episodes are drawn from."""
    unit: Unit = "deviation"
    """Of running returns: their deviation, or their size."""
    restarts: bool = False
    """Whether the coefficient falls to zero again and again, each time over twice the steps."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.falling and self.restarts:
            raise UserError("a coefficient falls once or restarts: leave out falling or restarts")
        if (self.falling or self.restarts) and self.bonus == "modulated":
            raise UserError(
                "modulated has no coefficient that could fall: leave out falling and restarts"
            )

    @property
    def fade_steps(self) -> Fading:
        """How the coefficient falls."""
        return "restarts" if self.restarts else self.steps if self.falling else None

    @property
    def name(self) -> str:
        """Of its records."""
        words = [self.task, self.distractor, self.bonus, f"{self.coefficient:g}"]
        words += ["falling"] if self.falling else ["restarts"] if self.restarts else []
        words += ["size"] if self.unit == "size" else []
        words += [f"{self.layouts}-layouts"] if self.layouts != LAYOUTS else []
        thousands, rest = divmod(self.steps, 1000)
        return "-".join([*words, f"{self.steps}" if rest else f"{thousands}k"])
