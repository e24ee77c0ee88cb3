"""Tables in other files: workbooks, ARFF and .ts."""

from __future__ import annotations

import csv
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
    content = packed.read()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > (limit := unpacked_limit(packed.size)):
            raise UserError(f"{packed.name} unpacks to {size:,} bytes, more than {limit:,}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions that hold no cells
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
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


def read_arff(packed: Packed) -> Any:
    """Read Weka's format, by SciPy."""
    import pandas as pd
    from scipy.io import arff

    limit = csv.field_size_limit()
    try:
        data, _ = arff.loadarff(io.StringIO(packed.read().decode("utf-8-sig", errors="replace")))
    except Exception as error:  # noqa: BLE001 - StopIteration and others, for damaged headers
        raise UserError(f"expected ARFF in {packed.name}: {' '.join(str(error).split())}") from None
    finally:
        csv.field_size_limit(limit)  # SciPy lifts it for the whole process
    frame = pd.DataFrame(data)
    for name in frame.columns:
        if frame[name].dtype == object:
            frame[name] = frame[name].str.decode("utf-8")
    return frame


def read_ts(packed: Packed) -> Any:
    """Read the series of sktime and aeon: a case is a row, its steps are columns, then its class.

    Dimensions of a case have colons between them, and its class, if @classLabel or @targetLabel
    says so, comes last.
    """
    import pandas as pd

    lines = packed.read().decode("utf-8-sig", errors="replace").splitlines()
    labelled, rows, labels, in_data = False, [], [], False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith(("#", "%")):
            continue
        if not in_data:
            words = text.lower().split()
            labelled = labelled or (
                words[0] in ("@classlabel", "@targetlabel") and words[1:2] == ["true"]
            )
            in_data = words[0] == "@data"
            continue
        parts = text.split(":")
        if labelled:
            labels.append(parts.pop().strip())
        cells = [cell.strip() for part in parts for cell in part.split(",")]
        if rows and len(cells) != len(rows[0]):
            raise UserError(
                f"expected series of one length in {packed.name}, got {len(cells)} values after "
                f"{len(rows[0])} in line {number}: cut or resample them to one length"
            )
        rows.append(cells)
    if not rows:
        raise UserError(f"expected series after @data in {packed.name}, got none")
    if len(rows) == 1 and not labelled:
        return pd.DataFrame({"0": rows[0]})
    frame = pd.DataFrame(rows, columns=[str(k) for k in range(len(rows[0]))])
    return frame.assign(**{"class": labels}) if labelled else frame
