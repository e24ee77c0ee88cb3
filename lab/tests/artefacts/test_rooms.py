"""The corridor: what its screens show, how it is walked, and that it is a proper environment."""

import dataclasses
import json
import math

import numpy as np
import pytest

from novelty_lab.context import RunContext
from novelty_lab.studies.rooms.world import (
    CLOCK_PERIOD,
    LIMIT,
    ROOMS,
    Rooms,
)

LIVE = [room for room in ROOMS if room != "dark"]
SCREENS = (6, 8, 13, 16)
STAY = 1


def watch(room, steps, *, pixels=16, seed=0, action=STAY):
    """Return the screens of an agent that stays in a room, (steps + 1, pixels)."""
    rooms = Rooms(length=10**6, pixels=pixels)
    first, _ = rooms.reset(seed=seed, options={"room": room})
    return np.array([first, *(rooms.step(action)[0] for _ in range(steps))], float)[:, 1:]


@pytest.mark.parametrize("pixels", SCREENS)
@pytest.mark.parametrize("room", LIVE)
def test_squares_of_live_pixels_average_one(room, pixels):
    screens = watch(room, 20_000 if room == "noise" else 2_000, pixels=pixels)
    assert np.square(screens).mean() == pytest.approx(1.0, abs=0.02)
    assert np.abs(screens).max() <= LIMIT + 1e-6


def test_noise_has_unit_pixels_without_memory_or_relation():
    screens = watch("noise", 20_000)
    both = np.concatenate([screens[1:], screens[:-1]], axis=1)
    assert np.abs(np.cov(both.T) - np.eye(32)).max() < 0.04
    assert np.abs(screens.mean(0)).max() < 0.04


@pytest.mark.parametrize("pixels", SCREENS)
def test_the_automaton_obeys_rule_110(pixels):
    cells = (watch("automaton", 400, pixels=pixels) > 0).astype(int)
    left, right = np.roll(cells, 1, axis=1), np.roll(cells, -1, axis=1)
    # Rule 110 in words: a live cell or a live right neighbour, but not all three of them.
    following = (cells | right) & ~(left & cells & right)
    assert np.array_equal(cells[1:], following[:-1])


def test_the_clock_repeats_after_its_period_and_not_before():
    screens = watch("clock", 40)
    assert np.allclose(screens[CLOCK_PERIOD:], screens[:-CLOCK_PERIOD])
    assert all(np.abs(screens[k:] - screens[:-k]).max() > 0.1 for k in range(1, CLOCK_PERIOD))


def test_the_pendulum_is_read_off_its_screen_and_falls_as_pendulums_do():
    screens = watch("pendulum", 200)
    phase = np.exp(2j * np.pi * np.arange(8) / 8)
    angles = np.unwrap(np.angle(screens[:, :8] @ phase))
    before = np.angle(screens[:, 8:] @ phase)
    assert np.allclose(np.exp(1j * before[1:]), np.exp(1j * angles[:-1]), atol=1e-5)
    velocity = np.diff(angles)
    k, c = (2 * math.pi / 16) ** 2, 0.02
    expected = (1 - c) * velocity[:-1] - k * np.sin(angles[1:-1])
    assert np.allclose(velocity[1:], expected, atol=1e-4)


def test_agents_live_and_habits_are_priced_in_what_json_holds():
    from novelty_lab.studies.rooms import experiment

    config = dataclasses.replace(experiment.QUICK, drives=("epiplexity", "counts"), steps=1024)
    outcome = experiment.run(config, seed=0, context=RunContext())
    assert json.loads(json.dumps(outcome.results)) == outcome.results
    again = experiment.live(config, "counts", config.corridor, 0, 0)
    assert again.pop("along") == pytest.approx(outcome.arrays["along"][-1])
    assert again == outcome.results["lives"][-1]
    assert len(outcome.results["lives"]) == 2
    for life in outcome.results["lives"]:
        assert sum(life["share"]) == pytest.approx(1.0)
    assert outcome.arrays["along"].shape == (2, 2, len(ROOMS))
    bits = {
        (row["drive"], row["habit"]): row["mean"]
        for row in outcome.results["habits"]
        if row["pixels"] == 16
    }
    assert bits["surprise", "noise"][-1] > 5 * bits["surprise", "clock"][-1]
    assert bits["epiplexity", "noise"][-1] > bits["epiplexity", "dark"][-1]
