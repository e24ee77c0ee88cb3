"""Which data is read by chunks: iterators, memory maps, Parquet, Zarr, Dask; all else is in memory.

Libraries are told by the names of their classes' modules: none is imported to find out.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from learnable_novelty.measure.large_files import Opened, open_columns, refuse_pickles
from learnable_novelty.measure.parts import (
    Chunk,
    Columns,
    DaskPart,
    Source,
    array_source,
    opener_of,
    row_bytes,
)


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
                raise ValueError(
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
    if library == "dask":
        return _dask(inputs, targets)
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
        raise ValueError(
            "expected a series (time, columns), got a list of vectors, which may be its rows or "
            "its pieces: stack rows into one array, and return pieces from a function (lambda: "
            "pieces)"
        )
    return axes > 1


def _alone(source: Any, targets: Any) -> Any:
    if targets is not None:
        raise ValueError("expected targets within the chunks, as pairs (inputs, targets)")
    return source


def _same(chunks: Iterable[Any]) -> Iterable[Any]:
    return chunks


def _names(targets: Any) -> str | None:
    """Read the names of target columns of a file."""
    if targets is None or isinstance(targets, str):
        return targets
    if isinstance(targets, (list, tuple)) and all(isinstance(one, str) for one in targets):
        return ",".join(targets)
    raise TypeError(
        f"expected the names of target columns beside a file, got {type(targets).__name__}"
    )


def _sliced(inputs: Any, targets: Any) -> Source:
    for name, array in (("inputs", inputs), ("targets", targets)):
        if array is not None and not hasattr(array, "shape"):
            kind = type(array).__name__
            raise TypeError(f"expected {name} to be an array with a shape, got {kind}")
        if array is not None and array.dtype.kind not in "fiub":
            raise TypeError(f"{name} must be numbers, got an array of dtype {array.dtype}")
        refuse_pickles(array, name)
    held = [None if array is None else Columns(opener_of(array)) for array in (inputs, targets)]
    size = row_bytes(inputs) + (0 if targets is None else row_bytes(targets))
    stored = getattr(inputs, "chunks", None)
    assert held[0] is not None
    return array_source(held[0], held[1], bytes_per_row=size, align=stored[0] if stored else 1)


def _dask(inputs: Any, targets: Any) -> Source:
    is_frame = not hasattr(inputs, "chunks")
    if targets is not None and not hasattr(targets, "dask"):
        raise TypeError(
            f"expected targets from Dask beside inputs from Dask, got {type(targets).__name__}"
        )
    pieces = [_frames(one) if is_frame else _arrays(one, inputs) for one in (inputs, targets)]
    if targets is not None and len(pieces[0]) != len(pieces[1]):
        raise ValueError(
            "expected inputs and targets of as many partitions, "
            f"got {len(pieces[0])} and {len(pieces[1])}"
        )
    counts = [None] * len(pieces[0]) if is_frame else [_known(n) for n in inputs.chunks[0]]
    second = pieces[1] if targets is not None else itertools.repeat(None)
    return Source([DaskPart(x, y, n) for x, y, n in zip(pieces[0], second, counts, strict=False)])


def _known(count: float) -> int | None:
    return None if math.isnan(count) else int(count)


def _frames(frame: Any) -> list[Any]:
    if frame is None:
        return []
    return [frame.get_partition(number) for number in range(frame.npartitions)]


def _arrays(array: Any, like: Any) -> list[Any]:
    """Divide an array by rows only, as another one is."""
    if array is None:
        return []
    rows = like.chunks[0]
    if not any(math.isnan(count) for count in rows) and array.shape[0] == like.shape[0]:
        array = array.rechunk({0: rows, **dict.fromkeys(range(1, array.ndim), -1)})
    elif array.shape[0] != like.shape[0] and not math.isnan(array.shape[0] + like.shape[0]):
        raise ValueError(
            f"expected as many targets as inputs, {like.shape[0]}, got {array.shape[0]}"
        )
    return [array.blocks[number] for number in range(array.numblocks[0])]
