"""The exact minimizer of the total description length, appendix D."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import MLP
from learnable_novelty.observer.spectral import Spectral as Axes
from learnable_novelty.observer.summary import Moments, Rows
from novelty_lab.observers.mdl import minimize_description_length


def axes_of(eigenvalues, cross):
    """A regression in its own axes, with targets just large enough to hold the cross product."""
    k = torch.as_tensor(eigenvalues, dtype=torch.float64)
    b = torch.as_tensor(cross, dtype=torch.float64)
    power = (b.square() / k[:, None]).sum() + 1.0
    return Axes(100.0, k, b, torch.eye(len(k), dtype=torch.float64), power)


def exact_weights(observer, data):
    fit = observer.fit(data)
    settings = fit.penalty, observer.resolution, observer.code_scale
    return fit.axes.basis @ minimize_description_length(fit.axes, *settings).readout


def objective(weights, h, y, penalty, resolution, code_scale):
    """Eq. (mdl-objective), by determinant."""
    variance = penalty / (2 * code_scale * resolution)
    residual = (y - h @ weights).square().sum() / (2 * variance * math.log(2))
    eye = torch.eye(len(weights), dtype=weights.dtype)
    model = torch.logdet(eye + resolution * weights @ weights.T) / math.log(2)
    return residual + code_scale * model


def objective_in_axes(w, axes, penalty, resolution, code_scale):
    """The same, from the eigenvalues and the cross product."""
    k, b = axes.eigenvalues.numpy(), axes.cross.numpy()
    residual = float(axes.power) - 2 * np.sum(b * w) + np.sum(k[:, None] * w**2)
    price = np.linalg.slogdet(np.eye(len(w)) + resolution * w @ w.T)[1] / math.log(2)
    variance = penalty / (2 * code_scale * resolution)
    return residual / (2 * variance * math.log(2)) + code_scale * price


CASES = [(40, 6, 3), (12, 20, 4), (30, 4, 8), (6, 9, 12)]


@pytest.mark.parametrize("n, m, d", CASES)
@pytest.mark.parametrize("penalty", [0.03, 0.3, 3.0])
def test_the_readout_is_stationary_for_the_description_length(normal, oracle, n, m, d, penalty):
    h, y = normal(n, m), normal(n, d)
    ours = Observer(MLP(1, m, 1), ridge_penalty=penalty, resolution=2.0, code_scale=0.7)
    found = exact_weights(ours, Rows(h, y))
    features, targets = (torch.tensor(v) for v in oracle.standardized(h, y))

    def slope(weights):
        weights = weights.clone().requires_grad_()
        value = objective(weights, features, targets, penalty, 2.0, 0.7)
        return torch.autograd.grad(value, weights)[0]

    reference = slope(torch.zeros_like(found)).norm()
    assert float(slope(found).norm() / reference) < 1e-6
    assert float(slope(ours.readout_of(Rows(h, y)).weights).norm() / reference) > 1e-4


@pytest.mark.parametrize("n, m, d", CASES)
def test_rows_and_moments_and_solvers_give_one_minimizer(normal, n, m, d):
    h, y = normal(n, m), normal(n, d)
    found = [
        exact_weights(Observer(MLP(1, m, 1), ridge_penalty=0.3, solver=solver), Rows(h, y))
        for solver in ("gram", "spectral", "auto")
    ]
    found.append(exact_weights(Observer(MLP(1, m, 1), ridge_penalty=0.3), Moments.of(h, y)))
    for other in found[1:]:
        assert torch.allclose(other, found[0], atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    rank=st.integers(1, 5),
    targets=st.integers(1, 5),
    penalty=st.floats(1e-2, 5),
    resolution=st.floats(0.1, 10),
)
def test_under_an_isotropic_gram_each_direction_solves_its_scalar_equation(
    seed, rank, targets, penalty, resolution
):
    generator = torch.Generator().manual_seed(seed)
    b = 2 * torch.randn(rank, targets, generator=generator, dtype=torch.float64)
    axes = axes_of(torch.ones(rank), b)
    found = minimize_description_length(axes, penalty, resolution, 0.5, tolerance=1e-10)
    assert found.converged
    u, sigma, v = torch.linalg.svd(b, full_matrices=False)
    in_place = u.T @ found.readout @ v.T
    w = in_place.diagonal()
    assert float((in_place - torch.diag(w)).abs().max()) < 1e-6
    left = w * (1 + penalty / (1 + resolution * w.square()))
    assert torch.allclose(left, sigma, rtol=1e-7, atol=1e-7)
    # So it shrinks less than the ridge, and is priced at no fewer bits.
    assert bool((w >= sigma / (1 + penalty) - 1e-7).all())


@pytest.mark.parametrize("seed", range(4))
def test_a_general_optimizer_from_the_same_start_agrees(seed):
    generator = torch.Generator().manual_seed(seed)
    k = np.array([3.0, 1.0, 0.4])
    b = torch.randn(3, 2, generator=generator, dtype=torch.float64).numpy()
    penalty, resolution, alpha = 0.2, 1.5, 0.6
    axes = axes_of(k, b)

    def cost(flat):
        return objective_in_axes(flat.reshape(3, 2), axes, penalty, resolution, alpha)

    start = b / (k + penalty)[:, None]
    reference = minimize(cost, start.ravel(), method="BFGS", options={"gtol": 1e-9, "maxiter": 500})
    found = minimize_description_length(axes, penalty, resolution, alpha, tolerance=1e-10)
    assert found.objective[0] == pytest.approx(cost(start.ravel()), rel=1e-12)
    assert found.objective[-1] == pytest.approx(reference.fun, rel=1e-9)
    np.testing.assert_allclose(found.readout.numpy().ravel(), reference.x, atol=1e-4)


def test_constant_targets_have_the_zero_minimizer(normal):
    ours = Observer(MLP(1, 5, 1), ridge_penalty=0.3)
    assert not exact_weights(ours, Rows(normal(20, 5), torch.ones(20, 2).double())).any()
    infinite = minimize_description_length(axes_of([1.0], [[2.0]]), math.inf, 1.0, 0.5)
    assert infinite.converged
    assert not infinite.readout.any()
