"""Small problems for tests, their solutions by brute force, and a deadline that interrupts itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, product

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    DominoCover,
    Less,
    LinearSum,
    NoGood,
    Regular,
    Relation,
    Table,
)
from milp_pips.constraints.domino_cover.board import adjacency_lists
from milp_pips.engines.contract import Points
from milp_pips.problem import Constraint, Deadline, Problem, Proof, Stop, Variable
from milp_pips.problem.objective import Objective
from milp_pips.problem.problem import unchecked_variable


def board(
    rows: int, columns: int, dominoes: Iterable[tuple[int, int]], constraints: Iterable[Constraint]
) -> Problem:
    """Return the problem of covering a rectangle by dominoes.

    Cell i has the value variable i and the partner variable n + i, for n cells.
    """
    n = rows * columns
    edges = [(i, i + 1) for i in range(n) if (i + 1) % columns] + [
        (i, i + columns) for i in range(n - columns)
    ]
    near = adjacency_lists(n, edges)
    dominoes = sorted((min(d), max(d)) for d in dominoes)
    pips = tuple(sorted({p for d in dominoes for p in d}))
    variables = [Variable(f"cell {i}", pips) for i in range(n)]
    variables += [unchecked_variable(f"partner of cell {i}", tuple(sorted(near[i]))) for i in range(n)]
    cover = DominoCover(
        tuple(range(n)), tuple(range(n, 2 * n)), tuple(sorted(edges)), tuple(dominoes), "the dominoes cover"
    )
    return Problem(
        tuple(variables),
        (cover, *constraints),
        {"placement": tuple(range(2 * n)), "grid": tuple(range(n))},
    )


class InterruptedDeadline(Deadline):
    """A deadline that is interrupted after ``looks`` checks, when the engine is already running."""

    def __init__(self, looks: int):
        super().__init__()
        self._left = looks

    @property
    def stop(self) -> Stop | None:
        """The stopping criterion that holds now, or None."""
        self._left -= 1
        if self._left <= 0:
            self.interrupt()
        return super().stop


def several() -> list[tuple[Problem, str]]:
    """Return problems with a few solutions each, and keys by which their solutions are different."""
    square = board(2, 2, [(1, 2), (1, 3)], [])
    line = board(1, 4, [(0, 1), (2, 2)], [LinearSum((0, 3), Relation.GE, 1, "ends")])
    return [(square, "placement"), (square, "grid"), (line, "placement"), (line, "grid")]


def constrained() -> Iterator[Problem]:
    """Yield problems with every constraint; each has 24 solutions at most, and some have none."""
    domain, key = (0, 1, 2), {"all": (0, 1, 2)}
    ends_in_two = Automaton(0, frozenset({1}), tuple((q, a, int(a == 2)) for q in (0, 1) for a in domain))
    rules: tuple[Constraint, ...] = (
        AllEqual((0, 1), "a = b"),
        AllDifferent((1, 2, 3), "b, c, d differ"),
        LinearSum((0, 2), Relation.LE, 2, "a + c <= 2"),
        LinearSum((1, 3), Relation.GE, 2, "b + d >= 2"),
        Cardinality((0, 1, 2, 3), ((1, 2, 2),), "1 twice"),
        Regular((0, 1, 2, 3), ends_in_two, "ends in 2"),
    )
    yield Problem(tuple(Variable(name, domain) for name in "abcd"), rules, {"all": (0, 1, 2, 3)})
    variables = (Variable("a", (-2, 1, 3)), Variable("b", (0, 1, 2)), Variable("c", (0, 2, 4)))
    equal = LinearSum((0, 1, 2), Relation.EQ, -7, "2a - 3b + 0c = -7", (2, -3, 0))
    least = LinearSum((0, 2), Relation.GE, 10, "a + 3c >= 10", (1, 3))
    most = LinearSum((1, 2), Relation.LE, -5, "-2b - c <= -5", (-2, -1))
    for rules in ((equal, least), (least, most), (least,), (most,), (replace(equal, target=9),)):
        yield Problem(variables, rules, key)
    variables = (Variable("a", (-1, 2, 3)), Variable("b", (0, 2, 3)), Variable("c", (2, 3, 5)))
    strict, loose = Less((0, 1), label="a < b"), Less((1, 2), strict=False, label="b <= c")
    circle = Less((2, 0)), Less((0, 1), strict=False), Less((1, 2))
    for rules in ((strict,), (loose,), (strict, loose), circle):
        yield Problem(variables, rules, key)
    variables = (Variable("a", (-1, 0, 2)), Variable("b", (0, 1, 2)), Variable("c", (1, 2)))
    rows = "0 1 2; 0 1 2; 0 2 1; 2 0 1; 2 1 1; -1 7 1; 9 9 9"
    table, fits = Table.from_text((0, 1, 2), rows, "one of these"), Table.from_text((1,), "1; 5")
    for rules in (
        (table,),
        (table, fits),
        (Table((0, 1), ()),),
        (table, Table.from_text((1, 0), "0 0; 2 2")),
    ):
        yield Problem(variables, rules, key)
    rules = (
        LinearSum((0, 1, 2), Relation.GE, 4, "weighed", (1, 2, -1)),
        Less((0, 1), label="left < right"),
        Table.from_text((1, 3), "2 1; 1 1; 2 0", "a column"),
    )
    yield board(2, 2, [(0, 1), (1, 2)], rules)


def ambiguous() -> Problem:
    """Return a problem whose three solutions have one, two or three values of an auxiliary variable."""
    variables = (Variable("a", (0, 1, 2)), Variable("b", (0, 1)), Variable("helper", (0, 1, 2)))
    table = Table.from_text((0, 1, 2), "0 1 0; 1 0 0; 1 0 1; 2 1 0; 2 1 1; 2 1 2", "one of these")
    return Problem(variables, (table,), {"all": (0, 1)}, auxiliary=(2,))


def determined() -> Problem:
    """Return a problem with three solutions, in which the auxiliary variable is the sum of the others."""
    variables = (Variable("a", (0, 1, 2)), Variable("b", (0, 1)), Variable("sum", (0, 1, 2, 3)))
    rules = (
        LinearSum((0, 1, 2), Relation.EQ, 0, "the sum", (1, 1, -1)),
        LinearSum((2,), Relation.GE, 2, "at least 2"),
    )
    return Problem(variables, rules, {"all": (0, 1)}, auxiliary=(2,), determined=True)


@cache
def objectives() -> list[tuple[Problem, list[tuple[int, ...]], Objective]]:
    """Return problems with all their points, by brute force, and objectives.

    There are ties, negative weights, values above a million, weights on partners, and no weights at all.
    """
    rules = [LinearSum((0, 1), Relation.LE, 3, "top: at most 3"), NoGood((0, 1), (1, 1))]
    found = []
    for problem in (board(2, 3, [(0, 0), (0, 1), (1, 1)], []), board(2, 2, [(0, 3), (1, 1)], rules)):
        points, n = list(views(problem, "placement")), len(problem.keys["grid"])
        cells = [(v, a) for v in range(n) for a in problem.variables[v].domain]
        corners = tuple((v, a, a) for v, a in cells if v in (0, n - 1))
        mixed = tuple((v, a, (-1) ** v * (3 * v + a)) for v, a in cells)
        beside = tuple((n + i, i + 1, 1) for i in range(n - 1))
        great = tuple((v, a, 1_000_003 * (v + 1) - a) for v, a in cells)
        for terms, constant in ((corners, 0), (mixed, -4), (beside, 0), (great, 17), ((), 3)):
            found += [(problem, points, Objective(terms, way, constant)) for way in ("maximise", "minimise")]
    return found


def view(problem: Problem, key: str, point: Sequence[int]) -> tuple[int, ...]:
    """Return the values of the variables of the key in a point."""
    return tuple(point[v] for v in problem.keys[key])


def views(problem: Problem, key: str) -> Counter[tuple[int, ...]]:
    """Return the values of the key's variables in the solutions, each once, by trying every assignment."""
    assignments = product(*(variable.domain for variable in problem.variables))
    return Counter({view(problem, key, point) for point in assignments if problem.violated(point) is None})


def forbid(problem: Problem, key: str, known: Iterable[tuple[int, ...]]) -> Problem:
    """Return the problem without the solutions that give these values to the variables of the key."""
    least = problem.least_difference(key)
    return problem.with_constraints(NoGood(problem.keys[key], values, least=least) for values in known)


def taken(points: Points, most: int) -> tuple[list[tuple[int, ...]], tuple[Proof, Stop] | None]:
    """Return at most ``most + 1`` points, and the proof and stop at their end (None if there are more)."""
    ending: list[tuple[Proof, Stop]] = []

    def all_points() -> Points:
        ending.append((yield from points))
        return ending[0]

    found = list(islice(all_points(), most + 1))
    return found, ending[0] if ending else None


def large() -> Problem:
    """Return a board of 300 dominoes that no engine can solve in a hundredth of a second.

    It has no solution, since a good search may solve a feasible board quickly: all dominoes are doubles, so
    the dark squares of a chessboard show as much as the light ones, but the rules let them show less.
    Neither counting pips nor filtering proves that infeasible.
    """
    rng = random.Random(1)
    rows, columns = 20, 30
    pips = [rng.randint(0, 6) for _ in range(rows * columns // 2)]
    dark = [r * columns + c for r in range(rows) for c in range(columns) if (r + c) % 2]
    groups = [tuple(dark[k : k + 3]) for k in range(0, len(dark), 3)]
    sums = [sum(pips[i // 2] for i in group) for group in groups]
    sums[sums.index(9)] -= 1
    rules = [
        LinearSum(group, Relation.EQ, total, f"sum from cell {group[0]}")
        for group, total in zip(groups, sums, strict=True)
    ]
    return board(rows, columns, [(pip, pip) for pip in pips], rules)
