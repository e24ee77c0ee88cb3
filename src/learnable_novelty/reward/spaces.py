"""Observations and actions of any kind as flat rows of numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from learnable_novelty.reward.bonus import Array


def observation_dim(space: spaces.Space[Any]) -> int:
    """Return how many numbers an observation holds.

    Raises:
        ValueError: for images and for spaces that are neither Box, Discrete nor a Dict of them.
    """
    if isinstance(space, spaces.Dict):
        return sum(observation_dim(part) for part in space.spaces.values())
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if not isinstance(space, spaces.Box):
        raise ValueError(
            f"expected Box, Discrete or Dict observations, got {type(space).__name__}; wrap the "
            "environment in gymnasium.wrappers.FlattenObservation"
        )
    if len(space.shape) >= 3 or (len(space.shape) == 2 and space.dtype == np.uint8):
        raise ValueError(
            f"observations of shape {space.shape} look like images, which a small reservoir on "
            "vectors cannot read; wrap the environment so that it returns a vector (an encoder's "
            "code, or the state of the simulation)"
        )
    return int(np.prod(space.shape, dtype=int))


def flatten_observations(space: Any, observations: Any, num_envs: int) -> Array:
    """Return a batch of observations as rows, (num_envs, observation_dim)."""
    if isinstance(space, spaces.Box):
        return np.asarray(observations, dtype=np.float64).reshape(num_envs, -1)
    if isinstance(space, spaces.Discrete):
        return one_hot(np.asarray(observations), space)
    if not isinstance(observations, Mapping):
        raise ValueError(f"expected a dictionary of observations, got {type(observations)}")
    parts = [
        flatten_observations(part, observations[key], num_envs)
        for key, part in space.spaces.items()
    ]
    return np.concatenate(parts, axis=1)


def action_dim(space: spaces.Space[Any]) -> int:
    """Return how many numbers an action holds, one-hot where it is discrete."""
    return spaces.flatdim(space)


def flatten_actions(space: spaces.Space[Any], actions: Any, num_envs: int) -> Array:
    """Return a batch of actions as rows, (num_envs, action_dim)."""
    if isinstance(space, spaces.Discrete):
        return one_hot(np.asarray(actions), space)
    if isinstance(space, spaces.Box):
        return np.asarray(actions, dtype=np.float64).reshape(num_envs, -1)
    rows = [spaces.flatten(space, action) for action in actions]
    return np.asarray(rows, dtype=np.float64)


def one_hot(values: Any, space: spaces.Discrete) -> Array:
    """Return whole numbers as rows with a single one, (num_envs, n)."""
    chosen = values.reshape(-1).astype(np.int64) - int(space.start)
    return unit_rows(int(space.n))[chosen]


@functools.cache
def unit_rows(n: int) -> Array:
    """Return the unit matrix, (n, n), to read from."""
    return np.eye(n)


def check_finite(observations: Array, step: int) -> None:
    """Raise at the first observation that is not finite, naming its environment."""
    if math.isfinite(np.vdot(observations, observations)):  # the fastest sum of all of them
        return
    bad = np.flatnonzero(~np.isfinite(observations).all(axis=1))
    if not len(bad):
        return
    index = int(bad[0])
    raise ValueError(
        f"environment {index} returned a NaN or infinite observation at step {step}; a bonus "
        "cannot be paid for it"
    )
