"""Observations and actions of any space as flat rows of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array
from learnable_novelty.reward.images import ImageCodes, is_colours_first

IMAGE_SIDE = 16
"""Bytes from 0 to 255 are taken for an image if both sides are at least this long."""


def observation_dim(space: spaces.Space[Any], codes: ImageCodes) -> int:
    """Return how many numbers an observation holds, an image counted by its code.

    Raises:
        ValueError: for spaces that are neither Box, Discrete nor a Dict of them.
    """
    if isinstance(space, spaces.Dict):
        return sum(observation_dim(part, codes) for part in space.spaces.values())
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if not isinstance(space, spaces.Box):
        raise UserError(
            f"expected Box, Discrete or Dict observations, got {type(space).__name__}; wrap the "
            "environment in gymnasium.wrappers.FlattenObservation"
        )
    if is_image(space, codes):
        return codes.dim(space.shape, space.dtype)
    return int(np.prod(space.shape, dtype=int))


def is_image(space: spaces.Box, codes: ImageCodes) -> bool:
    """Tell whether an array is coded: with an encoder always, else if it holds bytes of pixels.

    Small grids, such as MiniGrid's 7 x 7 x 3, and glyphs are vectors of numbers.
    """
    if len(space.shape) < 2:
        return False
    if codes.encoder is not None:
        return True
    sides = space.shape[1:] if is_colours_first(space.shape) else space.shape[:2]
    bytes_of_pixels = space.dtype == np.uint8 and space.low.min() == 0 and space.high.max() == 255
    return bool(bytes_of_pixels) and min(sides) >= IMAGE_SIDE


def flatten_observations(space: Any, observations: Any, num_envs: int, codes: ImageCodes) -> Array:
    """Return a batch of observations as rows of their own, (num_envs, observation_dim)."""
    if isinstance(space, spaces.Box):
        if is_image(space, codes):
            return codes(np.asarray(observations))
        # A copy: an environment may write its next observation over this one.
        return np.array(observations, dtype=np.float64).reshape(num_envs, -1)
    if isinstance(space, spaces.Discrete):
        return one_hot(np.asarray(observations), space)
    if not isinstance(observations, Mapping):
        raise UserError(f"expected a dictionary of observations, got {type(observations)}")
    parts = [
        flatten_observations(part, observations[key], num_envs, codes)
        for key, part in space.spaces.items()
    ]
    return np.concatenate(parts, axis=1)


def flatten_one(space: Any, observation: Any, codes: ImageCodes) -> Array:
    """Return one observation as a row, (observation_dim,)."""
    return flatten_observations(space, _batch_of_one(observation), 1, codes)[0]


def _batch_of_one(observation: Any) -> Any:
    if isinstance(observation, Mapping):
        return {key: _batch_of_one(value) for key, value in observation.items()}
    return np.asarray(observation)[None]


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
    """Return whole numbers as one-hot rows, (num_envs, n)."""
    chosen = values.reshape(-1).astype(np.int64) - int(space.start)
    if ((chosen < 0) | (chosen >= space.n)).any():
        raise UserError(f"expected values of {space}, got {values.reshape(-1).tolist()}")
    rows = np.zeros((len(chosen), int(space.n)))
    rows[np.arange(len(chosen)), chosen] = 1.0
    return rows
