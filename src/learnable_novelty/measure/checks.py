"""Checks of single arguments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError


def whole_number(name: str, value: Any, least: int) -> int:
    """Return an integer of any integer type, or raise unless it is at least ``least``."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__") or value < least:
        kind = "a positive integer" if least == 1 else "a non-negative integer"
        raise UserError(f"{name} must be {kind}, got {value!r}")
    return operator.index(value)
