"""Adding a vector to the matrix of every environment, in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from learnable_novelty.reward.bonus import Array


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
