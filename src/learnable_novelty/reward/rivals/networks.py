"""The networks of the rivals: plain perceptrons, drawn from a generator of their own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from learnable_novelty.reward.bonus import Array

GAIN = 2**0.5
"""Of the weights, so that rectified layers keep the size of what they are given."""


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
