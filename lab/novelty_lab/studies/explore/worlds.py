"""Sparse tasks, clean and with a distractor, as environments of Stable-Baselines3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from learnable_novelty.errors import UserError
from novelty_lab.studies.explore.cells import DISTRACTORS
from novelty_lab.studies.explore.minigrid import DONE, VIEW, Layouts, MiniGrids

PIXELS = VIEW * VIEW * 3
CHANNELS = 8
"""Coordinates of a television beside the view."""
NOISE = 0.1
"""Deviation of the noise on every coordinate; neighbouring types of objects are 0.1 apart."""


class Distractor:
    """What a useless action does to observations.

    - ``tv``: eight more coordinates are standard normal while the action is taken, else zero.
    - ``pixels``: the whole view is uniform noise in [0, 1] after the action.
    - ``noise``: no action needed; normal noise of deviation 0.1 on every coordinate.
    - ``remote``: eight more coordinates hold a standard normal picture, replaced by the action.

    Args:
        kind: one of ``DISTRACTORS``.
        num_envs: how many environments.
        dim: how many coordinates an observation has without the distractor.
        pixels: how many of them, from the first, belong to the view.
        random: the source of the noise.
    """

    def __init__(
        self, kind: str, *, num_envs: int, dim: int, pixels: int, random: np.random.Generator
    ) -> None:
        if kind not in DISTRACTORS:
            raise UserError(f"expected one of {', '.join(DISTRACTORS)}, got {kind!r}")
        self.kind, self.pixels, self._random = kind, pixels, random
        extra = CHANNELS if kind in ("tv", "remote") else 0
        self.dim = dim + extra
        self._picture = np.zeros((num_envs, extra), np.float32)

    def reset(self, env: int, observation: np.ndarray) -> np.ndarray:
        """Return the first observation of an episode, (dim,)."""
        self._picture[env] = 0
        return self(observation[None], np.zeros(1, bool), slice(env, env + 1))[0]

    def __call__(
        self, observations: np.ndarray, useless: np.ndarray, envs: slice = slice(None)
    ) -> np.ndarray:
        """Return observations after a step in which some environments took the useless action."""
        random = self._random
        if self.kind == "noise":
            noise = random.standard_normal(observations.shape, dtype=np.float32)
            return observations + NOISE * noise
        if self.kind == "pixels" and useless.any():
            observations = observations.copy()
            shape = (int(useless.sum()), self.pixels)
            observations[useless, : self.pixels] = random.random(shape, dtype=np.float32)
        if self._picture.shape[1] == 0:
            return observations
        picture = self._picture[envs]
        if self.kind == "tv":
            picture[:] = 0
        if useless.any():
            shape = (int(useless.sum()), CHANNELS)
            picture[useless] = random.standard_normal(shape, dtype=np.float32)
        return np.concatenate([observations, picture], axis=1)


class GridVecEnv(VecEnv):
    """Compiled MiniGrid environments: the view over ten and the direction one-hot, flat.

    The last info of an episode holds its return and length, as Monitor writes them, and how often
    the useless action was taken ("useless").
    """

    def __init__(
        self,
        task: str,
        distractor: str,
        *,
        num_envs: int,
        seed: int,
        pools: Path,
        layouts: int = 4000,
    ) -> None:
        layouts_seed, noise_seed = np.random.SeedSequence(seed).spawn(2)
        drawn = Layouts.pool(task, pools, count=layouts)
        self.grids = MiniGrids(drawn, num_envs=num_envs, seed=layouts_seed)  # pyright: ignore
        self.distractor = Distractor(
            distractor,
            num_envs=num_envs,
            dim=PIXELS + 4,
            pixels=PIXELS,
            random=np.random.default_rng(noise_seed),
        )
        box = spaces.Box(-np.inf, np.inf, (self.distractor.dim,), np.float32)
        super().__init__(num_envs, box, spaces.Discrete(7))
        self._actions = np.zeros(num_envs, np.int64)
        self._returns, self._useless = np.zeros(num_envs), np.zeros(num_envs, np.int64)

    def _plain(self) -> np.ndarray:
        """Return what the environments show without the distractor."""
        plain = np.zeros((self.num_envs, PIXELS + 4), np.float32)
        np.divide(self.grids.views.reshape(self.num_envs, -1), 10, out=plain[:, :PIXELS])
        plain[np.arange(self.num_envs), PIXELS + self.grids.agents[:, 2]] = 1
        return plain

    def reset(self) -> np.ndarray:
        for env in range(self.num_envs):
            self.grids.reset(env)
        self._returns[:] = self._useless[:] = 0
        plain = self._plain()
        return np.stack([self.distractor.reset(env, plain[env]) for env in range(self.num_envs)])

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = np.asarray(actions)

    def step_wait(self) -> Any:
        grids = self.grids
        grids.step(self._actions)
        useless = self._actions == DONE
        observations = self.distractor(self._plain(), useless)
        rewards = grids.rewards.astype(np.float32)
        self._returns += grids.rewards
        self._useless += useless
        ended = grids.terminated | grids.truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            for env in np.flatnonzero(ended).tolist():
                infos[env] = self._finish(env, observations[env].copy())
            plain = self._plain()
            for env in np.flatnonzero(ended).tolist():
                observations[env] = self.distractor.reset(env, plain[env])
        return observations, rewards, ended, infos

    def _finish(self, env: int, last: np.ndarray) -> dict[str, Any]:
        """Begin the next episode; return the last info of this one."""
        grids = self.grids
        info = {
            "terminal_observation": last,
            "TimeLimit.truncated": bool(grids.truncated[env] and not grids.terminated[env]),
            "episode": {"r": float(self._returns[env]), "l": int(grids.taken[env]), "t": 0.0},
            "useless": int(self._useless[env]),
        }
        self._returns[env] = self._useless[env] = 0
        grids.reset(env)
        return info

    def close(self) -> None:
        pass

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        if attr_name == "render_mode":
            return [None] * self.num_envs
        raise AttributeError(attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        raise AttributeError(attr_name)

    def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
        raise AttributeError(method_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        return [False] * self.num_envs
