"""What the bonus costs beside PPO on each of the ten tasks, and what an SVD per step would.

One training run per task: the time that the wrapper adds to the steps of the environments is taken
out of the whole, and what is left is what PPO takes without it. The plain way (an SVD of every
stream's readout at every step) is then timed on steps of the random play that came before. All of
it runs on one thread, and what is counted is that thread's own time: other work on the machine
enters only by the caches that it shares.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from benchmarks.online import PlainObserver
from benchmarks.timing import Row
from learnable_novelty.reward.bonus import Step
from learnable_novelty.reward.calibration import CalibratedNovelty
from learnable_novelty.reward.config import BitsConfig, NoveltyConfig
from learnable_novelty.reward.novelty import NoveltyBonus
from learnable_novelty.reward.random_play import play_randomly
from learnable_novelty.reward.sb3 import BonusReward, VecEnvAdapter
from novelty_lab.paper.table1_agents.tasks import TASKS
from novelty_lab.paper.table1_agents.training import PPOSettings, make_vec_env

PLAIN_STEPS = 100
"""Steps on which the plain way is timed."""
AT_MOST = 0.10
"""Largest time of the bonus over that of PPO."""


class Clock(VecEnvWrapper):
    """Adds up what the steps of the environments below take."""

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        self.seconds = 0.0

    def reset(self) -> Any:
        return self.venv.reset()

    def step_wait(self) -> Any:
        started = time.thread_time()
        result = self.venv.step_wait()
        self.seconds += time.thread_time() - started
        return result


def plain_seconds(bonus: NoveltyBonus, steps: Iterable[Step]) -> float:
    """Time an SVD per stream and step on these steps, per step."""
    online: Any = bonus.streams
    windows = bonus.windows
    plain = PlainObserver(online.reservoir, online.target_dim, len(windows.seen))
    bonus.reset()
    taken, counted = 0.0, 0
    for step in steps:
        windows.push(step)
        inputs, targets = map(torch.from_numpy, (windows.inputs, windows.targets))
        started = time.thread_time()
        with torch.no_grad():
            plain.update(inputs, targets)
        taken += time.thread_time() - started
        counted += 1
    return taken / counted


def measure(
    name: str, rollouts: int, episodes: int, *, foresight: bool = False
) -> tuple[float, float, float]:
    """Return seconds per environment step of PPO, of the bonus and of the plain way."""
    ppo = PPOSettings()
    venv = make_vec_env(name, ppo.num_envs)
    play = play_randomly(VecEnvAdapter(venv), episodes=episodes, seed=0)
    bits = BitsConfig(TASKS[name].window)
    calibrated = CalibratedNovelty.of(play, NoveltyConfig("foresight" if foresight else bits))
    bonus = calibrated.make(ppo.num_envs)
    for step in play.steps[: TASKS[name].window + 3]:  # compile before the clock runs
        bonus.pay(step)
    inner = Clock(venv)
    outer = Clock(BonusReward(inner, bonus, weight=0.1))
    model = ppo.make_model(outer, seed=0)
    inner.seconds = outer.seconds = 0.0
    started = time.thread_time()
    model.learn(rollouts * ppo.n_steps * ppo.num_envs)
    whole, added = time.thread_time() - started, outer.seconds - inner.seconds
    venv.close()
    steps = model.num_timesteps
    plain = math.nan
    if isinstance(bonus, NoveltyBonus):
        plain = plain_seconds(bonus, play.steps[-PLAIN_STEPS:]) / ppo.num_envs
    return (whole - added) / steps, added / steps, plain


def run(tasks: Sequence[str] = tuple(TASKS), rollouts: int = 3, episodes: int = 8) -> list[Row]:
    """Measure every task on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    rows: list[Row] = []
    for name in tasks:
        ppo, ours, plain = measure(name, rollouts, episodes)
        beside, foreseen, _ = measure(name, rollouts, episodes, foresight=True)
        share = ours / ppo
        title = f"bonus beside PPO, {name}"
        rows.append(Row(title, ppo, ours, share, f"at most {AT_MOST:g} of PPO", share <= AT_MOST))
        title = f"bonus, {name}: an SVD per step against ours"
        rows.append(Row(title, plain, ours, plain / ours, "none: for comparison", True))
        title, share = f"foresight beside PPO, {name}", foreseen / beside
        wanted = f"at most {AT_MOST:g} of PPO"
        rows.append(Row(title, beside, foreseen, share, wanted, share <= AT_MOST))
    torch.set_num_threads(threads)
    return rows
