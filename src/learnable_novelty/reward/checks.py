"""Checks of settings: a value in Python's own type, or one sentence that says what is expected."""

from __future__ import annotations

import math
import operator
from typing import Any

from learnable_novelty.errors import UserError
from learnable_novelty.reward.fading import Fading


def check_fade_steps(value: Any) -> Fading:
    """Return a number of steps, "restarts" or None, or raise."""
    if value is None:
        return None
    if equals(value, "restarts"):
        return "restarts"  # Python's own: a saved file holds no NumPy strings
    try:
        return check_count("fade_steps", value)
    except UserError as error:
        raise UserError(f'{error}; or "restarts", or None for never') from None


def check_choice(name: str, value: Any, known: tuple[Any, ...]) -> None:
    """Raise unless a value is among the known ones."""
    if not any(value is each or equals(value, each) for each in known):
        raise UserError(f"{name} must be {' or '.join(map(repr, known))}, got {value!r}")


def check_count(name: str, value: Any, most: float = math.inf) -> int:
    """Return a whole number from 1 to ``most``, or raise."""
    try:
        count = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = 0
    if not 1 <= count <= most:
        limit = f" to {most:,}" if most < math.inf else ""
        raise UserError(f"{name} must be a whole number from 1{limit}, got {value!r}")
    return count


def check_number(name: str, value: Any, *, positive: bool = False) -> float:
    """Return a finite number, or raise."""
    try:
        number = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or (positive and number <= 0):
        kind = "positive" if positive else "finite"
        raise UserError(f"{name} must be a {kind} number, got {value!r}")
    return number


def equals(value: Any, word: Any) -> bool:
    """Compare with a word; an array would compare element by element."""
    return isinstance(value, str) and value == word
