"""The flows of the collection, followed by our integrators."""

import math
import sys

import numpy as np
import pytest

from novelty_lab.systems.dysts_flows import collected_flows, heun_with_delay
from novelty_lab.systems.flows import Flow, lorenz_field

FLOWS = {flow.name: flow for flow in collected_flows()}


def test_lorenz_is_followed_as_by_our_own_integrator():
    def field(state):  # the collection rounds beta to 2.667
        return lorenz_field(state) - np.array([0, 0, 2.667 - 8 / 3]) * state

    path = FLOWS["Lorenz"].trajectory(0.05, 30, 1.0)
    ours = Flow("", 3, field, True, max_step=1e-3).trajectory(path[0], 0.05, 29)
    assert path.shape == (30, 3)
    assert np.abs(path - ours).max() < 1e-4


def test_unbounded_phases_are_read_through_sine_and_cosine():
    path = FLOWS["Duffing"].trajectory(1.0, 60, 100.0)
    assert np.abs(path[:, 2]).max() <= 1.0
    assert path[:, 2].std() > 0.5


def test_a_delay_equation_with_a_known_solution():
    # dx/dt = -x(t - 1), x = 1 before: 1 - t up to 1, then 1 - t + (t - 1)^2 / 2 up to 2.
    lag = 200
    path = heun_with_delay(lambda x, past: -past, 1.0, lag, 1 / lag, 2 * lag)
    t = np.arange(2 * lag + 1) / lag
    exact = np.where(t <= 1, 1 - t, 1 - t + (t - 1) ** 2 / 2)
    assert np.abs(path[lag:] - exact).max() < 1e-12
    assert (path[:lag] == 1.0).all()


def test_heuns_error_falls_with_the_square_of_the_step():
    def error(lag):  # dx/dt = -x, whatever the past
        path = heun_with_delay(lambda x, past: -x, 1.0, lag, 1 / lag, lag)
        return abs(path[-1] - math.exp(-1))

    assert error(20) / error(40) == pytest.approx(4.0, rel=0.1)


def test_delayed_flows_are_shown_at_their_delays():
    flow = FLOWS["MackeyGlass"]
    delay = 16  # the collection's tau
    path = flow.trajectory(delay / 4, 100, 5 * flow.period)
    assert path.shape == (100, flow.dim)
    assert 0.2 < path.min() < path.max() < 1.6
    assert path[4:, -1] == pytest.approx(path[:-4, 0], abs=1e-9)


def test_a_missing_package_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "dysts.flows", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs the \[compare\] extra"):
        FLOWS["Lorenz"].trajectory(0.1, 3, 0.0)
