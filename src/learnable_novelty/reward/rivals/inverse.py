"""Features of what actions control: an encoder trained to tell the action from its effect."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.rivals.networks import mlp
from learnable_novelty.seeds import Seed, torch_generator


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


class InverseDynamics(nn.Module):
    """Guess the action between two observations from their features.

        a^ = g(phi(o), phi(o'))

    What no action moves is no help in guessing the action, and phi has no reason to keep it.

    Args:
        observation_dim: length of a standardized observation.
        action_dim: length of an action.
        discrete: whether actions are one-hot, guessed by cross-entropy, or vectors, guessed by
            mean squared error.
        seed: of the weights.
        config: widths.
    """

    def __init__(
        self,
        observation_dim: int,
        action_dim: int,
        *,
        discrete: bool,
        seed: Seed,
        config: InverseConfig,
    ) -> None:
        super().__init__()
        self.discrete = discrete
        self.encoder = mlp(
            [observation_dim, *config.encoder_hidden, config.feature_dim],
            nn.ELU,
            torch_generator(seed, "inverse", "encoder"),
        )
        self.inverse = mlp(
            [2 * config.feature_dim, *config.inverse_hidden, action_dim],
            nn.ELU,
            torch_generator(seed, "inverse", "model"),
        )

    def encode(self, observations: Tensor, following: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features of both observations of each transition, in one pass."""
        first, second = self.encoder(torch.cat([observations, following])).chunk(2)
        return first, second

    def loss(self, features: Tensor, actions: Tensor, following: Tensor) -> Tensor:
        """Measure how badly the actions are guessed from the features around them, 0-dim."""
        guesses = self.inverse(torch.cat([features, following], dim=1))
        if self.discrete:
            return functional.cross_entropy(guesses, actions)
        return functional.mse_loss(guesses, actions)
