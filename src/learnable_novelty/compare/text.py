"""Series as text: what compressors read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.compare.columns import Series


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
