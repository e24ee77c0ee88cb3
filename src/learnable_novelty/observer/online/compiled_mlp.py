"""A reservoir laid out for compiled code: ``kernel`` computes its features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.reservoirs.base import Reservoir
from learnable_novelty.observer.reservoirs.feedforward import MLP

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


class CompiledMLP:
    """The layers of an MLP on float64 vectors, for ``kernel`` to compute what it computes."""

    @classmethod
    def of(cls, reservoir: Reservoir) -> CompiledMLP | None:
        """Lay a reservoir out; None where it is not such an MLP."""
        compiled = type(reservoir) is MLP and reservoir.normalize and reservoir.activation == "elu"
        return cls(reservoir) if compiled and isinstance(reservoir, MLP) else None

    def __init__(self, reservoir: MLP) -> None:
        self._reservoir = reservoir
        self._like = torch.zeros(0, dtype=torch.float64)
        self._weights: dict[str, Tensor] = {}
        self._layers = NO_LAYERS

    def layers(self) -> Layers:
        """Return the layers as they are now: they change when the reservoir is drawn anew."""
        weights = self._reservoir.weights_like(self._like)
        if weights is not self._weights:
            self._weights, self._layers = weights, self._lay_out(weights)
        return self._layers

    def _lay_out(self, given: dict[str, Tensor]) -> Layers:
        reservoir = self._reservoir
        depth, width, fan_ins = reservoir.depth, reservoir.width, reservoir.fan_ins()
        side = 4 * -(-width // 4)
        weights, biases = np.zeros((depth, side, max(fan_ins))), np.zeros((depth, side))
        for layer, fan_in in enumerate(fan_ins):
            weights[layer, :width, :fan_in] = given[f"weight{layer}"].numpy()
            biases[layer, :width] = given[f"bias{layer}"].numpy()
        numbers = (reservoir.gain, reservoir.epsilon, reservoir.input_scale)
        return Layers(weights, biases, *map(float, numbers))
