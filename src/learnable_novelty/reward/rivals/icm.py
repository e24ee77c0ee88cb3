"""The intrinsic curiosity module (Pathak, Agrawal, Efros and Darrell, 2017)."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.rivals.inverse import InverseConfig, InverseDynamics
from learnable_novelty.reward.rivals.learner import Learner, LearnerConfig
from learnable_novelty.reward.rivals.networks import mlp, rows
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, torch_generator


@dataclass(frozen=True)
class ICMConfig:
    """The three networks, and the weights of their losses."""

    features: InverseConfig = field(default_factory=InverseConfig)
    """Widths of the encoder and of the inverse model."""
    forward_hidden: tuple[int, ...] = (64,)
    """Hidden layers of the forward model."""
    eta: float = 1.0
    """Factor on the bonus; the paper leaves it open."""
    beta: float = 0.2
    """Weight of the forward loss; the inverse loss has the rest."""
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    """How all three are trained."""

    def __post_init__(self) -> None:
        check_positive(eta=self.eta)
        if not 0 <= self.beta <= 1:
            raise UserError(f"beta must be in [0, 1], got {self.beta!r}")


class ICM:
    """Pay the error of a forward model in features of what actions control.

        b = eta/2 |f(phi(o), a) - phi(o')|^2
        loss = (1 - beta) L_inverse + beta/2 |f(phi(o), a) - phi(o')|^2

    The encoder phi is trained by both losses, as the sum is written in the paper.
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
        config: ICMConfig | None = None,
    ) -> None:
        self.scale, self.config = scale, config or ICMConfig()
        sizes = self.config.features
        self.dynamics = InverseDynamics(
            observation_dim, action_dim, discrete=discrete, seed=seed, config=sizes
        )
        self.forward = mlp(
            [sizes.feature_dim + action_dim, *self.config.forward_hidden, sizes.feature_dim],
            nn.ELU,
            torch_generator(seed, "icm", "forward"),
        )
        self._learner = Learner(
            [*self.dynamics.parameters(), *self.forward.parameters()],
            self._loss,
            widths=[observation_dim, action_dim, observation_dim],
            num_envs=num_envs,
            seed=seed,
            config=self.config.learner,
        )

    @torch.no_grad()
    def pay(self, step: Step) -> Array:
        columns = (
            rows(self.scale(step.observations)),
            rows(step.actions),
            rows(self.scale(step.next_observations)),
        )
        features, following = self.dynamics.encode(columns[0], columns[2])
        errors = self._errors(features, columns[1], following)
        self._learner.add(*columns)
        return self.config.eta * errors.numpy().astype(np.float64)

    def reset(self) -> None:
        """Do nothing: a transition is paid by itself."""

    def state_dict(self) -> dict[str, Any]:
        return {
            "dynamics": copy.deepcopy(self.dynamics.state_dict()),
            "forward": copy.deepcopy(self.forward.state_dict()),
            "learner": self._learner.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.dynamics.load_state_dict(state["dynamics"])
        self.forward.load_state_dict(state["forward"])
        self._learner.load_state_dict(state["learner"])

    def _errors(self, features: Tensor, actions: Tensor, following: Tensor) -> Tensor:
        """Measure half the squared error of the forward model, (batch,)."""
        predicted = self.forward(torch.cat([features, actions], dim=1))
        return (predicted - following).square().sum(1) / 2

    def _loss(self, observations: Tensor, actions: Tensor, next_observations: Tensor) -> Tensor:
        features, following = self.dynamics.encode(observations, next_observations)
        inverse = self.dynamics.loss(features, actions, following)
        forward = self._errors(features, actions, following).mean()
        return (1 - self.config.beta) * inverse + self.config.beta * forward
