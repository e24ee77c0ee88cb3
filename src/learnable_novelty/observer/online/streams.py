"""What every backend of the online observer shares: settings, sums and a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

NOT_FINITE, TOO_LARGE = -1.0, -2.0
"""What ``Streams.advance`` returns for pairs that it has not added."""
BY_DETERMINANTS, BY_READOUT, DOUBTFUL = 0, 1, 2
"""How a score was computed; a doubtful one has lost digits and is computed again."""


class Setting(NamedTuple):
    """The settings of an observer, as the formulas use them. Compiled code reads it too."""

    penalty: float
    """lambda."""
    resolution: float
    """eta, for targets in units of u_Y."""
    bits: float
    """alpha / log 2."""
    feature_ratio: float
    """Largest ratio of variance to squared mean of a constant feature."""
    target_ratio: float
    """The same of a constant target; 0 with given constants, where no target is constant."""
    determinant_share: float
    """Smallest ratio of pivot to diagonal for which the determinants are used."""
    readout_share: float
    """Smallest ratio of pivot to diagonal for which the product of the readout is used."""
    fixed_scale: Any
    """1/(sd sqrt(m)) of each feature, (feature_dim,); empty where the stream's moments say it."""


def feature_scale(xp: Any, variance: Any, mean: Any, setting: Setting) -> Any:
    """Return 1/(sd sqrt(m)) per feature, and 0 for one that is constant so far.

    Args:
        xp: NumPy or torch, whose arrays the others are.
        variance: of each feature, (num_streams, feature_dim).
        mean: of each feature, (num_streams, feature_dim).
        setting: of the observer.

    Returns:
        (num_streams, feature_dim), or (1, feature_dim) where it is fixed.
    """
    if len(setting.fixed_scale):
        return setting.fixed_scale[None]
    constant = ~(variance > setting.feature_ratio * (mean * mean))
    variance = variance * variance.shape[-1]
    if not constant.any():
        return 1 / xp.sqrt(variance)
    # Adding one where constant keeps the root away from zero; the quotient is zero there.
    return ~constant / xp.sqrt(variance + constant)


@dataclass(frozen=True)
class StreamSums:
    """The sums over the pairs so far: float64 tensors, one row per stream.

    With D = diag(scale) the ridge regression of a stream is A = D gram D + lambda I and
    B = D cross; its readout predicts target_mean + cross' D A^-1 D (h - feature_mean).
    """

    count: Tensor
    """Pairs, (num_streams,)."""
    feature_mean: Tensor
    """Of the pairs, or the given one, (num_streams, feature_dim)."""
    target_mean: Tensor
    """Of the pairs, or the given one, (num_streams, target_dim)."""
    gram: Tensor
    """H'H of deviations from these means, (num_streams, feature_dim, feature_dim)."""
    cross: Tensor
    """H'Y of deviations from these means, (num_streams, feature_dim, target_dim)."""
    outer: Tensor
    """cross cross', (num_streams, feature_dim, feature_dim)."""
    scale: Tensor
    """1/(sd sqrt(m)) of each feature and 0 where it is constant, (num_streams, feature_dim)."""


class Streams(ABC):
    """The state of all streams.

    Head 0 holds the sums and scores of the pairs. Head 1, with a floor, holds those of the
    prediction errors.
    """

    feature_dim: int
    num_heads: int
    target_unit: float
    """u_Y: all sums of targets are in this unit."""
    scores: Any
    """In bits, (num_heads, num_streams), an array of NumPy or a tensor."""
    route: Any
    """How each of them was computed, (num_heads, num_streams), in NumPy."""
    some_doubtful: Any
    """Whether one of the latest scores is doubtful, (1,), in NumPy."""

    @property
    @abstractmethod
    def count(self) -> Tensor:
        """How many pairs each stream has seen, (num_streams,), maybe not copied."""

    def tensor(self, values: Any) -> Tensor:
        """View scores as a tensor."""
        return values if isinstance(values, Tensor) else torch.from_numpy(values)

    @abstractmethod
    def tensors(self, head: int) -> dict[str, Tensor]:
        """Return the sums of a head by the names of ``plain.PlainSums``, maybe not copied."""

    @abstractmethod
    def load(self, head: int, tensors: dict[str, Tensor]) -> None:
        """Copy what ``tensors`` returned."""

    @abstractmethod
    def set_origin(self, head: int, origin: Tensor) -> None:
        """Give all streams these means of features and targets, (feature_dim + target_dim,)."""

    @abstractmethod
    def clear(self, streams: Tensor | Sequence[int] | slice) -> None:
        """Forget the given streams."""

    @abstractmethod
    def read(self, inputs: Tensor, targets: Tensor) -> torch.dtype:
        """Take the pairs that ``advance`` will add; return the dtype of their features."""

    @abstractmethod
    def advance(self, signs: Any, active: Tensor | None, setting: Setting, allowed: float) -> float:
        """Add the pairs that were read; write ``scores`` and ``route``.

        Args:
            signs: of the errors that floors are given, (num_streams,).
            active: which streams have a pair, (num_streams,); None: all.
            setting: of the observer.
            allowed: how large the sum of all squared deviations may be.

        Returns:
            That sum. Or, and no stream has changed, ``TOO_LARGE``; or ``NOT_FINITE``.
        """

    def state(self) -> dict[str, Tensor]:
        """Return a copy of all sums and scores by name."""
        state: dict[str, Tensor] = {}
        for head, prefix in enumerate(("", "floor_")[: self.num_heads]):
            tensors = {**self.tensors(head), "cumulative": self.tensor(self.scores[head])}
            state |= {f"{prefix}{name}": value.clone() for name, value in tensors.items()}
        return state

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        for head, prefix in enumerate(("", "floor_")[: self.num_heads]):
            self.load(head, {name: state[f"{prefix}{name}"] for name in self.tensors(head)})
            self.tensor(self.scores)[head] = state[f"{prefix}cumulative"]

    def scale(self, tensors: dict[str, Tensor], setting: Setting) -> Tensor:
        """Return the scale of features with these sums, (num_streams, feature_dim)."""
        count, m = tensors["count"], self.feature_dim
        squares = tensors["products"][:, 1].diagonal(dim1=1, dim2=2)
        variance, mean = squares / count.clamp(min=1)[:, None], tensors["origin"] + tensors["mean"]
        if count.device.type != "cpu":
            return feature_scale(torch, variance, mean[:, :m], setting).expand(len(count), m)
        scale = feature_scale(np, variance.numpy(), mean[:, :m].numpy(), setting)
        return torch.from_numpy(scale).expand(len(count), m)

    def sums(self, setting: Setting) -> StreamSums:
        """Return a copy of the sums of the pairs, and the scale of their features."""
        tensors, m, unit = self.tensors(0), self.feature_dim, self.target_unit
        mean, scale = tensors["origin"] + tensors["mean"], self.scale(tensors, setting)
        outer, gram = tensors["products"].clone().unbind(1)
        cross, outer = unit * tensors["cross"], unit * (unit * outer)
        sums = tensors["count"].clone(), mean[:, :m], unit * mean[:, m:], gram, cross, outer
        return StreamSums(*sums, scale.clone())
