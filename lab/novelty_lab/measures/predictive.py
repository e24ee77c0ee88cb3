"""Predictive information of a Gaussian process with the covariances of the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novelty_lab.measures.registry import Answer, ComparedData, Measure
from novelty_lab.measures.series import Series, as_series, in_own_units

DETERMINED = 1e-12
"""A share of variance left unpredicted that is below this is rounding."""


def predictive_information(inputs: Any, targets: Any) -> float | None:
    """Return the mutual information of inputs and targets as if they were Gaussian.

    I = 1/2 log2( det C_x det C_y / det C_xy ) = -1/2 sum_i log2(1 - rho_i^2), with C the sample
    covariances of inputs, of targets and of both, and rho_i the canonical correlations. Where
    inputs are the past of a series and targets its future this is the predictive information of
    Bialek, Nemenman and Tishby, Neural Comput. 13 (2001), as far as covariances know it: exact for
    Gaussian processes, blind to what is not linear. It is infinite where some combination of the
    targets is an exact linear one of the inputs, and on n independent samples it is about
    columns_x columns_y / (2 n ln 2) too high.

    Bits; None with no more samples than columns, which would fit anything.

    >>> predictive_information([1.0, 2.0, 5.0, 4.0], [3.0, 5.0, 11.0, 9.0])
    inf
    """
    x, y = (_basis(in_own_units(as_series(values))) for values in (inputs, targets))
    if x.shape[1] == 0 or y.shape[1] == 0:
        return 0.0
    if x.shape[0] - 1 <= x.shape[1] + y.shape[1]:
        return None
    correlations = np.linalg.svd(x.T @ y, compute_uv=False)
    left = 1.0 - np.minimum(correlations, 1.0) ** 2
    if left.min() < DETERMINED:
        return math.inf
    return float(-0.5 * np.log2(left).sum())


def _basis(values: Series) -> NDArray[np.float64]:
    """Return an orthonormal basis of the centred columns, (num_samples, rank)."""
    centred = values - values.mean(0)
    spread = centred.std(0)
    # A constant column keeps the rounding error of its own mean.
    varies = spread > values.shape[0] * np.finfo(np.float64).eps * np.abs(values).max(0)
    if not varies.any():
        return centred[:, :0]
    left, size, _ = np.linalg.svd(centred[:, varies] / spread[varies], full_matrices=False)
    return left[:, size > size[0] * max(values.shape) * np.finfo(np.float64).eps]


def _answer(data: ComparedData) -> Answer:
    value = predictive_information(data.inputs, data.targets)
    (samples, columns), targets = data.inputs.shape, data.targets.shape[1]
    bias = columns * targets / (2 * samples * math.log(2))
    about = f"noise of this shape has about {bias:.2g}"
    if value is None:
        about = "needs more samples than columns"
    return Answer(value, f"Gaussian; {about}")


MEASURE = Measure("predictive_information", "predictive information", "bits", "pairs", _answer)
