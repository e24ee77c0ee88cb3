"""Permutation entropy and sample entropy, by the package ``antropy`` (the [compare] extra)."""

from __future__ import annotations

import math
from typing import Any

from learnable_novelty.compare.columns import Series, as_series, in_own_units, mean_over_columns

PERMUTATION_ORDER = 3
"""Successive values whose order is a pattern."""
TEMPLATE = 2
"""Values of a template of the sample entropy."""
TOLERANCE = 0.2
"""How near values count as equal there, in units of the column's deviation."""


def permutation_entropy(series: Any) -> float | None:
    """Return the entropy of the order patterns of three successive values, as a share of its most.

    H / log2(3!), the mean over columns. Bandt and Pompe, Phys. Rev. Lett. 88 (2002). Equal values
    are ordered as they come, so a constant is always rising: 0.

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


def sample_entropy(series: Any) -> float | None:
    """Return -log2 of the chance that what was alike for two steps is so for a third.

    H = -log2(A / B), B the pairs of templates of two values within 0.2 deviations of each other,
    A those of three; the mean over columns. Richman and Moorman, Am. J. Physiol. 278 (2000). A
    constant column has 0. A column with no B is left out; one with no A is infinite.

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


def load_antropy() -> Any:
    """Import the package, or say in a sentence which extra brings it."""
    try:
        import antropy
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "permutation and sample entropy need the [compare] extra (antropy)", name=error.name
        ) from None
    return antropy
