"""What gzip makes of a series."""

from __future__ import annotations

import gzip
from typing import Any

from learnable_novelty.measure.rivals.columns import as_series
from learnable_novelty.measure.rivals.text import symbols

LEVELS = 256
"""Symbols that a value is read as: one byte."""


def gzip_rate(series: Any) -> float:
    """Return the bits per value that gzip needs, at its highest setting.

    Values are read as 256 equally frequent levels, or as they are if a column has no more
    different ones; see ``text.symbols``. Noise needs 8 bits, or those of its alphabet; a constant
    next to none. Gzip's own header of 18 bytes is included.

    Args:
        series: (time, columns).

    Returns:
        8 * compressed bytes / number of values.
    """
    text = symbols(as_series(series), LEVELS)
    return 8.0 * len(gzip.compress(text.tobytes(), compresslevel=9, mtime=0)) / text.size
