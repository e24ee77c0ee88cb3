"""Spearman's rank correlation."""

import numpy as np
import pytest
from scipy import stats

from novelty_lab.rank_correlation import spearman


def test_spearman_is_scipys_with_ties_and_infinities():
    generator = np.random.default_rng(0)
    x = generator.integers(0, 6, (20, 30)).astype(float)
    y = x + generator.integers(0, 9, (20, 30))
    x[3, :4] = np.inf
    expected = [stats.spearmanr(a, b).statistic for a, b in zip(np.minimum(x, 99), y, strict=True)]
    assert spearman(x, y) == pytest.approx(expected, rel=1e-12)
    assert spearman(np.ones((1, 5)), y[:1, :5])[0] == 0.0
