import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import learnable_novelty as ln
from learnable_novelty.integrations.sklearn import EpiplexityRegressor, ReservoirFeatures


@parametrize_with_checks([ReservoirFeatures(), EpiplexityRegressor()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def data(n=300, dtype=np.float64, seed=0):
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 3)) * [1, 10, 0.1] + [0, 5, 0]
    y = np.stack([np.sin(x[:, 0]), x[:, 1] * x[:, 2], random.normal(size=n)], 1)
    return x.astype(dtype), y.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "setting",
    [{}, {"ridge_penalty": 0.1}, {"ridge_penalty": ln.PerSample(1e-3)}, {"target_unit": 0.5}],
    ids=str,
)
@pytest.mark.parametrize("n", [20, 300])
def test_the_pair_in_a_pipeline_is_the_score(n, setting, dtype):
    x, y = data(n, dtype)
    pipeline = make_pipeline(ReservoirFeatures(seed=7), EpiplexityRegressor(seed=7, **setting))
    readout = pipeline.fit(x, y)[-1]
    expected = ln.score(x, y, draws=1, null=0, seed=7, **setting)
    assert readout.bits_ == pytest.approx(expected.bits, abs=1e-10)
    assert readout.floor_bits_ == pytest.approx(expected.floor_bits, abs=1e-10)
    assert readout.excess_bits_ == pytest.approx(expected.excess_bits, abs=1e-10)
    assert readout.explained_variance_ == pytest.approx(expected.explained_variance, abs=1e-10)
    np.testing.assert_allclose(readout.spectrum_, expected.spectrum, rtol=0, atol=1e-10)


def test_predictions_explain_the_share_that_the_readout_says():
    x, y = data()
    pipeline = make_pipeline(ReservoirFeatures(), EpiplexityRegressor()).fit(x, y)
    left = (y - pipeline.predict(x)) / y.std(0)
    share = 1 - (left**2).sum() / len(y) / y.shape[1]
    assert pipeline[-1].explained_variance_ == pytest.approx(share, abs=1e-10)
    assert pipeline.predict(x).mean(0) == pytest.approx(y.mean(0))


def test_the_readout_is_scikit_learns_ridge_on_standardized_features():
    from sklearn.linear_model import Ridge

    x, y = data()
    ours = EpiplexityRegressor(ridge_penalty=0.7, target_unit=1.0).fit(x, y)
    standard = (x - x.mean(0)) / x.std(0) / np.sqrt(x.shape[1])
    theirs = Ridge(0.7).fit(standard, y)
    np.testing.assert_allclose(ours.predict(x), theirs.predict(standard), atol=1e-12)
    values = np.linalg.svd(theirs.coef_, compute_uv=False)
    np.testing.assert_allclose(ours.spectrum_, values, rtol=1e-12)
    assert ours.bits_ == pytest.approx(0.5 * np.log2(1 + values**2).sum())


def test_a_grid_search_takes_both_steps_apart():
    x, y = data(120)
    pipeline = Pipeline([("features", ReservoirFeatures()), ("readout", EpiplexityRegressor())])
    grid = {"features__width": np.array([4, 16]), "readout__ridge_penalty": ["evidence", 1e-2]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(x, y[:, :2])
    assert search.best_params_["features__width"] == 16
    assert search.best_estimator_[-1].bits_ > 0

    def most_bits(fitted, x, y=None):
        return fitted[-1].excess_bits_

    assert GridSearchCV(pipeline, grid, cv=3, scoring=most_bits).fit(x, y).best_score_ > 0


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (ReservoirFeatures(width="wide"), "width must be"),
        (ReservoirFeatures(width=0), "width must be a positive integer"),
        (ReservoirFeatures(seed=-1), "seed must be"),
        (EpiplexityRegressor(ridge_penalty=0.0), "ridge_penalty must be positive"),
        (EpiplexityRegressor(target_unit="meter"), "target_unit must be"),
        (EpiplexityRegressor(floor_repeats=0), "floor_repeats must be"),
    ],
)
def test_a_bad_setting_is_refused_when_it_is_fitted(estimator, message):
    x, y = data(20)
    with pytest.raises(ValueError, match=message):
        estimator.fit(x, y)
