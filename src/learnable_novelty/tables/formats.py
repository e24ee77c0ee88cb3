"""Tables in files that are not text: JSON, workbooks, Arrow, Parquet, NumPy, Zarr and ARFF."""

from __future__ import annotations

import importlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.storage import (
    MOST_BYTES,
    MOST_UNPACKED,
    UNREADABLE,
    quiet_headers,
    read_arrays,
)
from learnable_novelty.tables.folders import files_of
from learnable_novelty.tables.frames import frame_of
from learnable_novelty.tables.unpack import Packed

MOST_JSON = 1 << 28
"""Bytes of JSON: as Python objects it takes ten times as much."""


def read_json(packed: Packed) -> Any:
    """Read records, [{"a": 1}, ...], or columns, {"a": [1, ...]}."""
    return _frame_of_json(_parsed(packed, packed_lines=False), packed.name)


def read_jsonl(packed: Packed) -> Any:
    """Read one record in each line."""
    return _frame_of_json(_parsed(packed, packed_lines=True), packed.name)


def _parsed(packed: Packed, *, packed_lines: bool) -> Any:
    with packed.open() as file:
        content = file.read(MOST_JSON + 1)
    if len(content) > MOST_JSON:
        raise UserError(
            f"expected at most {MOST_JSON:,} bytes of JSON in {packed.name}; convert it to Parquet"
        )
    try:
        text = content.decode("utf-8-sig")
        if packed_lines:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"expected JSON in {packed.name}: {error}") from None


def _frame_of_json(data: Any, name: str) -> Any:
    import pandas as pd

    if isinstance(data, Mapping):
        if isinstance(data.get("columns"), list) and isinstance(data.get("data"), list):
            return _checked(pd.DataFrame, name, data["data"], columns=data["columns"])
        tables = [v for v in data.values() if _is_records(v)]
        if len(tables) == 1 and not all(isinstance(v, list) for v in data.values()):
            return pd.DataFrame(tables[0])
        if data and all(isinstance(v, list) for v in data.values()) and not tables:
            return frame_of(data)
        if data and all(isinstance(v, Mapping) for v in data.values()):
            return _checked(pd.DataFrame, name, data)
        if len(tables) == 1:
            return pd.DataFrame(tables[0])
    elif _is_records(data):
        return pd.DataFrame(data)
    elif isinstance(data, list) and data and all(isinstance(row, list) for row in data):
        return _checked(pd.DataFrame, name, data)
    elif isinstance(data, list) and data and not any(isinstance(v, (list, Mapping)) for v in data):
        return pd.DataFrame({"0": data})
    raise UserError(f"expected a list of records in {name}, or lists by the names of columns")


def _is_records(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and all(isinstance(row, Mapping) for row in data)


def _checked(make: Callable[..., Any], name: str, *arguments: Any, **options: Any) -> Any:
    try:
        return make(*arguments, **options)
    except UNREADABLE as error:
        raise UserError(f"expected a table in {name}: {' '.join(str(error).split())}") from None


def read_workbook(packed: Packed) -> Any:
    """Read the first sheet of an .xlsx file that is not empty."""
    import pandas as pd

    with needs_extra("reading .xlsx", "data"):
        importlib.import_module("openpyxl")
    content = packed.read()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MOST_UNPACKED:
            raise UserError(f"{packed.name} unpacks to {size:,} bytes, more than {MOST_UNPACKED:,}")
        sheets = pd.read_excel(io.BytesIO(content), sheet_name=None, header=None, dtype=object)
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - there is no end to the ways that damaged bytes fail
        reason = " ".join(str(error).split())
        raise UserError(f"expected a workbook in {packed.name}: {reason}") from None
    for sheet in sheets.values():
        sheet = sheet.dropna(how="all").dropna(how="all", axis=1)
        if len(sheet) > 1:
            return sheet
    raise UserError(f"expected rows of data in {packed.name}, got none")


def read_parquet(packed: Packed) -> Any:
    """Read a Parquet file."""
    with needs_extra("reading Parquet", "data"):
        import pyarrow.parquet
    return _arrow(packed, "a Parquet file", lambda file: pyarrow.parquet.ParquetFile(file))


def read_folder(path: Path) -> Any:
    """Read all Parquet files of a folder as one table."""
    import pandas as pd

    files = files_of(path)
    if not files:
        raise UserError(f"expected Parquet files or a Zarr array in the folder {path}, got none")
    size = sum(one.stat().st_size for one in files)
    if size > MOST_BYTES:
        raise UserError(f"{path} holds {size:,} bytes, more than {MOST_BYTES:,}: read it by chunks")
    frames = [read_parquet(Packed(one.name, ".parquet", one)) for one in files]
    if any(list(frame.columns) != list(frames[0].columns) for frame in frames):
        raise UserError(f"expected one schema in all files of {path}")
    return pd.concat(frames, ignore_index=True)


def read_feather(packed: Packed) -> Any:
    """Read a file of Arrow, also called Feather: of the file format or the stream format."""
    with needs_extra("reading Feather", "data"):
        import pyarrow.ipc

    def open_ipc(file: Any) -> Any:
        head = file.read(6)
        file.seek(0)
        if head == b"ARROW1":
            return pyarrow.ipc.open_file(file)
        if head[:4] == b"FEA1":
            from pyarrow.feather import read_table

            return _Whole(read_table(file))
        return pyarrow.ipc.open_stream(file)

    return _arrow(packed, "an Arrow file", open_ipc)


class _Whole:
    """A table that was read already."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def read_all(self) -> Any:
        return self.table


def _arrow(packed: Packed, expected: str, open_file: Callable[[Any], Any]) -> Any:
    import pyarrow

    where = packed.path or packed.name
    try:
        stored = packed.path if packed.path is not None and packed.packing is None else None
        file: Any = io.BytesIO(packed.read()) if stored is None else stored.open("rb")
        with file:
            opened = open_file(file)
            metadata = getattr(opened, "metadata", None)
            rows = getattr(metadata, "num_rows", 0)
            if rows * 8 * getattr(metadata, "num_columns", 1) > MOST_BYTES:
                raise UserError(
                    f"{packed.name} claims {rows:,} rows, more than {MOST_BYTES:,} bytes; choose "
                    "fewer columns, or read it by chunks"
                )
            table = opened.read() if hasattr(opened, "read") else opened.read_all()
            return table.to_pandas()
    except UserError:
        raise
    except (pyarrow.ArrowException, *UNREADABLE) as error:
        raise UserError(f"expected {expected} in {where}: {' '.join(str(error).split())}") from None


def read_npy(packed: Packed) -> Any:
    """Read an array; nothing is unpickled."""
    try:
        with quiet_headers(), io.BytesIO(packed.read()) as file:
            array = np.load(file, allow_pickle=False)
    except UNREADABLE as error:
        reason = " ".join(str(error).split()) or "it ends too early"
        if "object" in reason.lower():
            reason = "it holds pickled objects, which are not read"
        raise UserError(f"expected NumPy data in {packed.name}, but {reason}") from None
    return _checked_array(array, packed.name)


def read_npz(packed: Packed) -> Any:
    """Read arrays, which stand side by side: an array of several columns has a name for each."""
    import pandas as pd

    if packed.path is None:
        raise UserError("expected an .npz file by its name, not in a pipe")
    arrays = read_arrays(packed.path)
    if not arrays:
        raise UserError(f"expected arrays in {packed.name}, got none")
    frames = {
        name: _checked_array(array, f"{name!r} of {packed.name}") for name, array in arrays.items()
    }
    if len({len(frame) for frame in frames.values()}) > 1:
        shapes = ", ".join(str(array.shape) for array in arrays.values())
        raise UserError(f"expected arrays of equally many rows in {packed.name}, got {shapes}")
    if len(frames) == 1:
        return next(iter(frames.values()))
    for name, frame in frames.items():
        wide = frame.shape[1] > 1
        frame.columns = [f"{name}.{k}" if wide else name for k in range(frame.shape[1])]
    return pd.concat(list(frames.values()), axis=1)


def _checked_array(array: np.ndarray, name: str) -> Any:
    if array.dtype.kind not in "fiubUM" and not array.dtype.names:
        raise UserError(f"expected numbers in {name}, got an array of dtype {array.dtype}")
    if array.ndim not in (1, 2):
        raise UserError(f"expected a table (rows, columns) in {name}, got shape {array.shape}")
    return frame_of(array)


def read_arff(packed: Packed) -> Any:
    """Read Weka's format, by SciPy."""
    import pandas as pd

    with needs_extra("reading .arff", "data"):
        from scipy.io import arff
    try:
        data, _ = arff.loadarff(io.StringIO(packed.read().decode("utf-8-sig", errors="replace")))
    except Exception as error:  # noqa: BLE001 - StopIteration and others, for damaged headers
        raise UserError(f"expected ARFF in {packed.name}: {' '.join(str(error).split())}") from None
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


def read_zarr(path: Path, open_array: Callable[[Path], Any]) -> Any:
    """Read a Zarr array that fits in memory."""
    array = open_array(path)
    if not hasattr(array, "shape"):
        raise UserError(f"expected one Zarr array in {path}, got a group: name an array in it")
    size = int(np.prod(array.shape, dtype=object)) * np.dtype(array.dtype).itemsize
    if size > MOST_BYTES:
        raise UserError(f"{path} claims {size:,} bytes, more than {MOST_BYTES:,}")
    try:
        return _checked_array(np.asarray(array[:]), path.name)
    except UNREADABLE as error:
        raise UserError(f"could not read {path}: {' '.join(str(error).split())}") from None
