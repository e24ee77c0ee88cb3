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

Where that determinant loses digits as well, the score is marked as doubtful, and ``digits`` takes
singular values. The entries of Q are those of now, or the largest of the past: a sum that has
become small again keeps the rounding of when it was large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.online.floor import centre_errors
from learnable_novelty.observer.online.plain_sums import PlainSums, diagonal
from learnable_novelty.observer.online.setting import Setting, feature_scale
from learnable_novelty.observer.online.streams import NOT_FINITE, TOO_LARGE, Streams
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
        sums = self._heads[0]
        self._pairs = torch.zeros_like(sums.mean)
        self.scores = sums.native(sums.mean.new_zeros(num_heads, num_streams))
        self.doubtful = np.zeros((num_heads, num_streams), np.bool_)
        self.by_readout = np.zeros((num_heads, num_streams), np.bool_)
        self._some_new = True
        """Whether a stream may have seen nothing."""

    @property
    def count(self) -> Tensor:
        return self._heads[0].count

    def tensor(self, values: Any) -> Tensor:
        return self._heads[0].tensor(values)

    def tensors(self, head: int) -> dict[str, Tensor]:
        return self._heads[head].tensors()

    def target_sums(self, head: int) -> tuple[Tensor, Tensor]:
        sums = self._heads[head]
        return sums.power, (sums.origin + sums.mean)[:, sums.feature_dim :]

    def load(self, head: int, tensors: dict[str, Tensor]) -> None:
        self._heads[head].load(tensors)
        self._some_new = True

    def set_origin(self, head: int, origin: Tensor) -> None:
        self._heads[head].origin[:] = origin

    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        for head in self._heads:
            head.clear(streams)
        self.tensor(self.scores)[:, streams] = 0.0
        self._some_new = True

    @torch.no_grad()
    def read(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        m = self._heads[0].feature_dim
        features = self._reservoir.forward(inputs)  # no hooks to call: a step is short
        self._pairs[:, :m] = features
        self._pairs[:, m:] = targets
        if self.target_unit != 1.0:
            self._pairs[:, m:] /= self.target_unit
        self._inputs = inputs.double()
        return features.dtype

    @torch.no_grad()
    @np.errstate(over="ignore", invalid="ignore")  # such scores are doubtful
    def advance(
        self, draw: Callable[[], Any], active: Tensor | None, setting: Setting, allowed: float
    ) -> float:
        heads, moving_mean = self._heads, not len(setting.fixed_scale)
        sums = heads[0]
        # The features of an infinite input can be finite. A sum is finite only if all it adds is.
        total = float((self._inputs if active is None else self._inputs[active]).sum())
        power = sums.centre(sums.native(self._pairs), active)
        if not math.isfinite(total * 0 + power):
            return NOT_FINITE
        new = sums.n == 0 if moving_mean and self._some_new else None
        if new is not None:
            sums.d[new] = 0.0
        if len(heads) == 2:
            scale = self._scale(1 / sums.n.clip(1)[:, None], setting)
            signs = draw()
            signs = signs if new is None else signs * ~new  # a first pair has the error zero
            power += centre_errors(sums, heads[1], scale, setting.penalty, signs, active)
        if not power <= allowed:
            return TOO_LARGE
        if new is not None:
            self._begin(new if active is None else new & sums.native(active))
            self._some_new = active is not None
        for head in heads:
            head.absorb(active, moving_mean=moving_mean)
        self._evaluate(active, setting)
        return power

    def _begin(self, new: Any) -> None:
        """Make the pairs of new streams their origins; errors have none."""
        m, pairs = self.feature_dim, self._heads[0].native(self._pairs)
        self._heads[0].start[new] = pairs[new]
        for floor in self._heads[1:]:
            floor.start[new, :m] = pairs[new, :m]

    def _scale(self, inverse_count: Any, setting: Setting) -> Any:
        """Return the scale of the features of all streams, with 1/n (num_streams, 1)."""
        sums, m = self._heads[0], self.feature_dim
        mean = sums.start[:, :m] + sums.mu[:, :m]
        return feature_scale(sums.xp, sums.gram_diagonal * inverse_count, mean, setting)

    def _evaluate(self, active: Tensor | None, setting: Setting) -> None:
        """Write the scores of the active streams, and whether they have lost digits."""
        sums, xp = self._heads[0], self._heads[0].xp
        scale = self._scale(sums.inverse_count, setting)
        self.doubtful[:] = False
        for row, head in enumerate(self._heads):
            bits = by_determinants(head, scale, setting)
            self.by_readout[row] = bits is None
            if bits is None:
                bits, doubtful = by_readout(head, scale, setting)
                self.doubtful[row] = doubtful
            if active is not None:
                bits = xp.where(sums.native(active), bits, self.scores[row])
                self.doubtful[row] &= active.cpu().numpy()
            self.scores[row] = bits


def by_determinants(sums: PlainSums, scale: Any, setting: Setting) -> Any:
    """Evaluate S, (num_streams,), or return None where that loses digits."""
    xp, squared, a = sums.xp, sums.squared, sums.a
    scales = scale[:, :, None] * scale[:, None, :]
    xp.multiply(sums.outer_and_gram, scales, out=sums.matrices)
    if setting.weight != 1.0:
        squared *= setting.weight
    diagonal(a)[:] += setting.penalty
    squared += xp.matmul(a, a)
    past = float((sums.largest * (scale * scale)).max()) * setting.weight
    try:
        pivots = diagonal(xp.linalg.cholesky(sums.matrices))
    except (np.linalg.LinAlgError, RuntimeError):  # rounding has eaten a pivot
        return None
    most = max(float(diagonal(squared).max()), past)
    if not most * setting.determinant_share <= float(pivots[0].min()) ** 2 < math.inf:
        return None
    logs = xp.log(pivots).sum(-1)
    return (logs[0] - 2 * logs[1]) * (2 * setting.bits)


def by_readout(sums: PlainSums, scale: Any, setting: Setting) -> tuple[Any, Any]:
    """Evaluate S through half of the readout, (num_streams,); tell where that loses digits."""
    factor = torch.linalg.cholesky_ex(sums.tensor(sums.a)).L
    cross = sums.tensor(scale)[:, :, None] * sums.cross
    half = torch.linalg.solve_triangular(factor, cross, upper=False)
    inner = torch.baddbmm(factor.mT @ factor, half, half.mT, alpha=setting.weight)
    pivots = diagonal(torch.linalg.cholesky_ex(inner).L)
    kept = (pivots.square() >= setting.readout_share * diagonal(inner)).all(-1)
    logs = (pivots / diagonal(factor)).log().sum(-1)
    return sums.native(2 * setting.bits * logs), ~(kept & logs.isfinite()).cpu().numpy()
