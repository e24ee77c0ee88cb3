"""Estimates against hand-computed cases, brute force and truths that are known."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from novelty_lab.paper.table1_agents import statistics as rl_statistics
from novelty_lab.paper.table1_agents.statistics import (
    Estimate,
    has_scale,
    improvement,
    interquartile_mean,
    mean_band,
    normalize,
    normalized_iqm,
    wins,
)


@pytest.fixture
def few_resamples(monkeypatch):
    monkeypatch.setattr(rl_statistics, "RESAMPLES", 1000)


@pytest.mark.parametrize("number", [4, 8, 20, 100])
def test_interquartile_mean_is_the_trimmed_mean_where_quarters_are_whole_runs(number):
    values = np.random.default_rng(number).normal(size=number)
    assert interquartile_mean(values) == pytest.approx(stats.trim_mean(values, 0.25))


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


def test_whole_weights_are_repeated_runs():
    generator = np.random.default_rng(1)
    values = generator.normal(size=7)
    counts = generator.integers(0, 4, size=(20, 7)) + np.eye(7, dtype=int)[0]
    repeated = [float(interquartile_mean(np.repeat(values, row))) for row in counts]
    np.testing.assert_allclose(interquartile_mean(values, counts.astype(float)), repeated)


def test_each_task_weighs_the_same_however_many_runs_it_has():
    few, many = np.array([0.0, 1.0]), np.array([4.0, 5.0])
    once = normalized_iqm([few, many])
    thrice = normalized_iqm([few, np.repeat(many, 3)])
    assert thrice.value == pytest.approx(once.value) == pytest.approx(2.5)


def test_interval_of_the_interquartile_mean_is_that_of_resampling_runs_within_tasks():
    generator = np.random.default_rng(2)
    groups = [generator.normal(place, 1.0, size=5) for place in (0.0, 3.0, -2.0)]
    found = normalized_iqm(groups).interval
    drawn = np.concatenate([group[generator.integers(0, 5, (20_000, 5))] for group in groups], 1)
    brute = [float(interquartile_mean(row)) for row in drawn]
    assert found == pytest.approx(np.quantile(brute, [0.025, 0.975]), abs=0.05)


def test_probability_of_improvement_is_counted_over_pairs_with_ties_as_halves():
    x, y = np.array([1.0, 2.0, 5.0]), np.array([2.0, 0.0])
    by_hand = (0 + 1 + 0.5 + 1 + 1 + 1) / 6
    assert improvement([x], [y]).value == pytest.approx(by_hand)
    brute = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in itertools.product(x, y)]
    np.testing.assert_array_equal(wins(x, y).ravel(), brute)


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


@pytest.mark.slow
def test_intervals_cover_the_truth_about_as_often_as_they_say(few_resamples):
    generator = np.random.default_rng(5)
    shift, trials, covered = 0.5, 300, np.zeros(2)
    better = 0.5 * math.erfc(-shift / 2)  # P(N(shift, 1) > N(0, 1)) = Phi(shift / sqrt 2)
    for _ in range(trials):
        xs, ys = (list(generator.normal(at, 1.0, size=(10, 10))) for at in (shift, 0.0))
        for place, (estimate, truth) in enumerate(
            [(normalized_iqm(xs), shift), (improvement(xs, ys), better)]
        ):
            assert estimate.interval is not None
            covered[place] += estimate.interval[0] <= truth <= estimate.interval[1]
    assert (covered / trials > 0.90).all()
    assert (covered / trials < 0.985).all()


def test_band_is_that_of_the_mean(few_resamples):
    curves = np.random.default_rng(6).normal(size=(400, 3)) * [1.0, 2.0, 0.0]
    mean, band = mean_band(curves)
    np.testing.assert_allclose(mean, curves.mean(0))
    assert band is not None
    half = 1.96 * curves.std(0) / 20
    np.testing.assert_allclose(band, [mean - half, mean + half], atol=0.02)


def test_a_single_run_has_no_interval():
    pair, single = np.array([1.0, 2.0]), np.array([3.0])
    assert normalized_iqm([pair, single]).interval is None
    assert improvement([pair], [single]).interval is None
    assert improvement([pair], [pair]).interval is not None
    assert mean_band(np.ones((1, 4)))[1] is None


def test_the_same_runs_give_the_same_interval():
    groups = [np.array([1.0, 2.0, 4.0])]
    assert normalized_iqm(groups) == normalized_iqm(groups)
    assert improvement(groups, groups) == improvement(groups, groups)


def test_units_of_returns_are_the_random_policy_and_the_task_only_agents():
    returns = np.array([-500.0, -100.0, -300.0])
    found = normalize(returns, random=-500.0, reference=-100.0)
    np.testing.assert_allclose(found, [0.0, 1.0, 0.5])


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


def test_estimates_read_as_text():
    assert str(Estimate(0.5, None)) == "0.50"
    assert str(Estimate(-0.001, (-1.0, 0.126))) == "0.00 [-1.00, 0.13]"
