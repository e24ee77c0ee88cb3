"""Feather: Arrow's files, and its streams."""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np

from learnable_novelty.data.parquet import frame_from
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.storage import check_cells, unpacked_limit

VIEWS = re.compile(r"(dictionary<values=)?(string|binary)_view(, indices=.*)?")
UNFOLDING = re.compile(r"view|run_end|extension|.<.*dictionary")
"""Types that store one value for many rows, which a data frame would repeat."""
MAGIC = b"ARROW1\0\0"
FIRST_VERSION = 4
"""Of the format since Arrow 1.0; older ones say in another place that they are compressed."""


def read_feather(packed: Packed) -> Any:
    """Read a Feather file; what its headers claim is compared with the limits before."""
    with needs_extra("reading Feather", "data"):
        import pyarrow
        import pyarrow.ipc
    # What stands between the marks of a file is a stream.
    content = pyarrow.py_buffer(packed.content.removeprefix(MAGIC))

    def read() -> Any:
        schema = pyarrow.ipc.open_stream(content).schema
        for column in schema:
            if UNFOLDING.search(kind := str(column.type)) and not VIEWS.fullmatch(kind):
                raise UserError(
                    f"expected columns of plain values in {packed.name}, got {kind} in "
                    f"{column.name!r}: leave it out, or pass the data frame"
                )
        claims = [_claimed(one) for one in pyarrow.ipc.MessageReader.open_stream(content)]
        check_cells(packed.name, sum(rows for rows, _ in claims), len(schema), packed.size)
        _check_unpacked(packed, sum(size for _, size in claims))
        table = pyarrow.ipc.open_stream(content).read_all()
        _check_unpacked(packed, sum(map(_viewed, table.columns)))
        return table

    return frame_from(read, packed.name, "a Feather file")


def _check_unpacked(packed: Packed, unpacked: int) -> None:
    if unpacked > (limit := unpacked_limit(packed.size)):
        raise UserError(f"{packed.name} unpacks to {unpacked:,} bytes, more than {limit:,}")


def _viewed(column: Any) -> int:
    """Return how many bytes the views of a column have; each begins with its length."""
    if not VIEWS.fullmatch(str(column.type)):
        return 0
    chunks = [getattr(chunk, "dictionary", chunk) for chunk in column.chunks]
    views = [np.frombuffer(one.buffers()[1], np.uint32) for one in chunks if len(one)]
    return sum(int(one[::4].sum(dtype=np.int64)) for one in views)


def _claimed(message: Any) -> tuple[int, int]:
    """Return the rows of a batch, and the bytes that its buffers unpack to, from its header.

    A header is a flatbuffer: a table begins with how far before it its fields' places stand.
    """
    if message.type not in ("record batch", "dictionary"):
        return 0, 0
    header, body = memoryview(message.metadata), memoryview(message.body)

    def field(table: int, number: int) -> int:
        places = table - struct.unpack_from("<i", header, table)[0]
        known = struct.unpack_from("<H", header, places)[0] > 4 + 2 * number
        offset = struct.unpack_from("<H", header, places + 4 + 2 * number)[0] if known else 0
        return table + offset if offset else 0

    def follow(place: int) -> int:
        return place + struct.unpack_from("<I", header, place)[0]

    def value(place: int, kind: str) -> int:
        return struct.unpack_from(kind, header, place)[0] if place else 0

    root = follow(0)
    batch = follow(field(root, 2))
    if is_dictionary := message.type == "dictionary":
        batch = follow(field(batch, 1))
    is_old = value(field(root, 0), "<h") < FIRST_VERSION and field(root, 4)
    compressed = field(batch, 3) or is_old
    size = 0
    if buffers := field(batch, 2):
        start = follow(buffers)
        for k in range(value(start, "<I")):
            offset, length = struct.unpack_from("<qq", header, start + 4 + 16 * k)
            stored = struct.unpack_from("<q", body, offset)[0] if compressed and length else -1
            size += max(length, stored)
    return (0 if is_dictionary else value(field(batch, 0), "<q")), size
