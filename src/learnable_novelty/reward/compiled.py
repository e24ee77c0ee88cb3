"""What foresight repeats at every step of parallel environments, in compiled loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from learnable_novelty.reward.bonus import Array


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function, and keep the result in its folder or in the user's cache."""
    try:
        return njit(error_model="numpy", cache=True)(function)
    except RuntimeError:  # neither can be written to
        return njit(error_model="numpy")(function)


@compiled
def advance(inverses: Array, features: Array, others: Array) -> tuple[Array, Array]:
    """Add a vector phi to each matrix C (``Ellipsoids``); return phi'C^-1 phi, phi'C^-1 other."""
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


@compiled
def widen(
    values: Array, mean: Array, sd: Array, clip: float, acted: Array,
    weights: Array, bias: Array, first: int,
) -> Array:  # fmt: skip
    """Return [1, x, relu(x W + b)] of every row, x = [(values - mean) / sd, clipped; acted].

    The leading 1 is there if ``first`` is one, and not if it is zero.
    """
    num_rows, seen = values.shape
    last = first + seen + acted.shape[1]
    wide = np.ones((num_rows, last + bias.size))
    for row in range(num_rows):
        for j in range(seen):
            wide[row, first + j] = max(min((values[row, j] - mean[j]) / sd[j], clip), -clip)
        for j in range(acted.shape[1]):
            wide[row, first + seen + j] = acted[row, j]
        sums = bias.copy()
        for j in range(last - first):
            for i in range(bias.size):
                sums[i] += wide[row, first + j] * weights[j, i]
        for i in range(bias.size):
            wide[row, last + i] = max(sums[i], 0.0)
    return wide


@compiled
def foresee(
    features: Array, contexts: NDArray[np.int64], following: Array,
    weights: Array, means: Array, units: Array,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return z, y, and the mean square of y - z of every row."""
    num_rows, dim = following.shape
    z, y, errors = np.zeros((num_rows, dim)), np.empty((num_rows, dim)), np.zeros(num_rows)
    for row in range(num_rows):
        context = contexts[row]
        for j in range(features.shape[1]):
            value = features[row, j]
            for i in range(dim):
                z[row, i] += value * weights[context, j, i]
        for i in range(dim):
            y[row, i] = following[row, i] * units[i] - means[context, i]
            errors[row] += (y[row, i] - z[row, i]) ** 2
        errors[row] /= dim
    return z, y, errors
