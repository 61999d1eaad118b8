"""Compile the solution space: filter, split, and divide what no small decision diagram holds.

Dividing is a depth-first search that keeps everything (Huang and Darwiche 2007): a part is branched on, each
branch is filtered and splits again, and equal parts that are met again are not worked out again (component
caching, Bacchus, Dalmao and Pitassi 2003; sharpSAT, Thurley 2006). A part that few values are open in goes to
a decision diagram, and to more branches if it outgrows that.

Which is better for a part, one diagram or many branches, nobody knows beforehand. So both are tried in turn,
each lap with several times the work of the last: the worse one costs at most some times what the better does.
A part with few solutions may be hard for both, where whoever learns from dead ends soon has them all; so a
lister, where there is one, is asked once in between.
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
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline
from milp_pips.propagation import Contradiction, filter_domains

LEAF_NODES = 300
"""Nodes of a diagram at the leaves."""

LEAF_BITS = 40.0
"""A part is first tried as a diagram if the logarithms of its domains' sizes add up to so many bits."""

NO_LEAVES = -1.0
"""In place of ``LEAF_BITS``: branching goes on until nothing is open."""

FIRST_LAP, FACTOR = 300, 4
"""Nodes that the diagram of a part may have in the first lap, and how many times more in each further one."""

ORDERING = 8
"""To find promising orders costs as much as so many nodes: the square of the number of variables over this.
Diagrams wait until they may have as many."""

VARIABLES, EXPANDED = 2, 10
"""Variables that are filtered or split for the cost of a node of diagrams that race; what each time costs
besides, in such nodes."""

PROMISING_PROGRESS = 1 / FACTOR**2
"""A search that has come so far in a lap is through within the next two, as far as one can tell."""

MAX_LISTING_NODES = 4 * FIRST_LAP
"""Nodes that were not enough for diagram or branches when solutions are listed, once for a part."""

MAX_DEPTH = 300
"""Branches and splits one below the other, at most."""

Lister: TypeAlias = Callable[[Problem, Sequence[int], "Deadline | None"], "Sequence[tuple[int, ...]] | None"]
"""Returns a point for each way in which the solutions look to someone who sees some variables; None where
these are too many for it."""

EVERYTHING: Node = Product((), ())
"""The one solution of no variables."""


def compile_space(
    problem: Problem,
    variables: Iterable[int] | None = None,
    budget: Budget = DEFAULT_BUDGET,
    deadline: Deadline | None = None,
    lister: Lister | None = None,
) -> Space:
    """Return the solutions of the problem that differ in the variables, None standing for all of them.

    A ``lister`` is asked about parts that neither a small diagram nor few branches hold.

    Raises
    ------
    Unfinished
        When it does not fit the budget, or when the deadline says stop.
    """
    visible = frozenset(range(len(problem.variables)) if variables is None else variables)
    compiler = Compiler(visible, budget, deadline, lister=lister)
    root = compiler.compile(Part.whole(problem))
    return Space(root, visible, listed=compiler.has_listed)


def compile_by_branching(
    problems: Iterable[Problem], nodes: int, deadline: Deadline | None = None
) -> Iterator[Space]:
    """Yield the space of one problem after another, until they cost too many nodes or the deadline says stop.

    They differ in their domains and constraints alone. All is done by filtering and branching: no decision
    diagram has a part in it.
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
    """Makes nodes that tell solutions by the ``visible`` variables of the whole problem.

    A node that sees none of them is ``EVERYTHING``; None stands for a part without solutions. All methods
    raise Unfinished.
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
        """Return the node of a problem that may fall into parts."""
        return self._compile(whole, self.run_laps)

    def branch(self, whole: Part) -> Node | None:
        """Return the node of a problem that is branched on, whatever small diagrams would hold it."""
        return self._compile(whole, self._divide)

    def _compile(self, whole: Part, compile_part: Callable[[Part], Node | None]) -> Node | None:
        """Return the node of a problem that has not been filtered."""
        filtered = self._filter(whole.problem)
        return None if filtered is None else self._expand(whole.with_problem(filtered), compile_part)

    def _lap(self, nodes: int) -> Allowance:
        return Allowance(nodes, self._deadline, self._budget.memory)

    def run_laps(self, part: Part) -> Node | None:
        """Return the node of a part: try one diagram, then branches, then either with more nodes.

        Where branches come along well, no diagram is tried in between. Where neither does, the lister is
        asked once.
        """
        allowed, promising = min(FIRST_LAP, self._budget.nodes), False
        while True:
            worth = (
                allowed in (FIRST_LAP, self._budget.nodes) or allowed > len(part.variables) ** 2 / ORDERING
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
                told = str(reason)
            if allowed == self._budget.nodes or self._allowance.full:
                raise Unfinished(told, Stop.MEMORY)
            allowed, promising = (
                min(FACTOR * allowed, self._budget.nodes),
                self._progress.done > PROMISING_PROGRESS,
            )

    def _filter(self, problem: Problem) -> Problem | None:
        """Return the problem filtered; None where that shows that it has no solution."""
        self._allowance.spend(len(problem.variables) // VARIABLES + EXPANDED)
        try:
            filtered = filter_domains(problem, self._deadline)
        except Contradiction:
            return None
        self._allowance.spend()  # where the deadline has said stop, filtering ended early
        return filtered

    def _expand(self, whole: Part, compile_part: Callable[[Part], Node | None]) -> Node | None:
        """Return the node of a filtered problem once it has been split."""
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
        """Return the product; a factor that is one itself is merged into it."""
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
        """Return the node of a part inside a branch, worked out once."""
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
                        break  # nobody sees by what further branches differ
        return Sum(nodes, part, told_by) if len(nodes) > 1 else nodes[0] if nodes else None

    def _list(self, part: Part, lister: Lister) -> Node | None:
        """Return the solutions of a part, found one by one, as a node."""
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
        """Return the diagram of a part as a node."""
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
        """Return what a diagram looks like to someone who sees these variables."""
        return project(diagram, variables, self._budget, self._deadline)

    def listed(self, solutions: Listed) -> Node:
        """Return the node of solutions that were listed."""
        return solutions if solutions.count > 1 else self.product(solutions.fragments[0], [])

    def leaf(self, diagram: Diagram) -> Node:
        """Return the node of a diagram of the whole."""
        return Leaf(diagram) if diagram.variables else EVERYTHING


def _pass_over(reason: Unfinished) -> None:
    """Raise the reason again unless it is the size."""
    if reason.stop is not Stop.MEMORY:
        raise reason


def in_the_whole(diagram: Diagram, part: Part) -> Diagram:
    """Return the diagram of a part with the variables and values of the whole."""
    order = [part.variables[v] for v in diagram.order]
    fragments = [tuple([part.pair(*pair) for pair in fragment]) for fragment in diagram.fragments]
    moved = Diagram(order, fragments, diagram.labels, diagram.children)
    moved.counts = diagram.counts
    return moved


# Some of the solutions, where there is neither time nor memory for all of them.


def compile_some(
    problem: Problem, widths: Sequence[int], budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None
) -> Space | None:
    """Return a space of some solutions, found in time, or None where none are found that way.

    Each part gets restricted decision diagrams, wider and wider, and an equal share of the time that is left.
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
