"""Where compiled code keeps the sums of streams: in groups of four, the stream the last axis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.observer.online.vectors import GROUP

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class GroupedState(NamedTuple):
    """All sums. ``side`` is the number of features, filled up to a multiple of four."""

    feature_dim: int
    side: int
    shared: Floats
    """n, origin and mean of the features, and H'H, (groups, 1 + 2 side + side^2, GROUP)."""
    own: Floats
    """Of pairs and of floors the origin, mean and power of the targets, the peak of Q, B and Q,
    (heads, groups, 3 D + side + side D + side^2, GROUP)."""
    deviation: Floats
    """Of the latest pairs from the means before them, (heads, groups, side + D, GROUP)."""
    kept: Floats
    """Scale, 1/L_ii, L_ii^2 and L of the latest A = L L', (groups, 3 side + side^2, GROUP)."""
    known: Flags
    """Whether these are those of the sums, (groups,)."""
    room: Floats
    """For what a step computes, (rows, GROUP)."""

    @staticmethod
    def zeros(
        num_heads: int, num_streams: int, input_dim: int, feature_dim: int, target_dim: int
    ) -> GroupedState:
        """Make the sums of streams that have seen nothing."""
        side, groups, d = 4 * -(-feature_dim // 4), -(-num_streams // GROUP), target_dim
        rows = 16 + max(13 * side + 3 * side**2, max(input_dim, side, d) + side)
        return GroupedState(
            feature_dim=feature_dim,
            side=side,
            shared=np.zeros((groups, 1 + 2 * side + side**2, GROUP)),
            own=np.zeros((num_heads, groups, 3 * d + side + side * d + side**2, GROUP)),
            deviation=np.zeros((num_heads, groups, side + d, GROUP)),
            kept=np.zeros((groups, 3 * side + side**2, GROUP)),
            known=np.zeros(groups, np.bool_),
            room=np.zeros((rows, GROUP)),
        )

    def parts(self, head: int) -> dict[str, Floats]:
        """Return views of the sums of a head, (groups, ..., GROUP) each, filled up to ``side``."""
        side, d = self.side, self.deviation.shape[2] - self.side
        own, shared = self.own[head], self.shared
        groups, at = len(shared), 3 * d + side
        return {
            "count": shared[:, 0],
            "feature_origin": shared[:, 1 : 1 + side],
            "feature_mean": shared[:, 1 + side : 1 + 2 * side],
            "gram": shared[:, 1 + 2 * side :].reshape(groups, side, side, GROUP),
            "target_origin": own[:, :d],
            "target_mean": own[:, d : 2 * d],
            "power": own[:, 2 * d : 3 * d],
            "peak": own[:, 3 * d : at],
            "cross": own[:, at : at + side * d].reshape(groups, side, d, GROUP),
            "outer": own[:, at + side * d :].reshape(groups, side, side, GROUP),
        }


def ungroup(values: Floats, num_streams: int) -> Floats:
    """Return (groups, ..., GROUP) as (num_streams, ...)."""
    return np.moveaxis(values, -1, 1).reshape(-1, *values.shape[1:-1])[:num_streams]


def group(values: Floats, out: Floats) -> None:
    """Write (num_streams, ...) to (groups, ..., GROUP), whose last sizes may be larger."""
    at = tuple(slice(size) for size in values.shape[1:])
    for stream, value in enumerate(values):
        out[(stream // GROUP, *at, stream % GROUP)] = value
