"""Binary cells of rings and tori: checked, packed 64 to a machine word, and counted bit by bit.

Every bit of a word is a cell of its own. The functions on planes take NumPy's uint64 and torch's
int64 words: they do not shift, add or compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable_novelty.errors import UserError

Cells = NDArray[np.uint8]
Words = NDArray[np.uint64]
Plane = Any
"""An array of words, NumPy's or torch's."""

WORD = 64


def check_cells(cells: ArrayLike, axes: int) -> Cells:
    """Return rings (one axis) or tori (two axes) as uint8, or raise unless they are 0 and 1."""
    cells = np.asarray(cells)
    if cells.ndim < axes or 0 in cells.shape[-axes:]:
        sides = "width" if axes == 1 else "height, width"
        raise UserError(f"expected cells (..., {sides}), got shape {cells.shape}")
    if cells.size and not bool(((cells == 0) | (cells == 1)).all()):
        raise UserError("expected cells of 0 and 1, got other values")
    return cells.astype(np.uint8)


def pack_rows(cells: Cells) -> Words:
    """Pack cells (..., width) into words (..., words), the first cell lowest."""
    width = cells.shape[-1]
    padding = [(0, 0)] * (cells.ndim - 1) + [(0, -width % WORD)]
    octets = np.packbits(np.pad(cells, padding), axis=-1, bitorder="little")
    return np.ascontiguousarray(octets).view("<u8").astype(np.uint64)


def unpack_rows(words: Words, width: int) -> Cells:
    """Unpack words (..., words) into cells (..., width)."""
    octets = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little")[..., :width]


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
