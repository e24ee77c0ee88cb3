"""Moments of a stream of chunks: time in proportion to the rows, memory that does not grow."""

from __future__ import annotations

import gc
import os
import statistics
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import torch
from torch import Tensor

from benchmarks.timing import REPEATS, Row, seconds
from learnable_novelty.observer.summary import Moments

CHUNK = 8192


def chunks(
    num_rows: int, feature_dim: int, target_dim: int, size: int = CHUNK
) -> Iterator[tuple[Tensor, Tensor]]:
    """Generate rows, a chunk at a time."""
    generator = torch.Generator().manual_seed(0)
    for start in range(0, num_rows, size):
        count = min(size, num_rows - start)
        features = torch.randn(count, feature_dim, generator=generator, dtype=torch.float64)
        yield features, features[:, :target_dim].tanh()


def merged(num_rows: int, feature_dim: int, target_dim: int) -> Moments:
    """Merge the moments of all chunks; no more than one chunk is held."""
    parts = (Moments.of(*pair) for pair in chunks(num_rows, feature_dim, target_dim))
    return reduce(Moments.__add__, parts)


def resident_bytes() -> int:
    """Read this process's resident memory: torch allocates where tracemalloc does not look."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_growth(num_rows: int, feature_dim: int, target_dim: int) -> int:
    """Return how far resident memory rises above its start while chunks are merged, in bytes."""
    gc.collect()
    start = peak = resident_bytes()
    held: Moments | None = None
    for pair in chunks(num_rows, feature_dim, target_dim):
        part = Moments.of(*pair)
        held = part if held is None else held + part
        peak = max(peak, resident_bytes())
    return peak - start


def run(
    sizes: tuple[int, int] = (65_536, 1_048_576),
    feature_dim: int = 128,
    target_dim: int = 16,
    repeats: int = REPEATS // 2,
) -> list[Row]:
    """Compare the smallest and the largest stream, per row and in memory."""
    growth = peak_growth(sizes[1], feature_dim, target_dim) / 1e6
    per_row: list[list[float]] = [[], []]
    for _ in range(repeats):
        for held, rows in zip(per_row, sizes, strict=True):
            held.append(seconds(lambda n=rows: merged(n, feature_dim, target_dim)) / rows)
    short, long = (statistics.median(held) for held in per_row)
    whole = sizes[1] * (feature_dim + target_dim) * 8 / 1e6
    flat, small = long / short, growth / whole
    return [
        Row(
            f"time per row, {sizes[1]} rows over {sizes[0]}",
            short, long, flat, "within 1.25x", flat <= 1.25,
        ),
        Row(
            f"peak memory in MB, {sizes[1]} rows: all of them, and by chunks",
            whole, growth, small, "within 0.1x", small <= 0.1, unit="MB",
        ),
    ]  # fmt: skip
