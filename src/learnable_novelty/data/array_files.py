"""Arrays in files: .npy, which is mapped, .npz, which is read whole, and Zarr, read by its chunks.

Nothing is unpickled, and the sizes that a Zarr array claims are checked before anything is read.
"""

from __future__ import annotations

import functools
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.data.arrays import ArrayColumns, array_source
from learnable_novelty.data.columns import ColumnFile, Selection
from learnable_novelty.data.memory import describe_index
from learnable_novelty.data.source import Source, table_source
from learnable_novelty.data.stored import check_table, open_node, unreadable_zarr
from learnable_novelty.errors import UserError
from learnable_novelty.storage import UNREADABLE, quiet_headers, read_arrays
from learnable_novelty.text import printable


def open_npy(path: Path) -> ColumnFile:
    """Open a .npy file; its columns are numbered."""
    return array_table(path.name, functools.partial(map_array, path))


def map_array(path: Path) -> NDArray[np.generic]:
    """Map a .npy file."""
    try:
        with quiet_headers():
            return np.lib.format.open_memmap(path, mode="r")
    except UNREADABLE as error:
        if "object" in str(error).lower():
            reason = "it holds pickled objects, which are not read"
        else:
            reason = " ".join(str(error).split()) or "it ends too early"
        raise UserError(f"expected NumPy data in {path.name}, but {reason}") from None


def array_table(name: str, open_again: Callable[[], Any]) -> ColumnFile:
    """Treat an array that can be sliced as a table whose columns are numbered."""
    array = open_again()
    check_table(array, name)

    def select(chosen: Selection) -> Source:
        x, y = (
            ArrayColumns(open_again, tuple(columns), name)
            for columns in (chosen.inputs, chosen.targets)
        )
        return array_source(x, y if chosen.targets else None)

    return ColumnFile([str(i) for i in range(1 if array.ndim == 1 else array.shape[1])], select)


def open_npz(path: Path) -> ColumnFile:
    """Open an .npz file: its arrays are the columns, or the columns of its only array."""
    if not zipfile.is_zipfile(path):
        raise UserError(f"expected NumPy data in {path.name}, but it is not an archive of arrays")
    arrays = read_arrays(path)
    if not arrays:
        raise UserError(f"expected arrays in {path}, got none")
    only = next(iter(arrays.values())) if len(arrays) == 1 else None
    if only is not None:
        check_table(only, path.name)
        only = only[:, None] if only.ndim == 1 else only
    names = list(arrays) if only is None else [str(i) for i in range(only.shape[1])]

    def read(columns: list[int]) -> NDArray[np.generic] | None:
        if not columns:
            return None
        if only is not None:
            return only[:, columns]
        return _side_by_side([names[i] for i in columns], arrays, path)

    where = functools.partial(_where, path.name)
    return ColumnFile(
        names, lambda chosen: table_source(read(chosen.inputs), read(chosen.targets), where)
    )


def _side_by_side(
    names: list[str], arrays: Mapping[str, NDArray[np.generic]], path: Path
) -> NDArray[np.generic]:
    chosen = [arrays[name] for name in names]
    for name, array in zip(names, chosen, strict=True):
        check_table(array, f"{name!r} of {path.name}")
    if len(chosen) == 1:
        return chosen[0]
    flat = [array[:, None] if array.ndim == 1 else array for array in chosen]
    if any(array.ndim != 2 or len(array) != len(flat[0]) for array in flat):
        shapes = ", ".join(str(array.shape) for array in chosen)
        raise UserError(f"expected arrays of equally many rows to put side by side, got {shapes}")
    return np.concatenate(flat, axis=1)


def _where(name: str, index: tuple[int, ...], targets: bool) -> str:
    return f"{describe_index(index)} of the {'targets' if targets else 'inputs'} in {name}"


def open_zarr(path: Path) -> ColumnFile:
    """Open an array as a table, or a group, whose arrays are one for inputs and one for targets."""
    node = open_node(path)
    if hasattr(node, "shape"):
        return array_table(path.name, functools.partial(open_node, path))
    try:
        with quiet_headers():
            names = sorted(node.array_keys())
    except UNREADABLE as error:
        raise unreadable_zarr(path, error) from None

    def select(chosen: Selection) -> Source:
        if max(len(chosen.inputs), len(chosen.targets)) > 1:
            raise UserError(
                f"expected one array of {path.name} for the inputs and one for the targets; "
                f"choose among {', '.join(map(printable, names))}"
            )
        arrays = [
            ArrayColumns(functools.partial(open_node, path, name), None, f"{name!r} of {path.name}")
            for name in (names[i] for i in chosen.inputs + chosen.targets)
        ]
        return array_source(arrays[0], arrays[1] if chosen.targets else None)

    return ColumnFile(names, select)
