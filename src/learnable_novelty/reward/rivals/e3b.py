"""Exploration via elliptical episodic bonuses (Henaff, Raileanu, Jiang and Rocktäschel, 2022)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array, Mask, Step
from learnable_novelty.reward.rivals.inverse import InverseBonus, InverseConfig
from learnable_novelty.reward.rivals.learner import LearnerConfig, rows
from learnable_novelty.reward.rivals.registry import Rival
from learnable_novelty.reward.scale import ObservationScale


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


class Ellipsoids:
    """One matrix C = ridge I + sum phi phi' per environment, kept as its inverse.

    Sherman and Morrison's formula adds a vector at O(m^2), and the bonus comes with it:

        u = C^-1 phi,    b = phi'u,    C^-1 <- C^-1 - u u' / (1 + b)

    >>> ellipsoids = Ellipsoids(num_envs=1, feature_dim=2, ridge=0.5)
    >>> [float(ellipsoids.add(np.array([[3.0, 0.0]])).round(3)[0]) for _ in range(2)]
    [18.0, 0.947]
    """

    def __init__(self, num_envs: int, feature_dim: int, ridge: float) -> None:
        self._start = np.eye(feature_dim) / ridge
        self.inverses = np.repeat(self._start[None], num_envs, axis=0)

    def add(self, features: Array) -> Array:
        """Add a vector per environment, (num_envs, feature_dim); return the bonus of each."""
        u = np.matmul(self.inverses, features[:, :, None])[:, :, 0]
        bonuses = (features * u).sum(1)
        u /= np.sqrt(1 + bonuses)[:, None]
        self.inverses -= u[:, :, None] * u[:, None, :]
        return bonuses

    def restart(self, envs: Mask | slice) -> None:
        """Forget what the given environments added."""
        self.inverses[envs] = self._start


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

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "inverses": self._ellipsoids.inverses.copy()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self._ellipsoids.inverses[:] = state["inverses"]

    def _loss(self, *columns: Tensor) -> Tensor:
        observations, actions, next_observations = columns
        features, following = self.encode(observations, next_observations)
        return self.inverse_loss(features, actions, following)


RIVAL = Rival("e3b", "E3B", "elliptical episodic bonus", "#999999", "*", order=3, make=E3B)
