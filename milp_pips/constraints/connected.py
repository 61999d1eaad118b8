"""The constraint that the variables with certain values form one component of a graph.

Puzzles such as Hitori, Nurikabe, Heyawake and Slitherlink have it as a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import ClassVar

from milp_pips.algorithms.connectivity import component_of, separators
from milp_pips.problem.automaton import ConstraintAutomaton, Domain
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Domains, Row, RowBuilder
from milp_pips.problem.deduction import Argument, PlayersWords, RuleDeduction
from milp_pips.problem.errors import UsageError
from milp_pips.problem.fields import check_scope, set_edges, set_field, whole_numbers

MAX_REACH_COLUMNS = 200_000
"""The most columns of a formulation: ``levels`` takes n² for n nodes, ``flow`` n² + n and 2n for each edge.

At this size, 447 nodes in a row, HiGHS finds no point by ``levels`` within 20 s.
"""

MAX_REACH_LITERALS = 1_000_000
"""The most literals of the clauses: two for each node and each number of steps, 2n² - 2n for n nodes."""


@dataclass(frozen=True, slots=True)
class Connected(Constraint):
    """The variables whose value is among ``values`` form one component of a graph, or there are none.

    Parameters
    ----------
    variables
        The nodes of the graph.
    edges
        Pairs ``(i, j)`` with ``i < j``, the numbers of two nodes in ``variables``.
    values
        The values that put a variable inside the component.
    """

    variables: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    values: tuple[int, ...]
    label: str = ""

    is_lazy: ClassVar[bool] = True
    linearisations: ClassVar[Mapping[str, str]] = {
        "levels": "milp_pips.constraints.connected:levels",
        "flow": "milp_pips.constraints.connected:flow",
    }

    def __post_init__(self) -> None:
        check_scope(self)
        set_edges(self, len(self.variables))
        set_field(self, "values", whole_numbers("Connected", "values", self.values))

    @property
    def near(self) -> list[list[int]]:
        """The neighbours of each node."""
        near: list[list[int]] = [[] for _ in self.variables]
        for i, j in dict.fromkeys(self.edges):
            near[i].append(j)
            near[j].append(i)
        return near

    def holds(self, assignment: Assignment) -> bool:
        inside = {i for i, v in enumerate(self.variables) if assignment[v] in self.values}
        return not inside or len(component_of(min(inside), self.near, inside.__contains__)) == len(inside)

    def say(self, deduction: RuleDeduction, words: PlayersWords) -> Argument:
        return Argument(words.known(deduction.facts, deduction.title), words.conclusion(deduction))

    def propagator(self, domains: Domains) -> Callable[[], None]:
        """Return a propagator that is complete: it removes every value that no solution has.

        A node that can no longer be reached from the inside is outside. A node that separates two inside
        nodes is inside.
        """
        near, variables = self.near, self.variables
        values = sum([domains.bit.get(value, 0) for value in set(self.values)])
        why = self.failure

        def propagate() -> None:
            masks = [domains.masks[v] for v in variables]
            inside = [i for i, mask in enumerate(masks) if not mask & ~values]
            if not inside:
                return
            reached = component_of(inside[0], near, lambda i: masks[i] & values)
            if len(reached) < len(masks):
                for i in set(range(len(masks))).difference(reached):
                    domains.keep(variables[i], ~values, why)
            if len(inside) > 1:
                marked = set(inside)
                for i in separators(inside[0], near, lambda i: masks[i] & values, marked.__contains__):
                    domains.keep(variables[i], values, why)

        return propagate

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        return levels(builder, self)

    def clauses(self, builder: ClauseBuilder) -> bool:
        """Add the definitions of ``levels`` as clauses: reached nodes, step by step from the first."""
        possible = [i for i, v in enumerate(self.variables) if set(self.values) & set(builder.domain(v))]
        n, near = len(possible), self.near
        self._require_size("clauses", 2 * n * (n - 1), "literals", MAX_REACH_LITERALS)
        inside = {i: builder.any_of(self._literals(builder, i)) for i in possible}
        reached, begun = dict[int, int](), -builder.true
        for i in possible:  # the first node inside is reached in 0 steps
            both = builder.any_of([begun, inside[i]])
            reached[i] = -builder.any_of([begun, -both])
            begun = both
        for _ in range(1, n):
            if builder.interrupted():
                return True
            before = reached
            beside = {
                i: builder.any_of([before[i], *(before[j] for j in near[i] if j in before)]) for i in possible
            }
            reached = {i: -builder.any_of([-inside[i], -beside[i]]) for i in possible}
        for i in possible:
            builder.add(-inside[i], reached[i])
        return True

    def lazy_clauses(self, point: Assignment, domains: Sequence[Domain]) -> Iterator[list[tuple[int, int]]]:
        """Yield a clause for each component of the point but one: it and that one are joined, or not inside.

        They can be joined over a minimal separator of two of their nodes: neighbours of the one that
        the other reaches (Fischetti et al. 2017). Full statements have n² literals or columns for n nodes;
        a Slitherlink of 400 cells takes some tens of clauses (``benchmarks/families.py``).
        """
        near, values = self.near, set(self.values)
        left = {i for i, v in enumerate(self.variables) if point[v] in values}
        parts: list[list[int]] = []
        while left:
            parts.append(component_of(min(left), near, left.__contains__))
            left.difference_update(parts[-1])
        fixed = {i for i, v in enumerate(self.variables) if values.issuperset(domains[v])}
        # A node that is inside for certain shortens every clause; else take the largest component.
        parts.sort(key=lambda part: (fixed.isdisjoint(part), -len(part)))
        for part in parts[1:]:
            other = next(filter(fixed.__contains__, parts[0]), parts[0][0])
            beside = {j for i in part for j in near[i]}.difference(part)
            beyond = set(component_of(other, near, set(range(len(near))).difference(beside).__contains__))
            joining = [j for j in beside if not beyond.isdisjoint(near[j])]
            ends = [(self.variables[i], False) for i in (part[0], other)]
            either = [*ends, *((self.variables[j], True) for j in joining)]
            yield [(v, a) for v, inside in either for a in domains[v] if (a in values) is inside]

    def require_columns(self, formulation: str, number: int) -> None:
        """Raise UsageError if a formulation needs too many columns."""
        self._require_size(f"the formulation {formulation}", number, "columns", MAX_REACH_COLUMNS)

    def _require_size(self, statement: str, number: int, unit: str, limit: int) -> None:
        if number > limit:
            raise UsageError(
                f"{self.label or 'Connected'!r}: {statement} would need {number:,} {unit}, and the limit is "
                f"{limit:,}; use another formulation, or an engine without rows and clauses: diagram or brute"
            )

    def _literals(self, builder: ClauseBuilder, i: int) -> list[int]:
        v = self.variables[i]
        return [builder.literal(v, value) for value in builder.domain(v) if value in self.values]

    def decision_automaton(self, domains: Sequence[Domain]) -> ConnectedAutomaton:
        return ConnectedAutomaton(domains, self)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield the constraint without the nodes that are outside for certain; nothing if it always holds."""
        values = set(self.values)
        left = [i for i, v in enumerate(self.variables) if values.intersection(domains[v])]
        inside = [i for i in left if values.issuperset(domains[self.variables[i]])]
        near = self.near
        if inside:  # nodes beyond the reach of an inside node are outside; only inside nodes must not be
            reached = set(component_of(inside[0], near, set(left).__contains__))
            self.demand(reached.issuperset(inside))
        if len(left) == len(inside) or len(left) < 2:
            return
        number = {i: n for n, i in enumerate(left)}
        edges = tuple([(number[i], number[j]) for i, j in self.edges if i in number and j in number])
        yield replace(self, variables=tuple([self.variables[i] for i in left]), edges=edges)


Sum = list[tuple[int, float]]
"""Items with their coefficients, as in a ``Row``."""


def levels(builder: RowBuilder, connected: Connected) -> Iterator[Row]:
    """Yield rows with columns that the nodes inside determine: every node inside is reached step by step.

    ``reached[i, d]`` is 1 if node i is inside and at most d steps from the first node inside, over nodes
    inside: ``reached[i, d] <= in[i]``, ``reached[i, d] <= reached[i, d-1] + Σ reached[j, d-1]`` over the
    neighbours j, ``reached[i, d] >= reached[i, d-1]`` and ``reached[i, d] >= reached[j, d-1] + in[i] - 1``.
    The nodes are connected if ``reached[i, n-1] = in[i]`` for each of the n nodes.
    """
    inside, reached = _inside(builder, connected), dict[int, Sum]()
    connected.require_columns("levels", len(inside) ** 2)
    yield from _first(builder, connected, inside, reached)
    near = connected.near
    for distance in range(1, len(inside)):
        before, reached = reached, {}
        for i, is_inside in inside.items():
            name = (connected.label, builder.name(connected.variables[i]), distance)
            now = reached[i] = [(builder.add_column("reached", name), 1.0)]
            yield Row("reach", (*name, "inside"), -inf, 0, now + _minus(is_inside))
            yield Row("reach", (*name, "stay"), 0, inf, now + _minus(before[i]))
            either = now + _minus(before[i])
            for j in near[i]:
                if j in before:
                    terms = now + _minus(before[j]) + _minus(is_inside)
                    yield Row("reach", (*name, builder.name(connected.variables[j])), -1, inf, terms)
                    either += _minus(before[j])
            yield Row("reach", (*name, "either"), -inf, 0, either)
    for i, is_inside in inside.items():
        label = (connected.label, builder.name(connected.variables[i]))
        yield Row("reach", label, 0, inf, reached[i] + _minus(is_inside))


def flow(builder: RowBuilder, connected: Connected) -> Iterator[Row]:
    """Yield rows of a flow for each node: one unit goes from the first node inside to each node inside.

    The multi-commodity flow (as for Steiner trees, Wong 1984): a unit for node k starts at the first node
    inside, leaves and enters nodes inside only, and ends in k. The relaxation is stronger than that of
    ``levels``, and the model larger. The nodes inside do not determine the paths, so it is for MIP engines,
    which list solutions by cuts.
    """
    inside, first = _inside(builder, connected), dict[int, Sum]()
    near = connected.near
    arcs = [(i, j) for i in inside for j in near[i] if j in inside]
    connected.require_columns("flow", len(inside) * (1 + len(inside) + len(arcs)))
    yield from _first(builder, connected, inside, first)
    name = {i: builder.name(connected.variables[i]) for i in inside}
    for k in inside:
        label = (connected.label, name[k])
        start = {i: builder.add_column("start", (*label, name[i])) for i in inside}
        carried = {arc: builder.add_column("carried", (*label, *(name[i] for i in arc))) for arc in arcs}
        balance: dict[int, Sum] = {i: [(column, 1.0)] for i, column in start.items()}
        for (i, j), column in carried.items():
            balance[j].append((column, 1.0))
            balance[i].append((column, -1.0))
            yield Row("enter", (*label, name[i], name[j]), -inf, 0, [(column, 1.0), *_minus(inside[j])])
        balance[k] += _minus(inside[k])
        for i, column in start.items():
            yield Row("leave", (*label, name[i]), -inf, 0, [(column, 1.0), *_minus(first[i])])
            yield Row("balance", (*label, name[i]), 0, 0, balance[i])


def _inside(builder: RowBuilder, connected: Connected) -> dict[int, Sum]:
    """Return, for each node that can be inside, the sum of its pairs that put it inside."""
    found = {}
    for i, v in enumerate(connected.variables):
        pairs = [(pair, 1.0) for pair, _, value in builder.pairs_of([v]) if value in connected.values]
        if pairs:
            found[i] = pairs
    return found


def _first(
    builder: RowBuilder, connected: Connected, inside: dict[int, Sum], first: dict[int, Sum]
) -> Iterator[Row]:
    """Set for each node the sum that is 1 if it is the first node inside; yield the rows of its columns.

    ``begun[i]`` is 1 if one of the nodes 0, …, i is inside: the maximum of ``begun[i-1]`` and ``in[i]``.
    """
    begun: Sum = []
    for i, is_inside in inside.items():
        name = (connected.label, builder.name(connected.variables[i]))
        now = [(builder.add_column("begun", name), 1.0)]
        yield Row("begin", (*name, "inside"), 0, inf, now + _minus(is_inside))
        yield Row("begin", (*name, "before"), 0, inf, now + _minus(begun))
        yield Row("begin", (*name, "either"), -inf, 0, now + _minus(begun) + _minus(is_inside))
        first[i] = now + _minus(begun)
        begun = now


def _minus(terms: Sum) -> Sum:
    return [(item, -coefficient) for item, coefficient in terms]


Frontier = tuple[tuple[int, int], ...]
"""The decided nodes inside that have an open neighbour, each with the number of its component."""

CLOSED: Frontier = ((-1, -1),)
"""The state in which the component is complete: every open node is outside."""


class ConnectedAutomaton(ConstraintAutomaton[Frontier]):
    """Connected: the components of the decided nodes, as far as open nodes can still join them.

    The method is the frontier search of Sekine, Imai and Tani (1995). A component without an open neighbour
    can grow no more, so it must be the only one.
    """

    start: Frontier = ()
    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: Connected):
        super().__init__(domains)
        self._values = frozenset(constraint.values)
        self._near = [sum(1 << j for j in others) for others in constraint.near]
        self._must = sum(1 << i for i, domain in enumerate(domains) if self._values.issuperset(domain))

    def step(self, state: Frontier, rest: int, place: int, value: int) -> Frontier | None:
        inside = value in self._values
        if state == CLOSED:
            return None if inside else state
        nodes = list(state)
        if inside:
            joined = {component for i, component in state if self._near[place] >> i & 1}
            nodes = [(i, -1 if component in joined else component) for i, component in state]
            nodes.append((place, -1))
        open_nodes = [(i, component) for i, component in nodes if self._near[i] & rest]
        components = {component for _, component in nodes}
        still = {component for _, component in open_nodes}
        if components != still:  # a component is complete
            if len(components) > 1 or self._must & rest:
                return None
            return CLOSED
        first: dict[int, int] = {}
        return tuple([(i, first.setdefault(component, len(first))) for i, component in sorted(open_nodes)])

    def state_bits(self, decided: int) -> float:
        # about 3 states per node of a frontier: outside, and inside in one of few components
        return 1.6 * min(decided, len(self.domains) - decided, sqrt(len(self.domains)))
