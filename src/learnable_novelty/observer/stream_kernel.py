"""The steps of all streams in compiled code, as ``PlainStreams`` would take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.lane_sums import LaneState, LaneSums
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.reservoirs.compiled_mlp import (
    NO_LAYERS,
    CompiledMLP,
    compile_features,
)
from learnable_novelty.observer.stream_lanes import NOT_FINITE, SINGULAR, advance, clear, hold, step
from learnable_novelty.observer.stream_step import Setting

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class CompiledStreams:
    """Takes steps of all streams, and holds their sums: those of floors too, with two heads."""

    def __init__(
        self, reservoir: Reservoir, num_heads: int, num_streams: int, target_dim: int
    ) -> None:
        m = reservoir.feature_dim
        self._reservoir = reservoir
        self._features = compile_features(reservoir)
        sizes = num_streams, m, target_dim
        self._state = LaneState.zeros(num_heads, num_streams, reservoir.input_dim, m, target_dim)
        self.heads = [LaneSums(self._state, head, sizes) for head in range(num_heads)]
        self._shape = (num_streams, reservoir.input_dim)
        self._no_features = np.zeros((num_streams, m))
        self._layers = NO_LAYERS
        self._viewed: tuple[Tensor, Tensor, CompiledMLP] | None = None
        """Tensors that ``_pair`` views: handed in again, they are viewed already."""
        self._pair: tuple[Floats, Floats, Floats]
        """Inputs, features where compiled code does not make them, and targets."""
        self.read = np.zeros((num_heads, num_streams), np.bool_)
        """Whether the latest score came through the readout."""
        self._all = np.ones(num_streams, np.bool_)

    def forget(self) -> None:
        """Do not use what was computed from sums that have changed since."""
        self._state.known[:] = False

    def clear(self, streams: Tensor | Sequence[int] | slice, scores: Floats) -> None:
        """Do what ``PlainStreams.clear`` does."""
        mask = np.zeros(len(self._all), np.bool_)
        mask[streams.numpy() if isinstance(streams, Tensor) else streams] = True
        clear(mask, self._state, scores)

    def take(self, inputs: Tensor, targets: Tensor, active: Tensor | None) -> torch.dtype:
        """Do what ``PlainStreams.take`` does; features are left to ``advance`` where it can."""
        viewed = self._viewed
        if viewed is not None and inputs is viewed[0] and targets is viewed[1]:
            self._layers = viewed[2].layers()
            return torch.float64
        made, features, dtype = self._features, self._no_features, inputs.dtype
        self._layers, self._viewed = NO_LAYERS, None
        if type(made) is CompiledMLP and dtype is torch.float64 and inputs.shape == self._shape:
            self._layers = made.layers()
            if targets.dtype is torch.float64:
                self._viewed = inputs, targets, made
        else:  # also for what the reservoir refuses
            with torch.no_grad():
                found = self._reservoir.forward(inputs)
            features, dtype = doubles(found), found.dtype
        self._pair = doubles(inputs), features, doubles(targets)
        return dtype

    def advance(
        self, draw: Callable[[], Floats], active: Tensor | None, setting: Setting, scores: Floats
    ) -> Floats | None:
        """Do what ``PlainStreams.advance`` does."""
        after = scores.copy()
        mask = self._all if active is None else active.contiguous().numpy()
        given = *self._pair, mask, self._layers
        if len(after) == 1:
            found = step(*given, setting, self._state, after, self.read)
        elif hold(*given, self._state):  # signs are drawn for finite pairs only
            found = advance(mask, draw(), setting, self._state, after, self.read)
        else:
            found = NOT_FINITE
        if found == NOT_FINITE:
            return None
        if found == SINGULAR:
            raise np.linalg.LinAlgError("the normal matrix is not positive definite")
        return after


def doubles(values: Tensor) -> Floats:
    """View values as an array of float64, or convert them to one."""
    return values.numpy() if values.dtype is torch.float64 else values.double().numpy()
