"""Tables of Arrow: Parquet, folders of it, and Feather."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from learnable_novelty.data.folders import files_of
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.storage import MOST_BYTES, UNREADABLE


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
            table.validate(full=True)  # a damaged place of a text would end the process
            return table.to_pandas()
    except UserError:
        raise
    except (pyarrow.ArrowException, *UNREADABLE) as error:
        raise UserError(f"expected {expected} in {where}: {' '.join(str(error).split())}") from None
