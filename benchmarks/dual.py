"""The dual solve, against QR, where there are fewer rows than features."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.timing import Row, compare
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.standardize import Rows


def prepare(
    num_rows: int, feature_dim: int, target_dim: int
) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Make both ways to score the same given features."""
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(num_rows, feature_dim, generator=generator, dtype=torch.float64)
    targets = torch.randn(num_rows, target_dim, generator=generator, dtype=torch.float64)
    rows, reservoir = Rows(features, targets), reservoirs.MLP(2, feature_dim, 1)
    by_qr = Observer(reservoir, ridge_penalty=3.0, solver="qr")
    by_dual = Observer(reservoir, ridge_penalty=3.0)
    return lambda: by_qr.bits_of_rows(rows), lambda: by_dual.bits_of_rows(rows)


def run(num_rows: int = 128, feature_dim: int = 2048, target_dim: int = 64) -> list[Row]:
    """Time both in turn."""
    plain, ours = prepare(num_rows, feature_dim, target_dim)
    name = f"dual ({num_rows}, {feature_dim}, {target_dim}) against QR"
    return [compare(name, plain, ours, at_least=100, calls=(1, 20))]
