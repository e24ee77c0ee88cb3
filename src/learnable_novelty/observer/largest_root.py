"""How large the largest root of pure noise is.

Noise of r feature directions and D targets, whitened by its own estimated covariance, is a matrix
whose largest squared singular value has a known law: that of Tracy and Widom after a shift and a
scaling. Johnstone (2001) gives both for a known covariance (one Wishart matrix),

    s^2 = mu + sigma x,   mu = (a + b)^2,   sigma = (a + b) (1/a + 1/b)^(1/3)

with a^2 = r - 1/2 and b^2 = D - 1/2, and Johnstone (2008) for one that was estimated with f degrees
of freedom (two Wishart matrices),

    log(s^2 / f) = mu + sigma x,   mu = 2 log tan((p + g) / 2),
    sigma^3 = 16 / (f + r - 1)^2 / (sin(p + g)^2 sin p sin g)

with sin^2(g/2) = (min(r, D) - 1/2) / (f + r - 1), and p the same with the maximum. x has the
Tracy-Widom law of order 1, here in the gamma approximation of Chiani (2014), which is right to
three digits in the tails that matter. With one target the law is that of the F test, exactly.
"""

from __future__ import annotations

import functools
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


@functools.cache
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
        """Return the root whose upper tail is that of x under the Tracy-Widom law."""
        if self.targets == 1:
            return _f_root(self.directions, self.freedom, upper_tail(x))
        # Correlated targets are fewer: noise common to all D is one target of D times the power.
        wide = max(1.0, self.targets / self.common)
        centre, scale = _double_wishart(self.directions, self.estimated, self.freedom)
        root = self.freedom * math.exp(centre + scale * x)
        # What is not estimated together adds its width as a known covariance would.
        more, less = (_wishart(self.directions, d, max(x, 0.0)) for d in (wide, self.estimated))
        return root * self.common * more / less

    def p_value(self, root: float) -> float:
        """Return the probability of a larger root under noise alone."""
        if self.targets == 1:
            return _f_tail(self.directions, self.freedom, root)
        low, high = -SHIFT, 1.0
        while self.at(high) < root and high < 1e4:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.at(middle) < root else (low, middle)
        return upper_tail(low)


def _f_tail(directions: int, freedom: float, root: float) -> float:
    """Return the upper tail of root / r under the law of F with r and f degrees."""
    return incomplete_beta(freedom / 2, directions / 2, freedom / (freedom + root))


@functools.lru_cache
def _f_root(directions: int, freedom: float, tail: float) -> float:
    """Return the root with this upper tail, by bisection: reservoir draws ask for the same one."""
    low, high = 0.0, 1.0
    while not _f_tail(directions, freedom, high) <= tail and high < 1e300:
        low, high = high, 4 * high
    while low < (middle := (low + high) / 2) < high:
        reached = _f_tail(directions, freedom, middle) <= tail
        low, high = (low, middle) if reached else (middle, high)
    return high


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularized incomplete beta function, by its continued fraction.

    >>> round(incomplete_beta(10.0, 2.5, 0.6), 6)  # the F test of 2.667 with 5 and 20 degrees
    0.052797
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front += a * math.log(x) + b * math.log1p(-x)
    c, d, value = 1.0, 1 / (1 - (a + b) * x / (a + 1)), 1 / (1 - (a + b) * x / (a + 1))
    for k in range(1, 500):
        even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        before = value
        for term in (even, odd):  # Lentz
            d, c = 1 / (1 + term * d), 1 + term / c
            value *= c * d
        if abs(value - before) <= 1e-15 * abs(value):
            break
    return math.exp(front) * value / a


def _wishart(directions: int, targets: float, x: float) -> float:
    a, b = math.sqrt(directions - 0.5), math.sqrt(targets - 0.5)
    return (a + b) ** 2 + (a + b) * (1 / a + 1 / b) ** (1 / 3) * x


def _double_wishart(directions: int, targets: float, freedom: float) -> tuple[float, float]:
    size = freedom + directions - 1
    few, many = sorted((float(directions), targets))
    g, p = (2 * math.asin(math.sqrt((value - 0.5) / size)) for value in (few, many))
    spread = 16 / size**2 / (math.sin(p + g) ** 2 * math.sin(p) * math.sin(g))
    return 2 * math.log(math.tan((p + g) / 2)), spread ** (1 / 3)
