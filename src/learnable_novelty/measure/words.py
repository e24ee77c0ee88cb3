"""Numbers as people read them, with two significant digits and shares as percent, and as JSON."""

from __future__ import annotations

import math
from typing import Any


def plain(value: float) -> str:
    """Write a number with two significant digits; less than half a hundredth is 0.

    >>> plain(1.234), plain(0.0512), plain(1234.0), plain(0.0001), plain(12.3)
    ('1.2', '0.051', '1200', '0', '12')
    """
    if not math.isfinite(value):
        return "-" if math.isnan(value) else f"{value}"
    rounded = float(f"{value:.2g}") if abs(value) >= 0.005 else 0.0
    if abs(rounded) < 1e6:
        return f"{rounded:.10f}".rstrip("0").rstrip(".")
    return f"{rounded:.2g}"


def percent(share: float) -> str:
    """Write a share as percent: whole ones, with more digits near 0 and 1.

    >>> percent(0.873), percent(0.0042), percent(0.9996), percent(1.0), percent(0.0)
    ('87%', '0.42%', '99.96%', '100%', '0%')
    """
    if math.isnan(share):
        return "-"
    if share <= 0 or share >= 1:
        return f"{share:.0%}"
    if share < 0.0995:
        return "<0.01%" if share < 1e-4 else f"{plain(100 * share)}%"
    if share > 0.99:
        missing = 100 * (1 - share)
        return ">99.99%" if missing < 0.01 else f"{100 - float(f'{missing:.1g}'):g}%"
    return f"{share:.0%}"


def p_words(p: float) -> str:
    """Write a p-value.

    >>> p_words(0.3621), p_words(0.001), p_words(3e-9)
    ('0.36', '0.001', '3e-09')
    """
    return f"{p:.2g}"


def share_words(share: float, interval: tuple[float, float]) -> str:
    """Write a share with its interval.

    >>> share_words(0.87, (0.83, 0.9))
    '87% [83%, 90%]'
    """
    if math.isnan(share):
        return "too few rows"
    if share == 0 and interval == (0, 0):
        return "0%"
    return f"{percent(share)} [{percent(interval[0])}, {percent(interval[1])}]"


def jsonable(value: Any) -> Any:
    """Return nested values as lists and dictionaries; JSON has no number that is not finite.

    >>> jsonable({"a": (1.5, math.nan)})
    {'a': [1.5, None]}
    """
    if isinstance(value, dict):
        return {key: jsonable(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
