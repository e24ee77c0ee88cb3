"""Random episodes, and what is measured on them: time scale and sizes (appendix H.2)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.summary import Moments
from learnable_novelty.reward.bonus import Array, Bonus, Step, check_finite
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, split

if TYPE_CHECKING:
    from learnable_novelty.reward.adapters import ParallelEnvs

SHORTEST_WINDOW, LONGEST_WINDOW = 8, 48
BONUS_SHARE = 0.1
"""Weighted bonus of a random episode, in units of its task return."""
LONGEST_EPISODE = 200_000
"""Random play stops with an error after this many steps without the end of an episode."""


@dataclass(frozen=True)
class RandomPlay:
    """Episodes of a random policy in parallel environments."""

    steps: Sequence[Step]
    rewards: Array
    """(num_steps, num_envs)"""
    counted: Array
    """One where a step belongs to an episode that was played to its end, (num_steps, num_envs)."""
    episodes: int
    """How many were."""
    discrete: bool = False
    """Whether actions are one-hot."""

    @property
    def observations(self) -> Array:
        """Every observation of these episodes, (num_observations, observation_dim)."""
        return np.concatenate(self.trajectories())

    def trajectories(self) -> list[Array]:
        """Return the observations of each episode, (length + 1, observation_dim)."""
        trajectories: list[Array] = []
        for env in range(self.counted.shape[1]):
            rows: list[Array] = []
            for step, counted in zip(self.steps, self.counted[:, env], strict=True):
                if not counted:
                    break
                if step.idle is not None and step.idle[env]:
                    continue
                rows = rows or [step.observations[env]]
                rows.append(step.next_observations[env])
                if step.ended[env]:
                    trajectories.append(np.stack(rows))
                    rows = []
        return trajectories

    def returns(self) -> Array:
        """Return the task return of each episode, (episodes,)."""
        ended = np.stack([step.ended for step in self.steps])
        returns: list[float] = []
        for env in range(self.counted.shape[1]):
            last = np.flatnonzero(ended[:, env])[: self.episodes // self.counted.shape[1]]
            sums = self.rewards[:, env].cumsum()[last]
            returns += np.diff(sums, prepend=0.0).tolist()
        return np.array(returns)

    @property
    def mean_return(self) -> float:
        """Mean task return of an episode."""
        return float((self.rewards * self.counted).sum() / self.episodes)

    def mean_bonus(self, bonus: Bonus) -> float:
        """Pay a bonus for these episodes; return its mean per episode."""
        bonus.reset()
        paid = np.stack([bonus.pay(step) for step in self.steps])
        bonus.reset()
        return float((paid * self.counted).sum() / self.episodes)


def play_randomly(envs: ParallelEnvs, *, episodes: int, seed: Seed) -> RandomPlay:
    """Play equally many random episodes in every environment.

    The first episodes to finish would be the short ones.

    Args:
        envs: an adapter: ``EnvAdapter``, ``VectorEnvAdapter`` or ``VecEnvAdapter``.
        episodes: how many, rounded up to a multiple of the environments.
        seed: of the environments and of the random policy.

    Raises:
        ValueError: for NaN or infinite values, or where no episode ends.
    """
    num_envs = envs.num_envs
    each = -(-episodes // num_envs)
    action_space = copy.deepcopy(envs.action_space)  # the user's own keeps its random state
    action_space.seed(split(seed, "random policy") % 2**32)
    observations = envs.reset(split(seed, "random episodes") % 2**31)
    check_finite(observations, 0)
    steps: list[Step] = []
    rewards: list[Array] = []
    counted: list[Array] = []
    finished = np.zeros(num_envs, dtype=np.int64)
    latest_end = 0
    while (finished < each).any():
        actions = np.stack([action_space.sample() for _ in range(num_envs)])
        moved = envs.step(actions)
        ended = moved.ended.copy()  # environments may reuse their arrays
        flat = envs.flatten_actions(actions)
        steps.append(Step(observations, flat, moved.reached, ended, moved.idle))
        rewards.append(np.array(moved.rewards, dtype=np.float64))
        counted.append((finished < each).astype(np.float64))
        moved.check_finite(len(steps))
        check_finite(rewards[-1][:, None], len(steps), "reward")
        latest_end = len(steps) if (ended & (finished < each)).any() else latest_end
        finished += ended
        observations = moved.observations
        if len(steps) - latest_end >= LONGEST_EPISODE:
            raise UserError(
                f"no episode ended in {LONGEST_EPISODE:,} steps of a random policy; give the "
                "environment a time limit (gymnasium.wrappers.TimeLimit)"
            )
    from gymnasium import spaces  # whoever has environments has it

    discrete = isinstance(action_space, spaces.Discrete)
    return RandomPlay(steps, np.stack(rewards), np.stack(counted), each * num_envs, discrete)


def window_of(trajectories: Sequence[Array], scale: ObservationScale) -> int:
    """Return twice the time over which the state changes appreciably, within [8, 48].

    That time is the first lag at which the mean squared displacement of the standardized state,
    over what it is between unrelated times (twice the variance), has reached 1 - 1/e.
    """
    standardized = [scale(trajectory) for trajectory in trajectories]
    variance = float(np.concatenate(standardized).var(axis=0).sum())
    if variance == 0.0:
        return SHORTEST_WINDOW
    for lag in range(1, LONGEST_WINDOW // 2):
        moved = [(t[lag:] - t[:-lag]).reshape(-1) for t in standardized if len(t) > lag]
        pairs = sum(len(m) for m in moved) / standardized[0].shape[1]
        if not moved:
            break
        displacement = sum(float(m @ m) for m in moved) / pairs
        if displacement >= 2 * variance * (1 - np.exp(-1)):
            return max(SHORTEST_WINDOW, 2 * lag)
    return LONGEST_WINDOW


def reference_moments(
    trajectories: Sequence[Array], scale: ObservationScale, window: int, reservoir: Reservoir
) -> Moments:
    """Return the moments of features and targets under a random policy, for fixed units."""
    inputs: list[Array] = []
    targets: list[Array] = []
    for trajectory in map(scale, trajectories):
        if len(trajectory) <= window:
            continue
        view = np.lib.stride_tricks.sliding_window_view(trajectory[1:], window, axis=0)
        inputs.append(trajectory[:-window])
        targets.append(view.transpose(0, 2, 1).reshape(len(view), -1))
    if not inputs:
        raise UserError(f"no random episode is longer than the window of {window} steps")
    features = reservoir(torch.from_numpy(np.concatenate(inputs)))
    return Moments.of(features, torch.from_numpy(np.concatenate(targets)))


def weight_of(mean_return: float, mean_bonus: float, share: float = BONUS_SHARE) -> float:
    """Return the weight at which a random episode's bonus is ``share`` of its task return.

    Raises:
        ValueError: if either is zero.
    """
    if mean_return == 0.0:
        raise UserError(
            "random episodes return zero task reward, so there is no scale for the bonus; pass a "
            "number as weight"
        )
    if mean_bonus == 0.0:
        raise UserError(
            "random episodes earn no bonus (they may be shorter than the window), so no "
            "weight can be found; pass a number as weight, or a shorter window"
        )
    return share * abs(mean_return) / abs(mean_bonus)
