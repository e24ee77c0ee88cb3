import http.client
import json
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from lab.tests.explorer.page import serving
from novelty_lab.explorer import server as served

SITE = {"index.html": b"<p>page</p>", "js/base.js": b"1;"}


@pytest.fixture(scope="module")
def server():
    with serving(SITE) as running:
        yield running


def ask(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, body, names)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer
    finally:
        connection.close()


def test_files_of_the_site_are_served_and_locked_to_it(server):
    status, body, answer = ask(server, "GET", "/")
    assert (status, body) == (200, SITE["index.html"])
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert ask(server, "GET", "/js/base.js?x=1")[1] == SITE["js/base.js"]
    assert ask(server, "HEAD", "/")[:2] == (200, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/js/..%2f..%2fetc/passwd",
        "/js/",
        "/etc/passwd%00.js",
        "/..\\..\\secret",
        "//[",
    ],
)
def test_nothing_outside_the_site_has_a_name(server, path):
    status, body, _ = ask(server, "GET", path)
    assert status == 404
    assert json.loads(body) == {"error": "there is no such page"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_sites_are_refused(server, headers):
    for path in ("/", "/js/base.js", "/data/ledger.js"):
        status, body, answer = ask(server, "GET", path, **headers)
        assert status == 403
        assert json.loads(body) == {"error": "this server answers its own page only"}
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def connect(server):
    return socket.create_connection(("127.0.0.1", server.server_port), timeout=30)


def is_open(connection):
    """Whether the other side has neither ended the connection nor said anything."""
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    finally:
        connection.settimeout(30)


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is this machine on Linux only")
def test_an_address_that_opens_many_connections_ends_its_own_only(server):
    with ExitStack() as stack, connect(server) as first:
        first.sendall(b"GET / HTTP/1.1\r\n")
        there, held = ("127.0.0.1", server.server_port), []
        for _ in range(2 * served.MOST_CONNECTIONS):
            other = socket.create_connection(there, 30, source_address=("127.0.0.2", 0))
            held.append(stack.enter_context(other))
            other.sendall(b"GET / HTTP/1.1\r\n")
        assert ask(server, "GET", "/")[0] == 200
        assert sum(map(is_open, held)) < served.MOST_CONNECTIONS
        first.sendall(f"Host: 127.0.0.1:{server.server_port}\r\n\r\n".encode())
        assert b" 200 " in first.recv(4096).splitlines()[0]


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of this process in /proc")
def test_a_file_of_300_megabytes_is_refused_in_a_sentence_and_not_read(server):
    before = memory()
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request("POST", "/api/score", None, {"Content-Length": "300000000"})
    sender = connection.sock.dup()
    answer = connection.getresponse()
    assert answer.status == 405 and b"this server takes no files" in answer.read()
    with sender, pytest.raises(ConnectionError):
        for _ in range(300):
            sender.sendall(bytes(2**20))
    assert memory() - before < 16


def memory():
    """Megabytes of this process, which serves."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n"])
def test_a_head_has_a_time_in_all_however_many_bytes_come(server, monkeypatch, sent):
    monkeypatch.setattr(served, "HEAD_SECONDS", 0.4)
    with connect(server) as connection:
        connection.sendall(sent)
        start = time.monotonic()
        while is_open(connection):
            assert time.monotonic() < start + 2
            connection.sendall(b"X")
            time.sleep(0.02)
        assert time.monotonic() - start > 0.2
    assert ask(server, "GET", "/")[0] == 200
