"""Short trainings repeat, differ where they should, and have the settings of the paper."""

import dataclasses

import numpy as np
import pytest

from learnable_novelty.reward.bonus import Step
from learnable_novelty.reward.config import BitsConfig
from learnable_novelty.reward.random_play import RandomPlay
from novelty_lab.paper.table1_agents.conditions import REWARDS
from novelty_lab.paper.table1_agents.tasks import TASKS
from novelty_lab.paper.table1_agents.training import (
    RUNNING,
    PPOSettings,
    Reading,
    Training,
    add_bonus,
    make_vec_env,
    train,
)
from novelty_lab.paper.table1_agents.weight import weight_of

TINY = PPOSettings(num_envs=2, n_steps=64, batch_size=32)


def tiny(reward, task="Pendulum", **more):
    reading = Reading(random_episodes=2)
    settings = {"steps": 128, "ppo": TINY, "reading": reading, "evaluation_episodes": 2}
    return Training(task, reward, **(settings | more))


@pytest.mark.parametrize("reward", REWARDS)
def test_a_short_training_repeats_to_the_digit(reward):
    first, again = (train(tiny(reward), seed=3)[1] for _ in range(2))
    assert first == again
    assert first["steps_trained"] == 128
    assert len(first["returns"]) == 2
    if reward != "task":
        assert first["random_return"] < 0
        added = reward.startswith("task+") and reward.removeprefix("task+") not in RUNNING
        assert ("weight" in first) == added
        if added:
            expected = 0.1 * abs(first["random_return"] / first["random_bonus"])
            assert first["weight"] == pytest.approx(expected)


def paid_by(reading, task="Pendulum"):
    training = dataclasses.replace(tiny("task+epiplexity", task), reading=reading)
    venv = make_vec_env(task, 2, continuous=reading.continuous)
    wrapped, figures = add_bonus(venv, training, 0)
    wrapped.close()
    return wrapped.accumulator.bonus, figures


def test_the_bonus_is_that_of_the_text_by_default():
    bonus, _ = paid_by(Reading(random_episodes=2))
    assert bonus.config == BitsConfig(window=16)
    assert (bonus.config.standardization, bonus.config.targets) == ("fixed", "raw")
    assert bonus.windows.scale.clip is None and bonus.streams.calibration is not None
    assert (bonus.config.width, bonus.config.ridge_penalty) == (32, 0.3)


@pytest.mark.parametrize(
    "change",
    [
        {"standardization": "empirical"},
        {"clip": 1.0},
        {"targets": "scaled"},
        {"return_size": "deviation"},
        {"random_episodes": 4},
    ],
)
def test_each_reading_of_the_text_changes_the_weight(change):
    usual = Reading(random_episodes=2)
    assert paid_by(dataclasses.replace(usual, **change))[1] != paid_by(usual)[1]


class Paid:
    """A bonus of three per step."""

    def pay(self, step):
        return np.full(len(step.ended), 3.0)

    def reset(self):
        pass


@pytest.mark.parametrize(
    ("size", "expected"), [("mean", 1.0), ("deviation", 9.0), ("mean size", 9.0)]
)
def test_the_weight_makes_a_random_episodes_bonus_a_tenth_of_its_return(size, expected):
    at = np.zeros((1, 1))
    steps = [Step(at, at, at, np.array([end])) for end in (False, True) * 2]
    play = RandomPlay(steps, np.array([[4.0], [4.0], [-10.0], [0.0]]), np.ones((4, 1)), 2)
    weight, bonus = weight_of(play, Paid(), size)  # of returns 8 and -10
    assert bonus == 6.0
    assert weight == pytest.approx(0.1 * expected / 6.0)
    with pytest.raises(ValueError, match="have no return"):
        weight_of(dataclasses.replace(play, rewards=np.zeros((4, 1))), Paid(), size)


def test_settings_are_those_of_table_4():
    settings = PPOSettings()
    assert (settings.num_envs, settings.n_steps, settings.batch_size) == (8, 1024, 256)
    assert (settings.gamma, settings.gae_lambda, settings.learning_rate) == (0.999, 0.98, 3e-4)
    assert Training("Hopper").steps == 600_000
    windows = {name: (task.observation_dim, task.window) for name, task in TASKS.items()}
    assert windows == {
        "Acrobot": (6, 8),
        "MountainCarContinuous": (2, 28),
        "Hopper": (11, 10),
        "BipedalWalker": (24, 40),
        "HalfCheetah": (17, 16),
        "Walker2d": (17, 16),
        "Swimmer": (8, 16),
        "PointMaze": (8, 48),
        "LunarLander": (8, 48),
        "Pendulum": (3, 16),
    }
