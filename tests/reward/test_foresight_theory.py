"""The mean payment of foresight on noise, on a constant and on what can be known."""

import math

import numpy as np
import pytest

from learnable_novelty.reward import (
    BitsConfig,
    Foresight,
    ForesightConfig,
    NoveltyBonus,
    ObservationScale,
    Step,
)

ENVS, LENGTH = 8, 80


def cut_mean(sd):
    """E min(|s|, 2) of a normal s."""
    beyond = math.erfc(2 / (sd * math.sqrt(2)))
    return sd * math.sqrt(2 / math.pi) * (1 - math.exp(-2 / sd**2)) + 2 * beyond


@pytest.mark.parametrize("size", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(
    ("signal", "expected"), [(0, lambda c: c / 2 - 1), (1, lambda c: 1 - c / 2)]
)
def test_the_share_that_comes_true_has_the_derived_mean(size, signal, expected):
    many, rng = 40_000, np.random.default_rng(0)
    scale = ObservationScale(np.zeros(3), np.ones(3))
    sizes = {"num_envs": many, "action_dim": 2, "discrete": True}
    bonus = Foresight(scale, **sizes, config=ForesightConfig(directions=3))
    before = np.repeat(rng.standard_normal((1, 3)), many, axis=0)
    bonus.ellipsoids.add(before)
    z = np.repeat(rng.standard_normal((1, 3)), many, axis=0)
    u = bonus.ellipsoids.inverses[0] @ z[0]
    own = float(z[0] @ u)
    paid = bonus._payments(z, signal * z + size * rng.standard_normal((many, 3)))
    mean = expected(cut_mean(2 * size * np.linalg.norm(u) / own))
    assert paid.mean() / own == pytest.approx(mean, abs=4 / math.sqrt(many))
    assert mean < 0 if signal == 0 else mean > 0


def turn(x, chosen):
    angle = np.where(chosen == 0, 0.5, -0.8)[:, None]
    p, v = np.split(x, 2, axis=1)
    turned = p * np.cos(angle) - v * np.sin(angle), p * np.sin(angle) + v * np.cos(angle)
    return np.concatenate(turned, axis=1)


WORLDS = {
    "noise": lambda rng, x, chosen: rng.standard_normal(x.shape),
    "constant": lambda rng, x, chosen: np.ones_like(x),
    "known": lambda rng, x, chosen: turn(x, chosen),
}


def episodes(bonus, world, count, dim=24):
    """Return the payments of episodes of 80 steps, (count,)."""
    rng, sums = np.random.default_rng(1), []
    for _ in range(count):
        x = world(rng, rng.standard_normal((ENVS, dim)), np.zeros(ENVS, int))
        total = np.zeros(ENVS)
        for t in range(LENGTH):
            chosen = rng.integers(0, 2, ENVS)
            following = world(rng, x, chosen)
            ended = np.full(ENVS, t == LENGTH - 1)
            total += bonus.pay(Step(x, np.eye(2)[chosen], following, ended))
            x = following
        sums.append(total.mean())
    return np.array(sums)


def test_in_short_episodes_noise_pays_a_fine_that_falls_where_raw_bits_pay_most():
    scale = ObservationScale(np.zeros(24), np.ones(24))
    config = ForesightConfig(directions=24, every=32)
    sizes = {"num_envs": ENVS, "action_dim": 2, "discrete": True, "config": config}
    paid = {name: episodes(Foresight(scale, **sizes), world, 48) for name, world in WORLDS.items()}
    noise = paid["noise"]
    early, late = noise[4:12].mean(), noise[36:].mean()
    assert early < late < 0
    assert 5 < early / late < 30  # life is 5.2 times as long: 5.2^1.5 = 12
    assert np.abs(paid["constant"]).max() < 1e-6
    assert paid["known"][4:].min() > 10 * abs(late)
    bits = BitsConfig(window=8, standardization="empirical")
    raw = {
        name: episodes(NoveltyBonus(scale, num_envs=ENVS, config=bits), WORLDS[name], 2).mean()
        for name in ("noise", "known")
    }
    assert raw["noise"] > raw["known"] > 0
