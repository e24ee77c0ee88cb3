"""What these measures read: a series, (time, columns), in double precision, or as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.data.memory import as_tensor
from learnable_novelty.errors import UserError

Series = NDArray[np.float64]


def as_series(values: Any) -> Series:
    """Return finite numbers as (time, columns).

    Raises:
        ValueError: for other shapes, NaN, infinities, or fewer than two steps.
    """
    array = as_tensor(values, "the series").double().cpu().numpy()
    if array.ndim != 2:
        raise UserError(f"expected a series (time, columns), got shape {array.shape}")
    return array


def in_own_units(values: Series) -> Series:
    """Divide every column by the power of two next above its largest value.

    1e200 and 1e-200 have no squares in float64, and so no deviations; division by a power of two
    does not round.

    >>> in_own_units(np.array([[3.0, -40.0], [6.0, 1.0]]))
    array([[ 0.375   , -0.625   ],
           [ 0.75    ,  0.015625]])
    """
    largest = np.abs(values).max(axis=0, keepdims=True)
    return np.ldexp(values, -np.frexp(largest)[1])


def mean_over_columns(measure: Callable[[Series], float], series: Series) -> float | None:
    """Average over the columns for which a measure is defined; None if there are none."""
    values = np.array([measure(column) for column in np.ascontiguousarray(series.T)])
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else None


def symbols(series: Series, levels: int) -> NDArray[np.uint8]:
    """Write a series as text: column after column, each value as one of ``levels`` symbols.

    A column of at most ``levels`` different values keeps them apart. Of any other, the symbols are
    equally frequent: value number r of n in ascending order gets floor(levels r / n), equal values
    the same one. So neither units nor outliers matter.

    Args:
        series: (time, columns).
        levels: size of the alphabet, from 2 to 256.

    Returns:
        (columns * time,)

    >>> symbols(np.array([[3.0], [1.0], [9.0], [2.0]]), 2)
    array([1, 0, 1, 0], dtype=uint8)
    """
    text = np.empty((series.shape[1], series.shape[0]), dtype=np.uint8)
    for column, values in enumerate(series.T):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        if counts.size > levels:
            below = np.concatenate([[0], np.cumsum(counts)[:-1]])
            place = (levels * below // values.size)[place]
        text[column] = place
    return text.reshape(-1)
