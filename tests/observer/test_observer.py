"""The observer: from inputs and targets to bits, and its gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_range
from learnable_novelty.observer.evidence import PerSample
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import MLP, Conv1d, Conv2d, Fourier, Recurrent
from learnable_novelty.observer.summary import Moments, Rows

every_solver = pytest.mark.parametrize("solver", ["auto", "gram"])
# Rows, width, targets: tall, wide, more targets than rows.
shapes = pytest.mark.parametrize("n, width, d", [(7, 3, 2), (4, 6, 2), (3, 5, 4)])


# The score


def judged(observer, data):
    """Bits and the share of variance explained."""
    readout = observer.readout_of(data)
    return readout.model_bits, readout.explained_variance


@pytest.mark.parametrize(
    "reservoir, inputs, targets",
    [
        (MLP(2, 6, 2), (30, 2), (30, 3)),
        (Fourier(2, 40), (12, 2), (12, 3)),
        (Conv1d(1, 6, 3), (5, 1, 8), (5, 3, 8)),
        (Conv2d(1, 6, 2), (3, 1, 4, 5), (3, 2, 4, 5)),
        (Recurrent(2, 6, washout=3), (4, 9, 2), (4, 9, 3)),
    ],
    ids=["mlp", "fourier", "conv1d", "conv2d", "recurrent"],
)
@every_solver
def test_score_is_the_price_of_the_readout_of_all_rows(
    normal, oracle, reservoir, inputs, targets, solver
):
    x, y = normal(*inputs), normal(*targets)
    h = reservoir(x)
    if isinstance(reservoir, Recurrent):
        sites = [(n, t) for n in range(4) for t in range(3, 9)]
        features = np.array([h[n, t].numpy() for n, t in sites])
        values = np.array([y[n, t].numpy() for n, t in sites])
    else:
        places = list(np.ndindex(inputs[0], *inputs[2:]))
        features = np.array([h[(n, slice(None), *site)].numpy() for n, *site in places])
        values = np.array([y[(n, slice(None), *site)].numpy() for n, *site in places])
    ours = Observer(reservoir, ridge_penalty=0.05, resolution=2.0, code_scale=0.7, solver=solver)
    got = ours(x, y)
    assert got.ndim == 0
    assert float(got) == pytest.approx(oracle.bits(features, values, 0.05, 2.0, 0.7), rel=1e-8)


def test_every_field_changes_the_score(normal):
    x, y = normal(20, 2), normal(20, 3)
    base = {"ridge_penalty": 0.1}
    scores = {
        float(Observer(MLP(2, 6, 2), **{**base, **change})(x, y))
        for change in (
            {},
            {"ridge_penalty": 0.2},
            {"ridge_penalty": PerSample(0.1)},
            {"ridge_penalty": "evidence"},
            {"resolution": 2.0},
            {"code_scale": 1.0},
            {"target_unit": 2.0},
        )
    }
    assert len(scores) == 7


# Readouts


@pytest.mark.parametrize("n, width", [(40, 5), (6, 9)])
@pytest.mark.parametrize("as_moments", [True, False])
@every_solver
def test_ridge_readout_reports_what_it_fitted(normal, oracle, n, width, as_moments, solver):
    h, y = normal(n, width), normal(n, 3)
    knobs = {"resolution": 2.0, "code_scale": 0.7, "target_unit": 0.5}
    ours = Observer(MLP(1, width, 1), ridge_penalty=0.2, solver=solver, **knobs)
    if as_moments and solver == "spectral":
        with pytest.raises(ValueError, match="works on rows, and moments have none"):
            ours.readout_of(Moments.of(h, y))
        return
    got = ours.readout_of(Moments.of(h, y) if as_moments else Rows(h, y))
    weights = oracle.readout(h, y, 0.2, 0.5)
    features, targets = oracle.standardized(h, y, 0.5)
    residual = np.sum((targets - features @ weights) ** 2)
    variance = 0.2 / (2 * 0.7 * 2.0)
    np.testing.assert_allclose(got.weights.numpy(), weights, rtol=0, atol=1e-9)
    singular = np.linalg.svd(weights, compute_uv=False)
    np.testing.assert_allclose(got.singular_values.numpy(), singular, rtol=1e-8, atol=1e-10)
    assert got.model_bits == pytest.approx(oracle.price(weights, 2.0, 0.7), rel=1e-9)
    assert got.residual_bits == pytest.approx(residual / (2 * variance * math.log(2)), rel=1e-7)
    explained = 1 - residual / np.sum(targets**2)
    assert got.explained_variance == pytest.approx(explained, rel=1e-9)
    assert (got.ridge_penalty, got.noise_variance) == (0.2, pytest.approx(variance, rel=1e-14))
    data = Moments.of(h, y) if as_moments else Rows(h, y)
    assert judged(ours, data) == pytest.approx((got.model_bits, explained), rel=1e-9)


# Gradients


@shapes
@every_solver
def test_gradients_in_inputs_and_targets_are_right(normal, solver, n, width, d):
    ours = Observer(MLP(2, width, 2), ridge_penalty=0.2, resolution=1.5, solver=solver)
    x, y = normal(n, 2).requires_grad_(), normal(n, d).requires_grad_()
    assert torch.autograd.gradcheck(ours, (x, y))


@every_solver
def test_gradients_through_lattices_are_right(normal, solver):
    ours = Observer(Conv1d(1, 4, 2), ridge_penalty=0.2, solver=solver)
    x, y = normal(2, 1, 4).requires_grad_(), normal(2, 2, 4).requires_grad_()
    assert torch.autograd.gradcheck(ours, (x, y))


@every_solver
def test_gradients_through_a_sequence_are_right(normal, solver):
    ours = Observer(Recurrent(1, 4, leak=0.5, washout=1), ridge_penalty=0.2, solver=solver)
    x, y = normal(2, 4, 1).requires_grad_(), normal(2, 4, 2).requires_grad_()
    assert torch.autograd.gradcheck(ours, (x, y))


@every_solver
def test_gradients_at_equal_singular_values_are_right(normal, oracle, solver):
    ours = Observer(MLP(2, 4, 2), ridge_penalty=0.2, solver=solver)
    x = normal(9, 2).requires_grad_()
    h, _ = oracle.standardized(ours.rows(x, normal(9, 1)).features, np.zeros((9, 1)))
    # Targets whose ridge readout is 1.5 times an orthonormal pair.
    pair = np.linalg.qr(normal(4, 2).numpy())[0] * 1.5
    gram = h.T @ h
    y = torch.tensor(h @ np.linalg.solve(gram, (gram + 0.2 * np.eye(4)) @ pair)).requires_grad_()
    singular = ours.readout(x, y).singular_values
    assert torch.allclose(singular, torch.full_like(singular, 1.5), rtol=1e-7)
    assert torch.autograd.gradcheck(ours, (x, y))


@every_solver
@pytest.mark.parametrize("value", [0.0, 0.3])
def test_constant_features_have_exactly_zero_gradient(normal, solver, value):
    ours = Observer(MLP(2, 5, 2), ridge_penalty=0.2, solver=solver)
    x = torch.full((8, 2), value, dtype=torch.float64, requires_grad=True)
    y = normal(8, 3).requires_grad_()
    score = ours(x, y)
    assert float(score.detach()) == 0.0
    for gradient in torch.autograd.grad(score, (x, y)):
        assert torch.equal(gradient, torch.zeros_like(gradient))


def test_gradient_through_moments_is_right(normal):
    ours = Observer(MLP(1, 3, 1), ridge_penalty=0.2)
    h, y = normal(7, 3).requires_grad_(), normal(7, 2).requires_grad_()

    def score(a, b):
        return ours.bits(Moments.of(a[:3], b[:3]) + Moments.of(a[3:], b[3:]))

    assert torch.autograd.gradcheck(score, (h, y))


# Errors


@pytest.mark.parametrize(
    "knobs, error, message",
    [
        ({"ridge_penalty": 0.0}, ValueError, "ridge_penalty must be positive and finite, got 0.0"),
        ({"ridge_penalty": -1}, ValueError, "ridge_penalty must be positive"),
        ({"ridge_penalty": math.nan}, ValueError, "ridge_penalty must be positive"),
        ({"ridge_penalty": math.inf}, ValueError, "ridge_penalty must be positive"),
        ({"ridge_penalty": PerSample(0.0)}, ValueError, "ridge_penalty must be positive"),
        ({"ridge_penalty": "bayes"}, ValueError, "PerSample or \"evidence\", got 'bayes'"),
        ({"ridge_penalty": None}, TypeError, "ridge_penalty must be a number"),
        ({"ridge_penalty": True}, TypeError, "ridge_penalty must be a number"),
        ({"resolution": 0.0}, ValueError, "resolution must be positive"),
        ({"code_scale": -0.5}, ValueError, "code_scale must be positive"),
        ({"target_unit": 0.0}, ValueError, "target_unit must be positive"),
        ({"target_unit": torch.tensor([1.0, 0.0])}, ValueError, "positive in every column"),
        ({"target_unit": torch.tensor([1.0, math.nan])}, ValueError, "positive in every column"),
        (
            {"solver": "svd"},
            ValueError,
            "solver must be auto, gram or spectral, got 'svd'",
        ),
    ],
)
def test_bad_settings_are_refused(knobs, error, message):
    with pytest.raises(error, match=message):
        Observer(MLP(2, 4, 1), **{"ridge_penalty": 0.1, **knobs})


@every_solver
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["inputs", "targets"])
def test_values_that_are_not_finite_are_refused_by_name(normal, solver, value, name):
    ours = Observer(MLP(2, 4, 1), ridge_penalty=0.1, solver=solver)
    data = {"inputs": normal(6, 2), "targets": normal(6, 1)}
    data[name][2, 0] = value
    with pytest.raises(ValueError, match=f"{name} must be finite"):
        ours(**data)


@every_solver
@pytest.mark.parametrize(
    "reservoir, inputs, targets, message",
    [
        (MLP(2, 4, 1), (1, 2), (1, 1), "at least two samples, got 1"),
        (MLP(2, 4, 1), (6, 2), (5, 1), "as many targets as inputs, 6, got 5"),
        (MLP(2, 4, 1), (6, 2), (6,), "targets must have at least two axes"),
        (MLP(2, 4, 1), (6, 2), (6, 1, 1), r"expected targets \(6, target_dim\)"),
        (MLP(2, 4, 1), (6, 3), (6, 1), "input_dim=2"),
        (Conv1d(1, 4, 2), (3, 1, 5), (3, 5), r"expected targets \(3, target_dim, 5\)"),
        (Conv1d(1, 4, 2), (3, 1, 5), (3, 1, 4), r"\(3, target_dim, 5\).*got \(3, 1, 4\)"),
        (Conv2d(1, 4, 2), (3, 1, 5, 4), (3, 1, 4, 5), r"\(3, target_dim, 5, 4\)"),
        (Recurrent(1, 4), (3, 5, 1), (3, 4, 1), r"\(3, 5, target_dim\)"),
        (Recurrent(1, 4, washout=5), (3, 5, 1), (3, 5, 1), "longer than washout=5"),
    ],
)
def test_data_of_another_shape_is_refused(normal, solver, reservoir, inputs, targets, message):
    ours = Observer(reservoir, ridge_penalty=0.1, solver=solver)
    with pytest.raises(ValueError, match=message):
        ours(normal(*inputs), normal(*targets))


def test_moments_of_one_sample_are_refused(normal):
    with pytest.raises(ValueError, match="at least two samples, got 1"):
        Observer(MLP(2, 4, 1), ridge_penalty=0.1).bits(Moments.of(normal(1, 4), normal(1, 1)))


def test_columns_whose_squares_vanish_are_refused_and_zeros_are_not(normal):
    columns = normal(9, 2)
    check_range("targets", columns * torch.tensor([0.0, 1.0]))
    with pytest.raises(UserError, match=r"column of the targets is at most .* vanish in float64"):
        check_range("targets", columns * torch.tensor([1e-160, 1.0], dtype=torch.float64))
