"""Tables in workbooks."""

from __future__ import annotations

import io
import warnings
import zipfile
from typing import Any

from learnable_novelty.data.headers import has_header, unique
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.storage import check_cells, unpacked_limit


def read_workbook(packed: Packed) -> Any:
    """Read the first sheet of an .xlsx file with at least two rows that are not empty."""
    with needs_extra("reading .xlsx", "data"):
        import openpyxl
    try:
        with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > (limit := unpacked_limit(packed.size)):
            raise UserError(f"{packed.name} unpacks to {size:,} bytes, more than {limit:,}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions that hold no cells
            book = openpyxl.load_workbook(
                io.BytesIO(packed.content), read_only=True, data_only=True
            )
            for sheet in book.worksheets:
                rows = _filled_rows(sheet, packed)
                if len(rows) > 1:
                    return _named_by_first_row(rows)
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - there is no end to the ways that damaged bytes fail
        reason = " ".join(str(error).split())
        raise UserError(f"expected a workbook in {packed.name}: {reason}") from None
    raise UserError(f"expected rows of data in {packed.name}, got none")


def _filled_rows(sheet: Any, packed: Packed) -> list[list[Any]]:
    """Return the rows of a sheet, without rows and columns that are empty."""
    sheet.reset_dimensions()  # what a sheet claims of its size may be wrong
    rows: list[dict[int, Any]] = []
    places: set[int] = set()
    for values in sheet.iter_rows(values_only=True):
        row = {k: v for k, v in enumerate(values) if v is not None and v != ""}
        if row:
            rows.append(row)
            places.update(row)
            check_cells(packed.name, len(rows), len(places), packed.size, text=True)
    return [[row.get(k) for k in sorted(places)] for row in rows]


def _named_by_first_row(rows: list[list[Any]]) -> Any:
    """Make a data frame; the first row has the names of columns, if it holds names."""
    import pandas as pd

    texts = [["" if v is None else str(v) for v in row] for row in rows[:100]]
    named = has_header(texts[0], texts[1:])
    names = unique(texts[0]) if named else [str(k) for k in range(len(rows[0]))]
    columns = zip(*rows[named:], strict=True)
    series = [pd.Series(list(values)) for values in columns]
    return pd.concat(series, axis=1).set_axis(names, axis=1)
