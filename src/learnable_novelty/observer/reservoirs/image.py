"""A convolutional reservoir for whole images: one row per image."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, conv2d, max_pool2d

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.observer.checks import check_number, check_sizes
from learnable_novelty.observer.reservoirs.base import Reservoir, check_activation, uniform_layer
from learnable_novelty.seeds import Seed

POOLINGS = {"average": avg_pool2d, "max": max_pool2d}


class ImageConv(Reservoir):
    """A random convolutional network on grey images; its last map, flattened, is the features.

        h' = pool(act(gain * normalize(W * h + b))),    of the last layer pool(W * h + b)

    with a zero-padded convolution, normalized over the channels of every pixel as in appendix A.

    Args:
        side: pixels along an edge.
        channels: of every layer.
        depth: number of layers; each divides the edge by ``pool``, rounded down.
        kernel_size: odd.
        pool: edge of the squares that are pooled after each layer; 1 pools nothing.
        pooling: "average" or "max".
        activation: "elu", "gelu", "tanh" or "relu".
        normalize: normalize pre-activations over the channels.
        gain: factor on the normalized pre-activations.
        linear_last: leave the last layer without normalization and nonlinearity; false gives it
            both, as every other layer has them.
        epsilon: added to the variance in the normalization.
        seed: an integer, or a generator that one is drawn from.

    >>> ImageConv(28, channels=128, depth=3).feature_dim
    1152
    """

    def __init__(
        self,
        side: int,
        channels: int,
        depth: int,
        kernel_size: int = 3,
        *,
        pool: int = 2,
        pooling: str = "average",
        activation: str = "elu",
        normalize: bool = True,
        gain: float = 1.0,
        linear_last: bool = True,
        epsilon: float = 1e-5,
        seed: Seed = 0,
    ) -> None:
        super().__init__(seed)
        check_sizes(side=side, channels=channels, depth=depth, kernel_size=kernel_size, pool=pool)
        check_number("gain", gain)
        check_number("epsilon", epsilon)
        if kernel_size % 2 == 0:
            raise UserError(f"kernel_size must be odd, got {kernel_size}")
        if pooling not in POOLINGS:
            raise UserError(f"pooling must be average or max, got {pooling!r}")
        if epsilon < 0:
            raise UserError(f"epsilon must be at least 0, got {epsilon!r}")
        last = side // pool**depth
        if last < 1:
            raise UserError(f"expected side at least pool**depth = {pool**depth}, got {side}")
        self.side, self.channels, self.depth = side, channels, depth
        self.kernel_size, self.pool, self.pooling = kernel_size, pool, pooling
        self.activation, self._nonlinearity = activation, check_activation(activation)
        self.normalize, self.gain, self.epsilon = normalize, gain, epsilon
        self.linear_last = bool(linear_last)
        self.input_dim, self.feature_dim = side * side, channels * last**2
        self.redraw(self.seed)

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        drawn: dict[str, Tensor] = {}
        k = self.kernel_size
        for layer in range(self.depth):
            reads = 1 if layer == 0 else self.channels
            weight, bias = uniform_layer(generator, self.channels, reads * k * k)
            drawn[f"weight{layer}"] = weight.view(self.channels, reads, k, k)
            drawn[f"bias{layer}"] = bias
        return drawn

    def forward(self, inputs: Tensor) -> Tensor:
        """Map images (num_samples, side, side) or (num_samples, 1, side, side) to features.

        Returns:
            (num_samples, feature_dim), channel by channel.
        """
        hidden = self._enter(inputs)
        weights = self.weights_like(inputs)
        for layer in range(self.depth):
            weight, bias = weights[f"weight{layer}"], weights[f"bias{layer}"]
            drive = conv2d(hidden, weight, bias, padding=self.kernel_size // 2)
            if not (self.linear_last and layer == self.depth - 1):
                drive = self._activate(drive)
            hidden = POOLINGS[self.pooling](drive, self.pool) if self.pool > 1 else drive
        return hidden.flatten(1)

    def _activate(self, drive: Tensor) -> Tensor:
        if self.normalize:
            last = drive.movedim(1, -1)
            last = torch.layer_norm(last, (self.channels,), None, None, self.epsilon)
            drive = last.movedim(-1, 1)
        return self._nonlinearity(drive * self.gain if self.gain != 1.0 else drive)

    def _enter(self, inputs: Tensor) -> Tensor:
        square = (self.side, self.side)
        if not inputs.is_floating_point():
            raise UserTypeError(f"expected floating images, got dtype {inputs.dtype}")
        if inputs.shape[1:] not in (square, (1, *square)):
            raise UserError(
                f"expected images (num_samples, side={self.side}, side={self.side}) or "
                f"(num_samples, 1, {self.side}, {self.side}), got shape {tuple(inputs.shape)}"
            )
        return inputs.reshape(-1, 1, *square)
