"""Permutation entropy: Bandt and Pompe, Phys. Rev. Lett. 88 (2002)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from novelty_lab.measures.columns import Series, as_series, mean_over_columns
from novelty_lab.measures.registry import Answer, Measure

PERMUTATION_ORDER = 3
"""Successive values whose order is a pattern."""


def permutation_entropy(series: Any) -> float | None:
    """Return the entropy of the order patterns of three successive values, as a share of its most.

    H / log2(3!), the mean over columns. Equal values are ordered as they come, so a constant is
    always rising: 0.

    Args:
        series: (time, columns), at least ``PERMUTATION_ORDER`` steps.

    Returns:
        From 0, one pattern only, to 1, all equally frequent; None for a shorter series.

    >>> permutation_entropy([[1.0], [2.0], [3.0], [1.0]])  # two of six patterns
    0.386...
    """
    values = as_series(series)
    if values.shape[0] < PERMUTATION_ORDER:
        return None
    return mean_over_columns(_of_column, values)


def _of_column(column: Series) -> float:
    # H = -sum_k p_k log2 p_k over the patterns, each the stable order of its values
    windows = np.lib.stride_tricks.sliding_window_view(column, PERMUTATION_ORDER)
    patterns = np.argsort(windows, axis=1, kind="stable")
    keys = patterns @ PERMUTATION_ORDER ** np.arange(PERMUTATION_ORDER)
    counts = np.unique(keys, return_counts=True)[1]
    shares = counts / len(keys)
    entropy = float(shares @ np.log2(1 / shares))
    return entropy / math.log2(math.factorial(PERMUTATION_ORDER))


MEASURE = Measure(
    key="permutation_entropy",
    label="permutation entropy",
    unit="of its most",
    sees="time",
    answer=lambda data: Answer(permutation_entropy(data.series)),
)
