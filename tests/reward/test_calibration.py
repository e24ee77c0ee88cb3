"""Units, windows and settings against cases known by hand."""

import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.reward.calibration import window_of
from learnable_novelty.reward.config import BitsConfig
from learnable_novelty.reward.random_play import play_randomly
from learnable_novelty.reward.sb3 import VecEnvAdapter
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.reward.wrapping import calibrate
from tests.reward.toys import Drifting, Scripted


def test_a_constant_coordinate_keeps_its_unit_and_a_rare_one_is_cut():
    rare = np.zeros(1000)
    rare[7] = 1.0
    observed = np.column_stack([np.full(1000, 1e6), rare, np.linspace(-1, 1, 1000)])
    scale = ObservationScale.of(observed)
    assert scale(np.array([1e6 + 3, 0.0, 0.0]))[0] == pytest.approx(3.0)
    assert scale(np.array([1e6, 1.0, 0.0]))[1] == 10.0
    assert ObservationScale.of(observed, clip=None)(np.array([1e6, 1.0, 0.0]))[1] > 30


@pytest.mark.parametrize(("period", "expected"), [(2 * np.pi * 6, 16), (8.0, 8), (2000.0, 48)])
def test_window_is_twice_the_time_of_change(period, expected):
    # A sine of angular step w has autocorrelation cos(w k): 1/e at w k = 1.194.
    phase = np.arange(4000) * 2 * np.pi / period
    trajectory = np.column_stack([np.sin(phase), np.cos(phase)])
    assert window_of([trajectory], ObservationScale.of(trajectory)) == expected


def test_a_state_that_never_changes_has_the_shortest_window():
    still = np.ones((50, 2))
    assert window_of([still], ObservationScale.of(still)) == 8


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"episodes": 0}, "episodes must be a positive integer"),
        ({"weight": "heavy"}, "weight must be a finite number"),
        ({"weight": float("inf")}, "weight must be a finite number"),
        ({"weight": 1j}, "weight must be a finite number"),
        ({"weight": np.array([1.0, 2.0])}, "weight must be a finite number"),
        ({"clip": -1.0}, "clip must be a positive number"),
        ({"clip": np.array([1.0, 2.0])}, "clip must be a positive number"),
        ({"mode": "subtract"}, "mode must be 'add' or 'replace'"),
        ({"bonus": "surprise"}, "bonus must be 'foresight' or 'bits'"),
        ({"bonus": 3}, 'bonus must be "foresight", "bits", a ForesightConfig or a BitsConfig'),
    ],
)
def test_options_that_make_no_sense_are_refused_before_any_episode(options, sentence):
    class Untouched(Drifting):
        def reset(self, **how):
            raise AssertionError("an episode was begun")

    with pytest.raises(ValueError, match=sentence):
        calibrate(VecEnvAdapter(DummyVecEnv([Untouched])), **options)
    with pytest.raises(TypeError, match="windows"):
        calibrate(VecEnvAdapter(DummyVecEnv([Untouched])), windows=3)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"window": 2.5}, "window must be a positive integer"),
        ({"window": 0}, "window must be a positive integer"),
        ({"window": "long"}, "window must be a positive integer"),
        ({"width": -1}, "width must be a positive integer"),
        ({"ridge_penalty": -1}, "ridge_penalty must be a positive number"),
        ({"ridge_penalty": "evidence"}, "ridge_penalty must be a positive number"),
        ({"standardization": "odd"}, "standardization must be 'fixed' or 'empirical'"),
        ({"targets": "odd"}, "targets must be 'raw' or 'scaled'"),
    ],
)
def test_settings_of_bits_that_make_no_sense_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        BitsConfig(**options)


def test_calibration_repeats_by_its_seed():
    def found(seed):
        world = VecEnvAdapter(DummyVecEnv([Drifting, Drifting]))
        return calibrate(world, episodes=4, seed=seed).scale.mean.tolist()

    assert found(1) == found(1) != found(2)


def test_episodes_shorter_than_the_window_have_no_moments():
    script = np.random.default_rng(0).standard_normal((500, 2))
    world = VecEnvAdapter(DummyVecEnv([lambda: Scripted(script, length=5)]))
    with pytest.raises(ValueError, match="longer than the window"):
        calibrate(world, episodes=2, bonus=BitsConfig(window=20))


def test_episodes_of_other_environments_are_refused():
    play = play_randomly(VecEnvAdapter(DummyVecEnv([Drifting])), episodes=1, seed=0)
    other = VecEnvAdapter(DummyVecEnv([lambda: Scripted(np.ones((50, 3)))]))
    with pytest.raises(ValueError, match="observations hold 2 numbers, these 3"):
        calibrate(other, play=play)
