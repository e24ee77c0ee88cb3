"""Payments add up to the score of the episode: step by step, on all ten tasks."""

import itertools

import numpy as np
import pytest
import torch

from learnable_novelty.observer.observer import Observer
from learnable_novelty.reward import (
    CalibratedNovelty,
    NoveltyBonus,
    NoveltyConfig,
    ObservationScale,
    Step,
    VecEnvAdapter,
    play_randomly,
)
from novelty_lab.paper.table1_agents.agents.tasks import TASKS
from novelty_lab.paper.table1_agents.agents.training import make_vec_env

STEPS = 150
"""Of an episode; enough for every pair to have been in and behind the window many times."""


ENOUGH = 60
"""Steps at which the score is compared, over as many episodes as it takes."""


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
    calibrated = CalibratedNovelty.of(play, NoveltyConfig(task.window))
    assert calibrated.observation_dim == task.observation_dim
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
    from stable_baselines3.common.vec_env import DummyVecEnv

    from tests.reward.toys import Scripted

    rng = np.random.default_rng(3)
    script = rng.standard_normal((63, 2)).cumsum(0)
    venv = DummyVecEnv([lambda: Scripted(script, length=20, truncates=True)])
    play = play_randomly(VecEnvAdapter(venv), episodes=3, seed=0)
    first, second, third = play.trajectories()
    assert np.array_equal(np.concatenate([first, second, third]), script)
    calibrated = CalibratedNovelty.of(play, NoveltyConfig(4))
    bonus = calibrated.make(1)
    paid = np.array([bonus.pay(step)[0] for step in play.steps]).reshape(3, 20)
    batch = Observer(bonus.streams.reservoir, ridge_penalty=0.3)
    for episode, payments in zip((first, second, third), paid, strict=True):
        score = float(batch(*pairs(calibrated.scale(episode), 4)))
        assert payments.sum() == pytest.approx(score, abs=1e-9)


def test_fixed_units_are_those_of_the_random_policy():
    from stable_baselines3.common.vec_env import DummyVecEnv

    from tests.reward.toys import Drifting

    venv = DummyVecEnv([Drifting, Drifting])
    play = play_randomly(VecEnvAdapter(venv), episodes=4, seed=0)
    calibrated = CalibratedNovelty.of(play, NoveltyConfig(5, standardization="fixed"))
    bonus = calibrated.make(2)
    moments = calibrated.reference
    assert moments is not None
    paid = np.stack([bonus.pay(step) for step in play.steps])[:60]
    # The paper's recursion by hand: fixed centring and scaling, ridge, singular values.
    trajectory = calibrated.scale(play.trajectories()[0])
    inputs, targets = pairs(trajectory, 5)
    features = bonus.streams.reservoir(inputs) - moments.feature_mean
    sd = (moments.gram.diagonal() / moments.count).sqrt()
    features = features / (sd * len(sd) ** 0.5)
    centred = targets - moments.target_mean
    gram = features.T @ features + 0.3 * torch.eye(32, dtype=torch.float64)
    values = torch.linalg.svdvals(torch.linalg.solve(gram, features.T @ centred))
    assert paid[:, 0].sum() == pytest.approx(float(0.5 * torch.log2(1 + values**2).sum()), abs=1e-9)


def recorded_streams(length):
    """Return noise, sinusoids, a chaotic flow and a constant, (length, 4, 3)."""
    from novelty_lab.systems.flows import lorenz_field, runge_kutta

    rng = np.random.default_rng(0)
    state, orbit = np.array([1.0, 2.0, 20.0]), []
    for _ in range(5 * (length + 100)):
        state = runge_kutta(lorenz_field, state, 0.01)
        orbit.append(state)
    flow = np.stack(orbit[500::5])
    waves = np.sin(np.arange(length)[:, None] * np.array([0.05, 0.083, 0.131]))
    noise, still = rng.standard_normal((length, 3)), np.ones((length, 3))
    return np.stack([noise, waves, (flow - flow.mean(0)) / flow.std(0), still], axis=1)


@pytest.mark.parametrize("kind", ["raw", "residual", "evidence"])
def test_each_bonus_orders_recorded_streams(kind):
    units = ObservationScale(np.zeros(3), np.ones(3))
    options = {"residual": {"floor": "residual"}, "evidence": {"ridge_penalty": "evidence"}}
    bonus = NoveltyBonus(units, num_envs=4, window=8, seed=1, **options.get(kind, {}))
    streams, paid = recorded_streams(1001), np.zeros(4)
    for before, after in itertools.pairwise(streams):
        paid += bonus.pay(Step(before, np.zeros((4, 1)), after, np.zeros(4, dtype=bool)))
    noise, waves, flow, still = paid
    assert still == 0.0
    assert min(waves, flow) > 1
    if kind == "raw":  # its finite-sample floor: noise earns more than sinusoids
        assert noise > waves
    else:
        assert noise < min(waves, flow)


@pytest.mark.parametrize("spike", [1e6, 1e8, 1e10])
def test_an_outlier_without_a_clip_is_scored_right_or_refused(spike):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 2)).cumsum(0) * 0.1
    rows[20] += spike
    scale = ObservationScale(np.zeros(2), np.ones(2), clip=None)
    bonus = NoveltyBonus(scale, num_envs=1, window=4)
    targets = np.stack([rows[i + 1 : i + 5].ravel() for i in range(len(rows) - 4)])
    batch = Observer(bonus.streams.reservoir, ridge_penalty=0.3)
    expected = float(batch(torch.from_numpy(rows[:-4]), torch.from_numpy(targets)))
    paid = 0.0
    try:
        for before, after in itertools.pairwise(rows):
            step = Step(before[None], np.zeros((1, 0)), after[None], np.array([False]))
            paid += float(bonus.pay(step)[0])
    except ValueError as error:
        assert "digits" in str(error) or "rounding" in str(error)
        return
    assert paid == pytest.approx(expected, rel=1e-6)
