"""A reservoir that reads its inputs through a matrix: it looks where the readout changes most."""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.seeds import Seed, split


class Focused(Reservoir):
    """Features ``phi(A x)``: x is what the first layer reads, and A is fixed.

    x is an input vector; of a convolution the window of its first layer, at every site; of a
    recurrent reservoir the values of a time step. ``redraw`` changes phi and keeps A.

    Args:
        base: phi.
        focus: A, symmetric, (values read, values read).

    >>> from learnable_novelty.observer.reservoirs import MLP
    >>> base, x = MLP(3, width=8, depth=2), torch.randn(5, 3)
    >>> bool((Focused(base, torch.eye(3))(x) == base(x)).all())
    True
    """

    def __init__(self, base: Reservoir, focus: Tensor) -> None:
        super().__init__(base.seed)
        self.base = base
        self.feature_dim, self.input_dim = base.feature_dim, base.input_dim
        self.receptive_radius, self.column_axis = base.receptive_radius, base.column_axis
        self.register_buffer("focus", focus.detach().double())

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        return {}

    def redraw(self, seed: Seed) -> Focused:
        self.seed = seed if isinstance(seed, int) else split(seed, "reservoir")
        self.base.redraw(self.seed)
        return self

    @property
    def layers(self) -> int | None:
        return self.base.layers

    def reads(self, inputs: Tensor) -> Tensor:
        return self.base.reads(inputs)

    def driven(self, reads: Tensor) -> Tensor:
        return self.base.driven(reads @ self.weights_like(reads)["focus"])

    def forward(self, inputs: Tensor) -> Tensor:
        return self.driven(self.reads(inputs))

    def resized(self, features: int, depth: int | None = None) -> Focused:
        return Focused(self.base.resized(features, depth), self.get_buffer("focus"))

    def rows(self, values: Tensor) -> Tensor:
        return self.base.rows(values)

    def __repr__(self) -> str:
        return f"Focused({self.base!r})"
