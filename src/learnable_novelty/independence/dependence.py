"""The test: features of both sides, their correlations, rearrangements, one p-value."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.data.frames import dense
from learnable_novelty.errors import UserError, UserTypeError
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
from learnable_novelty.independence.result import Dependence, describe
from learnable_novelty.independence.statistic import (
    Statistics,
    p_value,
    permuted,
    signed,
    standardized_statistics,
    statistics,
)
from learnable_novelty.measure.prepare import number_groups
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.seeds import check_seed, split

FEWEST = 5
"""Rows that a permutation test needs to reach p = 0.05 with room to spare: 5! = 120 orders."""
SCALED = f"{SOME:,} rows of y, scaled to all rows"
"""What is rearranged of many rows."""


@torch.no_grad()
def dependence(
    x: Any,
    y: Any = None,
    given: Any = None,
    *,
    permutations: int = 999,
    blocks: int | None = None,
    groups: Any = None,
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
        blocks: for rows that are time steps: the length of blocks of consecutive rows, several
            correlation times. Whole blocks are rearranged.
        groups: a label for each row, such as its patient: rows with the same label depend on each
            other, and only whole groups are independent. Groups of equal size are exchanged.
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
    pairs, num_rows, less = None, 0, None
    if y is None or is_read_by_chunks(x):
        if any(one is not None for one in (given, blocks, groups)):
            raise UserError(
                "given, blocks and groups need all rows in memory: expected arrays for x and y"
            )
        pairs = open_pairs(x, y)
        x, y, num_rows = sample_rows(pairs(), seed)
    x, y = _as_columns("x", x), _as_columns("y", y)
    z = None if given is None else _as_columns("given", given)
    _check_same_rows(x=x, y=y, given=z)
    blocks = _check_units(blocks, groups, len(x))
    if pairs is None:
        whole, num_rows = (x, y), len(x)
        if num_rows > LARGE and z is None and blocks is None:
            pairs = functools.partial(iter, [whole])
            x, y, num_rows = sample_rows(pairs(), seed)
    if pairs is not None and num_rows > LARGE:
        tests = {SCALED: scaled_statistics(pairs(), (x, y), num_rows, count, seed)}
    else:
        less = None if z is None else Given(z, split(seed, "given"), blocks)
        tests = _tests(x, y, less, count, blocks, seed)
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
        left_of_given=None if less is None else less.left(x, y),
        seed=seed,
        sample=_sample(x, y),
    )


def _tests(
    x: Tensor, y: Tensor, less: Given | None, count: int, blocks: Any, seed: int
) -> dict[str, list[Statistics]]:
    """Compute all statistics by rearranging rows, and say what is rearranged.

    Residuals are rearranged in two ways. Signs are right where their size depends on the third
    variable, permutations are right in small samples where it does not.
    """
    whole = "" if blocks is None else "whole blocks of "
    if less is None:
        pairs = feature_pairs(x, y, seed)
        nulls = {f"{whole}rows of y": permuted(len(x), count, blocks, seed)}
    else:
        pairs = feature_pairs(less.columns(x), less.columns(y), seed)
        pairs = [(less.features(a), less.features(b)) for a, b in pairs]
        nulls = {
            f"signs of {whole}residuals": signed(len(x), count, blocks, seed),
            f"{whole}residuals of y": permuted(len(x), count, blocks, seed),
        }
    return {name: [statistics(a, b, null, count) for a, b in pairs] for name, null in nulls.items()}


def _check_units(blocks: int | None, groups: Any, num_rows: int) -> Any:
    """Return the length of blocks or the group of each row, or raise in one sentence."""
    if blocks is not None and groups is not None:
        raise UserError("expected either blocks or groups, got both")
    if blocks is not None:
        length = whole_number("blocks", blocks, 1)
        if num_rows < 5 * length:
            raise UserError(
                f"blocks of {length} rows need at least {5 * length} rows, got {num_rows}"
            )
        return length
    if groups is None:
        return None
    labels = number_groups(groups, num_rows)
    if np.unique(np.bincount(labels), return_counts=True)[1].max() < 5:
        raise UserError("expected at least five groups of one size, which can be exchanged")
    return labels


def _sample(x: Tensor, y: Tensor, most: int = 2000) -> tuple[np.ndarray, np.ndarray] | None:
    """Return points for a scatter plot, where both sides are one column."""
    if x.shape[1] > 1 or y.shape[1] > 1:
        return None
    step = -(-len(x) // most)
    return x[::step, 0].numpy(), y[::step, 0].numpy()


def _as_columns(name: str, values: Any) -> Tensor:
    """Return an array, tensor or data frame as (num_rows, columns) float64; a vector is a column.

    Raises:
        UserError: for values that are not finite numbers, or for fewer than five rows.
    """
    values = dense(values)
    if not isinstance(values, Tensor):
        if isinstance(values, np.ma.MaskedArray) and bool(np.ma.getmaskarray(values).any()):
            raise UserError(f"{name} must be complete, got a masked array with hidden values")
        array = np.asarray(values)
        if array.dtype == object:
            try:
                array = array.astype(np.float64)
            except (TypeError, ValueError):
                raise UserTypeError(f"{name} must be numbers, got {_odd(values)}") from None
        if array.dtype.kind not in "fiub":
            raise UserTypeError(f"{name} must be numbers, got an array of dtype {array.dtype}")
        values = torch.from_numpy(array.astype(np.float64))
    if values.is_complex():
        raise UserTypeError(f"{name} must be real numbers, got dtype {values.dtype}")
    columns = values.detach().double().cpu()
    if columns.ndim == 1:
        columns = columns[:, None]
    if columns.ndim != 2 or columns.shape[1] == 0:
        raise UserError(f"{name} must be (num_rows, columns), got shape {tuple(values.shape)}")
    if len(columns) < FEWEST:
        raise UserError(f"{name} must have at least {FEWEST} rows to be tested, got {len(columns)}")
    if not bool(torch.isfinite(columns).all()):
        row, column = (int(i) for i in torch.isfinite(columns).logical_not().nonzero()[0])
        kind = "NaN" if bool(columns[row, column].isnan()) else "an infinite value"
        raise UserError(f"{name} must be finite, got {kind} in row {row}, column {column} (from 0)")
    return columns


def _odd(values: Any) -> str:
    """Say which column of a data frame holds no numbers."""
    for column in getattr(values, "columns", ()):
        if getattr(values[column].dtype, "kind", "O") not in "fiub":
            return f"{values[column].dtype} in column {column!r}: turn it into columns of 0 and 1"
    return type(values).__name__


def _check_same_rows(**named: Tensor | None) -> None:
    """Raise unless all have equally many rows."""
    counts = {name: len(values) for name, values in named.items() if values is not None}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        raise UserError(f"expected as many rows in each, got {said}")
