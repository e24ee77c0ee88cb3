"""The score as a torchmetrics ``Metric``. Needs the extra ``integrations``.

Its state is the moments of all pairs so far, in float64. They merge exactly, so batches, epochs
and the ranks of a distributed job add up to the score of the undivided data.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.observer import Moments, Observer, merge
from learnable_novelty.observer.reservoirs.base import check_sizes


class Epiplexity(Metric):
    """Score targets against inputs, in bits, over any number of batches and ranks.

    Args:
        observer: the observer; a copy of it is kept. With ``solver="auto"`` it works on moments.
        target_dim: number of target columns.
        **kwargs: of ``torchmetrics.Metric``, such as ``process_group``.

    >>> from learnable_novelty import Observer, reservoirs
    >>> metric = Epiplexity(Observer(reservoirs.MLP(2, 16, 2), ridge_penalty=0.1), target_dim=2)
    >>> for x in torch.randn(256, 2).split(64):
    ...     metric.update(x, x.sin())
    >>> bool(metric.compute() > 0)
    True
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0

    moments: Tensor

    def __init__(self, observer: Observer, *, target_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(observer, Observer):
            raise UserTypeError(f"observer must be an Observer, got {type(observer).__name__}")
        if observer.solver not in ("auto", "cholesky"):
            raise UserError(
                "a metric works on moments: solver must be auto or cholesky, "
                f"got {observer.solver!r}"
            )
        check_sizes(target_dim=target_dim)
        self.observer, self.target_dim = copy.deepcopy(observer), target_dim
        self._layout = Layout(observer.reservoir.feature_dim, target_dim)
        # One state and not one per sum: means and products have to be merged together.
        self.add_state("moments", self._layout.empty(), dist_reduce_fx=self._layout.merge)

    def update(self, inputs: Tensor, targets: Tensor) -> None:
        """Add pairs; an empty batch adds nothing.

        Args:
            inputs: what the observer takes, such as (num_samples, input_dim).
            targets: (num_samples, target_dim), or (num_samples, target_dim, length).
        """
        if len(inputs) == 0 and len(targets) == 0:
            return
        rows = self.observer.rows(inputs, targets)
        if rows.targets.shape[1] != self.target_dim:
            raise UserError(
                f"expected targets of target_dim={self.target_dim}, got {rows.targets.shape[1]}"
            )
        part = self._layout.pack(rows.moments(torch.float64)).to(self.moments.device)
        self.moments = self._layout.merge(torch.stack([self.moments, part]))

    def compute(self) -> Tensor:
        """Return the bits of all pairs so far, 0-dim; NaN for fewer than two.

        NaN and no error: a last batch of one sample must not stop a training loop, in which
        ``forward`` asks for the score of every batch.
        """
        if float(self.moments[0]) < 2:
            return self.moments.new_tensor(torch.nan)
        return self.observer.bits(self._layout.unpack(self.moments))

    def plot(self, val: Tensor | Sequence[Tensor] | None = None, ax: Any = None) -> tuple[Any, Any]:
        """Draw values: one, one per step, or by default that of all pairs so far.

        Args:
            val: results of ``compute`` or ``forward``.
            ax: of matplotlib, to draw there; a new figure by default.

        Returns:
            The figure and its axes; bits upwards from 0.
        """
        axes: Any = self._plot(val, ax)[1]
        axes.set_ylabel("epiplexity, bits")
        return axes.figure, axes

    @property
    def count(self) -> float:
        """How many pairs this process has seen."""
        return float(self.moments[0])


class Layout:
    """Moments as one vector: count, rounding units, means, products; none seen is all zeros."""

    def __init__(self, feature_dim: int, target_dim: int) -> None:
        self.feature_dim, self.target_dim = feature_dim, target_dim
        m, d = feature_dim, target_dim
        self._sizes = [3, m, d, m * m, m * d, d]

    def empty(self) -> Tensor:
        """Return the vector of no rows."""
        return torch.zeros(sum(self._sizes), dtype=torch.float64)

    def pack(self, moments: Moments) -> Tensor:
        """Write moments as a vector."""
        head = [moments.count, moments.feature_eps, moments.target_eps]
        parts = [
            moments.gram.new_tensor(head),
            moments.feature_mean,
            moments.target_mean,
            moments.gram.flatten(),
            moments.cross.flatten(),
            moments.target_power,
        ]
        return torch.cat(parts)

    def unpack(self, vector: Tensor) -> Moments:
        """Read moments from a vector."""
        head, feature_mean, target_mean, gram, cross, power = vector.split(self._sizes)
        count, feature_eps, target_eps = head.tolist()
        return Moments(
            count=count,
            feature_mean=feature_mean,
            target_mean=target_mean,
            gram=gram.view(self.feature_dim, self.feature_dim),
            cross=cross.view(self.feature_dim, self.target_dim),
            target_power=power,
            feature_eps=feature_eps,
            target_eps=target_eps,
        )

    def merge(self, vectors: Tensor) -> Tensor:
        """Merge vectors (num_parts, size) by Chan's update; parts without rows are left out."""
        seen = [vector for vector in vectors if float(vector[0]) > 0]
        if not seen:
            return vectors[0]
        return self.pack(merge(map(self.unpack, seen))) if len(seen) > 1 else seen[0]


__all__ = ["Epiplexity"]
