"""A bonus inside Gymnasium: around one environment, or around a vector of them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorWrapper

from learnable_novelty.reward.accumulator import EPISODE, STEP
from learnable_novelty.reward.adapters import EnvAdapter, VectorEnvAdapter
from learnable_novelty.reward.wrapping import WrapsBonus, WrapsNovelty


class BonusWrapper(WrapsBonus, gymnasium.Wrapper[Any, Any, Any, Any]):
    """Add any bonus to the reward of one environment, or put it in its place.

    The info of a step holds its bonus, without the weight, as "bonus". That of an episode's last
    step also holds the sums of score (the bonus), bonus (weighted) and task reward, and the share
    of the bonus, under "novelty". Put ``RecordEpisodeStatistics`` or ``Monitor`` inside to log the
    return of the task alone; Stable-Baselines3 puts a Monitor around an environment that has none.
    For evaluation set ``training`` to False: the bonus then neither learns nor pays.

    Args:
        env: the environment.
        bonus: a bonus for one environment.
        weight: task reward per unit of the bonus, or "auto" for both in ``RunningUnits``.
        mode: "add" to the task reward, or "replace" it.
        coefficient: of the bonus in running units, with ``weight="auto"``.
        encoder: what codes images, in place of a frozen random convolution.
    """

    adapter = EnvAdapter

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**options)
        self.accumulator.begin(self._adapter.begin(observation))
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        transition = self._adapter.read(observation, reward, terminated, truncated, info)
        rewards, bonus, sums = self.accumulator.add(np.asarray(action)[None], transition)
        if bonus is not None:
            info = {**info, STEP: float(bonus[0])}
        if sums:
            info[EPISODE] = sums[0]
        return observation, float(rewards[0]), terminated, truncated, info


class BonusVectorWrapper(WrapsBonus, VectorWrapper):
    """Add any bonus to the rewards of vector environments, or put it in their place.

    The infos hold the bonus of each environment as "bonus". Where an episode ended, they hold its
    sums under "novelty", and "_novelty" says where. Arguments as in ``BonusWrapper``.
    """

    adapter = VectorEnvAdapter

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        observations, infos = self.env.reset(**options)
        self.accumulator.begin(self._adapter.begin(observations))
        return observations, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, task, terminated, truncated, infos = self.env.step(actions)
        transition = self._adapter.read(observations, task, terminated, truncated, infos)
        rewards, bonus, episodes = self.accumulator.add(actions, transition)
        if bonus is not None:
            infos = {**infos, STEP: bonus, f"_{STEP}": np.ones(self.num_envs, dtype=bool)}
        if episodes:
            mask = np.isin(np.arange(self.num_envs), list(episodes))
            sums = {key: np.zeros(self.num_envs) for key in next(iter(episodes.values()))}
            for env, episode in episodes.items():
                for key, value in episode.items():
                    sums[key][env] = value
            infos |= {EPISODE: sums, f"_{EPISODE}": mask}
        return observations, rewards, terminated, truncated, infos


class NoveltyRewardWrapper(WrapsNovelty, BonusWrapper):
    """Reward learnable novelty in one environment; keywords as in ``NoveltyReward``."""


class NoveltyRewardVectorWrapper(WrapsNovelty, BonusVectorWrapper):
    """Reward learnable novelty in vector environments; keywords as in ``NoveltyReward``."""
