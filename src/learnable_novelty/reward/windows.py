"""Pairs along parallel episodes: an observation, and the window of those that followed it."""

from __future__ import annotations

import numpy as np

from learnable_novelty.reward.bonus import Array, Mask


class Windows:
    """The last observations of every environment, as pairs x = o_t, y = (o_t+1, ..., o_t+window).

    All environments write at one place of a ring. Each value is written twice, a ring apart, so
    that a window never wraps around and is read without a copy.

    >>> windows = Windows(num_envs=1, window=2, observation_dim=1)
    >>> for t in range(3):
    ...     ready = windows.push(np.array([[t]]), np.array([[t + 1.0]]))
    >>> bool(ready[0]), windows.inputs, windows.targets
    (True, array([[1.]]), array([[2., 3.]]))
    """

    def __init__(self, num_envs: int, window: int, observation_dim: int) -> None:
        if window < 1:
            raise ValueError(f"expected a window of at least 1, got {window}")
        self.num_envs, self.window, self.observation_dim = num_envs, window, observation_dim
        self._length = window + 1
        self._ring = np.zeros((num_envs, 2 * self._length, observation_dim))
        self._place = 0
        self.seen = np.zeros(num_envs, dtype=np.int64)
        """How many observations of its episode each environment has shown."""

    def push(self, observations: Array, next_observations: Array, idle: Mask | None = None) -> Mask:
        """Take one step; return which environments have a full window, (num_envs,).

        An idle environment only began anew: its next observation opens the next step.
        """
        if np.count_nonzero(self.seen) < self.num_envs:
            fresh = self.seen == 0
            self._write(fresh, observations[fresh])
            self.seen[fresh] = 1
        self._place = (self._place + 1) % self._length
        self._write(slice(None), next_observations)
        self.seen += 1
        if idle is not None:
            self.seen[idle] = 0
        return self.seen > self.window

    def _write(self, which: Mask | slice, values: Array) -> None:
        self._ring[which, self._place :: self._length] = values[:, None]

    @property
    def inputs(self) -> Array:
        """The oldest observations held, (num_envs, observation_dim)."""
        return self._ring[:, self._place + 1]

    @property
    def targets(self) -> Array:
        """What followed each of them, flat, (num_envs, window * observation_dim)."""
        first = self._place + 2
        return self._ring[:, first : first + self.window].reshape(self.num_envs, -1)

    def forget(self, which: Mask) -> None:
        """Start new episodes."""
        self.seen[which] = 0
