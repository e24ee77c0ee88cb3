"""The intrinsic curiosity module (Pathak, Agrawal, Efros and Darrell, 2017)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import torch_generator
from novelty_lab.rivals.inverse import InverseBonus, InverseConfig
from novelty_lab.rivals.learner import LearnerConfig, mlp, rows
from novelty_lab.rivals.rival import Rival


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


class ICM(InverseBonus):
    """Pay the error of a forward model in features of what actions control.

        b = eta/2 |f(phi(o), a) - phi(o')|^2
        loss = (1 - beta) L_inverse + beta/2 |f(phi(o), a) - phi(o')|^2

    The encoder phi is trained by both losses, as the sum is written in the paper.
    """

    def __init__(
        self, scale: ObservationScale, *, config: ICMConfig | None = None, **sizes: Any
    ) -> None:
        self.config = config = config or ICMConfig()
        dim = config.features.feature_dim
        widths = [dim + sizes["action_dim"], *config.forward_hidden, dim]
        predictor = mlp(widths, nn.ELU, torch_generator(sizes["seed"], "icm", "forward"))
        super().__init__(scale, config.features, config.learner, **sizes, predictor=predictor)

    @torch.no_grad()
    def pay(self, step: Step) -> Array:
        observations, actions = rows(self.scale(step.observations)), rows(step.actions)
        next_observations = rows(self.scale(step.next_observations))
        errors = self._errors(*self.encode(observations, next_observations), actions)
        self._learn(observations, actions, next_observations)
        return self.config.eta * errors.numpy().astype(np.float64)

    def _errors(self, features: Tensor, following: Tensor, actions: Tensor) -> Tensor:
        """Return half the squared error of the forward model, (batch,)."""
        predicted = self.networks["predictor"](torch.cat([features, actions], dim=1))
        return (predicted - following).square().sum(1) / 2

    def _loss(self, *columns: Tensor) -> Tensor:
        observations, actions, next_observations = columns
        features, following = self.encode(observations, next_observations)
        inverse = self.inverse_loss(features, actions, following)
        forward = self._errors(features, following, actions).mean()
        return (1 - self.config.beta) * inverse + self.config.beta * forward


RIVAL = Rival("icm", "ICM", "intrinsic curiosity module", "#CC79A7", "X", order=2, make=ICM)
