"""Exploration via elliptical episodic bonuses (Henaff, Raileanu, Jiang and Rocktäschel, 2022)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.ellipsoids import Ellipsoids
from learnable_novelty.reward.scale import ObservationScale
from novelty_lab.rivals.inverse import InverseBonus, InverseConfig
from novelty_lab.rivals.learner import LearnerConfig, rows
from novelty_lab.rivals.rival import Rival


@dataclass(frozen=True)
class E3BConfig:
    """The encoder, and the matrix that an episode starts with."""

    features: InverseConfig = field(default_factory=InverseConfig)
    """Widths of the encoder and of the inverse model."""
    ridge: float = 0.1
    """lambda: the first step of an episode pays |phi|^2 / lambda."""
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    """How the encoder is trained."""

    def __post_init__(self) -> None:
        check_positive(ridge=self.ridge)


class E3B(InverseBonus):
    """Pay for features unlike those of the episode so far.

        b = phi(o')' C^-1 phi(o'),    C = ridge I + sum phi phi'

    The sum runs over the earlier steps of the environment's episode, without the observation that
    the reset returned. The encoder phi is trained by inverse dynamics alone. When it is trained
    within an episode, C keeps the features of the encoder before.
    """

    def __init__(
        self, scale: ObservationScale, *, config: E3BConfig | None = None, **sizes: Any
    ) -> None:
        self.config = config = config or E3BConfig()
        super().__init__(scale, config.features, config.learner, **sizes)
        self._ellipsoids = Ellipsoids(sizes["num_envs"], config.features.feature_dim, config.ridge)

    @torch.no_grad()
    def pay(self, step: Step) -> Array:
        following = rows(self.scale(step.next_observations))
        features = self.networks["encoder"](following).numpy().astype(np.float64)
        bonuses = self._ellipsoids.add(features)
        if step.ended.any():
            self._ellipsoids.restart(step.ended)
        self._learn(rows(self.scale(step.observations)), rows(step.actions), following)
        return bonuses

    def reset(self) -> None:
        self._ellipsoids.restart(slice(None))

    def _loss(self, *columns: Tensor) -> Tensor:
        observations, actions, next_observations = columns
        features, following = self.encode(observations, next_observations)
        return self.inverse_loss(features, actions, following)


RIVAL = Rival("e3b", "E3B", "elliptical episodic bonus", "#999999", "*", order=3, make=E3B)
