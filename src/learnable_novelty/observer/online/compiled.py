"""The steps of all streams in compiled code, as ``PlainStreams`` would take them.

Compiled code keeps the sums of streams in groups of four, the stream the last axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.online.kernel import step
from learnable_novelty.observer.online.streams import Setting, Streams
from learnable_novelty.observer.online.vectors import GROUP
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.reservoirs.feedforward import MLP

Floats = NDArray[np.float64]


class Layers(NamedTuple):
    """All layers of an MLP in one array each, filled up with zeros."""

    weights: Floats
    """(depth, side, most inputs), side the width filled up to a multiple of four."""
    biases: Floats
    """(depth, side)."""
    gain: float
    epsilon: float
    input_scale: float


NO_LAYERS = Layers(np.zeros((0, 0, 0)), np.zeros((0, 0)), 1.0, 0.0, 1.0)
"""For features that compiled code does not compute."""


def lay_out(mlp: MLP, given: dict[str, Tensor]) -> Layers:
    """Write the weights of an MLP for compiled code."""
    depth, width, fan_ins = mlp.depth, mlp.width, mlp.fan_ins()
    side = 4 * -(-width // 4)
    weights, biases = np.zeros((depth, side, max(fan_ins))), np.zeros((depth, side))
    for layer, fan_in in enumerate(fan_ins):
        weights[layer, :width, :fan_in] = given[f"weight{layer}"].numpy()
        biases[layer, :width] = given[f"bias{layer}"].numpy()
    return Layers(weights, biases, float(mlp.gain), float(mlp.epsilon), float(mlp.input_scale))


class GroupedState(NamedTuple):
    """All sums. ``side`` is the number of features, filled up to a multiple of four."""

    feature_dim: int
    side: int
    active: Floats
    """One where a stream has a pair, else zero, (groups, 1, GROUP)."""
    count: Floats
    """(groups, 1, GROUP)."""
    feature_origin: Floats
    feature_mean: Floats
    feature_deviation: Floats
    """Of the latest pairs from the means before them, as the two before (groups, side, GROUP)."""
    gram: Floats
    """H'H, (groups, side^2, GROUP)."""
    target_origin: Floats
    target_mean: Floats
    target_deviation: Floats
    power: Floats
    """Sum of squared deviations, as the three before (heads, groups, target_dim, GROUP)."""
    cross: Floats
    """B, (heads, groups, side target_dim, GROUP)."""
    outer: Floats
    """Q, (heads, groups, side^2, GROUP)."""
    peak: Floats
    """Largest diagonal of Q so far, (heads, groups, side, GROUP)."""
    scale: Floats
    inverse: Floats
    """1/L_ii of the latest A = L L'."""
    pivots: Floats
    """L_ii^2, as the two before (groups, side, GROUP)."""
    factor: Floats
    """L, (groups, side^2, GROUP)."""
    known: NDArray[np.bool_]
    """Whether the four before are those of the sums, (groups,)."""
    room: Floats
    """For what a step computes, (rows, GROUP)."""

    @staticmethod
    def zeros(num_heads: int, num_streams: int, input_dim: int, m: int, d: int) -> GroupedState:
        """Make the sums of streams that have seen nothing."""
        side, groups = 4 * -(-m // 4), -(-num_streams // GROUP)

        def of_features(size: int) -> Floats:
            return np.zeros((groups, size, GROUP))

        def of_targets(size: int) -> Floats:
            return np.zeros((num_heads, groups, size, GROUP))

        rows = max(4 * side**2 + 3 * side + 2, max(input_dim, side, d) + side)
        return GroupedState(
            m,
            side,
            *map(of_features, (1, 1, side, side, side, side**2)),
            *map(of_targets, (d, d, d, d, side * d, side**2, side)),
            *map(of_features, (side, side, side, side**2)),
            np.zeros(groups, np.bool_),
            np.zeros((rows, GROUP)),
        )


class Results(NamedTuple):
    """What a step writes, (num_heads, num_streams) each."""

    scores: Floats
    route: NDArray[np.int64]


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
        self._reservoir, self._num_streams, self._target_dim = reservoir, num_streams, target_dim
        mlp = reservoir if type(reservoir) is MLP else None
        self._mlp = mlp if mlp and mlp.normalize and mlp.activation == "elu" else None
        self._weights: dict[str, Tensor] = {}
        self._layers = NO_LAYERS
        self._state = GroupedState.zeros(num_heads, num_streams, reservoir.input_dim, m, target_dim)
        self._results = Results(np.zeros(shape), np.zeros(shape, np.int64))
        self.scores, self.route = self._results
        self._all, self._like = np.ones(num_streams, np.bool_), torch.zeros(0, dtype=torch.float64)
        # Room for inputs, for features where compiled code does not make them, and for targets.
        widths = reservoir.input_dim, m, target_dim
        self._room = tuple(np.zeros((num_streams, width)) for width in widths)
        self._pair: Any = self._room
        self._compute = NO_LAYERS

    @property
    def count(self) -> Tensor:
        return torch.from_numpy(ungroup(self._state.count, self._num_streams)[:, 0])

    def tensor(self, values: Any) -> Tensor:
        return torch.from_numpy(values)

    def _parts(self, head: int) -> dict[str, Floats]:
        """Return views of the sums, (groups, ..., GROUP) each, filled up to ``side``."""
        state, side = self._state, self._state.side
        parts = {name: getattr(state, name) for name in ("count", "feature_origin", "feature_mean")}
        names = ("target_origin", "target_mean", "power", "peak", "cross", "outer")
        parts |= {name: getattr(state, name)[head] for name in names}
        parts |= {"count": state.count[:, 0], "gram": state.gram}
        for name, width in (("gram", side), ("outer", side), ("cross", self._target_dim)):
            parts[name] = parts[name].reshape(-1, side, width, GROUP)
        return parts

    def tensors(self, head: int) -> dict[str, Tensor]:
        m, streams = self.feature_dim, self._num_streams
        sums = {name: ungroup(value, streams) for name, value in self._parts(head).items()}
        lower = np.tril(np.stack([sums["outer"], sums["gram"]], axis=1)[:, :, :m, :m])
        arrays = {
            "count": sums["count"],
            "origin": np.hstack([sums["feature_origin"][:, :m], sums["target_origin"]]),
            "mean": np.hstack([sums["feature_mean"][:, :m], sums["target_mean"]]),
            "power": sums["power"],
            "peak": sums["peak"][:, :m],
            "products": lower + np.tril(lower, -1).swapaxes(2, 3),
            "cross": sums["cross"][:, :m],
        }
        return {name: torch.tensor(value) for name, value in arrays.items()}

    def load(self, head: int, tensors: dict[str, Tensor]) -> None:
        m, values = self.feature_dim, {name: value.numpy() for name, value in tensors.items()}
        values["outer"], values["gram"] = values.pop("products").swapaxes(0, 1)
        for name in ("origin", "mean"):
            both = values.pop(name)
            values |= {f"feature_{name}": both[:, :m], f"target_{name}": both[:, m:]}
        parts = self._parts(head)
        for name, value in values.items():
            group(value, parts[name])
        self._state.known[:] = False

    def set_origin(self, head: int, origin: Tensor) -> None:
        m = self.feature_dim
        self._state.feature_origin[:, :m] = origin.numpy()[:m, None]
        self._state.target_origin[head] = origin.numpy()[m:, None]

    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        chosen = np.arange(self._num_streams)[
            streams.numpy() if isinstance(streams, Tensor) else streams
        ]
        groups, places = np.divmod(chosen, GROUP)
        for head in range(self.num_heads):
            for value in self._parts(head).values():
                value[groups, ..., places] = 0.0
        self._state.known[groups] = False
        self.scores[:, chosen] = 0.0
        self.route[:, chosen] = 0

    def read(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        given, features, wanted = self._room
        if self._mlp and inputs.dtype is torch.float64 and inputs.shape == given.shape:
            weights, dtype = self._mlp.weights_like(self._like), torch.float64
            if weights is not self._weights:  # the reservoir was drawn anew
                self._weights, self._layers = weights, lay_out(self._mlp, weights)
            self._compute, given = self._layers, contiguous(inputs, given)
        else:
            with torch.no_grad():
                made = self._reservoir.forward(inputs)  # also what it refuses
            torch.from_numpy(features).copy_(made)
            self._compute, dtype = NO_LAYERS, made.dtype
            given = contiguous(inputs, given) if inputs.shape == given.shape else given
        wanted_read = contiguous(targets, wanted)
        if self.target_unit != 1.0:
            wanted_read = np.divide(wanted_read, self.target_unit, out=wanted)
        self._pair = given, features, wanted_read
        return dtype

    def advance(self, signs: Any, active: Tensor | None, setting: Setting, allowed: float) -> float:
        mask = self._all if active is None else active.contiguous().numpy()
        power, self.some_doubtful = step(
            *self._pair, mask, signs, self._compute, setting, self._state, self._results, allowed
        )
        return power


def ungroup(values: Floats, num_streams: int) -> Floats:
    """Return (groups, ..., GROUP) as (num_streams, ...)."""
    return np.moveaxis(values, -1, 1).reshape(-1, *values.shape[1:-1])[:num_streams]


def group(values: Floats, out: Floats) -> None:
    """Write (num_streams, ...) to (groups, ..., GROUP), whose last sizes may be larger."""
    at = tuple(slice(size) for size in values.shape[1:])
    for stream, value in enumerate(values):
        out[(stream // GROUP, *at, stream % GROUP)] = value


def contiguous(values: Tensor, room: Floats) -> Floats:
    """View values as float64 row by row, or copy them: numba compiles anew for other layouts."""
    if values.dtype is torch.float64 and values.is_contiguous() and values.is_cpu:
        return values.detach().numpy() if values.requires_grad else values.numpy()
    torch.from_numpy(room).copy_(values.detach())
    return room
