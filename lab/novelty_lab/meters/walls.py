"""Domains of a binary torus: large regions of like cells, and the walls between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from novelty_lab.meters.components import join

Cells = NDArray[np.uint8]

LARGE = 0.01
"""A region of like cells is a domain if it holds this share of the torus."""
REACH = 2
"""A cell so near to domains of both states lies at a wall; two steps see no farther."""


@dataclass(frozen=True)
class Domains:
    """The domains of a history's first frame, and what happens at their walls.

    Args:
        count: how many domains there are.
        covered: share of the cells that lie in them.
        largest: share of the cells that lie in the largest; 0 if there is none.
        walls: sides of cells at which unlike cells meet, per cell; 1 in a random soup of one half.
        later_walls: the same ``steps`` later.
        at_walls: of the cells that differ after two steps, the share that lies between domains of
            both states; None if none differs.
        turned: share of the cells that differ ``steps`` later.
        steps: how many steps later that is; an even number, so that planes which flash are compared
            in phase.
    """

    count: int
    covered: float
    largest: float
    walls: float
    later_walls: float
    at_walls: float | None
    turned: float
    steps: int


def measure_domains(history: Cells) -> Domains:
    """Measure the domains of a binary torus, (time, height, width) of 0 and 1.

    >>> halves = np.zeros((3, 8, 8), dtype=np.uint8)
    >>> halves[:, 4:] = 1
    >>> domains = measure_domains(halves)
    >>> domains.count, domains.covered, domains.largest, domains.walls
    (2, 1.0, 0.5, 0.25)
    """
    if history.ndim != 3 or len(history) < 3:
        raise UserError(
            f"expected a history (time, height, width) of three frames or more, got shape "
            f"{history.shape}"
        )
    steps = (len(history) - 1) // 2 * 2
    first, later = history[0], history[steps]
    region = regions(first)
    size = np.bincount(region.ravel()) / first.size
    large = size >= LARGE
    changed = first != history[2]
    wall = _near(large[region] & (first == 0)) & _near(large[region] & (first == 1))
    return Domains(
        count=int(large.sum()),
        covered=float(size[large].sum()),
        largest=float(size[large].max(initial=0.0)),
        walls=wall_length(first),
        later_walls=wall_length(later),
        at_walls=float(wall[changed].mean()) if changed.any() else None,
        turned=float((first != later).mean()),
        steps=steps,
    )


def regions(cells: Cells) -> NDArray[np.int64]:
    """Number the regions of like cells that share sides, (height, width)."""
    place = np.arange(cells.size).reshape(cells.shape)
    edges: list[NDArray[np.int64]] = []
    for axis in (0, 1):
        like = cells == np.roll(cells, -1, axis)
        edges.append(np.stack([place[like], np.roll(place, -1, axis)[like]]))
    return join(cells.size, *np.concatenate(edges, axis=1)).reshape(cells.shape)


def wall_length(cells: Cells) -> float:
    """Return the sides of cells at which unlike cells meet, per cell."""
    return float(sum((cells != np.roll(cells, 1, axis)).mean() for axis in (0, 1)))


def _near(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the cells that have a marked one within reach."""
    for axis in (0, 1):
        mask = np.logical_or.reduce([np.roll(mask, by, axis) for by in range(-REACH, REACH + 1)])
    return mask
