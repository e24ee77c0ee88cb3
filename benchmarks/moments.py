"""Scoring through moments, against the bare Gram product and against QR on the rows."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.timing import REPEATS, Row, faster, interleave, within
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.standardize import Rows
from learnable_novelty.observer.summary import Moments


def prepare(num_rows: int, feature_dim: int, target_dim: int) -> dict[str, Callable[[], Tensor]]:
    """Make the bare product, the score by moments and the score by QR of the same rows."""
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(num_rows, feature_dim, generator=generator, dtype=torch.float64)
    mixing = torch.randn(feature_dim, target_dim, generator=generator, dtype=torch.float64)
    targets = (features @ mixing / feature_dim**0.5).tanh()
    reservoir = reservoirs.MLP(2, feature_dim, 1)  # never called: the features are given
    observer = Observer(reservoir, ridge_penalty=0.03)
    by_qr = Observer(reservoir, ridge_penalty=0.03, solver="qr")
    return {
        "gram": lambda: features.T @ features,
        "moments": lambda: observer.bits(Moments.of(features, targets)),
        "qr": lambda: by_qr.bits_of_rows(Rows(features, targets)),
    }


def run(
    num_rows: int = 131072, feature_dim: int = 256, target_dim: int = 16, repeats: int = REPEATS
) -> list[Row]:
    """Time the three in turn."""
    ways = prepare(num_rows, feature_dim, target_dim)
    times = dict(zip(ways, interleave(*ways.values(), repeats=repeats), strict=True))
    gram, ours, qr = (statistics.median(times[name]) for name in ("gram", "moments", "qr"))
    shape = f"({num_rows}, {feature_dim}, {target_dim})"
    return [
        within(f"moments and score {shape} over the bare Gram product", gram, ours, 2),
        faster(f"moments and score {shape} against QR", qr, ours, 5),
    ]
