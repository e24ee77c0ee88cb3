"""From what users hold (arrays, tensors, data frames) to checked floating tensors."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.measure.spread import Spread


def as_tensor(values: Any, name: str) -> Tensor:
    """Convert an array, a tensor or a data frame; a vector becomes one column.

    Floating dtypes are kept; integers and booleans become float64.

    Raises:
        TypeError: for values, or columns of a frame, that are not numbers.
        ValueError: for NaN, infinities, hidden values, or fewer than two samples.
    """
    tensor = as_chunk(values, name)
    if tensor.shape[0] < 2:
        raise UserError(f"{name} must hold at least two samples, got {tensor.shape[0]}")
    return tensor


def as_chunk(values: Any, name: str) -> Tensor:
    """Convert some of the samples, as ``as_tensor`` does; there may be one of them, or none."""
    if isinstance(values, Tensor):
        tensor = values.detach()
    else:
        array = _as_array(values, name)
        if array.dtype.kind not in "fiub":
            raise UserTypeError(f"{name} must be numbers, got an array of dtype {array.dtype}")
        if array.dtype.byteorder == ">" or array.dtype.itemsize > 8:
            array = array.astype(np.float64)  # orders and sizes that torch has no dtype for
        # A copy where the array is read-only: torch has no read-only tensors.
        tensor = torch.from_numpy(np.require(array, requirements=["C", "W"]))
    if not tensor.is_floating_point():
        if tensor.is_complex():
            raise UserTypeError(f"{name} must be real numbers, got dtype {tensor.dtype}")
        tensor = tensor.double()
    if tensor.ndim == 1:
        tensor = tensor[:, None]
    if tensor.ndim == 0:
        raise UserError(f"{name} must hold at least two samples, got 1")
    if 0 in tensor.shape[1:]:
        raise UserError(f"{name} must have at least one column, got shape {tuple(tensor.shape)}")
    if not bool(torch.isfinite(tensor).all()):
        index = tuple(int(i) for i in torch.isfinite(tensor).logical_not().nonzero()[0])
        raise NotFinite(name, float(tensor[index]), index)
    return tensor


class NotFinite(UserError):
    """A NaN or an infinity among values, and the index of the first."""

    def __init__(self, name: str, value: float, index: tuple[int, ...]) -> None:
        super().__init__(name, value, index)
        self.name, self.value, self.index = name, value, index

    def __str__(self) -> str:
        return self.at(where_in_array(self.index))

    def at(self, place: str) -> str:
        """Say it of a place that is known better."""
        found = "NaN" if self.value != self.value else "an infinite value"
        return f"{self.name} must be finite, got {found} in {place}"


def where_in_array(index: tuple[int, ...]) -> str:
    """Say which row and column an index is, or which sample and where in it."""
    if len(index) == 2:
        return f"row {index[0]}, column {index[1]} (from 0)"
    return f"sample {index[0]} (from 0) at {index[1:]}"


def _as_array(values: Any, name: str) -> np.ndarray:
    if hasattr(values, "to_numpy"):
        return _of_frame(values, name)
    if isinstance(values, (list, tuple)):
        _refuse_masked(values, name)
    try:
        array = np.asanyarray(values)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise UserError(f"{name} must be samples of one shape, got several shapes") from None
    _refuse_masked([array], name)
    return np.asarray(array)


def _refuse_masked(arrays: Sequence[Any], name: str) -> None:
    """Raise for a masked array that hides values: they would be scored like all others."""
    for array in arrays:
        if isinstance(array, np.ma.MaskedArray) and bool(np.ma.getmaskarray(array).any()):
            raise UserError(
                f"{name} must be complete, got a masked array with hidden values: leave out "
                "their rows, or fill them in"
            )


def _of_frame(frame: Any, name: str) -> np.ndarray:
    """Return the numbers of a data frame, or of one of its columns."""
    _refuse_other_columns(frame, name)
    array = frame.to_numpy()
    if array.dtype != object:
        return array
    try:  # a frame whose columns are numbers of several kinds, or numbers with gaps
        return frame.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError):
        return array


def _refuse_other_columns(frame: Any, name: str) -> None:
    """Raise for dates, text and objects: pandas would turn them into numbers beside numbers."""
    kinds: Any = getattr(frame, "dtypes", None)
    if not hasattr(kinds, "items"):
        kinds = {getattr(frame, "name", None): kinds}
    for column, kind in kinds.items():
        if getattr(kind, "kind", "f") not in "fiub":
            raise UserTypeError(f"{name} must be numbers, got {kind} in column {column!r}")


def whole_number(name: str, value: Any, least: int) -> int:
    """Return an integer of any integer type, or raise unless it is at least ``least``."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__") or value < least:
        kind = "a positive integer" if least == 1 else "a non-negative integer"
        raise UserError(f"{name} must be {kind}, got {value!r}")
    return operator.index(value)


def column_scale(values: Tensor, column_axis: int) -> tuple[Tensor, Tensor]:
    """Return mean and deviation per column, over all other axes; 1 for a constant column."""
    return Spread.of(values, column_axis).scale()


def scaled(values: Tensor, column_axis: int, mean: Tensor | float, scale: Tensor | float) -> Tensor:
    """Return (values - mean) / scale per column, in the dtype of the values."""
    columns = values.movedim(column_axis, -1).double()
    return ((columns - mean) / scale).to(values.dtype).movedim(-1, column_axis)
