"""The rivals pay what their papers say, on cases with known answers."""

import numpy as np
import pytest
import torch

from learnable_novelty.reward.bonus import Step
from learnable_novelty.reward.running import PRIOR_COUNT, PRIOR_VARIANCE
from learnable_novelty.reward.scale import ObservationScale
from novelty_lab.rivals.counts import Counts, CountsConfig
from novelty_lab.rivals.e3b import E3B, E3BConfig
from novelty_lab.rivals.icm import ICM, ICMConfig
from novelty_lab.rivals.inverse import InverseConfig
from novelty_lab.rivals.learner import LearnerConfig
from novelty_lab.rivals.magnitude import Magnitude
from novelty_lab.rivals.noveld import NovelD
from novelty_lab.rivals.rnd import RND

QUICK = LearnerConfig(train_every=32, batch_size=32)
NUM_ENVS = 16


def unit_scale(dim, clip=10.0):
    return ObservationScale(np.zeros(dim), np.ones(dim), clip)


def arrive(observations, ended=None, action_dim=2):
    """Make a step that leads to the given observations."""
    at = np.asarray(observations, dtype=np.float64)
    ended = np.zeros(len(at), dtype=bool) if ended is None else np.asarray(ended)
    return Step(np.zeros_like(at), np.eye(action_dim)[np.zeros(len(at), dtype=int)], at, ended)


def wander(rng, num_steps, *, num_envs=NUM_ENVS, discrete=True, noise=0):
    """Yield steps of x' = 0.9 x + push in two coordinates, with coordinates of pure noise.

    A discrete action pushes in one of four directions, a continuous one anywhere. In the long run
    x has a spread of about one, which is that of the noise.
    """
    pushes = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    x = rng.normal(size=(num_envs, 2))
    hum = rng.normal(size=(num_envs, noise))
    for _ in range(num_steps):
        if discrete:
            actions = np.eye(4)[rng.integers(4, size=num_envs)]
            moved = 0.9 * x + 0.6 * actions @ pushes
        else:
            actions = rng.normal(size=(num_envs, 2))
            moved = 0.9 * x + 0.436 * actions
        following = rng.normal(size=(num_envs, noise))
        before, after = np.hstack([x, hum]), np.hstack([moved, following])
        yield Step(before, actions, after, rng.random(num_envs) < 0.05)
        x, hum = moved, following


def random_step(rng, num_envs, dim, action_dim, discrete):
    actions = rng.normal(size=(num_envs, action_dim))
    if discrete:
        actions = np.eye(action_dim)[rng.integers(action_dim, size=num_envs)]
    return Step(
        rng.normal(size=(num_envs, dim)),
        actions,
        rng.normal(size=(num_envs, dim)),
        rng.random(num_envs) < 0.2,
    )


# Magnitude


def test_magnitude_is_the_squared_length_in_units_of_the_scale():
    scale = ObservationScale(np.array([1.0, -2.0]), np.array([2.0, 0.5]), clip=None)
    paid = Magnitude(scale).pay(arrive([[1.0, -2.0], [3.0, -2.0], [-3.0, 98.0]]))
    np.testing.assert_array_equal(paid, [0.0, 1.0, 4.0 + 200.0**2])


# Counts


def test_counts_pay_one_over_the_root_of_the_visits_so_far():
    counts = Counts(unit_scale(2), CountsConfig(bin_width=0.5))
    assert counts.pay(arrive([[0.0, 0.0], [0.5, 0.0]])).tolist() == [1.0, 1.0]
    # -0.24 and 0.24 are in the bin of zero, 0.26 in the next; other steps' visits are remembered.
    paid = counts.pay(arrive([[0.24, -0.24], [0.26, 0.0]], ended=[True, True]))
    np.testing.assert_allclose(paid, [2**-0.5, 2**-0.5])
    counts.reset()
    np.testing.assert_allclose(counts.pay(arrive([[0.0, 0.0], [0.0, 0.0]])), [0.5, 0.5])


# Random network distillation


def test_rnd_pays_its_error_in_units_of_the_spread_of_returns():
    rng = np.random.default_rng(0)
    rnd = RND(unit_scale(2), num_envs=3, seed=0)
    returns, seen = np.zeros(3), []
    for _ in range(30):
        at = rng.normal(size=(3, 2))
        errors = rnd.error(at)
        returns = 0.99 * returns + errors
        seen.append(returns)
        everything = np.concatenate(seen)
        # The prior: one more value, at zero, with a variance of its own.
        mean = everything.sum() / (everything.size + PRIOR_COUNT)
        squares = np.square(everything - mean).sum() + PRIOR_COUNT * (PRIOR_VARIANCE + mean**2)
        spread = (squares / (everything.size + PRIOR_COUNT)) ** 0.5
        np.testing.assert_allclose(rnd.pay(arrive(at)), errors / spread, rtol=1e-10)


# The intrinsic curiosity module


def trained_icm(discrete, noise, num_steps, seed=0):
    dim, action_dim = 2 + noise, 4 if discrete else 2
    icm = ICM(
        unit_scale(dim),
        num_envs=NUM_ENVS,
        action_dim=action_dim,
        discrete=discrete,
        seed=seed,
        config=ICMConfig(learner=QUICK),
    )
    rng = np.random.default_rng(seed)
    paid = [icm.pay(s) for s in wander(rng, num_steps, discrete=discrete, noise=noise)]
    return icm, np.array(paid)


def unexplained(icm, discrete, noise):
    """Return the share of the features' variance that the forward model does not foresee."""
    rng = np.random.default_rng(99)
    steps = list(wander(rng, 100, discrete=discrete, noise=noise))
    error = np.mean(
        [icm.pay(s) for s in steps[: QUICK.train_every - 1]]
    )  # too few to be trained on
    with torch.no_grad():
        at = torch.tensor(np.vstack([s.next_observations for s in steps]), dtype=torch.float32)
        variance = icm.networks.encoder(at).var(0, correction=0).sum()
    return error / (float(variance) / 2)  # the bonus is half a squared length


@pytest.mark.parametrize("discrete", [True, False])
def test_icm_foresees_a_linear_world(discrete):
    icm, paid = trained_icm(discrete, noise=0, num_steps=40 * QUICK.train_every)
    assert paid[-32:].mean() < 1e-2 * paid[:32].mean()
    # The features have not just shrunk: what they vary by is foreseen.
    assert unexplained(icm, discrete, noise=0) < 0.1


def test_icm_pays_half_the_squared_error_times_eta():
    sizes = {"num_envs": 5, "action_dim": 2}
    icm = ICM(unit_scale(3), **sizes, discrete=False, seed=0, config=ICMConfig(eta=0.5))
    step = random_step(np.random.default_rng(0), 5, 3, 2, discrete=False)
    with torch.no_grad():
        before, actions, after = (
            torch.tensor(values, dtype=torch.float32)
            for values in (step.observations, step.actions, step.next_observations)
        )
        predicted = icm.networks.predictor(
            torch.cat([icm.networks.encoder(before), actions], dim=1)
        )
        error = torch.linalg.vector_norm(predicted - icm.networks.encoder(after), dim=1)
    np.testing.assert_allclose(icm.pay(step), 0.25 * error.numpy() ** 2, rtol=1e-5)


# Elliptical episodic bonuses


def test_e3b_pays_by_the_explicit_inverse_and_starts_anew_when_an_episode_ends():
    rng = np.random.default_rng(0)
    sizes = {"num_envs": 3, "action_dim": 2}
    config = E3BConfig(features=InverseConfig(feature_dim=8), ridge=0.3)
    e3b = E3B(unit_scale(4), **sizes, discrete=True, seed=0, config=config)
    matrices = np.repeat(0.3 * np.eye(8)[None], 3, axis=0)
    for t in range(500):
        step = random_step(rng, 3, 4, 2, discrete=True)
        step = Step(step.observations, step.actions, step.next_observations, rng.random(3) < 0.01)
        with torch.no_grad():
            at = torch.tensor(step.next_observations, dtype=torch.float32)
            phi = e3b.networks.encoder(at).numpy().astype(np.float64)
        expected = [p @ np.linalg.inv(c) @ p for p, c in zip(phi, matrices, strict=True)]
        np.testing.assert_allclose(e3b.pay(step), expected, rtol=1e-9)
        matrices += phi[:, :, None] * phi[:, None, :]
        matrices[step.ended] = 0.3 * np.eye(8)
        if t == 250:
            e3b.reset()
            matrices[:] = 0.3 * np.eye(8)


# NovelD


def test_noveld_pays_the_gain_in_error_at_first_visits():
    noveld = NovelD(unit_scale(2), num_envs=2, seed=0)
    start, far = np.array([[0.1, 0.2], [2.0, -1.0]]), np.array([[3.0, 3.0], [0.5, 0.5]])
    going = np.zeros(2, dtype=bool)
    actions = np.eye(2)
    error = np.sqrt(noveld.error(start)), np.sqrt(noveld.error(far))
    paid = noveld.pay(Step(start, actions, far, going))
    np.testing.assert_allclose(paid, np.maximum(error[1] - 0.5 * error[0], 0), rtol=1e-5)
    assert paid[0] > 0
    # Neither the start nor what was visited is new; after the end of an episode both are.
    assert (noveld.pay(Step(far, actions, start, going)) == 0).all()
    assert (noveld.pay(Step(start, actions, far, np.array([True, False]))) == 0).all()
    np.testing.assert_array_equal(noveld.pay(Step(start, actions, far, going)) > 0, [True, False])


# All of them
