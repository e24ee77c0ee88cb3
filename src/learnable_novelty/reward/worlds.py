"""Parallel environments of three makes, seen alike: flat observations, and true last ones.

Stable-Baselines3 returns the first observation of the next episode where one ended, and the last
one in its info. Gymnasium's vector environments do so too ("same step"), or return the last one and
spend the next step on beginning anew ("next step", their default). A single environment leaves the
reset to its user.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array, Mask
from learnable_novelty.reward.spaces import (
    check_finite,
    flatten_observations,
    flatten_one,
    observation_dim,
)


class Move(NamedTuple):
    """What came of one step."""

    first: Array
    """What the next actions are chosen on, (num_envs, observation_dim)."""
    last: Array
    """What the step led to: the last observation of an episode where it ended."""
    rewards: Array
    ended: Mask
    idle: Mask | None = None
    """Environments that took no step, only began anew."""


def check_move(move: Move, step: int) -> None:
    """Raise at an observation that is not finite, naming its environment."""
    check_finite(move.last, step)
    if move.first is not move.last:
        check_finite(move.first, step)


class World(Protocol):
    """Parallel environments."""

    num_envs: int
    observation_space: Any
    """Of one environment."""
    action_space: Any
    """Of one environment."""

    def reset(self, seed: int) -> Array:
        """Begin, and return the first observations."""
        ...

    def step(self, actions: Any) -> Move:
        """Act in every environment."""
        ...


class VecEnvWorld:
    """A ``VecEnv`` of Stable-Baselines3."""

    def __init__(self, venv: Any) -> None:
        observation_dim(venv.observation_space)  # refuses what it cannot read
        self.venv, self.num_envs = venv, venv.num_envs
        self.observation_space, self.action_space = venv.observation_space, venv.action_space

    def reset(self, seed: int) -> Array:
        self.venv.seed(seed)
        return flatten_observations(self.observation_space, self.venv.reset(), self.num_envs)

    def step(self, actions: Any) -> Move:
        observations, rewards, ended, infos = self.venv.step(actions)
        return read_vec_env(self.observation_space, observations, rewards, ended, infos)


def read_vec_env(
    space: Any, observations: Any, rewards: Any, ended: Mask, infos: Sequence[Any]
) -> Move:
    """Read what ``VecEnv.step`` returned."""
    first = flatten_observations(space, observations, len(ended))
    if not np.count_nonzero(ended):  # on a few numbers much faster than any()
        return Move(first, first, rewards, ended)
    last = first.copy()
    for env in np.flatnonzero(ended):
        last[env] = flatten_one(space, infos[int(env)]["terminal_observation"])
    return Move(first, last, rewards, ended)


class EnvWorld:
    """A single Gymnasium environment."""

    num_envs = 1

    def __init__(self, env: Any) -> None:
        observation_dim(env.observation_space)
        self.env = env
        self.observation_space, self.action_space = env.observation_space, env.action_space

    def reset(self, seed: int) -> Array:
        return flatten_one(self.observation_space, self.env.reset(seed=seed)[0])[None]

    def step(self, actions: Any) -> Move:
        observation, reward, terminated, truncated, _ = self.env.step(actions[0])
        last = flatten_one(self.observation_space, observation)[None]
        ended = np.array([terminated or truncated])
        first = last
        if ended[0]:
            first = flatten_one(self.observation_space, self.env.reset()[0])[None]
        return Move(first, last, np.array([float(reward)]), ended)


class VectorWorld:
    """A Gymnasium ``VectorEnv``, in either way of beginning anew."""

    def __init__(self, envs: Any) -> None:
        observation_dim(envs.single_observation_space)
        self.envs, self.num_envs = envs, envs.num_envs
        self.observation_space = envs.single_observation_space
        self.action_space = envs.single_action_space
        self.mode = autoreset_mode(envs)
        self._fresh = np.zeros(self.num_envs, dtype=bool)

    def begin(self) -> None:
        """Note that all environments were reset."""
        self._fresh[:] = False

    def reset(self, seed: int) -> Array:
        self.begin()
        observations = self.envs.reset(seed=seed)[0]
        return flatten_observations(self.observation_space, observations, self.num_envs)

    def step(self, actions: Any) -> Move:
        return self.read(*self.envs.step(actions))

    def read(
        self, observations: Any, rewards: Any, terminated: Any, truncated: Any, infos: Any
    ) -> Move:
        """Read what ``VectorEnv.step`` returned."""
        first = flatten_observations(self.observation_space, observations, self.num_envs)
        ended = np.logical_or(terminated, truncated)
        rewards = np.asarray(rewards, dtype=np.float64)
        if self.mode is AutoresetMode.NEXT_STEP:
            idle, self._fresh = self._fresh, ended.copy()
            return Move(first, first, rewards, ended, idle if idle.any() else None)
        last = first
        if ended.any():
            last = first.copy()
            for env in np.flatnonzero(ended):
                last[env] = flatten_one(self.observation_space, infos["final_obs"][env])
        return Move(first, last, rewards, ended)


def autoreset_mode(envs: VectorEnv[Any, Any, Any]) -> AutoresetMode:
    """Return how vector environments begin anew, or refuse those that leave it to the user."""
    mode = (envs.metadata or {}).get("autoreset_mode", AutoresetMode.NEXT_STEP)
    mode = AutoresetMode(mode)
    if mode is AutoresetMode.DISABLED:
        raise UserError(
            "expected vector environments that reset themselves, got autoreset_mode=DISABLED; make "
            "them with AutoresetMode.NEXT_STEP or SAME_STEP"
        )
    return mode
