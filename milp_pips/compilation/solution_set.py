"""The set of all solutions of a problem: count them, walk them, sample them, project them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush, merge
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from milp_pips.compilation.compiler import NO_LEAVES, Compiler, Lister, in_the_whole
from milp_pips.compilation.decision_diagram import Diagram
from milp_pips.compilation.layers import DiagramCompiler
from milp_pips.compilation.limits import DEFAULT_BUDGET, UNLIMITED, Allowance, Budget, Unfinished, Unsupported
from milp_pips.compilation.nodes import Fragment, Node, Piece, Product, Sum, Walk, in_order
from milp_pips.compilation.parts import Part, split
from milp_pips.problem.errors import Contradiction, UsageError, unknown_name
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline
from milp_pips.propagation.fixpoint import filter_domains

if TYPE_CHECKING:
    import random

    from milp_pips.problem.objective import Objective

Key: TypeAlias = str | Iterable[int] | None
"""What makes two solutions different: the name of a key, some variables, or None for all variables."""

METHODS = ("space", "diagram")


def compile_problem(
    problem: Problem,
    key: Key = None,
    budget: Budget = DEFAULT_BUDGET,
    deadline: Deadline | None = None,
    *,
    method: str = "space",
    widths: Sequence[int] = (),
    lister: Lister | None = None,
) -> SolutionSet:
    """Return the set of a problem's solutions.

    Parameters
    ----------
    problem, key
        The problem, and what makes two of its solutions different.
    budget, deadline
        Limits on the size of the set, and on the time.
    method
        ``space`` filters, splits and branches until diagrams are small; ``diagram`` compiles one decision
        diagram of the problem as it is.
    widths
        For some of the solutions: the most states of a layer. The method ``space`` makes a restricted diagram
        of every part by each of these widths, as far as time allows, and keeps the largest; ``diagram`` makes
        one, by the first.
    lister
        Lists the solutions of a part that is too hard for a small diagram and for a few branches.

    Raises
    ------
    Unfinished
        If the set does not fit the budget, or if the deadline expires.
    Unsupported
        If no decision diagram of the problem can be made, by the method ``diagram``.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    visible, is_complete, root = variables_of(problem, key), True, None
    deadline = deadline or Deadline()
    if not problem.open_values:
        return SolutionSet(problem, visible, _only_solution(problem, visible), lister=lister)
    compiler = Compiler(visible, budget, deadline, lister=lister)
    with suppress(Contradiction):
        if method == "diagram":
            diagrams = DiagramCompiler(problem, budget, deadline)
            diagram, is_complete = diagrams.narrowed(widths[0]) if widths else (diagrams.exact(), True)
            root = compiler.leaf(diagram) if diagram.count else None
        elif widths:
            some = _compile_some(problem, widths, budget, deadline)
            root, is_complete = some and compiler.view(some), False
        else:
            root = compiler.compile(problem)
    listed = compiler.has_listed
    return SolutionSet(problem, visible, root, is_complete=is_complete, listed=listed, lister=lister)


def _only_solution(problem: Problem, visible: Iterable[int]) -> Node | None:
    """Return the solution of a problem without open values; None if a rule is broken or a value missing."""
    point = [value for variable in problem.variables for value in variable.domain]
    if len(point) < len(problem.variables) or problem.violated(point) is not None:
        return None
    return _view_of(tuple(enumerate(point)), visible)


def _view_of(solution: Fragment, visible: Iterable[int]) -> Node:
    """Return the view of one solution: its values of the visible variables."""
    values = dict(solution)
    return Product(tuple([(v, values[v]) for v in visible]), ())


def _compile_some(problem: Problem, widths: Sequence[int], budget: Budget, deadline: Deadline) -> Node | None:
    """Return some solutions that were found in time, or None. Raises Contradiction if there are none.

    Each part gets wider and wider restricted decision diagrams, and an equal share of the remaining time.
    """
    fixed, parts = split(Part.whole(filter_domains(problem, deadline)))
    factors = []
    for number, part in enumerate(parts):
        own = EarlierDeadline(deadline, 1 - 1 / (len(parts) - number))
        best: Diagram | None = None
        with suppress(Unfinished, Unsupported):
            for diagram in DiagramCompiler(part.problem, budget, own).wider(widths):
                if best is None or diagram.count > best.count:
                    best = diagram
        if best is None:
            return None
        factors.append(in_the_whole(best, part))
    return Product(fixed, factors)


def compile_by_branching(
    problems: Iterable[Problem | None], nodes: int, deadline: Deadline, known: dict[Hashable, Node | None]
) -> Iterator[SolutionSet | None]:
    """Yield the solutions of one problem after another until the nodes are used up or the deadline expires.

    The problems are filtered and differ only in their domains and constraints; for None, which has no
    solution, comes None. ``known`` keeps the parts that are solved from one call to the next. This uses only
    filtering and branching, no decision diagrams.
    """
    compiler: Compiler | None = None
    for problem in problems:
        if problem is None:
            yield None
            continue
        everything = variables_of(problem, None)
        compiler = compiler or Compiler(everything, Budget(nodes), deadline, leaf_bits=NO_LEAVES, known=known)
        try:
            root = compiler.compile_by_branching(problem)
        except Unfinished:
            return
        yield SolutionSet(problem, everything, root)


def variables_of(problem: Problem, key: Key) -> tuple[int, ...]:
    """Return the variables of a key, in increasing order. Raises UsageError for an unknown name."""
    if key is None:
        return tuple(range(len(problem.variables)))
    if isinstance(key, str) and key not in problem.keys:
        raise unknown_name("key", key, problem.keys)
    return tuple(sorted(set(problem.keys[key] if isinstance(key, str) else key)))


@dataclass(frozen=True, eq=False, repr=False)
class SolutionSet:
    """All solutions of a problem that differ in some of its variables, each once, in a fixed order.

    Parameters
    ----------
    problem, variables
        The problem, and the variables in which the solutions differ, in increasing order.
    root
        The solutions as a graph of sums, products and decision diagrams; None if there are none.
    is_complete
        Whether these are all solutions.
    listed
        Whether a lister found some of them: then completeness relies on the lister, too.
    lister
        The lister, for projections.
    """

    problem: Problem
    variables: tuple[int, ...]
    root: Node | None
    is_complete: bool = True
    listed: bool = False
    lister: Lister | None = None

    def __repr__(self) -> str:
        number = self.count if self.is_complete else f"at least {self.count}"
        return f"<SolutionSet: {number} solutions, {self.nodes} nodes>"

    @cached_property
    def _nodes(self) -> list[Node]:
        return in_order(self.root)

    @cached_property
    def fragments(self) -> list[Fragment]:
        """The pieces of which the solutions consist: pairs (variable, value)."""
        return [fragment for node in self._nodes for fragment in node.fragments]

    @property
    def count(self) -> int:
        """Number of solutions in the set; a lower bound of all if not ``is_complete``."""
        return 0 if self.root is None else self.root.count

    @property
    def nodes(self) -> int:
        """Number of nodes, including those of the diagrams: a measure of the memory that the set takes."""
        return sum([node.size for node in self._nodes])

    @property
    def branched(self) -> bool:
        """Whether the compiler had to branch on a part of the problem or to list its solutions."""
        return self.listed or any(isinstance(node, Sum) for node in self._nodes)

    def sums(self, zero: Piece, piece: Callable[[Fragment], Piece]) -> Iterator[Piece]:
        """Yield, for each solution, the sum of the pieces of its fragments, added from left to right.

        A piece can be anything that can be added: numbers, text, tuples. Additions take most of the time.
        Every walk has the same order of solutions. Memory does not grow with their number.
        """
        return chain.from_iterable(self.sums_in_lists(zero, piece))

    def sums_in_lists(self, zero: Piece, piece: Callable[[Fragment], Piece]) -> Iterator[list[Piece]]:
        """Yield the same in lists of some hundreds, at the same places for all pieces: twice as fast."""
        return iter(()) if self.root is None else Walk(zero, piece).lists(self.root, zero)

    def assignments(self) -> Iterator[tuple[int, ...]]:
        """Yield, for each solution, the values of ``variables``."""
        # If values fit into bytes, one integer holds a whole solution, since adding integers is fast.
        if all(0 <= value < 256 for fragment in self.fragments for _, value in fragment):
            shift = {variable: 8 * i for i, variable in enumerate(self.variables)}
            size = len(shift)
            for packed in self.sums(0, lambda fragment: sum(value << shift[v] for v, value in fragment)):
                yield tuple(packed.to_bytes(size, "little"))
        else:
            nothing: Fragment = ()
            for pairs in self.sums(nothing, lambda fragment: fragment):
                yield self._values(pairs)

    __iter__ = assignments

    def nth(self, index: int) -> tuple[int, ...]:
        """Return the solution number ``index`` of ``assignments``, from 0. Raises IndexError."""
        if self.root is None or not 0 <= index < self.count:
            raise IndexError(f"no solution {index} among {self.count}")
        return self._values(self.root.pairs(index))

    def sample(self, rng: random.Random | int) -> tuple[int, ...]:
        """Return a random solution, each with the same probability, by a random generator or a seed.

        Raises IndexError if there is none.
        """
        if isinstance(rng, int):
            from random import Random

            rng = Random(rng)
        return self.nth(rng.randrange(self.count) if self.count else 0)

    def best(
        self, k: int, objective: Objective, deadline: Deadline | None = None
    ) -> list[tuple[int, tuple[int, ...]]]:
        """Return the k best solutions, or all if there are fewer: value and values of ``variables``.

        The best come first; the order of equally good ones is fixed. These are the longest or shortest paths
        of the diagrams. Raises UsageError if the objective has other variables, Unfinished at the deadline.
        """
        if not set(objective.costs) <= set(self.variables):
            raise UsageError("these solutions lack variables of the objective; compile them by those")

        allowance = Allowance(UNLIMITED, deadline)
        found = cheapest(self._nodes, k, objective.costs, allowance) if self._nodes else []
        return [(objective.value_of(total), self._values(joined(nested))) for total, nested in found]

    def value_counts(self, deadline: Deadline | None = None) -> dict[int, dict[int, int]]:
        """Return, for each variable and each of its values, the number of solutions with that value.

        Raises Unfinished.
        """
        # Those above come first, so the number of occurrences of a node is final when its turn comes.
        times, allowance = dict.fromkeys(self._nodes, 0), Allowance(UNLIMITED, deadline)
        if self.root is not None:
            times[self.root] = 1
        counts: dict[int, Counter[int]] = {variable: Counter() for variable in self.variables}
        for node in self._nodes:
            allowance.spend()
            for (variable, value), solutions in node.taken(allowance):
                counts[variable][value] += times[node] * solutions
            for below, more in node.times_below(times[node]):
                times[below] += more
        return {variable: dict(sorted(taken.items())) for variable, taken in counts.items()}

    def marginals(self, deadline: Deadline | None = None) -> dict[str, dict[int, int]]:
        """Return ``value_counts`` by the names of the variables. Raises Unfinished."""
        return by_name(self.problem, self.value_counts(deadline))

    def forced(self) -> dict[str, int]:
        """Return the variables that take one value in all solutions, by name, with that value."""
        return {name: next(iter(taken)) for name, taken in self.marginals().items() if len(taken) == 1}

    def project(
        self, key: Key, budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
    ) -> SolutionSet:
        """Return the solutions that differ in a key or in some variables, each once.

        Raises Unfinished if they do not fit the budget, or if the deadline expires, and UsageError if the set
        does not have these variables.
        """
        visible = variables_of(self.problem, key)
        if visible == self.variables:
            return self
        if not set(visible).issubset(self.variables):
            raise UsageError("these solutions do not have all variables of the key; compile them by that key")
        if self.root is None or self.count == 1:
            return replace(self, variables=visible, root=self.root and _view_of(self.root.pairs(0), visible))
        compiler = Compiler(visible, budget, deadline or Deadline(), lister=self.lister)
        root = compiler.view(self.root)
        return replace(self, variables=visible, root=root, listed=self.listed or compiler.has_listed)

    def _values(self, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        value = dict(pairs)
        return tuple([value[variable] for variable in self.variables])


def by_name(problem: Problem, counts: Mapping[int, dict[int, int]]) -> dict[str, dict[int, int]]:
    """Return counts by variable as counts by its name, with its position if the name is not unique."""
    times = Counter([problem.variables[v].name for v in counts])
    names = {v: name if times[name := problem.variables[v].name] == 1 else f"{name} ({v})" for v in counts}
    return {names[v]: taken for v, taken in counts.items()}


# The cheapest solutions of a solution set: shortest paths of its diagrams, and combinations of them.

Ranked: TypeAlias = tuple[int, tuple[Any, ...]]
"""The cost of a solution, and its fragments nested in pairs and triples, which ``joined`` flattens."""

Ranking: TypeAlias = list[Ranked]
"""Solutions of a node, the cheapest first."""


def cheapest(
    nodes: Sequence[Node], k: int, costs: Mapping[int, Mapping[int, int]], allowance: Allowance
) -> Ranking:
    """Return the k cheapest solutions of the first node, or all if there are fewer.

    Parameters
    ----------
    nodes
        Nodes, each before those below it.
    k
        The number of solutions.
    costs
        The cost of each value by variable; a value without one costs 0.
    allowance
        Raises Unfinished when it is spent.
    """
    nothing: Mapping[int, int] = {}

    def cost(fragment: Fragment) -> int:
        return sum([costs.get(v, nothing).get(value, 0) for v, value in fragment])

    found: dict[Node, Ranking] = {}
    for node in reversed(nodes):
        allowance.spend()
        below = [found[other] for other in node.below]
        if isinstance(node, Diagram):
            found[node] = _paths(node, k, cost, allowance)
        elif isinstance(node, Product):
            ranking: Ranking = [(cost(node.fixed), (node.fixed,))]
            for factor in below:
                ranking = _pairs(ranking, factor, k, allowance)
            found[node] = ranking
        else:
            found[node] = list(islice(merge(*below, key=itemgetter(0)), k))
    return found[nodes[0]]


def _paths(diagram: Diagram, k: int, cost: Callable[[Fragment], int], allowance: Allowance) -> Ranking:
    """Return the k shortest paths of a diagram."""
    length = [cost(fragment) for fragment in diagram.fragments]
    rankings: list[Ranking] = [[(0, ())]]

    def through(label: int, child: int) -> Iterator[Ranked]:
        fragment, added = diagram.fragments[label], length[label]
        return ((added + cost, (fragment, path)) for cost, path in rankings[child])

    for node in range(1, diagram.size):
        allowance.spend()
        ways = [through(label, child) for label, child in diagram.arcs(node)]
        rankings.append(list(islice(merge(*ways, key=itemgetter(0)), k)))
    return rankings[-1]


def _pairs(first: Ranking, second: Ranking, k: int, allowance: Allowance) -> Ranking:
    """Return the k cheapest combinations of a solution of each of two rankings.

    The combination (i, j) follows (i, j - 1), and (i, 0) follows (i - 1, 0), so a heap has at most one open
    combination for each i (Lawler 1972).
    """
    found: Ranking = []
    heap = [(first[0][0] + second[0][0], 0, 0)]
    while heap and len(found) < k:
        allowance.spend()
        cost, i, j = heappop(heap)
        found.append((cost, (first[i][1], second[j][1])))
        if j + 1 < len(second):
            heappush(heap, (first[i][0] + second[j + 1][0], i, j + 1))
        if j == 0 and i + 1 < len(first):
            heappush(heap, (first[i + 1][0] + second[0][0], i + 1, 0))
    return found


def joined(nested: tuple[Any, ...]) -> Iterator[tuple[int, int]]:
    """Yield the pairs (variable, value) of a solution of a ``Ranking``."""
    waiting: list[Any] = [nested]
    while waiting:
        part = waiting.pop()
        if len(part) == 2 and isinstance(part[0], int):
            yield part
        else:
            waiting += part
