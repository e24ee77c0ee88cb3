"""Counting neighbours bit by bit: every bit of a machine word is a cell of its own.

The same functions take NumPy's uint64 and torch's int64 words: nothing here shifts, adds or
compares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Plane = Any
"""An array of words, NumPy's or torch's."""


def count_planes(
    state: Plane, left: Plane, right: Plane, roll_rows: Callable[[Plane, int], Plane]
) -> tuple[Plane, Plane, Plane, Plane]:
    """Count the eight living neighbours of every cell, as four bit planes, the lowest first.

    A row's three cells are added once, and serve the row above and the row below.

    Args:
        state: the cells.
        left: each cell's left neighbour.
        right: each cell's right neighbour.
        roll_rows: moves a plane by so many rows.
    """
    sides, both = left ^ right, left & right
    three_low, three_high = sides ^ state, both | (sides & state)
    up_low, up_high = roll_rows(three_low, 1), roll_rows(three_high, 1)
    down_low, down_high = roll_rows(three_low, -1), roll_rows(three_high, -1)
    # Ones: three bits, up + down + sides.
    vertical = up_low ^ down_low
    ones = vertical ^ sides
    carry = (up_low & down_low) | (vertical & sides)
    # Twos: four bits, up + down + both + carry, of which at most two pairs carry on.
    vertical = up_high ^ down_high
    middle = both ^ carry
    twos = vertical ^ middle
    first, second, third = up_high & down_high, both & carry, vertical & middle
    fours = first ^ second ^ third
    eights = first & second
    return ones, twos, fours, eights


def select_next(
    state: Plane,
    planes: tuple[Plane, Plane, Plane, Plane],
    born: Sequence[Plane],
    survives: Sequence[Plane],
) -> Plane:
    """Look up every cell's next state by its count.

    Args:
        state: the cells.
        planes: the counts, from ``count_planes``.
        born: for each count from 0 to 8, a word with ones in the lanes whose rule gives birth.
        survives: the same for survival.
    """
    ones, twos, fours, eights = planes
    leaves = [b ^ (state & (b ^ s)) for b, s in zip(born, survives, strict=True)]
    by_ones = [_choose(ones, leaves[k], leaves[k + 1]) for k in (0, 2, 4, 6)]
    by_twos = [_choose(twos, by_ones[k], by_ones[k + 1]) for k in (0, 2)]
    return _choose(eights, _choose(fours, *by_twos), leaves[8])


def _choose(which: Plane, if_zero: Plane, if_one: Plane) -> Plane:
    return if_zero ^ (which & (if_zero ^ if_one))
