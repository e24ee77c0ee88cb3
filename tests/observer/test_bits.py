"""The spectral description length."""

from __future__ import annotations

import math

import pytest
import torch
from mpmath import mp

from learnable_novelty.observer.bits import code_length, log2det_plus_identity


@pytest.mark.parametrize("shape", [(7, 3), (3, 7), (5, 5), (1, 4), (4, 1)])
def test_code_length_is_the_sum_over_singular_values(normal, oracle, shape):
    readout = normal(*shape)
    got = code_length(readout, 2.5, 0.7)
    assert got.ndim == 0
    assert float(got) == pytest.approx(oracle.price(readout, 2.5, 0.7), rel=1e-12)


def test_a_hand_computed_readout_costs_what_it_should():
    # Singular values sqrt(3) and 1: 1/2 (log2 4 + log2 2) = 1.5 bits.
    readout = torch.tensor([[math.sqrt(3), 0.0], [0.0, 1.0], [0.0, 0.0]], dtype=torch.float64)
    assert float(code_length(readout, 1.0, 0.5)) == pytest.approx(1.5, abs=1e-14)


def test_leading_axes_are_batches(normal, oracle):
    readouts = normal(2, 3, 4, 6)
    got = code_length(readouts, 1.5, 0.5)
    assert got.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            expected = oracle.price(readouts[i, j], 1.5)
            assert float(got[i, j]) == pytest.approx(expected, rel=1e-12)


def test_tiny_readouts_approach_the_quadratic_penalty(normal):
    readout = 1e-4 * normal(5, 3)
    quadratic = 0.5 * 2.0 * float(readout.square().sum()) / math.log(2)
    assert float(code_length(readout, 2.0, 0.5)) == pytest.approx(quadratic, rel=1e-6)


def test_log2det_agrees_with_high_precision_over_many_scales(normal):
    root = normal(4, 4) * torch.tensor([[1e-6], [1e-2], [1.0], [1e4]], dtype=torch.float64)
    matrix = root @ root.T
    with mp.workdps(50):
        exact = mp.log(mp.det(mp.eye(4) + 3 * mp.matrix(matrix.tolist())), 2)
    assert float(log2det_plus_identity(matrix, 3.0)) == pytest.approx(float(exact), rel=1e-10)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4)])
@pytest.mark.parametrize("case", ["random", "zero", "equal", "deficient"])
def test_gradient_is_right_where_singular_values_coincide_or_vanish(normal, shape, case):
    readout = normal(*shape)
    if case == "zero":
        readout = torch.zeros_like(readout)
    if case == "equal":
        readout = torch.eye(*shape, dtype=torch.float64)
    if case == "deficient":
        readout[:, 1] = readout[:, 0]
    readout.requires_grad_()
    assert torch.autograd.gradcheck(lambda w: code_length(w, 1.5, 0.5), readout)
    (gradient,) = torch.autograd.grad(code_length(readout, 1.5, 0.5), readout)
    w = readout.detach()
    inverse = torch.linalg.inv(torch.eye(shape[0]).double() + 1.5 * w @ w.T)
    assert torch.allclose(gradient, 2 * 0.5 * 1.5 / math.log(2) * inverse @ w, atol=1e-12)
