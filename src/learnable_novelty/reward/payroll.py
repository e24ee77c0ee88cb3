"""What every wrapper does at a step: pay the bonus, enter it in the books, make up the reward."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnable_novelty.reward.bonus import Array, Bonus, Mask, Step
from learnable_novelty.reward.options import Mode, number, one_of
from learnable_novelty.reward.spaces import check_finite, flatten_actions
from learnable_novelty.reward.worlds import Move, check_move

EPISODE = "novelty"
"""Key of an episode's sums in its last info."""


class Payroll:
    """A bonus, its weight, and the episodes in progress.

    Args:
        bonus: the rule of payment.
        weight: what a unit of it is worth in units of the task reward.
        mode: "add" to the task reward, or "replace" it.
    """

    def __init__(
        self, bonus: Bonus, *, num_envs: int, action_space: Any, weight: float, mode: Mode = "add"
    ) -> None:
        one_of("mode", mode, ("add", "replace"))
        self.bonus, self.weight = bonus, number("weight", weight)
        self.mode: Mode = mode
        self.num_envs, self.action_space = num_envs, action_space
        self.steps = 0
        self._held = self._no_actions = np.zeros((num_envs, 0))
        self._reads_actions = getattr(bonus, "reads_actions", True)
        self._task, self._bonus = np.zeros(num_envs), np.zeros(num_envs)

    def begin(self, observations: Array) -> None:
        """Start all episodes."""
        check_finite(observations, self.steps)
        self._held = observations
        self.bonus.reset()
        self._task[:] = self._bonus[:] = 0.0

    def pay(self, actions: Any, move: Move) -> tuple[Array, dict[int, dict[str, float]]]:
        """Return the rewards of a step, and the sums of the episodes that it ended, by place."""
        if self._held is self._no_actions:
            raise RuntimeError("reset the environments before the first step")
        self.steps += 1
        check_move(move, self.steps)
        flat = self._no_actions
        if self._reads_actions:
            flat = flatten_actions(self.action_space, actions, self.num_envs)
        paid = self.bonus.pay(Step(self._held, flat, move.last, move.ended, move.idle))
        self._held = move.first
        self._task += move.rewards
        self._bonus += paid
        total = self.weight * paid
        if self.mode == "add":
            total += move.rewards
        return total, self._close(move.ended) if np.count_nonzero(move.ended) else {}

    def _close(self, ended: Mask) -> dict[int, dict[str, float]]:
        closed: dict[int, dict[str, float]] = {}
        for env in np.flatnonzero(ended):
            task, score = float(self._task[env]), float(self._bonus[env])
            whole = abs(task) + abs(self.weight * score)
            closed[int(env)] = {
                "score": score,
                "bonus": self.weight * score,
                "task": task,
                "share": abs(self.weight * score) / whole if whole > 0 else 0.0,
            }
        self._task[ended] = self._bonus[ended] = 0.0
        return closed


class Paying:
    """What every wrapper that pays a bonus tells of it."""

    payroll: Payroll

    @property
    def weight(self) -> float:
        """What a unit of the bonus is worth in units of the task reward."""
        return self.payroll.weight

    @property
    def mode(self) -> Mode:
        """Whether the bonus is added to the task reward or replaces it."""
        return self.payroll.mode
