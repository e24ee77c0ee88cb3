"""The ridge chosen by marginal likelihood."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.linalg import null_space
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

from learnable_novelty.observer.evidence import Evidence
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import MLP, Fourier

every_solver = pytest.mark.parametrize("solver", ["gram", "spectral"])


def dense_log_evidence(h, y, penalty):
    """Density of the targets, mean projected out, at the best prior variance."""
    contrasts = null_space(np.ones((1, len(h)))).T
    values = (contrasts @ y).T
    shape = contrasts @ (h @ h.T + penalty * np.eye(len(h))) @ contrasts.T

    def cost(log_variance):
        covariance = math.exp(log_variance) * shape
        return -np.sum(multivariate_normal.logpdf(values, cov=covariance, allow_singular=False))

    found = minimize_scalar(cost, bracket=(-3.0, 3.0), tol=1e-12)
    return -found.fun


def structured(normal, n, noise):
    x = normal(n, 2)
    return x, torch.cat([x.sin(), x[:, :1] * x[:, 1:]], 1) + noise * normal(n, 3)


@pytest.mark.parametrize("width", [5, 30])
def test_the_penalty_maximizes_the_dense_marginal_likelihood(normal, oracle, width):
    x, y = structured(normal, 20, 0.3)
    ours = Observer(MLP(2, width, 2), ridge_penalty="evidence")
    features, targets = oracle.standardized(ours.rows(x, y).features, y)
    chosen = ours.readout(x, y).ridge_penalty
    grid = np.logspace(-5, 4, 91)
    values = np.array([dense_log_evidence(features, targets, penalty) for penalty in grid])
    best = values.argmax()
    assert 0 < best < len(grid) - 1
    assert grid[best - 1] < chosen < grid[best + 1]
    peak = dense_log_evidence(features, targets, chosen)
    assert peak >= values.max() - 1e-9
    for factor in (0.999, 1.001):
        assert peak >= dense_log_evidence(features, targets, factor * chosen) - 1e-9


def test_the_formula_is_the_dense_likelihood_up_to_a_constant(normal, oracle):
    h, y = oracle.standardized(normal(15, 6), normal(15, 2))
    k, u = np.linalg.eigh(h.T @ h)
    power = np.sum((u.T @ h.T @ y) ** 2, 1)
    penalties = np.array([0.01, 0.3, 5.0, 100.0])
    given = torch.tensor(k), torch.tensor(power)[None], torch.tensor([np.sum(y**2)]), 15.0
    got = Evidence(*given).cost(torch.tensor(penalties)[None])[0].numpy()
    # Twice the dense cost, divided by two targets.
    dense = np.array([-dense_log_evidence(h, y, penalty) for penalty in penalties])
    np.testing.assert_allclose(got - got[0], dense - dense[0], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("n", [128, 512, 4096])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_noise_is_given_a_large_penalty_and_no_bits(n, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 3, generator=generator, dtype=torch.float64)
    y = torch.randn(n, 30, generator=generator, dtype=torch.float64)
    reservoir = MLP(3, 64, 4, seed=seed)
    got = Observer(reservoir, ridge_penalty="evidence").readout(x, y)
    # All eigenvalues of the Gram matrix together are n.
    assert got.ridge_penalty > n / 10
    assert got.model_bits < 0.5
    assert Observer(reservoir, ridge_penalty=0.1).readout(x, y).model_bits > 20


@every_solver
def test_constant_targets_get_an_infinite_penalty_and_zero_bits(normal, solver):
    ours = Observer(MLP(2, 8, 2), ridge_penalty="evidence", solver=solver)
    x, y = normal(20, 2), torch.full((20, 3), 4.2).double()
    got = ours.readout(x, y)
    assert got.ridge_penalty == math.inf
    assert got.noise_variance is None
    assert got.residual_bits is None
    assert got.model_bits == got.explained_variance == 0.0
    assert not got.weights.any()
    assert float(ours(x, y)) == 0.0


@pytest.mark.parametrize("n", [15, 60])
def test_dual_and_primal_choose_the_same_penalty(normal, n):
    x, y = structured(normal, n, 0.2)
    reservoir = Fourier(2, 30)
    found = [
        Observer(reservoir, ridge_penalty="evidence", solver=solver).readout(x, y)
        for solver in ("gram", "spectral")
    ]
    for other in found[1:]:
        assert other.ridge_penalty == pytest.approx(found[0].ridge_penalty, rel=1e-5)
        assert other.model_bits == pytest.approx(found[0].model_bits, rel=1e-6)


@pytest.mark.parametrize("solver, n", [("gram", 30), ("auto", 8)])
def test_gradient_holds_the_chosen_penalty_fixed(normal, solver, n):
    x, y = structured(normal, n, 0.2)
    x.requires_grad_()
    y = y.detach().requires_grad_()
    evidence = Observer(MLP(2, 10, 2), ridge_penalty="evidence", solver=solver)
    penalty = evidence.readout(x, y).ridge_penalty
    assert math.isfinite(penalty)
    posited = Observer(MLP(2, 10, 2), ridge_penalty=penalty, solver=solver)
    got = torch.autograd.grad(evidence(x, y), (x, y))
    expected = torch.autograd.grad(posited(x, y), (x, y))
    for a, b in zip(got, expected, strict=True):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-12)
        assert bool(b.any())


def test_gradient_at_an_infinite_penalty_is_zero(normal):
    x, y = normal(12, 2).requires_grad_(), torch.ones(12, 2).double().requires_grad_()
    for solver in ("gram", "auto"):
        ours = Observer(MLP(2, 20, 2), ridge_penalty="evidence", solver=solver)
        for gradient in torch.autograd.grad(ours(x, y), (x, y)):
            assert torch.equal(gradient, torch.zeros_like(gradient))
