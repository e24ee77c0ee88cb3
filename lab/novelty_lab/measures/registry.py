"""Measures by other people: what each one is called, what it sees, and what it reports."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")


@dataclass(frozen=True)
class Reading:
    """One number of one measure."""

    key: str
    """A name for programs."""
    measure: str
    """A name for readers."""
    value: float | None
    """None where it is not defined; ``note`` says why."""
    unit: str
    seconds: float | None
    """CPU time; None where the number came with the one above it."""
    note: str = ""

    def shown(self) -> str:
        """Write the value with four digits."""
        return "-" if self.value is None else f"{self.value:.4g}"


@dataclass(frozen=True)
class ComparedData:
    """What measures see of the data."""

    inputs: NDArray[np.floating[Any]]
    """(num_samples, columns), as the observer gets them."""
    targets: NDArray[np.floating[Any]]
    """(num_samples, columns), as the observer gets them."""
    series: NDArray[np.floating[Any]]
    """Columns as they come, (rows, columns)."""
    is_time: bool
    """Whether rows are time."""
    seed: int


@dataclass(frozen=True)
class Answer:
    """A value, what to remark on it, and numbers that came with it."""

    value: float | None
    note: str = ""
    further: tuple[Reading, ...] = ()


@dataclass(frozen=True)
class Measure:
    """A measure that others have proposed: its names, its unit, and the function."""

    key: str
    label: str
    unit: str
    sees: Literal["pairs", "rows", "time"]
    """Pairs of inputs and targets, columns in any order, or columns through time."""
    answer: Callable[[ComparedData], Answer]

    def read(self, data: ComparedData) -> list[Reading]:
        """Measure the data, and how long that takes."""
        if self.sees == "time" and not data.is_time:
            return [Reading(self.key, self.label, None, self.unit, None, "the rows are not time")]
        answer, seconds = timed(lambda: self.answer(data))
        unordered = self.sees == "rows" and not data.is_time
        note = "rows as they come" if unordered else answer.note
        first = Reading(self.key, self.label, answer.value, self.unit, seconds, note)
        return [first, *answer.further]


def timed(function: Callable[[], Result]) -> tuple[Result, float]:
    """Return a result and the CPU time it took."""
    started = time.process_time()
    result = function()
    return result, time.process_time() - started


def plain(value: float | None) -> float | str | None:
    """Return a number as JSON can hold it: infinity as text."""
    return "inf" if value == math.inf else value
