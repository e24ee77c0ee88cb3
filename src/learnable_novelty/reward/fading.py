"""How the coefficient of a bonus falls over a training: never, once, or again and again."""

from __future__ import annotations

from typing import Literal

Fading = int | Literal["restarts"] | None
"""Steps over which a coefficient falls to zero; "restarts" for falls that repeat; None for none."""
FIRST_FALL = 100_000
"""Steps of the first fall with "restarts"."""


def share_left(steps: int, fading: int | Literal["restarts"]) -> float:
    """Return the share of the coefficient that is left after so many steps.

        1 - t / N, at least 0

    With "restarts" N is 100,000 at first. At zero the coefficient starts again at its full value
    and N doubles (the warm restarts of SGDR, arXiv 1608.03983). So there are early times almost
    without a bonus, for goals that random play finds, and long times with one.

    >>> [share_left(steps, "restarts") for steps in (0, 50_000, 100_000, 200_000, 300_000)]
    [1.0, 0.5, 1.0, 0.5, 1.0]
    """
    if fading != "restarts":
        return max(1 - steps / fading, 0.0)
    fall = (steps // FIRST_FALL + 1).bit_length() - 1  # falls before: 1 + 2 + ... = 2^k - 1 units
    begun = FIRST_FALL * (2**fall - 1)
    return 1 - (steps - begun) / (FIRST_FALL * 2**fall)
