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

from learnable_novelty.observer.online import kernel
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
    linear_last: bool


NO_LAYERS = Layers(np.zeros((0, 0, 0)), np.zeros((0, 0)), 1.0, 0.0, True)
"""For features that compiled code does not compute."""


def lay_out(mlp: MLP, given: dict[str, Tensor]) -> Layers:
    """Write the weights of an MLP for compiled code."""
    depth, width, fan_ins = mlp.depth, mlp.width, mlp.fan_ins()
    side = 4 * -(-width // 4)
    weights, biases = np.zeros((depth, side, max(fan_ins))), np.zeros((depth, side))
    for layer, fan_in in enumerate(fan_ins):
        weights[layer, :width, :fan_in] = given[f"weight{layer}"].numpy()
        biases[layer, :width] = given[f"bias{layer}"].numpy()
    return Layers(weights, biases, float(mlp.gain), float(mlp.epsilon), mlp.linear_last)


class GroupedState(NamedTuple):
    """All sums. ``side`` is the number of features, filled up to a multiple of four."""

    feature_dim: int
    side: int
    counts: Floats
    """COUNT of pairs; ACTIVE, one where a stream has a pair, else zero; and KNOWN, one where SCALE,
    INVERSE, PIVOTS and FACTOR are those of the sums, (groups, 3, GROUP)."""
    features: Floats
    """ORIGIN and MEAN; DEVIATION of the latest pairs; SCALE; INVERSE, 1/L_ii, and PIVOTS, L_ii^2,
    of the latest A = L L', (groups, 6, side, GROUP)."""
    matrices: Floats
    """GRAM, H'H, and FACTOR, L, (groups, 2, side^2 + PAD, GROUP)."""
    targets: Floats
    """ORIGIN, MEAN, DEVIATION, and POWER, the sum of squared deviations,
    (heads, groups, 4, target_dim, GROUP)."""
    cross: Floats
    """B, (heads, groups, side target_dim, GROUP)."""
    outer: Floats
    """Q, (heads, groups, side^2, GROUP)."""
    peak: Floats
    """Largest diagonal of Q so far, (heads, groups, side, GROUP)."""
    room: Floats
    """For what a step computes, (rows, GROUP)."""

    @staticmethod
    def zeros(heads: int, num_streams: int, input_dim: int, m: int, d: int) -> GroupedState:
        """Make the sums of streams that have seen nothing."""
        side, groups = 4 * -(-m // 4), -(-num_streams // GROUP)
        # Three matrices, one of at least eight columns, three diagonals and two rows; or a pair.
        for_scores = 3 * side**2 + side * max(side, 8) + 3 * side + 2 + 4 * kernel.PAD
        shapes = (
            (groups, 3),
            (groups, 6, side),
            (groups, 2, side**2 + kernel.PAD),
            (heads, groups, 4, d),
            (heads, groups, side * d),
            (heads, groups, side**2),
            (heads, groups, side),
            (max(for_scores, max(input_dim, side, d) + side),),
        )
        return GroupedState(m, side, *(np.zeros((*shape, GROUP)) for shape in shapes))

    def parts(self, head: int) -> dict[str, Floats]:
        """Return views of the sums of a head, (groups, ..., GROUP) each, filled up to ``side``."""
        side, targets = self.side, self.targets[head].swapaxes(0, 1)
        square = (-1, side, side, GROUP)
        return {
            "count": self.counts[:, kernel.COUNT],
            "feature_origin": self.features[:, kernel.ORIGIN],
            "feature_mean": self.features[:, kernel.MEAN],
            "gram": self.matrices[:, kernel.GRAM, : side**2].reshape(square),
            "target_origin": targets[kernel.ORIGIN],
            "target_mean": targets[kernel.MEAN],
            "power": targets[kernel.POWER],
            "peak": self.peak[head],
            "cross": self.cross[head].reshape(-1, side, targets.shape[2], GROUP),
            "outer": self.outer[head].reshape(square),
        }


class Results(NamedTuple):
    """What a step writes, (num_heads, num_streams) each."""

    scores: Floats
    route: NDArray[np.int64]
    some_doubtful: NDArray[np.bool_]
    """(1,)."""


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
        self._reservoir, self._num_streams = reservoir, num_streams
        mlp = reservoir if type(reservoir) is MLP else None
        self._mlp = mlp if mlp and mlp.normalize and mlp.activation == "elu" else None
        self._weights: dict[str, Tensor] = {}
        self._layers = NO_LAYERS
        self._state = GroupedState.zeros(num_heads, num_streams, reservoir.input_dim, m, target_dim)
        self._results = Results(np.zeros(shape), np.zeros(shape, np.int64), np.zeros(1, np.bool_))
        self.scores, self.route, self.some_doubtful = self._results
        self._all, self._like = np.ones(num_streams, np.bool_), torch.zeros(0, dtype=torch.float64)
        # Room for inputs, for features where compiled code does not make them, and for targets.
        widths = reservoir.input_dim, m, target_dim
        self._room = tuple(np.zeros((num_streams, width)) for width in widths)
        self._pair: Any = self._room
        self._compute = NO_LAYERS
        self._viewed: tuple[Tensor | None, Tensor | None] = None, None
        """Tensors whose memory ``_pair`` views: given again, there is nothing to read."""

    @property
    def count(self) -> Tensor:
        return torch.from_numpy(ungroup(self._state.counts, self._num_streams)[:, kernel.COUNT])

    def tensors(self, head: int) -> dict[str, Tensor]:
        m, parts = self.feature_dim, self._state.parts(head)
        sums = {name: ungroup(value, self._num_streams) for name, value in parts.items()}
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
        parts = self._state.parts(head)
        for name, value in values.items():
            group(value, parts[name])
        self._state.counts[:, kernel.KNOWN] = 0.0

    def set_origin(self, head: int, origin: Tensor) -> None:
        m, parts = self.feature_dim, self._state.parts(head)
        parts["feature_origin"][:, :m] = origin.numpy()[:m, None]
        parts["target_origin"][:] = origin.numpy()[m:, None]

    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        chosen = np.arange(self._num_streams)[
            streams.numpy() if isinstance(streams, Tensor) else streams
        ]
        groups, places = np.divmod(chosen, GROUP)
        for head in range(self.num_heads):
            for value in self._state.parts(head).values():
                value[groups, ..., places] = 0.0
        self._state.counts[groups, kernel.KNOWN] = 0.0
        self.scores[:, chosen] = 0.0
        self.route[:, chosen] = 0

    def read(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        shape, dtype = self._room[0].shape, torch.float64
        if self._mlp is None or inputs.dtype is not dtype or inputs.shape != shape:
            return self._read_features(inputs, targets)
        weights = self._mlp.weights_like(self._like)
        if weights is not self._weights:  # the reservoir was drawn anew
            self._weights, self._layers = weights, lay_out(self._mlp, weights)
        self._compute = self._layers
        if inputs is not self._viewed[0] or targets is not self._viewed[1]:
            self._read_pair(inputs, targets)
        return dtype

    def _read_features(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        """Let the reservoir compute the features."""
        with torch.no_grad():
            features = self._reservoir.forward(inputs)  # also what it refuses
        torch.from_numpy(self._room[1]).copy_(features)
        self._compute = NO_LAYERS
        self._read_pair(inputs, targets)
        return features.dtype

    def _read_pair(self, inputs: Tensor, targets: Tensor) -> None:
        """View the pairs as arrays, or copy them."""
        given, features, wanted = self._room
        inputs_read = contiguous(inputs, given) if inputs.shape == given.shape else given
        targets_read = contiguous(targets, wanted)
        if self.target_unit != 1.0:
            targets_read = np.divide(targets_read, self.target_unit, out=wanted)
        self._pair = inputs_read, features, targets_read
        viewed = inputs_read is not given and targets_read is not wanted
        self._viewed = (inputs, targets) if viewed else (None, None)

    def advance(self, signs: Any, active: Tensor | None, setting: Setting, allowed: float) -> float:
        mask = self._all if active is None else active.contiguous().numpy()
        state, results, (inputs, features, targets) = self._state, self._results, self._pair
        return kernel.step(
            inputs, features, targets, mask, signs, self._compute, setting, state, results, allowed
        )


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
    if values.dtype is torch.float64 and values.is_contiguous():
        try:
            return values.numpy()
        except (RuntimeError, TypeError):  # it has a gradient, or is not on the CPU
            pass
    torch.from_numpy(room).copy_(values.detach())
    return room
