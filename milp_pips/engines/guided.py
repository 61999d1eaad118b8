"""Two SAT solvers search for all solutions side by side, the second one guided by what the first one learns.

To prove that a large Sudoku has no other solution, a solver that is independent of CaDiCaL takes as long as
all of CaDiCaL's search or longer, and it can begin only once the solution is known. So the second solver
begins with the first one, and each short clause that this learns is a suggestion: the second one assumes its
opposite, and adds the clause if it refutes that within few conflicts. Its proof rests on nothing else, so it
remains independent, and it ends soon after the first one. CaDiCaL's clauses are read from the proof that it
writes while it searches, in the binary DRAT format (Wetzler, Heule and Hunt 2014).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from milp_pips.engines.portfolio import ONE_BY_ONE
from milp_pips.engines.sat import SatSolver, Search
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem import Deadline, MilpPipsError, Problem, SubDeadline
from milp_pips.runtime.executor import Outcome, OwnProcess
from milp_pips.runtime.interruptible import Limits
from milp_pips.runtime.worker import send_item
from milp_pips.runtime.writing import temporary_folder

CAN_RUN = hasattr(os, "mkfifo") and not ONE_BY_ONE
"""Whether this system has what it takes: named pipes, threads and processes."""

SECOND_SOLVER = SatSolver()
"""The second solver, PySAT's default. Its proofs are independent of CaDiCaL's."""

LONGEST_LESSON = 5
"""Most literals of a suggestion. On the hardest of five Sudokus of 25 rows the second solver takes 15 s with
5 of them and 18 s with 3 or 8. Glucose takes 22 s with them and 38 s without."""

LESSON_CONFLICTS = 2_000
"""Conflicts that the second solver spends on a suggestion, most of which take far fewer. Where the others are
left undecided after 100 or 500 conflicts, that Sudoku takes 27 or 19 s, and 16 s with 2,000."""

FILTER_CONFLICTS = 1_000
"""Conflicts that it spends on a value that filtering has removed: nearly all need none."""

LEAST_SECONDS_AFTER = 1.0
"""Least seconds that it may take once the first one has ended."""

PROOF_POLL = 0.01
"""Seconds between two looks for what the first one has written."""


class TwoSearches(NamedTuple):
    """What two solvers have found.

    Parameters
    ----------
    points
        Two points that differ in the key, or the only one that is known.
    is_complete, is_confirmed
        Whether the first solver, and the second one, have proven that there are no others.
    size
        The numbers of variables and clauses.
    seconds
        Seconds by the clock until the first point.
    """

    points: Sequence[tuple[int, ...]]
    is_complete: bool
    is_confirmed: bool
    size: dict[str, int]
    seconds: float


def search_twice(problem: Problem, filtered: Problem, key: str, name: str, deadline: Deadline) -> TwoSearches:
    """Return what PySAT's solver with this name finds in its own process, and the default one in this.

    The latter proves first that filtering has removed no solution, so its proof is one of the problem as it
    is stated. Once the first solver has ended, it may take as long again.
    """
    begun, statement = time.perf_counter(), CnfEncoding(filtered, lambda: deadline.stop)
    keys = {statement.literal(v, a) for v in problem.keys[key] for a in filtered.variables[v].domain}
    keys.discard(statement.true)
    points: dict[frozenset[int], tuple[int, ...]] = {}
    limit, is_confirmed, seconds = deadline, False, 0.0
    with _FirstSolver(name, statement, keys, deadline) as first:
        search = Search(SECOND_SOLVER.engine, statement.clauses, statement.variables)
        is_sound = _removes_no_solution(problem.node_consistent(), filtered, deadline)
        while len(points) < 2:
            # Looked up first: no point comes later, and all before its end are taken, also when time is over.
            has_ended, is_complete = first.has_ended, first.is_complete
            if has_ended and limit is deadline:
                limit = SubDeadline(deadline, LEAST_SECONDS_AFTER + time.perf_counter() - begun)
            model, lesson = _next(first.models), _next(first.lessons)
            if deadline.stop and not model:
                break
            if lesson:
                if search.solve([-literal for literal in lesson], limit, LESSON_CONFLICTS) is False:
                    search.add(lesson)
            elif not (model or has_ended):
                time.sleep(PROOF_POLL)
            elif not model:
                found = search.solve((), limit) if is_complete else None
                if not found:
                    is_confirmed = is_sound and found is False
                    break
                model = search.model()
            if model and (values := frozenset(keys.intersection(model))) not in points:
                seconds = seconds or time.perf_counter() - begun
                points[values] = statement.decode(model)
                search.add(-literal for literal in values)
    size = {"columns": statement.variables, "rows": len(statement.clauses)}
    return TwoSearches([*points.values()], is_complete, is_confirmed, size, seconds)


def _removes_no_solution(stated: Problem, filtered: Problem, deadline: Deadline) -> bool:
    """Return whether the second solver proves of each removed value that no solution has it."""
    statement = CnfEncoding(stated, lambda: deadline.stop)
    search = Search(SECOND_SOLVER.engine, statement.clauses, statement.variables)
    for v, (before, after) in enumerate(zip(stated.variables, filtered.variables, strict=True)):
        for value in sorted({*before.domain}.difference(after.domain)):
            literal = statement.literal(v, value)
            if search.propagate([literal]) is not None:
                if search.solve([literal], deadline, FILTER_CONFLICTS) is not False:
                    return False
                search.add([-literal])
    return True


class _FirstSolver:
    """The first solver in a process of its own; a context manager, at whose end it is ended.

    ``models`` has its models, and ``lessons`` the short clauses that it has learnt.
    """

    def __init__(self, name: str, statement: CnfEncoding, keys: set[int], deadline: Deadline):
        self.models: SimpleQueue[list[int]] = SimpleQueue()
        self.lessons: SimpleQueue[list[int]] = SimpleQueue()
        self.has_ended, self.is_complete = False, False
        self._process_ended, self._deadline = threading.Event(), SubDeadline(deadline)
        arguments = (name, statement.clauses, statement.variables, keys)
        self._thread = threading.Thread(target=self._run, args=arguments, daemon=True)

    def __enter__(self) -> _FirstSolver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._deadline.end()
        self._thread.join()

    def _run(self, *arguments: Any) -> None:
        try:
            with temporary_folder() as folder:
                self.is_complete = self._search(os.path.join(folder, "proof"), *arguments)
        except (OSError, MilpPipsError):  # as where no pipe can be made: the usual way follows, and says why
            pass
        finally:
            self.has_ended = True

    def _search(self, pipe: str, *arguments: Any) -> bool:
        """Return whether the solver proves that it has found all; its proof goes through a named pipe."""
        os.mkfifo(pipe)
        # Without waiting for the process, which may end before it opens the pipe.
        stream = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        reading = threading.Thread(target=self._read, args=(stream,), daemon=True)
        reading.start()
        try:
            with closing(OwnProcess()) as process:
                call = (_search_with_proof, (*arguments, pipe), Limits(self._deadline), self.models.put)
                outcome: Outcome[bool] = process.submit(*call)
        finally:
            self._process_ended.set()
            reading.join()
        return bool(outcome.value)

    def _read(self, pipe: int) -> None:
        """Read the proof until the process has ended; put short lessons into the queue.

        A step of the proof is ``a`` for an added clause or ``d`` for a deleted one, its literals, and the
        byte 0, which is nowhere else.
        """
        rest = b""
        with os.fdopen(pipe, "rb", buffering=0) as stream:
            while (chunk := stream.read(1 << 16)) or not self._process_ended.is_set():
                if not chunk:
                    time.sleep(PROOF_POLL)
                    continue
                *steps, rest = (rest + chunk).split(b"\0")
                for step in steps:
                    is_short = step.startswith(b"a") and 1 < len(step) <= 1 + 4 * LONGEST_LESSON
                    if is_short and len(lesson := _literals(step[1:])) <= LONGEST_LESSON:
                        self.lessons.put(lesson)


def _literals(code: Iterable[int]) -> list[int]:
    """Return the literals of a step of a proof.

    The code of a literal is twice its variable, plus 1 if it is negative, in groups of 7 bits, the lowest
    first. The highest bit of each byte is set if another one follows.
    """
    literals, number, shift = list[int](), 0, 0
    for byte in code:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            literals.append(-(number >> 1) if number & 1 else number >> 1)
            number = shift = 0
    return literals


def _next(waiting: SimpleQueue[list[int]]) -> list[int] | None:
    with suppress(Empty):
        return waiting.get_nowait()
    return None


def _search_with_proof(
    name: str, clauses: Sequence[Sequence[int]], variables: int, keys: set[int], pipe: str, deadline: Deadline
) -> bool:
    """Send a model of the clauses and another one that differs in the keys; return whether one is missing."""
    with open(pipe, "r+b", buffering=0) as proof:  # CaDiCaL refuses a file that it may not read
        search = Search(name, clauses, variables, proof)
        for _ in range(2):
            if (has_model := search.solve((), deadline)) is not True:
                return has_model is False
            model = search.model()
            send_item(model)
            search.add(-literal for literal in keys.intersection(model))
    return False
