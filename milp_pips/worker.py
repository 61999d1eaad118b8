"""One engine, one process: a fresh interpreter that solves one problem and says what came of it.

The worker reads a pickled request from standard input and writes the pickled answer to a file; whatever
the engine prints goes elsewhere. It is killed a little after the deadline; if it dies, it has last words.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
from typing import Any

from milp_pips import plugins
from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.problem import Problem
from milp_pips.solvers.watched import Ran, run_watched
from milp_pips.watch import Watch

OVERTIME = 0.5
"""Seconds past the deadline after which the worker is killed."""


def ask_in_worker(
    name: str, problem: Problem, settings: Settings, watch: Watch, memory: int | None = None
) -> Answer:
    """Return the answer of a solver that runs in a process of its own.

    Parameters
    ----------
    name
        Name of the solver.
    problem, settings, watch
        As for every solver.
    memory
        Bytes of resident memory it may use, None for no limit.

    Raises
    ------
    UsageError
        As the solver raises it.
    """
    request = {
        "path": sys.path,
        "where": plugins.location("milp_pips.solvers", name.partition(":")[0]),
        "variant": name.partition(":")[2],
        "problem": problem,
        "settings": settings,
        "seconds": watch.remaining,
    }
    with tempfile.TemporaryDirectory() as folder:
        reply = os.path.join(folder, "reply")
        ran = run_watched(
            [sys.executable, "-m", "milp_pips.worker", reply],
            watch,
            feed=pickle.dumps(request),
            memory=memory,
            soften=OVERTIME,
        )
        try:
            with open(reply, "rb") as stream:
                answer = pickle.load(stream)
        except (OSError, EOFError, pickle.UnpicklingError):
            return Answer(None, Proof.NONE, ran.stop or Stop.ERROR, message=_last_words(ran))
    if isinstance(answer, Exception):
        raise answer
    assert isinstance(answer, Answer)
    return answer


def _last_words(ran: Ran) -> str:
    """Return how a worker without an answer ended."""
    if ran.stop is not None:
        return ""
    died = (
        f"was killed by {signal.Signals(-ran.status).name}" if ran.status < 0 else f"ended with {ran.status}"
    )
    words = [line.strip() for line in ran.errors.splitlines() if line.strip()]
    return f"the engine's process {died}" + (f": {words[-1]}" if words else "")


def main() -> None:
    """Answer the request on standard input; the worker's side."""
    request: dict[str, Any] = pickle.load(sys.stdin.buffer)
    sys.path[:] = request["path"]
    answer: Answer | Exception
    with Watch(request["seconds"]) as watch:
        try:
            solver = plugins.made(request["where"], request["variant"])
            answer = solver.solve(request["problem"], request["settings"], watch)
        except UsageError as error:
            answer = error
    partial = f"{sys.argv[1]}.partial"
    with open(partial, "wb") as stream:
        pickle.dump(answer, stream)
    os.replace(partial, sys.argv[1])
    os._exit(0)  # an engine that was told to stop may still be running in its thread


if __name__ == "__main__":
    main()
