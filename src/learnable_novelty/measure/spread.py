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
    unit: Tensor
    """Powers of two near the largest values, (columns,): of 1e200 and of 1e-200 there are no
    squares, and a power of two costs no rounding."""
    mean: Tensor
    """In these units, (columns,)."""
    power: Tensor
    """Sums of squared deviations in these units, (columns,)."""
    eps: float
    """Rounding unit of the values' own dtype: what "constant" means for them."""

    @staticmethod
    def of(values: Tensor, column_axis: int) -> Spread:
        """Compute it over all axes but that of the columns."""
        columns = values.movedim(column_axis, -1).reshape(-1, values.shape[column_axis]).double()
        exponent = torch.frexp(columns.abs().amax(0)).exponent.clamp(-1000, 1000)
        unit = torch.exp2(exponent.double())
        columns = columns / unit
        mean = columns.mean(0)
        power = (columns - mean).square().sum(0)
        return Spread(columns.shape[0], unit, mean, power, torch.finfo(values.dtype).eps)

    def __add__(self, other: Spread) -> Spread:
        """Merge two disjoint sets of rows."""
        count, unit = self.count + other.count, torch.maximum(self.unit, other.unit)
        mine, theirs = self.unit / unit, other.unit / unit
        share, apart = other.count / count, other.mean * theirs - self.mean * mine
        power = self.power * mine.square() + other.power * theirs.square()
        return Spread(
            count=count,
            unit=unit,
            mean=self.mean * mine + share * apart,
            power=power + self.count * share * apart.square(),
            eps=max(self.eps, other.eps),
        )

    def scale(self) -> tuple[Tensor, Tensor]:
        """Return mean and deviation, 1 for a constant column."""
        variance = self.power / self.count
        constant = is_constant(variance, self.mean, self.eps)
        return self.mean * self.unit, torch.where(constant, 1.0, variance.sqrt() * self.unit)
