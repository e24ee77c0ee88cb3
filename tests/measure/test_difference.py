"""Two scores of the same targets: what one knows beyond the other."""

import numpy as np
import pytest
from scipy import stats

import learnable_novelty as ln


def scores(seed, weight, n=200):
    g = np.random.default_rng(seed)
    x = g.standard_normal((n, 3))
    y = np.sin(2 * x[:, 0]) + x[:, 1] + weight * x[:, 2] + 0.7 * g.standard_normal(n)
    return [ln.score(x[:, :k], y, draws=2, null=0, seed=seed) for k in (2, 3)]


def test_an_idle_input_is_no_loss_and_one_that_tells_is_found():
    idle = [ln.difference(*scores(seed, 0.0)) for seed in range(10)]
    assert sum(one.p_value <= 0.05 for one in idle) <= 2
    assert np.mean([one.difference for one in idle]) < 0  # the price of width
    for seed in range(5):
        told = ln.difference(*scores(seed, 0.6))
        assert told.p_value < 0.01
        assert told.gain_interval[0] < told.gain < told.gain_interval[1]
        assert "it adds" in str(told)


def test_the_gain_is_that_of_the_best_mixture():
    first, second = scores(0, 0.6)
    y, f, g = (
        values.ravel()
        for values in (
            first.predictions.observed,
            first.predictions.predicted,
            second.predictions.predicted,
        )
    )
    d, e = g - f, y - f - first.predictions.draw_variance / (g - f)
    gain = ((e * d).sum() / np.sqrt((d**2).sum())) ** 2 / ((y - y.mean()) ** 2).sum()
    assert ln.difference(first, second).gain == pytest.approx(gain)


def test_a_longer_history_is_compared_on_the_last_steps():
    g = np.random.default_rng(0)
    series = np.zeros(300)
    for t in range(2, 300):
        series[t] = 0.9 * series[t - 2] + g.standard_normal()
    short, long = (ln.score(series, window=1, history=k, draws=2, null=0) for k in (1, 2))
    found = ln.difference(short, long)
    assert found.num_samples == long.num_samples < short.num_samples
    assert found.p_value < 1e-6


def test_two_data_sets_are_compared_by_welchs_test_over_groups():
    g, groups, both = np.random.default_rng(1), np.arange(120) // 6, []
    for noise in (0.5, 1.0):
        x = g.standard_normal((120, 1))
        both.append(ln.score(x, x + noise * g.standard_normal((120, 1)), draws=1, groups=groups))
    found = ln.difference(*both, paired=False)
    shares, variances = [], []
    for one in both:
        e, t = (
            np.array([values[groups == k].sum() for k in range(20)])
            for values in (one.predictions.held_out.errors, one.predictions.held_out.spread)
        )
        shares.append(1 - e.sum() / t.sum())
        variances.append(((e - (1 - shares[-1]) * t) ** 2).sum() / t.sum() ** 2)
    freedom = sum(variances) ** 2 / sum(v**2 / 19 for v in variances)
    t = abs(shares[1] - shares[0]) / sum(variances) ** 0.5
    assert found.difference == pytest.approx(shares[1] - shares[0])
    assert found.p_value == pytest.approx(2 * stats.t.sf(t, freedom))


def test_other_targets_and_other_sizes_are_refused_in_a_sentence():
    x = np.random.default_rng(0).standard_normal((60, 2))
    one, other = (ln.score(x[:, :1], x[:, 1] * k + k, draws=1, null=0) for k in (1, 2))
    fewer = ln.score(x[:40, :1], x[:40, 1], draws=1, null=0)
    with pytest.raises(ValueError, match="expected two scores of the same targets"):
        ln.difference(one, fewer)
    with pytest.raises(ValueError, match="as many samples in both data sets"):
        ln.difference(one, fewer, paired=False)
    assert ln.difference(one, other, paired=False).p_value > 0.05
    lattices = x.reshape(20, 1, 6)
    with pytest.raises(ValueError, match="without held-out predictions"):
        ln.difference(one, ln.score(lattices, lattices, draws=1, null=0))
