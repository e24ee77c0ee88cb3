"""Novelty that counts by how well the episode goes: the task modulates the bonus.

    P_t = f(R_t) B_t,    f(R) = 2 / (1 + exp(-(R - mean) / sd)),    paid is P_t - P_{t-1}

B_t is the bonus and R_t the task reward of the episode so far, mean and sd are those of the returns
of all finished episodes. So an episode is paid its novelty, times a factor from 0 to 2 that its
return decides, and one for returns as usual. Where no two returns differ yet, all novelty counts
alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnable_novelty.reward.bonus import Array, Mask
from learnable_novelty.reward.running import GAMMA, LARGEST, ReturnSpread

STEEPEST = 30.0
"""Deviations where the factor is cut, so that the exponential is finite: it is 0 or 2 to 1e-12."""
ROUNDING = 1e-9
"""Returns whose deviation is less than this share of their mean are equal but for rounding."""


class Modulation:
    """Pay the bonus of each environment by how well its episode goes.

    The factor of an episode is by the returns that were known when it began, so its payments add
    up to f(R) B exactly.

    >>> modulation = Modulation(num_envs=1)
    >>> goes, ends = np.array([False]), np.array([True])
    >>> [float(modulation(np.zeros(1), np.ones(1), end)[0]) for end in (goes, goes, ends)]
    [1.0, 1.0, 1.0]
    """

    def __init__(self, num_envs: int) -> None:
        self._count, self._mean, self._squares = 0, 0.0, 0.0
        self._known_mean, self._known_sd = np.zeros((2, num_envs))
        self._task, self._bonus, self._paid = np.zeros((3, num_envs))

    def begin(self) -> None:
        """Start all episodes."""
        self._start(np.ones(len(self._task), dtype=bool))

    def __call__(self, task: Array, bonus: Array, ended: Mask) -> Array:
        """Return the payments of a step, (num_envs,)."""
        self._task += task
        self._bonus += bonus
        due = self.factor() * self._bonus
        payments = due - self._paid
        self._paid = due
        if np.count_nonzero(ended):
            for earned in self._task[ended]:
                self._learn(float(earned))
            self._start(ended)
        return payments

    def factor(self) -> Array:
        """Return f of each episode so far, (num_envs,)."""
        known = self._known_sd > 0
        above = (self._task - self._known_mean) / np.where(known, self._known_sd, 1.0)
        above = np.clip(np.where(known, above, 0.0), -STEEPEST, STEEPEST)
        return 2.0 / (1.0 + np.exp(-above))

    def _learn(self, earned: float) -> None:
        """Add the return of a finished episode to mean and squares, as Welford does."""
        self._count += 1
        gap = earned - self._mean
        self._mean += gap / self._count
        self._squares += gap * (earned - self._mean)

    def _start(self, begun: Mask) -> None:
        deviation = (self._squares / self._count) ** 0.5 if self._count else 0.0
        deviation = deviation if deviation > ROUNDING * abs(self._mean) else 0.0
        self._known_mean[begun], self._known_sd[begun] = self._mean, deviation
        self._task[begun] = self._bonus[begun] = self._paid[begun] = 0.0

    def state_dict(self) -> dict[str, Any]:
        """Return what is known of returns; episodes in progress begin anew."""
        return {"count": self._count, "mean": self._mean, "squares": self._squares}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        self._count = int(state["count"])
        self._mean, self._squares = float(state["mean"]), float(state["squares"])
        self.begin()


class ModulatedUnits:
    """Reward the payments of a ``Modulation`` over the running size of their discounted return.

    It takes the place of ``RunningUnits``: the task enters by the factor alone.

    Args:
        num_envs: how many environments run in parallel.
        weight: reward per payment, or None for payments over their running size, cut at 10.
    """

    def __init__(self, num_envs: int, weight: float | None = None) -> None:
        self.modulation, self._spread = Modulation(num_envs), ReturnSpread(num_envs, GAMMA)
        self._weight = weight

    def begin(self) -> None:
        """Start all episodes."""
        self.modulation.begin()

    def __call__(self, task: Array, bonus: Array, ended: Mask) -> Array:
        """Return the rewards of a step, (num_envs,)."""
        payments = self.modulation(task, bonus, ended)
        if self._weight is not None:
            return self._weight * payments
        return np.clip(payments / self._spread.update(payments), -LARGEST, LARGEST)

    @property
    def weight(self) -> float:
        """Reward per unit of the bonus at a usual return, at present."""
        return 1.0 / self._spread.unit if self._weight is None else self._weight

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of what was learned."""
        return {"modulation": self.modulation.state_dict(), "spread": self._spread.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        self.modulation.load_state_dict(state["modulation"])
        self._spread.load_state_dict(state["spread"])
