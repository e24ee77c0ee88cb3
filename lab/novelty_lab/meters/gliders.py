"""The soliton meter in two dimensions: tracked components that return moved."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from learnable_novelty.errors import UserError
from novelty_lab.meters.components import Components, find_components

Integers = NDArray[np.int64]

CROWDED = 0.15
"""Where more of the cells differ from the background nothing is isolated."""


@dataclass(frozen=True)
class Glider:
    """A kind of moving pattern; directions and reflections of it are one kind."""

    period: int
    """Steps after which the pattern returns, moved."""
    displacement: tuple[int, int]
    """By how many cells a period, the larger component first."""
    count: int
    """How often one was followed for two periods."""
    pattern: NDArray[np.uint8] = dataclasses.field(repr=False, compare=False)
    """What it looks like at its smallest."""

    @property
    def speed(self) -> float:
        """Cells per step, the larger component: at most one, the speed of light."""
        return self.displacement[0] / self.period

    @property
    def heading(self) -> str:
        """Say which way: "orthogonal", "diagonal" or "oblique"."""
        far, near = self.displacement
        return "orthogonal" if near == 0 else "diagonal" if near == far else "oblique"

    def __str__(self) -> str:
        reduced = math.gcd(self.displacement[0], self.period)
        top, bottom = self.displacement[0] // reduced, self.period // reduced
        speed = f"{'' if top == 1 else top}c" + (f"/{bottom}" if bottom > 1 else "")
        return f"{speed} {self.heading}, period {self.period}"


@dataclass(frozen=True)
class Gliders:
    """What moves, and what stands, in a field.

    Args:
        kinds: moving patterns, the most frequent first.
        still: standing patterns that do not change, per frame.
        oscillating: standing patterns that change and return, per frame.
        main_period: the most frequent period of these; 0 if there are none.
        main_share: the share of these that has it.
        isolated: share of the cells off the background that belong to tracked patterns.
        crowded: share of the frames in which too much is off the background to look.
    """

    kinds: list[Glider]
    still: float
    oscillating: float
    main_period: int
    main_share: float
    isolated: float
    crowded: float

    @property
    def moving(self) -> int:
        """How many moving patterns were followed."""
        return sum(kind.count for kind in self.kinds)


def measure_gliders(
    field: ArrayLike | Tensor, *, max_period: int = 64, min_steps: int = 12
) -> Gliders:
    """Find periodic moving patterns in the history of a binary torus.

    1. Background: the more frequent state of each frame, so that empty planes which flash are
       empty.
    2. Components: cells at most two apart; each is followed while it becomes one component and
       that one comes from it alone (``components``). What splits, as a replicator does, merges or
       collides ends there.
    3. Return: a component returns after p steps if its pattern is then the same, perhaps moved. One
       that keeps returning with the same displacement for p further steps and for ``min_steps`` in
       all is a glider if it is displaced, an oscillator or still life if not.

    Args:
        field: (time, height, width) of 0 and 1.
        max_period: longest period searched.
        min_steps: how long a pattern must be followed at least.

    Raises:
        ValueError: on a field that is not binary, or too short.

    >>> from novelty_lab.systems.life import LifeRule
    >>> torus = np.zeros((20, 20), dtype=np.uint8)
    >>> torus[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    >>> history = LifeRule("B3/S23").run(torus, 24)
    >>> [str(kind) for kind in measure_gliders(history, max_period=8).kinds]
    ['c/4 diagonal, period 4']
    """
    cells = _checked(field, max_period, min_steps)
    off = off_background(cells)
    crowded = off.mean((1, 2)) > CROWDED
    off[crowded] = 0
    components = find_components(off)
    period, moved = _returns(components, cells.shape[1:], max_period)
    ends, tracked = _tracks(components, period, moved, min_steps)
    standing = tracked & ~moved.any(1)
    periods = np.bincount(period[standing & (period > 1)])
    frames = max(1, int((~crowded).sum()))
    return Gliders(
        kinds=_kinds(components, period, moved, ends),
        still=float((standing & (period == 1)).sum()) / frames,
        oscillating=float((standing & (period > 1)).sum()) / frames,
        main_period=int(periods.argmax()) if periods.size else 0,
        main_share=float(periods.max() / periods.sum()) if periods.size else 0.0,
        isolated=float(components.size[tracked].sum() / max(1, components.size.sum())),
        crowded=float(crowded.mean()),
    )


def off_background(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Mark the cells that are not in the more frequent state of their frame."""
    share = cells.mean((-2, -1), keepdims=True)
    return np.where(share > 0.5, 1 - cells, cells)


def _checked(field: ArrayLike | Tensor, max_period: int, min_steps: int) -> NDArray[np.uint8]:
    cells = np.asarray(field.cpu() if isinstance(field, torch.Tensor) else field)
    if max_period < 1 or min_steps < 1:
        raise UserError(
            f"expected positive max_period and min_steps, got {max_period}, {min_steps}"
        )
    if cells.ndim != 3 or 0 in cells.shape or len(cells) <= max(min_steps, 2):
        raise UserError(
            f"expected a field (time, height, width) of more than {max(min_steps, 2)} steps, "
            f"got shape {cells.shape}"
        )
    if not bool(((cells == 0) | (cells == 1)).all()):
        raise UserError("expected cells of 0 and 1, got other values")
    return cells.astype(np.uint8)


def _returns(
    components: Components, torus: tuple[int, ...], max_period: int
) -> tuple[Integers, Integers]:
    """Return after how many steps each component has its pattern again (0: never), and the move."""
    count = len(components.frame)
    period = np.zeros(count, dtype=np.int64)
    moved = np.zeros((count, 2), dtype=np.int64)
    sides = np.array(torus)
    place = np.flatnonzero(components.shape >= 0)
    later = components.heir[place]
    for steps in range(1, max_period + 1):
        alive = later >= 0
        place, later = place[alive], later[alive]
        if not place.size:
            break
        same = components.shape[place] == components.shape[later]
        mine, theirs = place[same], later[same]
        period[mine] = steps
        # The shorter way round the torus; a pattern is followed step by step, so it is its way.
        moved[mine] = (
            components.corner[theirs] - components.corner[mine] + sides // 2
        ) % sides - sides // 2
        place, later = place[~same], components.heir[later[~same]]
    return period, moved


def _tracks(
    components: Components, period: Integers, moved: Integers, min_steps: int
) -> tuple[Integers, NDArray[np.bool_]]:
    """Follow components that keep returning in the same way.

    Returns:
        The last component of every track that is long enough, and which components lie on one.
    """
    places = np.arange(len(period))
    heir = components.heir
    same = (period > 0) & (heir >= 0) & (period[heir] == period)
    goes_on = same & (moved[heir] == moved).all(1)
    length = (period > 0).astype(np.int64)
    frames = [
        places[components.frame == frame]
        for frame in range(int(components.frame.max(initial=-1)) + 1)
    ]
    for here in frames:
        here = here[goes_on[here]]
        length[heir[here]] = length[here] + 1
    long_enough = (length > period) & (length + period > min_steps) & (period > 0)
    ends = np.flatnonzero(long_enough & ~goes_on)
    tracked = np.zeros(len(period), dtype=bool)
    tracked[ends] = True
    for here in reversed(frames):
        here = here[goes_on[here]]
        tracked[here] = tracked[heir[here]]
    return ends, tracked


def _kinds(
    components: Components, period: Integers, moved: Integers, ends: Integers
) -> list[Glider]:
    """Gather moving tracks of one period and one displacement, up to direction."""
    groups: dict[tuple[int, int, int], list[int]] = {}
    for end in ends:
        far, near = sorted(np.abs(moved[end]).tolist(), reverse=True)
        if far > 0:
            groups.setdefault((int(period[end]), far, near), []).append(int(end))
    kinds: list[Glider] = []
    for (steps, far, near), group in groups.items():
        smallest = min(group, key=lambda end: int(components.size[end]))
        kinds.append(Glider(steps, (far, near), len(group), components.pattern(smallest)))
    return sorted(kinds, key=lambda kind: (-kind.count, kind.period))
