"""Novelty that counts by how well an episode goes."""

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnable_novelty.errors import UserError
from learnable_novelty.reward import (
    BonusWrapper,
    ModulatedUnits,
    Modulation,
    NoveltyConfig,
    NoveltyRewardWrapper,
)


def _episode(modulation, task, bonus):
    last = len(task) - 1
    return [
        float(modulation(np.array([t]), np.array([b]), np.array([now == last]))[0])
        for now, (t, b) in enumerate(zip(task, bonus, strict=True))
    ]


numbers = st.floats(-10, 10)
episodes = st.lists(
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6), min_size=1, max_size=8
)


@given(episodes)
def test_payments_add_up_to_the_bonus_times_a_factor_of_the_return(played):
    modulation, returns = Modulation(1), []
    for steps in played:
        task, bonus = zip(*steps, strict=True)
        paid = sum(_episode(modulation, task, bonus))
        sd = float(np.std(returns)) if returns else 0.0
        z = (sum(task) - np.mean(returns)) / sd if sd > 1e-6 else 0.0
        if sd == 0 or sd > 1e-6:
            factor = 2 / (1 + np.exp(-np.clip(z, -30, 30)))
            assert paid == pytest.approx(factor * sum(bonus), rel=1e-6, abs=1e-6)
        returns.append(sum(task))


def test_where_no_return_differs_all_novelty_counts_alike():
    modulation = Modulation(1)
    for _ in range(5):
        assert _episode(modulation, [0, 0, 0], [1, 2, 3]) == [1, 2, 3]


def test_returns_that_differ_by_rounding_are_equal():
    modulation = Modulation(1)
    for task in ([0.1, 0.2], [0.3, 0.0]) * 3:
        assert sum(_episode(modulation, task, [1, 1])) == 2


def test_a_good_episode_is_paid_more_than_a_bad_one_for_the_same_novelty():
    modulation = Modulation(1)
    for earned in (0, 1) * 10:
        _episode(modulation, [earned], [1])
    bad, good = (sum(_episode(modulation, [0, earned], [1, 1])) for earned in (0, 1))
    assert bad == pytest.approx(2 * 2 / (1 + np.e))
    assert bad + good == pytest.approx(4, abs=0.2)


def test_units_restore_what_was_learned():
    first, second = ModulatedUnits(2), ModulatedUnits(2)
    random = np.random.default_rng(0)
    for _ in range(20):
        first(random.normal(size=2), random.normal(size=2), np.array([True, True]))
    second.load_state_dict(first.state_dict())
    second.begin()
    first.begin()
    steps = random.normal(size=2), random.normal(size=2), np.array([False, True])
    assert second(*steps) == pytest.approx(first(*steps))
    assert second.weight == first.weight


class Walk(gym.Env):
    """A walk that is rewarded by its place, with ends."""

    observation_space = gym.spaces.Box(-1, 1, (2,))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.now = 0
        return self._seen(), {}

    def step(self, action):
        self.now += 1
        reward = float(action)
        return self._seen(), reward, self.now == 5, False, {}

    def _seen(self):
        return self.np_random.uniform(-1, 1, 2).astype(np.float32)


class One:
    """A bonus of one."""

    def pay(self, step):
        return np.ones(len(step.ended))

    def reset(self):
        pass


def test_a_wrapper_pays_novelty_by_the_return_of_the_episode():
    env = BonusWrapper(Walk(), One(), weight=2.0, mode="modulate")
    paid = []
    for action in (0, 1, 0, 1):
        env.reset(seed=0)
        paid.append(sum(env.step(action)[1] for _ in range(5)))
    # Episodes one and two are before two returns differ.
    assert paid[:2] == [10, 10]
    assert paid[2] < 10 < paid[3]


def test_the_reward_takes_the_mode_and_saves_what_it_learned(tmp_path):
    env = NoveltyRewardWrapper(Walk(), mode="modulate", episodes=4)
    env.reset(seed=0)
    for _ in range(30):
        if env.step(env.action_space.sample())[2]:
            env.reset()
    env.save(tmp_path / "bonus")
    loaded = NoveltyRewardWrapper.load(tmp_path / "bonus", Walk())
    assert loaded.mode == "modulate"
    assert loaded.weight == pytest.approx(env.weight)
    state = [each.accumulator.units.modulation.state_dict() for each in (env, loaded)]
    assert state[0] == state[1]
    assert state[0]["count"] == 6


def test_the_papers_weight_is_for_added_bonuses():
    with pytest.raises(UserError, match='mode must be "add"'):
        NoveltyConfig(mode="modulate", weight="paper")
