"""The outcome of a step of parallel environments, in flat rows that were checked."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array, Mask


class Transition(NamedTuple):
    """The outcome of one step of parallel environments."""

    observations: Array
    """What the next actions are chosen on, (num_envs, observation_dim)."""
    reached: Array
    """What the step led to: the last observation of an episode where it ended."""
    rewards: Array
    ended: Mask
    idle: Mask | None = None
    """Environments that were only reset in this step."""

    def check_finite(self, step: int) -> None:
        """Raise at an observation that is not finite, naming its environment."""
        check_finite(self.reached, step)
        if self.observations is not self.reached:
            check_finite(self.observations, step)


def check_finite(values: Array, step: int, what: str = "observation") -> None:
    """Raise at the first row (num_envs, any) that is not finite, naming its environment."""
    if math.isfinite(np.vdot(values, values)):  # the fastest sum of all of them
        return
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise UserError(
            f"environment {int(bad[0])} returned a NaN or infinite {what} at step {step}; no bonus "
            "can be computed from it"
        )
