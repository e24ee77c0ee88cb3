"""One PPO and one normalization for every bonus."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array, Bonus, Step
from learnable_novelty.reward.calibration import CalibratedNovelty
from learnable_novelty.reward.config import BitsConfig, NoveltyConfig
from learnable_novelty.reward.foresight import Foresight
from learnable_novelty.reward.random_play import RandomPlay, play_randomly
from learnable_novelty.reward.sb3 import BonusReward, VecEnvAdapter
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import split
from novelty_lab.rivals.registry import RIVALS, make_rival
from novelty_lab.studies.explore.cells import BONUSES, Exploration
from novelty_lab.studies.explore.worlds import GridVecEnv

NUM_ENVS, GAMMA = 16, 0.99
EVERY, LAST = 10, 5
"""A point of the curve is read every so many rollouts; the last points are the final return."""
PPO_SETTINGS: dict[str, Any] = {
    "n_steps": 128,
    "batch_size": 256,
    "n_epochs": 4,
    "learning_rate": 3e-4,
    "gamma": GAMMA,
    "gae_lambda": 0.95,
    "ent_coef": 0.01,
}
RAW = BitsConfig(window=8, standardization="empirical", targets="scaled")


class Timed:
    """A bonus whose time is taken; None pays nothing."""

    def __init__(self, bonus: Bonus | None) -> None:
        self._bonus, self.seconds = bonus, 0.0

    def pay(self, step: Step) -> Array:
        if self._bonus is None:
            return np.zeros(len(step.ended))
        begun = time.perf_counter()
        paid = self._bonus.pay(step)
        self.seconds += time.perf_counter() - begun
        return paid

    def reset(self) -> None:
        if self._bonus is not None:
            self._bonus.reset()


class Curve(BaseCallback):
    """Keep, after every so many rollouts, mean return and useless actions of recent episodes."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self.points: list[tuple[int, float, float]] = []
        self._every, self._rollouts = every, 0
        self._recent: deque[tuple[float, float]] = deque(maxlen=200)

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                episode = info["episode"]
                self._recent.append((episode["r"], info.get("useless", 0) / episode["l"]))
        return True

    def _on_rollout_end(self) -> None:
        self._rollouts += 1
        if self._rollouts % self._every == 0 and self._recent:
            reached, useless = np.mean(self._recent, axis=0)
            point = round(float(reached), 4), round(float(useless), 4)
            self.points.append((self.num_timesteps, *point))


def explore(cell: Exploration, *, seed: int, pools: Path) -> dict[str, Any]:
    """Train once; return the learning curve and what it cost."""
    import torch

    torch.set_num_threads(1)
    begun = time.perf_counter()
    child = split(seed, "explore", cell.task, cell.distractor, cell.bonus)
    world = {"num_envs": NUM_ENVS, "pools": pools, "layouts": cell.layouts}
    venv = GridVecEnv(cell.task, cell.distractor, **world, seed=split(child, "world"))
    bonus = None
    if cell.bonus != "none":
        other = GridVecEnv(cell.task, cell.distractor, **world, seed=split(child, "random world"))
        play = play_randomly(VecEnvAdapter(other), episodes=64, seed=split(child, "play") % 2**31)
        bonus = make_bonus(cell.bonus, play, split(child, "bonus"))
    timed = Timed(bonus)
    wrapped = BonusReward(venv, timed, weight="auto", coefficient=cell.coefficient)
    torch.distributions.Distribution.set_default_validate_args(False)
    model = PPO("MlpPolicy", wrapped, device="cpu", seed=child % 2**31, **PPO_SETTINGS)
    rollouts = cell.steps // (NUM_ENVS * PPO_SETTINGS["n_steps"])
    curve = Curve(min(EVERY, max(rollouts // 2, 1)))
    model.learn(cell.steps, callback=curve)
    points = np.array(curve.points)
    if not len(points):
        raise UserError(f"no episode ended in {cell.steps:,} steps: expected more")
    return {
        "final": float(points[-LAST:, 1].mean()),
        "mean": float(points[:, 1].mean()),
        "useless": float(points[:, 2].mean()),
        "useless_final": float(points[-LAST:, 2].mean()),
        "curve": points[:, 1].tolist(),
        "useless_curve": points[:, 2].tolist(),
        "curve_steps": points[:, 0].astype(int).tolist(),
        "seconds": time.perf_counter() - begun,
        "bonus_seconds": timed.seconds,
    }


def make_bonus(name: str, play: RandomPlay, seed: int) -> Bonus:
    """Make the bonus of a name."""
    sizes = {
        "num_envs": NUM_ENVS,
        "action_dim": play.steps[0].actions.shape[1],
        "discrete": play.discrete,
        "seed": seed,
    }
    if name in RIVALS:
        scale = ObservationScale.of(play.observations, clip=None)
        return make_rival(name, scale=scale, **sizes)
    if name == "raw":
        return CalibratedNovelty.of(play, NoveltyConfig(bonus=RAW), seed=seed).make(NUM_ENVS)
    if name != "foresight":
        raise UserError(f"expected one of {', '.join(BONUSES)}, got {name!r}")
    return Foresight(ObservationScale.of(play.observations), **sizes)
