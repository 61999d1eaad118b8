"""The server of the page: access, served files, limits, and no processes left behind."""

from __future__ import annotations

import concurrent.futures
import json
import random
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from milp_pips.cli import main

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from thoroughness import few_or_many, mostly_long
from web_server import Server, has_ended, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

EXAMPLES = Path(__file__).parents[3] / "examples"
EASY = {"text": (EXAMPLES / "pips/easy.txt").read_text(), "name": "easy"}
DEAF = {"puzzle": EASY, "engine": "deaf", "seconds": 600}
LIMITS = ("--time-limit", "20", "--memory-limit", "400M", "--workers", "2", "--waiting", "4")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"), *LIMITS, sending=1.0)
    yield running
    assert running.end(signal.SIGINT) == (130, "")


@pytest.fixture
def own_server(tmp_path):
    running = []

    def start(*words, **how):
        running.append(Server(tmp_path, *words, **how))
        return running[-1]

    yield start
    for each in running:
        each.process.kill()
        each.process.communicate()


def test_a_request_is_answered_as_at_the_command_line(server, capsys):
    name, told = server.ask("count", {"puzzle": EASY})[-1]
    main(["count", str(EXAMPLES / "pips/easy.txt"), "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert name == "result"
    assert (told["placements"], told["grids"]) == (shown["placements"], shown["grids"])


def test_the_page_may_load_itself_alone(server):
    status, headers, body = server.get("/")
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers
    assert b'data-where="local"' in body


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1:{port}.evil.example", ""]
)
def test_another_host_is_not_served(server, host):
    told = server.get("/", Host=host.format(port=server.port))
    assert told[0] == 403
    assert server.post("about", {}, Host=host.format(port=server.port))[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
def test_another_page_may_ask_nothing(server, origin):
    assert server.post("about", {}, Origin=origin)[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        *("/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/..", "//etc/passwd", "/etc/passwd"),
        *(
            "/page/../index.html",
            "/index.html%00.css",
            "/nothing.html",
            "/.html",
            "/api",
            "/api/",
            "/api/x/y",
        ),
    ],
)
def test_nothing_but_the_page_is_served(server, path):
    status, headers, body = server.get(path)
    assert status in (404, 405)
    assert b"import" not in body
    assert headers["content-security-policy"]


@pytest.mark.parametrize(
    ("status", "verb", "body", "headers"),
    [
        (404, "nothing", {}, {}),
        (415, "about", {}, {"content_type": "text/plain"}),
        (415, "about", {}, {"content_type": "application/x-www-form-urlencoded"}),
        (413, "count", b" " * (2**20 + 1), {}),
    ],
)
def test_what_is_no_request_is_refused(server, status, verb, body, headers):
    found, told = server.post(verb, body, **headers)
    assert found == status
    assert json.loads(told)["kind"] == "usage"
    assert server.get("/api/about")[0] == 405


def test_a_body_without_end_is_refused_when_it_is_too_large(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        head = f"POST /api/count HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode())
        try:
            for _ in range(64):
                connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
        except OSError:
            pass  # it has been closed
        else:
            assert b" 413 " in connection.recv(65536).split(b"\r\n")[0]


def test_what_is_no_http_is_refused(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(b"\x16\x03\x01 garbage\r\n\r\n")
        assert b" 400 " in connection.recv(65536).split(b"\r\n")[0]


def test_a_slow_body_is_not_waited_for(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        head = f"POST /api/count HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        head += "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        connection.sendall(head.encode())
        assert b" 408 " in connection.recv(65536).split(b"\r\n")[0]


def test_work_ends_when_the_client_goes_away(server):
    wait_until(lambda: len(server.workers) == 2)
    before = server.workers
    connection = server.occupy(DEAF)
    (started,) = server.programs
    connection.close()
    wait_until(lambda: has_ended(started), seconds=1.0)
    wait_until(lambda: len(server.workers) == 2 and len(server.workers & before) == 1)
    assert server.ask("count", {"puzzle": EASY})[-1][0] == "result"


def test_who_waits_is_told_how_many_are_ahead(server):
    first = [server.occupy(DEAF) for _ in range(2)]
    try:
        waiting = [server.begin("count", {"puzzle": EASY}) for _ in range(4)]
        status, told = server.post("count", {"puzzle": EASY})
        assert status == 503
        assert json.loads(told)["kind"] == "busy"
        first.pop().close()
        for connection in waiting:
            told = b""
            while b"event: result" not in told:
                received = connection.recv(65536)
                assert received
                told += received
            connection.close()
    finally:
        for connection in first:
            connection.close()


@pytest.mark.parametrize(
    ("engine", "kind", "told"),
    mostly_long(1, [("suicide", "engine", "killed by SIGKILL"), ("hungry", "limit", "memory")]),
)
def test_what_an_engine_does_to_its_process_is_told(server, engine, kind, told):
    name, fault = server.ask("solve", {"puzzle": EASY, "engine": engine, "seconds": 20})[-1]
    assert name == "fault"
    assert fault["kind"] == kind
    assert told in fault["message"]
    assert server.ask("count", {"puzzle": EASY})[-1][0] == "result"


@pytest.mark.long
def test_who_does_not_end_in_time_is_ended(own_server):
    server = own_server("--time-limit", "0.5", "--workers", "1")
    name, answer = server.ask("solve", DEAF)[-1]
    assert (name, answer["stop"]) == ("result", "time")
    wait_until(lambda: len(server.workers) == 1)
    assert server.ask("count", {"puzzle": EASY})[-1][0] == "result"


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (signal.SIGKILL, -signal.SIGKILL),
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.long),
        pytest.param(signal.SIGTERM, 143, marks=pytest.mark.long),
    ],
)
def test_nothing_outlives_the_server(own_server, number, status):
    server = own_server("--workers", "1")
    with server.occupy(DEAF):
        workers = server.workers
        assert server.end(number) == (status, "")
        wait_until(lambda: all(map(has_ended, workers)))


AT_ONCE = """
import os, signal, socket, sys
number, make = int(sys.argv.pop()), socket.socketpair
def make_and_end(*words):
    os.kill(os.getpid(), number)
    socket.socketpair = make
    return make(*words)
socket.socketpair = make_and_end  # which a loop of events does first
from milp_pips.__main__ import run
run()
"""


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_who_is_told_to_end_before_he_has_begun_ends_without_a_word(number, status):
    words = ("web", "--no-browser", "--port", "0", str(int(number)))
    ended = subprocess.run(
        [sys.executable, "-c", AT_ONCE, *words], capture_output=True, text=True, timeout=30, check=False
    )
    assert (ended.returncode, ended.stderr) == (status, "")


def test_a_port_that_is_taken_costs_one_line(server, capsys):
    assert main(["web", "--no-browser", "--port", str(server.port)]) == 2
    assert capsys.readouterr().err.startswith(f"milp-pips: cannot listen on 127.0.0.1, port {server.port}: ")


def test_a_port_beyond_the_largest_costs_one_line(capsys):
    assert main(["web", "--no-browser", "--port", "99999"]) == 2
    assert capsys.readouterr().err == "milp-pips: port 99999: the largest port is 65535\n"


@pytest.mark.long
def test_a_storm_of_nonsense_leaves_the_server_as_it_was(server):
    """Garbage, oversized, aborted and right requests, 16 at a time: no error 500, no process too many."""
    rng = random.Random(1)
    wait_until(lambda: len(server.workers) == 2)
    before = psutil.Process(server.process.pid).memory_info().rss

    def storm(kind):
        if kind == "garbage":
            return server.post("count", bytes(rng.randrange(256) for _ in range(200)))[0]
        if kind == "oversized":
            try:
                return server.post("count", b"x" * 1_100_000)[0]
            except OSError:
                return 413  # it was closed before all was sent
        if kind == "aborted":
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
                head = f"POST /api/solve HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                body = json.dumps({"puzzle": EASY}).encode()
                head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode() + body[: rng.randrange(2 * len(body))])
            return 0
        return server.post("count", {"puzzle": EASY})[0]

    kinds = ["garbage", "oversized", "aborted", "right"] * few_or_many(4, 15)
    rng.shuffle(kinds)
    with concurrent.futures.ThreadPoolExecutor(16) as clients:
        statuses = set(clients.map(storm, kinds))
    assert statuses <= {0, 200, 413, 503}
    wait_until(lambda: len(server.workers) == 2)
    assert server.ask("count", {"puzzle": EASY})[-1][0] == "result"
    assert psutil.Process(server.process.pid).memory_info().rss < before + 100 * 2**20


def test_without_its_libraries_the_server_says_which(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.partition(".")[0] == "starlette"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "milp_pips.extras.web.server", raising=False)
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert main(["web", "--no-browser"]) == 2
    assert "pip install '.[web]'" in capsys.readouterr().err
