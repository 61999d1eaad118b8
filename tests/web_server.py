"""A server of the page in a separate process, with requests over plain sockets."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil

START = """
import sys
from milp_pips.extras.web import pool, server
assert server.TRANSFER_SECONDS
server.TRANSFER_SECONDS = float(sys.argv.pop(1))
assert pool.WEB_GRACE
pool.WEB_GRACE = 30.0  # a worker on a busy machine gets time to send its answer
from milp_pips.__main__ import run
run()
"""

SLEEP = "import time; time.sleep(600)"
"""The program that a plugin starts that ignores the deadline."""

PLUGINS = '''
import os, signal, subprocess, sys, time
from milp_pips.engines.brute import BruteSolver

class Deaf(BruteSolver):
    """Ignores the deadline, and has started a program in a session of its own that does so, too."""
    name = "deaf"
    def solve(self, problem, settings, watch):
        subprocess.Popen([sys.executable, "-c", "SLEEP"], start_new_session=True)
        time.sleep(600)

class Hungry(BruteSolver):
    """Takes all the memory there is."""
    name = "hungry"
    def solve(self, problem, settings, watch):
        taken = []
        while True:
            taken.append(b"x" * 2**24)
            time.sleep(0.05)  # a look at all processes takes some milliseconds

class Suicide(BruteSolver):
    """Kills its process."""
    name = "suicide"
    def solve(self, problem, settings, watch):
        os.kill(os.getpid(), signal.SIGKILL)
'''


class Server:
    """A running server: its process, its port, and requests to it."""

    def __init__(self, plugins: Path, *words: str, sending: float = 10.0, folder: Path | None = None):
        points = "".join(f"{name.lower()} = misfits:{name}\n" for name in ("Deaf", "Hungry", "Suicide"))
        (plugins / "misfits-1.0.dist-info").mkdir(exist_ok=True)
        (plugins / "misfits-1.0.dist-info" / "METADATA").write_text("Name: misfits\nVersion: 1.0\n")
        (plugins / "misfits-1.0.dist-info" / "entry_points.txt").write_text(f"[milp_pips.solvers]\n{points}")
        (plugins / "misfits.py").write_text(PLUGINS.replace("SLEEP", SLEEP))
        path = os.pathsep.join(filter(None, [str(plugins), *sys.path]))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, str(sending), "web", "--no-browser", "--port", "0", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
            cwd=folder,
        )
        line = self.process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/ ", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found[1])

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def get(self, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        with contextlib.closing(self.connect()) as connection:
            connection.request(
                "GET", path, headers={name.replace("_", "-"): v for name, v in headers.items()}
            )
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def post(self, verb: str, body: object, **headers: str) -> tuple[int, bytes]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        said = {"content-type": "application/json"}
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(self.connect()) as connection:
            connection.request("POST", f"/api/{verb}", data, said)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def ask(self, verb: str, body: object) -> list[tuple[str, object]]:
        """Return the events of an answer."""
        status, response = self.post(verb, body)
        assert status == 200, response
        return events_of(response)

    def begin(self, verb: str, body: object, response: bytearray | None = None) -> socket.socket:
        """Return a connection with a request, after its first event, which ``response`` receives."""
        data = json.dumps(body).encode()
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        head = f"POST /api/{verb} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        connection.sendall(head.encode() + data)
        response = bytearray() if response is None else response
        while b"event:" not in response:
            received = connection.recv(65536)
            assert received, response
            response += received
        return connection

    def occupy(self, body: object) -> socket.socket:
        """Return a connection with a running request, whose plugin has started a program."""
        before = set(self.programs)
        connection = self.begin("solve", body)
        wait_until(lambda: set(self.programs) - before)
        return connection

    @property
    def programs(self) -> list[psutil.Process]:
        """The programs that plugins have started, each below the worker of its plugin."""
        with contextlib.suppress(psutil.Error):
            return [one for one in self.workers if SLEEP in one.cmdline()]
        return []

    @property
    def workers(self) -> set[psutil.Process]:
        """The running descendants of the server."""
        started = psutil.Process(self.process.pid).children(recursive=True)
        return {one for one in started if not has_ended(one) and not is_reaper(one)}

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal, and return the exit status and the text on standard error."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


def events_of(response: bytes) -> list[tuple[str, object]]:
    found = re.findall(rb"event: (\w+)\ndata: ([^\n]*)\n\n", response)
    assert b"".join(b"event: %s\ndata: %s\n\n" % pair for pair in found) == response
    return [(name.decode(), json.loads(data)) for name, data in found]


def has_ended(process: psutil.Process) -> bool:
    """Return whether a process has ended; a zombie counts as ended."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def is_reaper(process: psutil.Process) -> bool:
    """Return whether this is the reaper, which ends the other processes if the server is killed."""
    with contextlib.suppress(psutil.Error):
        return any(word.endswith("reaper.py") for word in process.cmdline())
    return False


def wait_until(condition, seconds: float = 60.0) -> None:
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds, "what was waited for did not happen"
        time.sleep(0.05)  # a look at all processes takes five milliseconds
