"""Read any table: a file, a pipe, or what other libraries hold, as columns that know their kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, get_args

from learnable_novelty.data import records
from learnable_novelty.data.array_files import is_zarr, read_array_file, read_npy
from learnable_novelty.data.dates import time_order
from learnable_novelty.data.feather import read_feather
from learnable_novelty.data.frames import frame_of
from learnable_novelty.data.headers import unique
from learnable_novelty.data.kinds import (
    as_kind,
    column_of,
    index_reason,
    is_group,
    not_of_kind,
    plain_values,
)
from learnable_novelty.data.missing import check_missing
from learnable_novelty.data.names import Names, positions
from learnable_novelty.data.parquet import Parquet, read_parquet
from learnable_novelty.data.table import Column, Decision, Kind, Table
from learnable_novelty.data.text import read_text
from learnable_novelty.data.unpack import PACKED, Packed, open_packed
from learnable_novelty.data.workbook import read_workbook
from learnable_novelty.errors import UserError
from learnable_novelty.text import MOST_NAMED, printable

TEXT = (".csv", ".tsv", ".txt", ".dat", ".data", ".tab", ".psv")
FORMATS: dict[str, Callable[[Packed], Any]] = {
    ".npy": read_npy,
    ".parquet": read_parquet,
    ".feather": read_feather,
    ".arrow": read_feather,
    ".json": records.read_json,
    ".jsonl": records.read_jsonl,
    ".ndjson": records.read_jsonl,
}
"""Readers of formats other than text, by the ending of the file."""
ENDINGS = (".csv", ".tsv", ".xlsx", ".npz", *FORMATS)
STATISTICS = "open it with pandas and pass the data frame, or save it as .csv"
ELSEWHERE = {
    **dict.fromkeys((".xls", ".ods", ".xlsb"), "save it as .xlsx or .csv"),
    **dict.fromkeys((".dta", ".sav", ".sas7bdat", ".xpt"), STATISTICS),
    **dict.fromkeys((".arff", ".ts"), "open it in Python and pass the data frame"),
    **dict.fromkeys((".rds", ".rda", ".rdata"), "save its table from R with write.csv"),
    **dict.fromkeys((".h5", ".hdf5", ".nc", ".mat"), "open it in Python and pass its arrays"),
    **dict.fromkeys((".pkl", ".pickle"), "open it in Python and pass the data frame"),
    **dict.fromkeys((".db", ".sqlite", ".duckdb"), "save one of its tables as .csv or .parquet"),
    **dict.fromkeys((".7z", ".rar", ".tar", ".tgz", ".zst"), "unpack it first"),
}
"""What to do about formats that are not read."""


@dataclass(frozen=True)
class Reading:
    """What the user decides about a table instead of us; see ``read_table``."""

    missing: str | None = None
    time: str | int | None = None
    keep: Names = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    sheet: str | int | None = None
    header: int | None = None


def read_table(
    source: Any,
    *,
    missing: str | None = None,
    time: str | int | None = None,
    keep: Names = None,
    kinds: Mapping[str, Kind] | None = None,
    sheet: str | int | None = None,
    header: int | None = None,
) -> Table:
    """Read a table and decide what kind each column is.

    Args:
        source: a path (see docs/tables.md for formats), ``"-"`` for standard input, a data frame of
            pandas, polars or Arrow, a dict of columns, an array, or a sparse matrix.
        missing: what to do with gaps when columns are chosen: "fill" (the default: those of inputs
            get the median, beside a column that marks them; rows without targets are left out),
            "drop", "refuse" (the default for a series) or "interpolate" (a series).
        time: the column that orders the rows of a series; its steps must be equal.
        keep: columns that are not to be left out as an index.
        kinds: kinds by column, instead of those decided here.
        sheet: of a workbook, by name or number from 1; by default the first with rows.
        header: the line of a text file, or the row of a sheet, that has the names, from 1; 0 if
            none has.

    Returns:
        A ``Table``. Each of its ``decisions`` is a sentence that knows its ``column`` and the
        ``option`` that decides otherwise.

    >>> table = read_table({"id": [7, 8, 9, 4], "x": [1, 2, None, 4], "c": list("abba")})
    >>> [(column.name, column.kind, column.missing) for column in table.columns]
    [('id', 'index', 0), ('x', 'number', 1), ('c', 'category', 0)]
    """
    reading = Reading(missing, time, keep, kinds or {}, sheet, header)
    if isinstance(source, Table):
        if keep is not None or kinds:
            raise UserError(
                "the kinds of a table are decided already: pass keep and kinds where it is read, "
                "from its file or data frame"
            )
        decided = source.missing if missing is None else check_missing(missing)
        return _in_time(replace(source, missing=decided), time, "the table")
    if not isinstance(source, (str, PathLike)):
        return typed(frame_of(source), "the table", reading)
    path = Path(source)
    if str(path) != "-":
        check_readable(path)
        if is_zarr(path) or path.suffix.lower() in (".npy", ".npz"):
            return typed(read_array_file(path), path.name, reading)
        if path.is_dir() or path.suffix.lower() == ".parquet":
            return typed(Parquet(path).frame(), path.name, reading)
    packed = open_packed(path)
    if sheet is not None and packed.suffix != ".xlsx":
        raise UserError(f"expected a workbook (.xlsx) where a sheet is named, got {packed.name}")
    if packed.suffix == ".xlsx":
        frame, notes = read_workbook(packed, sheet, header)
        return typed(frame, packed.name, reading, notes=notes)
    if packed.suffix in FORMATS:
        return typed(FORMATS[packed.suffix](packed), packed.name, reading)
    frame, dialect, notes = read_text(packed, header)
    return typed(frame, packed.name, reading, dialect.decimal, notes)


def typed(
    frame: Any,
    name: str,
    reading: Reading | None = None,
    decimal: str = ".",
    notes: Sequence[str] = (),
) -> Table:
    """Decide the kinds of all columns of a data frame."""
    reading = reading or Reading()
    table = _kinds(_with_index(frame, reading.time), name, reading, decimal, list(notes))
    return _in_time(replace(table, missing=check_missing(reading.missing)), reading.time, name)


def check_readable(path: Path) -> None:
    """Raise unless a path is that of a file or folder of a known format."""
    suffix = path.suffix.lower()
    known = (*TEXT, *ENDINGS, *PACKED, ".zip", ".zarr", "")
    if not path.exists() and suffix in known:
        raise UserError(f"expected a file or a folder, {path} does not exist")
    if is_zarr(path) or path.is_dir():
        return
    inner = Path(path.stem).suffix.lower() if suffix in PACKED else suffix
    if inner in ELSEWHERE and path.exists():
        raise UserError(f"{inner} files are not read ({path}): {ELSEWHERE[inner]}")
    if inner not in known or not path.exists():
        raise UserError(
            f"expected a file ending in {', '.join(ENDINGS)} or .zarr, or a folder of Parquet "
            f"files, got {path}"
        )
    if not path.is_file():
        raise UserError(f"expected a file, {path} is not one")
    if path.stat().st_size == 0:
        raise UserError(f"expected data in {path}, the file is empty")


def _with_index(frame: Any, time: str | int | None) -> Any:
    """Make the index of a data frame a column if it is the time."""
    index = frame.index
    if time is not None and time not in frame.columns and time in (index.name, "index"):
        return frame.rename_axis(index=time).reset_index()
    return frame


def _kinds(frame: Any, name: str, reading: Reading, decimal: str, notes: list[str]) -> Table:
    names = unique([_text(one) for one in frame.columns])
    if not names or not len(frame):
        raise UserError(f"expected rows of data in {name}, got none")
    kept = set(positions(names, reading.keep, name)) if reading.keep is not None else set()
    wanted: dict[int, Kind] = {
        positions(names, [one], name)[0]: _kind(kind) for one, kind in reading.kinds.items()
    }
    columns: list[Column] = []
    said: list[str] = []
    leading = True
    for place, (label, (_, values)) in enumerate(zip(names, frame.items(), strict=True)):
        column, note = column_of(label, values, decimal, words=place not in wanted)
        said += [note] if note else []
        if place in wanted:
            converted = as_kind(column, wanted[place])
            if (more := converted.missing - column.missing) > 0:
                odd = printable(not_of_kind(column).partition("got ")[2])
                cells = f"{more} cells are" if more > 1 else "1 cell is"
                text = f"{printable(label)}: {cells} no number, and a gap ({odd})"
                said.append(Decision(text, label, "kinds", "text"))
            column = converted
        elif place not in kept and is_group(column):
            column = Column(label, "group", plain_values(column))
            text = f"rows with the same {printable(label)} depend on each other: they are a group"
            said.append(Decision(text, label, "keep", label))
        elif place not in kept and (reason := index_reason(column, leading=leading)) is not None:
            column = Column(label, "index", plain_values(column), reason=reason)
        leading = leading and column.kind == "index"
        columns.append(column)
    if len(said) > MOST_NAMED:
        said = [*said[:MOST_NAMED], f"{len(said) - MOST_NAMED} more such notes"]
    return Table(tuple(columns), (*notes, *said))


def _text(label: Any) -> str:
    """Return the name of a column; names on several levels are joined."""
    return ".".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _kind(kind: str) -> Kind:
    for known in get_args(Kind):
        if kind == known:
            return known
    raise UserError(f"expected a kind among {', '.join(get_args(Kind))}, got {kind!r}")


def _in_time(table: Table, time: str | int | None, name: str) -> Table:
    """Order rows by time."""
    if time is None:
        return table
    columns = list(table.columns)
    place = positions([one.name for one in columns], [time], name)[0]
    order, said = time_order(columns[place])
    if columns[place].kind == "number":
        columns[place] = replace(columns[place], kind="index", reason="the time")
    columns = [replace(one, values=one.values[order]) for one in columns]
    return replace(table, columns=tuple(columns), decisions=(*table.decisions, said))
