"""Two ways to one result, timed in turn in one process."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REPEATS = 7


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    plain: float
    """What the plain way, or the reference, took."""
    ours: float
    """What our way took."""
    ratio: float
    """What the requirement is about: plain / ours, or ours / plain where the bound is above."""
    requirement: str
    met: bool
    unit: str = "s"

    def text(self, value: float) -> str:
        """Write one of the two quantities with its unit."""
        if self.unit != "s":
            number = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
            return f"{number} {self.unit}"
        for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
            if value * factor >= 1:
                return f"{value * factor:.3g} {unit}"
        return f"{value * 1e9:.3g} ns"


def seconds(function: Callable[[], Any], calls: int = 1) -> float:
    """Time one call, as the mean over a few in a row."""
    started = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - started) / calls


def interleave(
    *functions: Callable[[], Any], repeats: int = REPEATS, calls: tuple[int, ...] | None = None
) -> list[list[float]]:
    """Time functions in turn, so that a busy machine slows all of them alike.

    Returns:
        Seconds per call, a list of ``repeats`` for each function.
    """
    calls = calls or (1,) * len(functions)
    times: list[list[float]] = [[] for _ in functions]
    for function in functions:  # the first call pays for lazy loading and fresh memory
        function()
    gc.collect()
    for _ in range(repeats):
        for held, function, count in zip(times, functions, calls, strict=True):
            held.append(seconds(function, count))
    return times


def compare(
    name: str,
    plain: Callable[[], Any],
    ours: Callable[[], Any],
    *,
    at_least: float,
    repeats: int = REPEATS,
    calls: tuple[int, int] = (1, 1),
) -> Row:
    """Time both ways in turn and require ours to be ``at_least`` times faster."""
    slow, fast = interleave(plain, ours, repeats=repeats, calls=calls)
    return faster(name, statistics.median(slow), statistics.median(fast), at_least)


def faster(name: str, plain: float, ours: float, at_least: float) -> Row:
    """Make the row of a requirement on plain / ours."""
    ratio = plain / ours
    return Row(name, plain, ours, ratio, f"at least {at_least:g}x faster", ratio >= at_least)


def within(name: str, plain: float, ours: float, at_most: float) -> Row:
    """Make the row of a requirement on ours / plain."""
    ratio = ours / plain
    return Row(name, plain, ours, ratio, f"within {at_most:g}x", ratio <= at_most)
