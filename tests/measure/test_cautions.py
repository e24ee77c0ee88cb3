# pyright: reportOperatorIssue=false, reportOptionalOperand=false, reportPossiblyUnboundVariable=false

import math

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.measure.cautions import (
    equal_rows,
    outliers,
    refusal_of_pair,
)
from learnable_novelty.measure.surrogates import normal_scores
from novelty_lab.studies.calibration.processes import filtered, garch

RNG = np.random.default_rng(0)


def test_a_far_value_is_said_with_what_to_do():
    x, y = RNG.standard_normal((60, 2)), RNG.standard_normal((60, 1))
    assert outliers(torch.from_numpy(x), torch.from_numpy(y)) == []
    y[7] = 1e4
    (far,) = outliers(torch.from_numpy(x), torch.from_numpy(y))
    assert "target column 1 lies" in far
    assert "rank=True" in far


def test_repeated_rows_count_once():
    x, y = RNG.standard_normal((60, 2)), RNG.standard_normal((60, 1))
    twice = np.tile(x, (2, 1)), np.tile(y, (2, 1))
    groups, (copies,) = equal_rows(*map(torch.from_numpy, twice))
    np.testing.assert_array_equal(groups[:60], groups[60:])
    assert copies.startswith("60 of 120 rows repeat others")
    found = ln.score(*twice, draws=1, null=9)
    assert "60 repeated rows counted once)" in found.verdict
    assert "whole groups" in found.rearranged


def wave(g, n):
    """Two noises with one season, in random phases."""
    phase = g.uniform(0, 2 * np.pi, 2)
    return np.cos(2 * np.pi * np.arange(n)[:, None] / 12 + phase) + g.standard_normal((n, 2))


PAIRS = {
    "AR 0.99 pairs": lambda g, n: filtered(g, n, past=(0.99,), columns=2),
    "random walks": lambda g, n: g.standard_normal((n, 2)).cumsum(0),
    "trends": lambda g, n: np.linspace(-1.7, 1.7, n)[:, None] + g.standard_normal((n, 2)),
    "same season": wave,
}


@pytest.mark.parametrize("name", ["AR 0.99 pairs", "random walks", "trends", "same season"])
def test_two_series_that_move_together_by_chance_have_no_p_value(name):
    for seed in range(5):
        x, y = PAIRS[name](np.random.default_rng(seed), 400).T
        found = ln.score(x, y, leads=[0], draws=1, null=19)
        assert found.p_value is None
        assert found.verdict == f"no p-value: {found.refusal}"
        assert "difference" in found.refusal
        # Neither is known what noise could have made of them: these are not 0, and not a number.
        unknown = (found.denoised_bits, found.directions, found.root_p_value)
        assert np.isnan(unknown).all()
        assert "not known without a test" in str(found)
        assert found.to_dict()["denoised_bits"] is None


def test_faster_series_and_differences_have_a_p_value():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        walks = torch.from_numpy(PAIRS["random walks"](rng, 400))
        steps = walks.diff(dim=0)
        assert refusal_of_pair(steps[:, :1], steps[:, 1:]) is None
        # White noise can be shifted against anything.
        assert refusal_of_pair(steps[:, :1], walks[1:, 1:]) is None


def test_few_samples_have_a_score_and_no_p_value():
    lattices = RNG.standard_normal((4, 1, 16))
    found = ln.score(lattices[:3], lattices[:3], draws=1)
    assert found.p_value is None
    assert "at least 4 samples" in found.verdict
    assert ln.score(lattices, lattices, draws=1, null=19).p_value is not None
    rows = ln.score([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], draws=1)
    assert rows.p_value is None
    assert math.isnan(rows.denoised_bits)


def test_a_variance_is_told_from_a_mean():
    large = small = 0
    for seed in range(10):
        series = garch(np.random.default_rng(seed), 300)
        found = ln.score(series, window=1, draws=1, null=19, seed=seed)
        small += found.p_value <= 0.05
        x = np.random.default_rng(seed).standard_normal(100)
        learnable = ln.score(x, np.sin(x), draws=1, null=19)
        large += learnable.p_value <= 0.05
    assert small <= 3
    assert large == 10


def test_normal_scores_are_quantiles_of_ranks():
    from scipy.stats import norm, rankdata

    values = RNG.integers(0, 9, (50, 2)).astype(float)
    expected = norm.ppf((rankdata(values, axis=0) - 0.5) / 50)
    np.testing.assert_allclose(
        normal_scores(torch.from_numpy(values)).numpy(), expected, atol=1e-12
    )
    lattice = torch.from_numpy(RNG.standard_normal((5, 2, 4)))
    flat = lattice.movedim(1, -1).reshape(-1, 2)
    ranked = normal_scores(lattice).movedim(1, -1).reshape(-1, 2)
    torch.testing.assert_close(ranked, normal_scores(flat))


@pytest.mark.slow
def test_ranks_find_a_relation_under_heavy_tails_and_ignore_units():
    found = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal((100, 1))
        y = x + rng.standard_cauchy((100, 1))
        ranked = ln.score(x, y, rank=True, draws=2, null=99)
        found += ranked.p_value <= 0.05
    # Power 0.8: twelve or fewer of 20 happen in 3 of 100 trials.
    assert found >= 13
    assert ln.score(np.exp(x), y**3, rank=True, draws=2, null=99) == ranked
    assert "normal scores" in ranked.standardization
    with pytest.raises(ValueError, match="normal scores have no unit"):
        ln.score(x, y, rank=True, target_unit=1.0)
    with pytest.raises(ValueError, match="ranks need all rows"):
        ln.score(lambda: iter([(x, y)]), rank=True)


def test_more_inputs_than_rows_get_a_caution():
    g = np.random.default_rng(0)
    for columns in (30, 31):
        told = ln.score(g.standard_normal((30, columns)), g.standard_normal((30, 1)), null=19)
        assert (columns == 31) == any("31 inputs and 30 rows" in text for text in told.cautions)
