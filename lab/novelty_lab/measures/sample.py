"""Sample entropy: Richman and Moorman, Am. J. Physiol. 278 (2000)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from novelty_lab.measures.columns import Series, as_series, in_own_units, mean_over_columns
from novelty_lab.measures.registry import Answer, ComparedData, Measure

TEMPLATE = 2
"""Values of the shorter template."""
TOLERANCE = 0.2
"""How near values count as equal, in units of the column's deviation."""


def sample_entropy(series: Any) -> float | None:
    """Return -log2 of the chance that what was alike for two steps is so for a third.

    H = -log2(A / B), B the pairs of templates of two values within 0.2 deviations of each other,
    A those of three; the mean over columns. A constant column has 0. A column with no B is left
    out; one with no A is infinite.

    Args:
        series: (time, columns).

    Returns:
        Bits per step; None where no column has a B.
    """
    return mean_over_columns(_of_column, in_own_units(as_series(series)))


def _of_column(column: Series) -> float:
    spread = float(column.std())
    if spread == 0.0:
        return 0.0
    twos = threes = 0
    # Pairs of templates by their distance in time; those of two values must have a third.
    for lag in range(1, column.size - TEMPLATE):
        near = np.abs(column[lag:] - column[:-lag]) <= TOLERANCE * spread
        both = near[:-2] & near[1:-1]
        twos += np.count_nonzero(both)
        threes += np.count_nonzero(both & near[2:])
    if twos == 0:
        return math.nan
    return math.log2(twos / threes) if threes else math.inf


def _answer(data: ComparedData) -> Answer:
    value = sample_entropy(data.series)
    return Answer(value, "no two stretches are alike" if value is None else "")


MEASURE = Measure("sample_entropy", "sample entropy", "bits per step", "time", _answer)
