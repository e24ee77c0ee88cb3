"""Any bonus in any wrapper, and the keywords that all novelty wrappers take."""

import dataclasses
import inspect

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.errors import UserError
from learnable_novelty.reward import (
    BonusReward,
    BonusVectorWrapper,
    BonusWrapper,
    ForesightConfig,
    NoveltyBonus,
    NoveltyConfig,
    NoveltyReward,
    NoveltyRewardVectorWrapper,
    NoveltyRewardWrapper,
    ObservationScale,
)
from learnable_novelty.reward.config import ObserverConfig
from novelty_lab.rivals.registry import RIVALS, make_rival
from tests.reward.toys import Drifting, Scripted

SCRIPT = np.random.default_rng(5).standard_normal((400, 3)).cumsum(0) * 0.1
UNITS = ObservationScale(np.zeros(3), np.ones(3), clip=None)


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
    assert (env.weight, env.mode, bonus.resets) == (2.0, "add", 1)


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


@pytest.mark.parametrize("name", RIVALS)
def test_each_rival_pays_alike_in_all_three_wrappers(name):
    def make(num_envs):
        sizes = {"num_envs": num_envs, "action_dim": 2, "discrete": True, "seed": 1}
        return make_rival(name, scale=UNITS, **sizes)

    def environment():
        return Scripted(SCRIPT, length=1000)

    vec = BonusReward(DummyVecEnv([environment]), make(1), weight=0.5, mode="replace")
    single = BonusWrapper(environment(), make(1), weight=0.5, mode="replace")
    vector = BonusVectorWrapper(SyncVectorEnv([environment]), make(1), weight=0.5, mode="replace")
    vec.reset()
    single.reset()
    vector.reset()
    for t in range(40):
        expected = single.step(t % 2)[1]
        assert vector.step(np.array([t % 2]))[1].tolist() == [expected]
        assert vec.step(np.array([t % 2]))[1].tolist() == [np.float32(expected)]


def test_the_novelty_wrapper_is_the_bonus_wrapper_with_the_novelty_bonus():
    novelty = NoveltyRewardWrapper(Drifting(), episodes=4, seed=3, weight="paper")
    bonus = novelty.calibrated.make(1)
    plain = BonusWrapper(Drifting(), bonus, weight=novelty.weight, mode=novelty.mode)
    actions = np.random.default_rng(0).uniform(-1, 1, (60, 1))
    novelty.reset(seed=1)
    plain.reset(seed=1)
    assert [novelty.step(a)[1] for a in actions] == [plain.step(a)[1] for a in actions]


def test_vector_wrappers_take_as_many_environments_as_there_are():
    envs = SyncVectorEnv([Drifting, Drifting])
    bonus = NoveltyBonus(ObservationScale(np.zeros(2), np.ones(2)), num_envs=2, window=4)
    wrapped = BonusVectorWrapper(envs, bonus, weight=1.0)
    wrapped.reset(seed=0)
    assert wrapped.step(np.zeros((2, 1)))[1].shape == (2,)


WRAPPERS = {
    NoveltyReward: lambda: DummyVecEnv([Drifting]),
    NoveltyRewardWrapper: Drifting,
    NoveltyRewardVectorWrapper: lambda: SyncVectorEnv([Drifting]),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_every_setting_is_a_keyword_of_every_wrapper(wrapper):
    shown = inspect.signature(wrapper).parameters
    for field in dataclasses.fields(NoveltyConfig):
        assert shown[field.name].default == field.default
        assert shown[field.name].kind is inspect.Parameter.KEYWORD_ONLY
    assert {"play", "seed", "encoder"} < set(shown)
    with pytest.raises(TypeError, match="windows"):
        wrapper(WRAPPERS[wrapper](), windows=3)


CHANGES = {
    "window": 5,
    "width": 16,
    "ridge_penalty": 1.0,
    "standardization": "fixed",
    "floor": "residual",
    "resolution": 2.0,
    "clip": 0.5,
    "weight": 3.0,
    "mode": "replace",
    "episodes": 3,
    "bonus": "bits",
    "coefficient": 0.5,
    "fade_steps": 1000,
    "foresight": ForesightConfig(form="bits", every=16),
}


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(NoveltyConfig)])
def test_every_setting_changes_the_reward(name):
    def rewards(**options):
        env = NoveltyRewardWrapper(Drifting(), seed=1, **({"episodes": 2} | options))
        env.reset(seed=0)
        rng = np.random.default_rng(0)
        return [env.step(rng.uniform(-1, 1, 1))[1] for _ in range(200)]

    # The settings of the observer are those of bits, which they choose.
    usual = {"bonus": "bits"} if name in ObserverConfig.__dataclass_fields__ else {}
    assert rewards(**usual) != rewards(**usual, **{name: CHANGES[name]})


def test_settings_of_the_observer_choose_the_bonus_that_has_them():
    assert NoveltyConfig().bonus == NoveltyConfig(coefficient=0.2).bonus == "foresight"
    assert NoveltyConfig(weight="paper").bonus == NoveltyConfig(floor="residual").bonus == "bits"
    assert NoveltyConfig(weight="paper", bonus="foresight").bonus == "foresight"
    with pytest.raises(UserError, match='width is a setting of bonus="bits"'):
        NoveltyConfig(width=8, bonus="foresight")


def test_a_file_of_the_first_format_is_read(tmp_path):
    # Written by hand, as version 0 saved it: without a resolution.
    units = {"mean": torch.tensor([0.1, 0.2], dtype=torch.float64)}
    units |= {"sd": torch.tensor([1.0, 2.0], dtype=torch.float64), "clip": 10.0}
    settings = {"scale": units, "window": 6, "width": 16, "ridge_penalty": 0.3}
    settings |= {"standardization": "empirical", "floor": None, "reference": None, "seed": 7}
    space = [((), "Box((2,), float64) within [-inf, inf]")]
    state = {"settings": settings, "weight": 0.25, "mode": "add", "observations": space}
    torch.save(state, tmp_path / "bonus.pt")
    loaded = NoveltyRewardWrapper.load(tmp_path / "bonus.pt", Drifting())
    scale = ObservationScale(np.array([0.1, 0.2]), np.array([1.0, 2.0]), 10.0)
    bonus = NoveltyBonus(scale, num_envs=1, window=6, width=16, seed=7)
    expected = BonusWrapper(Drifting(), bonus, weight=0.25)
    loaded.reset(seed=0)
    expected.reset(seed=0)
    for _ in range(30):
        assert loaded.step(np.ones(1))[1] == expected.step(np.ones(1))[1]
