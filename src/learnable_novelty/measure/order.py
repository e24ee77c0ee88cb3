"""An order of columns that puts those side by side that tell most about each other."""

from __future__ import annotations

import itertools

import numpy as np


def by_linkage(distances: np.ndarray) -> list[int]:
    """Order items by average linkage: merge the two nearest clusters until one is left.

    Clusters are lists; of the four ways to join two of them, that whose ends are nearest is taken.

    Args:
        distances: symmetric, (items, items).

    >>> apart = np.array([[0, 9, 1.0], [9, 0, 8], [1, 8, 0]])
    >>> by_linkage(apart)
    [0, 2, 1]
    """
    clusters = [[item] for item in range(len(distances))]
    between = np.array(distances, dtype=float)
    np.fill_diagonal(between, np.inf)
    while len(clusters) > 1:
        i, j = sorted(np.unravel_index(int(between.argmin()), between.shape))
        sizes = len(clusters[i]), len(clusters[j])
        merged = (sizes[0] * between[i] + sizes[1] * between[j]) / sum(sizes)
        ways = itertools.product((clusters[i], clusters[i][::-1]), (clusters[j], clusters[j][::-1]))
        clusters[i] = min(
            (one + other for one, other in ways),
            key=lambda way: distances[way[sizes[0] - 1], way[sizes[0]]],
        )
        between[i], between[:, i] = merged, merged
        between[i, i] = np.inf
        del clusters[j]
        between = np.delete(np.delete(between, j, 0), j, 1)
    return clusters[0] if clusters else []
