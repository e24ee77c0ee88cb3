"""The flows and their integrator."""

import dataclasses

import numpy as np
import pytest

from novelty_lab.systems.flows import (
    FLOWS,
    LORENZ,
    NODE,
    ROTATION,
    SPIRAL,
    lorenz_field,
    rossler_field,
    runge_kutta,
)

MATRICES = {
    "rotation": [[0.0, -1.0], [1.0, 0.0]],
    "damped spiral": [[-0.1, -1.0], [1.0, -0.1]],
    "stable node": [[-0.5, 0.0], [0.0, -1.0]],
}


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_integrator_converges_with_order_four(flow):
    start = flow.on_attractor(8, 1.0, 0)

    def after(steps):
        state = start
        for _ in range(steps):
            state = runge_kutta(flow.field, state, 0.4 / steps)
        return state

    exact = after(640)
    errors = [np.abs(after(steps) - exact).max() for steps in (20, 40, 80)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all(np.abs(orders - 4) < 0.5)


@pytest.mark.parametrize("flow", [ROTATION, SPIRAL, NODE], ids=lambda flow: flow.name)
def test_linear_flow_follows_its_matrix_exponential(flow):
    scipy_linalg = pytest.importorskip("scipy.linalg")
    start = np.random.default_rng(0).standard_normal((16, 2))
    propagator = scipy_linalg.expm(2.3 * np.array(MATRICES[flow.name]))
    np.testing.assert_allclose(flow.integrate(start, 2.3), start @ propagator.T, atol=1e-9)


def test_lorenz_rests_at_its_fixed_points():
    x = np.sqrt(8 / 3 * 27)
    points = np.array([[0.0, 0.0, 0.0], [x, x, 27.0], [-x, -x, 27.0]])
    np.testing.assert_allclose(lorenz_field(points), 0.0, atol=1e-13)
    np.testing.assert_allclose(LORENZ.integrate(points, 0.1), points, atol=1e-12)


def test_rossler_rests_at_its_fixed_points():
    root = np.sqrt(5.7**2 - 4 * 0.2 * 0.2)
    z = np.array([5.7 - root, 5.7 + root]) / (2 * 0.2)
    points = np.stack([0.2 * z, -z, z], axis=-1)
    np.testing.assert_allclose(rossler_field(points), 0.0, atol=1e-12)


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_samples_are_standardized_by_the_ensemble_of_inputs(flow):
    inputs, targets = flow.sample(64, window=3, interval=0.2, seed=1)
    assert inputs.shape == (64, flow.dim)
    assert targets.shape == (64, 3 * flow.dim)
    np.testing.assert_allclose(inputs.mean(0), 0.0, atol=1e-12)
    np.testing.assert_allclose(inputs.std(0), 1.0)
    start = flow.on_attractor(64, 0.5, 1)
    second = (flow.integrate(start, 0.4) - start.mean(0)) / start.std(0)
    np.testing.assert_allclose(targets[:, flow.dim : 2 * flow.dim], second, atol=1e-6)


def test_initial_sd_and_settle_time_move_the_start():
    base = LORENZ.on_attractor(4, 0.5, 0)
    for change in ({"initial_sd": 1.0}, {"settle_time": 1.0}):
        assert not np.allclose(dataclasses.replace(LORENZ, **change).on_attractor(4, 0.5, 0), base)
