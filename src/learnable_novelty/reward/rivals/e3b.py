"""Exploration via elliptical episodic bonuses (Henaff, Raileanu, Jiang and Rocktäschel, 2022)."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array, Mask, Step
from learnable_novelty.reward.rivals.inverse import InverseConfig, InverseDynamics
from learnable_novelty.reward.rivals.learner import Learner, LearnerConfig
from learnable_novelty.reward.rivals.networks import rows
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed


@dataclass(frozen=True)
class E3BConfig:
    """The encoder, and what an episode starts with."""

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
        """Add a vector per environment, (num_envs, feature_dim); return what each was worth."""
        u = np.matmul(self.inverses, features[:, :, None])[:, :, 0]
        bonuses = (features * u).sum(1)
        u /= np.sqrt(1 + bonuses)[:, None]
        self.inverses -= u[:, :, None] * u[:, None, :]
        return bonuses

    def restart(self, envs: Mask | slice) -> None:
        """Forget what the given environments added."""
        self.inverses[envs] = self._start


class E3B:
    """Pay for features unlike those of the episode so far.

        b = phi(o')' C^-1 phi(o'),    C = ridge I + sum phi phi'

    The sum runs over the steps of the environment's episode before this one; the observation that
    a reset gives is not in it. The encoder phi is trained by inverse dynamics alone. When it is
    trained within an episode, what C holds is of the encoder before.
    """

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        observation_dim: int,
        action_dim: int,
        discrete: bool,
        seed: Seed,
        config: E3BConfig | None = None,
    ) -> None:
        self.scale, self.config = scale, config or E3BConfig()
        sizes = self.config.features
        self.dynamics = InverseDynamics(
            observation_dim, action_dim, discrete=discrete, seed=seed, config=sizes
        )
        self._ellipsoids = Ellipsoids(num_envs, sizes.feature_dim, self.config.ridge)
        self._learner = Learner(
            self.dynamics.parameters(),
            self._loss,
            widths=[observation_dim, action_dim, observation_dim],
            num_envs=num_envs,
            seed=seed,
            config=self.config.learner,
        )

    @torch.no_grad()
    def pay(self, step: Step) -> Array:
        following = rows(self.scale(step.next_observations))
        features = self.dynamics.encoder(following).numpy().astype(np.float64)
        bonuses = self._ellipsoids.add(features)
        if step.ended.any():
            self._ellipsoids.restart(step.ended)
        self._learner.add(rows(self.scale(step.observations)), rows(step.actions), following)
        return bonuses

    def reset(self) -> None:
        self._ellipsoids.restart(slice(None))

    def state_dict(self) -> dict[str, Any]:
        return {
            "dynamics": copy.deepcopy(self.dynamics.state_dict()),
            "inverses": self._ellipsoids.inverses.copy(),
            "learner": self._learner.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.dynamics.load_state_dict(state["dynamics"])
        self._ellipsoids.inverses[:] = state["inverses"]
        self._learner.load_state_dict(state["learner"])

    def _loss(self, observations: Tensor, actions: Tensor, next_observations: Tensor) -> Tensor:
        features, following = self.dynamics.encode(observations, next_observations)
        return self.dynamics.loss(features, actions, following)
