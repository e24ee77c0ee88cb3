"""No reservoir: inputs that are features already, made by someone else's code."""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.observer.checks import check_sizes
from learnable_novelty.observer.reservoirs.base import Reservoir, check_shape


class Identity(Reservoir):
    """Take the inputs (num_samples, input_dim) as features; every draw is the same.

    >>> Identity(3)(torch.ones(5, 3)).shape
    torch.Size([5, 3])
    """

    def __init__(self, input_dim: int) -> None:
        super().__init__(0)
        check_sizes(input_dim=input_dim)
        self.input_dim = self.feature_dim = input_dim

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        return {}

    def forward(self, inputs: Tensor) -> Tensor:
        check_shape(inputs, ("num_samples", "input_dim"), 1, self.input_dim)
        return inputs
