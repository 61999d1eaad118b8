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

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import inf, log2
from typing import TypeAlias

from milp_pips.compilation.branching import Probing, SearchProgress
from milp_pips.compilation.decision_diagram import Diagram
from milp_pips.compilation.layers import DiagramCompiler
from milp_pips.compilation.limits import Allowance, Budget, Unfinished, Unsupported, too_large_suppressed
from milp_pips.compilation.nodes import Fragment, Node, Product, Sum
from milp_pips.compilation.parts import Part, split
from milp_pips.compilation.projection import project
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
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

MAX_AWAITED_NODES = 20_000
"""If the estimate for the best order, times ``PART_NODES_FACTOR``, is at most that many nodes, nothing but
diagrams is tried up to there. The estimate of 2025-10-28 is a third of the nodes."""

PROMISING_PROGRESS = 1 / PART_NODES_FACTOR**2
"""A search with this progress in one lap is expected to finish within the next two laps."""

MAX_LISTING_NODES = 4 * FIRST_PART_NODES
"""The lap, by its number of nodes, in which the lister is called for a part."""

MAX_DEPTH = 300
"""The greatest depth of nested branches and splits."""

Lister: TypeAlias = Callable[[Problem, Sequence[int], Deadline], "Sequence[tuple[int, ...]] | None"]
"""Returns one solution for each view of some variables; None if there are too many views."""

EVERYTHING: Node = Product((), ())
"""The one solution of no variables."""


class Compiler:
    """Make nodes whose solutions differ in the ``visible`` variables of the whole problem.

    The node of a part without visible variables is ``EVERYTHING``; None stands for a part without solutions.
    All methods raise Unfinished. Compilers of the same variables may share ``known``, the nodes of parts
    inside branches.
    """

    def __init__(
        self,
        visible: Iterable[int],
        budget: Budget,
        deadline: Deadline,
        *,
        leaf_bits: float = LEAF_BITS,
        lister: Lister | None = None,
        known: dict[Hashable, Node | None] | None = None,
    ):
        self.visible = frozenset(visible)
        self._budget, self._deadline, self._leaf_bits = budget, deadline, leaf_bits
        self._lister, self.has_listed = lister, False
        self._known = {} if known is None else known
        self._views: dict[Node, Node] = {}
        self._allowance, self._progress = self._lap(budget.nodes), SearchProgress()

    def compile(self, problem: Problem) -> Node | None:
        """Return the node of a problem, which is filtered first and may split into parts."""
        filtered = self._filter(problem)
        return None if filtered is None else self._expand(Part.whole(filtered), self.run_laps)

    def compile_by_branching(self, filtered: Problem) -> Node | None:
        """Return the node of a filtered problem, without laps of diagrams."""
        self._allowance.spend(EXPANDED)
        return self._expand(Part.whole(filtered), self._divide)

    def _lap(self, nodes: int) -> Allowance:
        return Allowance(nodes, self._deadline, self._budget.memory)

    def run_laps(self, part: Part) -> Node | None:
        """Return the node of a part: try one diagram, then branches, then both with more nodes.

        If branching makes good progress, no diagram is tried in between. If a diagram is expected to finish
        soon, nothing else is tried before. If neither finishes soon, the lister is called once.
        """
        allowed, promising, lister = min(FIRST_PART_NODES, self._budget.nodes), False, self._lister
        diagrams: DiagramCompiler | None = None
        # Only a try shows whether a diagram or branching is better. Each lap allows a constant factor more
        # nodes than the one before, so all failed laps together cost a constant factor of the last one.
        while True:
            if self._may_order(part, allowed) and not promising:
                try:
                    diagrams = diagrams or self._diagrams(part)
                    return self._as_diagram(part, diagrams, allowed)
                except Unfinished as reason:
                    if reason.stop is not Stop.MEMORY:
                        raise
                if self._awaits_diagram(part, diagrams, allowed):
                    allowed = min(PART_NODES_FACTOR * allowed, self._budget.nodes)
                    continue
            if allowed >= MAX_LISTING_NODES and lister is not None:
                once, lister = lister, None  # a list that was too long stays too long
                with too_large_suppressed():
                    return self._list(part, once)
            self._allowance, self._progress = self._lap(allowed), SearchProgress()
            try:
                return self._branch(part)
            except Unfinished as reason:
                is_last = allowed == self._budget.nodes or self._allowance.full
                if reason.stop is not Stop.MEMORY or is_last:
                    raise
            allowed = min(PART_NODES_FACTOR * allowed, self._budget.nodes)
            promising = self._progress.done > PROMISING_PROGRESS

    def _may_order(self, part: Part, allowed: int) -> bool:
        """Return whether finding promising orders is worth its cost in this lap."""
        no_orders = allowed in (FIRST_PART_NODES, self._budget.nodes)
        return no_orders or allowed > len(part.variables) ** 2 / ORDERING

    def _awaits_diagram(self, part: Part, diagrams: DiagramCompiler | None, allowed: int) -> bool:
        """Return whether the next diagram is tried before anything else."""
        if diagrams is None or allowed == self._budget.nodes:
            return False
        if diagrams.expected_nodes == inf:  # the next lap estimates the orders
            return allowed == FIRST_PART_NODES and self._may_order(part, PART_NODES_FACTOR * allowed)
        return allowed <= PART_NODES_FACTOR * diagrams.expected_nodes <= MAX_AWAITED_NODES

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
        factors = []
        try:
            fixed, parts = split(whole)
            # The smallest part first: if it has no solution, the larger ones need not be compiled at all.
            for part in self._progress.among(sorted(parts, key=lambda part: len(part.variables))):
                node = compile_part(part)
                if node is None:
                    return None
                factors.append(node)
        except Contradiction:
            return None
        return self.product(fixed, factors)

    def product(self, fixed: Fragment, factors: Sequence[Node]) -> Node:
        """Return the product node; a factor that is a product itself is merged into it."""
        seen, single = [pair for pair in fixed if pair[0] in self.visible], list[Node]()
        for factor in factors:
            if isinstance(factor, Product):
                seen += factor.fixed
                single += factor.below
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
        return self._known[known]

    def _divide_anew(self, part: Part) -> Node | None:
        if sum([log2(len(variable.domain)) for variable in part.problem.variables]) <= self._leaf_bits:
            self._allowance.spend(LEAF_NODES)
            with too_large_suppressed():
                return self._as_diagram(part, self._diagrams(part), LEAF_NODES)
        return self._branch(part)

    def _branch(self, part: Part) -> Node | None:
        """Return the sum of a part's branches."""
        if self._progress.depth > MAX_DEPTH:
            raise Unfinished("the solution space grows too deep", Stop.MEMORY)
        if not part.problem.open_values:
            point = [variable.domain[0] for variable in part.problem.variables]
            pairs = tuple([part.pair(v, value) for v, value in enumerate(point)])
            return self.product(pairs, []) if part.problem.violated(point) is None else None
        self._allowance.spend(len(part.problem.variables) // VARIABLES + EXPANDED)
        self._deadline.progress.report_sometimes(
            lambda: f"{self._progress.done:.1%} of the branches are done"
        )
        try:
            probing = Probing(part, self.visible, self._allowance.spend)
            best = probing.best_branches()
        except Contradiction:
            return None
        if best is None:
            return self._expand(part.with_problem(probing.problem()), self._divide)
        differ_in, domains = best
        # Invariant: the branches are disjoint, so the numbers of their solutions add up.
        nodes = []
        for restriction in self._progress.among(domains):
            problem = probing.branch(restriction)
            node = None if problem is None else self._expand(part.with_problem(problem), self._divide)
            if node is not None:
                nodes.append(node)
                if differ_in.isdisjoint(self.visible):
                    break  # further branches differ only in invisible variables
        return Sum(nodes, part, differ_in) if len(nodes) > 1 else nodes[0] if nodes else None

    def _list(self, part: Part, lister: Lister) -> Node | None:
        """Return the node of a part whose solutions the lister finds one by one."""
        seen = [v for v, whole in enumerate(part.variables) if whole in self.visible]
        points = lister(part.problem, seen, self._deadline)
        if points is None:
            stop = self._deadline.stop or Stop.MEMORY
            raise Unfinished("the list of solutions was not finished", stop)
        self.has_listed = True
        if not points:
            return None
        listed = {tuple([part.pair(v, point[v]) for v in seen]) for point in points}
        return self.leaf(Diagram.of_list([part.variables[v] for v in seen], sorted(listed)))

    def _diagrams(self, part: Part) -> DiagramCompiler:
        """Return the compiler of a part's diagrams. Raises Contradiction if there are none."""
        try:
            return DiagramCompiler(part.problem, self._budget, self._deadline)
        except Unsupported as reason:
            raise Unfinished(str(reason), Stop.MEMORY) from None

    def _as_diagram(self, part: Part, diagrams: DiagramCompiler, nodes: int) -> Node | None:
        """Return the node of a part as one decision diagram with at most that many nodes."""
        diagram = diagrams.exact(nodes)
        return self.leaf(in_the_whole(diagram, part)) if diagram.count else None

    def leaf(self, diagram: Diagram) -> Node:
        """Return the node of a diagram over variables of the whole, projected to the visible ones."""
        seen = project(diagram, self.visible, self._budget, self._deadline)
        return seen if seen.order else EVERYTHING

    # Projection of nodes that were made for more visible variables: each view occurs once.

    def view(self, node: Node) -> Node:
        """Return the projection of a node to the visible variables.

        If branches may agree in the visible variables, the part that was branched on is compiled again.
        """
        if node not in self._views:
            self._views[node] = self._view(node)
        return self._views[node]

    def _view(self, node: Node) -> Node:
        match node:
            case Diagram():
                return self.leaf(node)
            case Product():
                return self.product(node.fixed, [self.view(factor) for factor in node.below])
            case Sum() if node.differ_in <= self.visible:
                return Sum([self.view(branch) for branch in node.below], node.part, node.differ_in)
            case Sum():
                view = self._only_view(node.part) or self.run_laps(node.part)
                if view is not None:
                    return view
        raise TypeError(f"no view of {node}")

    def _only_view(self, part: Part) -> Node | None:
        """Return the one view that all solutions of a solvable part share; None if views may differ."""
        seen = [v for v, whole in enumerate(part.variables) if whole in self.visible]
        domains = [part.problem.variables[v].domain for v in seen]
        if any(len(domain) > 1 for domain in domains):
            return None
        return self.product(
            tuple([part.pair(v, domain[0]) for v, domain in zip(seen, domains, strict=True)]), []
        )


def in_the_whole(diagram: Diagram, part: Part) -> Diagram:
    """Return the diagram of a part with the variables and values of the whole."""
    order = [part.variables[v] for v in diagram.order]
    fragments = [tuple([part.pair(*pair) for pair in fragment]) for fragment in diagram.fragments]
    return Diagram(order, fragments, diagram.labels, diagram.children, counts=diagram.counts)
