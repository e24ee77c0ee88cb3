"""A bonus inside Stable-Baselines3: it enters the reward before advantages are computed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor, VecNormalize

from learnable_novelty.reward.accumulator import EPISODE, STEP
from learnable_novelty.reward.adapters import ParallelEnvs
from learnable_novelty.reward.bonus import Array, Transition
from learnable_novelty.reward.images import Encoder
from learnable_novelty.reward.wrapping import WrapsBonus, WrapsNovelty


class VecEnvAdapter(ParallelEnvs):
    """A ``VecEnv`` of Stable-Baselines3."""

    def __init__(self, venv: VecEnv, encoder: Encoder | None = None) -> None:
        super().__init__(venv.observation_space, venv.action_space, venv.num_envs, encoder)
        self.venv = venv

    def reset(self, seed: int) -> Array:
        """Reset with this seed; seeds and options that were set before stay for the next reset."""
        inner: Any = self.venv.unwrapped
        pending = list(inner._seeds), list(inner._options)
        try:
            self.venv.seed(seed)
            return self.flatten(self.venv.reset())
        finally:
            inner._seeds, inner._options = pending

    def step(self, actions: Any) -> Transition:
        return self.read(*self.venv.step(actions))

    def read(self, observations: Any, rewards: Any, ended: Any, infos: Any) -> Transition:
        """Read what ``VecEnv.step`` returned."""
        flat = self.flatten(observations)
        if not np.count_nonzero(ended):  # on a few numbers much faster than any()
            return Transition(flat, flat, rewards, ended)
        last = {env: infos[int(env)]["terminal_observation"] for env in np.flatnonzero(ended)}
        return Transition(flat, self.with_last(flat, last), rewards, ended)


class BonusReward(WrapsBonus, VecEnvWrapper):
    """Add any bonus to the reward of parallel environments, or put it in its place.

    What Monitor wrappers inside log, and what evaluation environments return, is the task's return.
    Infos and arguments as in ``BonusWrapper``.
    """

    adapter = VecEnvAdapter

    def reset(self) -> Any:
        observations = self.venv.reset()
        self.accumulator.begin(self._adapter.flatten(observations))
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions
        self.venv.step_async(actions)

    def step_wait(self) -> Any:
        observations, task, ended, infos = self.venv.step_wait()
        transition = self._adapter.read(observations, task, ended, infos)
        rewards, bonus, episodes = self.accumulator.add(self._actions, transition)
        for env, paid in enumerate(() if bonus is None else bonus.tolist()):
            infos[env][STEP] = paid
        for env, sums in episodes.items():
            infos[env][EPISODE] = sums
        return observations, rewards.astype(task.dtype), ended, infos

    def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
        if method_name == "compute_reward":
            self.compute_reward()
        return super().env_method(method_name, *args, **kwargs)


class NoveltyReward(WrapsNovelty, BonusReward):
    """Reward learnable novelty: a bonus that is calibrated on a random policy.

    Random episodes are played in ``venv`` first, to find the units of observations and the window;
    a Monitor inside sees them too. ``seed`` also seeds the environments for these episodes; seeds
    and options that were set before are used at the next reset.

    Args:
        env: a ``VecEnv``; observations are vectors, images or dictionaries of them.
        **options: the fields of ``NoveltyConfig``, which documents them: bonus, weight, mode,
            coefficient, clip, episodes; ``seed`` (0) of the reservoir and of the random policy;
            ``play``, random episodes that were played elsewhere; and ``encoder``, a function from
            images (num_envs, *shape) to codes (num_envs, any).
    """


class LogNovelty(BaseCallback):
    """Log, over the episodes of a rollout: score, bonus, task return, and share of the bonus.

    And the weight at its end: task reward per unit of the bonus. It warns where a wrapper around
    the bonus, or inside it, spoils the returns.
    """

    def __init__(self) -> None:
        super().__init__()
        self._episodes: list[dict[str, float]] = []

    def _on_training_start(self) -> None:
        for problem in misplaced(self.training_env):
            warnings.warn(problem, stacklevel=2)

    def _on_step(self) -> bool:
        self._episodes += [info[EPISODE] for info in self.locals["infos"] if EPISODE in info]
        return True

    def _on_rollout_end(self) -> None:
        for key in self._episodes[0] if self._episodes else ():
            mean = float(np.mean([episode[key] for episode in self._episodes]))
            self.logger.record(f"novelty/{key}", mean)
        weight = getattr(self.training_env, "weight", None)  # also of a wrapper further inside
        if weight is not None:
            self.logger.record("novelty/weight", weight)
        self._episodes = []


def misplaced(venv: VecEnv) -> Iterator[str]:
    """Say which wrappers should be on the other side of the bonus."""
    wrappers: list[Any] = []
    while isinstance(venv, VecEnvWrapper):
        wrappers.append(venv)
        venv = venv.venv
    place = next((i for i, one in enumerate(wrappers) if isinstance(one, BonusReward)), 0)
    for number, wrapper in enumerate(wrappers):
        scales = isinstance(wrapper, VecNormalize) and wrapper.norm_reward
        if number < place and isinstance(wrapper, VecMonitor):
            yield "VecMonitor is outside the bonus and logs returns with it: put it inside"
        if number < place and scales and wrappers[place].accumulator.units is not None:
            yield "VecNormalize scales rewards that are in running units: pass norm_reward=False"
        if number > place and scales:
            yield "VecNormalize inside the bonus changes the task's rewards: put it outside"
