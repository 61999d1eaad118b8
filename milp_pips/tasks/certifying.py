"""Write certificates of what is known: all solutions, their number, or a best one; and check them.

The certificate rests on the plain rules of ``puzzle.json``, which ``milp_pips.verification.verify`` reads and
turns into clauses. The engines that list the solutions, and the one that refutes any other, need no trust.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import prod
from pathlib import Path
from typing import Any, TypeAlias, cast

from milp_pips.algorithms.connectivity import linked_by_values
from milp_pips.compilation.limits import Unfinished
from milp_pips.engines.contract import AssumingSolver, RefutingSolver
from milp_pips.engines.defaults import assumption_solver
from milp_pips.engines.registry import available
from milp_pips.problem import VERSION
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.parameters import one_of
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import known_key
from milp_pips.runtime.writing import try_directory, write_errors, write_file
from milp_pips.tasks.pipeline import find_point
from milp_pips.tasks.query import Prepared, Run
from milp_pips.verification import PROGRAM
from milp_pips.verification import verify as checker
from milp_pips.verification.verify import Count, Domains, Formula, Proved, Refused, Statement, Watch, filtered

KINDS = ("list", "count", "optimum")


def certify(
    prepared: Prepared,
    folder: str | os.PathLike[str],
    kind: str,
    deadline: Deadline,
    distinct: str = "",
    points: Iterable[Sequence[int]] | None = None,
) -> Proved:
    """Write and check a certificate, see ``prove``; ``points`` are all solutions, or a best one."""
    one_of(KINDS).check("kind", kind)
    prover = Prover(prepared, known_key(prepared.problem, distinct), deadline)
    find = {"list": prover.list_all, "count": prover.count, "optimum": prover.find_best}[kind]
    files: dict[str, str] = {}
    try:
        members, files = find(None if points is None else list(points))
        hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
        head = {"format": checker.FORMAT, "made_by": f"milp-pips {VERSION}", "kind": kind, "key": prover.key}
        files[checker.CERTIFICATE_JSON] = json.dumps({**head, **members, "sha256": hashes}, indent=1) + "\n"
        files[PROGRAM] = Path(checker.__file__).read_text(encoding="utf-8")
        for name, text in files.items():
            write_file(os.path.join(folder, name), text)
        return checker.verify(Path(folder), prover.watch)
    except Refused as fault:
        if not files:  # nothing is written: the checker cannot read the puzzle
            raise UsageError(f"{prepared.puzzle.name}: nothing can be proved: {fault}") from None
        raise EngineFault(f"the certificate of {prepared.puzzle.name} is refused: {fault}") from None
    except BaseException:
        for name in files:
            with suppress(OSError):
                os.remove(os.path.join(folder, name))
        raise


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


class TaskWatch(Watch):
    """The deadline of the task, for the functions of the checker."""

    def __init__(self, deadline: Deadline):
        self._deadline = deadline

    def check(self, *_: object) -> None:
        """Raise Unfinished after the deadline."""
        require_time(self._deadline)


def require_time(deadline: Deadline) -> None:
    """Raise Unfinished after the deadline."""
    if stop := deadline.stop:
        raise Unfinished(f"no certificate; stop: {stop}", stop)


@contextmanager
def certificate_folder(folder: str | os.PathLike[str], unfinished: str = "") -> Iterator[None]:
    """Make the folder of a certificate, and remove it at the end if no certificate was written.

    A folder with a file of the name ``unfinished`` may have others, too. Raises InputError or OutputError if
    it is not a place for a new certificate.
    """
    place, made = os.path.abspath(folder), list[str]()
    while not os.path.exists(place):
        made.append(place)
        place = os.path.dirname(place)
    try:
        if not (unfinished and os.path.exists(os.path.join(folder, unfinished))):
            _require_empty(os.fspath(folder))
        yield
    finally:
        with suppress(OSError):  # the first one that is not empty
            for each in made:
                os.rmdir(each)


def _require_empty(path: str) -> None:
    with write_errors(path, "cannot write here"):
        if os.path.isdir(path) and os.listdir(path):
            raise InputError("the folder is not empty", path, expected="a new folder for the certificate")
    try_directory(path)


KnownPoints: TypeAlias = Sequence[Sequence[int]] | None
"""All solutions, or a best one; None if they are not known."""


class Prover:
    """Finds the certificates of a puzzle.

    Its methods take all solutions, or a best one, if these are known. They raise Unfinished after the
    deadline, and UsageError for what cannot be certified.
    """

    def __init__(self, prepared: Prepared, key: str, deadline: Deadline):
        self._prepared, self.key, self._deadline = prepared, key, deadline
        self.watch = TaskWatch(deadline)
        family = prepared.family
        self._plain = family.plain(prepared.puzzle) if family.plain else None

    def list_all(self, points: KnownPoints) -> Certificate:
        """Return all solutions, the formula that excludes them, and its refutation."""
        if self._plain is not None:
            return self._refuting(self._plain, points or ())
        plain, models = _encoded(self._prepared.problem, self.key, points or (), self._deadline)
        return self._files(
            plain, [{"model": model} for model in models], checker.given_formula(plain, map(set, models))
        )

    def _refuting(
        self, plain: dict[str, Any], points: Sequence[Sequence[int]], best: bool = False
    ) -> Certificate:
        """Return the solutions, the formula of all others, or of all better ones, and its refutation."""
        statement = checker.statement_of(plain, self.key)
        cells = len(statement.values)
        if best:
            plain["objective"] = _goal(self._prepared, cells)
            statement = checker.statement_of(plain, self.key)
        solutions = [(point[:cells], point[cells:]) for point in points]
        lines = [
            {"values": values, **({"partners": partners} if partners else {})}
            for values, partners in solutions
        ]
        value = statement.goal.value(solutions[0]) if best and statement.goal else None
        formula = checker.formula_of(statement, self.key, [] if best else solutions, self.watch, value)
        return self._files(plain, lines, formula)

    def _files(self, plain: Mapping[str, Any], lines: Sequence[Any], formula: Formula) -> Certificate:
        return {"solutions": len(lines)}, {
            checker.PUZZLE_JSON: _lines_of(plain),
            checker.SOLUTIONS_JSONL: "".join(f"{json.dumps(line)}\n" for line in lines),
            checker.FORMULA_CNF: formula.dimacs(),
            checker.PROOF_DRAT: _refutation(formula, self._deadline),
        }

    def count(self, _points: KnownPoints) -> Certificate:
        """Return the number of solutions, and the division that counts them with few states."""
        family, plain = self._prepared.family, self._plain
        if plain is None:
            raise UsageError(f"a count of {family.name} cannot be certified; prove a list")
        statement = checker.statement_of(plain, self.key)
        drawn = family.draw(self._prepared.puzzle, None).places
        places = [drawn.get(cell) for cell in range(len(statement.values))]
        division, number = find_division(statement, self.key, places, self.watch)
        return {"solutions": number, "division": division}, {checker.PUZZLE_JSON: _lines_of(plain)}

    def find_best(self, points: KnownPoints) -> Certificate:
        """Return a best solution, the formula of all better ones, and its refutation."""
        name = self._prepared.family.name
        if self._prepared.problem.objective is None:
            raise UsageError("an optimum needs an objective: what to maximise or minimise")
        if self._plain is None:
            raise UsageError(f"an optimum of {name} cannot be certified: it has no plain rules")
        if points is None:
            answer = find_point(self._prepared, Run(deadline=self._deadline))
            require_time(self._deadline)
            if answer.point is None:
                raise UsageError("there is no solution, so none is best: prove a list")
            points = [answer.point]
        return self._refuting(self._plain, points, best=True)


def _goal(prepared: Prepared, cells: int) -> dict[str, Any]:
    """Return the objective as plain data: pairs of a cell and its value, and edges on which a domino lies."""
    objective = prepared.problem.objective
    assert objective is not None
    values, edges = [], Counter[tuple[int, int]]()
    for v, value, weight in objective.terms:
        if v < cells:
            values.append((v, value, weight))
        else:
            edges[min(v - cells, value), max(v - cells, value)] += weight
    return {
        "words": str(objective),
        "sense": objective.sense,
        "constant": objective.constant,
        "scale": objective.scale,
        "values": values,
        "dominoes": [(*edge, weight) for edge, weight in edges.items()],
    }


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
            require_time(deadline)
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
        raise EngineFault("the plain rules allow another solution, or a better one")
    require_time(deadline)
    return proof


# A count: the checker counts by an order of the cells, or by a division into parts (``verify.Count``). These
# functions search for one with the checker's own code, so that it accepts what they find.

STATES_OF_ORDERS = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
"""The most states of a count in order. All orders are tried with the first limit, then with the next."""

MOST_DIVIDED_STATES, STATES_OF_PARTS, MOST_COUNT_PARTS = 16_000, 1_000, 1_000
"""A puzzle without dominoes is divided if no order takes so few states; the most states of each part, and the
most parts."""


def find_division(statement: Statement, key: str, places: Sequence[Any], watch: Watch) -> tuple[Any, int]:
    """Return an order or a division that counts the solutions of a statement, and their number.

    ``places`` has the place of each cell on the board, None if there is none. Raises Unfinished if every way
    takes too many states, or what the watch raises.
    """
    domains, cells = filtered(statement, statement.values, watch), range(len(statement.values))
    orders = list(_orders(statement, places))
    for most in STATES_OF_ORDERS:
        if most > MOST_DIVIDED_STATES and statement.dominoes is None:
            return _DivisionSearch(statement, key, orders, watch).divide(domains, cells)
        for order in orders:
            with suppress(Refused):  # too many states, or not the order of a rule
                return order, Count(statement, key, watch, most).solutions(order, domains, cells)
    raise Unfinished(f"every order of the cells takes more than {most} states; prove a list", Stop.MEMORY)


class _DivisionSearch:
    """Divides a count into parts that share no rule, and by the values of a cell if that is not enough."""

    def __init__(self, statement: Statement, key: str, orders: Sequence[list[int]], watch: Watch):
        self._statement, self._key, self._orders, self._watch = statement, key, orders, watch
        self._parts = 0

    def divide(self, domains: Domains, cells: Iterable[int]) -> tuple[Any, int]:
        """Return how to count the ways to fill the cells, and their number. Raises Unfinished."""
        domains = filtered(self._statement, domains, self._watch)
        rules_of: dict[int, list[int]] = {cell: [] for cell in cells if len(domains[cell]) > 1}
        if not all(domains) or not rules_of:
            return [], int(all(domains))
        read = set(rules_of)
        for number, rule in enumerate(self._statement.rules):
            if here := rules_of.keys() & set(rule.cells):
                read.update(rule.cells)
                for cell in here:
                    rules_of[cell].append(number)
        parts = list(linked_by_values(rules_of))
        if len(parts) > 1:
            ways = [(part, *self.divide(domains, part)) for part in parts]
            return {"parts": [way[:2] for way in ways]}, prod(number for *_, number in ways)
        return self._count_part(domains, set(rules_of), read)

    def _count_part(self, domains: Domains, cells: set[int], read: set[int]) -> tuple[Any, int]:
        """Return the same for cells that share rules, with those that these rules read as well."""
        self._parts += 1
        for order in self._orders:
            some = [cell for cell in order if cell in read]
            with suppress(Refused):
                count = Count(self._statement, self._key, self._watch, STATES_OF_PARTS)
                return some, count.solutions(some, domains, cells)
        choice = cells & self._statement.shown
        if self._parts > MOST_COUNT_PARTS or not choice:
            raise Unfinished("every way to count takes too many states; prove a list", Stop.MEMORY)
        cell = min(choice, key=lambda one: (len(domains[one]), one))
        ways = {
            str(value): self.divide([*domains[:cell], (value,), *domains[cell + 1 :]], cells)
            for value in domains[cell]
        }
        division = {"cell": cell, "values": {value: way for value, (way, _) in ways.items()}}
        return division, sum(number for _, number in ways.values())


def _orders(statement: Statement, places: Sequence[Any]) -> Iterator[list[int]]:
    """Yield orders of the cells: as they are, by columns, along both diagonals, and along the rules."""
    cells = range(len(statement.values))
    yield list(cells)
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
