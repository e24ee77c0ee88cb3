"""What the wrappers share: paying a bonus, calibration on random episodes, saving and loading."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NoReturn, Self

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.reward.accumulator import RewardAccumulator
from learnable_novelty.reward.adapters import ParallelEnvs
from learnable_novelty.reward.bonus import Bonus
from learnable_novelty.reward.calibration import CalibratedNovelty
from learnable_novelty.reward.config import COEFFICIENT, NoveltyConfig, RewardMode
from learnable_novelty.reward.foresight import Foresight
from learnable_novelty.reward.images import Encoder
from learnable_novelty.reward.random_play import RandomPlay, play_randomly
from learnable_novelty.seeds import Seed, split
from learnable_novelty.storage import read_tensors, writing

SAVED = {"bonus", "settings", "options", "units", "reference", "seed", "actions"}
"""What ``CalibratedNovelty.state_dict`` holds; beside it a file holds ``MORE``."""
MORE = {"observations", "takes", "learned"}


class WrapsBonus:
    """Wrap environments, and add a bonus to their reward or put it in its place.

    It comes before a wrapper class of another library in the list of base classes. Arguments as in
    ``BonusWrapper``.
    """

    adapter: type[Any]
    """The subclass of ``ParallelEnvs`` that reads such environments."""

    def __init__(
        self,
        env: Any,
        bonus: Bonus,
        *,
        weight: float | Literal["auto"],
        mode: RewardMode = "add",
        coefficient: float = COEFFICIENT,
        encoder: Encoder | None = None,
    ) -> None:
        super().__init__(env)  # pyright: ignore[reportCallIssue]
        self._adapter = self.adapter(env, encoder)
        self.accumulator = RewardAccumulator(
            bonus, self._adapter, weight=weight, mode=mode, coefficient=coefficient
        )

    @property
    def weight(self) -> float:
        """Task reward per unit of the bonus, at present."""
        return self.accumulator.weight

    @property
    def training(self) -> bool:
        """Whether the bonus learns and pays; if false, rewards are those of the task alone."""
        return self.accumulator.training

    @training.setter
    def training(self, training: bool) -> None:
        self.accumulator.training = bool(training)

    def compute_reward(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse hindsight replay, which would mix rewards with and without the bonus."""
        raise UserError(
            "hindsight replay (HER) computes rewards anew, without the bonus; use another replay "
            "buffer, or HER without a bonus"
        )


class WrapsNovelty:
    """The part of a wrapper that belongs to the novelty bonus.

    It comes before a wrapper for any bonus in the list of base classes, and calls its constructor.
    """

    calibrated: CalibratedNovelty
    accumulator: RewardAccumulator

    adapter: type[Any]

    def __init__(self, env: Any, **options: Any) -> None:
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
        self.calibrated = calibrated
        config, bonus = calibrated.config, calibrated.make(envs.num_envs)
        options = {name: getattr(config, name) for name in ("weight", "mode", "coefficient")}
        super().__init__(env, bonus, **options, encoder=encoder)  # pyright: ignore[reportCallIssue]

    def save(self, path: str | Path) -> None:
        """Write settings, units, weight and what was learned, as ``VecNormalize.save`` does."""
        bonus, units = self.accumulator.bonus, self.accumulator.units
        learned = {
            "bonus": bonus.state_dict() if isinstance(bonus, Foresight) else None,
            "units": None if units is None else units.state_dict(),
        }
        envs = self.accumulator.envs
        spaces = {"observations": str(envs.observation_space), "takes": str(envs.action_space)}
        state = {**self.calibrated.state_dict(), **spaces, "learned": to_tensors(learned)}
        with writing(path) as file:
            torch.save(state, file)

    def _restore(self, learned: dict[str, Any]) -> None:
        bonus, units = self.accumulator.bonus, self.accumulator.units
        try:
            if isinstance(bonus, Foresight):
                bonus.load_state_dict(learned["bonus"])
            if units is not None:
                units.load_state_dict(learned["units"])
        except (TypeError, KeyError, IndexError, ValueError) as error:
            raise UserError(f"what the saved bonus learned cannot be read: {error}") from None


def calibrate(
    envs: ParallelEnvs, *, play: RandomPlay | None = None, seed: Seed = 0, **options: Any
) -> CalibratedNovelty:
    """Find units and window of the bonus on a random policy.

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
    return CalibratedNovelty.of(play, config, seed=child)


def to_tensors(tree: Any, convert: Any = torch.from_numpy, kind: type = np.ndarray) -> Any:
    """Return dictionaries and lists of arrays as those of tensors, which torch loads safely."""
    if isinstance(tree, dict):
        return {key: to_tensors(value, convert, kind) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [to_tensors(value, convert, kind) for value in tree]
    return convert(tree) if isinstance(tree, kind) else tree


def load_bonus(path: str | Path, envs: ParallelEnvs) -> tuple[CalibratedNovelty, Any]:
    """Read a saved bonus and what it learned, for environments with the same observations.

    Raises:
        ValueError: for a file that is damaged, or was saved with other environments.
    """
    state = read_tensors(Path(path))
    if not isinstance(state, dict) or set(state) != SAVED | MORE:
        raise UserError(f"expected a saved bonus of this version in {path}")
    for name, space in (("observations", envs.observation_space), ("takes", envs.action_space)):
        if state[name] != str(space):
            raise UserError(
                f"the saved bonus is of environments with {state[name]}, these have {space}"
            )
    calibrated = CalibratedNovelty.from_state(state, envs.observation_dim)
    learned = to_tensors(state["learned"], lambda tensor: tensor.numpy(), torch.Tensor)
    return calibrated, learned
