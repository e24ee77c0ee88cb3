"""Tables in other files: workbooks, NumPy, Zarr, ARFF and .ts."""

from __future__ import annotations

import csv
import importlib
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.data.frames import frame_of
from learnable_novelty.data.stored import open_node
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.storage import (
    MOST_BYTES,
    MOST_UNPACKED,
    UNREADABLE,
    quiet_headers,
    read_arrays,
)


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
        raise UserError(
            f"expected a table (rows, columns) in {name}, got shape {array.shape}: reshape it, or "
            "load it in Python and score it as lattices"
        )
    return frame_of(array)


def read_arff(packed: Packed) -> Any:
    """Read Weka's format, by SciPy."""
    import pandas as pd

    with needs_extra("reading .arff", "data"):
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


def read_zarr(path: Path) -> Any:
    """Read a Zarr array that fits in memory."""
    array = open_node(path)
    if not hasattr(array, "shape"):
        raise UserError(f"expected one Zarr array in {path}, got a group: name an array in it")
    size = int(np.prod(array.shape, dtype=object)) * np.dtype(array.dtype).itemsize
    if size > MOST_BYTES:
        raise UserError(f"{path} claims {size:,} bytes, more than {MOST_BYTES:,}")
    try:
        return _checked_array(np.asarray(array[:]), path.name)
    except UNREADABLE as error:
        raise UserError(f"could not read {path}: {' '.join(str(error).split())}") from None
