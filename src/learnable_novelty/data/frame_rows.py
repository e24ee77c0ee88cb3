"""Data frames and typed tables as samples in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnable_novelty.data.files import choose_columns
from learnable_novelty.data.frames import has_names
from learnable_novelty.data.reading import read_table
from learnable_novelty.data.source import Source
from learnable_novelty.data.table import Table
from learnable_novelty.errors import UserError


def table_rows(inputs: Any, targets: Any, *, is_series: bool) -> Source | None:
    """Return the rows of a table; None for frames of numbers alone, which are arrays.

    Frames that hold gaps, or a column that only labels rows, are tables.

    Args:
        inputs: a table, or a data frame with names.
        targets: names or places of columns of it; another frame, whose index must be the same; or
            an array.
        is_series: whether rows are steps of time.
    """
    if _are_names(targets, inputs):
        targets = [targets] if isinstance(targets, int) else targets
        return choose_columns(read_table(inputs), None, targets, is_series=is_series).as_source()
    _check_indices(inputs, targets)
    plain = _are_numbers(inputs) and (targets is None or _are_numbers(targets))
    table = read_table(inputs)
    if plain and not any(column.kind == "index" for column in table.columns):
        return None
    if targets is None:
        return choose_columns(table, None, None, is_series=is_series).as_source()
    other = read_table(targets)
    if other.num_rows != table.num_rows:
        raise UserError(
            f"expected as many targets as inputs, {table.num_rows}, got {other.num_rows}"
        )
    mine = {column.name for column in table.columns}
    renamed = [
        replace(one, name=f"target {one.name}" if one.name in mine else one.name)
        for one in other.columns
    ]
    both = replace(table, columns=(*table.columns, *renamed))
    places = range(len(table.columns), len(both.columns))
    return choose_columns(both, None, list(places), is_series=is_series).as_source()


def _are_names(targets: Any, inputs: Any) -> bool:
    """Tell names and places of columns from values: a list of as many numbers as rows is values."""
    if isinstance(targets, (str, int)) and not isinstance(targets, bool):
        return True
    if not isinstance(targets, (list, tuple)):
        return False
    places = all(isinstance(one, int) and not isinstance(one, bool) for one in targets)
    rows = len(inputs) if hasattr(inputs, "__len__") else None
    return any(isinstance(one, str) for one in targets) or (places and len(targets) != rows)


def _check_indices(inputs: Any, targets: Any) -> None:
    """Raise unless two data frames of pandas have the same index: their rows would not match."""
    mine: Any = getattr(inputs, "index", None)
    theirs: Any = getattr(targets, "index", None)
    if not (hasattr(mine, "equals") and hasattr(theirs, "equals")):
        return
    if len(inputs) == len(targets) and not mine.equals(theirs):
        raise UserError(
            "expected inputs and targets with the same index, got two that differ: join the frames "
            "by their index, or drop both with reset_index(drop=True)"
        )


def _are_numbers(data: Any) -> bool:
    """Tell whether data is an array, or a frame that holds only numbers and no gaps."""
    if isinstance(data, Table):
        return False
    if not has_names(data):
        return not hasattr(data, "isna") or _is_complete([data])
    if hasattr(data, "iter_columns"):  # polars
        return all(
            (one.dtype.is_numeric() or str(one.dtype) == "Boolean") and not one.null_count()
            for one in data.iter_columns()
        )
    if hasattr(data, "data_vars"):
        return False
    if type(data).__module__.startswith("xarray"):
        return data.dtype.kind in "fiub"
    if hasattr(data, "isna") and hasattr(data, "columns"):
        return _is_complete([data.iloc[:, k] for k in range(data.shape[1])])
    return False


def _is_complete(columns: list[Any]) -> bool:
    kinds = all(getattr(one.dtype, "kind", "O") in "fiub" for one in columns)
    return kinds and not any(bool(np.asarray(one.isna()).any()) for one in columns)
