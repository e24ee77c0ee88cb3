"""Estimates against hand-computed cases, brute force and truths that are known."""

import numpy as np
import pytest
from scipy import stats

from novelty_lab.paper.table1_agents import statistics as rl_statistics
from novelty_lab.paper.table1_agents.statistics import (
    has_scale,
    improvement,
    interquartile_mean,
    mean_band,
    normalized_iqm,
    wins,
)


@pytest.fixture
def few_resamples(monkeypatch):
    monkeypatch.setattr(rl_statistics, "RESAMPLES", 1000)


@pytest.mark.parametrize(
    ("values", "truth"),
    [
        ([7.0], 7.0),
        ([1.0, 4.0], 2.5),
        # A quarter of three runs is 3/4 of one: the ends keep 1/4 each.
        ([0.0, 10.0, 50.0], (0.25 * 0 + 10 + 0.25 * 50) / 1.5),
        # A quarter of five runs is 5/4: the second and the fourth keep 3/4 each.
        ([-99.0, 1.0, 2.0, 4.0, 99.0], (0.75 * 1 + 2 + 0.75 * 4) / 2.5),
    ],
)
def test_interquartile_mean_counts_parts_of_runs_at_the_quartiles(values, truth):
    assert interquartile_mean(np.array(values[::-1])) == pytest.approx(truth)


def test_interval_of_the_interquartile_mean_is_that_of_resampling_runs_within_tasks():
    generator = np.random.default_rng(2)
    groups = [generator.normal(place, 1.0, size=5) for place in (0.0, 3.0, -2.0)]
    found = normalized_iqm(groups).interval
    drawn = np.concatenate([group[generator.integers(0, 5, (20_000, 5))] for group in groups], 1)
    brute = [float(interquartile_mean(row)) for row in drawn]
    assert found == pytest.approx(np.quantile(brute, [0.025, 0.975]), abs=0.05)


def test_probability_of_improvement_is_mann_and_whitneys_statistic():
    generator = np.random.default_rng(3)
    x, y = generator.integers(0, 6, 9).astype(float), generator.integers(0, 6, 7).astype(float)
    statistic = stats.mannwhitneyu(x, y).statistic
    assert improvement([x], [y]).value == pytest.approx(statistic / 63)


def test_probability_of_improvement_is_averaged_over_tasks_and_turns_round():
    xs = [np.array([1.0, 2.0]), np.array([0.0, 1.0, 2.0, 3.0])]
    ys = [np.array([0.0, 0.5]), np.array([1.5, 1.5])]
    there, back = improvement(xs, ys), improvement(ys, xs)
    assert there.value == pytest.approx((1.0 + 0.5) / 2)
    assert there.value + back.value == pytest.approx(1.0)


def test_interval_of_the_improvement_is_that_of_resampling_both_sides():
    generator = np.random.default_rng(4)
    xs = [generator.normal(0.5, 1.0, size=5) for _ in range(3)]
    ys = [generator.normal(0.0, 1.0, size=4) for _ in range(3)]
    brute: list[float] = []
    for _ in range(5000):
        drawn = [
            wins(generator.choice(x, len(x)), generator.choice(y, len(y))).mean()
            for x, y in zip(xs, ys, strict=True)
        ]
        brute.append(float(np.mean(drawn)))
    found = improvement(xs, ys).interval
    assert found == pytest.approx(np.quantile(brute, [0.025, 0.975]), abs=0.02)


def test_band_is_that_of_the_mean(few_resamples):
    curves = np.random.default_rng(6).normal(size=(400, 3)) * [1.0, 2.0, 0.0]
    mean, band = mean_band(curves)
    np.testing.assert_allclose(mean, curves.mean(0))
    assert band is not None
    half = 1.96 * curves.std(0) / 20
    np.testing.assert_allclose(band, [mean - half, mean + half], atol=0.02)


@pytest.mark.parametrize(
    ("random", "reference", "truth"),
    [
        (-500.0, -100.0, True),
        (-500.0, -500.0, False),
        (0.0, 0.0, False),
        (-500.0, -499.0, False),  # within a hundredth
        (5.0, -5.0, False),  # the wrong way round: better would read as worse
        (0.0, 0.1, True),
    ],
)
def test_there_are_no_units_where_task_only_agents_are_no_better_than_random(
    random, reference, truth
):
    assert has_scale(random=random, reference=reference) is truth
