"""Many rows: features are fixed by a sample of rows, and their correlations are taken over all.

Over all permutations of n rows the correlations of features have mean 0, a covariance that is
1 / (n - 1) times a matrix that does not depend on n, and are nearly normal. So those of n rows are

    r = r' sqrt((m - 1) / (n - 1))

with r' the correlations of permuted m rows, some thousands. The data are read twice: for the
sample, and for the correlations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.data.files import Columns
from learnable_novelty.data.open import open_source
from learnable_novelty.data.source import read_all
from learnable_novelty.errors import UserError
from learnable_novelty.independence.features import (
    Features,
    by_rank,
    by_value,
    feature_pairs,
    most_waves,
    random_rows,
    standardized,
    waves,
    with_norm,
)
from learnable_novelty.independence.statistic import Statistics, permuted, statistics
from learnable_novelty.seeds import numpy_generator, split, torch_generator

LARGE = 20_000
"""Rows, beyond which only some are permuted; and rows of the sample."""
SOME = 2_000
"""Rows that are permuted then."""
BATCH_ROWS = 20_000
"""Rows whose features are in memory at once."""

Pairs = Iterator[tuple[Tensor, Tensor]]


def is_read_by_chunks(values: Any) -> bool:
    """Tell paths, Dask, Zarr, memory maps, and iterators or functions that make them, from arrays.

    >>> is_read_by_chunks("file.csv"), is_read_by_chunks([1, 2])
    (True, False)
    """
    library = type(values).__module__.partition(".")[0]
    kinds = (str, PathLike, Columns, np.memmap, Iterator)
    is_function = callable(values) and not isinstance(values, Tensor)
    return isinstance(values, kinds) or library in ("dask", "dask_expr", "zarr") or is_function


def open_pairs(x: Any, y: Any) -> Callable[[], Pairs]:
    """Return a function that reads pairs of chunks, as ``score`` reads inputs and targets."""
    source = open_source(x, y, is_series=False)
    if source.is_read_once:
        raise UserError(
            "expected data that can be read twice, got an iterator: pass a function that makes one"
        )

    def pairs() -> Pairs:
        for first, second in read_all(source):
            if second is None:
                raise UserError("expected two sides: pass y, or chunks that are pairs (x, y)")
            if max(first.ndim, second.ndim) > 2:
                raise UserError(
                    "expected x and y as (num_rows, columns), got shapes "
                    f"{tuple(first.shape)} and {tuple(second.shape)}"
                )
            yield first.double(), second.double()

    return pairs


def sample_rows(pairs: Pairs, seed: int) -> tuple[Tensor, Tensor, int]:
    """Return ``LARGE`` rows chosen at random, in their order, or all of fewer; and their number."""
    generator = numpy_generator(seed, "sample")
    kept: list[Tensor] = []
    keys, total = np.empty(0), 0
    for chunk in pairs:
        count = len(chunk[0])
        keys = np.concatenate([keys, generator.random(count)])
        kept = [torch.cat(both) for both in zip(kept, chunk, strict=True)] if kept else [*chunk]
        total += count
        if len(keys) > LARGE:  # the smallest keys of all rows so far
            chosen = np.sort(np.argpartition(keys, LARGE)[:LARGE])
            keys = keys[chosen]
            kept = [values[torch.from_numpy(chosen)] for values in kept]
    if not kept:
        raise UserError("expected rows, got none")
    return kept[0], kept[1], total


def scaled_statistics(
    pairs: Pairs, sample: tuple[Tensor, Tensor], num_rows: int, count: int, seed: int
) -> list[Statistics]:
    """Compute the statistics of all rows, and of permutations of some, scaled to all."""
    between, most = correlations(pairs, sample, num_rows, seed)
    chosen = torch.randperm(len(sample[0]), generator=torch_generator(seed, "some"))[:SOME]
    orders = permuted(len(chosen), count, None, seed)
    scale = ((len(chosen) - 1) / (num_rows - 1)) ** 0.5
    all_statistics = []
    for of_x, of_y in feature_pairs(*sample, seed):
        places = [
            _places(side, many) for side, many in zip((of_x, of_y), most[of_x.kind], strict=True)
        ]
        data = between[of_x.kind][places[1]][:, places[0]].float()

        def rearranged(x: Features, y: Features, which: slice, data: Tensor = data) -> Tensor:
            moved = orders(x, y, which) * scale
            if which.start == 0:
                moved[:, 0] = data
            return moved

        some = [replace(one, rows=standardized(one.rows[chosen])) for one in (of_x, of_y)]
        one = statistics(some[0], some[1], rearranged, count)
        all_statistics.append(replace(one, x=of_x, y=of_y))
    return all_statistics


def _places(features: Features, most: int) -> Tensor:
    """Return which of all waves, ``most`` of each group, these features are."""
    groups, count = features.rows.shape[1:]
    return (torch.arange(groups)[:, None] * most + torch.arange(count)).flatten()


def correlations(
    pairs: Pairs, sample: tuple[Tensor, Tensor], num_rows: int, seed: int
) -> tuple[dict[str, Tensor], dict[str, tuple[int, int]]]:
    """Return correlations of features by kind, (of y, of x), and how many each group has."""
    sums: dict[str, list[Tensor]] = {}
    most: dict[str, tuple[int, int]] = {}
    for chunk in pairs:
        for start in range(0, len(chunk[0]), BATCH_ROWS):
            rows = [side[start : start + BATCH_ROWS] for side in chunk]
            for kind, (x, y, sizes) in _all_features(rows, sample, seed).items():
                most[kind] = sizes
                new = [x.sum(0), y.sum(0), x.square().sum(0), y.square().sum(0), y.T @ x]
                old = sums.get(kind)
                sums[kind] = new if old is None else [a + b for a, b in zip(old, new, strict=True)]
    return {
        kind: _correlation(*(one / num_rows for one in many)) for kind, many in sums.items()
    }, most


def _correlation(
    mean_x: Tensor, mean_y: Tensor, square_x: Tensor, square_y: Tensor, product: Tensor
) -> Tensor:
    """Return correlations from means of features of size one; 0 of constants."""
    scales = []
    for mean, square in ((mean_x, square_x), (mean_y, square_y)):
        variance = square - mean.square()
        scales.append(torch.where(variance > 1e-12, variance.clamp_min(1e-12).rsqrt(), 0.0))
    return (product - mean_y[:, None] * mean_x) * scales[1][:, None] * scales[0]


def _all_features(
    rows: list[Tensor], sample: tuple[Tensor, Tensor], seed: int
) -> dict[str, tuple[Tensor, Tensor, tuple[int, int]]]:
    """Return features of rows by kind: of x, of y, and how many each group has."""
    by_kind = {}
    for kind, place in (("values", by_value), ("ranks", by_rank)):
        sides, most = [], []
        for columns, of in zip(rows, sample, strict=True):
            whole = with_norm(of)
            places = place(with_norm(columns, of), whole)
            most.append(most_waves(*whole.shape))
            sides.append(waves(places, most[-1]).flatten(1))
        by_kind[kind] = (*sides, tuple(most))
    if max(columns.shape[1] for columns in rows) > 1:
        sides = [
            random_rows(columns, split(seed, name), of)
            for columns, name, of in zip(rows, "xy", sample, strict=True)
        ]
        by_kind["vectors"] = (*sides, tuple(side.shape[1] for side in sides))
    return by_kind
