"""The three ways to name a ridge penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_positive


@dataclass(frozen=True)
class PerSample:
    """A ridge penalty of ``value`` times the number of rows, to compare unequal n.

    >>> PerSample(1e-3)
    PerSample(value=0.001)
    """

    value: float


RidgePenalty = float | PerSample | Literal["evidence"]


def check_ridge_penalty(penalty: RidgePenalty) -> None:
    """Raise unless the penalty is one of the three kinds, and positive."""
    if isinstance(penalty, str):
        if penalty != "evidence":
            raise UserError(
                f'ridge_penalty must be a positive number, PerSample or "evidence", got {penalty!r}'
            )
        return
    value = penalty.value if isinstance(penalty, PerSample) else penalty
    check_positive(ridge_penalty=value)
