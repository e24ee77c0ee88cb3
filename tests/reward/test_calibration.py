"""Units, windows and weights against cases known by hand."""

import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.reward.calibration import play_randomly, weight_of, window_of
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.reward.settings import calibrate
from learnable_novelty.reward.worlds import VecEnvWorld
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


def test_weight_makes_the_bonus_a_tenth_of_the_return():
    assert weight_of(-500.0, 25.0) == pytest.approx(2.0)
    assert weight_of(3.0, -6.0) == pytest.approx(0.05)
    with pytest.raises(ValueError, match="return zero task reward"):
        weight_of(0.0, 1.0)
    with pytest.raises(ValueError, match="earn no bonus"):
        weight_of(1.0, 0.0)


def test_every_environment_plays_equally_many_episodes():
    lengths = (5, 50)
    script = np.random.default_rng(0).standard_normal((500, 2))
    makers = [lambda n=n: Scripted(script, length=n) for n in lengths]
    play = play_randomly(VecEnvWorld(DummyVecEnv(makers)), episodes=4, seed=0)
    assert play.episodes == 4
    assert sorted(len(t) - 1 for t in play.trajectories()) == [5, 5, 50, 50]
    assert play.mean_return == pytest.approx((5 + 5 + 50 + 50) / 4)


def test_a_random_episode_earns_a_tenth_of_its_return():
    world = VecEnvWorld(DummyVecEnv([Drifting, Drifting]))
    play = play_randomly(world, episodes=8, seed=0)
    settings, weight = calibrate(world, play=play)
    earned = weight * play.mean_bonus(settings.make(2))
    assert earned == pytest.approx(0.1 * abs(play.mean_return))
    assert calibrate(world, play=play, mode="replace")[1] == 1.0


def test_calibration_repeats_by_its_seed():
    def found(seed):
        world = VecEnvWorld(DummyVecEnv([Drifting, Drifting]))
        return calibrate(world, episodes=4, seed=seed)[1]

    assert found(1) == found(1) != found(2)


def test_episodes_shorter_than_the_window_are_no_scale():
    script = np.random.default_rng(0).standard_normal((500, 2))
    world = VecEnvWorld(DummyVecEnv([lambda: Scripted(script, length=5)]))
    with pytest.raises(ValueError, match="earn no bonus"):
        calibrate(world, episodes=2, window=20)
    with pytest.raises(ValueError, match="longer than the window"):
        calibrate(world, episodes=2, window=20, standardization="fixed")
