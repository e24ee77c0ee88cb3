"""The local server: the files of one site, and the columns and the score of an uploaded file.

Other programs and web pages on this machine can reach it, so it trusts nobody. It answers its own
page only (``Host``, ``Origin``, ``Sec-Fetch-Site``), and memory is bounded by limits on
connections, on uploads at a time, and on the size and the duration of an upload.
"""

from __future__ import annotations

import json
import sys
import threading
import traceback
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote

from learnable_novelty.errors import UserError
from novelty_lab.explorer.receiving import Head, RequestError, discard, receive, upload_length
from novelty_lab.explorer.site import Site
from novelty_lab.explorer.upload import list_columns, score_upload

HOST = "127.0.0.1"
MOST_CONNECTIONS = 64
"""Open connections; a browser opens six."""
MOST_UPLOADS = 4
"""Uploads that are received at a time, each bounded in size and time."""
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
        "img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_Action = Callable[[str, bytes, dict[str, str]], dict[str, Any]]
_ACTIONS: dict[str, _Action] = {"/api/score": score_upload, "/api/columns": list_columns}
"""What is done with an uploaded file, by address."""


class Server(ThreadingHTTPServer):
    """Serves a site from memory on this machine only; port 0 takes any free one."""

    daemon_threads = True

    def __init__(self, site: Site, port: int = 0) -> None:
        self.site = site
        self.scoring = threading.Lock()
        self.uploads = threading.BoundedSemaphore(MOST_UPLOADS)
        self.connections = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for a connection, or close it if there are too many."""
        if self.connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer the requests of a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.release()

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
    timeout = 60

    def parse_request(self) -> bool:
        """Read the first line and the headers of a request, up to a limit in all."""
        whole = self.rfile
        self.rfile = Head(whole)  # pyright: ignore[reportAttributeAccessIssue]
        try:
            return super().parse_request()
        finally:
            self.rfile = whole

    def do_GET(self) -> None:
        self._respond(self._file)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        self._respond(self._processed_upload)

    def _respond(self, answer: Callable[[], tuple[HTTPStatus, str, bytes]]) -> None:
        """Send an answer, or say why there is none."""
        try:
            self._check_sender()
            self._send(*answer())
        except RequestError as error:
            # The body may not have been read, so the connection cannot be used again.
            self.close_connection = True
            self._send(error.status, TYPES["json"], _encoded({"error": str(error)}))
            if self.command == "POST":
                discard(self.connection, self.rfile)

    def _file(self) -> tuple[HTTPStatus, str, bytes]:
        path = unquote(self.path.partition("?")[0]).lstrip("/") or "index.html"
        # A dictionary, not the disk: nothing outside the site has a name here.
        content = self.server.site.get(path)
        if content is None:
            raise RequestError(HTTPStatus.NOT_FOUND, "there is no such page")
        kind = TYPES.get(path.rpartition(".")[2], "application/octet-stream")
        return HTTPStatus.OK, kind, content

    def _processed_upload(self) -> tuple[HTTPStatus, str, bytes]:
        path, _, query = self.path.partition("?")
        action = _ACTIONS.get(path)
        if action is None:
            raise RequestError(HTTPStatus.NOT_FOUND, "there is no such page")
        length = upload_length(self.headers)
        if not self.server.uploads.acquire(blocking=False):
            raise RequestError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{MOST_UPLOADS} files are being uploaded already; try again in a moment",
            )
        try:
            content = receive(self.connection, self.rfile, length)
            if not self.server.scoring.acquire(blocking=False):
                raise RequestError(
                    HTTPStatus.SERVICE_UNAVAILABLE,
                    "another file is being scored; try again in a moment",
                )
            # Both are free again before the answer goes out: the page may ask again at once.
            try:
                status, answer = _outcome(action, content, dict(parse_qsl(query)))
            finally:
                self.server.scoring.release()
        finally:
            self.server.uploads.release()
        return status, TYPES["json"], answer

    def _check_sender(self) -> None:
        """Refuse other sites, and other names that point to this machine.

        A script, image or style sheet of another page comes without ``Origin``;
        ``Sec-Fetch-Site`` tells it from our own, and from an address typed by the user (none).
        """
        hosts = {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}
        origins = {None, *(f"http://{host}" for host in hosts)}
        if (
            self.headers.get("Host") not in hosts
            or self.headers.get("Origin") not in origins
            or self.headers.get("Sec-Fetch-Site") not in (None, "same-origin", "none")
        ):
            sentence = "this server answers its own page only"
            raise RequestError(HTTPStatus.FORBIDDEN, sentence)

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


def _outcome(action: _Action, content: bytes, options: dict[str, str]) -> tuple[HTTPStatus, bytes]:
    """Run an action; the page gets its answer, or a sentence in its place."""
    try:
        return HTTPStatus.OK, _encoded(action(options.get("name", ""), content, options))
    except UserError as error:
        return HTTPStatus.BAD_REQUEST, _encoded({"error": str(error)})
    except (MemoryError, OSError):
        sentence = "this machine has too little memory or disk space for the file"
    except Exception:  # noqa: BLE001 - a defect: the terminal of the server shows where
        traceback.print_exc()
        sentence = "the program failed on this file, which is a defect of the program"
        sentence += "; the terminal that it runs in shows where"
    return HTTPStatus.INTERNAL_SERVER_ERROR, _encoded({"error": sentence})


def _encoded(content: Any) -> bytes:
    return json.dumps(content, allow_nan=False).encode()
