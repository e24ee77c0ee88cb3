"""Data in memory: arrays, tensors and data frames become checked floating tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError


def as_tensor(values: Any, name: str) -> Tensor:
    """Convert an array, a tensor or a data frame; a vector becomes one column.

    Floating dtypes are kept; integers and booleans become float64.

    Raises:
        TypeError: for values, or columns of a data frame, that are not numbers.
        ValueError: for NaN, infinities, masked values, or fewer than two samples.
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
        raise NotFiniteError(name, float(tensor[index]), index)
    return tensor


class NotFiniteError(UserError):
    """A NaN or an infinity among values, and the index of the first."""

    def __init__(self, name: str, value: float, index: tuple[int, ...]) -> None:
        super().__init__(name, value, index)
        self.name, self.value, self.index = name, value, index

    def __str__(self) -> str:
        return self.at(describe_index(self.index))

    def at(self, place: str) -> str:
        """Return the message for a place that is known better."""
        kind = "NaN" if self.value != self.value else "an infinite value"
        return f"{self.name} must be finite, got {kind} in {place}"


def describe_index(index: tuple[int, ...]) -> str:
    """Say which row and column an index is, or which sample and where in it."""
    if len(index) == 2:
        return f"row {index[0]}, column {index[1]} (from 0)"
    return f"sample {index[0]} (from 0) at {index[1:]}"


@dataclass(frozen=True, repr=False)
class MemoryRows:
    """Samples in memory, as tensors that were checked."""

    inputs: Tensor
    targets: Tensor | None

    @property
    def count(self) -> int:
        """How many samples."""
        return self.inputs.shape[0]

    def chunks(self) -> Iterator[tuple[Tensor, Tensor | None]]:
        yield self.inputs, self.targets

    def __repr__(self) -> str:
        return f"MemoryRows({self.count} samples)"

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to other processes as NumPy arrays: a slice of a tensor would take all of it."""
        pair = (self.inputs, self.targets)
        return _memory_rows, tuple(None if one is None else one.cpu().numpy() for one in pair)

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        return describe_index(index)


def _memory_rows(*pair: np.ndarray | None) -> MemoryRows:
    x, y = (None if one is None else torch.from_numpy(one) for one in pair)
    assert x is not None
    return MemoryRows(x, y)


def _as_array(values: Any, name: str) -> np.ndarray:
    if hasattr(values, "to_numpy"):
        return _frame_values(values, name)
    if isinstance(values, (list, tuple)):
        _reject_masked(values, name)
    try:
        array = np.asanyarray(values)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise UserError(f"{name} must be samples of one shape, got several shapes") from None
    _reject_masked([array], name)
    return np.asarray(array)


def _reject_masked(arrays: Sequence[Any], name: str) -> None:
    """Raise for an array with masked values: they would be scored like all others."""
    for array in arrays:
        if isinstance(array, np.ma.MaskedArray) and bool(np.ma.getmaskarray(array).any()):
            raise UserError(
                f"{name} must be complete, got a masked array with hidden values: leave out "
                "their rows, or fill them in"
            )


def _frame_values(frame: Any, name: str) -> np.ndarray:
    """Return the numbers of a data frame, or of one of its columns."""
    _reject_other_columns(frame, name)
    array = frame.to_numpy()
    if array.dtype != object:
        return array
    try:  # a data frame whose columns are numbers of several kinds, or numbers with gaps
        return frame.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError):
        return array


def _reject_other_columns(frame: Any, name: str) -> None:
    """Raise for dates, text and objects: pandas would convert some of them to numbers."""
    kinds: Any = getattr(frame, "dtypes", None)
    if not hasattr(kinds, "items"):
        kinds = {getattr(frame, "name", None): kinds}
    for column, kind in kinds.items():
        if getattr(kind, "kind", "f") not in "fiub":
            raise UserTypeError(f"{name} must be numbers, got {kind} in column {column!r}")
