"""Tables in text, read by pandas as ``sniff`` says."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator
from typing import Any

from learnable_novelty.data.headers import MARKERS
from learnable_novelty.data.sniff import MOST_SAMPLE, SAMPLE_BYTES, SAMPLE_LINES, Dialect, sniff
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError
from learnable_novelty.storage import check_cells


def read_text(packed: Packed, header: int | None = None) -> tuple[Any, Dialect, list[str]]:
    """Return a data frame, how the text is written, and what was decided."""
    content, size = packed.content, SAMPLE_BYTES
    while _lines(content[:size]) < SAMPLE_LINES and size < min(len(content), MOST_SAMPLE):
        size *= 2  # of a wide table
    if not content[:size].strip():
        raise UserError(f"expected data in {packed.name}, the file is empty")
    whole = size >= len(content)
    dialect = sniff(content[:size], packed.name, whole=whole, header=header)
    # pandas fills up rows that end early, so all lines count.
    columns = len(dialect.names)
    check_cells(packed.name, 1 + _lines(content), columns, packed.size, text=True)
    frame, encoding = _read(packed, dialect)
    if not len(frame):
        raise UserError(f"expected rows of data in {packed.name}, got only a header")
    notes = list(dialect.notes)
    if encoding != dialect.encoding:
        notes.append("read as Windows-1252 text")
    if dialect.separator != " " and len(dialect.names) > 1 and bool(frame.iloc[:, -1].isna().any()):
        notes += _short_rows(packed, dialect, encoding)
    return frame, dialect, notes


def _lines(content: bytes) -> int:
    """Return how many lines end in some bytes, whichever way they do."""
    return max(content.count(b"\n"), content.count(b"\r"))


def _read(packed: Packed, dialect: Dialect) -> tuple[Any, str]:
    """Read with the encoding of the sample, or with Windows-1252 if other bytes follow later."""
    for encoding in dict.fromkeys((dialect.encoding, "cp1252", "latin-1")):
        try:
            return _frame(packed, dialect, encoding), encoding
        except UnicodeError:
            if dialect.encoding == "utf-16":
                break
    raise UserError(f"expected UTF-8 text in {packed.name}, got other bytes")


def _opened(packed: Packed, encoding: str, newline: str | None = None) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(packed.content), encoding=encoding, newline=newline)


def _frame(packed: Packed, dialect: Dialect, encoding: str) -> Any:
    import pandas as pd

    # From pandas 3.1 on numbers are always rounded correctly.
    exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    precision: dict[str, Any] = {} if exact else {"float_precision": "round_trip"}
    with _opened(packed, encoding) as lines, warnings.catch_warnings():
        for _ in range(dialect.skipped):
            lines.readline()
        try:
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                lines,
                sep=r"\s+" if dialect.separator == " " else dialect.separator,
                decimal=dialect.decimal,
                comment=dialect.comment,
                header=None,
                names=dialect.names,
                index_col=False,
                # The blank line of a table of one column is a missing value.
                skip_blank_lines=len(dialect.names) > 1,
                skipinitialspace=True,
                na_values=list(MARKERS),
                keep_default_na=False,
                low_memory=False,
                **precision,
            )
        except pd.errors.EmptyDataError:
            raise UserError(f"expected rows of data in {packed.name}, got only a header") from None
        except (pd.errors.ParserWarning, pd.errors.ParserError) as error:
            raise UserError(_too_long(packed, dialect, encoding, error)) from None
    return frame if len(dialect.names) > 1 else _without_blank_end(frame)


def _without_blank_end(frame: Any) -> Any:
    """Leave out blank lines at the end of a table of one column."""
    last = frame.iloc[:, 0].last_valid_index()
    return frame.iloc[: 0 if last is None else last + 1]


def _short_rows(packed: Packed, dialect: Dialect, encoding: str) -> list[str]:
    """Say how many rows end too early; asked where the last column has gaps."""
    lines = [line for line, width in _widths(packed, dialect, encoding) if width < 0]
    if not lines:
        return []
    one = len(lines) == 1
    rows, lack = ("1 row ends", "it lacks") if one else (f"{len(lines)} rows end", "they lack")
    return [f"{rows} before the last column (line {lines[0]}): what {lack} is missing"]


def _too_long(packed: Packed, dialect: Dialect, encoding: str, error: Exception) -> str:
    """Say which row has more cells than there are columns, or else what pandas says."""
    width = len(dialect.names)
    for line, more in _widths(packed, dialect, encoding):
        if more > 0:
            return (
                f"expected {width} columns in line {line} of {packed.name}, got {width + more}: "
                "put text that holds the separator in quotes"
            )
    return f"expected a table in {packed.name}: {' '.join(str(error).split())}"


def _widths(packed: Packed, dialect: Dialect, encoding: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of rows of another width, and how many cells more they have."""
    with _opened(packed, encoding, newline="") as lines:
        reader = csv.reader(lines, delimiter=dialect.separator, skipinitialspace=True)
        try:
            for row in reader:
                commented = bool(dialect.comment and row and row[0].startswith(dialect.comment))
                if not row or commented or reader.line_num <= dialect.skipped:
                    continue
                if len(row) != len(dialect.names):
                    yield reader.line_num, len(row) - len(dialect.names)
        except csv.Error:
            return
