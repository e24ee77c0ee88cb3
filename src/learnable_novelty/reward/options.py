"""The options of a bonus, checked before any episode is played."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any, Literal

from learnable_novelty.errors import UserError

Standardization = Literal["empirical", "fixed"]
Floor = Literal["residual"] | None
Mode = Literal["add", "replace"]
Ridge = float | Literal["evidence"]
MOST = 10_000
"""Of the width and the window: what they make grows with their product."""


@dataclass(frozen=True)
class ObserverOptions:
    """What the observer of a bonus is made from; see ``NoveltyReward``.

    Raises:
        ValueError: in one sentence, for what makes no sense.
    """

    window: int | Literal["auto"] = "auto"
    width: int = 32
    ridge_penalty: Ridge = 0.3
    standardization: Standardization = "empirical"
    floor: Floor = None
    clip: float | None = 10.0

    def __post_init__(self) -> None:
        one_of("standardization", self.standardization, ("empirical", "fixed"))
        one_of("floor", self.floor, ("residual", None))
        held: dict[str, Any] = {"width": count("width", self.width, MOST)}
        if not _is(self.window, "auto"):
            held["window"] = count("window", self.window, MOST)
        if not _is(self.ridge_penalty, "evidence"):
            held["ridge_penalty"] = number("ridge_penalty", self.ridge_penalty, positive=True)
        elif self.standardization != "empirical" or self.floor is not None:
            raise UserError(
                'ridge_penalty="evidence" estimates its own noise: it takes no floor and no fixed '
                "units"
            )
        if self.clip is not None:
            held["clip"] = number("clip", self.clip, positive=True)
        for name, value in held.items():  # plain numbers, which a file holds
            object.__setattr__(self, name, value)


def one_of(name: str, value: Any, known: tuple[Any, ...]) -> None:
    """Refuse what is not among the known."""
    if not any(value is each or _is(value, each) for each in known):
        raise UserError(f"{name} must be {' or '.join(map(repr, known))}, got {value!r}")


def count(name: str, value: Any, most: float = math.inf) -> int:
    """Return a whole number of at least one, or refuse."""
    try:
        found = operator.index(value)
    except TypeError:
        found = 0
    if not 1 <= found <= most:
        limit = f" to {most:,}" if most < math.inf else ""
        raise UserError(f"{name} must be a whole number from 1{limit}, got {value!r}")
    return found


def number(name: str, value: Any, *, positive: bool = False) -> float:
    """Return a finite number, or refuse."""
    try:
        found = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found) or (positive and found <= 0):
        raise UserError(
            f"{name} must be a {'positive' if positive else 'finite'} number, got {value!r}"
        )
    return found


def _is(value: Any, word: Any) -> bool:
    """Compare with a word; what is no string has no say in it."""
    return isinstance(value, str) and value == word
