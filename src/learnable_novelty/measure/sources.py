"""Which data is read by chunks: iterators, memory maps, Parquet, Zarr, Dask; all else is in memory.

Libraries are told by the names of their classes' modules: none is imported to find out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.measure.dask_parts import dask_source
from learnable_novelty.measure.large_files import open_columns
from learnable_novelty.measure.parts import (
    Chunk,
    Columns,
    Opened,
    Source,
    array_source,
    opener_of,
    row_bytes,
)
from learnable_novelty.measure.zarr_files import check_array


@dataclass
class Stream:
    """Chunks that come one after the other: from an iterator, or from what makes iterators."""

    make: Callable[[], Iterable[Any]]
    again: bool
    """Whether it can be read more than once."""
    count: None = None
    """How many samples there are is not known before they are read."""

    def chunks(self) -> Iterator[Chunk]:
        """Yield pairs of inputs and targets."""
        for number, chunk in enumerate(self.make()):
            if isinstance(chunk, (tuple, list)) and len(chunk) == 2:
                yield chunk[0], chunk[1]
            elif isinstance(chunk, (tuple, list)):
                raise UserError(
                    "expected chunks of a series, or pairs (inputs, targets); "
                    f"chunk {number} is a {type(chunk).__name__} of {len(chunk)}"
                )
            else:
                yield chunk, None


def source_of(inputs: Any, targets: Any, *, is_series: bool = False) -> Source | Stream | None:
    """Return how to read data by chunks, or None for data that is in memory.

    Raises:
        ValueError: for a series in a list of vectors, which may be rows or pieces of it.
    """
    library = type(inputs).__module__.partition(".")[0]
    if isinstance(inputs, (str, PathLike)):
        return open_columns(Path(inputs), None, _names(targets)).source
    if isinstance(inputs, Opened):
        return _alone(inputs.source, targets)
    if isinstance(inputs, np.memmap) or library == "zarr":
        return _sliced(inputs, targets)
    if library in ("dask", "dask_expr"):
        return dask_source(inputs, targets)
    if callable(inputs) and not isinstance(inputs, Tensor):
        make: Any = inputs
        return _alone(Stream(make, again=True), targets)
    if isinstance(inputs, Iterator):
        return _alone(Stream(functools.partial(_same, inputs), again=False), targets)
    if _is_chunks(inputs) or (is_series and _is_pieces(inputs)):
        return _alone(Stream(functools.partial(_same, inputs), again=True), targets)
    return None


def _is_chunks(values: Any) -> bool:
    """Tell chunks that can be read again from an array of any library or of nested lists."""
    if isinstance(values, (list, tuple)):
        first = values[0] if values else None
        if not isinstance(first, (list, tuple)) or len(first) != 2:
            return False
        return all(len(getattr(one, "shape", ())) > 0 for one in first)
    array = isinstance(values, (Tensor, np.ndarray)) or hasattr(values, "__array__")
    return isinstance(values, Iterable) and not array and not hasattr(values, "to_numpy")


def _is_pieces(values: Any) -> bool:
    """Tell pieces (time, columns) of a series from its rows, which may come in a list as well."""
    if not isinstance(values, (list, tuple)) or not values:
        return False
    axes = len(getattr(values[0], "shape", ()))
    if axes == 1:
        raise UserError(
            "expected a series (time, columns), got a list of vectors, which may be its rows or "
            "its pieces: stack rows into one array, and return pieces from a function (lambda: "
            "pieces)"
        )
    return axes > 1


def _alone(source: Any, targets: Any) -> Any:
    if targets is not None:
        raise UserError("expected targets within the chunks, as pairs (inputs, targets)")
    return source


def _same(chunks: Iterable[Any]) -> Iterable[Any]:
    return chunks


def _names(targets: Any) -> str | None:
    """Read the names of target columns of a file."""
    if targets is None or isinstance(targets, str):
        return targets
    if isinstance(targets, (list, tuple)) and all(isinstance(one, str) for one in targets):
        return ",".join(targets)
    raise UserTypeError(
        f"expected the names of target columns beside a file, got {type(targets).__name__}"
    )


def _sliced(inputs: Any, targets: Any) -> Source:
    for name, array in (("inputs", inputs), ("targets", targets)):
        if array is not None and not hasattr(array, "shape"):
            kind = type(array).__name__
            raise UserTypeError(f"expected {name} to be an array with a shape, got {kind}")
        if array is not None and array.dtype.kind not in "fiub":
            raise UserTypeError(f"{name} must be numbers, got an array of dtype {array.dtype}")
        if hasattr(array, "chunks") and hasattr(array, "metadata"):
            check_array(array, name)
    held = [
        None if array is None else Columns(opener_of(array), name=f"the {name}")
        for name, array in (("inputs", inputs), ("targets", targets))
    ]
    size = row_bytes(inputs) + (0 if targets is None else row_bytes(targets))
    stored = getattr(inputs, "chunks", None)
    assert held[0] is not None
    return array_source(held[0], held[1], bytes_per_row=size, align=stored[0] if stored else 1)
