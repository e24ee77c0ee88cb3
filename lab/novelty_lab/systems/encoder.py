"""Encoders of images: what learns a code of its own when its score is climbed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils import skip_init

from learnable_novelty.errors import UserError
from learnable_novelty.seeds import Seed, torch_generator
from novelty_lab.systems.unit import unit_norm

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "elu": nn.functional.elu,
    "gelu": nn.functional.gelu,
    "tanh": torch.tanh,
}


class Encoder(nn.Module):
    """The paper's encoder (table 4): a multilayer perceptron with a code of unit length.

        h' = act(W h + b),   z = v / |v|  with  v = W h + b  of the last layer

    Args:
        pixels: values per image.
        widths: units of the hidden layers.
        code_dim: length of a code, D.
        activation: "relu", "elu", "gelu" or "tanh"; the paper is silent.
        normalize: scale codes to unit length; a code of zeros becomes (1, 0, ..., 0).
        seed: of the initial weights, uniform in +-1/sqrt(fan_in), drawn on the CPU.

    >>> Encoder(64, code_dim=8)(torch.rand(5, 8, 8)).shape
    torch.Size([5, 8])
    """

    def __init__(
        self,
        pixels: int,
        widths: Sequence[int] = (64, 128, 256),
        code_dim: int = 64,
        *,
        activation: str = "relu",
        normalize: bool = True,
        seed: Seed = 0,
    ) -> None:
        super().__init__()
        for size in (pixels, *widths, code_dim):
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise UserError(
                    "pixels, widths and code_dim must be positive integers, got "
                    f"{pixels!r}, {tuple(widths)!r} and {code_dim!r}"
                )
        if activation not in ACTIVATIONS:
            raise UserError(
                f"activation must be one of {', '.join(ACTIVATIONS)}, got {activation!r}"
            )
        self.pixels, self.code_dim, self.normalize = pixels, code_dim, normalize
        self._nonlinearity = ACTIVATIONS[activation]
        sizes = itertools.pairwise((pixels, *widths, code_dim))
        self.layers = nn.ModuleList(skip_init(nn.Linear, i, o) for i, o in sizes)
        draw_weights(self, seed)

    def forward(self, images: Tensor) -> Tensor:
        """Encode images (num_samples, side, side) or (num_samples, pixels).

        Returns:
            Codes, (num_samples, code_dim).
        """
        hidden = _flat(images, self.pixels)
        for layer in self.layers[:-1]:
            hidden = self._nonlinearity(layer(hidden))
        code = self.layers[-1](hidden)
        return unit_norm(code, dim=1) if self.normalize else code


@torch.no_grad()
def draw_weights(module: nn.Module, seed: Seed) -> None:
    """Draw weights and biases of all layers uniform in +-1/sqrt(fan_in), as PyTorch does.

    In float64 on the CPU, then rounded: one seed is one encoder on every device.
    """
    generator = torch_generator(seed, "encoder")
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            bound = layer.weight[0].numel() ** -0.5
            for parameter in layer.parameters(recurse=False):
                drawn = torch.rand(parameter.shape, generator=generator, dtype=torch.float64)
                parameter.copy_((2 * drawn - 1) * bound)


def _flat(images: Tensor, pixels: int) -> Tensor:
    if images.ndim not in (2, 3) or images[:1].numel() not in (0, pixels):
        raise UserError(
            f"expected images (num_samples, side, side) or (num_samples, pixels={pixels}), "
            f"got shape {tuple(images.shape)}"
        )
    return images.reshape(images.shape[0], pixels)
