"""The local server: files of one built site, columns and score of an uploaded file, no more."""

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

from novelty_lab.explorer.site import Site
from novelty_lab.explorer.upload import LARGEST, list_columns, score_upload

HOST = "127.0.0.1"
KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "png": "image/png",
}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
POLICY += "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_Work = Callable[[str, bytes, dict[str, str]], dict[str, Any]]
_WORK: dict[str, _Work] = {"/api/score": score_upload, "/api/columns": list_columns}
"""What is done with an uploaded file, by address."""


class Server(ThreadingHTTPServer):
    """Serves a site from memory on this machine only; port 0 takes any free one."""

    daemon_threads = True

    def __init__(self, site: Site, port: int = 0) -> None:
        self.site = site
        self.scoring = threading.Lock()
        super().__init__((HOST, port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away; the rest is a bug and is shown."""
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

    def do_GET(self) -> None:
        if not self._is_ours():
            return
        path = unquote(self.path.partition("?")[0]).lstrip("/") or "index.html"
        # A look-up, not a path: nothing outside the site has a name here.
        content = self.server.site.get(path)
        if content is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
            return
        kind = KINDS.get(path.rpartition(".")[2], "application/octet-stream")
        self._answer(HTTPStatus.OK, kind, content)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        if not self._is_ours():
            return
        path, _, query = self.path.partition("?")
        work = _WORK.get(path)
        if work is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "expected the length of the file")
        elif len(length) > 12 or int(length) > LARGEST:
            most = f"expected a file of at most {LARGEST // 1_000_000} MB, use novelty score for it"
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, most)
        else:
            self._work(work, self.rfile.read(int(length)), dict(parse_qsl(query)))

    def _work(self, work: _Work, content: bytes, options: dict[str, str]) -> None:
        if not self.server.scoring.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "another file is being scored, try later")
            return
        # The lock is free again before the answer goes out: the page may ask at once again.
        try:
            status, answer = _outcome(work, content, options)
        finally:
            self.server.scoring.release()
        self._answer(status, KINDS["json"], answer)

    def _is_ours(self) -> bool:
        """Refuse other sites (Origin) and names that were made to point here (Host)."""
        hosts = {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}
        origin = self.headers.get("Origin")
        if self.headers.get("Host") in hosts and (
            origin is None or origin in {f"http://{host}" for host in hosts}
        ):
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "this server answers its own page only")
        return False

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        # What was sent may not have been read: the connection cannot be used again.
        self.close_connection = True
        self._json(status, {"error": sentence})

    def _json(self, status: HTTPStatus, content: Any) -> None:
        self._answer(status, KINDS["json"], _encoded(content))

    def _answer(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-cache")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""


def _outcome(work: _Work, content: bytes, options: dict[str, str]) -> tuple[HTTPStatus, bytes]:
    """Do the work; whatever happens, the page gets an answer or a sentence."""
    try:
        try:
            found = work(options.get("name", ""), content, options)
        except ValueError as error:
            return HTTPStatus.BAD_REQUEST, _encoded({"error": str(error)})
        return HTTPStatus.OK, _encoded(found)
    except (MemoryError, OSError):
        sentence = "this machine could not hold the file"
    except Exception:  # noqa: BLE001 - a bug: whoever started the server is shown where
        traceback.print_exc()
        sentence = "the program stumbled over this file, which is its own fault"
        sentence += "; the terminal that it runs in shows where"
    return HTTPStatus.INTERNAL_SERVER_ERROR, _encoded({"error": sentence})


def _encoded(content: Any) -> bytes:
    return json.dumps(content, allow_nan=False).encode()
