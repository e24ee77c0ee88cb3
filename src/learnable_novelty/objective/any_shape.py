"""A reservoir for inputs of any shape: vectors, sequences, images, with an action beside them."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import conv1d, conv2d, elu, layer_norm, linear

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.observer.checks import check_sizes
from learnable_novelty.observer.reservoirs.base import Reservoir, uniform_layer
from learnable_novelty.seeds import Seed

SMALL_ENOUGH = 4
"""Convolutions halve the sides until none is longer than this."""
EPSILON = 1e-5
"""Added to the variance in the normalization."""


class AnyShape(Reservoir):
    """A random network whose form follows from the shape of one input.

        h' = elu(normalize(W * h + b)),    features = W h + b

    Vectors pass two hidden layers; sequences and images pass convolutions of kernel 3 and stride 2
    until their sides are at most 4. Every hidden layer is normalized over its channels, the last
    layer is linear. An action passes one hidden layer of its own and joins the last layer.

    Args:
        shape: of one input: (size,), (channels, length) or (channels, height, width).
        features: how many features come out.
        width: units, or channels, of every hidden layer.
        action_dim: length of an action vector; 0 for none.
        seed: an integer, or a generator that one is drawn from.

    >>> AnyShape((3, 32, 32))(torch.zeros(5, 3, 32, 32)).shape
    torch.Size([5, 64])
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        features: int = 64,
        width: int = 64,
        *,
        action_dim: int = 0,
        seed: Seed = 0,
    ) -> None:
        super().__init__(seed)
        shape = tuple(shape)
        if len(shape) not in (1, 2, 3):
            raise UserError(
                "expected inputs (num_samples, size), (num_samples, channels, length) or "
                f"(num_samples, channels, height, width), got one input of shape {shape}"
            )
        check_sizes(
            features=features, width=width, **{f"axis {i + 1}": s for i, s in enumerate(shape)}
        )
        self.shape, self.width, self.action_dim = shape, width, action_dim
        self.feature_dim, self.input_dim = features, math.prod(shape)
        self.sides = shape[1:]
        self.depth = 2
        if self.sides:
            self.depth = max(1, math.ceil(math.log2(max(self.sides) / SMALL_ENOUGH)))
        self.redraw(self.seed)

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        drawn: dict[str, Tensor] = {}
        kernel = (3,) * len(self.sides)
        fan_in, left = self.shape[0], self.sides
        for layer in range(self.depth):
            weight, bias = uniform_layer(generator, self.width, fan_in * math.prod(kernel))
            drawn[f"weight{layer}"] = weight.view(self.width, fan_in, *kernel)
            drawn[f"bias{layer}"] = bias
            fan_in, left = self.width, tuple((side + 1) // 2 for side in left)
        units = self.width * math.prod(left)
        if self.action_dim:
            drawn["action_weight"], drawn["action_bias"] = uniform_layer(
                generator, self.width, self.action_dim
            )
            units += self.width
        drawn["last_weight"], drawn["last_bias"] = uniform_layer(generator, self.feature_dim, units)
        return drawn

    def forward(self, inputs: Tensor, action: Tensor | None = None) -> Tensor:
        """Map inputs (num_samples, *shape), and actions (num_samples, action_dim), to features."""
        self._check(inputs, action)
        weights = self.weights_like(inputs)
        hidden = inputs
        for layer in range(self.depth):
            hidden = self._drive(hidden, weights[f"weight{layer}"], weights[f"bias{layer}"])
            hidden = _normalized(hidden)
        hidden = hidden.flatten(1)
        if action is not None:
            drive = linear(action.to(inputs), weights["action_weight"], weights["action_bias"])
            hidden = torch.cat([hidden, _normalized(drive)], dim=1)
        return linear(hidden, weights["last_weight"], weights["last_bias"])

    def _drive(self, hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        if not self.sides:
            return linear(hidden, weight, bias)
        convolve = conv1d if len(self.sides) == 1 else conv2d
        return convolve(hidden, weight, bias, stride=2, padding=1)

    def rows(self, values: Tensor) -> Tensor:
        return values

    def _check(self, inputs: Tensor, action: Tensor | None) -> None:
        if not inputs.is_floating_point():
            raise UserTypeError(f"expected floating inputs, got dtype {inputs.dtype}")
        if tuple(inputs.shape[1:]) != self.shape:
            raise UserError(
                f"expected inputs (num_samples, {', '.join(map(str, self.shape))}), as in the "
                f"first batch, got {tuple(inputs.shape)}"
            )
        expected = (len(inputs), self.action_dim) if self.action_dim else None
        given = None if action is None else tuple(action.shape)
        if given != expected:
            raise UserError(
                f"expected {'no action' if expected is None else f'actions {expected}'}, "
                f"got {'none' if given is None else given}"
            )

    def extra_repr(self) -> str:
        sizes = f"{self.shape}, features={self.feature_dim}, width={self.width}"
        return f"{sizes}, action_dim={self.action_dim}, seed={self.seed}"


def _normalized(drive: Tensor) -> Tensor:
    """Return elu of what was normalized over the channels, which are axis 1."""
    last = drive.movedim(1, -1)
    return elu(layer_norm(last, last.shape[-1:], eps=EPSILON)).movedim(-1, 1)
