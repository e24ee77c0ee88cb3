"""What the wrappers of the novelty bonus share: calibration on random episodes, saving, loading."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.reward.adapters import ParallelEnvs
from learnable_novelty.reward.calibrated import CalibratedNovelty
from learnable_novelty.reward.calibration import RandomPlay, play_randomly, weight_of
from learnable_novelty.reward.config import NoveltyConfig, takes_config
from learnable_novelty.reward.spaces import SpaceDescription, describe_space, observation_dim
from learnable_novelty.seeds import Seed, split
from learnable_novelty.storage import read_tensors

SURE = 2.0
"""Standard errors by which a mean return of either sign must differ from zero to be a scale."""


def calibrate(
    envs: ParallelEnvs, *, play: RandomPlay | None = None, seed: Seed = 0, **options: Any
) -> CalibratedNovelty:
    """Find units, window and weight of the bonus on a random policy.

    Args:
        envs: environments.
        play: random episodes that were played elsewhere, or None to play them in ``envs``.
        seed: of the reservoir and of the random policy.
        **options: fields of ``NoveltyConfig``.
    """
    config = NoveltyConfig(**options)
    if not (dim := observation_dim(envs.observation_space)):
        raise UserError("the observations hold no numbers")
    child = split(seed, "novelty reward")
    play = play or play_randomly(envs, episodes=config.episodes, seed=child)
    if (played := play.steps[0].observations.shape[1]) != dim:
        raise UserError(
            f"the random episodes are of other environments: their observations hold {played} "
            f"numbers, these {dim}"
        )
    calibrated = CalibratedNovelty.of(play, config, seed=child)
    if config.weight != "auto":
        return calibrated
    weight = 1.0 if config.mode == "replace" else _weight(calibrated, play)
    return replace(calibrated, config=replace(calibrated.config, weight=weight))


def _weight(calibrated: CalibratedNovelty, play: RandomPlay) -> float:
    """Return the weight of 0.1 task returns; warn where that return may well be zero."""
    bonus = calibrated.make(play.rewards.shape[1])
    weight = weight_of(play.mean_return, play.mean_bonus(bonus))
    returns = play.returns()
    error = float(returns.std(ddof=1) / np.sqrt(len(returns))) if len(returns) > 1 else 0.0
    if returns.min() < 0 < returns.max() and abs(play.mean_return) < SURE * error:
        warnings.warn(
            f"the mean return of random episodes is {play.mean_return:.3g} ± {error:.2g} and may "
            "be zero, so the weight found from it is arbitrary; pass a number as weight, or play "
            "more episodes",
            stacklevel=5,
        )
    return weight


class WrapsNovelty:
    """The part of a wrapper that belongs to the novelty bonus.

    It comes before a wrapper for any bonus in the list of base classes, and calls its constructor.
    """

    calibrated: CalibratedNovelty
    _space: SpaceDescription

    adapter: type[Any]

    @takes_config
    def __init__(self, env: Any, **options: Any) -> None:
        self._calibrate(env, options)

    def _calibrate(self, env: Any, options: dict[str, Any]) -> None:
        envs = self.adapter(env)
        self._start(env, envs, calibrate(envs, **options))

    @classmethod
    def load(cls, path: str | Path, env: Any) -> Self:
        """Read what ``save`` wrote, around new environments with the same observations.

        Raises:
            ValueError: for a file that is damaged, or was saved with other environments.
        """
        loaded, envs = cls.__new__(cls), cls.adapter(env)
        loaded._start(env, envs, load_bonus(path, envs.observation_space))
        return loaded

    def _start(self, env: Any, envs: ParallelEnvs, calibrated: CalibratedNovelty) -> None:
        """Wrap environments, of which ``envs`` is the adapter, with a calibrated bonus."""
        self.calibrated, self._space = calibrated, describe_space(envs.observation_space)
        config, bonus = calibrated.config, calibrated.make(envs.num_envs)
        super().__init__(env, bonus, weight=config.weight, mode=config.mode)  # pyright: ignore[reportCallIssue]

    @property
    def window(self) -> int:
        """How many observations ahead the observer predicts."""
        return self.calibrated.window

    def save(self, path: str | Path) -> None:
        """Write settings, units and weight to a file, as ``VecNormalize.save`` does."""
        torch.save({**self.calibrated.state_dict(), "observations": self._space}, path)


def load_bonus(path: str | Path, observation_space: Any) -> CalibratedNovelty:
    """Read a saved bonus, for environments with the same observations.

    Raises:
        ValueError: for a file that is damaged, or was saved with other environments.
    """
    state = read_tensors(Path(path))
    names = {"settings", "weight", "mode", "observations"}
    if isinstance(state, dict) and names - set(state) == {"observations"}:
        raise UserError(f"the bonus in {path} does not say what it reads; save it again")
    if not isinstance(state, dict) or set(state) != names:
        raise UserError(f"expected a saved bonus in {path}")
    dim = observation_dim(observation_space)
    _check_same(state["observations"], describe_space(observation_space))
    return CalibratedNovelty.from_state(state, dim)


def _check_same(saved: Any, present: SpaceDescription) -> None:
    """Raise unless observations are those of the saved bonus, naming the first that differs."""
    if saved == present:
        return
    try:
        pairs = itertools.zip_longest(saved, present, fillvalue=((), "nothing"))
        before, now = next(pair for pair in pairs if pair[0] != pair[1])
        words = [f"{what} as {'.'.join(path) or 'observation'}" for path, what in (before, now)]
    except (TypeError, ValueError, StopIteration):
        raise UserError("the saved bonus does not say which observations it reads") from None
    raise UserError(f"the saved bonus reads {words[0]}, these environments return {words[1]}")
