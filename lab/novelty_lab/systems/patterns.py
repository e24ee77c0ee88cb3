"""Counting repeated neighbourhoods: a site of a binary ring is one of few patterns.

Seen through a receptive radius r a site has at most 2^(2r+1) different inputs, so any number of
sites is a table with a count and a sum of targets per pattern. Exact, and far cheaper than
features for every site.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from novelty_lab.systems.elementary import unpack_cells

MAX_RADIUS = 12


@dataclass(frozen=True)
class PatternTable:
    """What a regression needs of all sites: one row per pattern that occurs."""

    codes: NDArray[np.int64]
    """The number of each pattern, (num_patterns,); ``pattern_cells`` spells it out."""
    counts: NDArray[np.float64]
    """How many sites show it, (num_patterns,)."""
    target_sums: NDArray[np.float64]
    """Sums of the targets over those sites, (num_patterns, target_dim)."""
    futures: NDArray[np.uint64]
    """The targets of all sites: a packed ring per column and sample, (target_dim, num_samples)."""

    @cached_property
    def target_products(self) -> NDArray[np.float64]:
        """Sums of products of targets over all sites, (target_dim, target_dim)."""
        counts = [np.bitwise_count(self.futures & row).sum(1) for row in self.futures]
        return np.array(counts, dtype=np.float64)


def site_codes(words: NDArray[np.uint64], radius: int) -> NDArray[np.int64]:
    """Number the neighbourhood of every site of packed rings.

    The code of site i holds cell i - radius in its lowest bit and cell i + radius in its highest.

    Args:
        words: (num_samples,) rings of 64 cells.
        radius: cells seen to each side.

    Returns:
        (num_samples * 64,), site by site.
    """
    if not 0 <= radius <= MAX_RADIUS:
        raise UserError(f"expected a radius from 0 to {MAX_RADIUS}, got {radius}")
    cells = unpack_cells(words).astype(np.int64)
    codes = np.zeros_like(cells)
    for offset in range(-radius, radius + 1):
        codes |= np.roll(cells, -offset, axis=-1) << (offset + radius)
    return codes.ravel()


def count_patterns(
    words: NDArray[np.uint64], futures: NDArray[np.uint64], radius: int
) -> PatternTable:
    """Tabulate the sites of packed rings with binary targets.

    Args:
        words: (num_samples,) the inputs.
        futures: (target_dim, num_samples) the targets: one packed ring per target column.
        radius: the observer's receptive radius.
    """
    codes = site_codes(words, radius)
    size = 1 << (2 * radius + 1)
    counts = np.bincount(codes, minlength=size)
    seen = np.flatnonzero(counts)
    sums = np.stack(
        [np.bincount(codes, unpack_cells(row).ravel(), minlength=size)[seen] for row in futures],
        axis=1,
    ).astype(np.float64)
    return PatternTable(
        codes=seen,
        counts=counts[seen].astype(np.float64),
        target_sums=sums,
        futures=futures,
    )


def pattern_cells(codes: NDArray[np.int64], radius: int) -> NDArray[np.uint8]:
    """Spell codes out as cells, left to right, (num_patterns, 2 * radius + 1)."""
    return ((codes[:, None] >> np.arange(2 * radius + 1)) & 1).astype(np.uint8)
