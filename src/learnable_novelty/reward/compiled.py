"""What every step of parallel environments repeats, in compiled loops; needs numba."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from learnable_novelty.reward.bonus import Array, Mask
from learnable_novelty.reward.scale import ObservationScale


def write_compiled(
    values: Array, scale: ObservationScale, held: Array, seen: NDArray[np.int64], ready: Mask
) -> int:
    """Do what ``novelty.write_plain`` does, to the last bit."""
    clip = math.inf if scale.clip is None else scale.clip
    return write(values, scale.mean, scale.sd, clip, held, seen, ready)


@njit(error_model="numpy", cache=True)
def write(
    values: Array, mean: Array, sd: Array, clip: float, held: Array,
    seen: NDArray[np.int64], ready: Mask,
) -> int:  # fmt: skip
    """Do it in loops."""
    num_envs, length, dim = held.shape
    count = 0
    for env in range(num_envs):
        for t in range(length - 1):
            for k in range(dim):
                held[env, t, k] = held[env, t + 1, k]
        for k in range(dim):
            value = (values[env, k] - mean[k]) / sd[k]
            held[env, length - 1, k] = max(min(value, clip), -clip)
        seen[env] += 1
        ready[env] = seen[env] > length - 1
        count += ready[env]
    return count


@njit(error_model="numpy", cache=True)
def advance_compiled(inverses: Array, features: Array, others: Array) -> tuple[Array, Array]:
    """Do what ``ellipsoids.advance_plain`` does, in loops; matrices are symmetric."""
    num_envs, dim = features.shape
    own, both = np.zeros(num_envs), np.zeros(num_envs)
    u = np.empty(dim)
    for env in range(num_envs):
        u[:] = 0.0
        for j in range(dim):
            weight = features[env, j]
            for i in range(dim):
                u[i] += weight * inverses[env, j, i]
        for i in range(dim):
            own[env] += features[env, i] * u[i]
            both[env] += others[env, i] * u[i]
        shrink = 1 / (1 + own[env])
        for j in range(dim):
            weight = shrink * u[j]
            for i in range(dim):
                inverses[env, j, i] -= weight * u[i]
    return own, both
