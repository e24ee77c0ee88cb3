"""95% intervals of means, by Student's distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scipy.special import stdtrit


def student(freedom: float) -> float:
    """Return the two-sided 95% point of Student's distribution; fewer degrees than 1 count as 1."""
    return float(stdtrit(max(freedom, 1.0), 0.975))


def half_interval(measured: Mapping[str, Any]) -> float:
    """Return half the width of the interval of a mean, or 0 for a single run.

    Args:
        measured: number of ``runs``, and their sample deviation ``sd``.
    """
    runs = measured["runs"]
    return student(runs - 1) * measured["sd"] / runs**0.5 if runs > 1 else 0.0
