"""Binary cells of rings and tori: checked, and packed 64 to a machine word."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable_novelty.errors import UserError

Cells = NDArray[np.uint8]
Words = NDArray[np.uint64]

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
