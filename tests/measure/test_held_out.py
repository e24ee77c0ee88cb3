import itertools
import math

import numpy as np
import pytest
import torch
from scipy import stats

import learnable_novelty as ln
from learnable_novelty.measure.held_out import Folds, HeldOut, held_out_share, jackknife
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows
from novelty_lab.studies.calibration.new_samples import share_of_new_samples


def folds(samples, gap=None):
    return Folds.of(samples, gap, np.random.default_rng(0))


def test_errors_are_those_of_readouts_fitted_without_the_fold():
    rng = np.random.default_rng(1)
    h, y = (torch.from_numpy(rng.standard_normal((60, d))) for d in (5, 2))
    y = y + h[:, :2]
    observer = ln.Observer(ln.reservoirs.MLP(1, 5, 2), ridge_penalty=0.3)
    cut = folds(60)
    found = cut.errors(observer, Rows(h, y))
    for start, end in zip(cut.bounds, cut.bounds[1:], strict=False):
        out = cut.order[start:end]
        keep = torch.ones(60, dtype=torch.bool)
        keep[out] = False
        mean, sd = h[keep].mean(0), h[keep].std(0, correction=0) * 5**0.5
        a, left = (h[keep] - mean) / sd, y[keep] - y[keep].mean(0)
        weights = torch.linalg.solve(a.T @ a + 0.3 * torch.eye(5), a.T @ left)
        truth = y[out] - y[keep].mean(0)
        error = truth - (h[out] - mean) / sd @ weights
        np.testing.assert_allclose(found.errors[out], error.square().sum(1), rtol=1e-8)
        np.testing.assert_allclose(found.spread[out], truth.square().sum(1), rtol=1e-8)
        np.testing.assert_allclose(found.predicted[out], y[out] - error, rtol=1e-6, atol=1e-7)


def test_folds_of_a_series_are_fitted_without_their_neighbours():
    rng = np.random.default_rng(2)
    h, y = (torch.from_numpy(rng.standard_normal((200, d))) for d in (3, 1))
    observer = ln.Observer(ln.reservoirs.MLP(1, 3, 2), ridge_penalty=0.3)
    cut = folds(200, gap=4)
    assert torch.equal(cut.order, torch.arange(200))
    whole = cut.wholes(observer, h[:, None], y[:, None])[3]
    assert whole.count == 200 - 20 - 2 * 4
    kept = torch.cat([h[: cut.bounds[3] - 4], h[cut.bounds[4] + 4 :]])
    torch.testing.assert_close(whole.feature_mean, kept.mean(0))


def test_blocks_that_were_read_by_chunks_are_predicted_from_the_others():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((400, 2))
    y = np.sin(x[:, :1]) + 0.5 * rng.standard_normal((400, 1))
    chunked = ln.score(lambda: iter([(x[:150], y[:150]), (x[150:], y[150:])]), draws=2, null=9)
    whole = ln.score(x, y, draws=2, null=9)
    assert chunked.held_out_variance == pytest.approx(whole.held_out_variance, abs=0.05)
    low, high = chunked.held_out_interval
    assert low < whole.held_out_variance < high


def test_the_share_is_that_of_new_samples_within_its_interval():
    rng = np.random.default_rng(4)
    x, y, new_x, new_y = _sine(300, rng) + _sine(20_000, rng)
    found = ln.score(x, y, draws=2, null=0, seed=7)
    value = share_of_new_samples(rows(x, y), rows(new_x, new_y), draws=2, seed=7)
    low, high = found.held_out_interval
    assert 0 < low < value < high < 1
    assert low < found.held_out_variance < high
    # Unit noise, and a signal of deviation two: no readout can explain more than 4/5.
    assert value < 0.81
    assert found.explained_variance > found.held_out_variance


def rows(x, y):
    return {"inputs": x, "targets": y}


def _sine(n, rng):
    x = rng.standard_normal((n, 1))
    return x, 2 / 0.7025 * np.sin(1.5 * x) + rng.standard_normal((n, 1))


def test_nine_intervals_of_ten_cover_and_noise_has_zero():
    covered, zero = 0, 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x, y, new_x, new_y = _sine(100, rng) + _sine(4000, rng)
        low, high = ln.score(x, y, draws=1, null=0, seed=seed).held_out_interval
        value = share_of_new_samples(rows(x, y), rows(new_x, new_y), draws=1, seed=seed)
        covered += low <= value <= high
        noise = ln.score(x, rng.standard_normal(100), draws=1, null=0, seed=seed)
        zero += noise.held_out_interval[0] == 0
    # Of 30 with probability 0.93: 24 or fewer happen in 3 of 1,000 trials.
    assert covered >= 25
    assert zero >= 27


def test_intervals_of_skewed_and_heavy_errors_cover():
    """The readout is known, so that the population's share is too: 9 / 10."""
    random, covered = np.random.default_rng(3), {"normal": 0, "skewed": 0, "t3": 0}
    for _ in range(200):
        x = random.standard_normal(100)
        noises = {
            "normal": random.standard_normal(100),
            "skewed": random.exponential(size=100) - 1,
            "t3": random.standard_t(3, 100) / math.sqrt(3),
        }
        for name, noise in noises.items():
            pair = HeldOut(noise**2, (3 * x + noise) ** 2, 1.0)
            _, (low, high) = held_out_share([pair], 100, 100)
            covered[name] += low <= 0.9 <= high
    assert 184 <= covered["normal"] <= 199
    assert 184 <= covered["skewed"] <= 199
    # Squares of t3 noise have no variance: Student's interval covers in 85%.
    assert covered["t3"] >= 178


def test_blocks_of_correlated_targets_have_the_errors_of_their_rows():
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(200, 2, generator=generator, dtype=torch.float64)
    common = torch.randn(200, 1, generator=generator, dtype=torch.float64)
    y = x[:, :1] + common.repeat(1, 3)
    observer = Observer(reservoirs.Identity(2), ridge_penalty=0.1)
    cuts = [0, 60, 130, 200]
    spans = list(itertools.pairwise(cuts))
    blocks = [observer.rows(x[a:b], y[a:b]).roots(torch.float64) for a, b in spans]
    found = HeldOut.of_blocks(observer, blocks)
    for place, (a, b) in enumerate(spans):
        rest = torch.cat([torch.arange(a), torch.arange(b, 200)])
        mean, deviation = x[rest].mean(0), x[rest].std(0, correction=0)
        h = (x - mean) / deviation / 2**0.5
        centre = y[rest].mean(0)
        gram = h[rest].T @ h[rest] + 0.1 * torch.eye(2, dtype=torch.float64)
        readout = torch.linalg.solve(gram, h[rest].T @ (y[rest] - centre))
        left = y[a:b] - centre
        assert found.errors[place] == pytest.approx(float((left - h[a:b] @ readout).square().sum()))
        assert found.spread[place] == pytest.approx(float(left.square().sum()))


def test_the_jackknife_of_a_mean_is_its_student_interval():
    values = np.random.default_rng(4).exponential(size=10) + 3
    without = (values.sum() - values) / 9
    expected = stats.t.interval(0.95, 9, values.mean(), stats.sem(values))
    assert jackknife(float(values.mean()), without) == pytest.approx(expected)
    assert jackknife(0.1, without)[0] == 0.0


def test_denoised_bits_have_an_interval_where_something_is_found():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((300, 2))
    y = np.sin(2 * x[:, 0]) + 0.5 * rng.standard_normal(300)
    found = ln.score(x, y, draws=2, null=99)
    low, high = found.denoised_interval
    assert low < found.denoised_bits < high < 1.5 * found.denoised_bits
    assert "95% [" in next(row[2] for row in found.rows() if row[0] == "denoised bits")
    nothing = ln.score(x, rng.standard_normal(300), draws=2, null=99)
    assert all(math.isnan(end) for end in nothing.denoised_interval)
