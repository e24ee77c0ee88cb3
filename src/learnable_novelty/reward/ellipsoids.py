"""What an episode has shown so far, as one matrix per environment."""

from __future__ import annotations

import numpy as np

from learnable_novelty.reward.bonus import Array, Mask


class Ellipsoids:
    """One matrix C = ridge I + sum phi phi' per environment, kept as its inverse.

    Sherman and Morrison's formula adds a vector at O(m^2), and the bonus comes with it:

        u = C^-1 phi,    b = phi'u,    C^-1 <- C^-1 - u u' / (1 + b)

    >>> ellipsoids = Ellipsoids(num_envs=1, feature_dim=2, ridge=0.5)
    >>> [float(ellipsoids.add(np.array([[3.0, 0.0]])).round(3)[0]) for _ in range(2)]
    [18.0, 0.947]
    """

    def __init__(self, num_envs: int, feature_dim: int, ridge: float) -> None:
        self._start = np.eye(feature_dim) / ridge
        self.inverses = np.repeat(self._start[None], num_envs, axis=0)

    def add(self, features: Array) -> Array:
        """Add a vector per environment, (num_envs, feature_dim); return the bonus of each."""
        u = np.matmul(self.inverses, features[:, :, None])[:, :, 0]
        bonus = (features * u).sum(1)
        u /= np.sqrt(1 + bonus)[:, None]
        self.inverses -= u[:, :, None] * u[:, None, :]
        return bonus

    def restart(self, envs: Mask | slice) -> None:
        """Forget what the given environments added."""
        self.inverses[envs] = self._start
