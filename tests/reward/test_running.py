"""The weight without a number: task and bonus in units of their running returns."""

import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from learnable_novelty.reward import BonusWrapper, NoveltyReward, RunningUnits
from learnable_novelty.reward.fading import share_left
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


def by_hand(rewards, unit, gamma=0.99):
    """Divide by size or deviation of all discounted returns so far, and of one of variance 1."""
    held, returns, paid = 0.0, [], []
    for reward in rewards:
        held = gamma * held + reward
        returns.append(held)
        everything = np.array([0.0, *returns])
        centre = everything.mean() if unit == "deviation" else 0.0
        square = (np.square(everything - centre).sum() + 1.0) / len(everything)
        paid.append(np.clip(reward / np.sqrt(square), -10, 10))
    return np.array(paid)


@pytest.mark.parametrize("unit", ["size", "deviation"])
def test_rewards_are_in_units_of_running_returns(unit):
    rng = np.random.default_rng(1)
    task, bonus = 100 * rng.random(50) * (rng.random(50) < 0.2), rng.random(50)
    units = RunningUnits(1, 0.25, unit)
    got = [units(t, b)[0] for t, b in zip(task[:, None], bonus[:, None], strict=True)]
    assert got == pytest.approx(by_hand(task, unit) + 0.25 * by_hand(bonus, unit))


def test_a_steady_cost_counts_its_size():
    steady = {unit: RunningUnits(1, 0.1, unit) for unit in ("size", "deviation")}
    for _ in range(20_000):
        paid = {unit: units(np.array([-0.03]), np.zeros(1))[0] for unit, units in steady.items()}
    # Its discounted return is near -3 at all times, and differs by little.
    assert paid["size"] == pytest.approx(-0.01, rel=0.05)
    assert paid["deviation"] < 5 * paid["size"]


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


def test_the_coefficient_falls_along_a_line_and_stays_at_zero():
    units, constant = RunningUnits(2, 0.4, fade_steps=20), RunningUnits(2, 0.4)
    for step in range(15):
        task, bonus = np.array([1.0, -2.0]), np.array([3.0, 0.5])
        alone = constant(task, np.zeros(2))
        got = units(task, bonus)
        assert units.coefficient == pytest.approx(0.4 * max(1 - 2 * step / 20, 0))
        assert (units.weight == 0) == (step >= 10)
        if step >= 10:
            assert got == pytest.approx(alone)


def test_with_restarts_each_fall_takes_twice_the_steps_of_the_one_before():
    steps, shares = 0, []
    for fall in range(5):
        length = 100_000 * 2**fall
        shares += [(steps + done, 1 - done / length) for done in range(0, length, 12_500)]
        shares.append((steps + length - 1, 1 / length))
        steps += length
    for done, expected in shares:
        assert share_left(done, "restarts") == pytest.approx(expected, abs=1e-12)
    assert steps == 3_100_000 and share_left(steps, "restarts") == 1


def test_a_bonus_that_restarts_is_at_its_full_value_again_and_survives_saving(tmp_path):
    units = RunningUnits(2, 0.4, fade_steps="restarts")
    units._steps = 99_998
    units(np.ones(2), np.ones(2))
    assert units.coefficient == pytest.approx(0.4 * 2 / 100_000)
    units(np.ones(2), np.ones(2))
    assert units.coefficient == 0.4
    word = np.str_("restarts")  # a file holds no NumPy strings
    venv = NoveltyReward(DummyVecEnv([Drifting, Drifting]), episodes=2, fade_steps=word)
    venv.reset()
    venv.accumulator.units._steps = 150_000
    venv.save(tmp_path / "bonus.pt")
    again = NoveltyReward.load(tmp_path / "bonus.pt", DummyVecEnv([Drifting, Drifting]))
    assert again.calibrated.config.fade_steps == "restarts"
    assert again.accumulator.units.coefficient == pytest.approx(0.1 * 0.75)


def test_a_bonus_that_fades_goes_on_fading_after_it_was_saved(tmp_path):
    fade_steps = np.int64(200)  # a file holds no NumPy scalars
    venv = NoveltyReward(DummyVecEnv([Drifting, Drifting]), episodes=2, fade_steps=fade_steps)
    venv.reset()
    rng = np.random.default_rng(0)
    for _ in range(50):
        venv.step(rng.uniform(-1, 1, (2, 1)))
    assert venv.accumulator.units.coefficient == pytest.approx(0.1 * (1 - 98 / 200))
    venv.save(tmp_path / "bonus.pt")
    again = NoveltyReward.load(tmp_path / "bonus.pt", DummyVecEnv([Drifting, Drifting]))
    assert again.calibrated.config.fade_steps == 200
    assert again.accumulator.units.coefficient == pytest.approx(0.1 * (1 - 100 / 200))
    again.reset()
    for _ in range(51):
        again.step(rng.uniform(-1, 1, (2, 1)))
    assert again.weight == 0


def test_units_that_were_saved_before_there_was_fading_are_read():
    units, other = RunningUnits(1, 0.4, fade_steps=10), RunningUnits(1, 0.4)
    other(np.ones(1), np.ones(1))
    state = other.state_dict()
    del state["steps"]
    units.load_state_dict(state)
    assert units.coefficient == 0.4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fade_steps": 0}, "fade_steps must be a whole number from 1, got 0"),
        ({"fade_steps": 1e5}, "fade_steps must be a whole number from 1"),
        ({"fade_steps": True}, "fade_steps must be a whole number from 1"),
        ({"fade_steps": "often"}, "whole number from 1, got 'often'; or .restarts., or None"),
        ({"fade_steps": "restarts", "weight": 2.0}, "needs weight=.auto. .* got weight=2.0"),
        ({"fade_steps": 9, "weight": 1.0}, "needs weight=.auto. .* got weight=1.0, mode='add'"),
        ({"fade_steps": 9, "mode": "modulate"}, "got weight='auto', mode='modulate'"),
        ({"fade_steps": 9, "weight": "paper"}, "got weight='paper', mode='add'"),
    ],
)
def test_fading_that_cannot_be_is_refused_before_any_step(options, message):
    with pytest.raises(ValueError, match=message):
        NoveltyReward(DummyVecEnv([Sparse]), episodes=2, **options)
    if options.get("weight") != "paper":
        with pytest.raises(ValueError, match=message):
            BonusWrapper(Drifting(), Numbers(), **{"weight": "auto", **options})


def test_a_sparse_task_needs_no_number():
    venv = NoveltyReward(DummyVecEnv([Sparse, Sparse]), episodes=2)
    assert venv.weight == 0.1
    venv.reset()
    rng = np.random.default_rng(0)
    paid = np.stack([venv.step(rng.uniform(-1, 1, (2, 1)))[1] for _ in range(500)])
    assert 1e-3 < np.abs(paid[200:]).mean() < 10
    with pytest.raises(ValueError, match="zero task reward"):
        NoveltyReward(DummyVecEnv([Sparse, Sparse]), episodes=2, weight="paper")


@pytest.mark.parametrize("fade_steps", [None, 40])
def test_any_bonus_takes_the_automatic_weight_and_sums_are_in_units_of_the_task(fade_steps):
    options = {"weight": "auto", "coefficient": 0.5, "fade_steps": fade_steps}
    env = BonusWrapper(Drifting(), Numbers(), **options)
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


def test_what_is_logged_of_a_bonus_that_fades_is_what_was_paid():
    env = BonusWrapper(Sparse(), Numbers(), weight="auto", coefficient=0.5, fade_steps=40)
    env.reset(seed=0)
    paid = 0.0
    for _ in range(60):
        _, reward, _, _, info = env.step(np.zeros(1))
        paid += reward * env.accumulator.units._task.unit
    assert info["novelty"]["bonus"] == pytest.approx(paid)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coefficient": np.nan}, "coefficient must be a positive number, got nan"),
        ({"coefficient": -1.0}, "coefficient must be a positive number"),
        ({"coefficient": "x"}, "coefficient must be a positive number"),
        ({"unit": "sizes"}, "unit must be 'size' or 'deviation', got 'sizes'"),
        ({"fade_steps": -5}, "fade_steps must be a whole number from 1, got -5"),
    ],
)
def test_units_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        RunningUnits(1, **{"coefficient": 0.1, **options})
