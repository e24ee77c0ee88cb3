"""What an online observer knows of its streams, for others to read."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class StreamSums:
    """The sums over the pairs so far: float64 tensors, one row per stream.

    With D = diag(scale) the ridge regression of a stream is A = D gram D + lambda I and
    B = D cross; its readout predicts target_mean + cross' D A^-1 D (h - feature_mean).
    """

    count: Tensor
    """Pairs, (num_streams,)."""
    feature_mean: Tensor
    """Of the pairs, or the given one, (num_streams, feature_dim)."""
    target_mean: Tensor
    """Of the pairs, or the given one, (num_streams, target_dim)."""
    gram: Tensor
    """H'H of deviations from these means, (num_streams, feature_dim, feature_dim)."""
    cross: Tensor
    """H'Y of deviations from these means, (num_streams, feature_dim, target_dim)."""
    outer: Tensor
    """cross cross', (num_streams, feature_dim, feature_dim)."""
    scale: Tensor
    """1/(sd sqrt(m)) of each feature and 0 where it is constant, (num_streams, feature_dim)."""
