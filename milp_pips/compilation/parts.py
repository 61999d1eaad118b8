"""Split a filtered problem into independent parts, and join the solutions of the parts.

Each part can be solved, listed and counted alone.

A variable with one value is substituted into its constraints and drops out. The rest splits into parts such
that no constraint has variables of two parts. A domino cover splits between two sets of cells if no edge
joins them, and no kind with dominoes left to lay fits into both. Then all remaining dominoes of a kind lie in
one part, so each part's multiset of dominoes is known.

The split is correct for any domains; better filtering only leads to more parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from milp_pips.algorithms.connectivity import Groups
from milp_pips.constraints import covers_of, partners_of, rules_of
from milp_pips.constraints.domino_cover import CoverSplit
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import changed
from milp_pips.problem.problem import Problem, unchecked_variable

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""Variables with their values."""

NO_NAMES: Mapping[int, Mapping[int, str]] = {}
"""No names of values: a part is not shown."""


class Part(NamedTuple):
    """A problem that is a part of a whole problem, and the positions of its variables in the whole.

    ``variables`` has the position in the whole of each variable of the part. The cells of a cover have other
    numbers in the part. For each variable whose values are cells, ``renamed`` has the values in the whole.
    """

    problem: Problem
    variables: tuple[int, ...]
    renamed: Mapping[int, Sequence[int]] = {}

    @classmethod
    def whole(cls, problem: Problem) -> Part:
        """Return the part that is the whole problem."""
        return cls(problem, tuple(range(len(problem.variables))))

    def pair(self, v: int, value: int) -> tuple[int, int]:
        """Return the variable and value of the whole for a variable and value of the part."""
        return self.variables[v], self.renamed[v][value] if v in self.renamed else value

    def with_problem(self, problem: Problem) -> Part:
        """Return the part with another problem on the same variables."""
        return Part(problem, self.variables, self.renamed)


class Split(NamedTuple):
    """The fixed variables of the whole with their values, and the remaining parts."""

    fixed: Pairs
    parts: list[Part]


def split(whole: Part) -> Split:
    """Return the independent parts of a problem.

    The solutions of the problem are all combinations of the solutions of its parts.

    Raises
    ------
    Contradiction
        If the fixed variables break a rule: there is no solution.
    """
    problem = whole.problem
    domains = [variable.domain for variable in problem.variables]
    if () in domains:
        raise Contradiction(f"{problem.variables[domains.index(())].name} can take no value")
    groups = Groups(len(domains))
    covers = [CoverSplit(cover, domains, groups) for cover in covers_of(problem.constraints)]
    linked = [s for c in rules_of(problem.constraints) for s in c.simplify(domains)]
    partners = partners_of(problem.constraints)
    if not all(c.restates_values or partners.isdisjoint(c.variables) for c in linked):
        return Split((), [whole])  # the cells of a part would have other numbers than in the constraint
    # Variables in one group belong to one part; the constraints join groups.
    inside = {v for v, domain in enumerate(domains) if len(domain) > 1}
    inside.update(v for cover in covers for v in cover.open_variables())
    for constraint in linked:
        groups.join(constraint.variables)
        inside.update(constraint.variables)
    sets = groups.sets(sorted(inside))
    constraints_of: dict[int, list[Constraint]] = {groups.of(members[0]): [] for members in sets}
    cells_of: dict[int, Cells] = {}
    for constraint in linked:
        constraints_of[groups.of(constraint.variables[0])].append(constraint)
    for cover in covers:
        for piece, cells in cover.pieces():
            constraints_of[groups.of(piece.values[0])].append(piece)
            before = whole.renamed.get(piece.partners[0])
            known = cells if before is None else tuple([before[cell] for cell in cells])
            cells_of |= dict.fromkeys(piece.partners, Cells({i: n for n, i in enumerate(cells)}, known))
    fixed = tuple([whole.pair(v, domain[0]) for v, domain in enumerate(domains) if v not in inside])
    parts = [_part(whole, members, constraints_of[groups.of(members[0])], cells_of) for members in sets]
    return Split(fixed, parts)


class Cells(NamedTuple):
    """The cells of a part's cover: new numbers by old numbers, and numbers in the whole by new numbers."""

    number: dict[int, int]
    whole: tuple[int, ...]


def _part(
    whole: Part, members: list[int], constraints: list[Constraint], cells_of: Mapping[int, Cells]
) -> Part:
    """Return the part with these variables and constraints; ``cells_of`` has the cells of each partner."""
    problem, number = whole.problem, {v: i for i, v in enumerate(members)}
    variables, renamed = [], dict[int, Sequence[int]]()
    for i, v in enumerate(members):
        variable, cells = problem.variables[v], cells_of.get(v)
        if cells is not None:
            near = tuple([cells.number[j] for j in variable.domain if j in cells.number])
            variable, renamed[i] = unchecked_variable(variable.name, near), cells.whole
        elif v in whole.renamed:
            renamed[i] = whole.renamed[v]
        variables.append(variable)
    keys = {key: tuple([number[v] for v in named if v in number]) for key, named in problem.keys.items()}
    stated = tuple([_renumbered(constraint, number, cells_of, problem) for constraint in constraints])
    part = changed(
        problem,
        variables=tuple(variables),
        constraints=stated,
        keys=keys,
        value_names=NO_NAMES,
        name="",
        auxiliary=(),
        determined=False,
        objective=None,
    )
    return Part(part, tuple([whole.variables[v] for v in members]), renamed)


def _renumbered(
    constraint: Constraint, number: Mapping[int, int], cells_of: Mapping[int, Cells], problem: Problem
) -> Constraint:
    """Return the constraint with the new numbers of its variables and cells.

    Cells outside the part get different negative numbers, which no partner has.
    """
    if not constraint.restates_values:
        return constraint.renumbered(number)
    values = {
        v: {j: cells_of[v].number.get(j, -1 - i) for i, j in enumerate(problem.variables[v].domain)}
        for v in constraint.variables
        if v in cells_of
    }
    return constraint.renumbered(number, values)


class Join:
    """The known points of the parts of a problem, and their combinations.

    A new point of a part is combined with all known points of the other parts. So every solution is built
    once, when the last of its pieces is found, and memory holds only the points of each part.
    """

    def __init__(self, problem: Problem, key: str, divided: Split):
        self._parts, self._no_value = divided.parts, problem.blank
        self._blank = [self._no_value] * len(problem.variables)
        self._blank_in = [part.problem.blank for part in divided.parts]
        for v, value in divided.fixed:
            self._blank[v] = value
        self._key = frozenset(problem.keys[key])
        self._seen = [[v for v in part.variables if v in self._key] for part in self._parts]
        self._pieces: list[dict[tuple[int, ...], Sequence[int]]] = [{} for _ in self._parts]

    def add(self, number: int, point: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the new points of the whole that contain a point of part ``number``; none if it is known."""
        part, values = self._parts[number], self._blank.copy()
        for v, value in enumerate(point):
            if value != self._blank_in[number]:  # else the variable is not in the key
                whole, value = part.pair(v, value)
                values[whole] = value
        if self._record(number, values):
            pieces = [known.values() for known in self._pieces]
            yield from self._combinations([*pieces[:number], [values], *pieces[number + 1 :]])

    def all_of(self, points: Iterable[Sequence[int]]) -> Iterator[tuple[int, ...]]:
        """Add the pieces of these points of the whole, and yield all combinations of the known pieces."""
        for point in points:
            for number in range(len(self._parts)):
                self._record(number, point)
        yield from self._combinations([known.values() for known in self._pieces])

    def _record(self, number: int, values: Sequence[int]) -> bool:
        """Record a point of a part by its values in the whole; return whether it is new."""
        key, known = tuple([values[v] for v in self._seen[number]]), self._pieces[number]
        if key in known:
            return False
        known[key] = values
        return True

    def _combinations(self, pieces: Sequence[Iterable[Sequence[int]]]) -> Iterator[tuple[int, ...]]:
        for chosen in product(*pieces):
            whole = self._blank.copy()
            for part, values in zip(self._parts, chosen, strict=True):
                for v in part.variables:
                    whole[v] = values[v]
            if self._no_value in whole:  # a point from a file that states the key alone
                whole = [value if v in self._key else self._no_value for v, value in enumerate(whole)]
            yield tuple(whole)
