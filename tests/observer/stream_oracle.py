"""The score of the pairs of a stream in eighty digits, and streams that are hard to score."""

from __future__ import annotations

import mpmath
import numpy as np

DIGITS = 80


def exact_bits(features, targets, penalty, unit=1.0, feature_eps=None, target_eps=None):
    """Eq. (rc-score) with eta = 1 and alpha = 1/2, from the given numbers as they are."""
    eps = np.finfo(np.float64).eps
    with mpmath.workdps(DIGITS):
        h = _columns(features, feature_eps or eps)
        y = [
            [value / mpmath.mpf(unit) for value in column]
            for column in _columns(targets, target_eps or eps)
        ]
        m, n = len(h), len(h[0])
        for i, column in enumerate(h):
            power = mpmath.fsum(value * value for value in column)
            if power:
                scale = 1 / mpmath.sqrt(power / n * m)
                h[i] = [value * scale for value in column]
        a = mpmath.matrix(m, m)
        b = mpmath.matrix(m, len(y))
        for i in range(m):
            for j in range(m):
                a[i, j] = mpmath.fdot(h[i], h[j]) + (mpmath.mpf(penalty) if i == j else 0)
            for j in range(len(y)):
                b[i, j] = mpmath.fdot(h[i], y[j])
        w = mpmath.inverse(a) * b
        return float(mpmath.log(mpmath.det(mpmath.eye(len(y)) + w.T * w), 2) / 2)


def _columns(values, eps):
    """Deviations from the mean, column by column, and zero for a constant column."""
    columns = []
    for column in np.asarray(values, dtype=np.float64).T:
        numbers = [mpmath.mpf(float(value)) for value in column]
        mean = mpmath.fsum(numbers) / len(numbers)
        deviations = [number - mean for number in numbers]
        power = mpmath.fsum(value * value for value in deviations)
        whole = mpmath.fsum(value * value for value in numbers)
        constant = power <= (64 * mpmath.mpf(eps)) ** 2 * whole
        columns.append([mpmath.mpf(0)] * len(numbers) if constant else deviations)
    return columns
