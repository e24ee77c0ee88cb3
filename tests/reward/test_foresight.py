"""What foresight pays on noise, on a constant and on worlds that can be known; its bookkeeping."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.errors import UserError
from learnable_novelty.reward import (
    Foresight,
    ForesightConfig,
    NoveltyReward,
    NoveltyRewardVectorWrapper,
    NoveltyRewardWrapper,
    ObservationScale,
    Step,
    compiled,
)
from learnable_novelty.reward.ellipsoids import Ellipsoids
from learnable_novelty.reward.foresight import USUAL_RATE
from tests.reward.toys import Drifting

ENVS, LENGTH = 4, 40


def make(dim, *, actions=2, discrete=True, num_envs=ENVS, **options):
    scale = ObservationScale(np.zeros(dim), np.ones(dim))
    config = ForesightConfig(**({"every": 16, "directions": 8} | options))
    sizes = {"num_envs": num_envs, "action_dim": actions, "discrete": discrete}
    return Foresight(scale, **sizes, seed=0, config=config)


def play(bonus, world, steps, *, seed=0):
    """Pay for steps of a world(rng, observations, actions); return payments, (steps, envs)."""
    rng = np.random.default_rng(seed)

    def begin():
        drawn = rng.standard_normal((ENVS, len(bonus.scale.mean)))
        return world(rng, drawn, np.zeros(ENVS, int))

    observations, paid = begin(), []
    for t in range(1, steps + 1):
        chosen = rng.integers(0, bonus.action_dim, ENVS)
        following = world(rng, observations, chosen)
        ended = np.full(ENVS, t % LENGTH == 0)
        acted = np.eye(bonus.action_dim)[chosen]
        paid.append(bonus.pay(Step(observations, acted, following, ended)))
        observations = begin() if ended[0] else following
    return np.array(paid)


def noise(rng, observations, chosen):
    return rng.standard_normal(observations.shape)


def constant(rng, observations, chosen):
    return np.ones_like(observations)


def known(rng, observations, chosen):
    """Turns in as many planes as there are, by an angle that the action gives."""
    angle = np.where(chosen == 0, 0.5, -0.8)[:, None]
    x, v = np.split(observations, 2, axis=1)
    return np.concatenate(
        [x * np.cos(angle) - v * np.sin(angle), x * np.sin(angle) + v * np.cos(angle)], 1
    )


def test_noise_pays_nothing_or_a_fine_and_a_constant_nothing():
    paid = play(make(12), noise, 3000)
    assert paid.mean() <= 0
    late = paid[2000:]
    assert abs(late.mean()) < 0.1 * play(make(12), known, 3000)[2000:].mean()
    assert np.abs(play(make(12), constant, 400)[100:]).max() < 1e-3


def test_what_is_known_pays_and_an_episode_pays_less_and_less():
    paid = play(make(12), known, 3000)
    assert np.array_equal(paid[:16], np.zeros((16, ENVS)))  # nothing is foreseen before it is known
    episodes = paid[1000:].reshape(-1, LENGTH, ENVS).mean((0, 2))
    assert episodes[:5].mean() > 10 * episodes[-5:].mean() > 0


def test_compiled_ellipsoids_add_and_forget_as_an_inverse_does():
    ellipsoids, rng = Ellipsoids(ENVS, 7, 0.5), np.random.default_rng(0)
    matrices = np.repeat(0.5 * np.eye(7)[None], ENVS, axis=0)
    for t in range(50):
        z, y = rng.standard_normal((2, ENVS, 7)) * rng.choice([1e-3, 1.0, 10.0])
        inverses = np.linalg.inv(matrices)
        own, both = compiled.advance(ellipsoids.inverses, z, y)
        assert own == pytest.approx(np.einsum("nd,nde,ne->n", z, inverses, z), rel=1e-8)
        assert both == pytest.approx(np.einsum("nd,nde,ne->n", y, inverses, z), rel=1e-8, abs=1e-8)
        matrices += z[:, :, None] * z[:, None, :]
        if t == 25:
            ellipsoids.restart(np.arange(ENVS) == 1)
            matrices[1] = 0.5 * np.eye(7)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("wider", [0, 5])
def test_rows_are_scaled_clipped_and_widened(first, wider):
    rng = np.random.default_rng(1)
    values, acted = rng.standard_normal((6, 3)), rng.standard_normal((6, 2))
    mean, sd, bias = rng.standard_normal(3), rng.uniform(0.5, 2, 3), rng.standard_normal(wider)
    weights = rng.standard_normal((5, wider))
    x = np.concatenate([np.clip((values - mean) / sd, -0.7, 0.7), acted], axis=1)
    expected = [np.ones((6, first)), x, np.maximum(x @ weights + bias, 0)]
    got = compiled.widen(values, mean, sd, 0.7, acted, weights, bias, first)
    assert got == pytest.approx(np.concatenate(expected, axis=1), rel=1e-12)


def test_forecasts_are_those_of_the_readout_of_each_context():
    rng = np.random.default_rng(2)
    features, following = rng.standard_normal((9, 4)), rng.standard_normal((9, 3))
    contexts, units = rng.integers(0, 2, 9), rng.uniform(0.5, 2, 3)
    weights, means = rng.standard_normal((2, 4, 3)), rng.standard_normal((2, 3))
    z, y, errors = compiled.foresee(features, contexts, following, weights, means, units)
    forecast = np.einsum("nk,nkd->nd", features, weights[contexts])
    assert z == pytest.approx(forecast, rel=1e-12)
    assert y == pytest.approx(following * units - means[contexts], rel=1e-12)
    assert errors == pytest.approx(np.square(y - forecast).mean(1), rel=1e-12)


@pytest.mark.parametrize("ridge", [1.0, 0.5])
@pytest.mark.parametrize("directions", [9, 5])
def test_payments_are_what_the_forecast_explains_computed_by_hand(directions, ridge):
    bonus = make(9, directions=directions, ridge=ridge, gate=1e9)
    rng, rows = np.random.default_rng(3), []
    play(bonus, known_and_noisy, 64)
    bonus.reset()
    weights, means = bonus.readouts.weights.copy(), bonus.readouts.means.copy()
    z_seen = np.zeros((ENVS, 0, directions))
    for _ in range(10):
        before, chosen = rng.standard_normal((ENVS, 9)), rng.integers(0, 2, ENVS)
        after = known_and_noisy(rng, before, chosen)
        step = Step(before, np.eye(2)[chosen], after, np.zeros(ENVS, bool))
        inputs = np.concatenate([np.ones((ENVS, 1)), before], axis=1)
        drawn = np.eye(9) if directions == 9 else bonus._projection
        mixing = bonus._units[:, None] * drawn
        z = np.stack(
            [(inputs[e] @ weights[chosen[e]] - means[chosen[e]]) @ mixing for e in range(ENVS)]
        )
        y = (after - means[chosen]) @ mixing
        paid = bonus.pay(step)
        for env in range(ENVS):
            metric = np.linalg.inv(ridge * np.eye(directions) + z_seen[env].T @ z_seen[env])
            own = z[env] @ metric @ z[env]
            missed = (y[env] - z[env]) @ metric @ (y[env] - z[env])
            explained = y[env] @ metric @ y[env] - missed
            most = directions / ridge
            rows.append((paid[env], np.clip(explained / own, -1, 1) * min(own, most), own > most))
        z_seen = np.concatenate([z_seen, z[:, None]], axis=1)
    got, expected, cut = np.array(rows).T
    assert got == pytest.approx(expected, rel=1e-9)
    assert 0 < cut.mean() < 1
    assert (got < 0).any() and (got > 0).any()


def test_forecasts_are_within_the_limit_in_the_mean(monkeypatch):
    bonus = make(24, directions=24, every=32)
    play(bonus, known_and_noisy, 2000)
    sizes, payments = [], bonus._payments
    keep = lambda z, y: [sizes.append(np.square(z).sum(1)), payments(z, y)][1]  # noqa: E731
    monkeypatch.setattr(bonus, "_payments", keep)
    play(bonus, known_and_noisy, 400, seed=1)
    assert 0.5 * bonus._limit < np.mean(sizes) / bonus.config.ridge < bonus._limit


def known_and_noisy(rng, observations, chosen):
    return 0.7 * np.roll(observations, 1, axis=1) + 0.7 * rng.standard_normal(observations.shape)


def test_episodes_are_apart_and_a_step_that_only_resets_changes_nothing():
    bonus = make(12)
    play(bonus, known, 10 * LENGTH)
    fresh = bonus.ellipsoids.inverses.copy()
    assert np.array_equal(fresh[0], np.eye(8))
    row = np.ones((ENVS, 12))
    idle = np.array([True, False, False, False])
    paid = bonus.pay(Step(row, np.eye(2)[[0] * ENVS], 2 * row, ~idle & False, idle))
    assert paid[0] == 0 and (paid[1:] != 0).all()
    assert np.array_equal(bonus.ellipsoids.inverses[0], fresh[0])
    assert len(bonus._new[-1][0]) == ENVS - 1


def test_the_usual_surprise_is_a_running_mean_over_environments():
    bonus, usual = make(5), 1.0
    for seed in range(40):
        play(bonus, noise, 1, seed=seed)
        usual += USUAL_RATE * (bonus._surprise.mean() - usual)
    assert bonus._usual == pytest.approx(usual, rel=1e-9) and usual != 1.0


@pytest.mark.parametrize("discrete", [True, False])
def test_a_copy_by_its_state_pays_the_same(discrete):
    bonus, other = (make(5, discrete=discrete) for _ in range(2))
    play(bonus, noisy := known_and_noisy, 90)
    other.load_state_dict(bonus.state_dict())
    bonus.reset()
    assert np.array_equal(play(bonus, noisy, 90, seed=1), play(other, noisy, 90, seed=1))


def test_loading_forgets_what_was_learned_before():
    fresh, learned = make(5), make(5)
    play(learned, known_and_noisy, 90)
    learned.load_state_dict(fresh.state_dict())
    paid = [play(bonus, known_and_noisy, 60, seed=1) for bonus in (fresh, learned)]
    assert np.array_equal(*paid)


def test_few_numbers_are_widened_and_the_action_of_a_continuous_space_is_read():
    bonus = make(2, discrete=False, actions=1, directions=16)
    assert bonus.readouts.weights.shape == (2, 1 + 2 + 1 + 14, 16)
    rng = np.random.default_rng(0)
    x = np.zeros((ENVS, 2))
    paid = []
    for _ in range(800):  # what follows is the action, seen in advance by it alone
        acted = rng.uniform(-1, 1, (ENVS, 1))
        following = np.repeat(acted, 2, axis=1)
        paid.append(bonus.pay(Step(x, acted, following, np.zeros(ENVS, bool))))
        x = following
        bonus.reset()
    assert np.mean(paid[400:]) > 0.5


def test_bad_settings_and_bad_actions_are_refused():
    for options, sentence in [
        ({"directions": 0}, "directions must be a positive integer"),
        ({"ridge": 0.0}, "ridge must be a positive number"),
        ({"gate": "3"}, "gate must be a positive number, got '3'"),
    ]:
        with pytest.raises(UserError, match=sentence):
            make(3, **options)
    row = np.zeros((ENVS, 3))
    with pytest.raises(UserError, match="expected actions of 2 numbers, got 3"):
        make(3).pay(Step(row, np.zeros((ENVS, 3)), row, np.zeros(ENVS, bool)))
    env = NoveltyRewardWrapper(Drifting(discrete=True), episodes=2, bonus="foresight")
    env.reset()
    with pytest.raises(UserError, match=r"expected values of Discrete\(3\), got \[-1\]"):
        env.step(-1)


@pytest.mark.parametrize("discrete", [True, False])
def test_every_wrapper_takes_it_and_keeps_what_it_learned(tmp_path, discrete):
    def environment():
        return Drifting(discrete=discrete)

    def rewards(wrapped, **options):
        wrapped.reset(**options)
        rng = np.random.default_rng(1)
        pushes = rng.integers(0, 3, (150, 2)) if discrete else rng.uniform(-1, 1, (150, 2, 1))
        return np.stack([wrapped.step(pair)[1] for pair in pushes])

    first = NoveltyReward(DummyVecEnv([environment] * 2), episodes=2, bonus="foresight")
    first.seed(3)
    assert np.isfinite(rewards(first)).all()
    assert first.accumulator.bonus.readouts.gram.any()
    first.save(tmp_path / "bonus.pt")
    second = NoveltyReward.load(tmp_path / "bonus.pt", DummyVecEnv([environment] * 2))
    for venv in (first, second):
        venv.seed(4)
    assert second.weight == first.weight
    assert np.array_equal(rewards(first), rewards(second))
    gymnasium_envs = gymnasium.vector.SyncVectorEnv([environment] * 2)
    third = NoveltyRewardVectorWrapper.load(tmp_path / "bonus.pt", gymnasium_envs)
    assert np.isfinite(rewards(third, seed=4)).all()
    alone = NoveltyRewardWrapper.load(tmp_path / "bonus.pt", environment())
    alone.reset()
    assert np.isfinite(alone.step(alone.action_space.sample())[1])
    with pytest.raises(UserError, match=r"saved bonus is of environments with (Discrete|Box)"):
        other = Drifting(discrete=discrete)
        other.action_space = spaces.Discrete(5)
        NoveltyRewardWrapper.load(tmp_path / "bonus.pt", other)
