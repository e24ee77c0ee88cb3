"""The steps of all streams in compiled code, as ``PlainStreams`` would take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.online.compiled_mlp import NO_LAYERS, CompiledMLP
from learnable_novelty.observer.online.kernel import advance, clear, hold, step
from learnable_novelty.observer.online.layout import Flags, Floats, GroupedState, group, ungroup
from learnable_novelty.observer.online.setting import Setting
from learnable_novelty.observer.online.streams import NOT_FINITE, TOO_LARGE, Streams
from learnable_novelty.observer.reservoirs import Reservoir


class Results(NamedTuple):
    """What a step writes, (num_heads, num_streams) each."""

    scores: Floats
    doubtful: Flags
    by_readout: Flags


class CompiledStreams(Streams):
    """Holds the sums in groups of four streams, and takes the steps of four at once."""

    def __init__(
        self,
        reservoir: Reservoir,
        num_heads: int,
        num_streams: int,
        target_dim: int,
        target_unit: float,
    ) -> None:
        m, shape = reservoir.feature_dim, (num_heads, num_streams)
        self.feature_dim, self.num_heads, self.target_unit = m, num_heads, target_unit
        self._reservoir, self._mlp = reservoir, CompiledMLP.of(reservoir)
        self._num_streams, self._layers = num_streams, NO_LAYERS
        self._state = GroupedState.zeros(num_heads, num_streams, reservoir.input_dim, m, target_dim)
        self._results = Results(np.zeros(shape), np.zeros(shape, bool), np.zeros(shape, bool))
        self.scores, self.doubtful, self.by_readout = self._results
        self._all = np.ones(num_streams, np.bool_)
        # Inputs, features where compiled code does not make them, and targets: always at the same
        # place, contiguous and float64, for numba compiles anew for every other layout.
        self._pair = (
            np.zeros((num_streams, reservoir.input_dim)),
            np.zeros((num_streams, m)),
            np.zeros((num_streams, target_dim)),
        )

    @property
    def count(self) -> Tensor:
        return torch.from_numpy(ungroup(self._state.shared[:, 0], self._num_streams))

    def tensor(self, values: Any) -> Tensor:
        return torch.from_numpy(values)

    def tensors(self, head: int) -> dict[str, Tensor]:
        m, parts = self.feature_dim, self._state.parts(head)
        sums = {name: ungroup(value, self._num_streams) for name, value in parts.items()}
        lower = np.tril(np.stack([sums["outer"], sums["gram"]], axis=1)[:, :, :m, :m])
        found = {
            "count": sums["count"],
            "origin": np.hstack([sums["feature_origin"][:, :m], sums["target_origin"]]),
            "mean": np.hstack([sums["feature_mean"][:, :m], sums["target_mean"]]),
            "power": sums["power"],
            "peak": sums["peak"][:, :m],
            "products": lower + np.tril(lower, -1).swapaxes(2, 3),
            "cross": sums["cross"][:, :m],
        }
        return {name: torch.tensor(value) for name, value in found.items()}

    def load(self, head: int, tensors: dict[str, Tensor]) -> None:
        m, values = self.feature_dim, {name: value.numpy() for name, value in tensors.items()}
        outer, gram = values.pop("products").swapaxes(0, 1)
        for name in ("origin", "mean"):
            both = values.pop(name)
            values |= {f"feature_{name}": both[:, :m], f"target_{name}": both[:, m:]}
        parts = self._state.parts(head)
        for name, value in {**values, "outer": outer, "gram": gram}.items():
            group(value, parts[name])
        self._state.known[:] = False

    def target_sums(self, head: int) -> tuple[Tensor, Tensor]:
        parts = self._state.parts(head)
        mean = parts["target_origin"] + parts["target_mean"]
        both = ungroup(parts["power"], self._num_streams), ungroup(mean, self._num_streams)
        return torch.from_numpy(both[0]), torch.from_numpy(both[1])

    def set_origin(self, head: int, origin: Tensor) -> None:
        m, parts = self.feature_dim, self._state.parts(head)
        parts["feature_origin"][:, :m] = origin.numpy()[:m, None]
        parts["target_origin"][:] = origin.numpy()[m:, None]

    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        mask = np.zeros(self._num_streams, np.bool_)
        mask[streams.numpy() if isinstance(streams, Tensor) else streams] = True
        clear(mask, self._state, self.scores)

    def read(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        given, features, wanted = self._pair
        torch.from_numpy(wanted).copy_(targets.detach())
        if self.target_unit != 1.0:
            wanted /= self.target_unit
        if inputs.shape == given.shape:
            torch.from_numpy(given).copy_(inputs.detach())
        if self._mlp is not None and inputs.dtype is torch.float64 and inputs.shape == given.shape:
            self._layers = self._mlp.layers()
            return torch.float64
        self._layers = NO_LAYERS
        with torch.no_grad():
            made = self._reservoir.forward(inputs)  # also what it refuses
        torch.from_numpy(features).copy_(made)
        return made.dtype

    def advance(
        self, draw: Callable[[], Any], active: Tensor | None, setting: Setting, allowed: float
    ) -> float:
        mask = self._all if active is None else active.contiguous().numpy()
        state, results = self._state, self._results
        inputs, features, targets = self._pair
        if self.num_heads == 1:
            return step(
                inputs, features, targets, mask, self._layers, setting, state, results, allowed
            )
        power = hold(inputs, features, targets, mask, self._layers, state)
        if power == NOT_FINITE:  # signs are drawn for finite pairs only
            return power
        errors = advance(mask, draw(), setting, state, results, allowed - power)
        return errors if errors == TOO_LARGE else power + errors
