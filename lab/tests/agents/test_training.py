"""Short trainings repeat, differ where they should, and have the settings of the paper."""

import dataclasses
import importlib.util

import pytest

from learnable_novelty.reward import ForesightConfig
from novelty_lab.paper.table1_agents.agents.conditions import REWARDS
from novelty_lab.paper.table1_agents.agents.tasks import TASKS, task_of
from novelty_lab.paper.table1_agents.agents.training import (
    RUNNING,
    PPOSettings,
    Training,
    add_bonus,
    make_vec_env,
    train,
)
from novelty_lab.paper.table1_agents.agents.tuned import TUNED, make_training

TINY = PPOSettings(num_envs=2, n_steps=64, batch_size=32)


def tiny(reward, task="Pendulum", **more):
    settings = {"steps": 128, "ppo": TINY, "random_episodes": 2, "evaluation_episodes": 2}
    return Training(task, reward, **(settings | more))


@pytest.mark.parametrize("reward", REWARDS)
def test_a_short_training_repeats_to_the_digit(reward):
    first, again = (train(tiny(reward), seed=3)[1] for _ in range(2))
    assert first == again
    assert first["steps_trained"] == 128
    assert len(first["returns"]) == 2
    if reward != "task":
        assert first["random_return"] < 0
        assert reward != "epiplexity" or first["weight"] == 1.0
        assert ("weight" in first) == (reward.removeprefix("task+") not in RUNNING)
        if "weight" in first and reward.startswith("task+"):
            expected = 0.1 * abs(first["random_return"] / first["random_bonus"])
            assert first["weight"] == pytest.approx(expected)


def test_another_seed_and_another_reward_are_other_runs():
    returns = [
        train(tiny(reward), seed=s)[1]["returns"] for reward, s in (("task", 0), ("task", 1))
    ]
    assert returns[0] != returns[1]
    policies = [
        train(tiny(reward), seed=0)[0].policy.state_dict()["action_net.weight"]
        for reward in ("task", "task+epiplexity")
    ]
    assert not policies[0].equal(policies[1])


@pytest.mark.parametrize(
    ("reward", "limited"), [("task+foresight", False), ("task+foresight-limited", True)]
)
def test_recorded_runs_of_foresight_had_no_limit(reward, limited):
    training = tiny(reward)
    venv, _ = add_bonus(make_vec_env("Pendulum", 2), training, 0)
    assert venv.accumulator.bonus.config == ForesightConfig(limited=limited)
    venv.close()


def test_progress_is_reported_and_kept():
    seen = []
    _, figures = train(tiny("task", steps=640), seed=0, report=lambda *told: seen.append(told))
    assert [told[0] for told in seen] == [point[0] for point in figures["curve"]]
    assert seen[-1][:2] == (640, 640)
    assert all(point[1] < 0 for point in figures["curve"])


def test_normalized_agents_are_evaluated_in_their_units():
    normalized = dataclasses.replace(TINY, normalize=True)
    model, figures = train(tiny("task+epiplexity", ppo=normalized), seed=0)
    assert model.get_vec_normalize_env() is not None
    assert all(value < 0 for value in figures["returns"])


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


@pytest.mark.parametrize("name", TUNED)
def test_published_settings_make_an_agent(name):
    from novelty_lab.paper.table1_agents.agents.training import make_vec_env

    ppo = make_training(name, "task", tuned=True).ppo
    venv = make_vec_env(name, ppo.num_envs)
    with pytest.warns(UserWarning, match="mini-batch") if ppo.n_steps < 10 else _nothing():
        model = ppo.make_model(venv, 0)
    assert model.n_epochs == ppo.n_epochs
    assert model.gamma == ppo.gamma
    venv.close()


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_what_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="one of Acrobot"):
        task_of("Atlantis")
    with pytest.raises(ValueError, match=r"one of task, .*; got 'fame'"):
        Training("Hopper", "fame")
    with pytest.raises(ValueError, match="steps of at least 1"):
        Training("Hopper", steps=0)
    with pytest.raises(ValueError, match="published settings"):
        make_training("Pendulum", "task", tuned=True)


@pytest.mark.parametrize("name", TASKS)
def test_a_missing_simulator_names_its_extra(name, monkeypatch):
    task = task_of(name)
    monkeypatch.setattr(importlib.util, "find_spec", lambda package: None)
    if task.extra is None:
        task.make().close()
        return
    with pytest.raises(ValueError, match=rf"{task.environment} needs the .{task.extra}. extra"):
        task.make()
