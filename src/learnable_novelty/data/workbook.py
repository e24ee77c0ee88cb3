"""Tables in workbooks."""

from __future__ import annotations

import io
import statistics
import warnings
import zipfile
from typing import Any

from learnable_novelty.data.headers import has_header, unique
from learnable_novelty.data.table import Decision
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.storage import check_cells, unpacked_limit
from learnable_novelty.text import listed, printable


def read_workbook(
    packed: Packed, sheet: str | int | None = None, header: int | None = None
) -> tuple[Any, list[str]]:
    """Read a sheet of an .xlsx file, by default the first with two rows that are not empty.

    Rows above the table, of which less than half of the cells are filled, are left out.

    Returns:
        A data frame, and what was decided.
    """
    with needs_extra("reading .xlsx", "data"):
        import openpyxl
    try:
        with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > (limit := unpacked_limit(packed.size)):
            raise UserError(f"{packed.name} unpacks to {size:,} bytes, more than {limit:,}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions that hold no cells
            stream = io.BytesIO(packed.content)
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            sheets = {one.title: one for one in book.worksheets}
            chosen = list(sheets) if sheet is None else [_title(list(sheets), sheet, packed.name)]
            for title in chosen:
                rows = _filled_rows(sheets[title], packed)
                if len(rows) > 1:
                    frame, notes = _table(rows, header, packed.name)
                    if len(chosen) > 1:
                        said = f"sheet {printable(title)} is read, of {listed(chosen)}"
                        notes = [Decision(said, "", "sheet", repr(title)), *notes]
                    return frame, notes
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - there is no end to the ways that damaged bytes fail
        reason = " ".join(str(error).split())
        raise UserError(f"expected a workbook in {packed.name}: {reason}") from None
    raise UserError(f"expected rows of data in {packed.name}, got none")


def _title(titles: list[str], sheet: str | int, name: str) -> str:
    """Return the title of a sheet that is named, or numbered from 1."""
    text = str(sheet)
    if text not in titles and text.isdigit() and 1 <= int(text) <= len(titles):
        return titles[int(text) - 1]
    if text not in titles:
        raise UserError(f"expected a sheet of {name} ({listed(titles)}), got {text!r}")
    return text


def _filled_rows(sheet: Any, packed: Packed) -> list[tuple[int, list[Any]]]:
    """Return the rows of a sheet with their numbers, without rows and columns that are empty."""
    sheet.reset_dimensions()  # what a sheet claims of its size may be wrong
    rows: list[tuple[int, dict[int, Any]]] = []
    places: set[int] = set()
    for number, values in enumerate(sheet.iter_rows(values_only=True), start=1):
        row = {k: v for k, v in enumerate(values) if v is not None and v != ""}
        if row:
            rows.append((number, row))
            places.update(row)
            check_cells(packed.name, len(rows), len(places), packed.size, text=True)
    return [(number, [row.get(k) for k in sorted(places)]) for number, row in rows]


def _table(
    rows: list[tuple[int, list[Any]]], header: int | None, name: str
) -> tuple[Any, list[str]]:
    """Make a data frame; the first row of the table has the names, if it holds names."""
    import pandas as pd

    if header:
        rows = [row for row in rows if row[0] >= header]
        if len(rows) < 2 or rows[0][0] != header:
            raise UserError(f"expected names of columns in row {header} of {name}, got none there")
    filled = [sum(cell is not None for cell in row) for _, row in rows]
    usual = statistics.median(filled)
    start = 0 if header else next(k for k, count in enumerate(filled) if 2 * count > usual)
    notes: list[str] = []
    if start:
        said = f"{start} row{'s' * (start > 1)} above the table left out"
        notes = [Decision(said, "", "header", str(rows[start][0]))]
    body = [row for _, row in rows[start:]]
    texts = [["" if v is None else str(v) for v in row] for row in body[:100]]
    named = header != 0 and (header is not None or has_header(texts[0], texts[1:]))
    names = unique(texts[0]) if named else [str(k) for k in range(len(body[0]))]
    columns = zip(*body[named:], strict=True)
    series = [pd.Series(list(values)) for values in columns]
    return pd.concat(series, axis=1).set_axis(names, axis=1), notes
