"""The sums of streams as ``stream_lanes`` advances them, and as ``StreamSums`` would show them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.stream_lanes import LANES

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class LaneState(NamedTuple):
    """All sums, LANES streams to a group; the last axis is the lane.

    ``side`` is the number of features, filled up to a multiple of four.
    """

    feature_dim: int
    side: int
    shared: Floats
    """n, the means of the features and H'H, (groups, 1 + side + side^2, LANES)."""
    own: Floats
    """Of streams and of floors the means of the targets, B and Q,
    (heads, groups, D + side D + side^2, LANES)."""
    deviation: Floats
    """Of the latest pairs from the means before them, (heads, groups, side + D, LANES)."""
    kept: Floats
    """Scale, 1/L_ii, L_ii^2 and L of the latest A = L L', (groups, 3 side + side^2, LANES)."""
    known: Flags
    """Whether these are those of the sums, (groups,)."""
    room: Floats
    """For what a step computes, (rows, LANES)."""

    @staticmethod
    def zeros(
        num_heads: int, num_streams: int, input_dim: int, feature_dim: int, target_dim: int
    ) -> LaneState:
        """Make the sums of streams that have seen nothing."""
        side, groups, d = 4 * -(-feature_dim // 4), -(-num_streams // LANES), target_dim
        rows = 16 + max(12 * side + 3 * side**2, max(input_dim, side, d) + side)
        return LaneState(
            feature_dim=feature_dim,
            side=side,
            shared=np.zeros((groups, 1 + side + side**2, LANES)),
            own=np.zeros((num_heads, groups, d + side * d + side**2, LANES)),
            deviation=np.zeros((num_heads, groups, side + d, LANES)),
            kept=np.zeros((groups, 3 * side + side**2, LANES)),
            known=np.zeros(groups, np.bool_),
            room=np.zeros((rows, LANES)),
        )


class LaneSums:
    """The sums of all streams, or of their floors, read and written as those of ``StreamSums``."""

    xp = np

    def __init__(self, state: LaneState, head: int, sizes: tuple[int, int, int]) -> None:
        self._state, self._head = state, head
        self._streams, self._m, self._d = sizes

    @property
    def n(self) -> Floats:
        """How many pairs, (num_streams,)."""
        return self._state.shared[:, 0].reshape(-1)[: self._streams]

    @property
    def count(self) -> Tensor:
        """How many pairs, (num_streams,)."""
        return torch.from_numpy(self.n)

    def native(self, values: Tensor) -> Floats:
        """View a tensor as an array."""
        return values.numpy()

    def tensor(self, values: Floats) -> Tensor:
        """View an array as a tensor."""
        return torch.from_numpy(values)

    def tensors(self) -> dict[str, Tensor]:
        """Return a copy of the sums by name."""
        side, m, d = self._state.side, self._m, self._d
        shared, own = self._rows(self._state.shared), self._rows(self._state.own[self._head])
        products = np.stack([own[:, d + side * d :], shared[:, 1 + side :]], axis=1)
        lower = np.tril(products.reshape(-1, 2, side, side)[:, :, :m, :m])
        found = {
            "count": shared[:, 0],
            "mean": np.concatenate([shared[:, 1 : 1 + m], own[:, :d]], axis=1),
            "products": lower + np.tril(lower, -1).swapaxes(2, 3),
            "cross": own[:, d : d + side * d].reshape(-1, side, d)[:, :m],
        }
        return {name: torch.tensor(value) for name, value in found.items()}

    def load(self, held: dict[str, Tensor]) -> None:
        """Take what ``tensors`` returned."""
        side, m, d = self._state.side, self._m, self._d
        count, mean, products, cross = (value.numpy() for value in held.values())
        square = np.zeros((self._streams, 2, side, side))
        square[:, :, :m, :m] = products
        rows = np.zeros((self._streams, side, d))
        rows[:, :m] = cross
        outer, gram = square.reshape(self._streams, 2, -1).swapaxes(0, 1)
        filled = np.pad(mean[:, :m], ((0, 0), (0, side - m)))
        shared = np.concatenate([count[:, None], filled, gram], axis=1)
        own = np.concatenate([mean[:, m:], rows.reshape(self._streams, -1), outer], axis=1)
        for values, into in ((shared, self._state.shared), (own, self._state.own[self._head])):
            for stream, value in enumerate(values):
                into[stream // LANES, :, stream % LANES] = value

    def fix_mean(self, first: int, mean: Tensor) -> None:
        """Give all streams these means, from the column ``first`` on."""
        at_features = first < self._m
        into = self._state.shared if at_features else self._state.own[self._head]
        begin = 1 + first if at_features else first - self._m
        into[:, begin : begin + len(mean)] = mean.numpy()[:, None]

    def _rows(self, lanes: Floats) -> Any:
        """Return (groups, rows, LANES) as (num_streams, rows)."""
        return lanes.swapaxes(1, 2).reshape(-1, lanes.shape[1])[: self._streams]
