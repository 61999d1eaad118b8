"""One engine, one process: a fresh interpreter that calls one function and hands back what it returned.

The worker reads a pickled request from standard input and writes the pickled answer to a file; whatever
the engine prints goes elsewhere. It is killed a little after the deadline; if it dies, it has last words;
if whoever asked dies, it ends, too.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from milp_pips import plugins
from milp_pips.answer import Answer, Proof, Settings, Stop, Tally
from milp_pips.errors import EngineFault, UsageError
from milp_pips.problem import Problem
from milp_pips.process.children import greeting, python_command
from milp_pips.process.offspring import Offspring
from milp_pips.process.reaper import rely_on_starter
from milp_pips.process.scratch import temporary_folder
from milp_pips.process.watched import Ran, run_watched
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.milp import Model
    from milp_pips.solvers.contract import CountingSolver, SearchNode, TreeSolver

PR_SET_PDEATHSIG = 1
"""What Linux calls the signal that a process gets when whoever started it ends."""

OVERTIME = 0.5
"""Seconds past the deadline after which the worker is killed: it needs some to send its answer."""


class Reply(NamedTuple):
    """What a function returned in its worker, or None if the process ended before; and how it ended."""

    value: Any
    ran: Ran

    @property
    def last_words(self) -> str:
        """How a worker without a value ended; empty where it was told to stop."""
        return "" if self.ran.stop else last_words(self.ran.status, self.ran.errors)


def last_words(status: int, errors: str) -> str:
    """Return how an engine's process ended: its exit status or the signal, and the last line it printed."""
    died = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
    words = [line.strip() for line in errors.splitlines() if line.strip()]
    return f"the engine's process {died}" + (f": {words[-1]}" if words else "")


def ask_in_worker(name: str, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    """Return the answer of a solver that runs in a process of its own, within ``settings.memory``.

    Raises UsageError, as the solver does.
    """
    reply = _call_solver(_answer, name, (problem,), settings, watch)
    if reply.value is None:
        return Answer(None, Proof.NONE, reply.ran.stop or Stop.ERROR, message=reply.last_words)
    answer = cast("Answer", reply.value)
    if reply.ran.stop and isinstance(answer, Answer) and answer.stop is Stop.COUNT:
        return replace(answer, stop=reply.ran.stop)  # an engine that hears Ctrl-C itself calls it a limit
    return answer


def count_in_worker(name: str, problem: Problem, key: str, settings: Settings, watch: Watch) -> Tally:
    """Return what a solver counts that runs in a process of its own, within ``settings.memory``.

    Raises UsageError and EngineFault, the latter also if the process dies.
    """
    reply = _call_solver(_tally, name, (problem, key), settings, watch)
    if reply.value is None and reply.last_words:
        raise EngineFault(f"{name} failed: {reply.last_words}")
    return cast("Tally", reply.value or Tally(0, Proof.NONE, reply.ran.stop or Stop.ERROR))


def tree_in_worker(
    name: str, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, watch: Watch
) -> tuple[list[SearchNode], Stop]:
    """Return the tree of a solver that runs in a process of its own. Raises UsageError and EngineFault."""
    reply = _call_solver(_tree, name, (model, costs, limit), settings, watch)
    if reply.value is None and reply.last_words:
        raise EngineFault(f"{name} failed: {reply.last_words}")
    return cast("tuple[list[SearchNode], Stop]", reply.value or ([], reply.ran.stop or Stop.ERROR))


def _call_solver(
    function: Callable[..., object], name: str, what: tuple[Any, ...], settings: Settings, watch: Watch
) -> Reply:
    """Call a function below on a solver, found there by its name, within ``settings.memory``."""
    plain, _, variant = name.partition(":")
    where = plugins.location("milp_pips.solvers", plain)
    own = settings.changed(isolate=False)  # the worker needs no further process
    arguments = (where, variant, *what, own, watch.remaining)
    return call_in_worker(function, arguments, watch, memory=settings.memory, soften=OVERTIME)


def call_in_worker(
    function: Callable[..., object],
    arguments: tuple[Any, ...],
    watch: Watch,
    *,
    memory: int | None = None,
    soften: float = 0.0,
    run: Callable[..., Ran] = run_watched,
    then: Callable[[Any], object] = lambda _: None,
) -> Reply:
    """Call a function of a module in a fresh process and return its reply.

    Parameters
    ----------
    function, arguments
        What to call; both are pickled, the function by its name, and so is what it returns.
    watch
        Says when to stop.
    memory
        Bytes of resident memory that the process and what it starts may use; None for no limit.
    soften
        Seconds past the deadline that the process gets to answer.
    run
        What runs the process: ``run_watched``, or what takes the same and measures more.
    then
        Called with the reply's value as soon as the process has ended, while ``run`` may still be measuring.

    Raises
    ------
    UsageError
        As the function raises it.
    """
    with plugins.Blame("what a process of its own is to do cannot be handed over"):
        request = greeting() + pickle.dumps((function, arguments))
    with temporary_folder() as folder:
        file = os.path.join(folder, "reply")
        command = python_command("milp_pips.process.worker", file)
        value = None

        def take() -> None:
            nonlocal value
            value = _returned(file)
            then(value)

        ran = run(command, watch, feed=request, memory=memory, soften=soften, temporary=folder, ended=take)
    if isinstance(value, Exception):
        raise value
    return Reply(value, ran)


def _returned(file: str) -> Any:
    """Return what the function has returned or raised; None if its process ended before."""
    try:
        with open(file, "rb") as stream:
            return pickle.load(stream)
    except (OSError, EOFError, pickle.UnpicklingError):
        return None


def _answer(where: str, variant: str, problem: Problem, settings: Settings, seconds: float | None) -> Answer:
    """Return the answer of the solver found there; the worker's side of ``ask_in_worker``."""
    with Watch(seconds) as watch:
        return plugins.solver_at(where, variant).solve(problem, settings, watch)


def _tally(
    where: str, variant: str, problem: Problem, key: str, settings: Settings, seconds: float | None
) -> Tally:
    """Return what the solver found there counts; the worker's side of ``count_in_worker``."""
    with Watch(seconds) as watch:
        solver = cast("CountingSolver", plugins.solver_at(where, variant))
        return solver.count(problem, key, settings, watch)


def _tree(
    where: str,
    variant: str,
    model: Model,
    costs: Sequence[float] | None,
    limit: int,
    settings: Settings,
    seconds: float | None,
) -> tuple[list[SearchNode], Stop]:
    """Return the tree of the solver found there; the worker's side of ``tree_in_worker``."""
    with Watch(seconds) as watch:
        solver = cast("TreeSolver", plugins.solver_at(where, variant))
        return solver.tree(model, costs, limit, settings, watch)


def main(asker: int, file: str) -> None:
    """Call the function that is asked for on standard input, and write what it returns; the worker's side."""
    rely_on_starter()
    threading.Thread(target=end_with, args=(asker,), daemon=True).start()
    function, arguments = pickle.load(sys.stdin.buffer)
    try:
        value = function(*arguments)
    except UsageError as error:
        value = error
    partial = f"{file}.partial"
    with open(partial, "wb") as stream:
        pickle.dump(value, stream)
    os.replace(partial, file)
    os._exit(0)  # an engine that was told to stop may still be running in its thread


def end_with(asker: int) -> None:
    """End this process, and what it has started, when whoever asked has gone: nobody waits any more.

    Who was about to end this process has stopped it before, and may go before the end; so on Linux the kernel
    wakes it.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGCONT)
    while os.getppid() == asker:
        time.sleep(0.2)
    Offspring(os.getpid()).kill_started()
    os._exit(1)
