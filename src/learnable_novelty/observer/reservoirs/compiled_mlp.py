"""The features of a few vectors in one compiled call: a step of a stream is shorter than torch's.

h' = elu(gain * normalize(W h + b)),   normalize(z) = (z - mean z) / sqrt(var z + epsilon)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.reservoirs.base import Reservoir
from learnable_novelty.observer.reservoirs.feedforward import MLP

Floats = NDArray[np.float64]


def compile_features(reservoir: Reservoir) -> Reservoir | CompiledMLP:
    """Return what computes the features of a reservoir: itself, where it is none of the above."""
    if type(reservoir) is MLP and reservoir.normalize and reservoir.activation == "elu":
        return CompiledMLP(reservoir)
    return reservoir


class CompiledMLP:
    """Computes what ``MLP.forward`` does, for float64 vectors on the CPU."""

    def __init__(self, reservoir: MLP) -> None:
        self.reservoir = reservoir
        self._held: dict[str, Tensor] = {}

    def forward(self, inputs: Tensor) -> Tensor:
        """Map inputs (num_samples, input_dim) to features (num_samples, width)."""
        if inputs.dtype != torch.float64:
            return self.reservoir.forward(inputs)
        reservoir = self.reservoir
        hidden, held = reservoir.enter(inputs), reservoir.weights_like(inputs)
        if held is not self._held:
            self._take(held)
        weights, biases = self._layers
        out = np.empty((len(inputs), reservoir.width))
        features(hidden.numpy(), weights, biases, reservoir.gain, reservoir.epsilon, out)
        return torch.from_numpy(out)

    def _take(self, held: dict[str, Tensor]) -> None:
        """Lay the layers out in one array: weights (depth, width, fan_in), zero beyond fan_in."""
        depth, width = self.reservoir.depth, self.reservoir.width
        weights = np.zeros((depth, width, max(self.reservoir.fan_ins())))
        for layer, fan_in in enumerate(self.reservoir.fan_ins()):
            weights[layer, :, :fan_in] = held[f"weight{layer}"].numpy()
        biases = np.stack([held[f"bias{layer}"].numpy() for layer in range(depth)])
        self._held, self._layers = held, (weights, biases)


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def features(
    inputs: Any, weights: Floats, biases: Floats, gain: float, epsilon: float, out: Floats
) -> None:
    """Apply all layers to every row of the inputs."""
    depth, width, most = weights.shape
    hidden, drive = np.zeros(max(most, width)), np.empty(width)
    for row in range(len(inputs)):
        fan_in = inputs.shape[1]
        hidden[:fan_in] = inputs[row]
        for layer in range(depth):
            mean, variance = 0.0, 0.0
            for i in range(width):
                total = biases[layer, i]
                for k in range(fan_in):
                    total += weights[layer, i, k] * hidden[k]
                drive[i] = total
                mean += total
            mean /= width
            for i in range(width):
                drive[i] -= mean
                variance += drive[i] * drive[i]
            scale = gain / math.sqrt(variance / width + epsilon)
            fan_in = width
            for i in range(width):
                z = scale * drive[i]
                hidden[i] = max(z, 0.0) + (math.exp(min(z, 0.0)) - 1.0)  # no branch to mispredict
        out[row] = hidden[:width]
