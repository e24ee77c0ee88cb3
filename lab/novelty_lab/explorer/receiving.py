"""Read requests within limits: the bytes before a body, and the size and duration of an upload."""

from __future__ import annotations

import http.client
import socket
import time
from contextlib import suppress
from email.message import Message
from http import HTTPStatus
from io import BufferedIOBase

from novelty_lab.explorer.upload import LARGEST

LARGEST_HEAD = 65_536
"""Bytes of a request before its body; without this limit http.server reads six megabytes."""
UPLOAD_SECONDS = 30.0
"""An upload that takes longer is refused. On one machine 20 MB take less than a second."""


class RequestError(Exception):
    """A request that is refused: a status and a sentence for the page."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Head:
    """The lines of a request before its body."""

    def __init__(self, file: BufferedIOBase) -> None:
        self._file, self._left = file, LARGEST_HEAD

    def readline(self, limit: int) -> bytes:
        """Read a line; http.server answers too many bytes with status 431."""
        line = self._file.readline(limit)
        self._left -= len(line)
        if self._left < 0:
            raise http.client.LineTooLong("header")
        return line


def upload_length(headers: Message) -> int:
    """Return the length of a body, or refuse it before a byte of it is read."""
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdecimal()):
        raise RequestError(HTTPStatus.LENGTH_REQUIRED, "expected the length of the file")
    if len(length) > 12 or int(length) > LARGEST:
        raise RequestError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"expected a file of at most {LARGEST // 1_000_000} MB; score larger ones in a "
            "terminal with novelty score",
        )
    return int(length)


def receive(connection: socket.socket, file: BufferedIOBase, length: int) -> bytes:
    """Read a body within the time for an upload, however slowly its parts come."""
    content = bytearray()
    end, idle = time.monotonic() + UPLOAD_SECONDS, connection.gettimeout()
    try:
        while len(content) < length:
            content += _receive_part(connection, file, end, length - len(content))
    except TimeoutError:
        raise RequestError(
            HTTPStatus.REQUEST_TIMEOUT,
            f"expected the whole file within {UPLOAD_SECONDS:g} seconds, got "
            f"{len(content):,} of {length:,} bytes",
        ) from None
    finally:
        connection.settimeout(idle)
    return bytes(content)


def discard(connection: socket.socket, file: BufferedIOBase) -> None:
    """Let a sender go on for a second: if the connection broke, it would miss the answer."""
    end = time.monotonic() + 1.0
    with suppress(OSError):
        while True:
            _receive_part(connection, file, end, LARGEST_HEAD)


def _receive_part(connection: socket.socket, file: BufferedIOBase, end: float, most: int) -> bytes:
    """Read what comes next, before a moment of the monotonic clock."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)
    part = file.read1(most)
    if not part:
        raise ConnectionAbortedError("the upload ended early")
    return part
