"""Isolated components of binary tori, and who becomes whom.

Living cells at most two apart belong together, for one step may join them. What is born lies next
to a parent, and the surroundings of two components never touch: so each component of the next frame
can be traced to its parents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    patterns: list[Cells]
    """The patterns that the shapes stand for."""


def find_components(cells: Cells) -> Components:
    """Find the components of tori (time, height, width) of 0 and 1, and trace them."""
    points = np.argwhere(cells)
    owner = _labels(cells, points)
    count = int(owner.max(initial=-1)) + 1
    frame = np.zeros(count, dtype=np.int64)
    frame[owner] = points[:, 0]
    order = np.argsort(owner, kind="stable")
    size = np.bincount(owner, minlength=count)
    groups = np.split(points[order, 1:], np.cumsum(size)[:-1]) if count else []
    shape, corner, patterns = _shapes(groups, cells.shape[1:])
    heir = _heirs(cells.shape, points, owner, count)
    return Components(frame, shape, corner, size, heir, patterns)


def _labels(cells: Cells, points: Integers) -> Integers:
    """Number the component of every living cell, frame by frame in order."""
    index = np.full(cells.shape, -1, dtype=np.int64)
    index[tuple(points.T)] = np.arange(len(points))
    ends: list[Integers] = []
    for down in range(REACH + 1):
        for right in range(-REACH, REACH + 1):
            if (down, right) > (0, 0):
                other = np.roll(index, (-down, -right), (1, 2))[tuple(points.T)]
                linked = np.flatnonzero(other >= 0)
                ends.append(np.stack([linked, other[linked]]))
    first, second = np.concatenate(ends, axis=1)
    label = np.arange(len(points))
    while True:
        # Hook each tree of labels under the smallest neighbour, then flatten the trees.
        a, b = label[first], label[second]
        if bool((a == b).all()):
            break
        np.minimum.at(label, np.maximum(a, b), np.minimum(a, b))
        while not bool((label[label] == label).all()):
            label = label[label]
    return np.unique(label, return_inverse=True)[1]


def _shapes(
    groups: list[Integers], torus: tuple[int, int]
) -> tuple[Integers, Integers, list[Cells]]:
    """Number the patterns of components, and find their corners."""
    known: dict[bytes, int] = {}
    patterns: list[Cells] = []
    shape = np.full(len(groups), -1, dtype=np.int64)
    corner = np.zeros((len(groups), 2), dtype=np.int64)
    sides = np.array(torus)
    for place, points in enumerate(groups):
        # Coordinates around the first cell: right for whatever spans less than half of the torus.
        around = (points - points[0] + sides // 2) % sides
        low, high = around.min(0), around.max(0)
        if bool((2 * (high - low + 1) > sides).any()):
            continue
        pattern = np.zeros(high - low + 1, dtype=np.uint8)
        pattern[tuple((around - low).T)] = 1
        key = bytes(pattern.shape) + np.packbits(pattern).tobytes()
        if key not in known:
            known[key] = len(patterns)
            patterns.append(pattern)
        shape[place] = known[key]
        corner[place] = (points[0] + low - sides // 2) % sides
    return shape, corner, patterns


def _heirs(
    torus: tuple[int, ...], points: Integers, owner: Integers, count: int
) -> Integers:
    """Return for each component the one that it, and nothing else, becomes."""
    around = np.full(torus, -1, dtype=np.int64)
    frames = points[:, 0]
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            rows, columns = (points[:, 1] + down) % torus[1], (points[:, 2] + right) % torus[2]
            around[frames, rows, columns] = owner
    later = frames > 0
    parent = around[frames[later] - 1, points[later, 1], points[later, 2]]
    pairs = np.unique(np.stack([parent, owner[later]])[:, parent >= 0], axis=1)
    children = np.bincount(pairs[0], minlength=count)
    parents = np.bincount(pairs[1], minlength=count)
    alone = (children[pairs[0]] == 1) & (parents[pairs[1]] == 1)
    heir = np.full(count, -1, dtype=np.int64)
    heir[pairs[0, alone]] = pairs[1, alone]
    return heir
