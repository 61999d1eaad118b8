"""Compile the solution space: filter, split, and branch on parts that are too large for a small diagram.

The compiler is a depth-first search that keeps its trace (Huang and Darwiche 2007). It branches on a part,
filters each branch and splits it again. It compiles equal parts only once (component caching, Bacchus, Dalmao
and Pitassi 2003; sharpSAT, Thurley 2006). A part with few open values becomes a decision diagram, or more
branches if the diagram grows too large.

It is not known in advance whether one diagram or many branches is better for a part. So the compiler tries
both in turn, with several times more work in each lap: the worse one costs at most a constant times as much
as the better. A part with few solutions may be hard for both, while a solver that learns from dead ends soon
finds them all. So the compiler calls a lister once in between, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import log2
from typing import TypeAlias

from milp_pips.compilation.diagram import (
    DEFAULT_BUDGET,
    Allowance,
    Budget,
    Diagram,
    Unfinished,
    Unsupported,
    compile_diagram,
    compile_wider,
    project,
)
from milp_pips.compilation.diagram.diagram import Fragment
from milp_pips.compilation.space.branching import Probing, Progress
from milp_pips.compilation.space.space import Leaf, Listed, Node, Product, Space, Sum
from milp_pips.compilation.space.split import Part, split
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline
from milp_pips.propagation import filter_domains

LEAF_NODES = 300
"""The greatest number of nodes of a diagram at a leaf."""

LEAF_BITS = 40.0
"""A part is first tried as a diagram if the logarithms of its domain sizes sum to at most that many bits."""

NO_LEAVES = -1.0
"""A value of ``LEAF_BITS`` that makes the compiler branch until nothing is open."""

FIRST_PART_NODES, PART_NODES_FACTOR = 300, 4
"""The nodes that the diagram of a part may have in the first lap, and the factor for each further lap."""

ORDERING = 8
"""Finding promising orders costs as many nodes as the square of the number of variables over this number. No
diagram is tried until it may have that many nodes."""

VARIABLES, EXPANDED = 2, 10
"""The number of variables that can be filtered or split for the cost of one node of a competing diagram, and
the fixed cost of each filtering or split in such nodes."""

PROMISING_PROGRESS = 1 / PART_NODES_FACTOR**2
"""A search with this progress in one lap is expected to finish within the next two laps."""

MAX_LISTING_NODES = 4 * FIRST_PART_NODES
"""The lap, by its number of nodes, in which the lister is called for a part."""

MAX_DEPTH = 300
"""The greatest depth of nested branches and splits."""

Lister: TypeAlias = Callable[[Problem, Sequence[int], "Deadline | None"], "Sequence[tuple[int, ...]] | None"]
"""Returns one solution for each view of some variables; None if there are too many views."""

EVERYTHING: Node = Product((), ())
"""The one solution of no variables."""


def compile_space(
    problem: Problem,
    variables: Iterable[int] | None = None,
    budget: Budget = DEFAULT_BUDGET,
    deadline: Deadline | None = None,
    lister: Lister | None = None,
) -> Space:
    """Return the space of the problem's solutions that differ in the variables; None stands for all of them.

    A ``lister`` lists the solutions of parts that are too hard for a small diagram and for a few branches.

    Raises
    ------
    Unfinished
        If the space does not fit the budget, or if the deadline expires.
    """
    visible = frozenset(range(len(problem.variables)) if variables is None else variables)
    compiler = Compiler(visible, budget, deadline, lister=lister)
    root = compiler.compile(Part.whole(problem))
    return Space(root, visible, listed=compiler.has_listed)


def compile_by_branching(
    problems: Iterable[Problem], nodes: int, deadline: Deadline | None = None
) -> Iterator[Space]:
    """Yield the space of one problem after another until the nodes are used up or the deadline expires.

    The problems differ only in their domains and constraints. This uses only filtering and branching, no
    decision diagrams.
    """
    compiler: Compiler | None = None
    for problem in problems:
        everything = frozenset(range(len(problem.variables)))
        compiler = compiler or Compiler(everything, Budget(nodes, 0), deadline, leaf_bits=NO_LEAVES)
        try:
            root = compiler.branch(Part.whole(problem))
        except Unfinished:
            return
        yield Space(root, everything)


class Compiler:
    """Make nodes whose solutions differ in the ``visible`` variables of the whole problem.

    The node of a part without visible variables is ``EVERYTHING``; None stands for a part without solutions.
    All methods raise Unfinished.
    """

    def __init__(
        self,
        visible: frozenset[int],
        budget: Budget,
        deadline: Deadline | None,
        *,
        leaf_bits: float = LEAF_BITS,
        lister: Lister | None = None,
    ):
        self.visible, self._budget, self._deadline, self._leaf_bits = visible, budget, deadline, leaf_bits
        self._lister, self.has_listed = lister, False
        self._known: dict[Hashable, Node | None] = {}
        self._allowance, self._progress = self._lap(budget.nodes), Progress()

    def compile(self, whole: Part) -> Node | None:
        """Return the node of a problem that may split into parts."""
        return self._compile(whole, self.run_laps)

    def branch(self, whole: Part) -> Node | None:
        """Return the node of a problem by branching, without laps of diagrams."""
        return self._compile(whole, self._divide)

    def _compile(self, whole: Part, compile_part: Callable[[Part], Node | None]) -> Node | None:
        """Return the node of a problem that has not been filtered."""
        filtered = self._filter(whole.problem)
        return None if filtered is None else self._expand(whole.with_problem(filtered), compile_part)

    def _lap(self, nodes: int) -> Allowance:
        return Allowance(nodes, self._deadline, self._budget.memory)

    def run_laps(self, part: Part) -> Node | None:
        """Return the node of a part: try one diagram, then branches, then both with more nodes.

        If branching makes good progress, no diagram is tried in between. If neither finishes soon, the lister
        is called once.
        """
        allowed, promising = min(FIRST_PART_NODES, self._budget.nodes), False
        while True:
            worth = (
                allowed in (FIRST_PART_NODES, self._budget.nodes)
                or allowed > len(part.variables) ** 2 / ORDERING
            )
            if worth and not promising:
                try:
                    return self._as_diagram(part, allowed)
                except Unfinished as reason:
                    _pass_over(reason)
            if allowed == MAX_LISTING_NODES and self._lister is not None:
                try:
                    return self._list(part, self._lister)
                except Unfinished as reason:
                    _pass_over(reason)
            self._allowance, self._progress = self._lap(allowed), Progress()
            try:
                return self._branch(part)
            except Unfinished as reason:
                _pass_over(reason)
                message = str(reason)
            if allowed == self._budget.nodes or self._allowance.full:
                raise Unfinished(message, Stop.MEMORY)
            allowed, promising = (
                min(PART_NODES_FACTOR * allowed, self._budget.nodes),
                self._progress.done > PROMISING_PROGRESS,
            )

    def _filter(self, problem: Problem) -> Problem | None:
        """Return the filtered problem; None if filtering refutes it."""
        self._allowance.spend(len(problem.variables) // VARIABLES + EXPANDED)
        try:
            filtered = filter_domains(problem, self._deadline)
        except Contradiction:
            return None
        self._allowance.spend()  # raises Unfinished if the deadline ended the filtering early
        return filtered

    def _expand(self, whole: Part, compile_part: Callable[[Part], Node | None]) -> Node | None:
        """Split a filtered problem and return its node."""
        try:
            fixed, parts = split(whole)
        except Contradiction:
            self._progress.add()
            return None
        if not parts:
            self._progress.add()
        factors = []
        with self._progress.among(len(parts)):
            for part in sorted(parts, key=lambda part: len(part.variables)):
                node = compile_part(part)
                if node is None:
                    return None
                factors.append(node)
        return self.product(fixed, factors)

    def product(self, fixed: Fragment, factors: Sequence[Node]) -> Node:
        """Return the product node; a factor that is a product itself is merged into it."""
        seen, single = [pair for pair in fixed if pair[0] in self.visible], list[Node]()
        for factor in factors:
            if isinstance(factor, Product):
                seen += factor.fixed
                single += factor.children
            else:
                single.append(factor)
        if not seen and len(single) < 2:
            return single[0] if single else EVERYTHING
        return Product(tuple(seen), single)

    def _divide(self, part: Part) -> Node | None:
        """Return the node of a part inside a branch; equal parts are compiled only once."""
        known = part.variables, part.problem.variables, part.problem.constraints
        if known not in self._known:
            self._known[known] = self._divide_anew(part)
        else:
            self._progress.add()
        return self._known[known]

    def _divide_anew(self, part: Part) -> Node | None:
        if sum([log2(len(variable.domain)) for variable in part.problem.variables]) <= self._leaf_bits:
            self._allowance.spend(LEAF_NODES)
            try:
                node = self._as_diagram(part, LEAF_NODES)
                self._progress.add()
                return node
            except Unfinished as reason:
                _pass_over(reason)
        return self._branch(part)

    def _branch(self, part: Part) -> Node | None:
        """Return the sum of a part's branches."""
        if self._progress.depth > MAX_DEPTH:
            raise Unfinished("the solution space grows too deep", Stop.MEMORY)
        if not part.problem.open_values:
            self._progress.add()
            point = [variable.domain[0] for variable in part.problem.variables]
            pairs = tuple([part.pair(v, value) for v, value in enumerate(point)])
            return self.product(pairs, []) if part.problem.violated(point) is None else None
        self._allowance.spend(len(part.problem.variables) // VARIABLES + EXPANDED)
        if self._deadline is not None:
            self._deadline.report_progress(lambda: f"{self._progress.done:.1%} of the branches are done")
        try:
            probing = Probing(part, self.visible, self._allowance.spend)
            best = probing.best_branches()
        except Contradiction:
            self._progress.add()
            return None
        if best is None:
            return self._expand(part.with_problem(probing.problem()), self._divide)
        told_by, domains = best
        nodes = []
        with self._progress.among(len(domains)):
            for restriction in domains:
                problem = probing.branch(restriction)
                node = None
                if problem is None:
                    self._progress.add()
                else:
                    node = self._expand(part.with_problem(problem), self._divide)
                if node is not None:
                    nodes.append(node)
                    if told_by.isdisjoint(self.visible):
                        break  # further branches differ only in invisible variables
        return Sum(nodes, part, told_by) if len(nodes) > 1 else nodes[0] if nodes else None

    def _list(self, part: Part, lister: Lister) -> Node | None:
        """Return the node of a part whose solutions the lister finds one by one."""
        seen = [v for v, whole in enumerate(part.variables) if whole in self.visible]
        points = lister(part.problem, seen, self._deadline)
        if points is None:
            stop = self._deadline.stop if self._deadline is not None else None
            raise Unfinished("there are too many solutions to list them", stop or Stop.MEMORY)
        self.has_listed = True
        if not points:
            return None
        return self.listed(Listed(tuple([part.pair(v, point[v]) for v in seen]) for point in points))

    def _as_diagram(self, part: Part, nodes: int) -> Node | None:
        """Return the node of a part as one decision diagram with at most that many nodes."""
        budget = replace(self._budget, nodes=nodes)
        try:
            diagram = compile_diagram(part.problem, budget, self._deadline)
        except Unsupported as reason:
            raise Unfinished(str(reason), Stop.MEMORY) from None
        if not diagram.count:
            return None
        seen = [v for v, whole in enumerate(part.variables) if whole in self.visible]
        return self.leaf(in_the_whole(self.project(diagram, seen), part))

    def project(self, diagram: Diagram, variables: Iterable[int]) -> Diagram:
        """Return the projection of a diagram to these variables."""
        return project(diagram, variables, self._budget, self._deadline)

    def listed(self, solutions: Listed) -> Node:
        """Return the node of listed solutions."""
        return solutions if solutions.count > 1 else self.product(solutions.fragments[0], [])

    def leaf(self, diagram: Diagram) -> Node:
        """Return the node of a diagram over variables of the whole."""
        return Leaf(diagram) if diagram.variables else EVERYTHING


def _pass_over(reason: Unfinished) -> None:
    """Raise the reason again unless the size is the reason."""
    if reason.stop is not Stop.MEMORY:
        raise reason


def in_the_whole(diagram: Diagram, part: Part) -> Diagram:
    """Return the diagram of a part with the variables and values of the whole."""
    order = [part.variables[v] for v in diagram.order]
    fragments = [tuple([part.pair(*pair) for pair in fragment]) for fragment in diagram.fragments]
    moved = Diagram(order, fragments, diagram.labels, diagram.children)
    moved.counts = diagram.counts
    return moved


# Some of the solutions, if there is not enough time or memory for all of them.


def compile_some(
    problem: Problem, widths: Sequence[int], budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Space | None:
    """Return a space of some solutions that were found in time, or None if none were found.

    Each part gets wider and wider restricted decision diagrams, and an equal share of the remaining time.
    """
    whole = Part.whole(problem)
    try:
        fixed, parts = split(whole.with_problem(filter_domains(problem, deadline)))
    except Contradiction:
        return None
    factors = []
    for number, part in enumerate(parts):
        own = None if deadline is None else EarlierDeadline(deadline, 1 - 1 / (len(parts) - number))
        best: Diagram | None = None
        with suppress(Unfinished, Unsupported):
            for diagram in compile_wider(part.problem, widths, budget, own):
                if best is None or diagram.count > best.count:
                    best = diagram
        if best is None:
            return None
        factors.append(Leaf(in_the_whole(best, part)))
    return Space(Product(fixed, factors), range(len(problem.variables)))
