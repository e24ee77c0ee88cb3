"""What every backend of the online observer is: sums and scores of streams, and a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.online.setting import Setting, feature_scale
from learnable_novelty.observer.online.sums import StreamSums

NOT_FINITE, TOO_LARGE = -1.0, -2.0
"""What ``Streams.advance`` returns for pairs that it has not added."""


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
    doubtful: Any
    """Which of the latest scores have lost digits, (num_heads, num_streams), in NumPy."""
    by_readout: Any
    """Which of them came through the readout, (num_heads, num_streams), in NumPy."""

    @property
    @abstractmethod
    def count(self) -> Tensor:
        """How many pairs each stream has seen, (num_streams,), maybe not copied."""

    @abstractmethod
    def tensor(self, values: Any) -> Tensor:
        """View scores as a tensor."""

    @abstractmethod
    def tensors(self, head: int) -> dict[str, Tensor]:
        """Return the sums of a head by the names of ``plain_sums.PlainSums``, maybe not copied."""

    @abstractmethod
    def load(self, head: int, tensors: dict[str, Tensor]) -> None:
        """Copy what ``tensors`` returned."""

    @abstractmethod
    def target_sums(self, head: int) -> tuple[Tensor, Tensor]:
        """Return the power and the mean of each target, (num_streams, target_dim)."""

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
    def advance(
        self, draw: Callable[[], Any], active: Tensor | None, setting: Setting, allowed: float
    ) -> float:
        """Add the pairs that were read; write ``scores`` and ``doubtful``.

        Args:
            draw: draws the signs of the errors that floors are given, (num_streams,).
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
            names = self.tensors(head)
            self.load(head, {name: state[f"{prefix}{name}"] for name in names})
            self.tensor(self.scores)[head] = state[f"{prefix}cumulative"]

    def sums(self, head: int, setting: Setting) -> StreamSums:
        """Return a copy of the sums of a head, and the scale of its features."""
        tensors, m, unit = self.tensors(head), self.feature_dim, self.target_unit
        count, mean = tensors["count"].clone(), tensors["origin"] + tensors["mean"]
        outer, gram = tensors["products"].clone().unbind(1)
        variance = gram.diagonal(dim1=1, dim2=2) / count.clamp(min=1)[:, None]
        xp: Any = np if count.device.type == "cpu" else torch
        arrays = (variance.numpy(), mean[:, :m].numpy()) if xp is np else (variance, mean[:, :m])
        scale = torch.as_tensor(feature_scale(xp, *arrays, setting)).expand(len(count), m).clone()
        cross, outer = unit * tensors["cross"], unit * (unit * outer)
        return StreamSums(count, mean[:, :m], unit * mean[:, m:], gram, cross, outer, scale)
