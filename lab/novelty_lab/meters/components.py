"""Isolated components of binary tori, and who becomes whom.

Living cells at most two apart belong together, for one step may join them. What is born lies next
to a parent, and the surroundings of two components never touch: so each component of the next frame
can be traced to its parents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Cells = NDArray[np.uint8]
Integers = NDArray[np.int64]

REACH = 2
"""Cells so far apart, or nearer, belong to one component."""


@dataclass(frozen=True)
class Components:
    """The components of all frames, in order of time."""

    frame: Integers
    """When each was seen, (num_components,)."""
    shape: Integers
    """Equal numbers for equal patterns of cells, (num_components,); -1 for what winds round."""
    corner: Integers
    """Row and column of the upper left corner, (num_components, 2)."""
    size: Integers
    """Living cells, (num_components,)."""
    heir: Integers
    """The component that this one alone becomes, (num_components,); -1 for none or several."""
    offsets: Integers
    """Rows and columns of all cells from their corners, component by component, (num_cells, 2)."""

    def pattern(self, place: int) -> Cells:
        """Draw one component."""
        start = int(self.size[:place].sum())
        cells = self.offsets[start : start + self.size[place]]
        pattern = np.zeros(cells.max(0) + 1, dtype=np.uint8)
        pattern[tuple(cells.T)] = 1
        return pattern


def find_components(cells: Cells) -> Components:
    """Find the components of tori (time, height, width) of 0 and 1, and trace them."""
    points = np.argwhere(cells)
    owner = _labels(cells, points)
    count = int(owner.max(initial=-1)) + 1
    frame = np.zeros(count, dtype=np.int64)
    frame[owner] = points[:, 0]
    order = np.argsort(owner, kind="stable")
    size = np.bincount(owner, minlength=count)
    shape, corner, offsets = _shapes(points[order, 1:], size, cells.shape[1:])
    return Components(
        frame, shape, corner, size, _heirs(cells.shape, points, owner, count), offsets
    )


def _labels(cells: Cells, points: Integers) -> Integers:
    """Number the component of every living cell, frame by frame in order."""
    index = np.full(cells.shape, -1, dtype=np.int64)
    index[tuple(points.T)] = np.arange(len(points))
    ends: list[Integers] = []
    for down in range(REACH + 1):
        for right in range(-REACH, REACH + 1):
            if (down, right) > (0, 0):
                other = index[moved(points, cells.shape, down, right)]
                linked = np.flatnonzero(other >= 0)
                ends.append(np.stack([linked, other[linked]]))
    first, second = np.concatenate(ends, axis=1)
    return join(len(points), first, second)


def join(count: int, first: Integers, second: Integers) -> Integers:
    """Number the connected parts of a graph: (count,), for edges from first to second.

    >>> join(4, np.array([0, 3]), np.array([2, 1]))
    array([0, 1, 0, 1])
    """
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def moved(points: Integers, torus: tuple[int, ...], down: int, right: int) -> tuple[Integers, ...]:
    """Return the places next to points (time, row, column) of a torus."""
    frames, rows, columns = points.T
    return frames, (rows + down) % torus[1], (columns + right) % torus[2]


def _shapes(
    points: Integers, size: Integers, torus: tuple[int, ...]
) -> tuple[Integers, Integers, Integers]:
    """Number the patterns of components, find their corners, and the cells' offsets from these."""
    if not size.size:
        return np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64), points
    starts = np.cumsum(size) - size
    sides = np.array(torus)
    origin = points[starts]
    # Coordinates around the first cell: right for whatever spans less than half of the torus.
    around = (points - origin.repeat(size, 0) + sides // 2) % sides
    low, high = (reduce.reduceat(around, starts) for reduce in (np.minimum, np.maximum))
    offsets = around - low.repeat(size, 0)
    # A pattern is the sum of random words of its cells: two patterns share one in 2^64 cases.
    words = np.random.default_rng(0).integers(0, 2**64, size=torus, dtype=np.uint64)
    key = np.add.reduceat(words[tuple(offsets.T)], starts)
    shape = np.unique(key, return_inverse=True)[1]
    winds = (2 * (high - low + 1) > sides).any(1)
    return np.where(winds, -1, shape), (origin + low - sides // 2) % sides, offsets


def _heirs(torus: tuple[int, ...], points: Integers, owner: Integers, count: int) -> Integers:
    """Return for each component the one that it, and nothing else, becomes."""
    around = np.full(torus, -1, dtype=np.int64)
    frames = points[:, 0]
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            around[moved(points, torus, down, right)] = owner
    later = frames > 0
    parent = around[frames[later] - 1, points[later, 1], points[later, 2]]
    pairs = np.unique(np.stack([parent, owner[later]])[:, parent >= 0], axis=1)
    children = np.bincount(pairs[0], minlength=count)
    parents = np.bincount(pairs[1], minlength=count)
    alone = (children[pairs[0]] == 1) & (parents[pairs[1]] == 1)
    heir = np.full(count, -1, dtype=np.int64)
    heir[pairs[0, alone]] = pairs[1, alone]
    return heir
