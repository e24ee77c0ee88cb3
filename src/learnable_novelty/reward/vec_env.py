"""The bonus inside Stable-Baselines3: it enters the reward before advantages are computed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from learnable_novelty.reward.bonus import Bonus
from learnable_novelty.reward.calibration import RandomPlay
from learnable_novelty.reward.options import Floor, Mode, Ridge, Standardization
from learnable_novelty.reward.payroll import EPISODE, Paying, Payroll
from learnable_novelty.reward.spaces import flatten_observations, observation_dim
from learnable_novelty.reward.terms import OnTerms, Terms, calibrate
from learnable_novelty.reward.worlds import VecEnvWorld, read_vec_env
from learnable_novelty.seeds import Seed


class BonusReward(Paying, VecEnvWrapper):
    """Add any bonus to the reward of parallel environments, or put it in its place.

    What Monitor wrappers below it log, and what evaluation environments return, is the task's.

    Args:
        venv: environments.
        bonus: the rule of payment.
        weight: what a unit of it is worth in units of the task reward.
        mode: "add" to the task reward, or "replace" it.
    """

    def __init__(self, venv: VecEnv, bonus: Bonus, *, weight: float, mode: Mode = "add") -> None:
        observation_dim(venv.observation_space)  # refuses what it cannot read
        super().__init__(venv)
        self.payroll = Payroll(
            bonus, num_envs=venv.num_envs, action_space=venv.action_space, weight=weight, mode=mode
        )
        self._actions: Any = None

    def reset(self) -> Any:
        observations = self.venv.reset()
        flat = flatten_observations(self.venv.observation_space, observations, self.num_envs)
        self.payroll.begin(flat)
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions
        self.venv.step_async(actions)

    def step_wait(self) -> Any:
        observations, rewards, ended, infos = self.venv.step_wait()
        move = read_vec_env(self.venv.observation_space, observations, rewards, ended, infos)
        total, episodes = self.payroll.pay(self._actions, move)
        for env, sums in episodes.items():
            infos[env][EPISODE] = sums
        return observations, total.astype(rewards.dtype), ended, infos


class NoveltyReward(OnTerms, BonusReward):
    """Pay for learnable novelty: the bonus of the paper, calibrated on a random policy.

    Some random episodes are played in ``venv`` first, for the units of observations, the window
    and the weight; a Monitor below sees them too. Pass ``play`` to have them played elsewhere.
    ``seed`` also seeds the environments for them; seeds set before await the next reset still.

    Args:
        venv: environments; observations are vectors or dictionaries of vectors.
        window: how many observations ahead the observer predicts; "auto" is twice the time over
            which the state changes appreciably, within [8, 48].
        width: width of the reservoir; a narrow one learns only what is regular.
        ridge_penalty: lambda, or "evidence" for that of largest evidence, by which noise earns
            nothing; evaluated every 16 steps and at the end of an episode.
        weight: what a bit is worth in units of the task reward; "auto" makes a random episode's
            bonus 0.1 times the size of its task return (and is 1 if the bonus replaces it).
        mode: "add" to the task reward, or "replace" it.
        standardization: of the features, "empirical" or "fixed"; see ``OnlineObserver``.
        floor: None for the paper's raw bits; "residual" takes off what noise would earn.
        clip: largest size of a standardized observation, or None.
        episodes: how many random episodes.
        play: random episodes, from ``play_randomly(VecEnvWorld(venv), ...)``.
        seed: seed of the reservoir and of the random policy.
    """

    def __init__(
        self,
        venv: VecEnv,
        *,
        window: int | Literal["auto"] = "auto",
        width: int = 32,
        ridge_penalty: Ridge = 0.3,
        weight: float | Literal["auto"] = "auto",
        mode: Mode = "add",
        standardization: Standardization = "empirical",
        floor: Floor = None,
        clip: float | None = 10.0,
        episodes: int = 64,
        play: RandomPlay | None = None,
        seed: Seed = 0,
    ) -> None:
        with _pending(venv):
            terms = calibrate(
                VecEnvWorld(venv),
                window=window,
                width=width,
                ridge_penalty=ridge_penalty,
                weight=weight,
                mode=mode,
                standardization=standardization,
                floor=floor,
                clip=clip,
                episodes=episodes,
                play=play,
                seed=seed,
            )
        self._employ(venv, terms)

    def _employ(self, venv: VecEnv, terms: Terms) -> None:
        self.terms = terms
        bonus = terms.settings.make(venv.num_envs)
        BonusReward.__init__(self, venv, bonus, weight=terms.weight, mode=terms.mode)

    @classmethod
    def load(cls, path: str | Path, venv: VecEnv) -> Self:
        """Read what ``save`` wrote, around new environments with the same observations.

        Raises:
            ValueError: for a file that is damaged, or was saved around other environments.
        """
        loaded = cls.__new__(cls)
        loaded._employ(venv, Terms.load(path, venv.observation_space))
        return loaded


@contextlib.contextmanager
def _pending(venv: VecEnv) -> Iterator[None]:
    """Keep what awaits the next reset: seeds, as of ``make_vec_env(seed=...)``, and options."""
    inner: Any = venv.unwrapped
    pending = list(inner._seeds), list(inner._options)
    try:
        yield
    finally:
        inner._seeds, inner._options = pending


class LogNovelty(BaseCallback):
    """Log, over the episodes of a rollout: score, bonus, task return, and share of the bonus."""

    def __init__(self) -> None:
        super().__init__()
        self._episodes: list[dict[str, float]] = []

    def _on_step(self) -> bool:
        self._episodes += [info[EPISODE] for info in self.locals["infos"] if EPISODE in info]
        return True

    def _on_rollout_end(self) -> None:
        for key in self._episodes[0] if self._episodes else ():
            mean = float(np.mean([episode[key] for episode in self._episodes]))
            self.logger.record(f"novelty/{key}", mean)
        self._episodes = []
