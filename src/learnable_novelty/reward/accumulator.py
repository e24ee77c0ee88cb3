"""What every wrapper does at a step: compute the bonus, add it to the reward, keep the sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from learnable_novelty.observer.checks import check_choice, check_number, is_word
from learnable_novelty.reward.bonus import Array, Bonus, Mask, Step, Transition, check_finite
from learnable_novelty.reward.config import COEFFICIENT, RewardMode
from learnable_novelty.reward.running import RunningUnits

if TYPE_CHECKING:
    from learnable_novelty.reward.adapters import ParallelEnvs

EPISODE = "novelty"
"""Key of an episode's sums in its last info."""
STEP = "bonus"
"""Key of the bonus of a step in its info, without its weight."""


class Rewarded(NamedTuple):
    """The rewards of a step."""

    rewards: Array
    bonus: Array | None
    """Without its weight; None where none is paid."""
    episodes: dict[int, dict[str, float]]
    """The sums of each episode that ended, by environment."""


class RewardAccumulator:
    """Combine a bonus with the task reward, and sum both over each episode.

        reward = task reward + weight * bonus    ("add"),    reward = weight * bonus    ("replace")

    With ``weight="auto"`` and "add", both are in units of their running returns.

    Args:
        bonus: the bonus.
        envs: the environments whose steps are rewarded.
        weight: task reward per unit of the bonus, or "auto": both in ``RunningUnits``.
        mode: whether the bonus is added to the task reward or replaces it.
        coefficient: of the bonus in running units, with ``weight="auto"``.
    """

    def __init__(
        self,
        bonus: Bonus,
        envs: ParallelEnvs,
        *,
        weight: float | Literal["auto"],
        mode: RewardMode = "add",
        coefficient: float = COEFFICIENT,
    ) -> None:
        check_choice("mode", mode, ("add", "replace"))
        self.bonus, self.envs = bonus, envs
        self.mode: RewardMode = mode
        auto = is_word(weight, "auto")
        self._weight = 1.0 if auto else check_number("weight", weight)
        running = auto and mode == "add"
        self.units = RunningUnits(envs.num_envs, coefficient) if running else None
        self.training = True
        self.steps = 0
        self._no_actions = np.zeros((envs.num_envs, 0))
        self._reads_actions = getattr(bonus, "reads_actions", True)
        self._observations: Array | None = None
        self._task_sums, self._bonus_sums, self._score_sums = np.zeros((3, envs.num_envs))

    @property
    def weight(self) -> float:
        """Task reward per unit of the bonus, at present."""
        return self._weight if self.units is None else self.units.weight

    def begin(self, observations: Array) -> None:
        """Start all episodes."""
        check_finite(observations, self.steps)
        self._observations = observations
        self.bonus.reset()
        self._task_sums[:] = self._bonus_sums[:] = self._score_sums[:] = 0.0

    def add(self, actions: Any, transition: Transition) -> Rewarded:
        """Return the rewards of a step; those of the task alone where it is not training."""
        if not self.training:
            self._observations = None  # a bonus that is to pay again starts with a reset
            return Rewarded(np.asarray(transition.rewards), None, {})
        if self._observations is None:
            raise RuntimeError("reset the environments before the first step")
        self.steps += 1
        transition.check_finite(self.steps)
        _, reached, task, ended, idle = transition
        flat = self.envs.flatten_actions(actions) if self._reads_actions else self._no_actions
        bonus = self.bonus.pay(Step(self._observations, flat, reached, ended, idle))
        self._observations = transition.observations
        if self.units is not None:
            rewards = self.units(np.asarray(task, dtype=np.float64), bonus)
        else:
            rewards = self._weight * bonus + (task if self.mode == "add" else 0.0)
        self._task_sums += task
        self._bonus_sums += self.weight * bonus
        self._score_sums += bonus
        # On a few numbers count_nonzero is much faster than any().
        return Rewarded(rewards, bonus, self._finish(ended) if np.count_nonzero(ended) else {})

    def _finish(self, ended: Mask) -> dict[int, dict[str, float]]:
        sums: dict[int, dict[str, float]] = {}
        for env in np.flatnonzero(ended):
            task, score = float(self._task_sums[env]), float(self._score_sums[env])
            bonus = float(self._bonus_sums[env])
            size = abs(task) + abs(bonus)
            share = abs(bonus) / size if size > 0 else 0.0
            sums[int(env)] = {"score": score, "bonus": bonus, "task": task, "share": share}
        self._task_sums[ended] = self._bonus_sums[ended] = self._score_sums[ended] = 0.0
        return sums
