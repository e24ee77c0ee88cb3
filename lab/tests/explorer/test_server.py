import http.client
import io
import json
import pickle
import select
import socket
import time
from contextlib import ExitStack
from urllib.parse import urlencode

import numpy as np
import pytest

import learnable_novelty as ln
from lab.tests.explorer.page import serving
from novelty_lab.explorer import receiving
from novelty_lab.explorer import server as server_module
from novelty_lab.explorer.upload import LARGEST

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


def send(server, content, **options):
    status, body, _ = ask(server, "POST", "/api/score?" + urlencode(options), content)
    return status, json.loads(body)


def table():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 2))
    return x, np.sin(2 * x[:, 0]) + 0.1 * rng.standard_normal(80)


def csv():
    x, y = table()
    lines = [f"{a!r},{b!r},{c!r}" for a, b, c in np.column_stack([x, y]).tolist()]
    return "\n".join(["a,b,y", *lines]).encode()


def test_it_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"


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


@pytest.mark.parametrize("method", ["GET", "POST"])
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
def test_other_sites_are_refused(server, method, headers):
    for path in ("/", "/js/base.js", "/api/score", "/api/columns"):
        status, body, answer = ask(server, method, path, **headers)
        assert status == 403
        assert json.loads(body) == {"error": "this server answers its own page only"}
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "headers", [{}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}]
)
def test_the_page_and_its_user_are_answered(server, headers):
    status, _, answer = ask(server, "GET", "/js/base.js", **headers)
    assert status == 200
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def hold_back(server, sent=b"", length=LARGEST):
    """Begin an upload, and leave the rest of it unsent."""
    connection = socket.create_connection(("127.0.0.1", server.server_port), timeout=30)
    head = f"POST /api/score?name=a.csv&window=1 HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}"
    connection.sendall(f"{head}\r\nContent-Length: {length}\r\n\r\n".encode() + sent)
    return connection


def answered(connections, seconds):
    """Wait, and return those connections that have got an answer."""
    time.sleep(seconds)
    return select.select(connections, [], [], 0)[0]


def test_only_a_few_uploads_are_received_at_a_time(server):
    with ExitStack() as stack:
        held = [stack.enter_context(hold_back(server, b"1\n" * 50_000)) for _ in range(40)]
        refused = answered(held, 0.5)
        assert len(held) - len(refused) == server_module.MOST_UPLOADS
        for connection in refused:
            answer = connection.recv(4096)
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b"4 files are being uploaded already; try again in a moment" in answer
        assert send(server, csv(), name="a.csv", targets="y")[0] == 503
    deadline = time.monotonic() + 10
    while send(server, csv(), name="a.csv", targets="y")[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_slow_upload_is_refused(server, monkeypatch):
    monkeypatch.setattr(receiving, "UPLOAD_SECONDS", 0.4)
    with hold_back(server) as connection:
        start = time.monotonic()
        while not answered([connection], 0.02):
            assert time.monotonic() < start + 5
            connection.sendall(b"1\n")
        answer = connection.recv(4096)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"expected the whole file within 0.4 seconds, got " in answer
    assert send(server, csv(), name="a.csv", targets="y")[0] == 200


def test_half_an_upload_is_not_scored(server, monkeypatch):
    asked = []
    monkeypatch.setitem(server_module._ACTIONS, "/api/score", lambda *_: asked.append(1) or {})
    with hold_back(server, b"1\n2\n3\n", length=100) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(4096) == b""
    assert asked == []


def test_an_answer_reaches_a_sender_that_is_not_done(server):
    with ExitStack() as stack:
        for _ in range(server_module.MOST_UPLOADS):
            stack.enter_context(hold_back(server))
        time.sleep(0.2)
        assert send(server, b"1\n" * (LARGEST // 2), name="a.csv", window="1")[0] == 503


def test_headers_without_end_are_refused(server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        line = b"X-Long: " + b"a" * 60_000 + b"\r\n"
        connection.sendall(b"GET / HTTP/1.1\r\n" + 2 * line)
        assert b" 431 " in connection.recv(4096).splitlines()[0]


def test_connections_are_bounded(monkeypatch):
    monkeypatch.setattr(server_module, "MOST_CONNECTIONS", 2)
    with serving(SITE) as server:
        place = ("127.0.0.1", server.server_port)
        with socket.create_connection(place), socket.create_connection(place):
            time.sleep(0.2)
            with socket.create_connection(place, timeout=10) as third:
                assert third.recv(1) == b""
        time.sleep(0.2)
        assert ask(server, "GET", "/")[0] == 200


def test_its_own_page_is_heard(server):
    origin = server.address.rstrip("/")
    path = "/api/score?name=a.csv&targets=y"
    assert ask(server, "POST", path, csv(), Origin=origin)[0] == 200


def test_a_file_scores_as_in_python(server):
    x, y = table()
    truth = ln.score(x, y)
    status, found = send(server, csv(), name="my data.csv", targets="y")
    assert status == 200
    assert found["bits"] == truth.bits
    assert found["p_value"] == truth.p_value
    assert found["verdict"] == truth.verdict
    buffer = io.BytesIO()
    np.save(buffer, np.column_stack([x, y]))
    assert send(server, buffer.getvalue(), name="a.npy", targets="2")[1]["bits"] == truth.bits


def test_a_series_scores_as_in_python(server):
    series = np.sin(0.3 * np.arange(120)) ** 3
    body = "\n".join(map(repr, series.tolist())).encode()
    found = send(server, body, name="s.csv", window="4", history="2")[1]
    assert found["bits"] == ln.score(series, window=4, history=2).bits


def test_columns_are_listed_to_choose_from(server):
    status, body, _ = ask(server, "POST", "/api/columns?name=a.csv", csv())
    assert (status, json.loads(body)) == (200, {"columns": ["a", "b", "y"]})
    status, body, _ = ask(server, "POST", "/api/columns?name=a.npy", b"\x93NUMPY spam")
    assert status == 400
    assert "expected NumPy data in a.npy" in json.loads(body)["error"]


def test_a_large_file_is_refused_before_it_is_read(server):
    for length in (str(LARGEST + 1), "9" * 5000):
        status, body, _ = ask(server, "POST", "/api/score?name=a.csv", None, Content_Length=length)
        assert status == 413
        assert "at most 20 MB" in json.loads(body)["error"]


def test_a_file_of_no_stated_length_is_refused(server):
    assert ask(server, "POST", "/api/score?name=a.csv", None, Content_Length="-1")[0] == 411


@pytest.mark.parametrize(
    ("name", "content", "options", "said"),
    [
        ("a.csv", b"a,y\n1,2\n3,spam\n", {"targets": "y"}, "expected numbers in column 'y'"),
        ("a.csv", b"a,y\n1,\n,3\n,4\n5,\n", {"targets": "y"}, "but all 4 have some"),
        ("a.csv", b"a,y\n0,5,0,25\n", {"targets": "y"}, "2 columns in line 2 of a.csv, got 4"),
        ("a.csv", b"", {"targets": "y"}, "the file is empty"),
        ("a.csv", b"a,y\n1,2\n", {"targets": "q"}, "expected a column of a.csv (a, y), got 'q'"),
        ("a.csv", b"a,y\n1,2\n", {}, "expected target columns, or a window if rows are moments"),
        ("a.csv", b"a,y\n1,2\n", {"window": "-3"}, "expected a whole number from 1 to 1000"),
        ("a.csv", b"a,y\n1,2\n", {"window": "9" * 5000}, "expected a whole number"),
        ("a.csv", b"1\n2\n" * 100_001, {"window": "1"}, "expected at most 200,000 rows"),
        ("a.csv", b"1,2\n3,1\n" * 4_500, {"window": "900"}, "5,000,000 numbers in all windows"),
        ("a.exe", b"MZ", {"targets": "y"}, "expected a file ending in .csv, .tsv, .npy"),
        ("a.npz", b"PK", {"targets": "y"}, "expected a file ending in .csv, .tsv, .npy"),
        ("a.npy", b"\x93NUMPY spam", {"targets": "1"}, "expected NumPy data in a.npy"),
        ("../../a.csv", b"\xff\xfe\x00", {"targets": "1"}, "expected UTF-8 text in a.csv"),
    ],
)
def test_a_bad_file_is_one_plain_sentence(server, name, content, options, said):
    status, found = send(server, content, name=name, **options)
    assert status == 400
    assert said in found["error"]
    assert "\n" not in found["error"]
    assert "/" not in found["error"]  # no folder of this machine


def test_control_characters_of_a_file_are_escaped(server):
    name = "y\x1b]0;title\x07\u202e"
    table = "".join(f"{i},{i**2}\n" for i in range(40))
    content = f"a,{name}\n{table}".encode()
    status, found = send(server, content, name="a.csv", targets="none such")
    assert status == 400
    assert r"expected a column of a.csv (a, y\x1b]0;title\x07\u202e)" in found["error"]
    status, found = send(server, content, name="a.csv", targets="1")
    assert status == 200
    assert found["targets"] == [r"y\x1b]0;title\x07\u202e"]


def test_pickled_objects_are_never_loaded(server):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("unpickled",))

    buffer = io.BytesIO()
    header = {"descr": "|O", "fortran_order": False, "shape": (1,)}
    np.lib.format.write_array_header_1_0(buffer, header)
    buffer.write(pickle.dumps(Bomb()))
    status, found = send(server, buffer.getvalue(), name="a.npy", targets="0")
    assert status == 400
    assert "pickled objects, which are not read" in found["error"]


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"a,y\n1,2\n3,4\n", {"targets": "y"}),
        (
            "\n".join(f"{np.sin(i):.9f}" for i in range(13)).encode(),
            {"window": "8", "history": "4"},
        ),
    ],
)
def test_too_few_samples_have_no_interval(server, content, options):
    status, found = send(server, content, name="a.csv", **options)
    assert status == 200
    assert found["num_samples"] == 2
    assert found["held_out_interval"] == [None, None]
    told = {name: (value, meaning) for name, value, meaning in found["rows"]}
    assert told["held-out variance"] == ("-", "too few samples")
    assert "nan" not in str(found["rows"])


@pytest.mark.parametrize(
    "fault", [{"bits": float("nan")}, KeyError("spam"), ValueError("spam"), TypeError("spam")]
)
def test_a_defect_of_the_program_is_not_blamed_on_the_file(server, monkeypatch, capsys, fault):
    def work(name, content, options):
        if isinstance(fault, Exception):
            raise fault
        return fault

    monkeypatch.setitem(server_module._ACTIONS, "/api/score", work)
    status, found = send(server, csv(), name="a.csv", targets="y")
    assert status == 500
    assert "a defect of the program" in found["error"]
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.undo()
    assert send(server, csv(), name="a.csv", targets="y")[0] == 200


def test_one_file_is_scored_at_a_time(server):
    with server.scoring:
        assert send(server, csv(), name="a.csv", targets="y")[0] == 503
