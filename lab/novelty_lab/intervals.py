"""95% intervals of means, by Student's distribution."""

from __future__ import annotations

from scipy.special import stdtrit


def student(freedom: float) -> float:
    """Return the two-sided 95% point of Student's distribution; fewer degrees than 1 count as 1."""
    return float(stdtrit(max(freedom, 1.0), 0.975))
