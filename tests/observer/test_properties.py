"""What the score must do under changes of the data, for any data."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import MLP
from learnable_novelty.observer.summary import Moments, Rows

REL = 1e-8
relaxed = settings(max_examples=40, deadline=None)

shapes = st.tuples(st.integers(3, 25), st.integers(1, 8), st.integers(1, 6))
seeds = st.integers(0, 2**32)
penalties = st.floats(1e-2, 1e2)
resolutions = st.floats(1e-2, 1e2)
solvers = st.sampled_from(["moments", "gram", "spectral"])


def data(shape, seed):
    n, m, d = shape
    generator = torch.Generator().manual_seed(seed)

    def normal(*size):
        return torch.randn(*size, generator=generator, dtype=torch.float64)

    return normal(n, m), normal(n, m) @ normal(m, d) / m + normal(n, d)


def score(h, y, penalty=0.3, resolution=1.0, solver="moments", weights=None):
    ours = Observer(
        MLP(1, h.shape[1], 1),
        ridge_penalty=penalty,
        resolution=resolution,
        solver="auto" if solver == "moments" else solver,
    )
    if solver == "moments":
        return float(ours.bits(Moments.of(h, y, weights)))
    return float(ours.bits(Rows(h, y, weights)))


def close(expected):
    return pytest.approx(expected, rel=REL, abs=1e-12)


@relaxed
@given(shapes, seeds, penalties, resolutions, st.floats(0.01, 100), solvers)
def test_scaling_targets_is_scaling_the_resolution(shape, seed, penalty, resolution, c, solver):
    h, y = data(shape, seed)
    scaled = score(h, c * y, penalty, resolution, solver)
    assert scaled == close(score(h, y, penalty, c**2 * resolution, solver))


@relaxed
@given(shapes, seeds, penalties, resolutions, solvers)
def test_a_second_copy_of_the_targets_doubles_the_resolution(
    shape, seed, penalty, resolution, solver
):
    h, y = data(shape, seed)
    twice = score(h, torch.cat([y, y], 1), penalty, resolution, solver)
    assert twice == close(score(h, y, penalty, 2 * resolution, solver))


@relaxed
@given(shapes, seeds, penalties, solvers)
def test_rotating_the_targets_changes_nothing(shape, seed, penalty, solver):
    h, y = data(shape, seed)
    generator = torch.Generator().manual_seed(seed + 1)
    square = torch.randn(shape[2], shape[2], generator=generator, dtype=torch.float64)
    rotation = torch.linalg.qr(square)[0]
    assert score(h, y @ rotation, penalty, solver=solver) == close(
        score(h, y, penalty, solver=solver)
    )


@relaxed
@given(shapes, seeds, penalties, solvers)
def test_the_order_of_samples_does_not_matter(shape, seed, penalty, solver):
    h, y = data(shape, seed)
    order = torch.randperm(shape[0], generator=torch.Generator().manual_seed(seed))
    moved = score(h[order], y[order], penalty, solver=solver)
    assert moved == close(score(h, y, penalty, solver=solver))


@relaxed
@given(shapes, seeds, penalties, solvers)
def test_duplicating_all_feature_columns_changes_nothing(shape, seed, penalty, solver):
    h, y = data(shape, seed)
    twice = score(torch.cat([h, h], 1), y, penalty, solver=solver)
    assert twice == close(score(h, y, penalty, solver=solver))


@relaxed
@given(shapes, seeds, penalties, solvers)
def test_doubling_every_row_halves_the_penalty(shape, seed, penalty, solver):
    h, y = data(shape, seed)
    expected = close(score(h, y, penalty / 2, solver=solver))
    assert score(torch.cat([h, h]), torch.cat([y, y]), penalty, solver=solver) == expected
    weights = torch.full((shape[0],), 2.0)
    assert score(h, y, penalty, solver=solver, weights=weights) == expected


@relaxed
@given(shapes, seeds, st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), solvers)
def test_adding_constants_changes_nothing(shape, seed, target_shift, feature_shift, solver):
    h, y = data(shape, seed)
    moved = score(h + feature_shift, y + target_shift, solver=solver)
    assert moved == close(score(h, y, solver=solver))


@relaxed
@given(shapes, seeds, st.floats(1e-3, 1e3), solvers)
def test_the_scale_and_sign_of_a_feature_do_not_matter(shape, seed, factor, solver):
    h, y = data(shape, seed)
    moved = h.clone()
    moved[:, 0] *= -factor
    assert score(moved, y, solver=solver) == close(score(h, y, solver=solver))


@relaxed
@given(shapes, seeds, penalties, resolutions, st.floats(1.01, 10), solvers)
def test_score_increases_with_resolution(shape, seed, penalty, resolution, factor, solver):
    h, y = data(shape, seed)
    low = score(h, y, penalty, resolution, solver)
    assert score(h, y, penalty, factor * resolution, solver) > low > 0


@relaxed
@given(shapes, seeds, penalties, resolutions, st.floats(1.01, 10), solvers)
def test_score_decreases_with_the_penalty(shape, seed, penalty, resolution, factor, solver):
    h, y = data(shape, seed)
    high = score(h, y, penalty, resolution, solver)
    assert 0 < score(h, y, factor * penalty, resolution, solver) < high


@relaxed
@given(shapes, seeds, penalties, solvers)
def test_more_targets_never_score_less(shape, seed, penalty, solver):
    h, y = data(shape, seed)
    scores = [score(h, y[:, : d + 1], penalty, solver=solver) for d in range(shape[2])]
    assert all(later >= earlier * (1 - REL) for earlier, later in itertools.pairwise(scores))
    padded = torch.cat([y, torch.full((shape[0], 2), 7.0).double()], 1)
    assert score(h, padded, penalty, solver=solver) == close(scores[-1])


@relaxed
@given(shapes, seeds, st.floats(0.1, 10))
def test_code_scale_is_a_factor(shape, seed, factor):
    h, y = data(shape, seed)
    one, other = (
        Observer(MLP(1, shape[1], 1), ridge_penalty=0.3, code_scale=scale)
        for scale in (0.5, 0.5 * factor)
    )
    expected = factor * float(one.bits(Rows(h, y)))
    assert float(other.bits(Rows(h, y))) == close(expected)
