"""Measures of a series, (time, columns): gzip and permutation entropy."""

from __future__ import annotations

import gzip
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.data.memory import as_tensor
from learnable_novelty.errors import UserError
from novelty_lab.measures.registry import Answer, Measure

Series = NDArray[np.float64]
GZIP_LEVELS = 16
"""Symbols that a value is read as. With 256, one for every byte, no two stretches of a thousand
values of a chaotic flow are alike, and gzip finds nothing in Lorenz."""
PERMUTATION_ORDER = 3
"""Successive values whose order is a pattern."""


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


def gzip_rate(series: Any) -> float:
    """Return 8 times the compressed bytes by the values, at gzip's highest setting.

    Values are read as 16 equally frequent levels, or as they are if a column has no more different
    ones; see ``symbols``. Noise needs 4 bits, or those of its alphabet, and some more; a constant
    next to none. Gzip's own header of 18 bytes is included.
    """
    text = symbols(as_series(series), GZIP_LEVELS)
    return 8.0 * len(gzip.compress(text.tobytes(), compresslevel=9, mtime=0)) / text.size


def permutation_entropy(series: Any) -> float | None:
    """Return the entropy of the order patterns of three successive values, as a share of its most.

    Bandt and Pompe, Phys. Rev. Lett. 88 (2002): H / log2(3!), the mean over columns. Equal values
    are ordered as they come, so a constant is always rising: 0. None for fewer than three steps.

    >>> permutation_entropy([[1.0], [2.0], [3.0], [1.0]])  # two of six patterns
    0.386...
    """
    values = as_series(series)
    if values.shape[0] < PERMUTATION_ORDER:
        return None
    return float(np.mean([_permutation_entropy_of(column) for column in values.T]))


def _permutation_entropy_of(column: Series) -> float:
    # H = -sum_k p_k log2 p_k over the patterns, each the stable order of its values
    windows = np.lib.stride_tricks.sliding_window_view(column, PERMUTATION_ORDER)
    patterns = np.argsort(windows, axis=1, kind="stable")
    keys = patterns @ PERMUTATION_ORDER ** np.arange(PERMUTATION_ORDER)
    shares = np.unique(keys, return_counts=True)[1] / len(keys)
    return float(shares @ np.log2(1 / shares)) / math.log2(math.factorial(PERMUTATION_ORDER))


GZIP = Measure(
    "gzip", "gzip", "bits per value", "rows", lambda data: Answer(gzip_rate(data.series))
)
PERMUTATION_ENTROPY = Measure(
    key="permutation_entropy",
    label="permutation entropy",
    unit="of its most",
    sees="time",
    answer=lambda data: Answer(permutation_entropy(data.series)),
)
