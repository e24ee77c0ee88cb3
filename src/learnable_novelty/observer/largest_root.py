"""How large the largest root of pure noise is.

Noise of r feature directions and D targets, whitened by its own estimated covariance, is a matrix
whose largest squared singular value has a known law: that of Tracy and Widom after a shift and a
scaling. Johnstone (2001) gives both for a known covariance (one Wishart matrix),

    s^2 = mu + sigma x,   mu = (a + b)^2,   sigma = (a + b) (1/a + 1/b)^(1/3)

with a^2 = r - 1/2 and b^2 = D - 1/2, and Johnstone (2008) for one that was estimated with f degrees
of freedom (two Wishart matrices),

    log(s^2 / f) = mu + sigma x,   mu = 2 log tan((p + g) / 2),
    sigma^3 = 16 / (f + r - 1)^2 / (sin(p + g)^2 sin p sin g)

with sin^2(g/2) = (min(r, D) - 1/2) / (f + r - 1), and p the same with the maximum. With one target
this is the F test. x has the Tracy-Widom law of order 1, here in the gamma approximation of Chiani
(2014), which is right to three digits in the tails that matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

SHAPE, SCALE, SHIFT = 46.446, 0.186054, 9.84801
"""Of the gamma law that approximates the one of Tracy and Widom."""
MEAN, DEVIATION = -1.2065, 1.268
"""Of the law itself."""


def upper_tail(x: float) -> float:
    """Return the probability of more than x under the Tracy-Widom law of order 1.

    >>> round(upper_tail(0.9793), 3), round(upper_tail(2.0234), 3)
    (0.05, 0.01)
    """
    if x <= -SHIFT:
        return 1.0
    value = torch.tensor([SHAPE, (x + SHIFT) / SCALE], dtype=torch.float64)
    return float(torch.special.gammaincc(value[0], value[1]))


def quantile(tail: float) -> float:
    """Return the x whose upper tail is this."""
    low, high = -SHIFT, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if upper_tail(middle) > tail else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class LargestRoot:
    """The law of the largest root of whitened noise.

    Args:
        directions: r, of the features.
        targets: D.
        freedom: f, degrees of freedom of the residuals.
        estimated: how many of the targets are whitened by an estimated covariance, from 1 (each
            by its own variance, as if they were uncorrelated) to D.
        common: largest eigenvalue of the noise correlation that the whitening has left.
    """

    directions: int
    targets: int
    freedom: float
    estimated: float = 1.0
    common: float = 1.0

    def at(self, x: float) -> float:
        """Return the root at x of the Tracy-Widom law."""
        # Correlated targets are fewer: noise common to all D is one target of D times the power.
        wide = max(1.0, self.targets / self.common)
        centre, scale = _double_wishart(self.directions, self.estimated, self.freedom)
        root = self.freedom * math.exp(centre + scale * x)
        # What is not estimated together adds its width as a known covariance would.
        more, less = (_wishart(self.directions, d, max(x, 0.0)) for d in (wide, self.estimated))
        return root * self.common * more / less

    def p_value(self, root: float) -> float:
        """Return the probability of a larger root under noise alone."""
        low, high = -SHIFT, 1.0
        while self.at(high) < root and high < 1e4:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.at(middle) < root else (low, middle)
        return upper_tail(low)


def _wishart(directions: int, targets: float, x: float) -> float:
    a, b = math.sqrt(directions - 0.5), math.sqrt(targets - 0.5)
    return (a + b) ** 2 + (a + b) * (1 / a + 1 / b) ** (1 / 3) * x


def _double_wishart(directions: int, targets: float, freedom: float) -> tuple[float, float]:
    size = freedom + directions - 1
    few, many = sorted((float(directions), targets))
    g, p = (2 * math.asin(math.sqrt((value - 0.5) / size)) for value in (few, many))
    spread = 16 / size**2 / (math.sin(p + g) ** 2 * math.sin(p) * math.sin(g))
    return 2 * math.log(math.tan((p + g) / 2)), spread ** (1 / 3)
