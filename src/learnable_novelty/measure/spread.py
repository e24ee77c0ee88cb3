"""Mean and deviation of columns, from chunks that merge."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.observer.standardize import is_constant


@dataclass(frozen=True)
class Spread:
    """Count, means and sums of squared deviations of columns; ``+`` merges (Chan et al.)."""

    count: int
    mean: Tensor
    """(columns,)"""
    power: Tensor
    """Sums of squared deviations, (columns,)."""
    eps: float
    """Rounding unit of the values' own dtype: what "constant" means for them."""

    @staticmethod
    def of(values: Tensor, column_axis: int) -> Spread:
        """Compute it over all axes but that of the columns."""
        columns = values.movedim(column_axis, -1).reshape(-1, values.shape[column_axis]).double()
        mean = columns.mean(0)
        power = (columns - mean).square().sum(0)
        return Spread(columns.shape[0], mean, power, torch.finfo(values.dtype).eps)

    def __add__(self, other: Spread) -> Spread:
        """Merge two disjoint sets of rows."""
        count = self.count + other.count
        share = other.count / count
        apart = other.mean - self.mean
        return Spread(
            count=count,
            mean=self.mean + share * apart,
            power=self.power + other.power + self.count * share * apart.square(),
            eps=max(self.eps, other.eps),
        )

    def scale(self) -> tuple[Tensor, Tensor]:
        """Return mean and deviation, 1 for a constant column."""
        variance = self.power / self.count
        constant = is_constant(variance, self.mean, self.eps)
        return self.mean, torch.where(constant, 1.0, variance.sqrt())
