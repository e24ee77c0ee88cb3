"""What users pass in, as float64 columns: checked in one sentence each."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.data.frames import dense
from learnable_novelty.errors import UserError, UserTypeError

FEWEST = 5
"""Rows that a permutation test needs to reach p = 0.05 with room to spare: 5! = 120 orders."""


def as_columns(name: str, values: Any) -> Tensor:
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


def check_same_rows(**named: Tensor | None) -> None:
    """Raise unless all have equally many rows."""
    counts = {name: len(values) for name, values in named.items() if values is not None}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        raise UserError(f"expected as many rows in each, got {said}")
