"""What a bonus is: it reads the steps of parallel environments and returns a bonus for each."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import UserError

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Step(NamedTuple):
    """One step of parallel environments; observations are flat and in their own units."""

    observations: Array
    """What the actions were chosen on, (num_envs, observation_dim)."""
    actions: Array
    """Flat; a discrete action is one-hot, (num_envs, action_dim). Empty, (num_envs, 0), for a bonus
    that says ``reads_actions = False``."""
    next_observations: Array
    """What the step led to: the episode's last observation where it ended."""
    ended: Mask
    """Whether the episode is over, by its own end or by a time limit, (num_envs,)."""
    idle: Mask | None = None
    """Environments that were only reset in this step, for which no bonus is paid."""


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


class Bonus(Protocol):
    """An intrinsic reward. It starts a new episode by itself where a step ends one."""

    def pay(self, step: Step) -> Array:
        """Return the bonus of each environment for this step, (num_envs,)."""
        ...

    def reset(self) -> None:
        """Forget all episodes in progress; what was learned over episodes stays."""
        ...
