"""Pairs along parallel episodes: an observation, and the window of those that followed it."""

from __future__ import annotations

import importlib.util

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array, Mask
from learnable_novelty.reward.scale import ObservationScale

Counts = NDArray[np.int64]


class Windows:
    """The last observations of every environment, as pairs x = o_t, y = (o_t+1, ..., o_t+window).

    Observations are held in the units of ``scale``; those held move up by one at every step, so
    that ``inputs`` and ``targets`` are always at the same place.

    >>> scale = ObservationScale(mean=np.zeros(1), sd=np.ones(1))
    >>> windows = Windows(scale, num_envs=1, window=2)
    >>> for t in range(3):
    ...     ready = windows.push(np.array([[t]]), np.array([[t + 1.0]]))
    >>> bool(ready[0]), windows.inputs, windows.targets
    (True, array([[1.]]), array([[2., 3.]]))
    """

    def __init__(self, scale: ObservationScale, num_envs: int, window: int) -> None:
        if window < 1:
            raise UserError(f"expected a window of at least 1, got {window}")
        self.scale, self.num_envs, self.window = scale, num_envs, window
        self._held = np.zeros((num_envs, window + 1, len(scale.mean)))
        self.inputs = self._held[:, 0]
        """The oldest observations held, (num_envs, observation_dim)."""
        self.targets = self._held.reshape(num_envs, -1)[:, len(scale.mean) :]
        """What followed each of them, flat, (num_envs, window * observation_dim)."""
        self.seen = np.zeros(num_envs, dtype=np.int64)
        """How many observations of its episode each environment has shown."""
        self.ready = np.zeros(num_envs, dtype=bool)
        """Which environments have a full window that ends in the latest step."""
        self.num_ready = 0
        self._underway = False
        self._write = write_plain
        if importlib.util.find_spec("numba") is not None:
            from learnable_novelty.reward.compiled_windows import write_compiled

            self._write = write_compiled

    def push(self, observations: Array, next_observations: Array, idle: Mask | None = None) -> Mask:
        """Take one step; return which environments have a full window, (num_envs,).

        An idle environment only began anew: its next observation opens the next step.
        """
        if not self._underway:  # only a new episode needs what it began with
            fresh = self.seen == 0
            self._held[fresh, -1] = self.scale(observations[fresh])
            self.seen[fresh] = 1
            self._underway = True
        self.num_ready = self._write(
            next_observations, self.scale, self._held, self.seen, self.ready
        )
        if idle is not None:
            self.forget(idle)
            self.ready &= ~idle
            self.num_ready = int(self.ready.sum())
        return self.ready

    def forget(self, which: Mask) -> None:
        """Start new episodes."""
        self.seen[which] = 0
        self._underway = False


def write_plain(
    values: Array, scale: ObservationScale, held: Array, seen: Counts, ready: Mask
) -> int:
    """Move what is held up by one, append observations; return how many windows are full."""
    held[:, :-1] = held[:, 1:]
    held[:, -1] = scale(values)
    seen += 1
    np.greater(seen, held.shape[1] - 1, out=ready)
    return int(np.count_nonzero(ready))
