"""The test: features of both sides, their correlations, rearrangements, one p-value."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.independence.chunks import (
    LARGE,
    SOME,
    is_read_by_chunks,
    open_pairs,
    sample_rows,
    scaled_statistics,
)
from learnable_novelty.independence.conditional import Given
from learnable_novelty.independence.features import feature_pairs
from learnable_novelty.independence.inputs import as_columns, check_same_rows
from learnable_novelty.independence.null import (
    check_blocks,
    p_value,
    permuted,
    signed,
    standardized_statistics,
)
from learnable_novelty.independence.result import Dependence, describe
from learnable_novelty.independence.statistic import Statistics, statistics
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.seeds import check_seed, split

SCALED = f"{SOME:,} rows of y, scaled to all rows"
"""What is rearranged of many rows."""


@torch.no_grad()
def dependence(
    x: Any,
    y: Any = None,
    given: Any = None,
    *,
    permutations: int = 999,
    blocks: Any = None,
    seed: int = 0,
) -> Dependence:
    """Test whether x and y depend on each other, in any way; or, given z, beyond what z explains.

    Features of x and of y are correlated with each other, and many weighted sums of squared
    correlations are compared with those of rearranged rows; the p-value is that of the largest, so
    it needs no correction. It is the same for (x, y) and (y, x) up to the random rearrangements.

    Args:
        x: (num_rows, columns) array, tensor or data frame; a vector is one column. Or data that is
            read by chunks, as for ``score``: a path, a Dask or Zarr array, a NumPy memory map, or a
            list, or a function that makes an iterator, of pairs (x, y). Data are read twice.
        y: the same for the other side; beside a path, names of its columns. None where x has pairs.
        given: the same for a variable that may drive both. What it predicts is removed, and the
            p-value is the larger of two: with random signs of the residuals, and permuted ones.
        permutations: how many rearrangements; the smallest p-value is 1 / (permutations + 1).
        blocks: for rows that are not independent: the length of blocks of consecutive rows (rows
            are time), or a label for each row. Whole blocks are rearranged.
        seed: of rearrangements, random features and folds.

    Returns:
        The p-value, the bits of dependence above the null, and which features found it.

    Raises:
        ValueError: for NaN, unequal numbers of rows, or fewer than five rows.

    >>> import numpy as np
    >>> angle = np.random.default_rng(0).uniform(0, 6.28, 200)
    >>> circle = dependence(np.cos(angle), np.sin(angle))
    >>> circle.p_value
    0.001
    """
    count, seed = whole_number("permutations", permutations, 1) + 1, check_seed(seed)
    pairs, num_rows = None, 0
    if y is None or is_read_by_chunks(x):
        if given is not None or blocks is not None:
            raise UserError("given and blocks need all rows in memory: expected arrays for x and y")
        pairs = open_pairs(x, y)
        x, y, num_rows = sample_rows(pairs(), seed)
    x, y = as_columns("x", x), as_columns("y", y)
    z = None if given is None else as_columns("given", given)
    check_same_rows(x=x, y=y, given=z)
    blocks = check_blocks(blocks, len(x))
    if pairs is None:
        whole, num_rows = (x, y), len(x)
        if num_rows > LARGE and z is None and blocks is None:
            pairs = functools.partial(iter, [whole])
            x, y, num_rows = sample_rows(pairs(), seed)
    if pairs is not None and num_rows > LARGE:
        tests = {SCALED: scaled_statistics(pairs(), (x, y), num_rows, count, seed)}
    else:
        tests = _tests(x, y, z, count, blocks, seed)
    scores = [standardized_statistics(one) for one in tests.values()]
    p_values = [p_value(one.max(axis=1)) for one in scores]
    # The larger p-value counts; its null is the one that is reported.
    last = p_values.index(max(p_values))
    largest, chosen = scores[last].max(axis=1), list(tests.values())[last]
    return Dependence(
        p_value=p_values[last],
        statistic=float(largest[0]),
        null_statistics=tuple(largest[1:].tolist()),
        **describe(chosen, scores[last][0], p_values[last], seed, ordered=blocks is not None),
        num_rows=num_rows,
        permutations=count - 1,
        rearranged=" and ".join(tests),
        x_dim=x.shape[1],
        y_dim=y.shape[1],
        given_dim=0 if z is None else z.shape[1],
        seed=seed,
        sample=_sample(x, y),
    )


def _tests(
    x: Tensor, y: Tensor, z: Tensor | None, count: int, blocks: Any, seed: int
) -> dict[str, list[Statistics]]:
    """Compute all statistics by rearranging rows, and say what is rearranged.

    Residuals are rearranged in two ways. Signs are right where their size depends on the third
    variable, permutations are right in small samples where it does not.
    """
    whole = "" if blocks is None else "whole blocks of "
    if z is None:
        pairs = feature_pairs(x, y, seed)
        nulls = {f"{whole}rows of y": permuted(len(x), count, blocks, seed)}
    else:
        less = Given(z, split(seed, "given"), shuffled=blocks is None)
        pairs = feature_pairs(less.columns(x), less.columns(y), seed)
        pairs = [(less.features(a), less.features(b)) for a, b in pairs]
        nulls = {
            f"signs of {whole}residuals": signed(len(x), count, blocks, seed),
            f"{whole}residuals of y": permuted(len(x), count, blocks, seed),
        }
    return {name: [statistics(a, b, null, count) for a, b in pairs] for name, null in nulls.items()}


def _sample(x: Tensor, y: Tensor, most: int = 2000) -> tuple[np.ndarray, np.ndarray] | None:
    """Return points for a scatter plot, where both sides are one column."""
    if x.shape[1] > 1 or y.shape[1] > 1:
        return None
    step = -(-len(x) // most)
    return x[::step, 0].numpy(), y[::step, 0].numpy()
