"""Episodes of a random policy, on which a bonus is calibrated."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array, Step, check_finite
from learnable_novelty.seeds import Seed, split

if TYPE_CHECKING:
    from learnable_novelty.reward.adapters import ParallelEnvs

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
    from gymnasium import spaces  # whoever has environments has it

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
    discrete = isinstance(action_space, spaces.Discrete)
    return RandomPlay(steps, np.stack(rewards), np.stack(counted), each * num_envs, discrete)
