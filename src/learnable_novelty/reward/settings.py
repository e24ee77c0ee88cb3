"""All that a bonus of learnable novelty is made from, found on a random policy and kept with it."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer import Moments
from learnable_novelty.reward.calibration import RandomPlay, reference_moments, window_of
from learnable_novelty.reward.novelty import (
    EvidenceBonus,
    NoveltyBonus,
    WindowBonus,
    make_reservoir,
)
from learnable_novelty.reward.options import MOST, Floor, ObserverOptions, Ridge, Standardization
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, split


@dataclass(frozen=True)
class NoveltySettings:
    """Units, horizon and observer of the bonus."""

    scale: ObservationScale
    window: int
    width: int
    ridge_penalty: Ridge
    standardization: Standardization
    floor: Floor
    reference: Moments | None
    seed: int

    @classmethod
    def of(
        cls, play: RandomPlay, options: ObserverOptions | None = None, *, seed: Seed = 0
    ) -> NoveltySettings:
        """Find them from random episodes."""
        options = options or ObserverOptions()
        trajectories = play.trajectories()
        scale = ObservationScale.of(np.concatenate(trajectories), clip=options.clip)
        window = options.window
        if window == "auto":
            window = window_of(trajectories, scale)
        child = split(seed, "observer")
        reference = None
        if options.standardization == "fixed":
            reservoir = make_reservoir(len(scale.mean), options.width, child)
            reference = reference_moments(trajectories, scale, window, reservoir)
        return cls(
            scale=scale,
            window=window,
            width=options.width,
            ridge_penalty=options.ridge_penalty,
            standardization=options.standardization,
            floor=options.floor,
            reference=reference,
            seed=child,
        )

    @property
    def observation_dim(self) -> int:
        """How many numbers an observation holds."""
        return len(self.scale.mean)

    def make(self, num_envs: int) -> WindowBonus:
        """Make the bonus for this many environments."""
        if self.ridge_penalty == "evidence":
            return EvidenceBonus(
                self.scale, num_envs=num_envs, window=self.window, width=self.width, seed=self.seed
            )
        return NoveltyBonus(
            self.scale,
            num_envs=num_envs,
            window=self.window,
            width=self.width,
            ridge_penalty=self.ridge_penalty,
            standardization=self.standardization,
            reference=self.reference,
            floor=self.floor,
            seed=self.seed,
        )

    def state_dict(self) -> dict[str, Any]:
        """Return it as tensors, numbers and strings."""
        held = dict(self.__dict__)
        scale, reference = held.pop("scale"), held.pop("reference")
        held["scale"] = {
            "mean": torch.from_numpy(scale.mean),
            "sd": torch.from_numpy(scale.sd),
            "clip": scale.clip,
        }
        held["reference"] = None if reference is None else dict(reference.__dict__)
        return held

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> NoveltySettings:
        """Read what ``state_dict`` returned.

        Raises:
            ValueError: for what it did not return, or for a size that no bonus has.
        """
        try:
            held = dict(state)
            units, reference = held.pop("scale"), held.pop("reference")
            scale = ObservationScale(units["mean"].numpy(), units["sd"].numpy(), units["clip"])
            moments = None if reference is None else Moments(**reference)
            made = cls(**held, scale=scale, reference=moments)
            sound = (
                all(1 <= operator.index(n) <= MOST for n in (made.window, made.width))
                and scale.mean.shape == scale.sd.shape == (len(scale.mean),)
                and scale.mean.dtype.kind == scale.sd.dtype.kind == "f"
                and bool(np.isfinite([scale.mean, scale.sd]).all() and (scale.sd > 0).all())
                and (scale.clip is None or scale.clip > 0)
            )
        except (TypeError, KeyError, AttributeError, ValueError, RuntimeError) as error:
            raise UserError(f"expected the settings of a bonus, got others: {error}") from None
        if not sound:
            raise UserError(
                f"expected the settings of a bonus, of a window and a width up to {MOST:,} and "
                "finite units"
            )
        return made
