"""One step of all streams, in operations on all of them at once: NumPy on the CPU, else torch.

With A = H~'H~ + lambda I, B = H~'Y~ and Q = BB',

    S = alpha [ log2 det(A^2 + eta Q) - 2 log2 det A ],

because det(I + eta W W') = det(I + eta A^-1 Q A^-1). Q and H'H change by rank-one terms with every
pair (``plain_sums``), so a step costs O(mD + m^3) and no readout is formed.

The determinants square the conditioning of A. Their error is about eps times the ratio of the
largest diagonal entry of A^2 + eta Q to its smallest Cholesky pivot, and at most eight times that
on trajectories of six flows. Where that is more than 2.4e-9, on long streams of collinear
features, the step goes through half of a readout instead, at O(m^2 D): with A = LL' and X = L^-1 B,

    S = alpha [ log2 det(L'L + eta XX') - log2 det(L'L) ].

Where that determinant loses digits as well, the score is marked as doubtful, and ``rounding`` takes
singular values. The entries of Q are those of now, or the largest of the past: a sum that has
become small again keeps the rounding of when it was large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.online.plain_sums import PlainSums, diagonal
from learnable_novelty.observer.online.streams import (
    BY_DETERMINANTS,
    BY_READOUT,
    DOUBTFUL,
    NOT_FINITE,
    TOO_LARGE,
    Setting,
    Streams,
    feature_scale,
)
from learnable_novelty.observer.reservoirs import Reservoir


class PlainStreams(Streams):
    """Holds the sums as arrays of all streams, and takes the steps of all of them at once."""

    def __init__(
        self,
        reservoir: Reservoir,
        num_heads: int,
        num_streams: int,
        target_dim: int,
        target_unit: float,
        device: torch.device | str,
    ) -> None:
        self._reservoir, self.feature_dim = reservoir, reservoir.feature_dim
        self.num_heads, self.target_unit = num_heads, target_unit
        sizes = num_streams, reservoir.feature_dim, target_dim
        self._heads = [PlainSums.zeros(*sizes, device) for _ in range(num_heads)]
        sums, m = self._heads[0], self.feature_dim
        self.scores = sums.native(sums.mean.new_zeros(num_heads, num_streams))
        # A^2 + eta Q of every head, the last one first, and A.
        self._matrices = sums.native(sums.mean.new_zeros(num_heads + 1, num_streams, m, m))
        self.route = np.zeros((num_heads, num_streams), np.int64)
        self.some_doubtful = np.zeros(1, np.bool_)
        self._some_new = True
        """Whether a stream may have seen nothing."""

    @property
    def count(self) -> Tensor:
        return self._heads[0].count

    def tensors(self, head: int) -> dict[str, Tensor]:
        return self._heads[head].tensors()

    def load(self, head: int, tensors: dict[str, Tensor]) -> None:
        self._heads[head].load(tensors)
        self._some_new = True

    def set_origin(self, head: int, origin: Tensor) -> None:
        self._heads[head].origin[:] = origin

    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        for head in self._heads:
            head.clear(streams)
        self.tensor(self.scores)[:, streams] = 0.0
        self.route[:] = BY_DETERMINANTS
        self._some_new = True

    @torch.no_grad()
    def read(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        features = self._reservoir.forward(inputs)  # no hooks to call: a step is short
        self._pair = self._double(inputs), self._double(features), self._double(targets)
        if self.target_unit != 1.0:
            self._pair = *self._pair[:2], self._pair[2] / self.target_unit
        return features.dtype

    def _double(self, values: Tensor) -> Any:
        """View values as an array of float64, or convert them to one."""
        sums = self._heads[0]
        return sums.native(values.detach().to(sums.count))

    @torch.no_grad()
    @np.errstate(over="ignore", invalid="ignore")  # such scores are doubtful
    def advance(self, signs: Any, active: Tensor | None, setting: Setting, allowed: float) -> float:
        heads, moving_mean = self._heads, not len(setting.fixed_scale)
        sums, (inputs, features, targets) = heads[0], self._pair
        # The features of an infinite input can be finite. A sum is finite only if all it adds is.
        total = float((inputs if active is None else inputs[sums.native(active)]).sum())
        power = sums.centre(features, targets, active)
        if not math.isfinite(total * 0 + power):
            return NOT_FINITE
        new = sums.n == 0 if moving_mean and self._some_new else None
        if len(heads) == 2:
            signs = signs if new is None else signs * ~new  # a first pair has the error zero
            power += self._centre_errors(signs, active, setting)
        if not power <= allowed:
            return TOO_LARGE
        if new is not None:
            self._begin(new)
            self._some_new = active is not None
        for head in heads:
            head.absorb(active, moving_mean=moving_mean)
        self._evaluate(active, setting)
        return power

    def _centre_errors(self, signs: Any, active: Tensor | None, setting: Setting) -> float:
        """Hold the deviations of h and e, e = s (y - yhat) of ``floor``; return their power."""
        sums, floor = self._heads
        xp, m, scale = sums.xp, self.feature_dim, self._scale(1 / sums.n.clip(1)[:, None], setting)
        a = sums.gram * (scale[:, :, None] * scale[:, None, :])
        diagonal(a)[:] += setting.penalty
        z = scale * xp.linalg.solve(a, (scale * sums.dh)[:, :, None])[:, :, 0]
        errors = sums.dy - xp.matmul(z[:, None, :], sums.b)[:, 0]
        floor.d[:, :m] = sums.dh
        floor.d[:, m:] = signs[:, None] * errors - floor.mu[:, m:]
        if active is not None:
            floor.deviation[~active] = 0.0
        return float(floor.flat @ floor.flat)

    def _begin(self, new: Any) -> None:
        """Make the pairs of new streams their origins: they deviate by zero then."""
        sums, m = self._heads[0], self.feature_dim
        sums.start[new] = sums.d[new]
        for floor in self._heads[1:]:  # errors have no origin
            floor.start[new, :m] = sums.d[new, :m]
            floor.d[new] = 0.0
        sums.d[new] = 0.0

    def _scale(self, inverse_count: Any, setting: Setting) -> Any:
        """Return the scale of the features of all streams, with 1/n (num_streams, 1)."""
        sums, m = self._heads[0], self.feature_dim
        mean = sums.start[:, :m] + sums.mu[:, :m]
        return feature_scale(sums.xp, sums.gram_diagonal * inverse_count, mean, setting)

    def _evaluate(self, active: Tensor | None, setting: Setting) -> None:
        """Write the scores of the active streams, and how they were computed."""
        sums, xp, self.some_doubtful[:] = self._heads[0], self._heads[0].xp, False
        scale = self._scale(sums.inverse_count, setting)
        logs, exact = self._determinants(scale, setting)
        for row, head in enumerate(self._heads):
            route, place = BY_DETERMINANTS, -1 - row
            if exact[place]:
                bits = (logs[place - 1] - 2 * logs[-1]) * (2 * setting.bits)
            else:
                bits, lost = by_readout(head, self._matrices[-1], scale, setting)
                route = np.where(lost, DOUBTFUL, BY_READOUT)
                self.some_doubtful |= lost.any()
            if active is not None:
                bits = xp.where(sums.native(active), bits, self.scores[row])
                route = np.where(active.cpu().numpy(), route, self.route[row])
            self.scores[row], self.route[row] = bits, route

    def _determinants(self, scale: Any, setting: Setting) -> tuple[Any, list[bool]]:
        """Return half log det of A^2 + eta Q of each head, and of A; and which have their digits.

        The first are (num_heads + 1, num_streams).
        """
        heads, xp, matrices = self._heads, self._heads[0].xp, self._matrices
        squared, a = matrices[:-1], matrices[-1]
        scales = scale[:, :, None] * scale[:, None, :]
        # The last head is that of the pairs, in front of A.
        xp.multiply(heads[0].outer_and_gram, scales, out=matrices[-2:])
        if len(heads) == 2:
            xp.multiply(heads[1].outer, scales, out=squared[0])
        if setting.resolution != 1.0:
            squared *= setting.resolution
        diagonal(a)[:] += setting.penalty
        a_squared = xp.matmul(a, a)
        for matrix in squared:
            matrix += a_squared
        try:
            pivots = diagonal(xp.linalg.cholesky(matrices))
        except (np.linalg.LinAlgError, RuntimeError):  # rounding has eaten a pivot
            return None, [False] * len(heads)
        exact, square = list[bool](), scale * scale
        for row, head in enumerate(reversed(heads)):
            past = float((head.largest * square).max()) * setting.resolution
            most = max(float(squared[row].max()), past)  # the largest entry is on the diagonal
            least = float(pivots[row].min()) ** 2
            exact.append(most * setting.determinant_share <= least < math.inf)
        return xp.log(pivots).sum(-1), exact


def by_readout(sums: PlainSums, a: Any, scale: Any, setting: Setting) -> tuple[Any, Any]:
    """Evaluate S through half of the readout, (num_streams,); tell where that loses digits."""
    factor = torch.linalg.cholesky_ex(sums.tensor(a)).L
    cross = sums.tensor(scale)[:, :, None] * sums.cross
    half = torch.linalg.solve_triangular(factor, cross, upper=False)
    inner = torch.baddbmm(factor.mT @ factor, half, half.mT, alpha=setting.resolution)
    pivots = diagonal(torch.linalg.cholesky_ex(inner).L)
    kept = (pivots.square() >= setting.readout_share * diagonal(inner)).all(-1)
    logs = (pivots / diagonal(factor)).log().sum(-1)
    return sums.native(2 * setting.bits * logs), ~(kept & logs.isfinite()).cpu().numpy()
