"""Permutation entropy, by the package ``antropy`` (the [compare] extra).

Bandt and Pompe, Permutation entropy, Phys. Rev. Lett. 88 (2002).
"""

from __future__ import annotations

import importlib
from typing import Any

from learnable_novelty.compare.columns import Series, as_series, mean_over_columns
from learnable_novelty.compare.registry import Answer, Measure
from learnable_novelty.errors import needs_extra

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
    """
    antropy = load_antropy()
    values = as_series(series)
    if values.shape[0] < PERMUTATION_ORDER:
        return None

    def measure(column: Series) -> float:
        # The package gives -0.0 where there is one pattern.
        return abs(float(antropy.perm_entropy(column, PERMUTATION_ORDER, 1, normalize=True)))

    return mean_over_columns(measure, values)


MEASURE = Measure(
    key="permutation_entropy",
    label="permutation entropy",
    unit="of its most",
    sees="time",
    answer=lambda data: Answer(permutation_entropy(data.series)),
)


def load_antropy() -> Any:
    """Import the package, or say in a sentence which extra brings it."""
    with needs_extra("permutation and sample entropy", "compare"):
        return importlib.import_module("antropy")
