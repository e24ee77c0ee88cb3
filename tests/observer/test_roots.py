"""Few rows that stand for many: the same products, without squaring them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.evidence import Evidence
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.spectral import Spectral as Axes
from learnable_novelty.observer.summary import Moments, Roots, Rows, merge


def assert_products_of(got, expected, atol=1e-10):
    assert got.count == expected.count
    assert got.root.shape[0] <= got.feature_dim
    pairs = (
        (got.root.T @ got.root, expected.gram),
        (got.root.T @ got.along, expected.cross),
        (got.feature_power, expected.gram.diagonal()),
        (got.target_power, expected.target_power),
        (got.feature_mean, expected.feature_mean),
        (got.target_mean, expected.target_mean),
    )
    for one, two in pairs:
        torch.testing.assert_close(one, two, rtol=1e-10, atol=atol)


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(1, 30), min_size=1, max_size=8), seed=st.integers(0, 99))
def test_parts_of_any_size_merge_to_the_whole_in_any_order(sizes, seed):
    draw = torch.Generator().manual_seed(seed)
    h = torch.randn(sum(sizes), 5, generator=draw, dtype=torch.float64) + 10
    y = h[:, :2].sin() + torch.randn(sum(sizes), 2, generator=draw, dtype=torch.float64)
    parts = [Roots.of(*pair) for pair in zip(h.split(sizes), y.split(sizes), strict=True)]
    whole = Moments.of(h, y)
    assert_products_of(merge(parts), whole)
    assert_products_of(merge(reversed(parts)), whole)


def test_what_no_feature_explains_is_the_residual_of_least_squares(normal):
    h, y = normal(200, 6), normal(200, 3)
    got = Roots.of(h, y)
    a, b = h - h.mean(0), y - y.mean(0)
    left = b - a @ torch.linalg.lstsq(a, b).solution
    torch.testing.assert_close(got.outside, left.T @ left)


def test_an_exact_relation_leaves_only_rounding_outside(normal):
    h = normal(500, 4)
    y = h @ normal(4, 1)
    got = merge([Roots.of(h[:200], y[:200]), Roots.of(h[200:], y[200:])])
    assert float(got.outside) < 1e-28 * float(got.target_power)  # moments would leave 1e-16


def test_small_singular_values_keep_their_digits():
    """Of powers of a variable: their Gram matrix has lost the smallest ones altogether."""
    x = torch.linspace(-1, 1, 400, dtype=torch.float64)
    h = torch.stack([x**k for k in range(1, 25)], 1)
    y = x[:, None].exp()
    parts = zip(h.split(97), y.split(97), strict=True)
    found = torch.linalg.svdvals(merge(Roots.of(a, b) for a, b in parts).root)
    with mp.workdps(60):
        exact = mp.matrix([[mp.mpf(v) ** k for k in range(1, 25)] for v in x.tolist()])
        for column in range(24):
            mean = mp.fsum(exact[:, column]) / 400
            for row in range(400):
                exact[row, column] -= mean
        eigenvalues = mp.eigsy(exact.T * exact, eigvals_only=True)
        expected = [float(mp.sqrt(value)) for value in eigenvalues][::-1]
    assert expected[-1] < 1e-8 * expected[0]
    np.testing.assert_allclose(found, expected, rtol=1e-15 * expected[0] / expected[-1] * 4)


def test_units_and_means_change_as_the_data_would(normal):
    h, y, unit = normal(60, 3), normal(60, 2), torch.tensor([0.5, 4.0], dtype=torch.float64)
    assert_products_of(Roots.of(h, y).in_units(unit), Moments.of(h, y / unit))
    features, targets = Roots.of(h, y).about(Roots.of(h[:7], y[:7]))
    expected = (h - h[:7].mean(0)).T @ (y - y[:7].mean(0))
    torch.testing.assert_close(features.T @ targets, expected)


@pytest.mark.parametrize("penalty", [0.3, "evidence"])
def test_a_fit_of_roots_is_that_of_the_rows(normal, penalty):
    observer = Observer(reservoirs.Identity(5), ridge_penalty=penalty, target_unit=0.7)
    h = normal(80, 5)
    rows = Rows(h, h[:, :2].sin() + 0.1 * normal(80, 2))
    fit = observer.fit(rows.roots(torch.float64))
    assert fit.bits() == pytest.approx(float(observer.bits(rows)), rel=1e-10)
    assert fit.bits() == pytest.approx(observer.fit(rows).bits(), rel=1e-12)


def test_the_evidence_is_the_same_with_and_without_what_lies_outside(normal):
    rows = Rows(normal(50, 4), normal(50, 2)).centred(torch.float64).standardized(1.0)
    axes = Axes.of(rows)
    given = axes.eigenvalues, axes.cross.square().sum(1)[None], axes.power[None], axes.count
    penalties = torch.tensor([[1e-3, 0.5, 20.0, float("inf")]], dtype=torch.float64)
    assert axes.outside is not None
    known = Evidence(*given, axes.outside.sum()[None]).cost(penalties)
    torch.testing.assert_close(known, Evidence(*given).cost(penalties))


def test_a_penalty_that_takes_rounding_for_structure_is_refused(normal):
    h = normal(60, 2)
    rows = Rows(torch.cat([h, h[:, :1] * 3], 1), 100 * normal(60, 1))
    observer = Observer(reservoirs.Identity(3), ridge_penalty=1e-14)
    with pytest.raises(ValueError, match="rounding may change the score"):
        observer.fit(rows.roots(torch.float64))
