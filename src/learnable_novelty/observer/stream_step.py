"""One step of all streams, in operations on all of them at once.

With A = H~'H~ + lambda I, B = H~'Y~ and Q = BB',

    S = alpha [ log2 det(A^2 + eta Q) - 2 log2 det A ],

because det(I + eta W W') = det(I + eta A^-1 Q A^-1). Q and H'H change by rank-one terms with every
pair (``stream_sums``), so a step costs O(mD + m^3) and no readout is formed.

The determinants square the conditioning of A. Their error is about eps times the ratio of the
largest diagonal entry of A^2 + eta Q to its smallest Cholesky pivot, and at most eight times that
on trajectories of six flows. Where that is more than 2.4e-9, on long streams of collinear
features, the step goes through W = A^-1 B instead, at O(m^2 D).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.code_length import code_length
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.stream_floor import centre_errors
from learnable_novelty.observer.stream_sums import StreamSums, diagonal

DETERMINANT_ROUNDOFF = 3e-10
"""Largest eps times diagonal over pivot for which the determinants are used."""


class Setting(NamedTuple):
    """What the observer of the streams is set to."""

    penalty: float
    weight: float
    """eta over the squared target unit."""
    bits: float
    """alpha / log 2."""
    constant_ratio: float
    """Largest ratio of variance to squared mean of a constant feature."""
    roundoff: float
    """Smallest ratio of pivot to diagonal for which the determinants are used."""
    fixed_scale: Any
    """1/(sd sqrt(m)) of each feature, (feature_dim,), or empty where the moments so far say it."""


class PlainStreams:
    """Takes steps of all streams in the functions that NumPy and torch share."""

    def __init__(self, reservoir: Reservoir, heads: Sequence[StreamSums]) -> None:
        self._reservoir, self._finite = reservoir, True
        self.heads = heads
        """The sums of the streams, and of their floors if they have some."""

    def forget(self) -> None:
        """Do not use what was computed from sums that have changed since: there is nothing."""

    def clear(self, streams: Tensor | Sequence[int] | slice, scores: Any) -> None:
        """Forget the given streams, and their scores (num_heads, num_streams)."""
        for head in self.heads:
            head.clear(streams)
        self.heads[0].tensor(scores)[:, streams] = 0.0

    @torch.no_grad()
    def take(self, inputs: Tensor, targets: Tensor, active: Tensor | None) -> torch.dtype:
        """Take pairs, for ``advance`` to add; return the dtype of their features.

        A sum is finite only if all it adds is: two small reductions, before anything that lasts
        has changed. The features of an infinite input can be finite.
        """
        sums = self.heads[0]
        features = self._reservoir.forward(inputs)  # no hooks to call: a step is short
        sums.centre(features, targets, active)
        total = sums.native(inputs if active is None else inputs[active]).sum()
        self._finite = math.isfinite(float(total) * 0 + sums.deviation_power())
        return features.dtype

    @torch.no_grad()
    def advance(
        self, draw: Callable[[], Any], active: Tensor | None, setting: Setting, scores: Any
    ) -> Any:
        """Add the pairs that were taken.

        Args:
            draw: draws the signs of the errors that the floors are given, (num_streams,).
            active: which streams have a pair, (num_streams,); None: all.
            setting: of the observer.
            scores: in bits before the step, (num_heads, num_streams).

        Returns:
            The scores after it, or None, and nothing has changed, if a value was not finite.
        """
        if not self._finite:
            return None
        heads = self.heads
        sums, moving_mean = heads[0], not len(setting.fixed_scale)
        if len(heads) == 2:
            signs = draw()
            if moving_mean:  # the first pair of a stream has the error zero
                signs = signs * (sums.n > 0)
            scale = feature_scale(sums, 1 / sums.n.clip(1)[:, None], setting)
            centre_errors(sums, heads[1], scale, setting.penalty, signs, active)
        for head in heads:
            head.absorb(active, moving_mean=moving_mean)
        found = [self.evaluate(head, setting) for head in heads]
        after = sums.xp.stack(found) if len(found) > 1 else found[0][None]
        return after if active is None else sums.xp.where(sums.native(active), after, scores)

    def evaluate(self, sums: StreamSums, setting: Setting) -> Any:
        """Evaluate S, (num_streams,)."""
        xp = sums.xp
        scale = feature_scale(sums, sums.inverse_count, setting)
        pair = scale[:, :, None] * scale[:, None, :]
        squared, a, a_diagonal = sums.squared, sums.a, sums.a_diagonal
        xp.multiply(sums.outer_and_gram, pair, out=sums.matrices)
        if setting.weight != 1.0:
            squared *= setting.weight
        a_diagonal += setting.penalty
        squared += xp.matmul(a, a)
        try:
            pivots = diagonal(xp.linalg.cholesky(sums.matrices))
        except (np.linalg.LinAlgError, RuntimeError):  # rounding has eaten a pivot
            return self.evaluate_readout(sums, scale, setting)
        if float(sums.squared_diagonal.max()) * setting.roundoff > float(pivots[0].min()) ** 2:
            return self.evaluate_readout(sums, scale, setting)
        logs = xp.log(pivots).sum(-1)
        return (logs[0] - 2 * logs[1]) * (2 * setting.bits)

    def evaluate_readout(self, sums: StreamSums, scale: Any, setting: Setting) -> Any:
        """Evaluate S through W = A^-1 B, where the determinants would lose digits."""
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(sums.tensor(sums.a)))
        readout = torch.bmm(inverse * sums.tensor(scale)[:, None, :], sums.cross)
        return sums.native(code_length(readout, setting.weight, setting.bits * math.log(2)))


def feature_scale(sums: StreamSums, inverse_count: Any, setting: Setting) -> Any:
    """Return 1/(sd sqrt(m)) per feature, and 0 for one that is constant so far.

    Args:
        sums: of all streams.
        inverse_count: 1/n, (num_streams, 1).
        setting: of the observer.

    Returns:
        (num_streams, feature_dim), or (1, feature_dim) where it is fixed.
    """
    if len(setting.fixed_scale):
        return setting.fixed_scale[None]
    mean, variance = sums.feature_mean, sums.gram_diagonal * inverse_count
    constant = ~(variance > setting.constant_ratio * (mean * mean))
    variance *= sums.feature_dim
    if not constant.any():
        return 1 / sums.xp.sqrt(variance)
    # Adding one where constant keeps the root away from zero; the quotient is zero there.
    return ~constant / sums.xp.sqrt(variance + constant)
