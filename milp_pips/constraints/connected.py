"""The constraint that the variables with certain values form one component of a graph.

Puzzles such as Hitori, Nurikabe, Heyawake and Slitherlink have it as a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt

from milp_pips.algorithms.connectivity import component_of, separators
from milp_pips.problem.automaton import ConstraintAutomaton, Domain
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView, Row, RowBuilder
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import check_scope, rows_of_numbers, set_field, whole_numbers


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

    def __post_init__(self) -> None:
        check_scope(self)
        set_field(self, "edges", rows_of_numbers("Connected", "edges", self.edges, 2))
        set_field(self, "values", whole_numbers("Connected", "values", self.values))
        n = len(self.variables)
        if not all(0 <= i < j < n for i, j in self.edges):
            wrong = next(edge for edge in self.edges if not 0 <= edge[0] < edge[1] < n)
            raise ValueError(f"Connected has the edge {wrong}; expected (i, j) with 0 <= i < j < {n}")

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

    def propagator(self, domains: DomainView) -> Callable[[], None]:
        """Return a propagator that is complete: it removes every value that no solution has.

        A node that can no longer be reached from the inside is outside. A node that separates two inside
        nodes is inside.
        """
        near, variables = self.near, self.variables
        values = sum([domains.bit.get(value, 0) for value in set(self.values)])
        why = f"{self.label or 'a rule'} cannot be met"

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
        """Yield rows with columns that the nodes inside determine.

        Let ``in_i`` be the sum of the pairs (node i = one of ``values``). ``begun_i`` is 1 if one of the
        nodes 0, …, i is inside, so the first node inside has ``begun_i - begun_(i-1) = 1``.
        ``reached_(i, d)`` is 1 if node i is inside and at most d steps from this first node, over nodes
        inside. The nodes are connected if all of them are reached.
        """
        possible = [i for i, v in enumerate(self.variables) if set(self.values) & set(builder.domain(v))]
        near, inside = self.near, dict[int, list[tuple[int, float]]]()
        for i in possible:
            pairs = builder.pairs_of([self.variables[i]])
            inside[i] = [(pair, 1.0) for pair, _, value in pairs if value in self.values]
        names = {i: builder.name(self.variables[i]) for i in possible}
        label = (self.label,)

        begun: list[tuple[int, float]] = []
        reached: dict[int, list[tuple[int, float]]] = {}
        for i in possible:  # begun_i is the maximum of begun_(i-1) and in_i
            now = [(builder.add_column("begun", (*label, names[i])), 1.0)]
            yield Row("begin", (*label, names[i], "inside"), 0, inf, [*now, *_minus(inside[i])])
            yield Row("begin", (*label, names[i], "before"), 0, inf, [*now, *_minus(begun)])
            yield Row(
                "begin", (*label, names[i], "either"), -inf, 0, [*now, *_minus(begun), *_minus(inside[i])]
            )
            reached[i] = [*now, *_minus(begun)]
            begun = now
        for distance in range(1, len(possible)):
            before, reached = reached, {}
            for i in possible:
                name = (*label, names[i], distance)
                now = reached[i] = [(builder.add_column("reached", name), 1.0)]
                beside = [j for j in near[i] if j in before]
                yield Row("reach", (*name, "inside"), -inf, 0, [*now, *_minus(inside[i])])
                yield Row("reach", (*name, "stay"), 0, inf, [*now, *_minus(before[i])])
                for j in beside:
                    terms = [*now, *_minus(before[j]), *_minus(inside[i])]
                    yield Row("reach", (*name, names[j]), -1, inf, terms)
                either = [*now, *_minus(before[i])]
                either += [term for j in beside for term in _minus(before[j])]
                yield Row("reach", (*name, "either"), -inf, 0, either)
        for i in possible:
            yield Row("reach", (*label, names[i]), 0, inf, [*reached[i], *_minus(inside[i])])

    def clauses(self, builder: ClauseBuilder) -> bool:
        """Add the definitions of ``linear_rows`` as clauses: reached nodes, step by step from the first."""
        possible = [i for i, v in enumerate(self.variables) if set(self.values) & set(builder.domain(v))]
        near = self.near
        inside = {i: builder.any_of(self._literals(builder, i)) for i in possible}
        reached, begun = dict[int, int](), -builder.true
        for i in possible:  # the first node inside is reached in 0 steps
            both = builder.any_of([begun, inside[i]])
            reached[i] = -builder.any_of([begun, -both])
            begun = both
        for _ in range(1, len(possible)):
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
            if not reached.issuperset(inside):
                raise Contradiction(f"{self.label or 'a rule'} cannot be met")
        if len(left) == len(inside) or len(left) < 2:
            return
        number = {i: n for n, i in enumerate(left)}
        edges = tuple([(number[i], number[j]) for i, j in self.edges if i in number and j in number])
        yield replace(self, variables=tuple([self.variables[i] for i in left]), edges=edges)


def _minus(terms: list[tuple[int, float]]) -> list[tuple[int, float]]:
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
        width = min(decided, len(self.domains) - decided, sqrt(len(self.domains)))
        return (
            1.6 * width
        )  # about 3 states per node of a frontier: outside, and inside in one of few components
