"""Many tests at once: which findings survive."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnable_novelty.errors import UserError


def adjust(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of many tests for their number (Benjamini and Hochberg 1995).

    Call those findings whose adjusted value is at most q: then at most the share q of them is
    expected to be false, if the tests are independent or positively dependent. With p_(i) the
    i-th smallest of m,

        adjusted_(i) = min over j >= i of p_(j) m / j

    Returns:
        The adjusted values in the order of the p-values.

    >>> adjust([0.001, 0.04, 0.03, 0.8])
    [0.004, 0.05333333333333334, 0.05333333333333334, 0.8]
    """
    values = np.array([np.nan if p is None else p for p in p_values], dtype=float)
    if not ((values >= 0) & (values <= 1)).all():
        wrong = next(p for p in p_values if p is None or not 0 <= p <= 1)
        raise UserError(f"expected p-values between 0 and 1, got {wrong}")
    order, count = values.argsort(), values.size
    scaled = values[order] * count / np.arange(1, count + 1)
    adjusted = np.empty(count)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return adjusted.tolist()
