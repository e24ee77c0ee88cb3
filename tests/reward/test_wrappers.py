"""Three wrappers, one bonus: against a recursion written out by hand, and in each other's terms."""

import contextlib
import copy
import re

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

from learnable_novelty.reward import (
    BitsConfig,
    LogNovelty,
    NoveltyReward,
    NoveltyRewardVectorWrapper,
    NoveltyRewardWrapper,
)
from learnable_novelty.reward.random_play import play_randomly
from learnable_novelty.reward.sb3 import VecEnvAdapter
from tests.reward.toys import Drifting, Scripted

RNG = np.random.default_rng(5)
BITS = BitsConfig(window=4, standardization="empirical", targets="scaled")
SCRIPT = RNG.standard_normal((400, 3)).cumsum(0) * 0.1


def by_hand(trajectory, reservoir, window, ridge=0.3):
    """Score of the pairs of one episode after every step, by sums and singular values."""
    scores = []
    for seen in range(2, len(trajectory) + 1):
        count = seen - window
        if count < 2:
            scores.append(0.0)
            continue
        h = reservoir(torch.from_numpy(trajectory[:count])).numpy()
        y = np.stack([trajectory[i + 1 : i + 1 + window].ravel() for i in range(count)])
        h, y = h - h.mean(0), y - y.mean(0)
        h /= h.std(0) * np.sqrt(h.shape[1])
        w = np.linalg.solve(h.T @ h + ridge * np.eye(h.shape[1]), h.T @ y)
        scores.append(0.5 * np.log2(1 + np.linalg.svd(w, compute_uv=False) ** 2).sum())
    return np.diff([0.0, *scores])


def make(kind, length=25, **options):
    """Wrap three scripted environments; return something that steps, and its accumulator."""
    makers = [lambda k=k: Scripted(SCRIPT[k * 100 :], length) for k in range(3)]
    held = {"bonus": BITS, "weight": 0.5, "episodes": 3, **options}
    if kind == "vec":
        wrapped = NoveltyReward(DummyVecEnv(makers), **held)

        def step(actions):
            _, rewards, ended, infos = wrapped.step(actions)
            return rewards, ended, [info.get("novelty") for info in infos]

    else:
        mode = AutoresetMode.SAME_STEP if kind == "same step" else AutoresetMode.NEXT_STEP
        wrapped = NoveltyRewardVectorWrapper(SyncVectorEnv(makers, autoreset_mode=mode), **held)

        def step(actions):
            _, rewards, terminated, truncated, infos = wrapped.step(actions)
            ended = terminated | truncated
            sums = infos.get("novelty", {})
            found = [{k: v[i] for k, v in sums.items()} if ended[i] else None for i in range(3)]
            return rewards, ended, found

    wrapped.reset()
    return step, wrapped.accumulator, wrapped


def rows_of(wrapped, kind):
    """Where the script of each environment stands."""
    envs = wrapped.venv.envs if kind == "vec" else wrapped.env.envs
    return [env.unwrapped.row for env in envs]


@pytest.mark.parametrize("kind", ["vec", "same step", "next step"])
def test_rewards_are_the_task_and_the_weighted_recursion(kind):
    step, accumulator, wrapped = make(kind)
    bonus = accumulator.bonus
    scale, reservoir = bonus.windows.scale, bonus.streams.reservoir
    start = rows_of(wrapped, kind)
    actions = np.zeros(3, dtype=np.int64)
    paid = np.stack([np.asarray(step(actions)[0], dtype=np.float64) for _ in range(51)])
    period = 26 if kind == "next step" else 25
    for env in range(3):
        for episode in range(51 // period):
            first = start[env] + 26 * episode
            shown = SCRIPT[env * 100 :][first : first + 26]
            expected = 1.0 + 0.5 * by_hand(scale(shown), reservoir, 4)
            got = paid[episode * period : episode * period + 25, env]
            assert got == pytest.approx(expected, abs=2e-6 if kind == "vec" else 1e-8)
    if kind == "next step":
        assert np.array_equal(paid[25], np.zeros(3))  # the step that only begins anew


def test_single_environment_pays_the_same_as_one_of_many():
    held = {"bonus": BITS, "weight": 0.5, "episodes": 2, "mode": "replace"}
    single = NoveltyRewardWrapper(Scripted(SCRIPT, 25), **held)
    single.reset()
    start = single.unwrapped.row
    paid, info = [], {}
    for _ in range(25):
        _, reward, _, _, info = single.step(0)
        paid.append(reward)
    bonus = single.accumulator.bonus
    shown = bonus.windows.scale(SCRIPT[start : start + 26])
    assert paid == pytest.approx(0.5 * by_hand(shown, bonus.streams.reservoir, 4), abs=1e-8)
    assert info["novelty"]["task"] == 25.0
    assert info["novelty"]["bonus"] == pytest.approx(sum(paid))
    assert info["novelty"]["score"] == pytest.approx(2 * sum(paid))


@pytest.mark.parametrize("kind", ["vec", "same step", "next step"])
def test_episode_sums_come_with_the_last_step(kind):
    step, _, _ = make(kind)
    actions = np.zeros(3, dtype=np.int64)
    for _ in range(24):
        _, ended, sums = step(actions)
        assert not ended.any()
        assert not any(sums)
    _, ended, sums = step(actions)
    assert ended.all()
    for found in sums:
        assert found["task"] == 25.0
        assert found["bonus"] == pytest.approx(0.5 * found["score"])
        assert found["share"] == pytest.approx(found["bonus"] / (found["bonus"] + 25.0))


def test_the_task_return_is_untouched_in_monitor_and_in_evaluation():
    def maker():
        return Monitor(Drifting())

    plain, paid = DummyVecEnv([maker, maker]), DummyVecEnv([maker, maker])
    elsewhere = play_randomly(VecEnvAdapter(DummyVecEnv([maker, maker])), episodes=4, seed=0)
    wrapped = NoveltyReward(paid, play=elsewhere, weight=100.0)
    for venv in (plain, wrapped):
        venv.seed(3)
        venv.reset()
    rng = np.random.default_rng(0)
    differs = False
    for _ in range(130):
        actions = rng.uniform(-1, 1, (2, 1))
        _, task, _, infos = plain.step(actions)
        _, both, _, others = wrapped.step(actions)
        differs |= not np.allclose(task, both)
        for info, other in zip(infos, others, strict=True):
            assert info.get("episode", {}).get("r") == other.get("episode", {}).get("r")
    assert differs
    model = PPO("MlpPolicy", wrapped, n_steps=16, batch_size=16, seed=0, device="cpu")
    returns = [
        evaluate_policy(model, venv, n_eval_episodes=4, return_episode_rewards=True)[0]
        for venv in (_seeded(plain), _seeded(wrapped))
    ]
    assert returns[0] == returns[1]  # under a Monitor, evaluation reads the task's return


def _seeded(venv):
    venv.seed(11)
    return venv


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        (spaces.Box(0, 255, (32, 32, 3, 4), np.uint8), "two or three axes.*pass encoder="),
        (spaces.MultiBinary(4), "FlattenObservation"),
    ],
)
def test_observations_that_cannot_be_read_are_refused(space, sentence):
    venv = DummyVecEnv([lambda: Scripted(SCRIPT, space=space)])
    with pytest.raises(ValueError, match=sentence):
        NoveltyReward(venv)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_observation_that_is_not_finite_names_environment_and_step(value):
    step, _, wrapped = make("vec")
    spoiled = SCRIPT.copy()
    environment = wrapped.venv.envs[1].unwrapped
    spoiled[100 + environment.row + 3] = value
    environment.script = spoiled[100:]
    step(np.zeros(3, dtype=np.int64))
    step(np.zeros(3, dtype=np.int64))
    with pytest.raises(ValueError, match=r"environment 1 returned a NaN or infinite .* at step 3"):
        step(np.zeros(3, dtype=np.int64))


def test_saved_and_loaded_it_pays_the_same(tmp_path):
    def play(wrapped):
        wrapped.seed(4)
        wrapped.reset()
        rng = np.random.default_rng(1)
        return np.stack([wrapped.step(rng.uniform(-1, 1, (2, 1)))[1] for _ in range(80)])

    for bonus in (BITS, "bits", "foresight"):
        venv = DummyVecEnv([Drifting, Drifting])
        first = NoveltyReward(venv, episodes=4, bonus=bonus)
        first.save(tmp_path / "bonus.pt")
        second = NoveltyReward.load(tmp_path / "bonus.pt", DummyVecEnv([Drifting, Drifting]))
        assert (second.weight, second.calibrated.config) == (first.weight, first.calibrated.config)
        assert np.array_equal(play(first), play(second))


@pytest.mark.parametrize(
    "space",
    [
        spaces.Box(-np.inf, np.inf, (3,), np.float64),
        spaces.Box(-np.inf, np.inf, (2,), np.float32),
        spaces.Box(-1.0, 1.0, (2,), np.float64),
        spaces.Dict({"state": spaces.Box(-np.inf, np.inf, (2,), np.float64)}),
    ],
)
def test_a_changed_observation_space_is_refused_on_load(tmp_path, space):
    NoveltyReward(DummyVecEnv([Drifting]), episodes=2).save(tmp_path / "bonus.pt")
    other = DummyVecEnv([lambda: Scripted(SCRIPT, space=space)])
    sentence = rf"with Box\(-inf, inf, \(2,\), float64\), these have {re.escape(str(space))}"
    with pytest.raises(ValueError, match=sentence):
        NoveltyReward.load(tmp_path / "bonus.pt", other)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s: s.pop("observations"), "expected a saved bonus of this version"),
        (lambda s: s.pop("seed"), "expected a saved bonus of this version"),
        (lambda s: s.update(colour=1), "expected a saved bonus of this version"),
        (lambda s: s.update(bonus="sum"), "expected a saved bonus"),
        (lambda s: s.update(learned={}), "what the saved bonus learned cannot be read"),
        (lambda s: s["options"].update(weight="much"), "weight must be a finite number"),
        (lambda s: s["options"].update(mode="subtract"), "mode must be"),
        (lambda s: s["settings"].update(window="auto"), "window must be a whole number"),
        (
            lambda s: s["settings"].update(width=10**6),
            "width must be a positive integer of",
        ),
        (lambda s: s.update(observations=3), "is of environments with 3"),
        (lambda s: s["units"].update(mean=torch.zeros(5, dtype=torch.float64)), "finite"),
        (lambda s: s["units"].update(two_of(5)), "units of 2 numbers"),
        (lambda s: s["reference"].update(gram=None), "expected a saved bonus"),
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path, change, sentence):
    path = tmp_path / "bonus.pt"
    NoveltyReward(DummyVecEnv([Drifting]), episodes=2, bonus="bits").save(path)
    state = torch.load(path, weights_only=True)
    change(state)
    torch.save(state, path)
    with pytest.raises(ValueError, match=sentence):
        NoveltyReward.load(path, DummyVecEnv([Drifting]))


def two_of(dim):
    return {"mean": torch.zeros(dim).double(), "sd": torch.ones(dim).double()}


def test_seeds_given_before_are_those_of_the_next_reset():
    def first_of(seed, wrap):
        venv = make_vec_env(Drifting, n_envs=2, seed=seed)
        return (NoveltyReward(venv, episodes=2) if wrap else venv).reset()

    for seed in (1, 2):
        assert np.array_equal(first_of(seed, wrap=True), first_of(seed, wrap=False))


def test_bonus_score_and_share_are_logged():
    venv = NoveltyReward(DummyVecEnv([Drifting, Drifting]), episodes=2, bonus="bits", weight=0.05)
    model = PPO("MlpPolicy", venv, n_steps=64, batch_size=64, seed=0, device="cpu")
    logged = {}
    model.learn(1, callback=_Spy(logged))
    model.learn(128, callback=[LogNovelty(), _Spy(logged)])
    assert {"novelty/score", "novelty/bonus", "novelty/task", "novelty/share"} <= set(logged)
    assert logged["novelty/weight"] == venv.weight
    assert logged["novelty/bonus"] == pytest.approx(venv.weight * logged["novelty/score"])
    assert 0 < logged["novelty/share"] < 1


@pytest.mark.parametrize(
    ("wrap", "sentence"),
    [
        (lambda bonus, venv: VecNormalize(bonus(venv)), "running units: pass norm_reward=False"),
        (lambda bonus, venv: bonus(VecNormalize(venv)), "changes the task's rewards: put it out"),
        (lambda bonus, venv: VecMonitor(bonus(venv)), "logs returns with it: put it inside"),
        (lambda bonus, venv: VecNormalize(bonus(VecMonitor(venv)), norm_reward=False), None),
    ],
)
def test_a_wrapper_on_the_wrong_side_is_noticed_where_the_bonus_is_logged(wrap, sentence):
    venv = wrap(lambda v: NoveltyReward(v, episodes=2), DummyVecEnv([Drifting, Drifting]))
    model = PPO("MlpPolicy", venv, n_steps=64, batch_size=64, seed=0, device="cpu")
    logged = {}
    expected = contextlib.nullcontext() if sentence is None else pytest.warns(match=sentence)
    with expected:
        model.learn(128, callback=[LogNovelty(), _Spy(logged)])
    assert logged["novelty/weight"] > 0  # of a wrapper further inside, too


def test_without_training_the_bonus_neither_learns_nor_pays():
    plain, wrapped = (DummyVecEnv([Drifting, Drifting]) for _ in range(2))
    wrapped = NoveltyReward(wrapped, episodes=2)
    rng = np.random.default_rng(0)
    wrapped.reset()
    for _ in range(140):
        wrapped.step(rng.uniform(-1, 1, (2, 1)))
    before = copy.deepcopy((wrapped.accumulator.bonus.state_dict(), wrapped.weight))
    wrapped.training = False
    for venv in (plain, wrapped):
        venv.seed(3)
        venv.reset()
    for _ in range(70):
        actions = rng.uniform(-1, 1, (2, 1))
        _, task, _, _ = plain.step(actions)
        _, both, _, infos = wrapped.step(actions)
        assert np.array_equal(task, both)
        assert not any({"bonus", "novelty"} & set(info) for info in infos)
    after = wrapped.accumulator.bonus.state_dict(), wrapped.weight
    assert np.array_equal(before[0]["readouts"]["gram"], after[0]["readouts"]["gram"])
    assert before[1] == after[1]
    wrapped.training = True
    with pytest.raises(RuntimeError, match="reset the environments"):
        wrapped.step(np.zeros((2, 1)))


def test_infos_hold_the_bonus_of_every_step():
    for kind in ("vec", "same step"):
        _, _, wrapped = make(kind, mode="replace")
        for _ in range(30):
            _, rewards, *_, infos = wrapped.step(np.zeros(3, dtype=np.int64))
            paid = [info["bonus"] for info in infos] if kind == "vec" else infos["bonus"]
            assert 0.5 * np.array(paid) == pytest.approx(np.asarray(rewards), rel=1e-6)
    single = NoveltyRewardWrapper(Scripted(SCRIPT, 25), bonus=BITS, weight=0.5, episodes=2)
    single.reset()
    assert [single.step(0)[4]["bonus"] >= 0 for _ in range(25)]


class _Spy(LogNovelty):
    """Reads the logger where the rollout ends."""

    def __init__(self, held):
        super().__init__()
        self.held = held

    def _on_rollout_end(self):
        self.held.update(self.logger.name_to_value)


def test_gymnasium_checks_the_wrapper():
    env = gymnasium.make("Pendulum-v1")
    wrapped = NoveltyRewardWrapper(env, episodes=2)
    _, info = wrapped.reset(seed=0)
    assert info == {}
    assert wrapped.accumulator.weight > 0
    assert wrapped.step(env.action_space.sample())[1] <= 0.0
