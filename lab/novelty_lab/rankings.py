"""Rankings with ties, and how well two of them agree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Rank values, the smallest 1; equal ones share their mean rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - (count - 1) / 2)[place]


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Correlate two rankings; 0 where one of them ranks nothing."""
    a, b = mean_ranks(first), mean_ranks(second)
    if a.std() == 0 or b.std() == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def agreement(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Correlate the rankings of two sets of scores by name."""
    return spearman(*(np.array([scores[name] for name in first]) for scores in (first, second)))
