"""Gram, dual, spectral and augmented QR: ways to one answer, and the standardization before it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from learnable_novelty.observer.evidence import PerSample
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import MLP
from learnable_novelty.observer.summary import Rows

SOLVERS = ("gram", "spectral", "auto")
every_solver = pytest.mark.parametrize("solver", SOLVERS)


def observer(solver="auto", feature_dim=4, **knobs):
    """An observer used on features directly; its reservoir is never called."""
    knobs = {"ridge_penalty": 0.3, **knobs}
    return Observer(MLP(1, feature_dim, 1), solver=solver, **knobs)


def problem(case, normal):
    shapes = {
        "random": (40, 12, 5),
        "wide": (9, 40, 4),
        "tall": (500, 3, 2),
        "two rows": (2, 6, 3),
        "one feature": (20, 1, 3),
        "one target": (20, 7, 1),
        "targets outnumber rows": (6, 10, 25),
        "targets outnumber all": (12, 5, 30),
        "rank deficient": (30, 12, 4),
        "duplicated columns": (30, 12, 4),
        "constant columns": (30, 12, 4),
        "scales": (30, 6, 3),
    }
    n, m, d = shapes[case]
    h, y = normal(n, m), normal(n, d)
    if case == "rank deficient":
        h = normal(n, 3) @ normal(3, m)
    if case == "duplicated columns":
        h[:, 6:] = h[:, :6]
    if case == "constant columns":
        h[:, 2], h[:, 5], y[:, 1] = 3.7, 0.0, -1.1
    if case == "scales":
        h = h * torch.logspace(-6, 6, m, dtype=torch.float64) + 10
    return h, y


CASES = (
    "random",
    "wide",
    "tall",
    "two rows",
    "one feature",
    "one target",
    "targets outnumber rows",
    "targets outnumber all",
    "rank deficient",
    "duplicated columns",
    "constant columns",
    "scales",
)


@pytest.mark.parametrize("penalty", [1e-3, 0.3, 30.0])
@pytest.mark.parametrize("case", CASES)
@every_solver
def test_every_solver_equals_the_augmented_least_squares(normal, oracle, case, solver, penalty):
    h, y = problem(case, normal)
    ours = observer(solver, h.shape[1], ridge_penalty=penalty, resolution=1.7, code_scale=0.4)
    expected = oracle.bits(h, y, penalty, 1.7, 0.4)
    assert float(ours.bits(Rows(h, y))) == pytest.approx(expected, rel=1e-8)
    fitted = ours.readout_of(Rows(h, y))
    assert fitted.model_bits == pytest.approx(expected, rel=1e-8)
    weights = oracle.readout(h, y, penalty)
    scale = np.abs(weights).max()
    np.testing.assert_allclose(fitted.weights.numpy(), weights, rtol=0, atol=1e-8 * scale)


# Standardization


@every_solver
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_column_within_rounding_of_constant_is_zero(normal, solver, dtype):
    """The rule: deviation at most 64 eps times the root mean square."""
    h, y = normal(40, 3).to(dtype), normal(40, 2).to(dtype)
    eps = torch.finfo(dtype).eps
    alternating = torch.tensor([-1.0, 1.0], dtype=dtype).repeat(20)
    ours = observer(solver, 3)

    def with_deviation(units):
        moved = h.clone()
        moved[:, 1] = 1 + alternating * (units * eps)
        readout = ours.readout_of(Rows(moved, y))
        return float(readout.weights[1].abs().max())

    assert with_deviation(0) == with_deviation(60) == 0.0
    assert with_deviation(70) > 1e-4


@every_solver
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_target_within_rounding_of_constant_scores_nothing(normal, solver, dtype):
    h = normal(40, 3).to(dtype)
    eps = torch.finfo(dtype).eps
    alternating = torch.tensor([-1.0, 1.0], dtype=dtype).repeat(20)[:, None]
    # A unit fine enough that even a rounding error would cost bits.
    ours = observer(solver, 3, target_unit=eps)
    constant, moving = 1 + 60 * eps * alternating, 1 + 70 * eps * alternating
    assert float(ours.bits(Rows(h, constant))) == 0.0
    assert float(ours.bits(Rows(h, moving))) > 0.1


@every_solver
def test_a_penalty_per_sample_is_that_many_times_the_rows(normal, solver):
    h, y = normal(25, 6), normal(25, 3)
    per_sample = observer(solver, 6, ridge_penalty=PerSample(0.02)).bits(Rows(h, y))
    absolute = observer(solver, 6, ridge_penalty=0.02 * 25).bits(Rows(h, y))
    assert float(per_sample) == pytest.approx(float(absolute), rel=1e-12)
    counts = torch.full((25,), 3)
    weighted = observer(solver, 6, ridge_penalty=PerSample(0.02))
    tripled = weighted.readout_of(Rows(h, y, counts))
    assert tripled.ridge_penalty == pytest.approx(0.02 * 75, rel=1e-12)
    # As many per sample: repeating all rows changes nothing.
    assert tripled.model_bits == pytest.approx(float(per_sample), rel=1e-10)


# Bad rows


@pytest.mark.parametrize("solver", ["gram", "spectral"])
@pytest.mark.parametrize(
    "h, y, w, message",
    [
        ((1, 4), (1, 2), None, "at least two samples, got 1"),
        ((10, 4), (9, 2), None, "as many target rows as feature rows, 10, got 9"),
        ((3, 4), (3, 2), [2.0, -1.0, 2.0], "none negative"),
        ((3, 4), (3, 2), [2.0, 1.0], r"weights \(num_rows=3,\)"),
        ((3, 4), (3, 2), [0.5, 0.5, 0.5], "at least two samples, got 1.5"),
    ],
)
def test_every_solver_refuses_bad_rows_in_the_same_words(normal, solver, h, y, w, message):
    weights = None if w is None else torch.tensor(w)
    with pytest.raises(ValueError, match=message):
        observer(solver).bits(Rows(normal(*h), normal(*y), weights))
