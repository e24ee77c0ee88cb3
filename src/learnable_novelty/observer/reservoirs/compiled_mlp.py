"""A reservoir laid out for compiled code: ``stream_lanes`` computes its features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.reservoirs.base import Reservoir
from learnable_novelty.observer.reservoirs.feedforward import MLP
from learnable_novelty.observer.stream_lanes import features

Floats = NDArray[np.float64]


class Layers(NamedTuple):
    """All layers in one array each, filled up with zeros."""

    weights: Floats
    """(depth, side, most inputs), side the width filled up to a multiple of four."""
    biases: Floats
    """(depth, side)."""
    gain: float
    epsilon: float
    input_scale: float


NO_LAYERS = Layers(np.zeros((0, 0, 0)), np.zeros((0, 0)), 1.0, 0.0, 1.0)


def compile_features(reservoir: Reservoir) -> Reservoir | CompiledMLP:
    """Return what computes the features of a reservoir: itself, where it is not that MLP."""
    if type(reservoir) is MLP and reservoir.normalize and reservoir.activation == "elu":
        return CompiledMLP(reservoir)
    return reservoir


class CompiledMLP:
    """Computes what ``MLP.forward`` does, for float64 vectors on the CPU."""

    def __init__(self, reservoir: MLP) -> None:
        self._reservoir = reservoir
        self._like = torch.zeros(0, dtype=torch.float64)
        self._held: dict[str, Tensor] = {}
        self._layers = NO_LAYERS

    def forward(self, inputs: Tensor) -> Tensor:
        """Map inputs (num_samples, input_dim) to features (num_samples, width)."""
        self._reservoir.enter(inputs)  # checks them
        out = np.empty((len(inputs), self._reservoir.width))
        features(inputs.contiguous().numpy(), self.layers(), out)
        return torch.from_numpy(out)

    def layers(self) -> Layers:
        """Return the layers as they are now: they change when the reservoir is drawn anew."""
        held = self._reservoir.weights_like(self._like)
        if held is not self._held:
            self._held, self._layers = held, self._lay_out(held)
        return self._layers

    def _lay_out(self, held: dict[str, Tensor]) -> Layers:
        reservoir = self._reservoir
        depth, width, fan_ins = reservoir.depth, reservoir.width, reservoir.fan_ins()
        side = 4 * -(-width // 4)
        weights, biases = np.zeros((depth, side, max(fan_ins))), np.zeros((depth, side))
        for layer, fan_in in enumerate(fan_ins):
            weights[layer, :width, :fan_in] = held[f"weight{layer}"].numpy()
            biases[layer, :width] = held[f"bias{layer}"].numpy()
        knobs = (reservoir.gain, reservoir.epsilon, reservoir.input_scale)
        return Layers(weights, biases, *map(float, knobs))
