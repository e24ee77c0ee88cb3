"""Measures of dependence, against closed forms and plain loops."""

import numpy as np
import pytest

from novelty_lab.measures.compare import compare
from novelty_lab.measures.dependences import distance_correlation, hsic, ksg


def test_distance_correlation_and_hsic_are_one_for_a_copy_and_match_loops():
    g = np.random.default_rng(0)
    x, y = g.standard_normal((9, 2)), g.standard_normal((9, 1))
    assert distance_correlation(x, 3 * x) == pytest.approx(1)
    assert hsic(x, 3 * x) == pytest.approx(1)
    assert distance_correlation(x, np.ones((9, 1))) == 0
    a, b = (np.array([[np.linalg.norm(p - q) for p in v] for q in v]) for v in (x, y))
    centre = np.eye(9) - 1 / 9
    a, b = centre @ a @ centre, centre @ b @ centre
    square = np.trace(a @ b) / np.sqrt(np.trace(a @ a) * np.trace(b @ b))
    assert distance_correlation(x, y) ** 2 == pytest.approx(square)


def test_ksg_finds_the_information_of_a_gaussian_pair():
    g = np.random.default_rng(1)
    x = g.standard_normal((2000, 1))
    y = 0.8 * x + 0.6 * g.standard_normal((2000, 1))
    assert ksg(x, y) == pytest.approx(-0.5 * np.log2(1 - 0.64), abs=0.06)
    assert ksg(x, g.standard_normal((2000, 1))) == pytest.approx(0, abs=0.06)


def test_compare_reads_them_where_hyppo_is_installed():
    pytest.importorskip("hyppo")
    x = np.random.default_rng(2).standard_normal((60, 1))
    found = compare(x, x**2, draws=1, null=0)
    assert found["ksg"].value > 0.5 and found["mgc"].value > 0.2
