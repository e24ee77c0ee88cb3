"""Encoders and the unit norm."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from novelty_lab.systems.encoder import Encoder
from novelty_lab.systems.unit import unit_norm


@pytest.fixture
def images():
    return torch.rand(6, 8, 8, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


@pytest.mark.parametrize("scale", [1e-30, 1e-22, 1.0, 1e22, 1e30])
def test_unit_norm_neither_under_nor_overflows_in_single_precision(scale):
    values = torch.tensor([[3.0, 4.0]]) * scale
    values.requires_grad_()
    found = unit_norm(values, 1)
    assert torch.allclose(found, torch.tensor([[0.6, 0.8]]))
    found[0, 0].backward()
    expected = torch.tensor([[0.64, -0.48]], dtype=torch.float64) / (5 * scale)
    assert torch.allclose(values.grad.double(), expected, rtol=1e-5)


def test_unit_norm_of_zero_is_the_first_axis_with_zero_gradient():
    values = torch.zeros(3, 2, dtype=torch.float64)
    values[1] = torch.tensor([1.0, 2.0])
    values.requires_grad_()
    found = unit_norm(values, 1)
    (found * torch.arange(6.0).view(3, 2)).sum().backward()
    assert found.detach()[::2].tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert torch.equal(values.grad[::2], torch.zeros(2, 2))
    assert bool(values.grad[1].abs().sum() > 0)


def test_unit_norm_has_the_gradient_of_finite_differences():
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(2, 3, 4, generator=generator, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: unit_norm(v, 1), values)
    assert torch.autograd.gradgradcheck(lambda v: unit_norm(v, 1), values)


@pytest.mark.parametrize("activation", ["relu", "elu", "tanh"])
def test_mlp_equals_a_loop_over_layers(images, activation):
    encoder = Encoder(64, (8, 6), 5, activation=activation, normalize=False, seed=2).double()
    act = {
        "relu": lambda v: np.maximum(v, 0),
        "elu": lambda v: np.where(v > 0, v, np.expm1(np.minimum(v, 0))),
        "tanh": np.tanh,
    }[activation]
    hidden = images.numpy().reshape(6, 64)
    weights = [(w.weight.detach().numpy(), w.bias.detach().numpy()) for w in encoder.layers]
    for weight, bias in weights[:-1]:
        hidden = act(hidden @ weight.T + bias)
    expected = hidden @ weights[-1][0].T + weights[-1][1]
    np.testing.assert_allclose(encoder(images).detach().numpy(), expected, atol=1e-12)


def test_a_code_of_zeros_becomes_the_first_axis_and_trains_nothing(images):
    encoder = Encoder(64, (8, 6), 5).double()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.zero_()
    codes = encoder(images)
    codes.sum().backward()
    assert codes.tolist() == [[1.0, 0.0, 0.0, 0.0, 0.0]] * 6
    assert all(torch.equal(p.grad, torch.zeros_like(p)) for p in encoder.parameters())


def test_sizes_and_names_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="activation must be one of relu"):
        Encoder(4, activation="step")
    with pytest.raises(ValueError, match="positive integers"):
        Encoder(4, (3, 0))
