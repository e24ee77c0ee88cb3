"""Drives against learners written out by hand: every readout refitted from its pairs."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from learnable_novelty.observer.reservoirs import MLP
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments
from learnable_novelty.reward.bonus import Step
from learnable_novelty.reward.config import BitsConfig
from learnable_novelty.reward.novelty import NoveltyBonus
from learnable_novelty.reward.scale import ObservationScale
from novelty_lab.studies.rooms.drives import (
    Progress,
    Surprise,
    sums_of,
)

ENVS, DIM, WINDOW, WIDTH, PENALTY = 2, 2, 2, 5, 0.3
KINDS = ("empirical", "fixed")


def make_learner(kind):
    scale = ObservationScale(np.full(DIM, 0.1), np.full(DIM, 1.5), None)
    config = BitsConfig(WINDOW, WIDTH, PENALTY, "empirical", "scaled")
    bonus = NoveltyBonus(scale, num_envs=ENVS, config=config)
    if kind == "empirical":
        return bonus
    draws = np.random.default_rng(5)
    x, y = draws.standard_normal((50, DIM)), draws.standard_normal((50, WINDOW * DIM))
    reference = Moments.of(bonus.streams.reservoir(torch.from_numpy(x)), torch.from_numpy(y))
    fixed = dataclasses.replace(config, standardization="fixed")
    return NoveltyBonus(scale, num_envs=ENVS, config=fixed, reference=reference)


def make_steps(count, *, end_at=None, seed=0):
    """Make steps of a noisy rotation; the second environment begins anew after ``end_at``."""
    draws = np.random.default_rng(seed)
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    held = draws.standard_normal((ENVS, DIM))
    steps = []
    for t in range(count):
        after = held @ turn + 0.2 * draws.standard_normal((ENVS, DIM))
        ended = np.array([False, t == end_at])
        steps.append(Step(held, np.eye(3)[[1, 1]], after, ended))
        held = np.where(ended[:, None], draws.standard_normal((ENVS, DIM)), after)
    return steps


def episodes_of(steps, env, scale):
    """Return the standardized observations of each episode of an environment."""
    found = [[]]
    for step in steps:
        found[-1] = found[-1] or [step.observations[env]]
        found[-1].append(step.next_observations[env])
        if step.ended[env]:
            found.append([])
    return [scale(np.array(episode)) for episode in found if episode]


def pairs_of(episode):
    count = len(episode) - WINDOW
    targets = np.array([episode[t + 1 : t + 1 + WINDOW].reshape(-1) for t in range(count)])
    return episode[:count], targets


def fit(features, targets, online):
    """Fit a ridge by augmented least squares; return it as a function of features."""
    if len(features) == 0 and online.calibration is None:
        return lambda h: np.zeros(targets.shape[1])
    if online.calibration is None:
        mean_h, mean_y, sd = features.mean(0), targets.mean(0), features.std(0)
    else:
        held = online.calibration
        mean_h, mean_y = held.feature_mean.numpy(), held.target_mean.numpy()
        sd = np.sqrt(held.gram.diagonal().numpy() / held.count)
    inverse = np.divide(1, sd * np.sqrt(WIDTH), out=np.zeros(WIDTH), where=sd > 1e-12)
    rows = np.concatenate([(features - mean_h) * inverse, PENALTY**0.5 * np.eye(WIDTH)])
    values = np.concatenate([targets - mean_y, np.zeros((WIDTH, targets.shape[1]))])
    readout = np.linalg.lstsq(rows, values, rcond=None)[0]
    return lambda h: mean_y + ((h - mean_h) * inverse) @ readout


def expected_payments(steps, env, learner):
    """Return surprise and progress of each step of an environment, in bits."""
    surprise, progress = [], []
    noise = PENALTY / (2 * 0.5)
    for episode in episodes_of(steps, env, learner.windows.scale):
        x, y = pairs_of(episode)
        h = learner.streams.reservoir(torch.from_numpy(x)).numpy()
        surprise += [0.0] * (WINDOW - 1)
        progress += [0.0] * (WINDOW - 1)
        for t in range(len(x)):
            old = fit(h[:t], y[:t], learner.streams)
            new = fit(h[: t + 1], y[: t + 1], learner.streams)
            errors = [np.square(y[: t + 1] - f(h[: t + 1])).sum() for f in (old, new)]
            surprise.append(np.square(y[t] - old(h[t])).sum() / (2 * noise * math.log(2)))
            progress.append((errors[0] - errors[1]) / (2 * noise * math.log(2)))
    return np.array(surprise), np.array(progress)


@pytest.mark.parametrize("kind", KINDS)
def test_surprise_and_progress_are_those_of_readouts_refitted_from_their_pairs(kind):
    steps = make_steps(30, end_at=13)
    surprise = Surprise(make_learner(kind))
    progress = Progress(make_learner(kind))
    paid = np.array([[surprise.pay(step), progress.pay(step)] for step in steps])
    for env in range(ENVS):
        expected = expected_payments(steps, env, make_learner(kind))
        assert np.allclose(paid[:, 0, env], expected[0], rtol=1e-8, atol=1e-9)
        assert np.allclose(paid[:, 1, env], expected[1], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_an_episodes_progress_is_its_surprise_less_what_the_last_readout_leaves(kind):
    steps = make_steps(40)
    surprise, progress = Surprise(make_learner(kind)), Progress(make_learner(kind))
    total = sum(surprise.pay(step) - progress.pay(step) for step in steps)
    learner = make_learner(kind)
    for env in range(ENVS):
        x, y = pairs_of(episodes_of(steps, env, learner.windows.scale)[0])
        h = learner.streams.reservoir(torch.from_numpy(x)).numpy()
        left = np.square(y - fit(h, y, learner.streams)(h)).sum()
        assert total[env] == pytest.approx(left / (2 * PENALTY * math.log(2)), rel=1e-9)


def test_the_drive_of_free_energy_pays_minus_the_surprise():
    seek, avoid = Surprise(make_learner("fixed")), Surprise(make_learner("fixed"), sign=-1)
    for step in make_steps(20, end_at=7):
        assert np.array_equal(seek.pay(step), -avoid.pay(step))


@pytest.mark.parametrize("standardization", ["empirical", "fixed"])
def test_sums_are_those_of_the_pairs(standardization):
    generator = torch.Generator().manual_seed(0)

    def normal(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    reservoir, x, y = MLP(2, 6, 2), 2 + normal(50, 2, 2), 5 + normal(50, 2, 3)
    reference = reservoir(normal(40, 2)), normal(40, 3)
    online = OnlineObserver(
        reservoir,
        target_dim=3,
        num_streams=2,
        ridge_penalty=0.3,
        target_unit=0.5,
        standardization=standardization,
        calibration=Moments.of(*reference) if standardization == "fixed" else None,
    )
    for pair in zip(x, y, strict=True):
        online.update(*pair)
    sums = sums_of(online)
    for k in range(2):
        h, t = reservoir(x[:, k]), y[:, k]
        of_h, of_t = (h, t) if standardization == "empirical" else reference
        scale = 1 / (of_h.std(0, correction=0) * math.sqrt(6))
        z, dt = (h - of_h.mean(0)) * scale, t - of_t.mean(0)
        expected = {
            "count": torch.tensor(50.0).double(),
            "feature_mean": of_h.mean(0),
            "target_mean": of_t.mean(0),
            "gram": z.T @ z,
            "cross": z.T @ dt,
            "scale": scale,
        }
        for name, value in expected.items():
            got = torch.as_tensor(getattr(sums, name)[k])
            torch.testing.assert_close(got, value, rtol=1e-10, atol=1e-10)
