"""Tables of other libraries as pandas data frames; each is told by its class, none is imported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.storage import MOST_BYTES

LIBRARIES = ("pandas", "polars", "pyarrow")
"""Whose data frames have names of columns."""


def library_of(data: Any) -> str:
    """Return the name of the library that a value comes from."""
    return type(data).__module__.partition(".")[0]


def has_names(data: Any) -> bool:
    """Tell whether data is a table whose columns have names."""
    library = library_of(data)
    named = hasattr(data, "columns") if library == "pandas" else library in LIBRARIES
    return isinstance(data, Mapping) or named


def frame_of(data: Any) -> Any:
    """Return a pandas data frame; an array has columns named 0, 1, 2.

    Raises:
        UserTypeError: for data that is not a table.
        UserError: for arrays of more than two axes, and columns of different lengths.
    """
    import pandas as pd

    library = library_of(data)
    if library == "polars":
        return _from_polars(data)
    if library == "pyarrow":
        return data.to_pandas()
    data = dense(data)
    if hasattr(data, "detach"):  # a torch tensor
        data = data.detach().cpu().numpy()
    if isinstance(data, pd.Series):
        return data.to_frame("0" if data.name is None else data.name)
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, Mapping):
        return _from_columns(data)
    if (
        isinstance(data, np.ndarray)
        or hasattr(data, "__array__")
        or isinstance(data, (list, tuple))
    ):
        return _from_array(np.asanyarray(data))
    raise UserTypeError(f"expected a table, a path or an array, got {type(data).__name__}")


def dense(data: Any) -> Any:
    """Return a sparse matrix of SciPy as an array, if it is not too large; other data itself."""
    if library_of(data) != "scipy" or not hasattr(data, "toarray"):
        return data
    size = math.prod(map(int, data.shape)) * np.dtype(data.dtype).itemsize
    if size > MOST_BYTES:
        raise UserError(f"expected at most {MOST_BYTES:,} bytes as a table, got {size:,}")
    return data.toarray()


def _from_columns(columns: Mapping[Any, Any]) -> Any:
    import pandas as pd

    lengths = {
        str(name): len(values) for name, values in columns.items() if hasattr(values, "__len__")
    }
    if len(set(lengths.values())) > 1 or len(lengths) < len(columns):
        listed = ", ".join(f"{name!r} {length}" for name, length in list(lengths.items())[:6])
        raise UserError(f"expected columns of one length, got {listed or 'single values'}")
    return pd.DataFrame({name: _values(one) for name, one in columns.items()})


def _values(column: Any) -> Any:
    """Return a column without an index of its own."""
    if hasattr(column, "detach"):
        return column.detach().cpu().numpy()
    return column.reset_index(drop=True) if hasattr(column, "reset_index") else column


def _from_polars(data: Any) -> Any:
    import pandas as pd

    if hasattr(data, "collect"):
        data = data.collect()
    if hasattr(data, "to_frame"):
        data = data.to_frame()
    columns: dict[str, Any] = {}
    for series in data.iter_columns():
        if series.dtype.is_numeric() or series.dtype.is_temporal():
            values = pd.Series(series.to_numpy())
        else:
            values = pd.Series(series.to_list(), dtype=object)
        columns[series.name] = values
    return pd.DataFrame(columns)


def _from_array(array: np.ndarray) -> Any:
    import pandas as pd

    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)
    if array.dtype.names:
        return pd.DataFrame(array)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise UserError(f"expected a table (rows, columns), got an array of shape {array.shape}")
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
    return pd.DataFrame(array, columns=[str(i) for i in range(array.shape[1])])
