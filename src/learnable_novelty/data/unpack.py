"""Bytes of a file, a pipe or an archive; what they unpack to is limited before it is allocated."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from learnable_novelty.errors import UserError
from learnable_novelty.storage import MOST_PIPE, accessing, unpacked_limit

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
    """A file, or bytes from a pipe, whose content can be read more than once."""

    name: str
    """For messages."""
    suffix: str
    """Of the content: that of table.csv.gz is .csv."""
    path: Path | None
    """None for a pipe."""
    packing: str | None = None
    """.gz, .bz2, .xz or .zip."""
    content: bytes = b""
    """Of a pipe."""

    @property
    def size(self) -> int:
        """Bytes of the file as it is stored."""
        return len(self.content) if self.path is None else self.path.stat().st_size

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the content; reading more than is allowed raises a sentence."""
        raw: Any = io.BytesIO(self.content) if self.path is None else None
        if self.path is not None:
            with accessing(self.path, "read"):
                raw = self.path.open("rb")
        with raw:
            if self.packing is None:
                yield raw
                return
            try:
                opened = _only_member(raw, self.name)[0] if self.packing == ".zip" else None
                yield cast(
                    BinaryIO, io.BufferedReader(_Limited(opened or self._unpacked(raw), self))
                )
            except DAMAGED as error:
                reason = " ".join(str(error).split()) or type(error).__name__
                raise UserError(f"{self.name} is damaged: {reason}") from None

    def _unpacked(self, raw: IO[bytes]) -> Any:
        assert self.packing is not None
        return PACKED[self.packing](raw)

    def read(self) -> bytes:
        """Read all of it."""
        with self.open() as file:
            return file.read()


class _Limited(io.RawIOBase):
    """Unpacks, up to a limit."""

    def __init__(self, file: Any, packed: Packed) -> None:
        self._file, self._name = file, packed.name
        self._most = unpacked_limit(packed.size)
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._read += len(data)
        if self._read > self._most:
            raise UserError(f"{self._name} unpacks to more than {self._most:,} bytes")
        buffer[: len(data)] = data
        return len(data)


def _only_member(raw: IO[bytes], name: str) -> tuple[Any, str]:
    """Open the one file of a zip archive, and return its name too."""
    try:
        return _member(zipfile.ZipFile(raw), name)
    except (NotImplementedError, RuntimeError) as error:  # encrypted, or packed in another way
        raise UserError(f"{name} cannot be unpacked here: {error}; unpack it first") from None


def _member(archive: zipfile.ZipFile, name: str) -> tuple[Any, str]:
    members = [one for one in archive.namelist() if not one.endswith("/") and "__MACOSX" not in one]
    if len(members) != 1:
        raise UserError(f"expected one file in {name}, got {len(members)}: unpack it first")
    return archive.open(members[0]), members[0]


def open_packed(source: str | Path) -> Packed:
    """Return the content of a path, or of standard input for ``-``."""
    if str(source) == "-":
        return _pipe(sys.stdin.buffer)
    path = Path(source)
    suffix = path.suffix.lower()
    if suffix == ".zip":
        with accessing(path, "read"), path.open("rb") as raw:
            try:
                member = _only_member(raw, path.name)[1]
            except DAMAGED as error:
                raise UserError(f"{path.name} is damaged: {error}") from None
        return Packed(path.name, Path(member).suffix.lower(), path, ".zip")
    if suffix in PACKED:
        return Packed(path.name, Path(path.stem).suffix.lower(), path, suffix)
    return Packed(path.name, suffix, path)


def _pipe(stream: IO[bytes]) -> Packed:
    content = stream.read(MOST_PIPE + 1)
    if len(content) > MOST_PIPE:
        raise UserError(
            f"expected at most {MOST_PIPE:,} bytes in a pipe: write them to a file first"
        )
    kind = next((kind for magic, kind in MAGIC.items() if content.startswith(magic)), "")
    name = "standard input"
    if kind in PACKED:
        return Packed(name, ".csv", None, kind, content)
    if kind == ".zip":  # a workbook is an archive too
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                book = "xl/workbook.xml" in archive.namelist()
        except DAMAGED as error:
            raise UserError(f"{name} is damaged: {error}") from None
        return Packed(name, ".xlsx" if book else ".csv", None, None if book else kind, content)
    if not kind:
        text = content[:64].lstrip()
        kind = ".json" if text.startswith((b"[", b"{")) else ".csv"
        if kind == ".json" and content.lstrip().startswith(b"{") and b"}\n{" in content:
            kind = ".jsonl"
    return Packed(name, kind, None, None, content)
