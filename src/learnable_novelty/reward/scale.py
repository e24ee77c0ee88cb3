"""Observations in units of their spread under a random policy: (o - mean) / sd, clipped.

A coordinate that a random policy never moves has no spread to divide by: it is centred and kept in
its own unit. One that it moves rarely has a tiny spread, and is many units away on the day it moves
(up to 58 in random play of BipedalWalker): values beyond ``clip`` units are cut there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array

CONSTANT = 1e-6
"""A coordinate whose spread is less than this share of its size (at least one) is constant."""


@dataclass(frozen=True)
class ObservationScale:
    """Mean and spread of each coordinate, and where values are cut.

    >>> scale = ObservationScale.of(np.array([[0.0, 5.0], [2.0, 5.0]]), clip=10.0)
    >>> scale(np.array([[3.0, 6.0], [1000.0, 5.0]]))
    array([[ 2.,  1.],
           [10.,  0.]])
    """

    mean: Array
    sd: Array
    clip: float | None = 10.0

    @classmethod
    def of(cls, observations: Array, *, clip: float | None = 10.0) -> ObservationScale:
        """Measure observations (num_samples, observation_dim)."""
        mean, sd = observations.mean(0), observations.std(0)
        constant = sd <= CONSTANT * np.maximum(np.abs(mean), 1.0)
        return cls(mean, np.where(constant, 1.0, sd), clip)

    def check(self, observation_dim: int) -> None:
        """Raise unless mean and spread are finite numbers of these observations."""
        units = (self.mean, self.sd)
        shaped = all(u.shape == (observation_dim,) and u.dtype.kind == "f" for u in units)
        if not (shaped and np.isfinite(units).all() and (self.sd > 0).all()):
            raise UserError(f"expected finite, positive units of {observation_dim} numbers")

    def __call__(self, observations: Array) -> Array:
        """Standardize observations (..., observation_dim)."""
        standardized = observations - self.mean
        standardized /= self.sd
        if self.clip is None:
            return standardized
        # Faster on a few numbers than one call of np.clip.
        np.minimum(standardized, self.clip, out=standardized)
        return np.maximum(standardized, -self.clip, out=standardized)
