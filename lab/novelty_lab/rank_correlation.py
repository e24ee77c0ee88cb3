"""Spearman's rank correlation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata


def spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pearson's correlation of the ranks along the last axis, 0 where one side is constant.

    SciPy's own gives NaN and a warning there. Equal values share their mean rank, and infinite
    ones are ranked as such.

    Args:
        x: (..., samples).
        y: (..., samples).

    Returns:
        (...,)
    """
    ranks = (rankdata(values, axis=-1) for values in (x, y))
    a, b = (each - each.mean(-1, keepdims=True) for each in ranks)
    size = np.sqrt((a**2).sum(-1) * (b**2).sum(-1))
    return np.where(size > 0, (a * b).sum(-1) / np.where(size > 0, size, 1.0), 0.0)


def agreement(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Correlate the rankings of two sets of scores by name."""
    x, y = (np.array([scores[name] for name in first]) for scores in (first, second))
    return float(spearman(x, y))
