"""Payments add up to the score of the episode: step by step, on all ten tasks."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.observer.observer import Observer
from learnable_novelty.reward.bonus import Step
from learnable_novelty.reward.calibration import CalibratedNovelty
from learnable_novelty.reward.config import BitsConfig, NoveltyConfig
from learnable_novelty.reward.novelty import EpisodeWindows
from learnable_novelty.reward.random_play import play_randomly
from learnable_novelty.reward.sb3 import VecEnvAdapter
from learnable_novelty.reward.scale import ObservationScale
from novelty_lab.paper.table1_agents.tasks import TASKS
from novelty_lab.paper.table1_agents.training import make_vec_env
from tests.reward.toys import Drifting, Scripted

STEPS = 150
"""Of an episode; enough for every pair to have been in and behind the window many times."""


ENOUGH = 60
"""Steps at which the score is compared, over as many episodes as it takes."""


def scaled(window):
    """The episode's own units for features, and scaled targets: what a batch score of them is."""
    return NoveltyConfig(BitsConfig(window, standardization="empirical", targets="scaled"))


class Short(VecEnvAdapter):
    """Environments whose random episodes are followed for some steps only."""

    taken = 0

    def step(self, actions):
        self.taken += 1
        moved = super().step(actions)
        if self.taken % STEPS == 0:
            moved.ended[:] = True
        return moved


def pairs(trajectory, window):
    targets = [trajectory[i + 1 : i + 1 + window].ravel() for i in range(len(trajectory) - window)]
    return torch.from_numpy(trajectory[:-window]), torch.from_numpy(np.stack(targets))


@pytest.mark.parametrize("name", TASKS)
def test_cumulative_payments_are_the_batch_score_after_every_step(name):
    task = TASKS[name]
    venv = make_vec_env(name, 1)
    play = play_randomly(Short(venv), episodes=20, seed=1)
    venv.close()
    calibrated = CalibratedNovelty.of(play, scaled(task.window))
    assert len(calibrated.scale.mean) == task.observation_dim
    bonus = calibrated.make(1)
    batch = Observer(bonus.streams.reservoir, ridge_penalty=0.3)
    steps, checked = iter(play.steps), 0
    for trajectory in map(calibrated.scale, play.trajectories()):
        total = 0.0
        for taken in range(1, len(trajectory)):
            paid = bonus.pay(next(steps))[0]
            total += paid
            if taken < task.window:
                assert paid == 0.0
            elif taken == task.window:  # a single pair varies in nothing
                assert total == 0.0
            else:
                score = float(batch(*pairs(trajectory[: taken + 1], task.window)))
                assert total == pytest.approx(score, abs=1e-8)
                checked += 1
        if checked >= ENOUGH:
            return
    pytest.fail(f"only {checked} steps were longer than the window")


def test_the_last_observation_of_an_episode_closes_its_last_pair_and_not_the_next_ones():
    rng = np.random.default_rng(3)
    script = rng.standard_normal((63, 2)).cumsum(0)
    venv = DummyVecEnv([lambda: Scripted(script, length=20, truncates=True)])
    play = play_randomly(VecEnvAdapter(venv), episodes=3, seed=0)
    first, second, third = play.trajectories()
    assert np.array_equal(np.concatenate([first, second, third]), script)
    calibrated = CalibratedNovelty.of(play, scaled(4))
    bonus = calibrated.make(1)
    paid = np.array([bonus.pay(step)[0] for step in play.steps]).reshape(3, 20)
    batch = Observer(bonus.streams.reservoir, ridge_penalty=0.3)
    for episode, payments in zip((first, second, third), paid, strict=True):
        score = float(batch(*pairs(calibrated.scale(episode), 4)))
        assert payments.sum() == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("targets", ["raw", "scaled"])
def test_fixed_units_are_those_of_the_random_policy(targets):
    venv = DummyVecEnv([Drifting, Drifting])
    play = play_randomly(VecEnvAdapter(venv), episodes=4, seed=0)
    calibrated = CalibratedNovelty.of(play, NoveltyConfig(BitsConfig(5, targets=targets)))
    bonus = calibrated.make(2)
    paid = np.stack([bonus.pay(step) for step in play.steps])[:60]
    # The paper's recursion by hand: fixed centring and scaling, ridge, singular values.
    shown = play.trajectories()
    inputs = [pairs(calibrated.scale(one), 5)[0] for one in shown]
    following = calibrated.scale if targets == "scaled" else np.asarray
    outputs = [pairs(following(one), 5)[1] for one in shown]
    every = bonus.streams.reservoir(torch.cat(inputs))
    features = bonus.streams.reservoir(inputs[0]) - every.mean(0)
    features = features / (every.std(0, correction=0) * every.shape[1] ** 0.5)
    centred = outputs[0] - torch.cat(outputs).mean(0)
    gram = features.T @ features + 0.3 * torch.eye(32, dtype=torch.float64)
    values = torch.linalg.svdvals(torch.linalg.solve(gram, features.T @ centred))
    assert paid[:, 0].sum() == pytest.approx(float(0.5 * torch.log2(1 + values**2).sum()), abs=1e-9)


@settings(deadline=None)
@given(
    window=st.integers(1, 6),
    ends=st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=40),
    scaled=st.booleans(),
)
def test_pairs_are_those_of_the_episodes_so_far(window, ends, scaled):
    rng = np.random.default_rng(0)
    scale = ObservationScale(np.array([0.2, -1.0]), np.array([0.5, 2.0]), clip=0.7)
    windows = EpisodeWindows(scale, 3, window, scaled)
    episodes = [[rng.standard_normal(2)] for _ in range(3)]
    for ended in ends:
        before = np.stack([episode[-1] for episode in episodes])
        after = rng.standard_normal((3, 2))
        ready = windows.push(Step(before, np.zeros((3, 0)), after, np.array(ended)))
        for env, episode in enumerate(episodes):
            episode.append(after[env])
            assert ready[env] == (len(episode) > window)
            if ready[env]:
                assert np.array_equal(windows.inputs[env], scale(episode[-window - 1]))
                following = np.stack(episode[-window:])
                expected = scale(following) if scaled else following
                assert np.array_equal(windows.targets[env], expected.ravel())
        windows.forget(np.array(ended))
        for env in np.flatnonzero(ended):
            episodes[env] = [rng.standard_normal(2)]


def test_an_idle_environment_starts_with_what_it_shows_next():
    windows = EpisodeWindows(ObservationScale(np.zeros(1), np.ones(1)), 2, 1, scaled=True)
    goes, nothing, one = np.zeros(2, bool), np.zeros((2, 0)), np.ones((2, 1))
    idle = Step(np.array([[9.0], [0.0]]), nothing, one, goes, np.array([True, False]))
    assert windows.push(idle).tolist() == [False, True]
    assert windows.push(Step(one, nothing, 2 * one, goes)).all()
    assert windows.inputs[:, 0].tolist() == [1.0, 1.0]
    assert windows.targets[:, 0].tolist() == [2.0, 2.0]
