"""Bytes of a file, a pipe or an archive, read once; what they unpack to is limited."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from learnable_novelty.errors import UserError
from learnable_novelty.storage import MOST_BYTES, MOST_PIPE, accessing, unpacked_limit

PACKED: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
MAGIC = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\x00": ".xz",
    b"PK\x03\x04": ".zip",
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"\x93NUMPY": ".npy",
}
"""How files begin: for a pipe, which has no name."""
DAMAGED = (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile)


@dataclass(frozen=True)
class Packed:
    """The content of a file or a pipe."""

    name: str
    """For messages."""
    suffix: str
    """Of the content: that of table.csv.gz is .csv."""
    content: bytes
    size: int
    """Bytes as they are stored."""


def open_packed(source: str | Path) -> Packed:
    """Read a path, or standard input for ``-``, and unpack it."""
    if str(source) == "-":
        return _pipe(sys.stdin.buffer)
    path = Path(source)
    suffix = path.suffix.lower()
    if (size := path.stat().st_size) > MOST_BYTES:
        raise UserError(
            f"{path.name} holds {size:,} bytes, more than {MOST_BYTES:,}; convert it to Parquet, "
            "which is read by chunks"
        )
    with accessing(path, "read"):
        content = path.read_bytes()
    if suffix in (".zip", *PACKED):
        return _unpacked(path.name, suffix, Path(path.stem).suffix.lower(), content)
    return Packed(path.name, suffix, content, size)


def _unpacked(name: str, packing: str, suffix: str, content: bytes) -> Packed:
    """Unpack content; more than is allowed raises a sentence."""
    limit, raw = unpacked_limit(len(content)), io.BytesIO(content)
    try:
        if packing == ".zip":
            file, member = _only_member(raw, name)
            suffix = Path(member).suffix.lower()
        else:
            file = PACKED[packing](raw)
        with file:
            unpacked = file.read(limit + 1)
    except DAMAGED as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{name} is damaged: {reason}") from None
    if len(unpacked) > limit:
        raise UserError(f"{name} unpacks to more than {limit:,} bytes")
    return Packed(name, suffix, unpacked, len(content))


def _only_member(raw: IO[bytes], name: str) -> tuple[Any, str]:
    """Open the one file of a zip archive, and return its name too."""
    try:
        archive = zipfile.ZipFile(raw)
        members = [m for m in archive.namelist() if not m.endswith("/") and "__MACOSX" not in m]
        file = archive.open(members[0]) if len(members) == 1 else None
    except (NotImplementedError, RuntimeError) as error:  # encrypted, or packed in another way
        raise UserError(f"{name} cannot be unpacked here: {error}; unpack it first") from None
    except ValueError as error:  # a member that begins before the file does
        raise zipfile.BadZipFile(str(error)) from None
    if file is None:
        raise UserError(f"expected one file in {name}, got {len(members)}: unpack it first")
    return file, members[0]


def _pipe(stream: IO[bytes]) -> Packed:
    content = stream.read(MOST_PIPE + 1)
    if len(content) > MOST_PIPE:
        raise UserError(
            f"expected at most {MOST_PIPE:,} bytes in a pipe: write them to a file first"
        )
    kind = next((kind for magic, kind in MAGIC.items() if content.startswith(magic)), "")
    name = "standard input"
    if kind == ".zip" and b"xl/workbook.xml" in content:  # a workbook is an archive too
        kind = ".xlsx"
    if kind in (".zip", *PACKED):
        return _unpacked(name, kind, ".csv", content)
    if not kind:
        kind = ".json" if content[:64].lstrip().startswith((b"[", b"{")) else ".csv"
        if kind == ".json" and content.lstrip().startswith(b"{") and b"}\n{" in content:
            kind = ".jsonl"
    return Packed(name, kind, content, len(content))
