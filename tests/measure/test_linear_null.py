import numpy as np
import pytest
import torch
from scipy.signal import lfilter
from scipy.stats import false_discovery_control

import learnable_novelty as ln
from learnable_novelty.measure.surrogates import (
    _autoregressions,
    _stable,
    beyond_linear,
    linear_order,
    simulations,
)
from learnable_novelty.measure.task import Windows
from novelty_lab.studies.calibration.processes import LINEAR_SERIES, PERIOD_TEN, filtered, henon


def generators(count):
    return [np.random.default_rng(i) for i in range(count)]


def test_the_order_of_an_autoregression_is_found():
    series = filtered(np.random.default_rng(0), 2000, past=PERIOD_TEN)
    assert 2 <= linear_order(series) <= 4
    pair = filtered(np.random.default_rng(1), 500, past=(0.7,), columns=2)
    assert 1 <= linear_order(pair) <= 2
    assert linear_order(np.ones((50, 1))) == 0


def test_an_autoregression_is_its_least_squares_fit():
    series = filtered(np.random.default_rng(2), 300, past=PERIOD_TEN, columns=2)
    weights, covariance = _autoregressions(series[None], 2)
    centred = series - series.mean(0)
    past = np.concatenate([centred[:-2], centred[1:-1]], axis=1)
    expected, *_ = np.linalg.lstsq(past, centred[2:], rcond=None)
    np.testing.assert_allclose(weights[0], expected, rtol=1e-8)
    left = centred[2:] - past @ expected
    np.testing.assert_allclose(covariance[0], left.T @ left / (298 - 4), rtol=1e-8)


def test_an_explosive_fit_is_made_stationary():
    weights = _stable(np.array([[-0.2], [1.3]]))  # oldest first
    roots = np.roots([1, *(-weights[::-1, 0])])
    assert np.abs(roots).max() <= 0.9951
    same = np.array([[0.1], [0.5]])
    np.testing.assert_array_equal(_stable(same), same)


def test_simulations_have_the_spectrum_of_the_series_and_normal_scores():
    series = filtered(np.random.default_rng(3), 400, past=(0.8,))
    made = simulations((series - series.mean()) / series.std(), 1, generators(50))
    lag = [np.corrcoef(one[1:, 0], one[:-1, 0])[0, 1] for one in made]
    own = np.corrcoef(series[1:, 0], series[:-1, 0])[0, 1]
    assert abs(np.mean(lag) - own) < 0.02
    first = np.sort(made[0, :, 0])
    np.testing.assert_allclose(first, np.sort(made[1, :, 0]), atol=1e-9)


def test_what_a_linear_fit_leaves_is_orthogonal_to_the_past():
    series = torch.from_numpy(filtered(np.random.default_rng(4), 200, past=PERIOD_TEN))
    inputs, targets = beyond_linear(series, Windows(3, (1, 4)), generators(2))
    assert inputs.shape[0] == targets.shape[0] == 3
    assert inputs.shape[2] == 3
    assert targets.shape[2] == 2
    assert float((inputs.mT @ targets).abs().max()) < 1e-8


def test_linear_processes_pass_and_a_map_does_not():
    """Of 6 x 3 series a level of 0.05 rejects one; five or more happen in 4 of 1,000 trials."""
    rejected = 0
    for make in list(LINEAR_SERIES.values())[:6]:
        for seed in range(3):
            series = make(np.random.default_rng(seed), 150)["inputs"]
            found = ln.score(series, window=1, draws=1, null=ln.Null(19, "linear"), seed=seed)
            rejected += found.p_value <= 0.05
    assert rejected <= 4
    noisy = henon(np.random.default_rng(0), 300)
    noisy = noisy + 0.5 * noisy.std() * np.random.default_rng(1).standard_normal(300)
    found = ln.score(noisy, window=1, draws=1, null=ln.Null(19, "linear"))
    assert found.p_value == 0.05
    assert found.tested_variance < found.explained_variance + 1
    sine = np.sin(0.3 * np.arange(300)) + 0.1 * np.random.default_rng(2).standard_normal(300)
    assert ln.score(sine, window=1, draws=1, null=ln.Null(19, "linear")).p_value > 0.05


def test_adjusted_p_values_are_those_of_scipy():
    p = np.random.default_rng(5).uniform(size=50) ** 2
    np.testing.assert_allclose(ln.adjust(p.tolist()), false_discovery_control(p))
    assert ln.adjust([]) == []
    with pytest.raises(ValueError, match="between 0 and 1, got 2"):
        ln.adjust([0.1, 2.0])


def test_a_learning_curve_scores_subsets_of_each_size():
    x = np.random.default_rng(6).standard_normal((200, 1))
    curve = ln.learning_curve(x, np.sin(x), draws=1, subsets=2)
    assert curve.sizes == (50, 100, 200)
    assert [len(scores) for scores in curve.scores] == [2, 2, 1]
    assert curve.at(200)["bits"] == ln.score(x, np.sin(x), draws=1, null=0).bits
    assert [score.num_samples for score in curve.scores[0]] == [50, 50]
    assert "held out" in str(curve)
    series = lfilter([1], [1, -0.9], x[:, 0])
    assert ln.learning_curve(series, window=1, sizes=[64], draws=1).scores[0][0].num_samples == 63
    with pytest.raises(ValueError, match="expected sizes from 2 to 200"):
        ln.learning_curve(x, x, sizes=[300])
    with pytest.raises(ValueError, match="one of the sizes"):
        curve.at(60)
