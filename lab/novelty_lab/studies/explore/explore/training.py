"""One PPO and one normalization for every bonus."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from learnable_novelty.errors import UserError
from learnable_novelty.reward import (
    Bonus,
    CalibratedNovelty,
    Foresight,
    ModulatedUnits,
    NoveltyConfig,
    ObservationScale,
    RandomPlay,
    RunningUnits,
    Step,
    VecEnvAdapter,
    action_dim,
    play_randomly,
)
from learnable_novelty.seeds import split
from novelty_lab.rivals import RIVALS, make_rival
from novelty_lab.studies.explore.explore.cells import BONUSES, FORESIGHT, UNHINDERED, Exploration
from novelty_lab.studies.explore.explore.worlds import make_world

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


class NormalizedBonus(VecEnvWrapper):
    """Reward task and bonus in their running units, with a coefficient that may fall; time it."""

    def __init__(self, venv: VecEnv, bonus: Bonus | None, cell: Exploration) -> None:
        super().__init__(venv)
        running = RunningUnits(venv.num_envs, cell.coefficient, cell.unit, cell.fade_steps)
        self.bonus = bonus
        self.units = ModulatedUnits(venv.num_envs) if cell.bonus == "modulated" else running
        self._adapter = VecEnvAdapter(venv)
        self._world: Any = venv if cell.bonus == UNHINDERED else None
        self._nothing = np.zeros(venv.num_envs)
        self.seconds = 0.0

    def reset(self) -> Any:
        observations = self.venv.reset()
        self._observations = self._adapter.flatten(observations)
        if self._world is not None:
            self._observations = self._world.plain.astype(np.float64)
        if self.bonus is not None:
            self.bonus.reset()
        self.units.begin()
        return observations

    def _seen(self, *stepped: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return present observations, and those that a step led to, as the bonus sees them."""
        if self._world is not None:
            return self._world.plain.astype(np.float64), self._world.reached.astype(np.float64)
        seen = self._adapter.read(*stepped)
        return seen.observations, seen.reached

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions
        self.venv.step_async(actions)

    def step_wait(self) -> Any:
        observations, task, ended, infos = self.venv.step_wait()
        paid = self._nothing
        if self.bonus is not None:
            begun = time.perf_counter()
            flat = self._adapter.flatten_actions(self._actions)
            after, reached = self._seen(observations, task, ended, infos)
            paid = self.bonus.pay(Step(self._observations, flat, reached, ended))
            self._observations = after
            self.seconds += time.perf_counter() - begun
        rewards = self.units(task.astype(np.float64), paid, ended)
        return observations, rewards.astype(np.float32), ended, infos


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
    # With and without a limit foresight has the same worlds and weights: runs differ by it alone.
    stream = cell.bonus.removesuffix("-limited")
    child = split(seed, "explore", cell.task, cell.distractor, stream)
    world = {"num_envs": NUM_ENVS, "pools": pools, "layouts": cell.layouts}
    venv = make_world(cell.task, cell.distractor, **world, seed=split(child, "world"))
    bonus, shown = None, "clean" if cell.bonus == UNHINDERED else cell.distractor
    if cell.bonus != "none":
        other = make_world(cell.task, shown, **world, seed=split(child, "random world"))
        play = play_randomly(VecEnvAdapter(other), episodes=64, seed=split(child, "play") % 2**31)
        bonus = make_bonus(cell.bonus, play, venv, split(child, "bonus"))
    wrapped = NormalizedBonus(venv, bonus, cell)
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
        "bonus_seconds": wrapped.seconds,
    }


def make_bonus(name: str, play: RandomPlay, venv: Any, seed: int) -> Bonus:
    """Make the bonus of a name."""
    sizes = {
        "num_envs": venv.num_envs,
        "action_dim": action_dim(venv.action_space),
        "discrete": not hasattr(venv.action_space, "low"),
        "seed": seed,
    }
    if name in RIVALS or name == UNHINDERED:
        name = name.partition("-")[0]
        return make_rival(name, scale=ObservationScale.of(play.observations, clip=None), **sizes)
    if name in ("raw", "excess", "evidence"):
        config = NoveltyConfig(
            bonus="bits",
            window=8,
            ridge_penalty="evidence" if name == "evidence" else 0.3,
            floor="residual" if name == "excess" else None,
        )
        return CalibratedNovelty.of(play, config, seed=seed).make(venv.num_envs)
    if name not in FORESIGHT:
        raise UserError(f"expected one of {', '.join(BONUSES)}, got {name!r}")
    return Foresight(ObservationScale.of(play.observations), **sizes, config=FORESIGHT[name])
