"""Checks of what users pass in: one sentence, before any work is done."""

from __future__ import annotations

import math
import numbers
import operator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError

SMALLEST = 1e-151
"""What the largest value of a column must reach: the square of less loses digits, or is zero."""


def check_positive(**values: float) -> None:
    """Raise unless every named value is a finite positive number."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise UserTypeError(f"{name} must be a number, got {value!r}")
        if not (value > 0 and math.isfinite(value)):
            raise UserError(f"{name} must be positive and finite, got {value!r}")


def is_readable(values: Tensor) -> bool:
    """Tell whether values may be looked at now: not while a CUDA graph is being recorded.

    A recorded score is not checked; whoever replays it looks at the number that comes out.
    """
    return not (values.is_cuda and torch.cuda.is_current_stream_capturing())


def check_pair(inputs: Tensor, targets: Tensor) -> None:
    """Raise unless inputs and targets are finite floating tensors with equally many samples."""
    for name, values in (("inputs", inputs), ("targets", targets)):
        if not isinstance(values, Tensor):
            raise UserTypeError(f"{name} must be a torch.Tensor, got {type(values).__name__}")
        if not values.is_floating_point():
            raise UserTypeError(f"{name} must be of a floating dtype, got {values.dtype}")
        if values.ndim < 2:
            raise UserError(f"{name} must have at least two axes, got {tuple(values.shape)}")
        if is_readable(values):
            check_range(name, values)
    if inputs.shape[0] != targets.shape[0]:
        raise UserError(
            f"expected as many targets as inputs, {inputs.shape[0]}, got {targets.shape[0]}"
        )


def check_range(name: str, values: Tensor) -> None:
    """Raise unless values are finite, and float64 holds the squares of every column."""
    if not values.numel():
        return
    peak = values.detach().abs().amax(0)
    if not bool(peak.isfinite().all()):
        raise UserError(f"{name} must be finite, got NaN or infinite values")
    tiny = (peak > 0) & (peak < SMALLEST)
    if bool(tiny.any()):
        raise UserError(
            f"a column of the {name} is at most {float(peak[tiny].max()):.3g}, and squares of "
            f"numbers below {SMALLEST:g} vanish in float64; choose a larger unit for it"
        )


def check_layout(features: Tensor, targets: Tensor, column_axis: int) -> None:
    """Raise unless targets have the axes of the features, apart from the columns."""
    expected = [f"{size}" for size in features.shape]
    expected[column_axis] = "target_dim"
    given = [f"{size}" for size in targets.shape]
    if len(given) == len(expected):
        given[column_axis] = "target_dim"
    if given != expected:
        raise UserError(
            f"expected targets ({', '.join(expected)}), as the features "
            f"{tuple(features.shape)}, got {tuple(targets.shape)}"
        )


def whole_number(name: str, value: Any, least: int, most: float = math.inf) -> int:
    """Return an integer of any integer type, or raise unless it is in this range."""
    number: Any = value
    is_whole = hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_))
    if not is_whole or not least <= value <= most:
        kind = "a positive integer" if least == 1 else "a non-negative integer"
        limit = f" of at most {most:,}" if most < math.inf else ""
        raise UserError(f"{name} must be {kind}{limit}, got {value!r}")
    return operator.index(number)


def check_sizes(**sizes: int) -> None:
    """Raise unless every named size is a positive integer."""
    for name, size in sizes.items():
        if not isinstance(size, int):
            raise UserError(f"{name} must be a positive integer, got {size!r}")
        whole_number(name, size, 1)


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


def check_choice(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Raise unless a value is among the known ones."""
    if not any(is_word(value, word) for word in known):
        raise UserError(f"{name} must be {' or '.join(map(repr, known))}, got {value!r}")


def is_word(value: Any, word: str) -> bool:
    """Compare with a word; an array would compare element by element."""
    return isinstance(value, str) and value == word
