"""One factorization, many targets."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from mpmath import mp

from learnable_novelty import rearrange as module
from learnable_novelty.observer.evidence import PerSample
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import MLP
from learnable_novelty.observer.summary import Rows

shapes = pytest.mark.parametrize("n, m", [(40, 6), (9, 15), (8, 8)])
penalties = pytest.mark.parametrize("penalty", [0.2, PerSample(0.05), "evidence"])


def judged(observer, data):
    """Bits and the share of variance explained."""
    readout = observer.readout_of(data)
    return readout.model_bits, readout.explained_variance


def make(m, penalty, **knobs):
    return Observer(MLP(1, m, 1), ridge_penalty=penalty, **knobs)


def problem(normal, n, m, d=3):
    h = normal(n, m)
    return h, h[:, :d].sin() + 0.5 * normal(n, d)


@shapes
@penalties
@pytest.mark.parametrize("batch_values, d", [(1, 3), (70, 3), (10**6, 3), (70, 20)])
def test_rearranged_targets_score_as_if_fitted_anew(
    normal, rng, monkeypatch, n, m, penalty, batch_values, d
):
    monkeypatch.setattr(module, "BATCH_VALUES", batch_values)
    h, y = problem(normal, n, m)
    y = y @ normal(3, d) if d > 3 else y  # more columns than axes are moved another way
    ours = make(m, penalty)
    refit = ours.fit(Rows(h, y))
    orders = [torch.randperm(n, generator=rng) for _ in range(6)]
    bits, variances = refit.rearranged(refit.targets, iter([torch.arange(n), *orders]))
    assert bits.shape == variances.shape == (7,)
    assert float(bits[0]) == pytest.approx(refit.bits(), rel=1e-9)
    assert float(variances[0]) == pytest.approx(refit.explained_variance(), rel=1e-9)
    for i, order in enumerate(orders, start=1):
        expected_bits, expected_variance = judged(ours, Rows(h, y[order]))
        assert float(bits[i]) == pytest.approx(expected_bits, rel=1e-5, abs=1e-8)
        assert float(variances[i]) == pytest.approx(expected_variance, rel=1e-5, abs=1e-8)


@shapes
def test_the_penalty_of_the_observed_targets_can_be_kept(normal, rng, n, m):
    h, y = problem(normal, n, m)
    refit = make(m, "evidence").fit(Rows(h, y))
    order = torch.randperm(n, generator=rng)
    bits, variances = refit.rearranged(refit.targets, iter([order]), same_penalty=True)
    assert math.isfinite(refit.penalty)
    posited = judged(make(m, refit.penalty), Rows(h, y[order]))
    assert (float(bits), float(variances)) == pytest.approx(posited, rel=1e-8)


@shapes
@pytest.mark.parametrize("penalty", [1e-3, 0.2, 50.0])
def test_residual_freedom_is_the_trace_of_the_squared_residual_maker(normal, oracle, n, m, penalty):
    h, y = problem(normal, n, m)
    features, _ = oracle.standardized(h, y)
    smoother = features @ np.linalg.inv(features.T @ features + penalty * np.eye(m)) @ features.T
    maker = np.eye(n) - smoother
    expected = np.trace(maker @ maker) - 1
    got = make(m, penalty).fit(Rows(h, y)).residual_freedom()
    assert got == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_residual_freedom_of_repeated_rows_counts_them(normal):
    h, y = problem(normal, 6, 9)
    counts = torch.tensor([1, 2, 3, 1, 2, 4])
    whole = Rows(h.repeat_interleave(counts, 0), y.repeat_interleave(counts, 0))
    weighted = make(9, 0.2).fit(Rows(h, y, counts))
    assert weighted.residual_freedom() == pytest.approx(
        make(9, 0.2).fit(whole).residual_freedom(), rel=1e-9
    )


def test_a_loose_ridge_on_few_rows_still_leaves_a_little_freedom(normal, oracle):
    n, m, penalty = 5, 12, 1e-9
    h, y = problem(normal, n, m)
    refit = make(m, penalty).fit(Rows(h, y))
    with mp.workdps(60):
        features = mp.matrix(oracle.standardized(h, y)[0].tolist())
        eigenvalues = sorted(mp.eigsy(features * features.T, eigvals_only=True))[1:]
        expected = float(mp.fsum((penalty / (k + penalty)) ** 2 for k in eigenvalues))
    assert 0 < expected < 1e-15
    assert refit.residual_freedom() == pytest.approx(expected, rel=1e-6)
    assert bool(torch.isfinite(refit.noise()).all())


@shapes
@pytest.mark.parametrize("penalty", [0.2, 5.0])
def test_noise_has_the_size_of_the_noise_that_left_the_residuals(normal, n, m, penalty):
    targets, spread = 20_000, 1.7
    h, y = normal(n, m), spread * normal(n, targets)
    refit = make(m, penalty).fit(Rows(h, y))
    variances = refit.noise().square().sum(0) / (n - 1)
    error = float(variances.std()) / math.sqrt(targets)
    assert error < 0.1 * spread**2
    assert abs(float(variances.mean()) - spread**2) < 5 * error
    # The residuals themselves are smaller: the fit absorbs part of the noise.
    assert refit.residual_power() < refit.noise().square().sum()


@pytest.mark.parametrize("solver", ["auto", "gram", "spectral"])
def test_each_form_of_the_data_has_the_same_fit(normal, oracle, solver):
    h, y = problem(normal, 40, 6)
    ours, rows = make(6, 0.2, solver=solver, target_unit=0.5), Rows(h, y)
    forms = [rows, rows.roots(torch.float64)]
    if solver != "spectral":
        forms.append(rows.moments(torch.float64))
    weights = oracle.readout(h, y, 0.2, 0.5)
    features, targets = oracle.standardized(h, y, 0.5)
    residual = np.sum((targets - features @ weights) ** 2)
    for form in forms:
        fit = ours.fit(form)
        assert fit.bits() == pytest.approx(oracle.price(weights), rel=1e-9)
        np.testing.assert_allclose(fit.weights.numpy(), weights, rtol=0, atol=1e-9)
        singular = np.linalg.svd(weights, compute_uv=False)
        np.testing.assert_allclose(fit.spectrum().numpy(), singular, rtol=1e-8)
        assert fit.residual_power() == pytest.approx(residual, rel=1e-8)
        noise_variance = 0.2 / (2 * 0.5)
        assert fit.residual_bits() == pytest.approx(residual / (2 * noise_variance * math.log(2)))
    for form in forms[1:]:
        with pytest.raises(ValueError, match="expected a fit of rows"):
            ours.fit(form).noise()
    if solver == "spectral":
        with pytest.raises(ValueError, match="works on rows, and moments have none"):
            ours.fit(rows.moments(torch.float64))
