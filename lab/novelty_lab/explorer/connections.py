"""Open connections of the server: bounded in number, in waiting time and in bytes read."""

from __future__ import annotations

import http.client
import io
import math
import socket
import threading
import time
from contextlib import suppress
from typing import Any

MOST_CONNECTIONS = 64
"""Open connections; a browser opens six."""
HEAD_SECONDS = 20.0
"""The whole head of a request arrives in this time, counted from the answer before it."""
SEND_SECONDS = 20.0
"""The client takes the whole answer in this time."""
LARGEST_HEAD = 131_072
"""Bytes of a head; without this limit http.server reads six megabytes."""


class Connections:
    """Open connections, each with the time since when it has kept the server waiting."""

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        self.most = most
        self._waiting_since: dict[socket.socket, float] = {}
        self._lock = threading.Lock()

    def add(self, connection: socket.socket) -> None:
        """Admit a connection; if there are too many, end the one that waits longest.

        All clients of this machine have one address, so the limit is not one per address: whoever
        keeps connections open without using them loses them to the next that comes.
        """
        with self._lock:
            if len(self._waiting_since) >= self.most:
                longest = min(self._waiting_since, key=self._waiting_since.__getitem__)
                del self._waiting_since[longest]
                with suppress(OSError):
                    longest.shutdown(socket.SHUT_RDWR)
            self._waiting_since[connection] = time.monotonic()

    def used(self, connection: socket.socket) -> None:
        """Note that a connection has just sent a request, or has been answered."""
        with self._lock:
            if connection in self._waiting_since:
                self._waiting_since[connection] = time.monotonic()

    def remove(self, connection: socket.socket) -> None:
        """Forget a connection that has ended."""
        with self._lock:
            self._waiting_since.pop(connection, None)


class HeadReader(io.RawIOBase):
    """The bytes of a connection, up to a time and a number that are set for every head."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._end, self._left = connection, math.inf, 0

    def start(self) -> None:
        """Begin with a head."""
        self._end, self._left = time.monotonic() + HEAD_SECONDS, LARGEST_HEAD

    def readable(self) -> bool:
        """Return True, as ``io.BufferedReader`` asks for."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what has come; http.server answers too many bytes with status 431."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        self._connection.settimeout(seconds)
        count = self._connection.recv_into(buffer)
        self._left -= count
        if self._left < 0:
            raise http.client.LineTooLong("header")
        return count
