"""The terms of payment: what a bonus is made from and what it is worth, found, saved and kept."""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from learnable_novelty._archive import read_tensors
from learnable_novelty._random import Seed, split
from learnable_novelty.reward.calibration import RandomPlay, play_randomly, weight_of
from learnable_novelty.reward.payroll import Mode, Payroll
from learnable_novelty.reward.settings import MOST, NoveltySettings
from learnable_novelty.reward.spaces import describe_space, observation_dim
from learnable_novelty.reward.worlds import World

SURE = 2.0
"""Standard errors by which a mean return of either sign must differ from zero to be a scale."""


@dataclass(frozen=True)
class Terms:
    """A calibrated bonus of learnable novelty."""

    settings: NoveltySettings
    weight: float
    """What a bit is worth in units of the task reward."""
    mode: Mode
    """Whether the bonus is added to the task reward or replaces it."""
    observations: dict[str, str]
    """What it reads, in the words of ``describe_space``."""

    def open(self, num_envs: int, action_space: Any) -> Payroll:
        """Open the books for this many environments."""
        bonus = self.settings.make(num_envs)
        return Payroll(
            bonus,
            num_envs=num_envs,
            action_space=action_space,
            weight=self.weight,
            mode=self.mode,
        )

    def save(self, path: str | Path) -> None:
        """Write them to a file."""
        torch.save({**self.__dict__, "settings": self.settings.state_dict()}, path)

    @classmethod
    def load(cls, path: str | Path, observation_space: Any) -> Terms:
        """Read what ``save`` wrote, for environments with the same observations.

        Raises:
            ValueError: for a file that is damaged, or was saved around other environments.
        """
        state = read_tensors(Path(path))
        if not isinstance(state, dict) or set(state) != {f.name for f in fields(cls)}:
            raise ValueError(f"expected a saved bonus in {path}")
        observation_dim(observation_space)  # refuses what it cannot read
        _check_same(state["observations"], describe_space(observation_space))
        terms = cls(**{**state, "settings": NoveltySettings.from_state(state["settings"])})
        try:
            terms.open(1, None)
        except (TypeError, RuntimeError) as error:
            raise ValueError(f"expected a saved bonus in {path}: {error}") from None
        return terms


def _check_same(saved: Any, found: dict[str, str]) -> None:
    if saved == found:
        return
    names = {**saved, **found} if isinstance(saved, dict) else {}
    for name in names:
        before, now = (held.get(name, "nothing") for held in (saved, found))
        if before != now:
            raise ValueError(
                f"the saved bonus reads {before} as observation{f' {name!r}' if name else ''}, "
                f"these environments return {now}"
            )
    raise ValueError("the saved bonus does not say which observations it reads")


class OnTerms:
    """What every wrapper that pays for learnable novelty tells of itself."""

    terms: Terms

    @property
    def window(self) -> int:
        """How many observations ahead the observer predicts."""
        return self.terms.settings.window

    @property
    def weight(self) -> float:
        """What a bit is worth in units of the task reward."""
        return self.terms.weight

    @property
    def mode(self) -> Mode:
        """Whether the bonus is added to the task reward or replaces it."""
        return self.terms.mode

    def save(self, path: str | Path) -> None:
        """Write settings, units and weight to a file, as ``VecNormalize.save`` does."""
        self.terms.save(path)


def calibrate(
    world: World,
    *,
    weight: float | Literal["auto"] = "auto",
    mode: Mode = "add",
    episodes: int = 64,
    play: RandomPlay | None = None,
    seed: Seed = 0,
    **observer: Any,
) -> Terms:
    """Find the terms of a bonus on a random policy; see ``NoveltyReward`` for the keywords."""
    _check_options(weight=weight, mode=mode, episodes=episodes, **observer)
    child = split(seed, "novelty reward")
    play = play or play_randomly(world, episodes=episodes, seed=child)
    _check_play(play, world)
    settings = NoveltySettings.of(play, seed=child, **observer)
    if weight == "auto":
        weight = 1.0 if mode == "replace" else _weight(settings, play)
    return Terms(settings, float(weight), mode, describe_space(world.observation_space))


def _weight(settings: NoveltySettings, play: RandomPlay) -> float:
    """Return the weight of 0.1 task returns; warn where that return may well be zero."""
    found = weight_of(play.mean_return, play.mean_bonus(settings.make(play.rewards.shape[1])))
    returns = play.returns()
    error = float(returns.std(ddof=1) / np.sqrt(len(returns))) if len(returns) > 1 else 0.0
    if returns.min() < 0 < returns.max() and abs(play.mean_return) < SURE * error:
        warnings.warn(
            f"random episodes return {play.mean_return:.3g} ± {error:.2g} in the mean, which may "
            "be zero: the weight found from it is an accident of these episodes; pass a number as "
            "weight, or play more episodes",
            stacklevel=5,
        )
    return found


def _check_options(
    *,
    weight: Any,
    mode: Any,
    episodes: Any,
    window: Any = "auto",
    width: Any = 32,
    clip: Any = 10.0,
    **_: Any,
) -> None:
    """Refuse what makes no sense before any episode is played."""
    if mode not in ("add", "replace"):
        raise ValueError(f'mode must be "add" or "replace", got {mode!r}')
    if weight != "auto" and not _is_finite(weight):
        raise ValueError(f'weight must be "auto" or a finite number, got {weight!r}')
    if clip is not None and not (_is_finite(clip) and clip > 0):
        raise ValueError(f"clip must be None or a positive number, got {clip!r}")
    if window != "auto":
        _check_count("window", window)
    _check_count("width", width)
    _check_count("episodes", episodes)


def _check_count(name: str, value: Any) -> None:
    try:
        sound = 1 <= operator.index(value) <= MOST
    except TypeError:
        sound = False
    if not sound:
        raise ValueError(f"{name} must be a whole number from 1 to {MOST:,}, got {value!r}")


def _is_finite(value: Any) -> bool:
    try:
        return bool(np.isfinite(value)) and np.ndim(value) == 0
    except TypeError:
        return False


def _check_play(play: RandomPlay, world: World) -> None:
    dim, played = observation_dim(world.observation_space), play.steps[0].observations.shape[1]
    if played != dim:
        raise ValueError(
            f"the random episodes are of other environments: their observations hold {played} "
            f"numbers, these {dim}"
        )
