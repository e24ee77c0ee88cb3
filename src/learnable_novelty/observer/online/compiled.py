"""The steps of all streams in compiled code, as ``PlainStreams`` would take them.

Compiled code keeps the sums of streams in groups of four, the stream the last axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.observer.online.compiled_mlp import NO_LAYERS, CompiledMLP
from learnable_novelty.observer.online.kernel import advance, clear, hold, step
from learnable_novelty.observer.online.streams import TOO_LARGE, Setting, Streams
from learnable_novelty.observer.online.vectors import GROUP
from learnable_novelty.observer.reservoirs import Reservoir

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class GroupedState(NamedTuple):
    """All sums. ``side`` is the number of features, filled up to a multiple of four."""

    feature_dim: int
    side: int
    shared: Floats
    """n, origin and mean of the features, and H'H, (groups, 1 + 2 side + side^2, GROUP)."""
    own: Floats
    """Of pairs and of floors the origin, mean and power of the targets, the peak of Q, B and Q,
    (heads, groups, 3 D + side + side D + side^2, GROUP)."""
    deviation: Floats
    """Of the latest pairs from the means before them, (heads, groups, side + D, GROUP)."""
    kept: Floats
    """Scale, 1/L_ii, L_ii^2 and L of the latest A = L L', (groups, 3 side + side^2, GROUP)."""
    known: Flags
    """Whether these are those of the sums, (groups,)."""
    room: Floats
    """For what a step computes, (rows, GROUP)."""

    @staticmethod
    def zeros(
        num_heads: int, num_streams: int, input_dim: int, feature_dim: int, target_dim: int
    ) -> GroupedState:
        """Make the sums of streams that have seen nothing."""
        side, groups, d = 4 * -(-feature_dim // 4), -(-num_streams // GROUP), target_dim
        rows = 16 + max(13 * side + 3 * side**2, max(input_dim, side, d) + side)
        return GroupedState(
            feature_dim=feature_dim,
            side=side,
            shared=np.zeros((groups, 1 + 2 * side + side**2, GROUP)),
            own=np.zeros((num_heads, groups, 3 * d + side + side * d + side**2, GROUP)),
            deviation=np.zeros((num_heads, groups, side + d, GROUP)),
            kept=np.zeros((groups, 3 * side + side**2, GROUP)),
            known=np.zeros(groups, np.bool_),
            room=np.zeros((rows, GROUP)),
        )

    def parts(self, head: int) -> dict[str, Floats]:
        """Return views of the sums of a head, (groups, ..., GROUP) each, filled up to ``side``."""
        side, d = self.side, self.deviation.shape[2] - self.side
        own, shared = self.own[head], self.shared
        groups, at = len(shared), 3 * d + side
        return {
            "count": shared[:, 0],
            "feature_origin": shared[:, 1 : 1 + side],
            "feature_mean": shared[:, 1 + side : 1 + 2 * side],
            "gram": shared[:, 1 + 2 * side :].reshape(groups, side, side, GROUP),
            "target_origin": own[:, :d],
            "target_mean": own[:, d : 2 * d],
            "power": own[:, 2 * d : 3 * d],
            "peak": own[:, 3 * d : at],
            "cross": own[:, at : at + side * d].reshape(groups, side, d, GROUP),
            "outer": own[:, at + side * d :].reshape(groups, side, side, GROUP),
        }


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
        # Room for inputs, for features where compiled code does not make them, and for targets.
        widths = reservoir.input_dim, m, target_dim
        self._room = tuple(np.zeros((num_streams, width)) for width in widths)
        self._pair: Any = self._room
        self._viewed: tuple[Tensor, Tensor] | None = None
        """Tensors whose memory ``_pair`` views: given again, there is nothing to do."""

    @property
    def count(self) -> Tensor:
        return torch.from_numpy(ungroup(self._state.shared[:, 0], self._num_streams))

    def tensor(self, values: Any) -> Tensor:
        return torch.from_numpy(values)

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
        outer, gram = values.pop("products").swapaxes(0, 1)
        for name in ("origin", "mean"):
            both = values.pop(name)
            values |= {f"feature_{name}": both[:, :m], f"target_{name}": both[:, m:]}
        parts = self._state.parts(head)
        for name, value in {**values, "outer": outer, "gram": gram}.items():
            group(value, parts[name])
        self._state.known[:] = False

    def set_origin(self, head: int, origin: Tensor) -> None:
        m, parts = self.feature_dim, self._state.parts(head)
        parts["feature_origin"][:, :m] = origin.numpy()[:m, None]
        parts["target_origin"][:] = origin.numpy()[m:, None]

    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        mask = np.zeros(self._num_streams, np.bool_)
        mask[streams.numpy() if isinstance(streams, Tensor) else streams] = True
        clear(mask, self._state, self.scores)

    def read(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        viewed = self._viewed
        if viewed is None or inputs is not viewed[0] or targets is not viewed[1]:
            return self._read_others(inputs, targets)
        if self._mlp is not None:
            self._layers = self._mlp.layers()
        return torch.float64

    def _read_others(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        """Read other tensors than those of the latest step."""
        given, features, wanted = self._room
        compiled = (
            self._mlp is not None and inputs.dtype is torch.float64 and inputs.shape == given.shape
        )
        if compiled and self._mlp is not None:
            self._layers, dtype = self._mlp.layers(), torch.float64
        else:
            with torch.no_grad():
                made = self._reservoir.forward(inputs)  # also what it refuses
            torch.from_numpy(features).copy_(made)
            self._layers, dtype = NO_LAYERS, made.dtype
        inputs_read = contiguous(inputs, given) if inputs.shape == given.shape else given
        targets_read = contiguous(targets, wanted)
        if self.target_unit != 1.0:
            targets_read = np.divide(targets_read, self.target_unit, out=wanted)
        viewed = compiled and inputs_read is not given and targets_read is not wanted
        self._viewed = (inputs, targets) if viewed else None
        self._pair = inputs_read, features, targets_read
        return dtype

    def advance(
        self, draw: Callable[[], Any], active: Tensor | None, setting: Setting, allowed: float
    ) -> float:
        mask = self._all if active is None else active.contiguous().numpy()
        state, results, pair, layers = self._state, self._results, self._pair, self._layers
        if self.num_heads == 1:
            return step(*pair, mask, layers, setting, state, results, allowed)  # pyright: ignore[reportCallIssue]
        power = hold(*pair, mask, layers, state)  # pyright: ignore[reportCallIssue]
        if power < 0.0:  # not finite: signs are drawn for finite pairs only
            return power
        errors = advance(mask, draw(), setting, state, results, allowed - power)
        return errors if errors == TOO_LARGE else power + errors


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
