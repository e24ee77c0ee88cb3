"""Networks of the rivals, and how they learn: an epoch of shuffled minibatches now and then."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, torch_generator

GAIN = 2**0.5
"""Of the weights, so that rectified layers keep the size of what they are given."""


@dataclass(frozen=True)
class LearnerConfig:
    """When and how a rival learns."""

    train_every: int = 1024
    """Steps of the parallel environments between epochs; all their transitions are learned."""
    batch_size: int = 256
    """Transitions in a minibatch; the last one of an epoch may be smaller."""
    learning_rate: float = 1e-3
    """Of Adam."""

    def __post_init__(self) -> None:
        check_positive(**vars(self))


class LearnedBonus(ABC):
    """A bonus with networks that train for an epoch every ``train_every`` steps, with Adam.

    Args:
        scale: of the observations.
        networks: by name; those without gradients are frozen.
        widths: of the columns of a transition.
        num_envs: transitions per step.
        seed: of the shuffles.
        learner: when and how.
    """

    def __init__(
        self,
        scale: ObservationScale,
        networks: dict[str, nn.Module],
        *,
        widths: Sequence[int],
        num_envs: int,
        seed: Seed,
        learner: LearnerConfig,
    ) -> None:
        self.scale, self.networks, self.learner = scale, nn.ModuleDict(networks), learner
        self._widths = tuple(widths)
        trained = [weights for weights in self.networks.parameters() if weights.requires_grad]
        self._optimizer = torch.optim.Adam(trained, lr=learner.learning_rate)
        self._shuffle = torch_generator(seed, "shuffle")
        self._buffer = torch.zeros(learner.train_every, num_envs, sum(self._widths))
        self._filled = 0

    @abstractmethod
    def _loss(self, *columns: Tensor) -> Tensor:
        """Return the loss of a minibatch of transitions, 0-dim; columns are (batch, width)."""

    def _learn(self, *columns: Tensor) -> None:
        """Keep a step's transitions, each column (num_envs, width); train when it is time."""
        self._buffer[self._filled] = torch.cat(columns, dim=1)
        self._filled += 1
        if self._filled == self.learner.train_every:
            self._train()
            self._filled = 0

    def _train(self) -> None:
        transitions = self._buffer.flatten(0, 1)
        order = torch.randperm(len(transitions), generator=self._shuffle)
        for batch in order.split(self.learner.batch_size):
            self._optimizer.zero_grad()
            with torch.enable_grad():
                self._loss(*transitions[batch].split(self._widths, dim=1)).backward()
            self._optimizer.step()

    def reset(self) -> None:  # noqa: B027 - a default, not forgotten
        """Do nothing: what is learned runs over episodes."""


def mlp(
    widths: Sequence[int], activation: type[nn.Module], generator: torch.Generator
) -> nn.Module:
    """Draw a perceptron: orthogonal weights, biases uniform within 1/sqrt(fan-in).

    Without biases a rectified network is homogeneous, f(cx) = c f(x), and on few coordinates a
    random one would be close to linear. The global generator is not touched.

    Args:
        widths: of the input, of each hidden layer and of the output, which is linear.
        activation: between layers.
        generator: the source of the weights.

    >>> mlp([3, 8, 2], nn.ReLU, torch.Generator().manual_seed(0))(torch.zeros(5, 3)).shape
    torch.Size([5, 2])
    """
    layers: list[nn.Module] = []
    for fan_in, fan_out in pairwise(widths):
        # Made without values: drawing them would advance the global generator.
        layer = nn.Linear(fan_in, fan_out, device="meta").to_empty(device="cpu")
        nn.init.orthogonal_(layer.weight, GAIN, generator=generator)
        bound = fan_in**-0.5
        nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
        layers += [layer, activation()]
    return nn.Sequential(*layers[:-1])


def rows(values: Array) -> Tensor:
    """Copy an array into a tensor of the networks' precision."""
    return torch.from_numpy(np.array(values, dtype=np.float32))
