"""What every wrapper does at a step: compute the bonus, add it to the reward, keep the sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from learnable_novelty.reward.bonus import Array, Bonus, Mask, Step, Transition, check_finite
from learnable_novelty.reward.checks import check_choice, check_number
from learnable_novelty.reward.config import (
    COEFFICIENT,
    MODES,
    RewardMode,
    check_fading,
)
from learnable_novelty.reward.fading import Fading
from learnable_novelty.reward.modulation import ModulatedUnits
from learnable_novelty.reward.running import RewardUnits, RunningUnits

if TYPE_CHECKING:
    from learnable_novelty.reward.adapters import ParallelEnvs
    from learnable_novelty.reward.images import Encoder

EPISODE = "novelty"
"""Key of an episode's sums in its last info."""


class RewardAccumulator:
    """Combine a bonus with the task reward, and sum both over each episode.

        reward = task reward + weight * bonus    ("add"),    reward = weight * bonus    ("replace")

    With ``weight="auto"`` and "add", both are in units of their running returns. With "modulate"
    the bonus counts by how well the episode goes (``Modulation``).

    Args:
        bonus: the bonus.
        envs: the environments whose steps are rewarded.
        weight: task reward per unit of the bonus, or "auto": both in ``RunningUnits``.
        mode: whether the bonus is added to the task reward, replaces it, or is modulated by it.
        coefficient: of the bonus in running units, with ``weight="auto"``.
        fade_steps: steps over which this coefficient falls to zero, "restarts", or None for never.
    """

    def __init__(
        self,
        bonus: Bonus,
        envs: ParallelEnvs,
        *,
        weight: float | Literal["auto"],
        mode: RewardMode = "add",
        coefficient: float = COEFFICIENT,
        fade_steps: Fading = None,
    ) -> None:
        check_choice("mode", mode, MODES)
        check_fading(fade_steps, weight, mode)
        self.bonus, self.envs = bonus, envs
        self.mode: RewardMode = mode
        automatic = isinstance(weight, str) and weight == "auto"
        self._weight = 1.0 if automatic else check_number("weight", weight)
        self.units: RewardUnits | None = None
        if mode == "modulate":
            self.units = ModulatedUnits(envs.num_envs, None if automatic else self._weight)
        elif automatic and mode == "add":
            self.units = RunningUnits(envs.num_envs, coefficient, fade_steps=fade_steps)
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
        if self.units is not None:
            self.units.begin()
        self._task_sums[:] = self._bonus_sums[:] = self._score_sums[:] = 0.0

    def add(
        self, actions: Any, transition: Transition
    ) -> tuple[Array, dict[int, dict[str, float]]]:
        """Return the rewards of a step, and the sums of each episode it ended, by environment."""
        if self._observations is None:
            raise RuntimeError("reset the environments before the first step")
        self.steps += 1
        transition.check_finite(self.steps)
        _, reached, task, ended, idle = transition
        flat = self.envs.flatten_actions(actions) if self._reads_actions else self._no_actions
        bonus = self.bonus.pay(Step(self._observations, flat, reached, ended, idle))
        self._observations = transition.observations
        if self.units is None:
            weighted = self._weight * bonus
            rewards = weighted + task if self.mode == "add" else weighted
        else:
            rewards = self.units(np.asarray(task, dtype=np.float64), bonus, ended)
            weighted = self.units.weight * bonus
        self._task_sums += task
        self._bonus_sums += weighted
        self._score_sums += bonus
        # On a few numbers count_nonzero is much faster than any().
        return rewards, self._finish(ended) if np.count_nonzero(ended) else {}

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


class WrapsBonus:
    """Wrap environments, and add a bonus to their reward or put it in its place.

    It comes before a wrapper class of another library in the list of base classes. Arguments as in
    ``BonusWrapper``.
    """

    adapter: type[Any]
    """The subclass of ``ParallelEnvs`` that reads such environments."""

    def __init__(
        self,
        env: Any,
        bonus: Bonus,
        *,
        weight: float | Literal["auto"],
        mode: RewardMode = "add",
        coefficient: float = COEFFICIENT,
        fade_steps: Fading = None,
        encoder: Encoder | None = None,
    ) -> None:
        super().__init__(env)  # pyright: ignore[reportCallIssue]
        self._adapter = self.adapter(env, encoder)
        self.accumulator = RewardAccumulator(
            bonus, self._adapter, weight=weight, mode=mode, coefficient=coefficient,
            fade_steps=fade_steps,
        )  # fmt: skip

    @property
    def weight(self) -> float:
        """Task reward per unit of the bonus, at present."""
        return self.accumulator.weight

    @property
    def mode(self) -> RewardMode:
        """Whether the bonus is added to the task reward, replaces it, or is modulated by it."""
        return self.accumulator.mode
