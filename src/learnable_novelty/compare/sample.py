"""Sample entropy, by the package ``antropy`` (the [compare] extra).

Richman and Moorman, Physiological time-series analysis, Am. J. Physiol. 278 (2000).
"""

from __future__ import annotations

import math
from typing import Any

from learnable_novelty.compare.columns import Series, as_series, in_own_units, mean_over_columns
from learnable_novelty.compare.permutation import load_antropy
from learnable_novelty.compare.registry import Answer, ComparedData, Measure

TEMPLATE = 2
"""Values of a template."""
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
    antropy = load_antropy()
    values = in_own_units(as_series(series))

    def measure(column: Series) -> float:
        spread = float(column.std())
        if spread == 0.0:
            return 0.0
        if column.size <= TEMPLATE + 1:
            return math.nan
        nats = antropy.sample_entropy(column, TEMPLATE, TOLERANCE * spread)
        return abs(float(nats)) / math.log(2)

    return mean_over_columns(measure, values)


def _answer(data: ComparedData) -> Answer:
    value = sample_entropy(data.series)
    return Answer(value, "no two stretches are alike" if value is None else "")


MEASURE = Measure("sample_entropy", "sample entropy", "bits per step", "time", _answer)
