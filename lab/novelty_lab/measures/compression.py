"""How far gzip compresses a series."""

from __future__ import annotations

import gzip
from typing import Any

from novelty_lab.measures.columns import as_series, symbols
from novelty_lab.measures.registry import Answer, Measure

LEVELS = 16
"""Symbols that a value is read as. With 256, one for every byte, no two stretches of a thousand
values of a chaotic flow are alike, and gzip finds nothing in Lorenz."""


def gzip_rate(series: Any) -> float:
    """Return the bits per value that gzip needs, at its highest setting.

    Values are read as 16 equally frequent levels, or as they are if a column has no more
    different ones; see ``symbols``. Noise needs 4 bits, or those of its alphabet, and some
    more; a constant next to none. Gzip's own header of 18 bytes is included.

    Args:
        series: (time, columns).

    Returns:
        8 * compressed bytes / number of values.
    """
    text = symbols(as_series(series), LEVELS)
    return 8.0 * len(gzip.compress(text.tobytes(), compresslevel=9, mtime=0)) / text.size


MEASURE = Measure(
    "gzip", "gzip", "bits per value", "rows", lambda data: Answer(gzip_rate(data.series))
)
