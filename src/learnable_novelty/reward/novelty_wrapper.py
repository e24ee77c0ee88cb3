"""What the wrappers of the novelty bonus share: calibration on random episodes, saving, loading."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from gymnasium import spaces

from learnable_novelty.errors import UserError
from learnable_novelty.reward.accumulator import RewardAccumulator
from learnable_novelty.reward.adapters import ParallelEnvs
from learnable_novelty.reward.calibrated import CalibratedNovelty
from learnable_novelty.reward.calibration import RandomPlay, play_randomly, weight_of
from learnable_novelty.reward.config import NoveltyConfig, takes_config
from learnable_novelty.reward.foresight import Foresight
from learnable_novelty.reward.images import Encoder
from learnable_novelty.reward.spaces import SpaceDescription, action_dim, describe_space
from learnable_novelty.seeds import Seed, split
from learnable_novelty.storage import read_tensors, writing

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
    if not (dim := envs.observation_dim):
        raise UserError("the observations hold no numbers")
    child = split(seed, "novelty reward")
    play = play or play_randomly(envs, episodes=config.episodes, seed=child)
    if (played := play.steps[0].observations.shape[1]) != dim:
        raise UserError(
            f"the random episodes are of other environments: their observations hold {played} "
            f"numbers, these {dim}"
        )
    calibrated = CalibratedNovelty.of(play, config, seed=child)
    if config.weight_is_number or (config.weight == "auto" and config.mode != "replace"):
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
    accumulator: RewardAccumulator
    _space: SpaceDescription

    adapter: type[Any]

    @takes_config
    def __init__(self, env: Any, **options: Any) -> None:
        self._calibrate(env, options)

    def _calibrate(self, env: Any, options: dict[str, Any]) -> None:
        encoder = options.pop("encoder", None)
        envs = self.adapter(env, encoder)
        self._start(env, envs, calibrate(envs, **options), encoder)

    @classmethod
    def load(cls, path: str | Path, env: Any, encoder: Encoder | None = None) -> Self:
        """Read what ``save`` wrote, around new environments with the same observations.

        Raises:
            ValueError: for a file that is damaged, or was saved with other environments.
        """
        loaded, envs = cls.__new__(cls), cls.adapter(env, encoder)
        calibrated, learned = load_bonus(path, envs)
        loaded._start(env, envs, calibrated, encoder)
        loaded._restore(learned)
        return loaded

    def _start(
        self, env: Any, envs: ParallelEnvs, calibrated: CalibratedNovelty, encoder: Encoder | None
    ) -> None:
        """Wrap environments, of which ``envs`` is the adapter, with a calibrated bonus."""
        self.calibrated, self._space = calibrated, describe_space(envs.observation_space)
        config, bonus = calibrated.config, calibrated.make(envs.num_envs)
        names = ("weight", "mode", "coefficient", "fade_steps")
        options = {name: getattr(config, name) for name in names}
        super().__init__(env, bonus, **options, encoder=encoder)  # pyright: ignore[reportCallIssue]

    @property
    def window(self) -> int:
        """How many observations ahead the observer predicts."""
        return self.calibrated.window

    def save(self, path: str | Path) -> None:
        """Write settings, units, weight and what was learned, as ``VecNormalize.save`` does."""
        bonus, units = self.accumulator.bonus, self.accumulator.units
        learned = {
            "bonus": bonus.life() if isinstance(bonus, Foresight) else None,
            "units": None if units is None else units.state_dict(),
        }
        state = {**self.calibrated.state_dict(), "observations": self._space}
        with writing(path) as file:
            torch.save({**state, "learned": to_tensors(learned)}, file)

    def _restore(self, learned: dict[str, Any]) -> None:
        bonus, units = self.accumulator.bonus, self.accumulator.units
        try:
            if isinstance(bonus, Foresight):
                bonus.load_state_dict(learned["bonus"])
            if units is not None:
                units.load_state_dict(learned["units"])
        except (TypeError, KeyError, IndexError, ValueError) as error:
            raise UserError(f"what the saved bonus learned cannot be read: {error}") from None


def to_tensors(tree: Any, convert: Any = torch.from_numpy, kind: type = np.ndarray) -> Any:
    """Return dictionaries and lists of arrays as those of tensors, which torch loads safely."""
    if isinstance(tree, dict):
        return {key: to_tensors(value, convert, kind) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [to_tensors(value, convert, kind) for value in tree]
    return convert(tree) if isinstance(tree, kind) else tree


def to_arrays(tree: Any) -> Any:
    """Return dictionaries and lists of tensors as those of arrays."""
    return to_tensors(tree, lambda tensor: tensor.numpy(), torch.Tensor)


def load_bonus(path: str | Path, envs: ParallelEnvs) -> tuple[CalibratedNovelty, dict[str, Any]]:
    """Read a saved bonus and what it learned, for environments with the same observations.

    Raises:
        ValueError: for a file that is damaged, or was saved with other environments.
    """
    state = read_tensors(Path(path))
    names, newer = (
        {"settings", "weight", "mode", "observations"},
        {"coefficient", "fade_steps", "actions", "foresight", "learned"},
    )
    if isinstance(state, dict) and names - set(state) == {"observations"}:
        raise UserError(f"the bonus in {path} does not say what it reads; save it again")
    if not isinstance(state, dict) or names - set(state):
        raise UserError(f"expected a saved bonus in {path}")
    if unknown := set(state) - names - newer:
        raise UserError(f"the bonus in {path} is of a newer version: it has {min(unknown)!r}")
    _check_same(state["observations"], describe_space(envs.observation_space))
    calibrated = CalibratedNovelty.from_state(state, envs.observation_dim)
    if calibrated.actions is not None:
        _check_actions(calibrated.actions, envs.action_space)
    learned = state.get("learned", {})
    return calibrated, to_arrays(learned) if isinstance(learned, dict) else {}


def _check_actions(saved: tuple[int, bool], space: Any) -> None:
    """Raise unless actions are those of the saved bonus."""
    words = [
        f"{'discrete' if discrete else 'continuous'} actions of {dim} numbers"
        for dim, discrete in (saved, (action_dim(space), isinstance(space, spaces.Discrete)))
    ]
    if words[0] != words[1]:
        raise UserError(f"the saved bonus reads {words[0]}, these environments take {words[1]}")


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
