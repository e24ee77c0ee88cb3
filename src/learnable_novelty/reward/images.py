"""Images as vectors: the code of a frozen random convolution, or of an encoder of your own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import adaptive_avg_pool2d, conv2d, elu

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array
from learnable_novelty.seeds import Seed, torch_generator

Encoder = Callable[[np.ndarray], Any]
"""Takes a batch of images as environments return them, (n, *shape); returns codes, (n, any)."""

CHANNELS, LAYERS, GRID, CODE_DIM = 16, 2, 8, 128
MOST_COLOURS = 4
"""An axis of at most this length, the last or else the first, holds the colours."""


class FrozenConvolution:
    """Code an image by a random convolution, in which nothing is learned.

    Two layers of 3 x 3 filters at every second pixel with ELU, means over a grid of 8 x 8 fields,
    and a random projection to 128 numbers. Bytes are divided by 255.

    >>> FrozenConvolution((56, 56, 3))(np.zeros((5, 56, 56, 3), np.uint8)).shape
    (5, 128)
    """

    def __init__(self, shape: tuple[int, ...], *, seed: Seed = 0) -> None:
        self._first = is_colours_first(shape)
        colours = 1 if len(shape) == 2 else shape[0] if self._first else shape[-1]
        if len(shape) > 3:
            raise UserError(
                f"expected images of two or three axes, got shape {shape}; pass encoder="
            )
        generator = torch_generator(seed, "images")
        reads = [colours, *[CHANNELS] * (LAYERS - 1)]
        self._filters = [_normal(generator, 9 * n, (CHANNELS, n, 3, 3)) for n in reads]
        cells = CHANNELS * GRID**2
        self._projection = _normal(generator, cells, (cells, CODE_DIM))

    @torch.no_grad()
    def __call__(self, images: np.ndarray) -> Array:
        """Return codes (n, 128) of images (n, height, width[, colours]), or colours first."""
        hidden = torch.from_numpy(np.asarray(images, dtype=np.float32))
        if images.dtype == np.uint8:
            hidden = hidden / 255
        if hidden.dim() == 3:
            hidden = hidden[..., None]
        hidden = hidden if self._first else hidden.movedim(-1, 1)
        for filters in self._filters:
            hidden = elu(conv2d(hidden, filters, stride=2, padding=1))
        cells = adaptive_avg_pool2d(hidden, GRID).flatten(1)
        return (cells @ self._projection).numpy().astype(np.float64)


def is_colours_first(shape: tuple[int, ...]) -> bool:
    """Tell whether the first axis of an image holds its colours."""
    return len(shape) == 3 and shape[-1] > MOST_COLOURS >= shape[0]


def _normal(generator: torch.Generator, fan_in: int, shape: tuple[int, ...]) -> Tensor:
    return torch.randn(shape, generator=generator) / math.sqrt(fan_in)


class ImageCodes:
    """Code images of any shape, with the encoder that is given or with a frozen convolution.

    Args:
        encoder: takes images as the environments return them, (n, *shape), and returns (n, any).
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        if encoder is not None and not callable(encoder):
            raise UserError(f"encoder must be a function of images, got {type(encoder).__name__}")
        self.encoder = encoder
        self._made: dict[tuple[int, ...], FrozenConvolution] = {}

    def __call__(self, images: np.ndarray) -> Array:
        """Return codes (n, code_dim) of images (n, *shape)."""
        shape = images.shape[1:]
        if self.encoder is None:
            if shape not in self._made:
                self._made[shape] = FrozenConvolution(shape)
            return self._made[shape](images)
        codes = self.encoder(images)
        codes = codes.detach().cpu().numpy() if isinstance(codes, Tensor) else np.asarray(codes)
        if codes.ndim != 2 or len(codes) != len(images) or codes.dtype.kind not in "fiu":
            raise UserError(
                f"encoder must return one row of numbers per image, got shape {codes.shape} for "
                f"{len(images)} images"
            )
        return codes.astype(np.float64)

    def dim(self, shape: tuple[int, ...], dtype: Any) -> int:
        """Return how many numbers the code of such an image has."""
        return self(np.zeros((1, *shape), dtype)).shape[1]
