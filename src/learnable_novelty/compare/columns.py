"""What these measures read: a series, (time, columns), in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from learnable_novelty.measure import as_tensor

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
