"""The score as a torchmetrics ``Metric``. Needs the extra ``integrations``.

Its state is the moments of all pairs so far, in float64. They merge exactly, so batches, epochs
and the ranks of a distributed job add up to the score of the undivided data.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.observer.checks import check_sizes
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Moments, merge


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

    moments: Tensor

    def __init__(self, observer: Observer, *, target_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(observer, Observer):
            raise UserTypeError(f"observer must be an Observer, got {type(observer).__name__}")
        if observer.solver not in ("auto", "gram"):
            raise UserError(
                f"a metric works on moments: solver must be auto or gram, got {observer.solver!r}"
            )
        check_sizes(target_dim=target_dim)
        self.observer, self.target_dim = copy.deepcopy(observer), target_dim
        m, d = observer.reservoir.feature_dim, target_dim
        self._merge = partial(_merge, feature_dim=m, target_dim=d)
        # One state and not one per sum: means and products have to be merged together.
        empty = torch.zeros(3 + 2 * m + 3 * d + m * m + m * d, dtype=torch.float64)
        self.add_state("moments", empty, dist_reduce_fx=self._merge)

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
        part = rows.moments(torch.float64).pack().to(self.moments.device)
        self.moments = self._merge(torch.stack([self.moments, part]))

    def compute(self) -> Tensor:
        """Return the bits of all pairs so far, 0-dim; NaN for fewer than two.

        NaN and no error: a last batch of one sample must not stop a training loop, in which
        ``forward`` asks for the score of every batch.
        """
        if float(self.moments[0]) < 2:
            return self.moments.new_tensor(torch.nan)
        sizes = self.observer.reservoir.feature_dim, self.target_dim
        return self.observer.bits(Moments.unpack(self.moments, *sizes))

    @property
    def count(self) -> float:
        """How many pairs this process has seen."""
        return float(self.moments[0])


def _merge(vectors: Tensor, feature_dim: int, target_dim: int) -> Tensor:
    """Merge packed moments (num_parts, size); parts without rows, all zeros, are left out."""
    seen = [vector for vector in vectors if float(vector[0]) > 0]
    if len(seen) < 2:
        return seen[0] if seen else vectors[0]
    return merge(Moments.unpack(vector, feature_dim, target_dim) for vector in seen).pack()


__all__ = ["Epiplexity"]
