"""Read files that are valid and hostile: small, and of far more cells or bytes than their size.

``python -m stress hostile --save`` writes stress/hostile.json. Each file is made under 1 MiB and
read in a process of its own as ``read_table`` and ``open_columns`` read it. It must be read, or
refused in a sentence, within ``SECONDS``, and the process must not grow by more than ``GROWTH``.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import multiprocessing
import resource
import struct
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.ipc
import pyarrow.parquet

import learnable_novelty as ln
from learnable_novelty.errors import UserError

HERE = Path(__file__).parent
MOST_FILE, GROWTH, SECONDS = 1 << 20, 1 << 30, 10.0
LARGE = 60_000_000
FORK = multiprocessing.get_context("fork")


def _workbook(*cells: tuple[str, Any]) -> bytes:
    from openpyxl import Workbook

    book, file = Workbook(), io.BytesIO()
    sheet: Any = book.active
    for place, value in cells:
        sheet[place] = value
    book.save(file)
    return file.getvalue()


def _diagonal(count: int) -> bytes:
    from openpyxl.utils import get_column_letter

    return _workbook(*((f"{get_column_letter(k)}{k}", 1.5 * k) for k in range(1, count)))


def _arrow(
    table: pyarrow.Table, compression: str | None = "zstd", *, stream: bool = False
) -> bytes:
    file = io.BytesIO()
    options = pyarrow.ipc.IpcWriteOptions(compression=compression)
    new = pyarrow.ipc.new_stream if stream else pyarrow.ipc.new_file
    with new(file, table.schema, options=options) as writer:
        writer.write_table(table)
    return file.getvalue()


def _old_arrow() -> bytes:
    """A file of an Arrow before 1.0 whose first number says how much it unpacks to."""
    file = io.BytesIO()
    options = pyarrow.ipc.IpcWriteOptions(metadata_version=pyarrow.ipc.MetadataVersion.V4)
    batch = pyarrow.record_batch({"a": np.array([10**12, 1, 2, 3])})
    with pyarrow.ipc.new_file(file, batch.schema, options=options) as writer:
        writer.write_batch(batch, custom_metadata={"ARROW:experimental_compression": "zstd"})
    return file.getvalue()


def _views(rows: int) -> pyarrow.Table:
    """A long text that is stored once, and many views of it."""
    text = b"x" * 400_000
    views = struct.pack("<i4sii", len(text), text[:4], 0, 0) * rows
    buffers = [None, pyarrow.py_buffer(views), pyarrow.py_buffer(text)]
    return pyarrow.table({"a": pyarrow.Array.from_buffers(pyarrow.string_view(), rows, buffers)})


def _parquet(table: pyarrow.Table) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, compression="zstd")
    return file.getvalue()


def _zeros(count: int, kind: Any = np.float64) -> pyarrow.Table:
    return pyarrow.table({"a": np.zeros(count, kind), "b": np.zeros(count, kind)})


def _long_text(rows: int) -> pyarrow.Table:
    values = pyarrow.array(["x" * 400_000, "y" * 400_000])
    places = pyarrow.array(np.arange(rows, dtype=np.int32) % 2)
    return pyarrow.table({"a": pyarrow.DictionaryArray.from_arrays(places, values)})


def _plain_text(rows: int) -> bytes:
    """A long text that is stored once, in a column of plain texts."""
    file = io.BytesIO()
    schema = pyarrow.schema({"a": pyarrow.string()})
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for _ in range(rows // 1000):
            texts = pyarrow.array(["x" * 1000] * 1000)
            writer.write_table(pyarrow.table({"a": texts}), row_group_size=rows)
    return file.getvalue()


def _npz(*arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for k, array in enumerate(arrays):
            with archive.open(f"{k}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array)
    return file.getvalue()


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _lines(*records: Any) -> bytes:
    return "\n".join(json.dumps(one) for one in records).encode()


def _packed(line: bytes, count: int) -> bytes:
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb") as packed:
        for _ in range(count // 100_000):
            packed.write(line * 100_000)
    return file.getvalue()


def _names(count: int) -> bytes:
    return ",".join(f"v{k}" for k in range(count)).encode()


def _wide(rows: int) -> bytes:
    return b"\n".join([_names(8_000), *[b",".join([b"1"] * 8_000)] * rows, b""])


def _zarr(path: Path, shape: tuple[int, ...], chunks: tuple[int, ...]) -> None:
    import zarr

    zarr.create_array(str(path), shape=shape, chunks=chunks, dtype="f8")


FILES: dict[str, Callable[[], bytes]] = {
    "far cell.xlsx": lambda: _workbook(("A1", 1), ("A2", 2), ("XFD1048576", 3)),
    "diagonal.xlsx": lambda: _diagonal(8_000),
    "new keys.jsonl": lambda: _lines(*({f"k{i}": i} for i in range(14_000))),
    "new keys.json": lambda: json.dumps([{f"k{i}": i} for i in range(14_000)]).encode(),
    "within.json": lambda: b'[{"a":' + b'{"a":' * 500 + b"1" + b"}" * 501 + b"]",
    "other rows.json": lambda: json.dumps({f"c{i}": {f"r{i}": 1} for i in range(9_000)}).encode(),
    "one wide row.json": lambda: json.dumps([[]] * 100_000 + [[1] * 100_000]).encode(),
    "names are lists.json": lambda: b'{"columns":[["a"],{"b":1}],"data":[[1,2],[3,4]]}',
    "half characters.json": lambda: b'[{"\\ud800": 1, "b": "\\udfff"}, {"b": "\\udc00"}]',
    "many digits.json": lambda: b'[{"a": ' + b"9" * 4_000 + b'}, {"a": 1e400}, {"a": NaN}]',
    "zeros.feather": lambda: _arrow(_zeros(LARGE)),
    "zeros lz4.feather": lambda: _arrow(_zeros(10_000_000), "lz4"),
    "zeros stream.arrow": lambda: _arrow(_zeros(LARGE), stream=True),
    "nulls.arrow": lambda: _arrow(pyarrow.table({"a": pyarrow.nulls(10**9)})),
    "long text.feather": lambda: _arrow(_long_text(1_000)),
    "one text.feather": lambda: _arrow(pyarrow.table({"a": ["x" * 10**8] * 4})),
    "views.feather": lambda: _arrow(_views(1_000_000)),
    "old.feather": _old_arrow,
    "zeros.parquet": lambda: _parquet(_zeros(LARGE)),
    "flags.parquet": lambda: _parquet(_zeros(LARGE, np.bool_)),
    "long text.parquet": lambda: _parquet(_long_text(900_000).cast(_PLAIN_DICTIONARY)),
    "texts.parquet": lambda: _plain_text(200_000),
    "lists.parquet": lambda: _parquet(pyarrow.table({"a": [[0] * 5_000_000] * 3})),
    "zeros.npz": lambda: _npz(np.zeros((110_000_000, 1), np.int8), np.zeros((1, 9))),
    "wide zeros.npz": lambda: _npz(np.zeros(100_000_000)),
    "boxes.npy": lambda: _npy(np.zeros(4, [("a", "f8", (3,)), ("b", "f8")])),
    "boxes within.npy": lambda: _npy(np.zeros(4, [("a", [("c", "f8")]), ("b", "f8")])),
    "zeros.csv.gz": lambda: _packed(b"1,2\n", 200_000_000),
    "words.csv.gz": lambda: _packed(b"ab,cd,ef,gh\n", 9_000_000),
    "short rows.csv": lambda: _wide(20) + b"1\n" * 200_000,
    "short rows without line feeds.csv": lambda: (_wide(20) + b"1\n" * 200_000).replace(
        b"\n", b"\r"
    ),
    "one row.csv": lambda: _names(20_000) + b"\n" + b",".join([b"1"] * 20_000) + b"\n",
    "one cell.csv": lambda: b'a,b\n1,"' + b"x" * 900_000 + b'"\n2,3\n',
    "no lines.csv": lambda: b"1," * 500_000,
    "blank lines.csv": lambda: b"\n" * 1_000_000 + b"1,2\n3,4\n",
    "ends.csv": lambda: b"a,b\n1e308,-1e308\n-1e308,1e308\n1e308,2\n3,4\n",
    "wide.tsv": lambda: b"\n".join([b"\t".join([b"7"] * 20_000)] * 20),
    "turned.csv": lambda: "a\u202eb,c\n1,2\n3,4\n2,1\n".encode(),
}
_PLAIN_DICTIONARY = pyarrow.schema({"a": pyarrow.dictionary(pyarrow.int32(), pyarrow.string())})
FOLDERS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "rows.zarr": ((10**15, 3), (1000, 3)),
    "claims.zarr": ((30_000_000, 1), (1000, 1)),
    "columns.zarr": ((4, 10**9), (1, 1000)),
}


def make(name: str, folder: Path) -> Path:
    """Write a file or folder."""
    path = folder / name
    if name in FOLDERS:
        _zarr(path, *FOLDERS[name])
    else:
        path.write_bytes(FILES[name]())
    return path


def _memory(what: str) -> int:
    text = Path("/proc/self/status").read_text()
    return 1024 * int(text.partition(f"{what}:")[2].split()[0])


def _attempt(path: Path, read: Callable[[Path], Any], pipe: Connection) -> None:
    warnings.simplefilter("error")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before, started = _memory("VmRSS"), time.perf_counter()
    limit = _memory("VmSize") + 4 * GROWTH
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        read(path)
        said = ""
    except UserError as error:
        said = str(error)
    except BaseException as error:  # noqa: BLE001 - this is what is looked for
        said = f"{type(error).__name__}: {error}"
        pipe.send((said, True, _memory("VmHWM") - before, time.perf_counter() - started))
        return
    pipe.send((said, False, _memory("VmHWM") - before, time.perf_counter() - started))


READ: dict[str, Callable[[Path], Any]] = {
    "read_table": ln.read_table,
    "open_columns": lambda path: ln.open_columns(path, is_series=False),
}


def attack(path: Path, read: str) -> dict[str, Any]:
    """Read a file in a process of its own; say what became of it."""
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_attempt, args=(path, READ[read], there))
    process.start()
    there.close()
    said, failed, grown, seconds = "killed", True, GROWTH, 0.0
    if here.poll(12 * SECONDS):
        with contextlib.suppress(EOFError):
            said, failed, grown, seconds = here.recv()
    process.kill()
    process.join()
    return {
        "file": path.name,
        "read": read,
        "refused": said[:200],
        "mib": round(grown / 2**20),
        "seconds": round(seconds, 1),
        "held": not failed and grown < GROWTH and (seconds < SECONDS or not said),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print and write; return 1 if anything did not hold."""
    parser = argparse.ArgumentParser(prog="python -m stress hostile", description=__doc__)
    parser.add_argument("--only", help="a part of the names of files")
    parser.add_argument("--save", action="store_true", help="also write stress/hostile.json")
    options = parser.parse_args(arguments)
    ln.read_table({"a": [1.0, 2.0]})  # import what all readers need
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for name in (*FILES, *FOLDERS):
            if options.only and options.only not in name:
                continue
            path = make(name, Path(folder))
            for read in READ:
                outcomes.append(attack(path, read))
                print(json.dumps(outcomes[-1]), flush=True)
    held = sum(one["held"] for one in outcomes)
    print(f"{held} of {len(outcomes)} held")
    if options.save:
        kept = {"tried": len(outcomes), "held": held, "outcomes": outcomes}
        (HERE / "hostile.json").write_text(json.dumps(kept, indent=1) + "\n")
    return int(held < len(outcomes))
