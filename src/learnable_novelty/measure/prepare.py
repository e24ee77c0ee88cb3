"""Columns in common units: mean and deviation of every column, from chunks that merge."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.standardize import is_constant


@dataclass(frozen=True)
class Spread:
    """Count, means and sums of squared deviations of columns; ``+`` merges (Chan et al.)."""

    count: int
    unit: Tensor
    """Powers of two near the largest values, (columns,): 1e200 and 1e-200 have no squares in
    float64, and division by a power of two does not round."""
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


def column_scale(values: Tensor, column_axis: int) -> tuple[Tensor, Tensor]:
    """Return mean and deviation per column, over all other axes; 1 for a constant column."""
    return Spread.of(values, column_axis).scale()


def scaled(values: Tensor, column_axis: int, mean: Tensor | float, scale: Tensor | float) -> Tensor:
    """Return (values - mean) / scale per column, in the dtype of the values."""
    columns = values.movedim(column_axis, -1).double()
    return ((columns - mean) / scale).to(values.dtype).movedim(-1, column_axis)


def target_scale(targets: Tensor, axis: int, unit: float | str) -> Tensor | float:
    """Return what targets are divided by: one number, or one per column."""
    return column_scale(targets, axis)[1] if unit == "sd" else check_target_unit(unit)


def check_target_unit(unit: float | str) -> float:
    """Return a unit of the targets, or raise unless it is a positive number."""
    if isinstance(unit, (int, float)) and not isinstance(unit, bool) and 0 < unit < math.inf:
        return float(unit)
    raise UserError(f'target_unit must be "sd" or a positive number, got {unit!r}')
