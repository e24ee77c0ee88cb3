"""Task reward and bonus in units of their own running returns: the weight without a number."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from learnable_novelty.observer.checks import check_number
from learnable_novelty.reward.bonus import Array

PRIOR_COUNT, PRIOR_VARIANCE = 1.0, 1.0
"""The prior is one return around zero with this variance. Without it the first steps would be
divided by the small difference between environments that have just started."""
GAMMA = 0.99
"""Discount of the returns whose spread is the unit."""
LARGEST = 10.0
"""Where normalized rewards are cut, as in ``VecNormalize``."""


class ReturnSpread:
    """Running size of discounted returns, over all environments and steps.

        R_t = gamma R_{t-1} + r_t,    size = sqrt(mean R^2)    or    deviation = sqrt(var R)

    The sum runs on over the ends of episodes, as in random network distillation.

    >>> spread = ReturnSpread(num_envs=1, gamma=0.5, unit="deviation")
    >>> round(spread.update(np.array([3.0])) ** 2, 9)  # of 0 (with variance one) and 3
    2.75
    """

    def __init__(
        self, num_envs: int, gamma: float, unit: Literal["size", "deviation"] = "size"
    ) -> None:
        self.gamma, self._about_zero = gamma, unit == "size"
        self._returns = np.zeros(num_envs)
        self._count, self._mean, self._squares = PRIOR_COUNT, 0.0, PRIOR_COUNT * PRIOR_VARIANCE

    def update(self, rewards: Array) -> float:
        """Add a step's rewards, (num_envs,), and return the unit with them."""
        self._returns = self.gamma * self._returns + rewards
        # Two groups together: squares about the common mean are those about each mean, and
        # the squared distance of the means times n m / (n + m).
        added, mean = len(self._returns), float(self._returns.mean())
        total, gap = self._count + added, mean - self._mean
        within = float(np.square(self._returns - mean).sum())
        self._squares += within + gap**2 * self._count * added / total
        self._mean += gap * added / total
        self._count = total
        return self.unit

    @property
    def unit(self) -> float:
        """The size, or the deviation, of all returns so far."""
        square = self._squares / self._count
        return (square + self._mean**2 if self._about_zero else square) ** 0.5

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of the returns in progress and of their moments."""
        moments = {"count": self._count, "mean": self._mean, "squares": self._squares}
        return {"returns": self._returns.copy(), **moments}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        if len(state["returns"]) == len(self._returns):  # else these are other environments
            self._returns = np.array(state["returns"])
        self._count, self._mean, self._squares = state["count"], state["mean"], state["squares"]


class RunningUnits:
    """Combine task reward and bonus, each over the running size of its discounted return.

        reward = task / size(R_task) + coefficient * bonus / size(R_bonus),    each term cut at 10

    A task that has not paid yet has no unit, and needs none: its rare first rewards count 10. In
    units of the deviation a steady cost, whose returns hardly differ, would count more than all
    else.

    Args:
        num_envs: how many environments run in parallel.
        coefficient: what a unit of the bonus counts in units of the task.

    >>> units = RunningUnits(num_envs=1, coefficient=0.5)
    >>> bool(units(np.array([0.0]), np.array([1.0])) == 0.5)  # one return of 1, beside the prior
    True
    """

    def __init__(self, num_envs: int, coefficient: float) -> None:
        self.coefficient = check_number("coefficient", coefficient, positive=True)
        self._task, self._bonus = (ReturnSpread(num_envs, GAMMA) for _ in range(2))

    def __call__(self, task: Array, bonus: Array) -> Array:
        """Return the rewards of a step, (num_envs,)."""
        paid = [
            np.clip(rewards / spread.update(rewards), -LARGEST, LARGEST)
            for rewards, spread in ((task, self._task), (bonus, self._bonus))
        ]
        return paid[0] + self.coefficient * paid[1]

    @property
    def weight(self) -> float:
        """Task reward per unit of the bonus, at present."""
        return self.coefficient * self._task.unit / self._bonus.unit

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of both spreads."""
        return {"task": self._task.state_dict(), "bonus": self._bonus.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned; returns in progress only for as many."""
        self._task.load_state_dict(state["task"])
        self._bonus.load_state_dict(state["bonus"])
