"""Parallel environments of any kind behind one interface: flat observations, true last ones.

Stable-Baselines3 returns the first observation of the next episode where one ended, and the last
one in its info. Gymnasium's vector environments do the same ("same step"), or return the last one
and use the next step for the reset ("next step", their default). A single environment is reset by
its user. An adapter for each kind hides the difference; that of Stable-Baselines3 is in ``sb3``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array, Transition
from learnable_novelty.reward.images import Encoder, ImageCodes
from learnable_novelty.reward.spaces import (
    flatten_actions,
    flatten_observations,
    flatten_one,
    observation_dim,
)


class ParallelEnvs(ABC):
    """Parallel environments.

    Args:
        observation_space: of one environment.
        action_space: of one environment.
        num_envs: how many environments run in parallel.
        encoder: what codes images, in place of a frozen random convolution.

    Raises:
        ValueError: for observations that cannot be read as vectors.
    """

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        num_envs: int,
        encoder: Encoder | None = None,
    ) -> None:
        self.codes = ImageCodes(encoder)
        self.observation_dim = observation_dim(observation_space, self.codes)
        self.observation_space, self.action_space = observation_space, action_space
        self.num_envs = num_envs

    @abstractmethod
    def reset(self, seed: int) -> Array:
        """Reset all environments; return the first observations, (num_envs, observation_dim)."""

    @abstractmethod
    def step(self, actions: Any) -> Transition:
        """Act in every environment."""

    def flatten(self, observations: Any) -> Array:
        """Return a batch of observations as rows, (num_envs, observation_dim)."""
        return flatten_observations(self.observation_space, observations, self.num_envs, self.codes)

    def flatten_actions(self, actions: Any) -> Array:
        """Return a batch of actions as rows, (num_envs, action_dim)."""
        return flatten_actions(self.action_space, actions, self.num_envs)

    def with_last(self, flat: Array, last: Mapping[Any, Any]) -> Array:
        """Return rows in which those of some environments are their episodes' last observations."""
        if not last:
            return flat
        flat = flat.copy()
        for env, observation in last.items():
            flat[env] = flatten_one(self.observation_space, observation, self.codes)
        return flat


class EnvAdapter(ParallelEnvs):
    """A single Gymnasium environment."""

    def __init__(self, env: gymnasium.Env[Any, Any], encoder: Encoder | None = None) -> None:
        super().__init__(env.observation_space, env.action_space, 1, encoder)
        self.env = env

    def reset(self, seed: int) -> Array:
        return self.begin(self.env.reset(seed=seed)[0])

    def begin(self, observation: Any) -> Array:
        """Read what ``Env.reset`` returned."""
        return flatten_one(self.observation_space, observation, self.codes)[None]

    def step(self, actions: Any) -> Transition:
        transition = self.read(*self.env.step(actions[0]))
        if not transition.ended[0]:
            return transition
        return transition._replace(observations=self.begin(self.env.reset()[0]))

    def read(
        self, observation: Any, reward: Any, terminated: bool, truncated: bool, info: Any
    ) -> Transition:
        """Read what ``Env.step`` returned; the user resets the environment where it ended."""
        del info
        reached, ended = self.begin(observation), np.array([terminated or truncated])
        return Transition(reached, reached, np.array([float(reward)]), ended)


class VectorEnvAdapter(ParallelEnvs):
    """A Gymnasium ``VectorEnv`` that resets itself in the same or in the next step."""

    def __init__(self, envs: VectorEnv[Any, Any, Any], encoder: Encoder | None = None) -> None:
        spaces = envs.single_observation_space, envs.single_action_space
        super().__init__(*spaces, envs.num_envs, encoder)
        self.envs, self.mode = envs, autoreset_mode(envs)
        self._resets_next = np.zeros(self.num_envs, dtype=bool)

    def reset(self, seed: int) -> Array:
        return self.begin(self.envs.reset(seed=seed)[0])

    def begin(self, observations: Any) -> Array:
        """Read what ``VectorEnv.reset`` returned."""
        self._resets_next[:] = False
        return self.flatten(observations)

    def step(self, actions: Any) -> Transition:
        return self.read(*self.envs.step(actions))

    def read(
        self, observations: Any, rewards: Any, terminated: Any, truncated: Any, infos: Any
    ) -> Transition:
        """Read what ``VectorEnv.step`` returned."""
        flat, ended = self.flatten(observations), np.logical_or(terminated, truncated)
        rewards = np.asarray(rewards, dtype=np.float64)
        if self.mode is AutoresetMode.NEXT_STEP:
            idle, self._resets_next = self._resets_next, ended.copy()
            return Transition(flat, flat, rewards, ended, idle if idle.any() else None)
        last = {env: infos["final_obs"][env] for env in np.flatnonzero(ended)}
        return Transition(flat, self.with_last(flat, last), rewards, ended)


def autoreset_mode(envs: VectorEnv[Any, Any, Any]) -> AutoresetMode:
    """Return how vector environments reset themselves; raise where they do not."""
    mode = AutoresetMode((envs.metadata or {}).get("autoreset_mode", AutoresetMode.NEXT_STEP))
    if mode is AutoresetMode.DISABLED:
        raise UserError(
            "expected vector environments that reset themselves, got autoreset_mode=DISABLED; make "
            "them with AutoresetMode.NEXT_STEP or SAME_STEP"
        )
    return mode
