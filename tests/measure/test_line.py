"""A line is a line: what it explains, and whether there is more."""
# pyright: reportOptionalOperand=false, reportArgumentType=false, reportOperatorIssue=false

import dataclasses

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.measure.held_out import HeldOut
from learnable_novelty.measure.line import Line, paired_difference


def relation(seed, bend, n=200):
    g = np.random.default_rng(seed)
    x = g.standard_normal((n, 2))
    return x, x[:, :1] + bend * x[:, :1] ** 2 + np.abs(x[:, 1:]) * g.standard_normal((n, 1))


def test_the_line_is_that_of_least_squares():
    x, y = (torch.from_numpy(part) for part in relation(0, 0.5))
    line = Line.of(x, y)
    design = np.column_stack([np.ones(len(x)), x])
    weights, *_ = np.linalg.lstsq(design, y.numpy(), rcond=None)
    np.testing.assert_allclose(line.left, y.numpy() - design @ weights, atol=1e-12)
    hat = design @ np.linalg.pinv(design)
    np.testing.assert_allclose(line.size[:, 0] ** 2, 1 - np.diag(hat), atol=1e-12)
    np.testing.assert_allclose(line.fitted.sum(0), 0, atol=1e-9)
    assert line.bend(torch.cat([x, x**2], dim=1)).features[:, :2].abs().max() == 0
    strong = line.of_strength(torch.tensor([4.0]))
    assert float(strong.square().sum()) == pytest.approx(4.0)


def test_a_line_has_no_bend_and_a_parabola_has():
    few = found = 0
    for seed in range(20):
        line = ln.score(*relation(seed, 0.0), draws=1, null=19, seed=seed)
        few += line.bend_p_value <= 0.05
        assert line.linear_variance == pytest.approx(0.5, abs=0.2)
        found += ln.score(*relation(seed, 0.5), draws=1, null=19, seed=seed).bend_p_value <= 0.05
    assert few <= 4 and found >= 18


def test_the_sentence_names_the_line_beside_the_share():
    x, y = relation(1, 0.0)
    straight, bent = ln.score(x, y, draws=2), ln.score(*relation(1, 1.0), draws=2)
    assert "a straight line explains" in straight.verdict
    assert "no sign of a bend (p = " in straight.verdict
    assert "there is more than a line (p = 0.005)" in bent.verdict
    weak = dataclasses.replace(bent, bend_variance=-0.01)
    assert "what bends is too weak to predict from (p = 0.005)" in weak.verdict
    assert straight.line_bits == pytest.approx(straight.denoised_bits, abs=0.5)
    low, high = bent.bend_interval
    assert 0 < low < bent.bend_variance < high
    assert bent.bend_variance == pytest.approx(bent.held_out_variance - bent.linear_variance)
    assert f"a straight line as strong as this has {bent.line_bits:.2g}" in str(bent)


def test_the_paired_difference_is_a_ratio_of_means():
    g = np.random.default_rng(0)
    e, f, t = g.exponential(size=(3, 400))
    one, other = HeldOut(e, t, 1.0), HeldOut(f / 2, t, 1.0)
    difference, (low, high) = paired_difference(one, other, 400)
    assert difference == pytest.approx((e - f / 2).sum() / t.sum())
    resampled = [
        (e[rows] - f[rows] / 2).sum() / t[rows].sum() for rows in g.integers(400, size=(2000, 400))
    ]
    assert (high - low) / 2 == pytest.approx(1.96 * np.std(resampled), rel=0.1)


def test_a_row_with_a_coefficient_of_its_own_does_not_decide_the_test():
    few = 0
    for seed in range(12):
        g = np.random.default_rng(seed)
        x = g.standard_normal((80, 3))
        x[:, 2] = np.arange(80) == seed  # the only one of a category
        line = Line.of(torch.from_numpy(x), torch.from_numpy(g.standard_normal((80, 1))))
        assert (line.left / line.size).abs().max() < 10
        y = x[:, 0] + 0.3 * g.standard_normal(80)
        few += ln.score(x, y, draws=1, null=19, seed=seed).bend_p_value <= 0.05
    assert few <= 3
