"""Regression rows: features and targets as the reservoir gives them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.observer.moments import Moments, centre, check_rows
from learnable_novelty.observer.roots import Roots
from learnable_novelty.observer.standardize import StandardizedRows, standardize


@dataclass(frozen=True)
class Rows:
    """Features and targets row by row, each row standing for ``weights`` equal ones."""

    features: Tensor
    """(num_rows, feature_dim)"""
    targets: Tensor
    """(num_rows, target_dim)"""
    weights: Tensor | None = None
    """(num_rows,) counts, or None for one each."""

    def moments(self, dtype: torch.dtype, *, target_products: bool = False) -> Moments:
        """Compute the moments of these rows."""
        return Moments.of(
            self.features,
            self.targets,
            self.weights,
            accumulate_dtype=dtype,
            target_products=target_products,
        )

    def roots(self, dtype: torch.dtype) -> Roots:
        """Compute a few rows with the products of these."""
        return Roots.of(self.features, self.targets, self.weights, accumulate_dtype=dtype)

    def standardized(self, target_unit: float | Tensor, dtype: torch.dtype) -> StandardizedRows:
        """Centre and scale the rows; a weight enters as its square root on both sides."""
        check_rows(self.features, self.targets, self.weights)
        return standardize(centre(self.features, self.targets, self.weights, dtype), target_unit)
