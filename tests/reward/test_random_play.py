"""Random episodes: equally many in every environment, read in time, refused where not finite."""

import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.reward.random_play import play_randomly
from learnable_novelty.reward.sb3 import VecEnvAdapter
from tests.reward.toys import Drifting, Scripted


def test_every_environment_plays_equally_many_episodes():
    lengths = (5, 50)
    script = np.random.default_rng(0).standard_normal((500, 2))
    makers = [lambda n=n: Scripted(script, length=n) for n in lengths]
    play = play_randomly(VecEnvAdapter(DummyVecEnv(makers)), episodes=4, seed=0)
    assert play.episodes == 4
    assert sorted(len(t) - 1 for t in play.trajectories()) == [5, 5, 50, 50]
    assert (play.rewards * play.counted).sum() == 5 + 5 + 50 + 50


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
        play_randomly(world, episodes=4, seed=0)


def test_random_play_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr("learnable_novelty.reward.random_play.LONGEST_EPISODE", 100)
    world = VecEnvAdapter(DummyVecEnv([lambda: Drifting(length=10**9)]))
    with pytest.raises(ValueError, match="give the environment a time limit"):
        play_randomly(world, episodes=1, seed=0)
    one_of_two = VecEnvAdapter(DummyVecEnv([Drifting, lambda: Drifting(length=10**9)]))
    with pytest.raises(ValueError, match="give the environment a time limit"):
        play_randomly(one_of_two, episodes=2, seed=0)
    longer = VecEnvAdapter(DummyVecEnv([lambda: Drifting(length=90)]))
    assert play_randomly(longer, episodes=3, seed=0).episodes == 3


def test_random_play_draws_no_action_of_the_user():
    world = VecEnvAdapter(DummyVecEnv([Drifting]))
    world.action_space.seed(3)
    expected = world.action_space.sample()
    world.action_space.seed(3)
    play_randomly(world, episodes=2, seed=0)
    assert np.array_equal(world.action_space.sample(), expected)
