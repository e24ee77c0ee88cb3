"""Orders and signs: what a null does to target rows, drawn once for all reservoirs.

A rearrangement must keep everything but the relation under test. Neighbouring sites and
neighbouring times are not exchangeable, so lattices move whole samples and paired series move by
circular shifts; only independent rows are permuted one by one. Signs keep the size of every target
and whatever the inputs tell of it, and destroy what they tell of its mean (the wild bootstrap of
Wu 1986); rows that belong together share a sign.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.seeds import Seed, numpy_generator, split

FEWEST_AT_ONCE, FEWEST_STRETCHES = 32, 20
"""Random signs that are held at a time, and stretches of a series that have one each, at least."""
MOST_KEPT = 10_000_000
"""Places in orders that are kept, 80 MB; more of them are drawn again when they are needed."""
BATCH_VALUES = 4_000_000
"""How many rearranged values are held at a time (32 MB)."""
ROOT = 5**0.5
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Rearrangements:
    """Orders and signs of one set of samples."""

    kind: str
    """Of the null."""
    samples: int
    seed: int
    space: tuple[int, ...] = ()
    """Sites of a lattice."""
    spacing: int = 1
    """Correlation time of a series: the least shift of two, where twenty fit; rows of a block."""
    steps: int = 0
    """Of a series; more than samples, which span several."""
    groups: Labels | None = None
    """Numbers of the groups of the samples, which share a sign."""
    _kept: dict[Any, list[Tensor]] = field(default_factory=dict, repr=False)

    def orders(self, purpose: str, count: int, num_rows: int) -> Iterator[Tensor]:
        """Yield the orders in which target rows, or residual rows, are rearranged."""
        key = ("orders", purpose, count)
        return self._once(key, count * num_rows, lambda: self._orders(purpose, count, num_rows))

    def _orders(self, purpose: str, count: int, num_rows: int) -> Iterator[Tensor]:
        if self.kind == "shifts":
            return iter(shift_orders(num_rows, self.spacing, count))
        if self.kind == "blocks":
            seed = split(self.seed, purpose)
            return iter(block_orders(num_rows, count + 1, self.spacing, seed)[1:])
        space = self.space if self.kind == "translations" else (num_rows // self.samples,)
        kind = self.kind if self.kind in ("samples", "translations") else "rows"
        return row_orders(kind, self.samples, space, count, split(self.seed, purpose))

    def moved(self, purpose: str, count: int, values: Tensor) -> Iterator[Tensor]:
        """Yield the rows of values in these orders, as ``moved_rows`` does."""

        def move() -> Iterator[Tensor]:
            return moved_rows(values, self.orders(purpose, count, len(values)))

        held = self._kept.setdefault(("values", purpose), [values])[0]
        if not torch.equal(held, values):  # targets are the same for all reservoirs
            return move()
        return self._once(("moved", purpose, count), count * values.numel(), move)

    def signs(self, purpose: str, count: int, *, stretches: bool) -> Iterator[Tensor]:
        """Yield random signs of the samples, or of the steps of a series, (some, steps).

        Args:
            purpose: labels the draws.
            count: how many.
            stretches: whether steps within a correlation time share a sign; groups always do.
        """
        return self._drawn("signs", purpose, count, stretches)

    def weights(self, purpose: str, count: int, *, stretches: bool) -> Iterator[Tensor]:
        """Yield random signs, and then as many of Mammen's weights, for ``wild_p_value``.

        These are (1 - sqrt 5) / 2 with chance (5 + sqrt 5) / 10, else (1 + sqrt 5) / 2: of mean 0,
        variance 1 and skewness 1 (Mammen 1993). Signs are right for symmetric noise, these where
        it is skewed.
        """
        for kind in ("signs", "skewed"):
            yield from self._drawn(kind, purpose, count, stretches)

    def _drawn(self, kind: str, purpose: str, count: int, stretches: bool) -> Iterator[Tensor]:
        steps = self.steps or self.samples
        labels, length = self.groups, 1
        if labels is None and stretches:
            length = max(1, min(self.spacing, self.samples // FEWEST_STRETCHES))
        if length > 1:
            labels = np.arange(steps) // length
        return self._once(
            (kind, purpose, count),
            count * steps,
            lambda: self._weights(kind, purpose, (count, steps), labels),
        )

    def _weights(
        self, kind: str, purpose: str, sizes: tuple[int, int], labels: Labels | None
    ) -> Iterator[Tensor]:
        generator, (count, steps) = numpy_generator(self.seed, kind, purpose), sizes
        size = max(FEWEST_AT_ONCE, MOST_KEPT // steps)
        for start in range(0, count, size):
            shape = min(size, count - start), steps if labels is None else int(labels.max()) + 1
            if kind == "signs":
                drawn = 2.0 * generator.integers(0, 2, size=shape) - 1.0
            else:
                small = generator.random(shape) < 0.5 + 0.1 * ROOT
                drawn = np.where(small, (1 - ROOT) / 2, (1 + ROOT) / 2)
            yield torch.from_numpy(drawn if labels is None else drawn[:, labels])

    def _once(
        self, key: Any, places: int, draw: Callable[[], Iterator[Tensor]]
    ) -> Iterator[Tensor]:
        if key not in self._kept and places <= MOST_KEPT:
            self._kept[key] = list(draw())
        return iter(self._kept[key]) if key in self._kept else draw()


def row_orders(
    kind: str, samples: int, space: tuple[int, ...], count: int, seed: Seed
) -> Iterator[Tensor]:
    """Return row indices that move target rows; rows are sample-major, (samples * sites,)."""
    generator = numpy_generator(seed, "null", kind)
    sites = np.arange(int(np.prod(space))).reshape(space)
    size = max(1, MOST_KEPT // max(1, samples * sites.size))
    some = (min(size, count - start) for start in range(0, count, size))
    return itertools.chain.from_iterable(_orders(kind, samples, sites, n, generator) for n in some)


def _orders(
    kind: str, samples: int, sites: NDArray[np.int64], count: int, generator: np.random.Generator
) -> Tensor:
    if kind != "translations":
        orders = shuffled(samples, count, generator)[:, :, None] * sites.size + sites.ravel()
        return torch.from_numpy(orders.reshape(count, -1))
    moved = []
    for _ in range(count):
        order = generator.permutation(samples)
        turned = [_translated(sites, generator).ravel() for _ in range(samples)]
        moved.append((order[:, None] * sites.size + np.stack(turned)).ravel())
    return torch.from_numpy(np.stack(moved))


def shuffled(rows: int, count: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return random orders of rows, (count, rows)."""
    return generator.permuted(np.tile(np.arange(rows), (count, 1)), axis=1)


def moved(values: Tensor, orders: Tensor) -> Tensor:
    """Return rows of values in orders (count, num_rows), as (columns, count, num_rows)."""
    return values.T.contiguous().index_select(1, orders.flatten()).unflatten(1, orders.shape)


def moved_rows(values: Tensor, orders: Iterable[Tensor]) -> Iterator[Tensor]:
    """Yield rows of values in several orders, some at a time, as ``moved`` does."""
    size, remaining = max(1, BATCH_VALUES // max(1, values.numel())), iter(orders)
    while batch := list(itertools.islice(remaining, size)):
        yield moved(values, torch.stack(batch))


def num_shifts(rows: int, spacing: int, count: int) -> int:
    """Return k, how many shifts there are with the identity; see ``shift_orders``."""
    groups = min(count + 1, rows, max(20, rows // max(1, spacing)))
    return groups - groups % 20 if groups >= 20 else groups


def shift_orders(rows: int, spacing: int, count: int) -> list[Tensor]:
    """List circular shifts j * rows / k for j = 1 to k - 1.

    They are at least ``spacing`` apart, where that leaves twenty of them.

    Evenly spaced shifts are a group: with the identity they are exchangeable under the null, so
    the rank of the observed statistic is uniform however long the correlations are. (Random
    shifts that merely keep away from zero are not: neighbours of a chance peak at zero are then
    missing from the null, and false positives double.) k is a multiple of 20 where possible, so
    that p = 0.05 can be reached exactly.
    """
    groups = num_shifts(rows, spacing, count)
    index = np.arange(rows)
    return [torch.from_numpy(np.roll(index, -round(j * rows / groups))) for j in range(1, groups)]


def correlation_time(series: Tensor) -> int:
    """Estimate the longest integrated autocorrelation time over columns, in steps.

    tau = 1 + 2 sum of autocorrelations up to the first that is below 0.05.
    """
    values = series.double().cpu().numpy()
    values = values - values.mean(0)
    n = values.shape[0]
    spectrum = np.fft.rfft(values, n=2 * n, axis=0)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[:n]
    longest = 1.0
    for column in covariance.T:
        if column[0] <= 0:
            continue
        rho = column / column[0]
        below = np.flatnonzero(rho < 0.05)
        end = below[0] if below.size else n
        longest = max(longest, 1 + 2 * float(rho[1:end].sum()))
    return int(np.ceil(longest))


def _translated(sites: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    shifts = [int(generator.integers(size)) for size in sites.shape]
    return np.roll(sites, shifts, axis=tuple(range(sites.ndim)))


def block_orders(num_rows: int, count: int, blocks: Any, seed: int) -> Tensor:
    """Return orders of rows, or of whole blocks of them, (count, num_rows); the first is no move.

    Args:
        num_rows: how many rows.
        count: how many orders.
        blocks: a length of consecutive rows, a label for each row, or None for single rows.
        seed: of the orders.
    """
    generator, rows = numpy_generator(seed, "orders"), np.arange(num_rows)
    if blocks is None:
        orders = shuffled(num_rows, count, generator)
    elif np.ndim(blocks) == 0:
        orders = np.stack([_moved_blocks(rows, int(blocks), generator) for _ in range(count)])
    else:
        labels = block_labels(num_rows, blocks)
        orders = np.stack([_moved_groups(labels, generator) for _ in range(count)])
    orders[0] = rows
    return torch.from_numpy(orders)


def block_signs(num_rows: int, count: int, blocks: Any, seed: int) -> Tensor:
    """Return random signs of rows, or of whole blocks of them, (count, num_rows); first all +1."""
    labels = block_labels(num_rows, blocks)
    signs = numpy_generator(seed, "signs").choice(
        np.array([-1, 1], dtype=np.float32), (count, labels.max() + 1)
    )
    signs[0] = 1
    return torch.from_numpy(signs[:, labels])


def block_labels(num_rows: int, blocks: Any) -> NDArray[Any]:
    """Return the number of the block of each row."""
    if blocks is None:
        return np.arange(num_rows)
    if np.ndim(blocks) == 0:
        return np.arange(num_rows) // int(blocks)
    return np.unique(np.asarray(blocks), return_inverse=True)[1]


def _moved_blocks(rows: NDArray[Any], length: int, generator: np.random.Generator) -> NDArray[Any]:
    """Turn the series by a random shift, cut it into blocks and shuffle these."""
    turned = np.roll(rows, generator.integers(len(rows)))
    pieces = np.array_split(turned, max(1, len(rows) // length))
    return np.concatenate([pieces[i] for i in generator.permutation(len(pieces))])


def _moved_groups(labels: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
    """Exchange whole groups of rows with groups of the same size."""
    members = [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
    order = np.empty(len(labels), dtype=np.int64)
    for size in {len(rows) for rows in members}:
        same = [rows for rows in members if len(rows) == size]
        for to, start in zip(same, generator.permutation(len(same)), strict=True):
            order[to] = same[start]
    return order
