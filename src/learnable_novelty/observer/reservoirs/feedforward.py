"""Feedforward reservoirs: on vectors (MLP) and on circular lattices (Conv1d, Conv2d)."""

from __future__ import annotations

import copy
import importlib.util
import itertools
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn.functional import elu_, linear

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_number, check_sizes
from learnable_novelty.observer.reservoirs.base import (
    Reservoir,
    check_activation,
    check_shape,
    uniform_layer,
)
from learnable_novelty.seeds import Seed

HAS_TRITON = importlib.util.find_spec("triton") is not None


class Feedforward(Reservoir):
    """Layers ``h' = act(gain * normalize(W h + b))`` on the last axis, the last one ``W h + b``.

    ``normalize`` is the pre-activation normalization of appendix A: zero mean and unit variance
    over the feature axis, with ``epsilon`` added to the variance. It holds the perturbation
    multiplier near one whatever the depth and the scale of the input. It stands before each
    nonlinearity; the last layer has neither, unless ``linear_last`` is false.
    """

    layout: tuple[str, ...] = ("num_samples", "input_dim")
    space: int = 0
    """How many axes a lattice has."""

    def __init__(
        self,
        input_dim: int,
        width: int,
        depth: int,
        *,
        activation: str = "elu",
        normalize: bool = True,
        gain: float = 1.0,
        linear_last: bool = True,
        epsilon: float = 1e-5,
        seed: Seed = 0,
    ) -> None:
        super().__init__(seed)
        check_sizes(input_dim=input_dim, width=width, depth=depth)
        check_number("gain", gain)
        check_number("epsilon", epsilon)
        if epsilon < 0:
            raise UserError(f"epsilon must be at least 0, got {epsilon!r}")
        self.activation = activation
        # The pre-activations are fresh: the ELU may overwrite them, which saves a tenth of a call.
        self._nonlinearity = elu_ if activation == "elu" else check_activation(activation)
        self.input_dim, self.width, self.depth = input_dim, width, depth
        self.normalize, self.gain = normalize, gain
        self.linear_last, self.epsilon = bool(linear_last), epsilon
        self.feature_dim = width
        self._names = [(f"weight{layer}", f"bias{layer}") for layer in range(depth)]
        self._layers: tuple[dict[str, Tensor], list[tuple[Tensor, Tensor]]] = {}, []
        self.redraw(self.seed)

    def fan_ins(self) -> list[int]:
        """List how many values each layer reads at one site."""
        return [self.input_dim] + [self.width] * (self.depth - 1)

    def gather(self, hidden: Tensor, layer: int) -> Tensor:
        """Collect what a layer reads at each site: here, the site itself."""
        return hidden

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        drawn: dict[str, Tensor] = {}
        for (weight, bias), fan_in in zip(self._names, self.fan_ins(), strict=True):
            drawn[weight], drawn[bias] = uniform_layer(generator, self.width, fan_in)
        return drawn

    def preactivation(self, hidden: Tensor, layer: int) -> Tensor:
        """Compute a layer's pre-activations, before normalization, from the hidden state."""
        weight, bias = self._layers_like(hidden)[layer]
        return linear(self.gather(hidden, layer), weight.T, bias)

    def advance(self, hidden: Tensor, layer: int) -> Tensor:
        """Apply one layer to a hidden state whose features lie on the last axis."""
        return self.activate(self.preactivation(hidden, layer), layer)

    def activate(self, drive: Tensor, layer: int) -> Tensor:
        """Turn a layer's pre-activations into its outputs, overwriting them."""
        if self.linear_last and layer == self.depth - 1:
            return drive
        if self.normalize:
            drive = torch.layer_norm(drive, (self.width,), None, None, self.epsilon)
        return self._nonlinearity(drive * self.gain if self.gain != 1.0 else drive)

    def copied(self) -> Self:
        other = copy.copy(self)  # weights are replaced when they are drawn, never changed
        other._buffers, other._rounded = dict(self._buffers), {}
        return other

    def _layers_like(self, hidden: Tensor) -> list[tuple[Tensor, Tensor]]:
        # Transposed weight and bias of every layer, looked up once: a step of the online observer
        # is so short that names and dictionaries would show.
        weights = self.weights_like(hidden)
        if self._layers[0] is not weights:
            self._layers = weights, [(weights[w].T, weights[b]) for w, b in self._names]
        return self._layers[1]

    def enter(self, inputs: Tensor) -> Tensor:
        """Check inputs and lay them out with the feature axis last."""
        check_shape(inputs, self.layout, 1, self.input_dim)
        return inputs

    def leave(self, hidden: Tensor) -> Tensor:
        """Undo the layout of ``enter``."""
        return hidden

    @property
    def layers(self) -> int:
        return self.depth

    def reads(self, inputs: Tensor) -> Tensor:
        return self.gather(self.enter(inputs), 0)

    def driven(self, reads: Tensor) -> Tensor:
        hidden = reads
        for layer, (weight, bias) in enumerate(self._layers_like(hidden)):
            seen = self.gather(hidden, layer) if layer and self.space else hidden
            # On vectors addmm does what linear does, less the time it takes to find out.
            flat = seen.ndim == 2
            drive = torch.addmm(bias, seen, weight) if flat else linear(seen, weight.T, bias)
            hidden = self.activate(drive, layer)
        return self.leave(hidden)

    def resized(self, features: int, depth: int | None = None) -> Feedforward:
        changed: Any = {"channels" if isinstance(self, Convolution) else "width": features}
        changed |= {} if depth is None else {"depth": depth}
        return type(self)(**self.settings() | changed)


class MLP(Feedforward):
    """A random multilayer perceptron on vectors: inputs (num_samples, input_dim).

    Args:
        input_dim: length of an input vector.
        width: units of every layer, and the number of features.
        depth: number of layers, each but the last followed by the nonlinearity.
        activation: "elu", "gelu", "tanh" or "relu".
        normalize: normalize pre-activations over the feature axis (appendix A).
        gain: factor on the normalized pre-activations; one is the edge of chaos.
        linear_last: leave the last layer without normalization and nonlinearity, as the paper
            does; false gives it both, as every other layer has them.
        epsilon: added to the variance in the normalization.
        seed: an integer, or a generator that one is drawn from.

    >>> MLP(3, width=8, depth=2)(torch.zeros(5, 3)).shape
    torch.Size([5, 8])
    """


class Convolution(Feedforward):
    """Circular convolutions; the last layer has kernel 1. Lattice sites are rows."""

    def __init__(
        self,
        input_channels: int,
        channels: int,
        depth: int,
        kernel_size: int = 3,
        *,
        activation: str = "elu",
        normalize: bool = True,
        gain: float = 1.0,
        linear_last: bool = True,
        epsilon: float = 1e-5,
        seed: Seed = 0,
    ) -> None:
        check_sizes(input_channels=input_channels, channels=channels, kernel_size=kernel_size)
        if kernel_size % 2 == 0:
            raise UserError(f"kernel_size must be odd, got {kernel_size}")
        self.input_channels, self.channels, self.kernel_size = input_channels, channels, kernel_size
        knobs: Any = {"activation": activation, "normalize": normalize, "gain": gain}
        knobs |= {"linear_last": linear_last, "epsilon": epsilon, "seed": seed}
        super().__init__(input_channels, channels, depth, **knobs)
        self.receptive_radius = (depth - 1) * (kernel_size // 2)

    def fan_ins(self) -> list[int]:
        sites = self.kernel_size**self.space
        reads = [sites] * (self.depth - 1) + [1]
        return [size * count for size, count in zip(super().fan_ins(), reads, strict=True)]

    def gather(self, hidden: Tensor, layer: int) -> Tensor:
        if layer == self.depth - 1:
            return hidden
        reach = self.kernel_size // 2
        axes = tuple(range(1, 1 + self.space))
        offsets = itertools.product(range(-reach, reach + 1), repeat=self.space)
        # roll, and not a padded convolution: it wraps on rings narrower than the kernel too.
        return torch.cat([hidden.roll([-o for o in off], axes) for off in offsets], dim=-1)

    def enter(self, inputs: Tensor) -> Tensor:
        return super().enter(inputs).movedim(1, -1)

    def leave(self, hidden: Tensor) -> Tensor:
        return hidden.movedim(-1, 1)

    def rows(self, values: Tensor) -> Tensor:
        return values.movedim(1, -1).reshape(-1, values.shape[1])


class Conv1d(Convolution):
    """A random circular convolution on rings: inputs (num_samples, input_channels, length).

    Arguments are those of ``MLP``, with ``channels`` for width and an odd ``kernel_size``
    for every layer but the last, which has kernel 1. A feature sees ``receptive_radius`` sites
    to each side.

    >>> Conv1d(1, channels=8, depth=3).receptive_radius
    2
    """

    space = 1
    layout = ("num_samples", "channels", "length")

    def forward(self, inputs: Tensor) -> Tensor:
        if not self._can_fuse(inputs):
            return super().forward(inputs)
        from learnable_novelty.observer.reservoirs.fused_ring import fused_layer

        hidden = self.enter(inputs)
        for layer, (weight, bias) in enumerate(self._layers_like(hidden)):
            last = self.linear_last and layer == self.depth - 1
            hidden = fused_layer(hidden, weight, bias, None if last else self.epsilon)
        return self.leave(hidden)

    def _can_fuse(self, inputs: Tensor) -> bool:
        """Tell whether the GPU kernel computes this: where TF32 is allowed, without gradient."""
        plain = self.normalize and self.gain == 1.0 and self.activation == "elu"
        return (
            plain
            and inputs.is_cuda
            and inputs.dtype == torch.float32
            and self.width in (64, 128, 256)
            and inputs.shape[-1] >= self.kernel_size
            and bool(torch.backends.cuda.matmul.allow_tf32)
            and not (torch.is_grad_enabled() and inputs.requires_grad)
            and HAS_TRITON
        )


class Conv2d(Convolution):
    """A random circular convolution on tori: inputs (num_samples, channels, height, length)."""

    space = 2
    layout = ("num_samples", "channels", "height", "length")
