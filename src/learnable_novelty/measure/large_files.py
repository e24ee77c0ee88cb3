"""Files and folders that are read by chunks: .npy, Parquet, Zarr. Nothing is ever unpickled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learnable_novelty.measure.files import choose_columns, load_array, numeric
from learnable_novelty.measure.parts import Columns, RowGroup, Source, array_source, row_bytes

LARGE_ROWS, LARGE_BYTES = 1_000_000, 1 << 28
"""Beyond either, a file is read by chunks without being asked: features of that many rows take half
a gigabyte."""


@dataclass(frozen=True)
class Opened:
    """A file that is read by chunks, and the names of its columns."""

    source: Source
    input_names: list[str]
    target_names: list[str]


def is_large(path: Path) -> bool:
    """Tell whether a file is to be read by chunks: folders are, and what would fill the memory."""
    if path.is_dir():
        return True
    if not path.is_file() or path.suffix.lower() not in (".npy", ".parquet"):
        return False
    if path.suffix.lower() == ".npy":
        array = load_array(path)
        return array.nbytes > LARGE_BYTES or array.shape[:1] > (LARGE_ROWS,)
    with open_parquet(path) as file:
        held = file.metadata
        return held.num_rows > LARGE_ROWS or held.num_rows * held.num_columns * 8 > LARGE_BYTES


def open_columns(path: Path, inputs: str | None, targets: str | None) -> Opened:
    """Open input and target columns, named or numbered from 0, to be read by chunks.

    Args:
        path: a .npy or Parquet file, a folder of Parquet files, or a Zarr array or group. The
            "columns" of a group are its arrays: one for the inputs, one for the targets.
        inputs: names separated by commas; all that are no targets by default.
        targets: names separated by commas.

    Returns:
        What ``score`` takes in place of inputs.

    Raises:
        ValueError: for what cannot be read, is empty, or lacks a column.
    """
    if not path.exists():
        raise ValueError(f"expected a file or a folder, {path} is none")
    if path.suffix.lower() == ".zarr" or _is_zarr(path):
        return _open_zarr(path, inputs, targets)
    if path.is_dir() or path.suffix.lower() == ".parquet":
        return _open_row_groups(path, inputs, targets)
    if path.suffix.lower() != ".npy":
        raise ValueError(
            "expected a .npy or .parquet file, a folder of Parquet files, or a Zarr array to read "
            f"by chunks, got {path}"
        )
    return _open_array(path.name, functools.partial(load_array, path), inputs, targets)


def _open_array(
    name: str, open_again: Callable[[], Any], inputs: str | None, targets: str | None
) -> Opened:
    array = open_again()
    numeric(array, name)
    if array.ndim < 1 or 0 in array.shape:
        raise ValueError(f"expected rows of data in {name}, got shape {array.shape}")
    columns = 1 if array.ndim == 1 else array.shape[1]
    names = [str(number) for number in range(columns)]
    chosen = choose_columns(names, inputs, targets, Path(name))
    held = [Columns(open_again, tuple(one)) for one in chosen]
    stored = getattr(array, "chunks", None)
    source = array_source(
        held[0],
        held[1] if chosen[1] else None,
        bytes_per_row=2 * row_bytes(array),
        align=stored[0] if stored else 1,
    )
    return Opened(source, *([names[i] for i in one] for one in chosen))


def open_parquet(path: Path) -> Any:
    """Open a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise ValueError("reading .parquet needs the [data] extra (pyarrow)") from None
    try:
        file = pyarrow.parquet.ParquetFile(path)
        _ = file.schema_arrow  # read here, so that a damaged one is refused here
        return file
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"expected a Parquet file in {path}: {error}") from None


def _open_row_groups(path: Path, inputs: str | None, targets: str | None) -> Opened:
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise ValueError(f"expected Parquet files or a Zarr array in the folder {path}, found none")
    first: Any = None
    groups: list[tuple[Path, int, int]] = []
    for one in files:
        with open_parquet(one) as file:
            first = first or file.schema_arrow
            if not file.schema_arrow.equals(first):
                raise ValueError(_difference(files[0].name, first, one.name, file.schema_arrow))
            held = file.metadata
            groups += [(one, k, held.row_group(k).num_rows) for k in range(held.num_row_groups)]
    names = list(first.names)
    chosen = choose_columns(names, inputs, targets, path)
    x, y = (tuple(names[i] for i in one) for one in chosen)
    for name in x + y:
        _check_numbers(name, first.field(name).type, path)
    if not sum(rows for _, _, rows in groups):
        raise ValueError(f"expected rows of data in {path}, got none")
    return Opened(Source([RowGroup(*group, x, y) for group in groups]), list(x), list(y))


def _check_numbers(name: str, kind: Any, path: Path) -> None:
    """Raise unless a column holds numbers."""
    from pyarrow import types

    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise ValueError(f"expected numbers in column {name!r} of {path.name}, got {kind}")


def _difference(name: str, schema: Any, other_name: str, other: Any) -> str:
    """Say how the columns of two files differ."""
    listed = [", ".join(f"{one.name} {one.type}" for one in held) for held in (schema, other)]
    return (
        f"expected one schema in all files, got ({listed[1]}) in {other_name} "
        f"after ({listed[0]}) in {name}"
    )


def _is_zarr(path: Path) -> bool:
    return any((path / name).exists() for name in ("zarr.json", ".zarray", ".zgroup"))


def _open_zarr(path: Path, inputs: str | None, targets: str | None) -> Opened:
    node = _zarr_node(path)
    if hasattr(node, "shape"):
        return _open_array(path.name, functools.partial(_zarr_node, path), inputs, targets)
    names = sorted(node.array_keys())
    chosen = choose_columns(names, inputs, targets, path)
    if any(len(one) > 1 for one in chosen):
        listed = ", ".join(names)
        raise ValueError(
            f"expected one array of {path.name} for the inputs and one for the targets, choose of "
            f"{listed} with inputs and targets"
        )
    x, y = ([names[i] for i in one] for one in chosen)
    arrays = [_zarr_node(path, name) for name in x + y]
    for name, array in zip(x + y, arrays, strict=True):
        numeric(array, name)
    held = [Columns(functools.partial(_zarr_node, path, name)) for name in x + y]
    source = array_source(
        held[0],
        held[1] if y else None,
        bytes_per_row=sum(row_bytes(array) for array in arrays),
        align=max(array.chunks[0] if array.chunks else 1 for array in arrays),
    )
    return Opened(source, x, y)


def _zarr_node(path: Path, name: str | None = None) -> Any:
    """Open an array or a group of arrays."""
    try:
        import zarr
    except ModuleNotFoundError:
        raise ValueError("reading Zarr needs the [data] extra (zarr)") from None
    try:
        node = zarr.open(path, mode="r", path=name)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"expected a Zarr array in {path}: {error}") from None
    refuse_pickles(node, path.name)
    return node


def refuse_pickles(array: Any, name: str) -> None:
    """Raise if a Zarr array is stored by a codec that unpickles."""
    held = getattr(array, "metadata", None)
    codecs = [*(getattr(held, "filters", None) or ()), getattr(held, "compressor", None)]
    codecs += getattr(held, "codecs", None) or ()
    if any("pickle" in str(getattr(codec, "codec_id", codec)).lower() for codec in codecs):
        raise ValueError(f"expected numbers in {name}, but it holds pickles, which are not read")
