"""Two SAT solvers search side by side for all solutions; the second one is guided by what the first learns.

A proof that a large Sudoku has one solution takes each SAT solver that is independent of CaDiCaL as long as all
of CaDiCaL's search, or longer, and another solver can begin only once the solution is known. So the second
one begins with the first, and gets each short clause that it learns, as a suggestion: it assumes the opposite,
and adds the clause if it refutes that itself, with few conflicts. Its proof rests on nothing else, so it
remains independent, and it ends soon after the first one. The idea is that of a sketch of a proof (as in
Alama et al. 2015 on formal proofs); the clauses come from the proof that CaDiCaL writes while it searches, in
the binary DRAT format.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from milp_pips.engines.sat import DEFAULT_SAT_SOLVER, Search
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem import Deadline, Problem, SubDeadline
from milp_pips.runtime.executor import OwnProcess, Outcome
from milp_pips.runtime.interruptible import Limits
from milp_pips.runtime.worker import send_item
from milp_pips.runtime.writing import temporary_folder

SECOND_SOLVER = "sat"
"""The name of the second solver: PySAT's default."""

LONGEST_LESSON = 5
"""Most literals of a clause that is suggested. On the hardest of five Sudokus of 25 rows the second solver takes
15 to 16 s with 5 or 6 of them, 18 s with 3 and 20 s with 8; without any it takes 38 s or more."""

LESSON_CONFLICTS = 500
"""Conflicts that the second solver spends on a suggestion: of 33,000 it refutes 99 % with fewer."""

FILTER_CONFLICTS = 1_000
"""Conflicts that it spends on a value that filtering has removed: unit propagation suffices for nearly all."""

LEAST_LIMIT = 1.0
"""Least seconds that it may take once the first one has ended."""

POLL = 0.01
"""Seconds between two looks at a pipe that nothing has been written to."""

Point: TypeAlias = tuple[int, ...]


@dataclass
class TwoSearches:
    """What two solvers have found: the points in this order, at most two, which differ in the key.

    Whether the first solver, and the second one, have proven that there are no others. ``seconds`` are those
    of the clock until the first point.
    """

    statement: CnfEncoding
    points: list[Point] = field(default_factory=list)
    is_complete: bool = False
    is_confirmed: bool = False
    seconds: float = 0.0


def can_run() -> bool:
    """Return whether this system has the pipes that it takes."""
    return hasattr(os, "mkfifo")


def search_twice(problem: Problem, filtered: Problem, key: str, name: str, deadline: Deadline) -> TwoSearches:
    """Return what the solver of PySAT with this name finds in its own process, and the second one in this.

    The second one proves first that filtering has removed no value of a solution, so that its proof is one of
    the problem as it is stated. Once the first one has ended, it may take as long again.
    """
    begun, statement = time.perf_counter(), CnfEncoding(filtered, lambda: deadline.stop)
    found = TwoSearches(statement)
    keys = {statement.literal(v, a) for v in problem.keys[key] for a in filtered.variables[v].domain}
    keys.discard(statement.true)
    with _FirstSolver(name, statement, keys, deadline) as first:
        search = Search(DEFAULT_SAT_SOLVER, statement.clauses, statement.variables)
        is_sound, limit = _removes_no_solution(problem.node_consistent(), filtered, deadline), deadline
        excluded: set[frozenset[int]] = set()
        while len(excluded) < 2 and not deadline.stop:
            has_ended = first.has_ended  # looked up before the lessons, so that none comes later
            if has_ended and limit is deadline:
                limit = SubDeadline(deadline, LEAST_LIMIT + time.perf_counter() - begun)
            models = [first.models.get_nowait() for _ in range(first.models.qsize())]
            lessons = list(first.lessons())
            for lesson in lessons:
                if search.solve([-literal for literal in lesson], limit, LESSON_CONFLICTS) is False:
                    search.add(lesson)
            if not (lessons or models):
                if not has_ended:
                    time.sleep(POLL)
                    continue
                proven = search.solve((), limit) if first.is_complete else None
                if not proven:
                    found.is_confirmed = is_sound and proven is False
                    break
                models = [search.model()]
            for model in models:
                if (values := frozenset(keys.intersection(model))) not in excluded:
                    found.seconds = found.seconds or time.perf_counter() - begun
                    found.points.append(statement.decode(model))
                    excluded.add(values)
                    search.add(-literal for literal in values)
    found.is_complete = first.is_complete
    return found


def _removes_no_solution(stated: Problem, filtered: Problem, deadline: Deadline) -> bool:
    """Return whether the second solver proves of each removed value that no solution has it."""
    statement = CnfEncoding(stated, lambda: deadline.stop)
    search = Search(DEFAULT_SAT_SOLVER, statement.clauses, statement.variables)
    for v, (variable, left) in enumerate(zip(stated.variables, filtered.variables, strict=True)):
        for value in sorted({*variable.domain}.difference(left.domain)):
            literal = statement.literal(v, value)
            if search.propagate([literal]) is not None:
                if search.solve([literal], deadline, FILTER_CONFLICTS) is not False:
                    return False
                search.add([-literal])
    return True


class _FirstSolver:
    """The first solver, in a process of its own; a context manager, at whose end it is ended.

    ``models`` has its models. It writes its proof into a pipe, which a thread empties, so that it never waits.
    """

    def __init__(self, name: str, statement: CnfEncoding, keys: set[int], deadline: Deadline):
        self.models: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
        self.has_ended = False
        self.is_complete = False
        """Whether it has proven that there are no other models."""
        self._chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._rest = b""
        self._deadline = SubDeadline(deadline)
        arguments = (name, statement.clauses, statement.variables, keys)
        self._thread = threading.Thread(target=partial(self._run, arguments), daemon=True)

    def __enter__(self) -> _FirstSolver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._deadline.end()
        self._thread.join()

    def _run(self, arguments: tuple[object, ...]) -> None:
        with temporary_folder() as folder:
            os.mkfifo(pipe := os.path.join(folder, "proof"))
            # Open at once, and before the process is: to open it for writing waits for a reader.
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            reading = threading.Thread(target=self._read, args=(reader,), daemon=True)
            reading.start()
            try:
                with closing(OwnProcess()) as process:
                    outcome: Outcome[bool] = process.submit(
                        _search_with_proof, (*arguments, pipe), Limits(self._deadline), self.models.put
                    )
                self.is_complete = bool(outcome.value)
            finally:
                self._deadline.end()
                reading.join()
                self.has_ended = True

    def _read(self, reader: int) -> None:
        with os.fdopen(reader, "rb", buffering=0) as stream:
            while not self._deadline.ended:
                if chunk := stream.read(1 << 16):
                    self._chunks.put(chunk)
                else:  # nothing has been written, or the process has ended
                    time.sleep(POLL)

    def lessons(self) -> Iterator[Sequence[int]]:
        """Yield the short clauses of the proof since the last call.

        A step of the proof is ``a`` for an added clause or ``d`` for a deleted one, then its literals, then
        the byte 0, which is nowhere else. A literal is twice its variable, plus 1 if it is negative, in groups
        of 7 bits, the lowest first; in all bytes but the last one of a literal the highest bit is set.
        """
        chunks = [self._chunks.get_nowait() for _ in range(self._chunks.qsize())]
        *steps, self._rest = b"".join([self._rest, *chunks]).split(b"\0")
        for step in steps:
            if step[:1] == b"a" and 1 < len(step) <= 1 + 4 * LONGEST_LESSON:
                lesson, number, shift = list[int](), 0, 0
                for byte in step[1:]:
                    number |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        lesson.append(-(number >> 1) if number & 1 else number >> 1)
                        number = shift = 0
                if len(lesson) <= LONGEST_LESSON:
                    yield lesson


def _search_with_proof(
    name: str,
    clauses: Sequence[Sequence[int]],
    variables: int,
    keys: set[int],
    pipe: str,
    deadline: Deadline,
) -> bool:
    """Send a model of the clauses and one that differs from it in the keys; return whether there is none."""
    with open(pipe, "r+b", buffering=0) as proof:  # CaDiCaL refuses a file that it cannot read
        search = Search(name, clauses, variables, proof)
        for _ in range(2):
            if (has_model := search.solve((), deadline)) is not True:
                return has_model is False
            model = search.model()
            send_item(model)
            search.add(-literal for literal in keys.intersection(model))
    return False
