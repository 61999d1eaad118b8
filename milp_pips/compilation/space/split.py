"""Split a filtered problem into independent parts, each of which can be solved, listed and counted alone.

A variable with one value is substituted into its constraints and drops out. The rest splits into parts such
that no constraint has variables of two parts. A domino cover splits between two sets of cells if no edge
joins them, and no kind with dominoes left to lay fits into both. Then all remaining dominoes of a kind lie in
one part, so each part's multiset of dominoes is known.

The split is correct for any domains; better filtering only leads to more parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from milp_pips.algorithms.matching import Groups
from milp_pips.compilation.space.shrink import Domains, shrink
from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Cardinality,
    DominoCover,
    Less,
    LinearSum,
    NoGood,
    Regular,
    Table,
    covers_of,
    rules_of,
)
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem, unchecked_variable
from milp_pips.propagation import Contradiction

NOWHERE = -1
"""The number in place of a cell that cannot be a partner."""

VOCABULARY = (AllDifferent, AllEqual, Cardinality, DominoCover, Less, LinearSum, NoGood, Regular, Table)
"""The classes of constraints that can be split; a problem with others stays whole."""

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""Variables with their values."""


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
    if not all(type(constraint) in VOCABULARY for constraint in problem.constraints):
        return _unsplit(whole)
    groups = Groups(len(domains))
    covers = [CoverSplit(cover, domains, groups) for cover in covers_of(problem.constraints)]
    linked = [s for c in rules_of(problem.constraints) for s in shrink(c, domains)]
    partners = {v for cover in covers_of(problem.constraints) for v in cover.partners}
    if not all(isinstance(c, NoGood) or partners.isdisjoint(c.variables) for c in linked):
        return _unsplit(whole)  # other constraints on partners cannot be restated for renumbered cells
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


def _unsplit(whole: Part) -> Split:
    """Return the whole as its only part, or no part if all variables are fixed. Raises Contradiction."""
    variables = whole.problem.variables
    if any(len(variable.domain) > 1 for variable in variables):
        return Split((), [whole])
    broken = whole.problem.violated([variable.domain[0] for variable in variables])
    if broken is not None:
        raise Contradiction(broken)
    return Split(tuple([whole.pair(v, variable.domain[0]) for v, variable in enumerate(variables)]), [])


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
        variables.append(variable)
    keys = {key: tuple([number[v] for v in named if v in number]) for key, named in problem.keys.items()}
    stated = tuple([_renumbered(constraint, number, cells_of) for constraint in constraints])
    part = Problem(tuple(variables), stated, keys, problem.value_names)
    return Part(part, tuple([whole.variables[v] for v in members]), renamed)


class CoverSplit:
    """A domino cover during the split: the laid dominoes, and the groups of the open cells.

    Raises Contradiction if more dominoes of a kind are laid than there are, or if one fits nowhere.
    """

    def __init__(self, cover: DominoCover, domains: Domains, groups: Groups):
        self._cover, self._groups = cover, groups
        self._left = Counter(cover.dominoes)
        partners = [domains[v] for v in cover.partners]
        values = [domains[v] for v in cover.values]
        self._edges: list[tuple[int, int]] = []
        laid: set[int] = set()
        for i, j in cover.edges:
            if j in partners[i] and i in partners[j]:
                if len(partners[i]) == len(partners[j]) == len(values[i]) == len(values[j]) == 1:
                    laid |= {i, j}
                    self._left[min(values[i][0], values[j][0]), max(values[i][0], values[j][0])] -= 1
                else:
                    self._edges.append((i, j))
        self._cells = [i for i in range(len(values)) if i not in laid]
        for i in self._cells:
            groups.join((cover.values[i], cover.partners[i]))
        self._place = {kind: groups.add() for kind, times in self._left.items() if times}
        if min(self._left.values(), default=0) < 0:
            raise Contradiction("a domino is laid more often than it is available")
        hosted: dict[tuple[tuple[int, ...], tuple[int, ...]], int | None] = {}
        for i, j in self._edges:
            pair = values[i], values[j]
            if pair not in hosted:
                hosted[pair] = self._join_kinds(*pair)
            kinds = hosted[pair]
            groups.join(
                (cover.values[i], cover.values[j])
                if kinds is None
                else (kinds, cover.values[i], cover.values[j])
            )

    def _join_kinds(self, first: tuple[int, ...], second: tuple[int, ...]) -> int | None:
        """Join the kinds that fit on cells with these domains into one group; return it, or None."""
        places = [self._place.get((min(a, b), max(a, b))) for a in first for b in second]
        known = [place for place in places if place is not None]
        self._groups.join(known)
        return known[0] if known else None

    def open_variables(self) -> Iterator[int]:
        """Yield the variables of the cells that no laid domino covers."""
        for i in self._cells:
            yield self._cover.values[i]
            yield self._cover.partners[i]

    def pieces(self) -> Iterator[tuple[DominoCover, tuple[int, ...]]]:
        """Yield the cover of each group, on the variables of the whole, and its cells.

        Raises Contradiction if a group does not have the number of dominoes that its cells need.
        """
        groups, cover = self._groups, self._cover
        cells: dict[int, list[int]] = {}
        for i in self._cells:
            cells.setdefault(groups.of(cover.values[i]), []).append(i)
        kinds: dict[int, list[tuple[int, int]]] = {group: [] for group in cells}
        for kind in sorted(self._place):
            group = groups.of(self._place[kind])
            if group not in kinds:
                raise Contradiction(f"domino {kind[0]}-{kind[1]} can lie nowhere")
            kinds[group] += [kind] * self._left[kind]
        number = {i: n for inside in cells.values() for n, i in enumerate(inside)}
        edges: dict[int, list[tuple[int, int]]] = {group: [] for group in cells}
        for i, j in self._edges:
            edges[groups.of(cover.values[i])].append((number[i], number[j]))
        for group, inside in cells.items():
            if len(inside) != 2 * len(kinds[group]):
                raise Contradiction(f"{len(inside)} cells cannot be covered by {len(kinds[group])} dominoes")
            values = tuple([cover.values[i] for i in inside])
            partners = tuple([cover.partners[i] for i in inside])
            yield (
                DominoCover(values, partners, tuple(edges[group]), tuple(kinds[group]), cover.label),
                tuple(inside),
            )


def _renumbered(
    constraint: Constraint, number: Mapping[int, int], cells_of: Mapping[int, Cells]
) -> Constraint:
    """Return a constraint of the vocabulary with the new numbers of its variables and cells."""
    match constraint:
        case DominoCover():
            values = tuple([number[v] for v in constraint.values])
            return replace(
                constraint, values=values, partners=tuple([number[v] for v in constraint.partners])
            )
        case NoGood():
            refused = [
                cells_of[v].number.get(value, NOWHERE) if v in cells_of else value
                for v, value in zip(constraint.variables, constraint.values, strict=True)
            ]
            variables = tuple([number[v] for v in constraint.variables])
            return replace(constraint, variables=variables, values=tuple(refused))
        case Less((less, greater)):
            return replace(constraint, variables=(number[less], number[greater]))
        case AllEqual() | AllDifferent() | LinearSum() | Cardinality() | Regular() | Table():
            return replace(constraint, variables=tuple([number[v] for v in constraint.variables]))
    raise TypeError(f"cannot renumber a constraint of class {type(constraint).__name__}")
