"""Appendix C: the log-determinant is a Gaussian prior with its precision integrated out."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import multivariate_normal

from learnable_novelty.observer.bits import code_length


def price(weights, resolution, code_scale):
    return float(code_length(torch.tensor(weights), resolution, code_scale))


def marginal_bits_one_row(weights, a, resolution):
    """-log2 of the integral over a scalar precision."""
    power, d = float(np.sum(weights**2)), weights.shape[1]

    def density(precision):
        prior = precision ** ((a - 2) / 2) * math.exp(-precision / (2 * resolution))
        return prior * precision ** (d / 2) * math.exp(-precision * power / 2)

    value, error = quad(density, 0, math.inf, epsabs=0, epsrel=1e-11, limit=200)
    assert error < 1e-9 * value
    return -math.log2(value)


@pytest.mark.parametrize("a", [1.0, 2.5, 6.0])
@pytest.mark.parametrize("resolution", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("d", [1, 3])
def test_one_row_integrates_to_the_code_length(a, resolution, d):
    rng = np.random.default_rng(d)
    one, two = rng.normal(size=(1, d)), 3 * rng.normal(size=(1, d))
    left = marginal_bits_one_row(two, a, resolution) - marginal_bits_one_row(one, a, resolution)
    alpha = (a + d) / 2
    right = price(two, resolution, alpha) - price(one, resolution, alpha)
    assert abs(right) > 0.1
    assert left == pytest.approx(right, rel=1e-8)


def test_a_fixed_precision_is_the_quadratic_penalty_instead():
    precision, m, d = 1.7, 3, 2
    rng = np.random.default_rng(1)
    one, two = rng.normal(size=(m, d)), rng.normal(size=(m, d))
    law = multivariate_normal(cov=np.eye(m * d) / precision)
    left = (law.logpdf(one.ravel()) - law.logpdf(two.ravel())) / math.log(2)
    right = precision / (2 * math.log(2)) * (np.sum(two**2) - np.sum(one**2))
    assert left == pytest.approx(right, rel=1e-10)
    # And the code length is its limit: for small readouts the two agree up to a factor.
    small = 1e-4 * two
    quadratic = np.sum(small**2) / math.log(2)
    assert price(small, precision, 1.0) == pytest.approx(precision * quadratic, rel=1e-6)
