"""Measure the speed of the page's server, its behaviour under many bad requests, and the static page.

    python benchmarks/web.py PUZZLES --local
    python benchmarks/web.py PUZZLES --storm 1000
    python benchmarks/web.py PUZZLES --static PYODIDE --chromium /usr/bin/chromium

``PUZZLES`` are files of any format; ``PYODIDE`` is the folder of Pyodide's unpacked npm package. The static
page is served on this machine, and driven by Playwright.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import gzip
import http.server
import itertools
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil
from measure import header, puzzles_of

from milp_pips.extras.web import PAGE
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks.convert import convert
from milp_pips.tasks.count import count

TIMED_VERBS = {"solve": {}, "count": {}, "hint": {"reveal": "move"}, "explain": {}}
"""The verbs that are timed, with the further members of their requests."""

CHROMIUM = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)

WORKER = """
() => {
    window.told = {};
    window.worker = new Worker("/worker.js", { type: "module" });
    window.worker.onmessage = ({ data: { id, event, data } }) => {
        if (event === "result" || event === "fault") window.told[id]({ event, data });
    };
    window.ask = (verb, body) => new Promise((resolve) => {
        const id = String(Math.random());
        window.told[id] = resolve;
        window.worker.postMessage({ id, verb, body });
    });
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="+")
    parser.add_argument("--local", action="store_true")
    parser.add_argument("--storm", type=int, metavar="N")
    parser.add_argument("--static", metavar="PYODIDE")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    puzzles = puzzles_of(arguments.puzzles)
    print(header("highspy"))
    if arguments.local:
        local(puzzles)
    if arguments.storm:
        storm(puzzles, arguments.storm)
    if arguments.static:
        static(puzzles, arguments.static, arguments.chromium)


def puzzle_request(puzzle: Puzzle) -> dict[str, str]:
    """Return a puzzle as JSON data for a request."""
    return {"text": convert(puzzle, "text"), "name": puzzle.name}


def print_head(what: str) -> None:
    """Print the head of a table of quantiles."""
    print(f"\n| {what} | median | 95 of 100 | worst |\n|---|---|---|---|")


def quantiles(seconds: list[float]) -> str:
    """Return the median, the 95th percentile and the worst, in milliseconds."""
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * (len(ordered) - 1) + 0.5)]
    return " | ".join(f"{1000 * one:.0f}" for one in (statistics.median(ordered), p95, ordered[-1]))


@contextmanager
def serving(*words: str) -> Iterator[tuple[psutil.Process, int]]:
    """Run a server, and yield its process and its port."""
    command = [sys.executable, "-m", "milp_pips", "web", "--no-browser", "--port", "0", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r":(\d+)/", process.stdout.readline())
    assert found
    try:
        yield psutil.Process(process.pid), int(found[1])
    finally:
        process.terminate()
        process.wait()


def ask(port: int, verb: str, body: dict[str, Any]) -> bytes:
    """Return all events of the answer to a request."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/{verb}", json.dumps(body).encode(), headers, method="POST"
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return answer.read()


def local(puzzles: list[Puzzle]) -> None:
    """Time requests to a server on this machine, one after another."""
    with serving() as (_, port):
        ask(port, "count", {"puzzle": puzzle_request(puzzles[0])})
        time.sleep(2)  # until all workers are ready
        print_head(f"{len(puzzles)} puzzles, request to answer, ms")
        for verb, more in TIMED_VERBS.items():
            spent = []
            for puzzle in puzzles:
                begun = time.perf_counter()
                answer = ask(port, verb, {"puzzle": puzzle_request(puzzle), **more})
                spent.append(time.perf_counter() - begun)
                assert b"event: result" in answer, answer
            print(f"| {verb} | {quantiles(spent)} |", flush=True)


def storm(puzzles: list[Puzzle], n: int) -> None:
    """Send garbage, oversized, slow, aborted and valid requests from 50 concurrent clients."""
    rng = random.Random(1)
    bodies = [json.dumps({"puzzle": puzzle_request(puzzle)}).encode() for puzzle in puzzles]

    def send(port: int, kind: str) -> str:
        body = rng.choice(bodies)
        if kind == "garbage":
            body = bytes(rng.randrange(256) for _ in range(300))
        elif kind == "oversized":
            body = b"x" * 1_200_000
        head = f"POST /api/count HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        head += f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
            try:
                if kind == "slow":
                    for byte in itertools.islice(head.encode() + body, 40):
                        connection.sendall(bytes([byte]))
                        time.sleep(0.4)
                else:
                    connection.sendall(
                        head.encode() + (body[: len(body) // 2] if kind == "aborted" else body)
                    )
                if kind == "aborted":
                    return f"{kind}: gone"
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
            except OSError:
                return f"{kind}: connection closed"
        status = answer[9:12].decode() or "connection closed"
        return f"{kind}: {status}" + (" and the count" if b"event: result" in answer else "")

    kinds = [rng.choice(["garbage", "oversized", "slow", "aborted", "right", "right"]) for _ in range(n)]
    with serving() as (server, port):
        ask(port, "count", {"puzzle": puzzle_request(puzzles[0])})
        time.sleep(2)
        workers, memory = len(server.children(recursive=True)), server.memory_info().rss
        begun = time.perf_counter()
        spent, stopping = list[float](), threading.Event()

        def load_page() -> None:
            while not stopping.wait(0.2):
                since = time.perf_counter()
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
                    answer.read()
                spent.append(time.perf_counter() - since)

        watcher = threading.Thread(target=load_page)
        watcher.start()
        with concurrent.futures.ThreadPoolExecutor(50) as clients:
            outcomes = Counter(clients.map(functools.partial(send, port), kinds))
        stopping.set()
        watcher.join()
        print(f"\n{n} requests of 50 clients in {time.perf_counter() - begun:.0f} s:")
        for outcome, times in sorted(outcomes.items()):
            print(f"  {times} {outcome}")
        time.sleep(3)
        after = len(server.children(recursive=True)), server.memory_info().rss
        print(f"processes: {workers} before, {after[0]} after")
        print(f"memory of the server: {memory / 1e6:.0f} MB before, {after[1] / 1e6:.0f} MB after")
        print(f"the page meanwhile, ms: median | 95 of 100 | worst: {quantiles(spent)}")


def static(puzzles: list[Puzzle], pyodide: str, chromium: str) -> None:
    """Measure the first visit, the next one without a network, and answers against the command line."""
    from playwright.sync_api import sync_playwright

    from milp_pips.extras.web.site import build

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        size = build(folder, pyodide, PAGE)
        handler = functools.partial(QuietHandler, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/"
            browser = playwright.chromium.launch(executable_path=chromium, args=list(CHROMIUM))
            visits(browser.new_context(), address, size, compressed_size(folder))
            answers(browser.new_page(), address, puzzles)
            browser.close()
            server.shutdown()


def compressed_size(folder: str) -> int:
    """Return the bytes of all files as gzip -6 compresses them, which is what servers do."""
    names = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
    total = 0
    for name in names:
        with open(name, "rb") as stream:
            total += len(gzip.compress(stream.read(), 6))
    return total


def visits(context: Any, address: str, size: int, compressed: int) -> None:
    """Time a first visit and one without a network: until one can play, until hints are ready, a hint."""
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    print(f"\nthe first load: {size / 1e6:.1f} MB, compressed {compressed / 1e6:.2f} MB")
    print("\n| s | can be played | hints are ready | first hint |\n|---|---|---|---|")
    for visit in ("first visit", "next one, without a network"):
        context.set_offline(visit != "first visit")
        begun = time.perf_counter()
        page.goto(address)
        page.locator("[role=gridcell]").first.wait_for()
        played = time.perf_counter() - begun
        page.locator("#loading", has_text="Hints are ready").wait_for(timeout=120_000)
        ready = time.perf_counter() - begun
        begun = time.perf_counter()
        page.get_by_role("button", name="Hint", exact=True).click()
        page.get_by_role("button", name="Which rule?").wait_for()
        print(f"| {visit} | {played:.2f} | {ready:.1f} | {time.perf_counter() - begun:.2f} |", flush=True)
    foreign = {url for url in asked if not url.startswith((address, "data:", "blob:"))}
    print(f"\nrequests to other hosts: {len(foreign)} of {len(asked)}")
    context.close()


def answers(page: Any, address: str, puzzles: list[Puzzle]) -> None:
    """Solve, count and hint in a browser on the static page, and compare the counts with the command line."""
    counted = [count(puzzle) for puzzle in puzzles]
    page.goto(f"{address}nothing")
    begun = time.perf_counter()
    page.evaluate(WORKER)
    page.evaluate("() => ask('about', {})")
    loaded = time.perf_counter() - begun
    print(f"the worker by itself answers after {loaded:.1f} s, ", end="")
    print(f"in which the page takes {sum(renderer().cpu_times()[:2]):.1f} s of the processor")
    print_head(f"{len(puzzles)} puzzles in the browser, ms")
    alike = 0
    for verb, more in TIMED_VERBS.items():
        spent = []
        for puzzle, ours in zip(puzzles, counted, strict=True):
            since = time.perf_counter()
            answer = page.evaluate(
                "([v, b]) => ask(v, b)", [verb, {"puzzle": puzzle_request(puzzle), **more}]
            )
            spent.append(time.perf_counter() - since)
            assert answer["event"] == "result", answer
            if verb == "count":
                theirs = {key: int(n) for key, n in answer["data"]["exact"].items()}
                alike += theirs == {f"{key}s": n for key, n in ours.counts.items()}
        print(f"| {verb} | {quantiles(spent)} |", flush=True)
    print(f"\ncounts as ours: {alike} of {len(puzzles)}")
    print(f"memory of the page with its worker: {renderer().memory_info().rss / 1e6:.0f} MB")


def renderer() -> psutil.Process:
    """Return the page's process, the largest renderer of the browser."""
    own = psutil.Process(os.getpid()).children(recursive=True)
    pages = [process for process in own if "--type=renderer" in " ".join(process.cmdline())]
    return max(pages, key=lambda process: process.memory_info().rss)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    main()
