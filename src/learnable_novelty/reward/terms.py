"""The terms of payment: what a bonus is made from and what it is worth, found, saved and kept."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.reward.calibration import RandomPlay, play_randomly, weight_of
from learnable_novelty.reward.options import Mode, ObserverOptions, count, number, one_of
from learnable_novelty.reward.payroll import Paying, Payroll
from learnable_novelty.reward.settings import NoveltySettings
from learnable_novelty.reward.spaces import Described, describe_space, observation_dim
from learnable_novelty.reward.worlds import World
from learnable_novelty.seeds import Seed, split
from learnable_novelty.storage import read_tensors

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
    observations: Described
    """What it reads."""

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
        names = {field.name for field in fields(cls)}
        if isinstance(state, dict) and names - set(state) == {"observations"}:
            raise UserError(f"the bonus in {path} does not say what it reads; save it anew")
        if not isinstance(state, dict) or set(state) != names:
            raise UserError(f"expected a saved bonus in {path}")
        dim = observation_dim(observation_space)  # refuses what it cannot read
        _check_same(state["observations"], describe_space(observation_space))
        settings = NoveltySettings.from_state(state["settings"])
        if settings.observation_dim != dim:
            raise UserError(f"expected units of {dim} numbers in {path}")
        weight = number("weight", state["weight"])
        terms = cls(settings, weight, state["mode"], state["observations"])
        try:
            terms.open(1, None)
        except (TypeError, RuntimeError, AttributeError) as error:
            raise UserError(f"expected a saved bonus in {path}: {error}") from None
        return terms


def _check_same(saved: Any, found: Described) -> None:
    """Refuse observations that are not those of the saved bonus, naming the first that differs."""
    if saved == found:
        return
    try:
        pairs = itertools.zip_longest(saved, found, fillvalue=((), "nothing"))
        before, now = next(pair for pair in pairs if pair[0] != pair[1])
        words = [f"{what} as {'.'.join(path) or 'observation'}" for path, what in (before, now)]
    except (TypeError, ValueError, StopIteration):
        raise UserError("the saved bonus does not say which observations it reads") from None
    raise UserError(f"the saved bonus reads {words[0]}, these environments return {words[1]}")


class OnTerms(Paying):
    """What every wrapper that pays for learnable novelty tells of itself."""

    terms: Terms

    @property
    def window(self) -> int:
        """How many observations ahead the observer predicts."""
        return self.terms.settings.window

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
    options = ObserverOptions(**observer)
    one_of("mode", mode, ("add", "replace"))
    episodes = count("episodes", episodes)
    given = None if isinstance(weight, str) and weight == "auto" else number("weight", weight)
    if not (dim := observation_dim(world.observation_space)):
        raise UserError("the observations hold no numbers")
    child = split(seed, "novelty reward")
    play = play or play_randomly(world, episodes=episodes, seed=child)
    if (played := play.steps[0].observations.shape[1]) != dim:
        raise UserError(
            f"the random episodes are of other environments: their observations hold {played} "
            f"numbers, these {dim}"
        )
    settings = NoveltySettings.of(play, options, seed=child)
    if given is None:
        given = 1.0 if mode == "replace" else _weight(settings, play)
    return Terms(settings, given, mode, describe_space(world.observation_space))


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
            stacklevel=4,
        )
    return found
