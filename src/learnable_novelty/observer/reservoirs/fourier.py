"""Random Fourier features: the reservoir whose kernel is the Gaussian one."""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_sizes
from learnable_novelty.observer.reservoirs.base import Reservoir, check_shape
from learnable_novelty.seeds import Seed


class Fourier(Reservoir):
    """Features ``sqrt(2) cos(w x / lengthscale + b)``, w ~ N(0, I), b ~ U(0, 2 pi).

    Products of features average to ``exp(-|x - x'|^2 / (2 lengthscale^2))`` (Rahimi and Recht).

    Args:
        input_dim: length of an input vector.
        width: number of features.
        lengthscale: distance over which features vary.
        seed: an integer, or a generator that one is drawn from.

    >>> Fourier(3, width=8)(torch.zeros(5, 3)).shape
    torch.Size([5, 8])
    """

    def __init__(
        self, input_dim: int, width: int, *, lengthscale: float = 1.0, seed: Seed = 0
    ) -> None:
        super().__init__(seed)
        check_sizes(input_dim=input_dim, width=width)
        if not lengthscale > 0:
            raise UserError(f"lengthscale must be positive, got {lengthscale!r}")
        self.input_dim, self.lengthscale = input_dim, lengthscale
        self.width = self.feature_dim = width
        self.redraw(self.seed)

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        shape = (self.feature_dim, self.input_dim)
        frequency = torch.randn(shape, generator=generator, dtype=torch.float64)
        phase = torch.rand(self.feature_dim, generator=generator, dtype=torch.float64)
        return {"frequency": frequency / self.lengthscale, "phase": 2 * torch.pi * phase}

    def reads(self, inputs: Tensor) -> Tensor:
        check_shape(inputs, ("num_samples", "input_dim"), 1, self.input_dim)
        return inputs

    def driven(self, reads: Tensor) -> Tensor:
        weights = self.weights_like(reads)
        return 2**0.5 * torch.cos(reads @ weights["frequency"].T + weights["phase"])

    def resized(self, features: int, depth: int | None = None) -> Fourier:
        return Fourier(**{**self.settings(), "width": features})
