"""The edge of chaos: how a perturbation grows from one layer to the next."""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.errors import UserTypeError
from learnable_novelty.observer.reservoirs import Feedforward
from learnable_novelty.seeds import Seed, torch_generator


def perturbation_norms(reservoir: Feedforward, inputs: Tensor, *, seed: Seed = 0) -> Tensor:
    """Follow an infinitesimal input perturbation through the layers.

    The perturbation is a random Gaussian direction per sample, carried by exact forward-mode
    derivatives.

    Returns:
        Norms of the perturbation per layer and sample, (depth + 1, num_samples), layer 0 being
        the input.
    """
    if not isinstance(reservoir, Feedforward):
        raise UserTypeError(
            f"expected an MLP, Conv1d or Conv2d reservoir, got {type(reservoir).__name__}"
        )
    hidden = reservoir.enter(inputs)
    generator = torch_generator(seed, "perturbation")
    drawn = torch.randn(hidden.shape, generator=generator, dtype=torch.float64)
    tangent = drawn.to(device=hidden.device, dtype=hidden.dtype)
    norms = [tangent.flatten(1).norm(dim=1)]
    for layer in range(reservoir.depth):
        moved = torch.func.jvp(
            lambda state, layer=layer: reservoir.advance(state, layer), (hidden,), (tangent,)
        )
        hidden, tangent = moved[0], moved[1]
        norms.append(tangent.flatten(1).norm(dim=1))
    return torch.stack(norms)
