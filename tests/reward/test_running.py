"""The weight without a number: task and bonus in units of their running returns."""

import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.reward import BonusWrapper, NoveltyReward
from learnable_novelty.reward.running import ReturnSpread, RunningUnits
from tests.reward.toys import Drifting


class Sparse(Drifting):
    """Pays nothing, ever."""

    def step(self, action):
        observation, _, *rest = super().step(action)
        return observation, 0.0, *rest


class Numbers:
    """A bonus that is drawn."""

    reads_actions = False

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def pay(self, step):
        return 7.0 * self.rng.random(1)

    def reset(self):
        pass


def by_hand(rewards, gamma=0.99):
    """Divide by the size of all discounted returns so far, and of one of variance 1."""
    held, returns, paid = 0.0, [], []
    for reward in rewards:
        held = gamma * held + reward
        returns.append(held)
        square = (np.square(returns).sum() + 1.0) / (len(returns) + 1)
        paid.append(np.clip(reward / np.sqrt(square), -10, 10))
    return np.array(paid)


def test_rewards_are_in_units_of_running_returns():
    rng = np.random.default_rng(1)
    task, bonus = 100 * rng.random(50) * (rng.random(50) < 0.2), rng.random(50)
    units = RunningUnits(1, 0.25)
    got = [units(t, b)[0] for t, b in zip(task[:, None], bonus[:, None], strict=True)]
    assert got == pytest.approx(by_hand(task) + 0.25 * by_hand(bonus))


@pytest.mark.parametrize("unit", ["size", "deviation"])
def test_the_unit_is_that_of_all_returns_of_all_environments(unit):
    rewards = np.random.default_rng(2).standard_normal((40, 3)) + 0.5
    spread, returns, seen = ReturnSpread(3, 0.9, unit), np.zeros(3), [0.0]
    for row in rewards:
        got = spread.update(row)
        returns = 0.9 * returns + row
        seen += returns.tolist()
    centre = np.mean(seen) if unit == "deviation" else 0.0
    square = (np.square(np.array(seen) - centre).sum() + 1.0) / len(seen)
    assert got == pytest.approx(np.sqrt(square))


def test_the_weight_is_that_of_the_present():
    units = RunningUnits(1, 0.5)
    for _ in range(20):
        units(np.array([2.0]), np.array([8.0]))
    rewards = units(np.array([2.0]), np.array([8.0]))
    alone = RunningUnits(1, 0.5)
    alone.load_state_dict(units.state_dict())
    scaled = rewards * units._task.unit
    assert scaled == pytest.approx(2.0 + units.weight * 8.0)
    assert alone.weight == units.weight


def test_a_sparse_task_needs_no_number():
    venv = NoveltyReward(DummyVecEnv([Sparse, Sparse]), episodes=2)
    assert venv.weight == 0.1
    venv.reset()
    rng = np.random.default_rng(0)
    paid = np.stack([venv.step(rng.uniform(-1, 1, (2, 1)))[1] for _ in range(500)])
    assert 1e-3 < np.abs(paid[200:]).mean() < 10


def test_any_bonus_takes_the_automatic_weight_and_sums_are_in_units_of_the_task():
    env = BonusWrapper(Drifting(), Numbers(), weight="auto", coefficient=0.5)
    env.reset(seed=0)
    task = bonus = 0.0
    other = Numbers()
    for _ in range(60):
        _, _, _, _, info = env.step(np.zeros(1))
        bonus += env.weight * other.pay(None)[0]
    assert info["novelty"]["bonus"] == pytest.approx(bonus)
    task = info["novelty"]["task"]
    assert task < 0
    assert info["novelty"]["share"] == pytest.approx(bonus / (bonus - task))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coefficient": np.nan}, "coefficient must be a positive number, got nan"),
        ({"coefficient": -1.0}, "coefficient must be a positive number"),
        ({"coefficient": "x"}, "coefficient must be a positive number"),
    ],
)
def test_units_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        RunningUnits(1, **{"coefficient": 0.1, **options})
