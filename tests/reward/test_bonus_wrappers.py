"""Any bonus in any wrapper, and the keywords that all novelty wrappers take."""

import dataclasses

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from learnable_novelty.reward import (
    BitsConfig,
    BonusVectorWrapper,
    BonusWrapper,
    ForesightConfig,
    NoveltyConfig,
    NoveltyRewardWrapper,
)
from tests.reward.toys import Drifting, Scripted

SCRIPT = np.random.default_rng(5).standard_normal((400, 3)).cumsum(0) * 0.1
BITS = BitsConfig(targets="scaled")


class Echo:
    """Pays the first coordinate of what a step led to, and remembers the actions."""

    def __init__(self):
        self.actions, self.resets = [], 0

    def pay(self, step):
        self.actions.append(step.actions.tolist())
        return step.next_observations[:, 0].copy()

    def reset(self):
        self.resets += 1


def test_one_environment_is_paid_any_bonus():
    bonus = Echo()
    env = BonusWrapper(Scripted(SCRIPT, length=3), bonus, weight=2.0)
    env.reset()
    rewards, info = [], {}
    for action in (0, 1, 0):
        _, reward, _, _, info = env.step(action)
        rewards.append(reward)
    assert rewards == pytest.approx(1.0 + 2.0 * SCRIPT[1:4, 0])
    assert bonus.actions == [[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 0.0]]]
    assert info["novelty"]["score"] == pytest.approx(SCRIPT[1:4, 0].sum())
    assert info["novelty"]["task"] == 3.0
    assert (env.weight, bonus.resets) == (2.0, 1)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_vector_environments_are_paid_the_last_observation_of_an_episode(mode):
    makers = [lambda k=k: Scripted(SCRIPT[100 * k :], length=3) for k in range(2)]
    envs = BonusVectorWrapper(
        SyncVectorEnv(makers, autoreset_mode=mode), Echo(), weight=1.0, mode="replace"
    )
    envs.reset()
    rewards, infos = [], {}
    for _ in range(3):
        _, reward, _, _, infos = envs.step(np.zeros(2, dtype=np.int64))
        rewards.append(reward)
    assert np.array_equal(rewards, [SCRIPT[[t, 100 + t], 0] for t in (1, 2, 3)])
    assert infos["_novelty"].all()
    assert infos["novelty"]["score"] == pytest.approx(np.sum(rewards, axis=0))


CHANGES = {
    "clip": 0.5,
    "weight": 3.0,
    "mode": "replace",
    "episodes": 3,
    "bonus": "bits",
    "coefficient": 0.5,
    "window": 5,
    "width": 16,
    "ridge_penalty": 1.0,
    "standardization": "empirical",
    "targets": "raw",
    "directions": 8,
    "ridge": 2.0,
    "life": 1.0,
    "every": 16,
    "noise_share": 0.5,
    "gate": 1e-3,
}


@pytest.mark.parametrize("kind", [NoveltyConfig, BitsConfig, ForesightConfig])
def test_every_setting_changes_the_reward(kind):
    def rewards(**options):
        env = NoveltyRewardWrapper(Drifting(), seed=1, **({"episodes": 2} | options))
        env.reset(seed=0)
        rng = np.random.default_rng(0)
        return [env.step(rng.uniform(-1, 1, 1))[1] for _ in range(300)]

    quick = ForesightConfig(every=32)
    usual = {} if kind is NoveltyConfig else {"bonus": BITS if kind is BitsConfig else quick}
    expected = rewards(**usual)
    for field in dataclasses.fields(kind):
        change = {field.name: CHANGES[field.name]}
        if kind is BitsConfig:
            change = {"bonus": dataclasses.replace(BITS, **change)}
        elif kind is ForesightConfig:
            change = {"bonus": dataclasses.replace(quick, **change)}
        assert rewards(**usual | change) != expected, field.name
