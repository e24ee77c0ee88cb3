"""A novelty bonus whose units and window were measured on random episodes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer.summary import Moments
from learnable_novelty.reward.calibration import RandomPlay, reference_moments, window_of
from learnable_novelty.reward.checks import check_number
from learnable_novelty.reward.config import COEFFICIENT, ForesightConfig, NoveltyConfig
from learnable_novelty.reward.foresight import Foresight
from learnable_novelty.reward.novelty import NoveltyBonus, make_reservoir
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, split


@dataclass(frozen=True)
class CalibratedNovelty:
    """A configuration in which "auto" is replaced by numbers, and the units that go with it."""

    config: NoveltyConfig
    scale: ObservationScale
    """Units of the observations."""
    reference: Moments | None
    """Moments of features and targets under a random policy, for fixed standardization."""
    seed: int
    """Of the reservoir."""
    actions: tuple[int, bool] | None = None
    """Length of a flat action and whether it is one-hot, for a bonus that reads actions."""

    @classmethod
    def of(
        cls, play: RandomPlay, config: NoveltyConfig | None = None, *, seed: Seed = 0
    ) -> CalibratedNovelty:
        """Measure units and window on random episodes. An automatic weight stays automatic."""
        config = config or NoveltyConfig()
        trajectories = play.trajectories()
        scale = ObservationScale.of(np.concatenate(trajectories), clip=config.clip)
        child = split(seed, "observer")
        if config.bonus == "foresight":
            actions = play.steps[0].actions.shape[1], play.discrete
            return cls(config, scale, None, child, actions)
        if config.window == "auto":
            config = replace(config, window=window_of(trajectories, scale))
        reference = None
        if config.standardization == "fixed":
            reservoir = make_reservoir(len(scale.mean), config.width, child)
            reference = reference_moments(trajectories, scale, int(config.window), reservoir)
        return cls(config, scale, reference, child)

    @property
    def window(self) -> int:
        """How many observations ahead the observer predicts."""
        return 1 if self.config.bonus == "foresight" else int(self.config.window)

    @property
    def observation_dim(self) -> int:
        """How many numbers an observation has."""
        return len(self.scale.mean)

    def make(self, num_envs: int) -> NoveltyBonus | Foresight:
        """Make the bonus for this many environments."""
        if self.actions is not None:
            action_dim, discrete = self.actions
            sizes = {"num_envs": num_envs, "action_dim": action_dim, "discrete": discrete}
            return Foresight(self.scale, **sizes, seed=self.seed, config=self.config.foresight)
        return self.make_bits(num_envs)

    def make_bits(self, num_envs: int) -> NoveltyBonus:
        """Make the bonus that pays the increments of the score."""
        return NoveltyBonus(
            self.scale,
            num_envs=num_envs,
            reference=self.reference,
            seed=self.seed,
            **self.config.observer(),
        )

    def state_dict(self) -> dict[str, Any]:
        """Return it as tensors, numbers and strings."""
        units = {"mean": torch.from_numpy(self.scale.mean), "sd": torch.from_numpy(self.scale.sd)}
        return {
            "settings": {
                **self.config.observer(),
                "scale": {**units, "clip": self.scale.clip},
                "reference": None if self.reference is None else dict(vars(self.reference)),
                "seed": self.seed,
            },
            "weight": self.config.weight,
            "mode": self.config.mode,
            "coefficient": self.config.coefficient,
            "fade_steps": self.config.fade_steps,
            "actions": self.actions,
            "foresight": asdict(self.config.foresight),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], observation_dim: int) -> CalibratedNovelty:
        """Read what ``state_dict`` returned, for observations of this many numbers.

        Raises:
            ValueError: for anything else.
        """
        try:
            settings = dict(state["settings"])
            units, reference = settings.pop("scale"), settings.pop("reference")
            scale = ObservationScale(units["mean"].numpy(), units["sd"].numpy(), units["clip"])
            scale.check(observation_dim)
            seed, actions = settings.pop("seed"), state.get("actions")
            config = NoveltyConfig(
                **(settings if actions is None else {}),
                clip=scale.clip,
                weight=_saved_weight(state["weight"]),
                mode=state["mode"],
                coefficient=state.get("coefficient", COEFFICIENT),
                fade_steps=state.get("fade_steps"),
                bonus="bits" if actions is None else "foresight",
                foresight=ForesightConfig(**state.get("foresight", {})),
            )
            moments = None if reference is None else Moments(**reference)
            calibrated = cls(config, scale, moments, seed, actions)
            calibrated.make(1)
        except UserError:
            raise
        except (TypeError, KeyError, AttributeError, ValueError, RuntimeError) as error:
            raise UserError(f"expected a saved bonus, but its settings differ: {error}") from None
        return calibrated


def _saved_weight(weight: Any) -> Any:
    """Return a weight of a saved bonus: "auto", or a number. "paper" was replaced by its number."""
    return (
        weight if isinstance(weight, str) and weight == "auto" else check_number("weight", weight)
    )
