"""The task ``prove``: write a certificate of all solutions, or of their number, that a stranger can check.

The certificate rests on the plain rules of ``puzzle.json``, which ``milp_pips.verification.verify`` reads and
turns into clauses. The engines that list the solutions, and the one that refutes any other, need no trust.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from milp_pips.compilation.limits import Unfinished
from milp_pips.engines.defaults import assumption_solver
from milp_pips.engines.registry import available
from milp_pips.problem import VERSION
from milp_pips.problem.answer import Settings, Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.parameters import Parameter, one_of
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import known_key
from milp_pips.runtime.writing import try_directory, write_errors, write_file
from milp_pips.tasks.enumerate import solutions
from milp_pips.tasks.pipeline import Prepared, find_point, prepare, puzzle_of, rules_for
from milp_pips.verification.verify import (
    CERTIFICATE_JSON,
    FORMAT,
    FORMULA_CNF,
    PROOF_DRAT,
    PUZZLE_JSON,
    SOLUTIONS_JSONL,
    Formula,
    Proved,
    Refused,
    Statement,
    Watch,
    count,
    formula_of,
    given_formula,
    statement_of,
    verify,
)

if TYPE_CHECKING:
    from milp_pips.engines.contract import AssumingSolver, RefutingSolver
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

KINDS = ("list", "count")
PROOF_PARAMETERS = (
    Parameter(
        "--kind KIND",
        "list: all solutions, and a refutation of any other; count: an order of the cells, by which the "
        "checker counts again (default: list)",
        one_of(KINDS),
        "list",
    ),
)

MOST_LISTED = 10_000
"""The most solutions of a list. More are better counted: the checker reads each of them."""

STATES_OF_ORDERS = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
"""The most states after a cell. All orders are tried with the first limit, then with the next."""


def prove(
    puzzle: Puzzle | Problem,
    folder: str | os.PathLike[str],
    *,
    kind: str = "list",
    distinct: str = "",
    seconds: float | None = None,
    deadline: Deadline | None = None,
) -> Proved:
    """Write a certificate into a new folder, check it, and return what it proves.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    folder
        The folder, which is made, or is empty.
    kind
        ``list`` for all solutions, ``count`` for their number alone.
    distinct
        The key by which solutions are different; empty for the first key.
    seconds, deadline
        The time limit for everything, or a deadline that is running already.

    Raises
    ------
    UsageError
        If there are more than ``MOST_LISTED`` solutions to list, or the family of the puzzle has no plain
        rules for a count.
    Unfinished
        If the time is over, or every order of the cells takes too many states.
    InputError, OutputError
        If the folder is not empty, or cannot be written.
    EngineFault
        If an engine contradicts the plain rules, or the certificate is refused.
    """
    puzzle, path = puzzle_of(puzzle, "prove"), os.fspath(folder)
    one_of(KINDS).check("kind", kind)
    _require_empty(path)
    with running_deadline(deadline, seconds) as deadline:
        prepared = prepare(puzzle, rules_for(Settings()), deadline=deadline)
        key, watch = known_key(prepared.problem, distinct), _Watch(deadline)
        find = _count if kind == "count" else _list
        try:
            members, files = find(prepared, key, deadline, watch)
            hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
            head = {"format": FORMAT, "made_by": f"milp-pips {VERSION}", "kind": kind, "key": key}
            files[CERTIFICATE_JSON] = json.dumps({**head, **members, "sha256": hashes}, indent=1) + "\n"
            for name, text in files.items():
                write_file(os.path.join(path, name), text)
            return verify(Path(path), watch)
        except Refused as fault:
            raise EngineFault(f"the certificate of {puzzle.name} is refused: {fault}") from None


Certificate: TypeAlias = tuple[dict[str, Any], dict[str, str]]
"""Members of the manifest, and the texts of the other files by name."""


def _lines_of(plain: Mapping[str, Any]) -> str:
    """Return JSON with a line for each member and each item of a list, for people to read."""
    members = []
    for name, value in plain.items():
        if isinstance(value, list) and value:
            items = ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in value)
            members.append(f'"{name}": [\n  {items}\n ]')
        else:
            members.append(f'"{name}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n " + ",\n ".join(members) + "\n}\n"


class _Watch(Watch):
    """The deadline of the task, for the functions of the checker."""

    def __init__(self, deadline: Deadline):
        self._deadline = deadline

    def check(self) -> None:
        """Raise Unfinished after the deadline."""
        _require_time(self._deadline)


def _require_time(deadline: Deadline) -> None:
    if stop := deadline.stop:
        raise Unfinished(f"no certificate; stop: {stop}", stop)


def _plain(prepared: Prepared) -> dict[str, Any] | None:
    return prepared.family.plain(prepared.puzzle) if prepared.family.plain else None


def _require_empty(path: str) -> None:
    with write_errors(path, "cannot write here"):
        if os.path.isdir(path) and os.listdir(path):
            raise InputError("the folder is not empty", path, expected="a new folder for the certificate")
    try_directory(path)


# A count: the order of the cells.


def _count(prepared: Prepared, key: str, _deadline: Deadline, watch: Watch) -> Certificate:
    """Return the number of solutions, and the order of the cells that counts them with few states."""
    plain = _plain(prepared)
    if plain is None:
        raise UsageError(f"a count of {prepared.family.name} cannot be certified; prove a list")
    statement = statement_of(plain)
    orders = list(_orders(prepared, statement))
    for most in STATES_OF_ORDERS:
        for order in orders:
            try:
                solutions = count(statement, order, key, watch, most)[0]
                return {"solutions": solutions, "order": order}, {PUZZLE_JSON: _lines_of(plain)}
            except Refused:  # too many states, or not the order of a rule
                continue
    raise Unfinished(f"every order of the cells takes more than {most} states; prove a list", Stop.MEMORY)


def _orders(prepared: Prepared, statement: Statement) -> Iterator[list[int]]:
    """Yield orders of the cells: as they are, by columns, along both diagonals, and along the rules."""
    cells = range(len(statement.values))
    yield list(cells)
    drawn = prepared.family.draw(prepared.puzzle, None).places
    places: list[Any] = [drawn.get(cell) for cell in cells]
    if all(isinstance(place, tuple) and len(place) == 2 for place in places):
        for rank in (
            [(c, r) for r, c in places],
            [(r + c, r) for r, c in places],
            [(r - c, r) for r, c in places],
        ):
            yield sorted(cells, key=rank.__getitem__)
    beside: list[set[int]] = [set() for _ in cells]
    for group in (*statement.edges, *(rule.cells for rule in statement.rules)):
        for cell in group:
            beside[cell].update(group)
    for start in sorted(cells, key=lambda cell: len(beside[cell]))[:8]:
        yield _along(start, beside)


def _along(start: int, beside: Sequence[set[int]]) -> list[int]:
    """Return the cells so that few of those read have an unread cell beside them (greedily)."""
    order, open_cells, left = list[int](), {start}, set(range(len(beside)))
    while left:
        cell = min(open_cells & left or left, key=lambda one: (len(beside[one] & left - open_cells), one))
        order.append(cell)
        left.remove(cell)
        open_cells |= beside[cell]
    return order


# A list: the solutions, the formula without them, and its refutation.


def _list(prepared: Prepared, key: str, deadline: Deadline, watch: Watch) -> Certificate:
    """Return all solutions, the formula that excludes them, and its refutation."""
    points, plain = sorted(_points(prepared, key, deadline)), _plain(prepared)
    if plain is None:
        plain, models = _encoded(prepared.problem, key, points, deadline)
        lines: list[dict[str, Any]] = [{"model": model} for model in models]
        formula = given_formula(plain, map(set, models))
    else:
        statement = statement_of(plain)
        cells = len(statement.values)
        both = [(point[:cells], point[cells:]) for point in points]
        lines = [{"values": values, **({"partners": other} if other else {})} for values, other in both]
        formula = formula_of(statement, key, both, watch)
    return {"solutions": len(points)}, {
        PUZZLE_JSON: _lines_of(plain),
        SOLUTIONS_JSONL: "".join(f"{json.dumps(line)}\n" for line in lines),
        FORMULA_CNF: formula.dimacs(),
        PROOF_DRAT: _refutation(formula, deadline),
    }


def _points(prepared: Prepared, key: str, deadline: Deadline) -> Iterator[tuple[int, ...]]:
    """Yield a point for each solution. Values outside the key come from an engine."""
    found = solutions(prepared.puzzle, distinct=key, limit=MOST_LISTED + 1, deadline=deadline)
    for solution in found:
        point = prepared.point_of(solution)
        if prepared.problem.blank in point:
            board = {v: value for v, value in enumerate(point) if value != prepared.problem.blank}
            rest = prepare(prepared.puzzle, rules_for(Settings()), board, deadline)
            answer = find_point(rest, "", Settings(), deadline).answer
            _require_time(deadline)
            if answer.point is None:
                raise EngineFault(f"{prepared.puzzle.name}: no solution has the listed values")
            point = tuple(answer.point)
        yield point
        if found.found > MOST_LISTED:
            raise UsageError(f"there are more than {MOST_LISTED} solutions to list; prove a count")
    if found.summary is None or not found.summary.complete:
        raise Unfinished("no certificate: the list is not complete", deadline.stop or Stop.TIME)


def _encoded(
    problem: Problem, key: str, points: Iterable[Sequence[int]], deadline: Deadline
) -> tuple[dict[str, Any], list[list[int]]]:
    """Return a problem as clauses of our own encoding, and a model for each point."""
    from milp_pips.formulations.cnf import CnfEncoding

    encoding = CnfEncoding(problem)
    literals = [
        {value: encoding.literal(v, value) for value in variable.domain}
        for v, variable in enumerate(problem.variables)
    ]
    search, models = cast("AssumingSolver", available(assumption_solver())).load(encoding, deadline), []
    for point in points:
        if not search.solve([literals[v][value] for v, value in enumerate(point)], deadline):
            _require_time(deadline)
            raise EngineFault("a solution is not a model of its encoding")
        models.append([literal for literal in search.model() if literal > 0])
    plain = {
        "family": "clauses",
        "name": problem.name,
        "variables": encoding.variables,
        "key": [literal for v in problem.keys[key] for literal in literals[v].values()],
        "meaning": {
            problem.variables[v].name: {
                problem.written(value, v): literal for value, literal in named.items()
            }
            for v, named in enumerate(literals)
        },
        "clauses": [list(clause) for clause in encoding.clauses],
    }
    return plain, models


def _refutation(formula: Formula, deadline: Deadline) -> str:
    """Return a proof that the formula has no model. Raises EngineFault if it has one."""
    solver = cast("RefutingSolver", available(assumption_solver()))
    proof = solver.refute(formula.clauses, formula.variables, deadline)
    if proof is None:
        raise EngineFault("the list of solutions is not complete: the plain rules allow another")
    _require_time(deadline)
    return proof
