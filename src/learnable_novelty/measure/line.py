"""What a straight line of the inputs explains, and whether there is more: a bend.

With the orthonormal span Q of a constant and the inputs, and the leverages h of its rows, a line
leaves r = Y - Q Q'Y. The observer's features, less their own line, are fitted to r; what they
explain of it is compared with that of (I - QQ') (s * r / sqrt(1 - h)), s random signs and Mammen's
weights (the wild bootstrap of a parametric null: Stute, Gonzalez Manteiga and Presedo Quindimil
1998). They keep the size of the noise wherever it is, so noise of varying size is no bend.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from scipy.special import stdtrit
from torch import Tensor

from learnable_novelty.measure.held_out import HeldOut, sums_of
from learnable_novelty.observer.summary import Rows
from learnable_novelty.rearrange import Labels

NOTHING = 1e-10
"""Size of what a line leaves, relative to what was there, that is only rounding."""
OWN_COEFFICIENT = 1e-8
"""1 - h of a row that has a coefficient of its own, such as the only one of a category: the line
leaves nothing of it, and 0 / 0 would decide the test."""


@dataclass(frozen=True)
class Line:
    """The least-squares line of some rows."""

    span: Tensor
    """Q, (num_rows, columns + 1)."""
    fitted: Tensor
    """Q Q'Y less its mean, (num_rows, target_dim)."""
    left: Tensor
    """r, (num_rows, target_dim)."""
    size: Tensor
    """sqrt(1 - h), (num_rows, 1); 1 for rows that the line leaves nothing of."""

    @staticmethod
    def of(inputs: Tensor, targets: Tensor) -> Line | None:
        """Fit a line; None with less than two rows for each coefficient."""
        x, y = inputs.double(), targets.double()
        if 2 * (x.shape[1] + 1) > len(x):
            return None
        x = torch.cat([torch.ones_like(x[:, :1]), x - x.mean(0)], dim=1)
        basis, size, _ = torch.linalg.svd(x, full_matrices=False)
        span = basis[:, size > 1e-9 * size[0]]
        y = y - y.mean(0)
        fitted = span @ (span.T @ y)
        free = 1 - span.square().sum(1, keepdim=True)
        size = torch.where(free > OWN_COEFFICIENT, free, 1.0).sqrt()
        return Line(span, fitted, _more_than_rounding(y - fitted, y), size)

    def bend(self, features: Tensor) -> Rows:
        """Return features without their own line, and what the line leaves of the targets."""
        h = features.double()
        h = h - h.mean(0)
        return Rows(_more_than_rounding(h - self.span @ (self.span.T @ h), h), self.left)

    def of_strength(self, signal: Tensor) -> Tensor:
        """Return the line with this power of each target, (target_dim,)."""
        power = self.fitted.square().sum(0)
        ratio = signal.clamp(min=0) / torch.where(power > 0, power, 1.0)
        return self.fitted * ratio.sqrt()


def _more_than_rounding(left: Tensor, whole: Tensor) -> Tensor:
    """Return columns, those that are only rounding as zeros."""
    small = left.square().sum(0) <= NOTHING**2 * whole.square().sum(0)
    return torch.where(small, 0.0, left)


def paired_difference(
    one: HeldOut, other: HeldOut, units: int | Labels
) -> tuple[float, tuple[float, float]]:
    """Return how much more of the variance the second explains, with a 95% interval.

    With e_i and f_i the squared errors of both, and t_i that of the mean,

        d = sum (e_i - f_i) / sum t_i,    se = sqrt(sum (e_i - f_i - d t_i)^2) / sum t_i

    over independent units of samples.
    """
    e, f, t = (sums_of(values, units) for values in (one.errors, other.errors, other.spread))
    if not t.sum() > 0:
        return 0.0, (0.0, 0.0)
    difference = float((e - f).sum() / t.sum())
    error = float(np.sqrt(np.square(e - f - difference * t).sum()) / t.sum())
    reach = float(stdtrit(max(1, e.size - 1), 0.975)) * error
    return difference, (difference - reach, difference + reach)
