"""Rows that are not independent: repeated ones, and neighbours in time that are alike.

A permutation of rows takes them as exchangeable. With e what a straight line of the inputs leaves
of the targets, the variance of sum_i x_i e_i over n rows is larger than under permutations by

    V = 1 + 2 sum_k rho_x(k) rho_e(k),

so both have to be alike in neighbouring rows. Then the rows are cut into blocks of consecutive
ones, several times longer than the product of both correlations lasts, that have one sign each.
Ranks stand for values, so that heavy tails do not look like memory. A file that was sorted by one
of its columns has a trend of its row numbers, or a step where a category ends, and no memory beside
it, so slow waves and such steps are taken out first, unless rows are dated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import ndtri
from torch import Tensor

from learnable_novelty.measure.cautions import equal_rows, first_of_each
from learnable_novelty.measure.surrogates import normal_scores
from learnable_novelty.rearrange import Labels

Array = NDArray[np.float64]
LAGS, LEVEL = 5, 0.05
STRETCHES, FOLDS = 15, 5
"""Of rows, and how many parts of them a straight line is tried on."""
WAVES = 12
"""Half waves over all rows that a sorted file may follow."""
FEWEST, FEWEST_BLOCKS = 20, 16
"""Rows in which memory can be seen, and blocks that are enough for a test."""
TIMES, ENDED = 4, 0.02
"""Length of a block in units of V; and the product of correlations that counts as none."""
MOST_ROWS, MOST_COLUMNS = 20_000, 200
"""Of a larger table the first rows and columns are looked at."""
BY_CHANCE = 0.1
"""Rows of equal inputs that independent columns would have, relative to those that there are."""


class DependentRows(NamedTuple):
    """Which rows belong together, and what to say about them."""

    labels: Labels
    length: int
    """Rows of a block of neighbours; 0 for repeated rows."""
    tested_by: str
    """For the first sentence."""
    refusal: str | None = None
    """Why blocks cannot test these rows."""


def dependent_rows(x: Tensor, y: Tensor, *, is_dated: bool = False) -> DependentRows | None:
    """Return which rows (n, columns) depend on each other; None where none seem to.

    >>> generator = torch.Generator().manual_seed(0)
    >>> noise = torch.randn(400, 2, generator=generator)
    >>> dependent_rows(noise[:, :1], noise[:, 1:]) is None
    True
    >>> walks = noise.cumsum(0)
    >>> dependent_rows(walks[:, :1], walks[:, 1:]).refusal is None
    False
    """
    equal, _ = equal_rows(x, y)
    single = torch.arange(len(x)) if equal is None else torch.from_numpy(first_of_each(equal))
    length = block_length(x[single], y[single], is_dated=is_dated)
    if length is not None:
        length = length * len(x) // len(single)
        count = len(x) // length
        order = "dated" if is_dated else "neighbouring"
        blocks = np.arange(len(x)) * count // len(x) if count else np.zeros(len(x), np.int64)
        said = f"by {count} blocks of rows, because {order} rows are alike"
        if count >= FEWEST_BLOCKS:
            return DependentRows(blocks, length, said)
        return DependentRows(
            blocks,
            length,
            said,
            f"{order} rows are alike over {length} rows, so {len(x)} rows are hardly {count + 1} "
            "independent ones, and what moves slowly moves together by chance: take differences "
            "of the columns (np.diff), or score time steps as a series (window=1)",
        )
    if equal is not None:
        copies = len(equal) - len(single)
        return DependentRows(equal, 0, f"{copies} repeated rows counted once")
    labels = repeated_inputs(x)
    if labels is None:
        return None
    return DependentRows(labels, 0, f"by {labels.max() + 1} groups of rows with equal inputs")


def block_length(x: Tensor, y: Tensor, *, is_dated: bool) -> int | None:
    """Return how many rows a block needs; None where neighbours are not alike."""
    n = min(len(x), MOST_ROWS)
    if n < FEWEST:
        return None
    inputs, targets = (
        normal_scores(values[:n, :MOST_COLUMNS].double()).cpu().numpy() for values in (x, y)
    )
    slow = [] if is_dated else [np.hstack([_waves(n), _steps(inputs), _steps(targets)])]
    of_x, of_e = _both(inputs, targets, *slow)
    tests = ((of_x, 2 * LEVEL), (of_e, LEVEL))
    if any(_memory(rho, n) < -ndtri(level / (2 * rho.shape[1])) for rho, level in tests):
        return None
    of_x, of_e = _both(inputs, targets)
    product = of_x.max(1) * of_e.max(1)
    end = int(np.argmax(product < ENDED)) if (product < ENDED).any() else len(product)
    return max(int(np.ceil(TIMES * (1 + 2 * product[:end].sum()))), 2 * (end + 1))


def _waves(n: int) -> Array:
    """Return slow waves over all rows."""
    most = min(WAVES, n // 25)
    return np.cos(np.pi * np.outer((np.arange(n) + 0.5) / n, np.arange(1, most + 1)))


def _steps(values: Array) -> Array:
    """Return where a file that is sorted by a category has its levels: columns of zeros and ones.

    A column of few values is one if each of them has one stretch of rows, and one of two values if
    one of them has.
    """
    levels = [np.zeros((len(values), 0))]
    for column in values.T:
        different = np.unique(column)
        most = max(2, len(different) - 1)
        if len(different) <= WAVES and (np.diff(column) != 0).sum() <= most:
            levels.append((column[:, None] == different[1:]).astype(np.float64))
    return np.hstack(levels)


def _both(inputs: Array, targets: Array, *slow: Array) -> tuple[Array, Array]:
    """Return the autocorrelations of inputs, and of what they leave of the targets."""
    for waves in slow:
        inputs, targets = _left(waves, inputs), _left(waves, targets)
    left = _left_out(inputs, targets) if 4 * inputs.shape[1] <= len(inputs) else targets
    return _correlations(inputs), _correlations(left)


def _left(design: Array, values: Array) -> Array:
    """Return what a straight line of the columns of a design leaves."""
    design = design - design.mean(0)
    values = values - values.mean(0)
    return values - design @ np.linalg.lstsq(design, values, rcond=None)[0]


def _left_out(inputs: Array, targets: Array) -> Array:
    """Return what a straight line leaves in stretches of rows that it has not seen.

    Twenty columns fit twenty persons, and what they leave of them would have no memory.
    """
    if 8 * inputs.shape[1] <= len(inputs):
        inputs = np.hstack([inputs, inputs**2])
    left = targets - targets.mean(0)
    stretch = np.arange(len(inputs)) * STRETCHES // len(inputs)
    for fold in range(FOLDS):
        some = stretch % FOLDS == fold
        others = ~some
        mean = inputs[others].mean(0), targets[others].mean(0)
        slope = np.linalg.lstsq(inputs[others] - mean[0], targets[others] - mean[1], rcond=None)[0]
        left[some] = targets[some] - mean[1] - (inputs[some] - mean[0]) @ slope
    return left


def _correlations(values: Array) -> Array:
    """Return the autocorrelations from lag 1 to half of the rows, (lags, columns)."""
    n = len(values)
    spectrum = np.fft.rfft(values - values.mean(0), n=2 * n, axis=0)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[: n // 2 + 1]
    power = covariance[:1]
    used = power > 1e-9 * n
    return np.divide(covariance[1:], power, out=np.zeros_like(covariance[1:]), where=used)


def _memory(correlations: Array, n: int) -> float:
    """Return the largest lag-1 correlation, or mean of some lags, in standard errors."""
    first = correlations[0] * np.sqrt(n)
    some = correlations[:LAGS].sum(0) * np.sqrt(n / LAGS)
    return float(np.maximum(first, some).max())


def repeated_inputs(x: Tensor) -> Labels | None:
    """Return groups of rows with equal inputs, if independent columns would not have as many."""
    values = x.double().cpu().numpy()
    different, labels = np.unique(values, axis=0, return_inverse=True)
    copies = len(values) - len(different)
    if x.shape[1] < 2 or copies < 0.01 * len(values) or len(different) < FEWEST:
        return None
    chance = len(values) ** 2 / 2
    for column in values.T:
        shares = np.unique(column, return_counts=True)[1] / len(values)
        chance *= np.square(shares).sum()
    return labels.reshape(-1) if chance < BY_CHANCE * copies else None
