"""Features of what actions control: an encoder trained to predict the action from its effect."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, torch_generator
from novelty_lab.rivals.learner import LearnedBonus, LearnerConfig, mlp


@dataclass(frozen=True)
class InverseConfig:
    """Widths of the encoder and of the inverse model."""

    encoder_hidden: tuple[int, ...] = (64, 64)
    """Hidden layers of the encoder."""
    feature_dim: int = 64
    """Width of the encoder's features."""
    inverse_hidden: tuple[int, ...] = (64,)
    """Hidden layers of the inverse model."""

    def __post_init__(self) -> None:
        check_positive(feature_dim=self.feature_dim)


class InverseBonus(LearnedBonus):
    """A bonus on features phi from which the action between two observations is predicted.

        a^ = g(phi(o), phi(o'))

    What no action moves does not help to predict the action, so phi has no reason to keep it.

    Args:
        scale: of the observations.
        config: widths.
        learner: when and how the networks learn.
        num_envs: how many environments run in parallel.
        action_dim: length of an action.
        discrete: whether actions are one-hot, with cross-entropy as the loss, or vectors, with mean
            squared error.
        seed: of weights and shuffles.
        **networks: further networks that learn.
    """

    def __init__(
        self,
        scale: ObservationScale,
        config: InverseConfig,
        learner: LearnerConfig,
        *,
        num_envs: int,
        action_dim: int,
        discrete: bool,
        seed: Seed,
        **networks: nn.Module,
    ) -> None:
        dim, self.discrete = len(scale.mean), discrete
        encoder = [dim, *config.encoder_hidden, config.feature_dim]
        inverse = [2 * config.feature_dim, *config.inverse_hidden, action_dim]
        networks["encoder"] = mlp(encoder, nn.ELU, torch_generator(seed, "inverse", "encoder"))
        networks["inverse"] = mlp(inverse, nn.ELU, torch_generator(seed, "inverse", "model"))
        widths = [dim, action_dim, dim]
        super().__init__(
            scale, networks, widths=widths, num_envs=num_envs, seed=seed, learner=learner
        )

    def encode(self, observations: Tensor, following: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features of both observations of each transition, in one pass."""
        encoder = self.networks["encoder"]
        first, second = encoder(torch.cat([observations, following])).chunk(2)
        return first, second

    def inverse_loss(self, features: Tensor, actions: Tensor, following: Tensor) -> Tensor:
        """Return the error of the predicted actions, 0-dim."""
        predicted = self.networks["inverse"](torch.cat([features, following], dim=1))
        loss = functional.cross_entropy if self.discrete else functional.mse_loss
        return loss(predicted, actions)
