"""Leftovers: commands, workers and servers killed with -9, and clients that go away, while engines work."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil
from frame import Case, Failure
from processes import child_processes
from programs import Program
from web_server import Server, has_ended

import milp_pips
from milp_pips.puzzles.pips import text as pips_text

LIMIT = 240
GOAL = "ends", 60
LATE = 3.0
"""Seconds after which nothing may be left."""
ENGINES = ("cbc", "clingo", "cp-sat", "cpmpy", "highs", "minizinc", "pulp", "pyomo", "scip", "sat")


def prepare(folder: Path, seed: int) -> None:
    """Write a puzzle that keeps most engines busy."""
    made = next(milp_pips.generate(dominoes=400, seed=seed, rules="SUM=5,EQ=4,NEQ=1,LT=1,GT=1,none=1"))
    (folder / "large.txt").write_text(pips_text.write(made.puzzle), "utf-8")


def run(case: Case) -> None:
    (_a_command, _a_worker, _a_server, _clients)[case.number % 4](case)


def _a_command(case: Case) -> None:
    """Kill a command at a random moment."""
    engine = case.random.choice(ENGINES)
    words = case.random.choice(
        (
            ["solve", "--solver", engine],
            ["solve", "--isolate", "--solver", engine],
            ["enumerate", "--quiet", "--method", "partition", "--jobs", "2", "--solver", "cbc"],
            ["compare", "--run", engine, "--out", "r.sqlite"],
            ["compare", "--run", "cbc", "--out", "r.sqlite", "--scheduler", "local", "--workers", "1"],
        )
    )
    program = _started(case, [*words, str(case.shared / "large.txt")])
    if program is None:
        return
    program.send(signal.SIGKILL)
    _wait_for(case, lambda: program.processes, f"a killed {words[0]}", program.words)


def _a_worker(case: Case) -> None:
    """Kill the worker of a command that goes on: the programs of the worker must end."""
    engine = case.random.choice(("cbc", "minizinc", "pulp"))
    program = _started(case, ["solve", "--isolate", "--solver", engine, str(case.shared / "large.txt")])
    if program is None:
        return
    workers = child_processes("runtime.worker", of=program.process.pid)
    programs = [each for one in workers for each in one.children(recursive=True)]
    for each in workers:
        each.kill()
    _wait_for(case, lambda: [p for p in programs if not has_ended(p)], "a killed worker", program.words)
    program.end()


def _started(case: Case, words: list[str]) -> Program | None:
    """Return a command that has run for a while; None if it has ended."""
    moment = case.random.uniform(0.1, 5)
    case.note(f"{words}, after {moment:.3f} s")
    program = Program(words, case.folder)
    if program.wait(moment) is None:
        return program
    program.end()
    case.counts["ended before the kill"] += 1
    return None


def _a_server(case: Case) -> None:
    """Kill the server while two engines work."""
    server, connections = _busy_server(case)
    running = server.workers | set(psutil.Process(server.process.pid).children(recursive=True))
    server.process.kill()
    _wait_for(case, lambda: [p for p in running if not has_ended(p)], "a killed server", [])
    for each in connections:
        each.close()
    server.process.communicate()


def _clients(case: Case) -> None:
    """Close the connections while two engines work."""
    server, connections = _busy_server(case)
    running, programs = server.workers, set(server.programs)
    for each in connections:
        each.close()
    try:
        # A worker that had not begun, or whose engine had ended, waits for the next request.
        _wait_for(
            case,
            lambda: [p for p in running if not has_ended(p) and (p in programs or _works(p))],
            "clients that went",
            [],
        )
    finally:
        server.process.kill()
        server.process.communicate()


def _works(process: psutil.Process) -> bool:
    """Whether a process takes processor time."""
    with suppress(psutil.Error):
        before = sum(process.cpu_times()[:2])
        time.sleep(0.2)
        return sum(process.cpu_times()[:2]) > before
    return False


def _busy_server(case: Case):
    engines = case.random.sample(ENGINES, 2)
    case.note(f"a server with {engines}")
    server = Server(case.folder, "--workers", "2")
    text = (case.shared / "large.txt").read_text("utf-8")
    bodies = [
        {"puzzle": {"text": text, "name": "large"}, "engine": engine, "seconds": 600} for engine in engines
    ]
    connections = [server.begin("solve", body) for body in bodies]
    time.sleep(case.random.uniform(0.1, 8))
    return server, connections


def _wait_for(case: Case, left, what: str, words: list[str]) -> None:
    """Wait until nothing is left; more than ``LATE`` is a failure."""
    begun = time.monotonic()
    while (found := left()) and time.monotonic() - begun < LATE:
        time.sleep(0.01)
    case.measures[f"seconds after {what}"].append(time.monotonic() - begun)
    case.counts["ends"] += 1
    if found:
        said = []
        for each in found:
            with suppress(psutil.Error):
                said.append(" ".join(each.cmdline())[:200])
            with suppress(psutil.Error):
                each.kill()
        raise Failure(f"{what} leaves processes", command=words, left=said)
