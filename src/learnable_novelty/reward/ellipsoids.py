"""What an episode has shown so far, as one matrix per environment."""

from __future__ import annotations

import importlib.util

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
        self._advance = advance_plain
        if importlib.util.find_spec("numba") is not None:
            from learnable_novelty.reward.compiled import advance_compiled

            self._advance = advance_compiled

    def add(self, features: Array) -> Array:
        """Add a vector per environment, (num_envs, feature_dim); return the bonus of each."""
        return advance_plain(self.inverses, features, features)[0]

    def advance(self, features: Array, others: Array) -> tuple[Array, Array]:
        """Add a vector phi per environment; return phi'C^-1 phi and phi'C^-1 other of each."""
        return self._advance(self.inverses, features, others)

    def restart(self, envs: Mask | slice) -> None:
        """Forget what the given environments added."""
        self.inverses[envs] = self._start


def advance_plain(inverses: Array, features: Array, others: Array) -> tuple[Array, Array]:
    """Write C^-1 with the features over the inverses; return both products, with C before."""
    u = np.matmul(inverses, features[:, :, None])[:, :, 0]
    own, both = (features * u).sum(1), (others * u).sum(1)
    u /= np.sqrt(1 + own)[:, None]
    inverses -= u[:, :, None] * u[:, None, :]
    return own, both
