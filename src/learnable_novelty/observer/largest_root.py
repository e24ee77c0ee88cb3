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

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

SHAPE, SCALE, SHIFT = 46.446, 0.186054, 9.84801
"""Of the gamma law that approximates the one of Tracy and Widom."""
MEAN, DEVIATION = -1.2065, 1.268
"""Of the law itself."""


def special() -> Any:
    """Return SciPy's special functions, which are imported when they are first used."""
    import scipy.special

    return scipy.special


def upper_tail(x: float) -> float:
    """Return the probability of more than x under the Tracy-Widom law of order 1.

    >>> round(upper_tail(0.9793), 3), round(upper_tail(2.0234), 3)
    (0.05, 0.01)
    """
    return float(special().gammaincc(SHAPE, max(0.0, x + SHIFT) / SCALE))


@cache
def quantile(tail: float) -> float:
    """Return the x whose upper tail is this."""
    return float(special().gammainccinv(SHAPE, tail)) * SCALE - SHIFT


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
        (centre, scale), (wide, spread), (known, width) = self._laws
        root = self.freedom * math.exp(centre + scale * x)
        # What is not estimated together adds its width as a known covariance would.
        above = max(x, 0.0)
        return root * self.common * (wide + spread * above) / (known + width * above)

    @cached_property
    def _laws(self) -> tuple[tuple[float, float], ...]:
        """Centres and scales: estimated covariance, and known ones of all targets and of those."""
        # Correlated targets are fewer: noise common to all D is one target of D times the power.
        wide = max(1.0, self.targets / self.common)
        return (
            _double_wishart(self.directions, self.estimated, self.freedom),
            _wishart(self.directions, wide),
            _wishart(self.directions, self.estimated),
        )

    def p_value(self, root: float) -> float:
        """Return the probability of a larger root under noise alone."""
        if self.targets == 1:
            return _f_tail(self.directions, self.freedom, root)
        from scipy.optimize import brentq

        high = 1.0
        while self.at(high) < root and high < 1e4:
            high *= 2
        if not self.at(-SHIFT) < root < self.at(high):
            return upper_tail(high if root >= self.at(high) else -SHIFT)
        found: Any = brentq(lambda x: self.at(x) - root, -SHIFT, high, xtol=1e-14)
        return upper_tail(found)


def _f_tail(directions: int, freedom: float, root: float) -> float:
    """Return the upper tail of root / r under the law of F with r and f degrees."""
    return float(special().betainc(freedom / 2, directions / 2, freedom / (freedom + root)))


def _f_root(directions: int, freedom: float, tail: float) -> float:
    """Return the root with this upper tail."""
    share = float(special().betaincinv(freedom / 2, directions / 2, tail))
    return freedom * (1 / share - 1) if share > 0 else math.inf


def _wishart(directions: int, targets: float) -> tuple[float, float]:
    a, b = math.sqrt(directions - 0.5), math.sqrt(targets - 0.5)
    return (a + b) ** 2, (a + b) * (1 / a + 1 / b) ** (1 / 3)


def _double_wishart(directions: int, targets: float, freedom: float) -> tuple[float, float]:
    size, few, many = freedom + directions - 1, *sorted((float(directions), targets))
    g = 2 * math.asin(math.sqrt((few - 0.5) / size))
    p = 2 * math.asin(math.sqrt((many - 0.5) / size))
    spread = 16 / size**2 / (math.sin(p + g) ** 2 * math.sin(p) * math.sin(g))
    return 2 * math.log(math.tan((p + g) / 2)), spread ** (1 / 3)
