"""Appendix C: the log-determinant is a Gaussian prior with its precision integrated out."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import multivariate_normal, wishart

from learnable_novelty.observer.code_length import code_length


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


def marginal_bits_two_rows(weights, a, resolution, nodes=70):
    """-log2 of the integral over 2 x 2 precisions, by Gauss-Legendre.

    The precision is [[u^2, r u v], [r u v, v^2]] with u, v > 0 and |r| < 1; its volume element is
    4 u^2 v^2 du dv dr.
    """
    d = weights.shape[1]
    form = weights @ weights.T + np.eye(2) / resolution
    points, share = np.polynomial.legendre.leggauss(nodes)
    # Beyond this many deviations of the narrowest direction nothing is left.
    reach = 12 / math.sqrt(np.linalg.eigvalsh(form)[0])
    half, half_share = (points + 1) * reach / 2, share * reach / 2
    u, v, r = half[:, None, None], half[None, :, None], points[None, None, :]
    determinant = u**2 * v**2 * (1 - r**2)
    trace = form[0, 0] * u**2 + form[1, 1] * v**2 + 2 * form[0, 1] * r * u * v
    value = determinant ** ((a + d - 3) / 2) * np.exp(-trace / 2) * 4 * u**2 * v**2
    total = np.einsum("ijk,i,j,k->", value, half_share, half_share, share)
    return -math.log2(total)


@pytest.mark.parametrize("a, d", [(2.0, 3), (3.0, 2), (4.0, 5)])
@pytest.mark.parametrize("resolution", [0.5, 2.0])
def test_two_rows_integrate_to_the_code_length(a, d, resolution):
    rng = np.random.default_rng(7)
    one, two = 0.3 * rng.normal(size=(2, d)), rng.normal(size=(2, d))
    left = marginal_bits_two_rows(two, a, resolution) - marginal_bits_two_rows(one, a, resolution)
    alpha = (a + d) / 2
    right = price(two, resolution, alpha) - price(one, resolution, alpha)
    assert abs(right) > 1
    assert left == pytest.approx(right, rel=1e-7)


def test_sampling_the_hyperprior_agrees_for_three_rows():
    # The hyperprior is a Wishart law of a degrees of freedom and scale eta I.
    a, d, resolution = 5.0, 2, 0.5
    rng = np.random.default_rng(3)
    precisions = wishart(df=a, scale=resolution * np.eye(3)).rvs(200_000, random_state=rng)
    determinants = np.linalg.det(precisions)

    def densities(weights):
        trace = np.einsum("nij,ji->n", precisions, weights @ weights.T)
        return determinants ** (d / 2) * np.exp(-trace / 2)

    one, two = 0.2 * rng.normal(size=(3, d)), 0.7 * rng.normal(size=(3, d))
    p, q = densities(one), densities(two)
    left = math.log2(p.mean() / q.mean())
    spread = np.std(p / p.mean() - q / q.mean()) / math.sqrt(len(p)) / math.log(2)
    alpha = (a + d) / 2
    right = price(two, resolution, alpha) - price(one, resolution, alpha)
    assert spread < 0.02
    assert right > 1
    assert abs(left - right) < 5 * spread


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
