"""Random network distillation (Burda, Edwards, Storkey and Klimov, 2019)."""

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
from learnable_novelty.reward.rivals.learner import Learner, LearnerConfig
from learnable_novelty.reward.rivals.networks import mlp, rows
from learnable_novelty.reward.rivals.returns import ReturnSpread
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, torch_generator


@dataclass(frozen=True)
class RNDConfig:
    """The two networks, and the unit of the bonus."""

    hidden: tuple[int, ...] = (64, 64)
    """Widths of the hidden layers, of the target and of the predictor."""
    embedding_dim: int = 64
    """Width of what is predicted."""
    clip: float = 5.0
    """Where standardized observations are cut, besides the scale's own cut."""
    gamma: float = 0.99
    """Discount of the returns whose spread is the bonus's unit."""
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    """How the predictor is trained."""

    def __post_init__(self) -> None:
        check_positive(embedding_dim=self.embedding_dim, clip=self.clip)
        if not 0 <= self.gamma < 1:
            raise UserError(f"gamma must be in [0, 1), got {self.gamma!r}")


class RND:
    """Pay the error of a network that learns to imitate a frozen random one.

        e = mean_k (g_k(z') - f_k(z'))^2,    b = e / sd(sum_s gamma^s e_{t-s})

    f is the target, g the predictor, z' the next observation, standardized and clipped. Where the
    training has been, g has learned f; elsewhere it has not.
    """

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        observation_dim: int,
        seed: Seed,
        config: RNDConfig | None = None,
    ) -> None:
        self.scale, self.config = scale, config or RNDConfig()
        widths = [observation_dim, *self.config.hidden, self.config.embedding_dim]
        self.target = mlp(widths, nn.ReLU, torch_generator(seed, "rnd", "target"))
        self.predictor = mlp(widths, nn.ReLU, torch_generator(seed, "rnd", "predictor"))
        self._spread = ReturnSpread(num_envs, self.config.gamma)
        self._learner = Learner(
            self.predictor.parameters(),
            lambda observations: self._errors(observations).mean(),
            widths=[observation_dim],
            num_envs=num_envs,
            seed=seed,
            config=self.config.learner,
        )

    def pay(self, step: Step) -> Array:
        observations = self._standardize(step.next_observations)
        errors = self._numbers(observations)
        self._learner.add(observations)
        return errors / self._spread.update(errors)

    def error(self, observations: Array) -> Array:
        """Return the predictor's error as it is now, without learning or normalizing, (n,)."""
        return self._numbers(self._standardize(observations))

    def reset(self) -> None:
        """Do nothing: neither the errors nor their returns end with an episode."""

    def state_dict(self) -> dict[str, Any]:
        return {
            "target": copy.deepcopy(self.target.state_dict()),
            "predictor": copy.deepcopy(self.predictor.state_dict()),
            "spread": self._spread.state_dict(),
            "learner": self._learner.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.target.load_state_dict(state["target"])
        self.predictor.load_state_dict(state["predictor"])
        self._spread.load_state_dict(state["spread"])
        self._learner.load_state_dict(state["learner"])

    def _standardize(self, observations: Array) -> Tensor:
        return rows(np.clip(self.scale(observations), -self.config.clip, self.config.clip))

    def _errors(self, observations: Tensor) -> Tensor:
        """Measure the error of each standardized observation, (batch,)."""
        with torch.no_grad():
            target = self.target(observations)
        return (self.predictor(observations) - target).square().mean(1)

    @torch.no_grad()
    def _numbers(self, observations: Tensor) -> Array:
        return self._errors(observations).numpy().astype(np.float64)
