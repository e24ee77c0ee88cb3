"""The local server: the files of one site, from memory, to this machine only.

Other programs and web pages on this machine can reach it, so it trusts nobody. It answers its own
page only (``Host``, ``Origin``, ``Sec-Fetch-Site``), takes no files, and bounds its connections.
"""

from __future__ import annotations

import http.client
import io
import json
import math
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from novelty_lab.explorer.site import Site

MOST_CONNECTIONS = 64
"""Open connections; a browser opens six."""
HEAD_SECONDS = SEND_SECONDS = 20.0
"""The head of a request arrives in this time, and the answer is taken in this time."""
LARGEST_HEAD = 131_072
"""Bytes of a head; without this limit http.server reads six megabytes."""
HOST = "127.0.0.1"
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "png": "image/png",
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; worker-src blob:; style-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


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


class Server(ThreadingHTTPServer):
    """Serves a site from memory on this machine only; port 0 takes any free one."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, site: Site, port: int = 0) -> None:
        self.site = site
        self._waiting_since: dict[socket.socket, float] = {}
        self._address_of: dict[socket.socket, str] = {}
        self._lock = threading.Lock()
        super().__init__((HOST, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for a connection; if there are too many, end one.

        It is the one that waits longest, of the address that has most: whoever keeps connections
        open without using them loses them, and takes none from others.
        """
        with self._lock:
            if len(self._waiting_since) >= MOST_CONNECTIONS:
                many = Counter(self._address_of.values())
                address = max(many, key=many.__getitem__)
                own = (one for one in self._waiting_since if self._address_of[one] == address)
                longest = min(own, key=self._waiting_since.__getitem__)
                self._forget(longest)
                with suppress(OSError):
                    longest.shutdown(socket.SHUT_RDWR)
            self._waiting_since[request] = time.monotonic()
            self._address_of[request] = client_address[0]
        super().process_request(request, client_address)

    def _forget(self, connection: socket.socket) -> None:
        self._waiting_since.pop(connection, None)
        self._address_of.pop(connection, None)

    def used(self, connection: socket.socket) -> None:
        """Note that a connection has just sent a request, or has been answered."""
        with self._lock:
            if connection in self._waiting_since:
                self._waiting_since[connection] = time.monotonic()

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection, and close it."""
        with self._lock:
            self._forget(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that went away; print the traceback of everything else."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        """Where to point a browser."""
        return f"http://{HOST}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version, sys_version = "novelty", ""
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self._head = HeadReader(self.connection)
        self.rfile = io.BufferedReader(self._head)

    def handle_one_request(self) -> None:
        """Read one request and answer it, each within its time."""
        self.server.used(self.connection)
        self._head.start()
        super().handle_one_request()

    def parse_request(self) -> bool:
        """Read the headers; what follows is the answer."""
        is_complete = super().parse_request()
        self.server.used(self.connection)
        self.connection.settimeout(SEND_SECONDS)
        return is_complete

    def do_GET(self) -> None:
        if not self._is_own_page():
            self._refuse(HTTPStatus.FORBIDDEN, "this server answers its own page only")
            return
        path = unquote(self.path.partition("?")[0]).lstrip("/") or "index.html"
        # A dictionary, not the disk: nothing outside the site has a name here.
        content = self.server.site.get(path)
        if content is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        else:
            kind = TYPES.get(path.rpartition(".")[2], "application/octet-stream")
            self._send(HTTPStatus.OK, kind, content)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """Refuse a file before a byte of it is read."""
        sentence = "this server takes no files; score them in the page, or with novelty score"
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, sentence)

    def _is_own_page(self) -> bool:
        """Tell the page from other sites, and from other names that point to this machine.

        A script, image or style sheet of another page comes without ``Origin``;
        ``Sec-Fetch-Site`` tells it from our own, and from an address typed by the user (none).
        """
        hosts = {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}
        origins = {None, *(f"http://{host}" for host in hosts)}
        return (
            self.headers.get("Host") in hosts
            and self.headers.get("Origin") in origins
            and self.headers.get("Sec-Fetch-Site") in (None, "same-origin", "none")
        )

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        # A body may follow that is not read, so the connection cannot be used again.
        self.close_connection = True
        self._send(status, TYPES["json"], json.dumps({"error": sentence}).encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""
