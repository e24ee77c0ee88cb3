"""Random network distillation (Burda, Edwards, Storkey and Klimov, 2019)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.running import ReturnSpread
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, torch_generator
from novelty_lab.rivals.learner import LearnedBonus, LearnerConfig, mlp, rows
from novelty_lab.rivals.rival import Rival


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


class RND(LearnedBonus):
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
        seed: Seed,
        config: RNDConfig | None = None,
    ) -> None:
        self.config = config = config or RNDConfig()
        dim = len(scale.mean)
        networks = {
            name: mlp(
                [dim, *config.hidden, config.embedding_dim],
                nn.ReLU,
                torch_generator(seed, "rnd", name),
            )
            for name in ("target", "predictor")
        }
        networks["target"].requires_grad_(False)
        sizes = {"widths": [dim], "num_envs": num_envs, "seed": seed}
        super().__init__(scale, networks, **sizes, learner=config.learner)
        self._spread = ReturnSpread(num_envs, config.gamma, unit="deviation")

    @torch.no_grad()
    def pay(self, step: Step) -> Array:
        observations = self._standardize(step.next_observations)
        errors = self._errors(observations).numpy().astype(np.float64)
        self._learn(observations)
        return errors / self._spread.update(errors)

    @torch.no_grad()
    def error(self, observations: Array) -> Array:
        """Return the predictor's error as it is now, without learning or normalizing, (n,)."""
        return self._errors(self._standardize(observations)).numpy().astype(np.float64)

    def _standardize(self, observations: Array) -> Tensor:
        return rows(np.clip(self.scale(observations), -self.config.clip, self.config.clip))

    def _errors(self, observations: Tensor) -> Tensor:
        """Return the error of each standardized observation, (batch,)."""
        target = self.networks["target"](observations)
        return (self.networks["predictor"](observations) - target).square().mean(1)

    def _loss(self, *columns: Tensor) -> Tensor:
        return self._errors(*columns).mean()


RIVAL = Rival(
    "rnd",
    "RND",
    "random network distillation",
    "#D55E00",
    "P",
    order=1,
    make=lambda scale, num_envs, seed, **_: RND(scale, num_envs=num_envs, seed=seed),
)
