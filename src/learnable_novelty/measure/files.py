"""Columns of a user's file: .csv, .tsv, .npy, .npz, .parquet. Nothing is ever unpickled."""

from __future__ import annotations

import csv
import math
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from learnable_novelty.storage import MOST_BYTES, UNREADABLE, quiet_headers, read_arrays

MOST_COLUMNS, MOST_ROW_BYTES = 1_000_000, 1 << 28
"""Of a row: its columns have names, and a few thousand rows are in memory at a time."""

CHOOSE = "; choose columns with --inputs"
"""What to do about a column that holds no numbers."""
FILL = "; fill it in, or take that line out"
"""What to do about a cell that is empty."""


@dataclass(frozen=True)
class Columns:
    """What was read: inputs, and targets if any were named."""

    inputs: NDArray[np.generic]
    targets: NDArray[np.generic] | None
    input_names: list[str]
    target_names: list[str]


@dataclass(frozen=True)
class _Source:
    """A file that knows its column names and reads chosen ones."""

    names: list[str]
    read: Callable[[list[int]], NDArray[np.generic]]


def read_columns(path: Path, inputs: str | None, targets: str | None) -> Columns:
    """Read input and target columns, named or numbered from 0, separated by commas.

    Without ``inputs`` all columns that are not targets are inputs.

    Raises:
        ValueError: for a file that cannot be read, is empty, or lacks a column.
    """
    source = _open(path)
    chosen_inputs, chosen_targets = choose_columns(source.names, inputs, targets, path)
    return Columns(
        inputs=source.read(chosen_inputs),
        targets=source.read(chosen_targets) if chosen_targets else None,
        input_names=[source.names[i] for i in chosen_inputs],
        target_names=[source.names[i] for i in chosen_targets],
    )


def column_names(path: Path) -> list[str]:
    """Return the names of a file's columns; those of a file without names are their numbers.

    Raises:
        ValueError: for a file that cannot be read or is empty.
    """
    return _open(path).names


def _open(path: Path) -> _Source:
    if path.suffix.lower() not in _READERS:
        raise UserError(f"expected a file ending in {', '.join(_READERS)}, got {path}")
    if not path.is_file():
        raise UserError(f"expected a file, {path} is none")
    size = path.stat().st_size
    if size == 0:
        raise UserError(f"expected data in {path}, the file is empty")
    if path.suffix.lower() in (".csv", ".tsv") and size > MOST_BYTES:
        raise UserError(
            f"{path.name} holds {size:,} bytes of text, more than {MOST_BYTES:,}; convert it to "
            "Parquet, which is read by chunks"
        )
    return _READERS[path.suffix.lower()](path)


def choose_columns(
    names: list[str], inputs: str | None, targets: str | None, path: Path
) -> tuple[list[int], list[int]]:
    """Return the positions of input and target columns; all that are no targets are inputs."""
    chosen_targets = [] if targets is None else _find(names, targets, path)
    if inputs is not None:
        chosen_inputs = _find(names, inputs, path)
    else:
        chosen_inputs = [i for i in range(len(names)) if i not in chosen_targets]
    if not chosen_inputs:
        raise UserError(f"expected input columns in {path}, none are left beside the targets")
    return chosen_inputs, chosen_targets


def _find(names: list[str], wanted: str, path: Path) -> list[int]:
    """Turn names or numbers into positions."""
    found: list[int] = []
    for text in (part.strip() for part in wanted.split(",")):
        if text in names:
            found.append(names.index(text))
        elif text.isdigit() and int(text) < len(names):
            found.append(int(text))
        else:
            shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
            raise UserError(f"expected a column of {path.name} ({shown}), got {text!r}")
    return found


def _read_text(path: Path, delimiter: str) -> _Source:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            first = next(csv.reader(file, delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise UserError(f"expected UTF-8 text in {path}, got other bytes") from None
    except csv.Error as error:
        raise UserError(f"expected a table of numbers in {path}: {error}") from None
    if len(first) == 1 and ";" in first[0]:
        raise UserError(f"expected commas between the columns of {path.name}, got semicolons")
    if not first:
        raise UserError(f"expected columns in the first line of {path}, got a blank line")
    has_header = not all(_is_number(cell) for cell in first)
    names = [c.strip() for c in first] if has_header else [str(i) for i in range(len(first))]

    @cache
    def check_widths() -> None:
        # The parser looks at chosen columns only: a row of "0,5" for 0.5 would shift in silence.
        for number, width in _widths(path, delimiter):
            if width != len(names):
                where = f"line {number} of {path.name}"
                raise UserError(f"expected {len(names)} columns in {where}, got {width}")

    def read(columns: list[int]) -> NDArray[np.float64]:
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "loadtxt: input contained no data")
                values = np.loadtxt(
                    path,
                    delimiter=delimiter,
                    skiprows=int(has_header),
                    usecols=columns,
                    ndmin=2,
                    quotechar='"',
                    comments=None,
                    encoding="utf-8-sig",
                )
        except (ValueError, csv.Error) as error:
            raise UserError(_explain(path, delimiter, has_header, names, columns, error)) from None
        check_widths()
        if values.shape[0] == 0:
            raise UserError(f"expected rows of data in {path}, got only a header")
        if not np.isfinite(values).all():
            raise UserError(_explain(path, delimiter, has_header, names, columns, "NaN in it"))
        return values

    return _Source(names, read)


def _widths(path: Path, delimiter: str) -> Iterator[tuple[int, int]]:
    """Yield the number of every line that is not blank, and how many cells it has."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file, delimiter=delimiter)
        try:
            yield from ((rows.line_num, len(row)) for row in rows if row)
        except csv.Error as error:
            raise UserError(f"expected a table of numbers in {path.name}: {error}") from None


def _explain(
    path: Path, delimiter: str, header: bool, names: list[str], columns: list[int], error: object
) -> str:
    """Say which cell is not a number, rather than what the parser stumbled over."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            for number, line in enumerate(csv.reader(file, delimiter=delimiter), start=1):
                if (header and number == 1) or not line:
                    continue
                where = f"line {number} of {path.name}"
                for column in columns:
                    if column >= len(line):
                        return f"expected {len(names)} columns in {where}, got {len(line)}"
                    if not _is_number(line[column]) or not math.isfinite(float(line[column])):
                        advice = CHOOSE if line[column].strip() else FILL
                        return (
                            f"expected numbers in column {names[column]!r}, got "
                            f"{line[column][:40]!r} in {where}{advice}"
                        )
    except (csv.Error, UnicodeDecodeError) as stumbled:
        error = stumbled
    return f"expected a table of numbers in {path.name}: {error}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_npy(path: Path) -> _Source:
    return _of_array(load_array(path), path)


def _read_npz(path: Path) -> _Source:
    if not zipfile.is_zipfile(path):
        raise UserError(f"expected NumPy data in {path.name}, but it is no archive of arrays")
    arrays = read_arrays(path)
    if not arrays:
        raise UserError(f"expected arrays in {path}, got none")
    if len(arrays) == 1:
        return _of_array(next(iter(arrays.values())), path)
    names = list(arrays)

    def read(columns: list[int]) -> NDArray[np.generic]:
        parts = [numeric(arrays[names[i]], names[i]) for i in columns]
        if len(parts) == 1:
            return parts[0]
        flat = [part[:, None] if part.ndim == 1 else part for part in parts]
        if any(part.ndim != 2 or part.shape[0] != flat[0].shape[0] for part in flat):
            shapes = ", ".join(str(part.shape) for part in parts)
            raise UserError(
                f"expected arrays of equally many rows to put side by side, got {shapes}"
            )
        return np.concatenate(flat, axis=1)

    return _Source(names, read)


def _of_array(array: NDArray[np.generic], path: Path) -> _Source:
    values = numeric(array, path.name)
    if values.ndim < 1 or values.size == 0:
        raise UserError(f"expected rows of data in {path}, got shape {values.shape}")
    check_width(values.shape, values.dtype.itemsize, path.name)
    table = values[:, None] if values.ndim == 1 else values
    return _Source([str(i) for i in range(table.shape[1])], lambda columns: table[:, columns])


def numeric(array: NDArray[np.generic], name: str) -> NDArray[np.generic]:
    """Return an array, or raise if it holds anything but numbers."""
    if array.dtype.kind not in "fiub":
        raise UserError(f"expected numbers in {name}, got an array of dtype {array.dtype}")
    return array


def check_width(shape: tuple[int, ...], itemsize: int, name: str) -> None:
    """Raise for rows of more columns or bytes than can be held, before any is read."""
    columns, size = (1, *shape[1:2])[-1], math.prod(shape[1:]) * itemsize
    if columns > MOST_COLUMNS or size > MOST_ROW_BYTES:
        raise UserError(
            f"expected rows of at most {MOST_COLUMNS:,} columns and {MOST_ROW_BYTES:,} bytes in "
            f"{name}, got {columns:,} columns, {size:,} bytes"
        )


def load_array(path: Path) -> NDArray[np.generic]:
    """Map a file of NumPy's; nothing is unpickled."""
    try:
        with quiet_headers():
            return np.lib.format.open_memmap(path, mode="r")
    except UNREADABLE as error:
        if "object" in str(error).lower():
            reason = "it holds pickled objects, which are not read"
        else:
            reason = " ".join(str(error).split()) or "it ends too early"
        raise UserError(f"expected NumPy data in {path.name}, but {reason}") from None


def _read_parquet(path: Path) -> _Source:
    from learnable_novelty.measure.parquet import data_columns, numbers_of, open_parquet, unreadable

    file = open_parquet(path)
    import pyarrow

    names = data_columns(file.schema_arrow)

    def read(columns: list[int]) -> NDArray[np.generic]:
        size = file.metadata.num_rows * len(columns) * 8
        if not 0 <= size <= MOST_BYTES:
            raise UserError(
                f"{path.name} claims {file.metadata.num_rows:,} rows of {len(columns)} columns, "
                f"more than {MOST_BYTES:,} bytes; choose fewer columns or split it"
            )
        try:
            table = file.read(columns=sorted({names[i] for i in columns}))
            held = [table.column(names[i]) for i in columns]
        except (pyarrow.ArrowException, OSError, KeyError, TypeError) as error:
            raise unreadable(path, error) from None
        parts = [numbers_of(one, names[i], path) for i, one in zip(columns, held, strict=True)]
        checked = [
            numeric(part, f"column {names[i]!r} of {path.name}")
            for i, part in zip(columns, parts, strict=True)
        ]
        if checked[0].size == 0:
            raise UserError(f"expected rows of data in {path}, got none")
        return np.stack(checked, axis=1)

    return _Source(names, read)


_READERS: dict[str, Callable[[Path], _Source]] = {
    ".csv": lambda path: _read_text(path, ","),
    ".tsv": lambda path: _read_text(path, "\t"),
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".parquet": _read_parquet,
}
