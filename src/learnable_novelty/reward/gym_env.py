"""The bonus inside Gymnasium: around one environment, or around a vector of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack

import gymnasium
import numpy as np

from learnable_novelty.reward.calibration import RandomPlay
from learnable_novelty.reward.options import Floor, Mode, Ridge, Standardization
from learnable_novelty.reward.payroll import EPISODE
from learnable_novelty.reward.spaces import flatten_observations, flatten_one
from learnable_novelty.reward.terms import OnTerms, Terms, calibrate
from learnable_novelty.reward.worlds import EnvWorld, Move, VectorWorld
from learnable_novelty.seeds import Seed


class NoveltyOptions(TypedDict, total=False):
    """The keywords of ``NoveltyReward``, with its defaults."""

    window: int | Literal["auto"]
    width: int
    ridge_penalty: Ridge
    weight: float | Literal["auto"]
    mode: Mode
    standardization: Standardization
    floor: Floor
    clip: float | None
    episodes: int
    play: RandomPlay | None
    seed: Seed


class NoveltyRewardWrapper(OnTerms, gymnasium.Wrapper[Any, Any, Any, Any]):
    """Pay for learnable novelty in one environment; keywords as in ``NoveltyReward``.

    The info of an episode's last step holds its score, bonus, task return and share under
    "novelty". Put ``RecordEpisodeStatistics`` or ``Monitor`` inside to log the task's return;
    Stable-Baselines3 puts a Monitor around an environment that has none.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], **options: Unpack[NoveltyOptions]) -> None:
        self._employ(env, calibrate(EnvWorld(env), **options))

    def _employ(self, env: gymnasium.Env[Any, Any], terms: Terms) -> None:
        gymnasium.Wrapper.__init__(self, env)
        self.terms, self.payroll = terms, terms.open(1, env.action_space)

    @classmethod
    def load(cls, path: str | Path, env: gymnasium.Env[Any, Any]) -> Self:
        """Read what ``save`` wrote, around a new environment with the same observations."""
        loaded = cls.__new__(cls)
        loaded._employ(env, Terms.load(path, env.observation_space))
        return loaded

    def reset(self, **how: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**how)
        self.payroll.begin(flatten_one(self.env.observation_space, observation)[None])
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        last = flatten_one(self.env.observation_space, observation)[None]
        ended = np.array([terminated or truncated])
        move = Move(last, last, np.array([float(reward)]), ended)
        total, episodes = self.payroll.pay(np.asarray(action)[None], move)
        if episodes:
            info = {**info, EPISODE: episodes[0]}
        return observation, float(total[0]), terminated, truncated, info


class NoveltyRewardVectorWrapper(OnTerms, gymnasium.vector.VectorWrapper):
    """Pay for learnable novelty in vector environments; keywords as in ``NoveltyReward``.

    Where an episode ended, the infos hold its sums under "novelty", and "_novelty" says where.
    """

    def __init__(
        self, env: gymnasium.vector.VectorEnv[Any, Any, Any], **options: Unpack[NoveltyOptions]
    ) -> None:
        self._employ(env, calibrate(VectorWorld(env), **options))

    def _employ(self, env: gymnasium.vector.VectorEnv[Any, Any, Any], terms: Terms) -> None:
        gymnasium.vector.VectorWrapper.__init__(self, env)
        self._world = VectorWorld(env)
        self.terms, self.payroll = terms, terms.open(env.num_envs, env.single_action_space)

    @classmethod
    def load(cls, path: str | Path, env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> Self:
        """Read what ``save`` wrote, around new environments with the same observations."""
        loaded = cls.__new__(cls)
        loaded._employ(env, Terms.load(path, env.single_observation_space))
        return loaded

    def reset(self, **how: Any) -> tuple[Any, dict[str, Any]]:
        observations, infos = self.env.reset(**how)
        self._world.begin()
        space = self.env.single_observation_space
        self.payroll.begin(flatten_observations(space, observations, self.num_envs))
        return observations, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        move = self._world.read(observations, rewards, terminated, truncated, infos)
        total, episodes = self.payroll.pay(actions, move)
        if episodes:
            mask = np.zeros(self.num_envs, dtype=bool)
            sums = {key: np.zeros(self.num_envs) for key in next(iter(episodes.values()))}
            for env, found in episodes.items():
                mask[env] = True
                for key, value in found.items():
                    sums[key][env] = value
            infos = {**infos, EPISODE: sums, f"_{EPISODE}": mask}
        return observations, total, terminated, truncated, infos
