"""Units, windows and weights against cases known by hand."""

import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.reward import EnvAdapter, NoveltyReward, VecEnvAdapter
from learnable_novelty.reward.calibration import play_randomly, weight_of, window_of
from learnable_novelty.reward.novelty_wrapper import calibrate
from learnable_novelty.reward.scale import ObservationScale
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
    play = play_randomly(VecEnvAdapter(DummyVecEnv(makers)), episodes=4, seed=0)
    assert play.episodes == 4
    assert sorted(len(t) - 1 for t in play.trajectories()) == [5, 5, 50, 50]
    assert play.mean_return == pytest.approx((5 + 5 + 50 + 50) / 4)
    assert sorted(play.returns()) == [5, 5, 50, 50]


def test_a_random_episode_earns_a_tenth_of_its_return():
    world = VecEnvAdapter(DummyVecEnv([Drifting, Drifting]))
    play = play_randomly(world, episodes=8, seed=0)
    calibrated = calibrate(world, play=play, weight="paper")
    earned = calibrated.config.weight * play.mean_bonus(calibrated.make(2))
    assert earned == pytest.approx(0.1 * abs(play.mean_return))
    assert calibrate(world, play=play, mode="replace").config.weight == 1.0


def test_calibration_repeats_by_its_seed():
    def found(seed):
        world = VecEnvAdapter(DummyVecEnv([Drifting, Drifting]))
        return calibrate(world, episodes=4, seed=seed, weight="paper").config.weight

    assert found(1) == found(1) != found(2)


def test_episodes_shorter_than_the_window_are_no_scale():
    script = np.random.default_rng(0).standard_normal((500, 2))
    world = VecEnvAdapter(DummyVecEnv([lambda: Scripted(script, length=5)]))
    with pytest.raises(ValueError, match="earn no bonus"):
        calibrate(world, episodes=2, window=20, weight="paper")
    with pytest.raises(ValueError, match="longer than the window"):
        calibrate(world, episodes=2, window=20, standardization="fixed")


class Spoiled(Scripted):
    """Returns NaN as the observation or the reward of one of its steps; reset is step 0."""

    def __init__(self, step, *, reward=False, length=20):
        super().__init__(np.random.default_rng(0).standard_normal((500, 2)), length)
        self.spoiled, self.spoils_reward, self.shown = step, reward, -1

    def show(self):
        self.shown += 1
        return super().show() * (
            np.nan if self.shown == self.spoiled and not self.spoils_reward else 1
        )

    def step(self, action):
        observation, _, *rest = super().step(action)
        bad = self.shown == self.spoiled and self.spoils_reward
        return observation, np.nan if bad else 1.0, *rest


@pytest.mark.parametrize(
    ("shown", "reward", "sentence"),
    [
        (0, False, "environment 1 returned a NaN or infinite observation at step 0"),
        (3, False, "environment 1 returned a NaN or infinite observation at step 3"),
        (21, False, "environment 1 returned a NaN or infinite observation at step 20"),  # a reset
        (5, True, "environment 1 returned a NaN or infinite reward at step 5"),
    ],
)
def test_random_episodes_that_are_not_finite_name_environment_and_step(shown, reward, sentence):
    makers = [lambda: Spoiled(-1), lambda: Spoiled(shown, reward=reward)]
    world = VecEnvAdapter(DummyVecEnv(makers))
    with pytest.raises(ValueError, match=sentence):
        calibrate(world, episodes=4, window=4, weight=1.0)


def test_an_environment_that_writes_over_its_observation_is_read_in_time():
    class InPlace(Drifting):
        def __init__(self):
            super().__init__()
            self.buffer = np.zeros(2)

        def show(self):
            self.buffer[:] = self.state
            return self.buffer

    plain, reused = (
        play_randomly(EnvAdapter(make()), episodes=2, seed=0) for make in (Drifting, InPlace)
    )
    assert np.array_equal(plain.observations, reused.observations)
    assert np.ptp(reused.observations, axis=0).min() > 0.1


def test_environments_that_use_their_arrays_again_are_read_in_time():
    class Reusing(VecEnvAdapter):
        def __init__(self, venv):
            super().__init__(venv)
            self.rewards, self.ended = np.zeros(2), np.zeros(2, dtype=bool)

        def step(self, actions):
            moved = super().step(actions)
            self.rewards[:], self.ended[:] = moved.rewards, moved.ended
            return moved._replace(rewards=self.rewards, ended=self.ended)

    plain, reused = (
        play_randomly(world(DummyVecEnv([Drifting, Drifting])), episodes=4, seed=0)
        for world in (VecEnvAdapter, Reusing)
    )
    assert plain.mean_return == reused.mean_return
    assert len(plain.trajectories()) == len(reused.trajectories()) == 4


def test_a_return_that_may_be_zero_is_no_scale_and_says_so():
    class Coin(Drifting):
        def step(self, action):
            observation, _, *rest = super().step(action)
            return observation, float(self.np_random.choice([-1.0, 1.0])), *rest

    with pytest.warns(UserWarning, match="may be zero") as told:
        assert NoveltyReward(DummyVecEnv([Coin, Coin]), episodes=16, weight="paper").weight > 0
    assert told[0].filename == __file__


def test_random_play_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr("learnable_novelty.reward.calibration.LONGEST_EPISODE", 100)
    world = VecEnvAdapter(DummyVecEnv([lambda: Drifting(length=10**9)]))
    with pytest.raises(ValueError, match="give the environment a time limit"):
        calibrate(world, episodes=1)
    one_of_two = VecEnvAdapter(DummyVecEnv([Drifting, lambda: Drifting(length=10**9)]))
    with pytest.raises(ValueError, match="give the environment a time limit"):
        calibrate(one_of_two, episodes=2)
    longer = VecEnvAdapter(DummyVecEnv([lambda: Drifting(length=90)]))
    assert calibrate(longer, episodes=3, weight="paper").config.weight > 0


def test_random_play_draws_no_action_of_the_user():
    world = VecEnvAdapter(DummyVecEnv([Drifting]))
    world.action_space.seed(3)
    expected = world.action_space.sample()
    world.action_space.seed(3)
    calibrate(world, episodes=2)
    assert np.array_equal(world.action_space.sample(), expected)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"episodes": 0}, "episodes must be a whole number from 1"),
        ({"window": 2.5}, "window must be a whole number from 1"),
        ({"window": 0}, "window must be a whole number from 1"),
        ({"window": "long"}, "window must be a whole number from 1"),
        ({"width": -1}, "width must be a whole number from 1"),
        ({"weight": "heavy"}, "weight must be a finite number"),
        ({"weight": float("inf")}, "weight must be a finite number"),
        ({"weight": 1j}, "weight must be a finite number"),
        ({"weight": np.array([1.0, 2.0])}, "weight must be a finite number"),
        ({"clip": -1.0}, "clip must be a positive number"),
        ({"clip": np.array([1.0, 2.0])}, "clip must be a positive number"),
        ({"mode": "subtract"}, "mode must be 'add' or 'replace' or 'modulate'"),
        ({"ridge_penalty": -1}, "ridge_penalty must be a positive number"),
        ({"ridge_penalty": "proof"}, "ridge_penalty must be a positive number"),
        ({"floor": "ceiling"}, "floor must be 'residual' or None"),
        ({"standardization": "odd"}, "standardization must be 'empirical' or 'fixed'"),
        ({"ridge_penalty": "evidence", "floor": "residual"}, "takes no floor"),
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


def test_episodes_of_other_environments_are_refused():
    play = play_randomly(VecEnvAdapter(DummyVecEnv([Drifting])), episodes=1, seed=0)
    other = VecEnvAdapter(DummyVecEnv([lambda: Scripted(np.ones((50, 3)))]))
    with pytest.raises(ValueError, match="observations hold 2 numbers, these 3"):
        calibrate(other, play=play)


def test_observations_without_numbers_are_refused():
    empty = VecEnvAdapter(DummyVecEnv([lambda: Scripted(np.ones((50, 0)))]))
    with pytest.raises(ValueError, match="hold no numbers"):
        calibrate(empty)
