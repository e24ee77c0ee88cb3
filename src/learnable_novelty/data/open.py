"""How the data given to ``score`` is read: in memory, from a file, or by chunks.

Libraries are told by the names of their classes' modules: none is imported to find out.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from torch import Tensor

from learnable_novelty.data.array_files import check_array
from learnable_novelty.data.arrays import ArrayColumns, array_source, itself, opener
from learnable_novelty.data.dask import dask_source
from learnable_novelty.data.files import Columns, choose_columns, open_columns
from learnable_novelty.data.frames import dense, has_names
from learnable_novelty.data.memory import as_tensor
from learnable_novelty.data.reading import read_table
from learnable_novelty.data.source import Chunks, Source, table_source
from learnable_novelty.data.table import Table
from learnable_novelty.errors import UserError, UserTypeError


def open_source(inputs: Any, targets: Any, *, is_series: bool) -> Source:
    """Return how data is read.

    Raises:
        ValueError: for a series in a list of vectors, which may be rows or chunks of it.
    """
    inputs, targets = dense(inputs), dense(targets)
    library = type(inputs).__module__.partition(".")[0]
    if isinstance(inputs, (str, PathLike)):
        return open_columns(inputs, None, _column_names(targets), is_series=is_series).as_source()
    if isinstance(inputs, Table) or has_names(inputs) or has_names(targets):
        return _table_columns(inputs, targets, is_series=is_series).as_source()
    if isinstance(inputs, Columns):
        if is_series and inputs.gaps:
            raise UserError(
                f"expected a series without gaps, but {inputs.gaps} rows with gaps were filled or "
                "left out: open the columns with is_series=True, and say what to do about gaps"
            )
        return _without_targets(inputs.source, targets)
    if isinstance(inputs, np.memmap) or library == "zarr":
        return _sliced(inputs, targets)
    if library in ("dask", "dask_expr"):
        return dask_source(inputs, targets)
    opened = functools.partial(itself, inputs)
    if callable(inputs) and not isinstance(inputs, Tensor):
        make: Any = inputs
        return _without_targets(Source([Chunks(make, again=True)]), targets)
    if isinstance(inputs, Iterator):
        return _without_targets(Source([Chunks(opened, again=False)]), targets)
    if _is_chunks(inputs) or (is_series and _is_series_chunks(inputs)):
        return _without_targets(Source([Chunks(opened, again=True)]), targets)
    return in_memory(inputs, targets)


def in_memory(inputs: Any, targets: Any) -> Source:
    """Return data in memory as one partition of one chunk."""
    x = as_tensor(inputs, "inputs")
    y = None if targets is None else as_tensor(targets, "targets")
    if y is not None and x.shape[0] != y.shape[0]:
        raise UserError(f"expected as many targets as inputs, {x.shape[0]}, got {y.shape[0]}")
    return table_source(x, y, in_memory=True)


def _is_chunks(values: Any) -> bool:
    """Tell chunks that can be read again from an array of any library or of nested lists."""
    if isinstance(values, (list, tuple)):
        first = values[0] if values else None
        if not isinstance(first, (list, tuple)) or len(first) != 2:
            return False
        return all(len(getattr(one, "shape", ())) > 0 for one in first)
    array = isinstance(values, (Tensor, np.ndarray)) or hasattr(values, "__array__")
    return isinstance(values, Iterable) and not array and not hasattr(values, "to_numpy")


def _is_series_chunks(values: Any) -> bool:
    """Tell chunks (time, columns) of a series from its rows, which may come in a list as well."""
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


def _table_columns(inputs: Any, targets: Any, *, is_series: bool) -> Columns:
    """Return columns of a table or a frame.

    Targets are names or places of its columns; another frame, whose index must be the same; or
    an array.
    """
    if _are_names(targets, inputs):
        targets = [targets] if isinstance(targets, int) else targets
        return choose_columns(read_table(inputs), None, targets, is_series=is_series)
    mine: Any = getattr(inputs, "index", None)
    theirs: Any = getattr(targets, "index", None)
    framed = hasattr(mine, "equals") and hasattr(theirs, "equals") and len(mine) == len(theirs)
    if framed and not mine.equals(theirs):
        raise UserError(
            "expected inputs and targets with the same index, got two that differ: join the "
            "frames by their index, or drop both with reset_index(drop=True)"
        )
    table = read_table(inputs)
    other = None if targets is None else read_table(targets)
    if other is None:
        return choose_columns(table, None, None, is_series=is_series)
    if other.num_rows != table.num_rows:
        raise UserError(
            f"expected as many targets as inputs, {table.num_rows}, got {other.num_rows}"
        )
    names = {column.name for column in table.columns}
    renamed = [
        replace(one, name=f"target {one.name}" if one.name in names else one.name)
        for one in other.columns
    ]
    places = range(len(table.columns), len(table.columns) + len(renamed))
    table = replace(table, columns=(*table.columns, *renamed))
    return choose_columns(table, None, list(places), is_series=is_series)


def _are_names(targets: Any, inputs: Any) -> bool:
    """Tell names and places of columns from values: a list of as many numbers as rows is values."""
    if isinstance(targets, (str, int)) and not isinstance(targets, bool):
        return True
    if not isinstance(targets, (list, tuple)):
        return False
    places = all(isinstance(one, int) and not isinstance(one, bool) for one in targets)
    rows = len(inputs) if hasattr(inputs, "__len__") else None
    return any(isinstance(one, str) for one in targets) or (places and len(targets) != rows)


def _without_targets(source: Any, targets: Any) -> Any:
    if targets is not None:
        raise UserError("expected targets within the chunks, as pairs (inputs, targets)")
    return source


def _column_names(targets: Any) -> Any:
    """Check the names of target columns of a file."""
    if targets is None or isinstance(targets, (str, list, tuple)):
        return targets
    raise UserTypeError(
        f"expected the names of target columns beside a file, got {type(targets).__name__}"
    )


def _sliced(inputs: Any, targets: Any) -> Source:
    """Read a memory map or a Zarr array by slices."""
    columns: list[ArrayColumns] = []
    for name, array in (("inputs", inputs), ("targets", targets)):
        if array is None:
            continue
        if not hasattr(array, "shape"):
            kind = type(array).__name__
            raise UserTypeError(f"expected {name} to be an array with a shape, got {kind}")
        if array.dtype.kind not in "fiub":
            raise UserTypeError(f"{name} must be numbers, got an array of dtype {array.dtype}")
        if hasattr(array, "chunks") and hasattr(array, "metadata"):
            check_array(array, name)
        columns.append(ArrayColumns((opener(array),), name=f"the {name}"))
    return array_source(columns[0], columns[1] if len(columns) > 1 else None)
