"""Compile the solution space: filter, split, and divide what no small decision diagram holds.

Dividing is a depth-first search that keeps everything (Huang and Darwiche 2007): a part is branched on, each
branch is filtered and splits again, and equal parts that are met again are not worked out again (component
caching, Bacchus, Dalmao and Pitassi 2003; sharpSAT, Thurley 2006). A part that few values are open in goes to
a decision diagram, and to more branches if it outgrows that.

Which is better for a part, one diagram or many branches, nobody knows beforehand. So both are tried in turn,
each lap with several times the work of the last: the worse one costs at most some times what the better does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import log2

from milp_pips.answer import Stop
from milp_pips.diagram import (
    DEFAULT,
    Allowance,
    Budget,
    Diagram,
    Unfinished,
    Unsupported,
    compile_diagram,
    compile_wider,
    project,
)
from milp_pips.diagram.solutions import Fragment
from milp_pips.filtering import Contradiction, filter_domains
from milp_pips.problem import Problem
from milp_pips.space.branching import candidates
from milp_pips.space.space import Leaf, Node, Product, Space, Sum
from milp_pips.space.split import Part, split
from milp_pips.watch import EarlierWatch, Watch

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
"""Variables that are filtered and split for the cost of a node of diagrams that race; what each time costs
besides, in such nodes."""

PROMISING = 1 / FACTOR**2
"""A search that has come so far in a lap is through within the next two, as far as one can tell."""

AHEAD, WIDE = 8, 60
"""How many ways to branch are looked at, in parts of more variables than that: each branch is filtered, and
the best are those of which one has no solution, or that leave the least open. Of 70
boards with every pip given, the worst took 5.4 s in place of 7.8 s with two, all together 7 % more."""

DEEPEST = 300
"""Branches and splits one below the other, at most."""

EVERYTHING: Node = Product((), ())
"""The one solution of no variables."""


def compile_space(
    problem: Problem,
    variables: Iterable[int] | None = None,
    budget: Budget = DEFAULT,
    watch: Watch | None = None,
) -> Space:
    """Return the solutions of the problem that differ in the variables, None standing for all of them.

    Raises
    ------
    Unfinished
        When it does not fit the budget, or when the watch says stop.
    """
    visible = frozenset(range(len(problem.variables)) if variables is None else variables)
    return Space(Compiler(visible, budget, watch).compile(Part.whole(problem)), visible)


def compile_by_branching(
    problems: Iterable[Problem], nodes: int, watch: Watch | None = None
) -> Iterator[Space]:
    """Yield the space of one problem after another, until they cost too many nodes or the watch says stop.

    They differ in their domains and constraints alone. All is done by filtering and branching: no decision
    diagram has a part in it.
    """
    compiler: Compiler | None = None
    for problem in problems:
        everything = frozenset(range(len(problem.variables)))
        compiler = compiler or Compiler(everything, Budget(nodes, 0), watch, leaf_bits=NO_LEAVES)
        try:
            root = compiler.branch(Part.whole(problem))
        except Unfinished:
            return
        yield Space(root, everything)


def compile_some(
    problem: Problem, widths: Sequence[int], budget: Budget = DEFAULT, watch: Watch | None = None
) -> Space | None:
    """Return a space of some solutions, found in time, or None where none are found that way.

    Each part gets restricted decision diagrams, wider and wider, and an equal share of the time that is left.
    """
    whole = Part.whole(problem)
    try:
        fixed, parts = split(whole.with_problem(filter_domains(problem)))
    except Contradiction:
        return None
    factors = []
    for number, part in enumerate(parts):
        own = None if watch is None else EarlierWatch(watch, 1 - 1 / (len(parts) - number))
        best: Diagram | None = None
        with suppress(Unfinished, Unsupported):
            for diagram in compile_wider(part.problem, widths, budget, own):
                if best is None or diagram.count > best.count:
                    best = diagram
        if best is None:
            return None
        factors.append(Leaf(_in_the_whole(best, part)))
    return Space(Product(fixed, factors), range(len(problem.variables)))


def project_space(
    space: Space, variables: Iterable[int], budget: Budget = DEFAULT, watch: Watch | None = None
) -> Space:
    """Return the solutions of a space as they look to someone who sees these variables only, each view once.

    Where branches look the same to them, the part that was branched on is compiled anew. Raises Unfinished.
    """
    visible = frozenset(variables)
    if visible.issuperset(space.variables):
        return space
    compiler = Compiler(visible, budget, watch)
    return Space(None if space.root is None else compiler.view(space.root), visible)


class Progress:
    """How much of a search tree is done, if all branches of a node are equally large (Knuth 1975)."""

    def __init__(self) -> None:
        self.done, self.depth = 0.0, 0
        self._share = 1.0

    def add(self) -> None:
        """Note that what is being searched is done."""
        self.done += self._share

    @contextmanager
    def among(self, size: int) -> Iterator[None]:
        """Search so many things that are together what is being searched."""
        share, self._share, self.depth = self._share, self._share / max(1, size), self.depth + 1
        try:
            yield
        finally:
            self._share, self.depth = share, self.depth - 1


class Compiler:
    """Makes nodes that tell solutions by the ``visible`` variables of the whole problem.

    A node that sees none of them is ``EVERYTHING``; None stands for a part without solutions. All methods
    raise Unfinished.
    """

    def __init__(
        self, visible: frozenset[int], budget: Budget, watch: Watch | None, leaf_bits: float = LEAF_BITS
    ):
        self._visible, self._budget, self._watch, self._leaf_bits = visible, budget, watch, leaf_bits
        self._known: dict[Hashable, Node | None] = {}
        self._views: dict[Node, Node] = {}
        self._allowance, self._progress = self._lap(budget.nodes), Progress()

    def compile(self, whole: Part) -> Node | None:
        """Return the node of a problem that may fall into parts."""
        return self._compile(whole, self._race)

    def branch(self, whole: Part) -> Node | None:
        """Return the node of a problem that is branched on, whatever small diagrams would hold it."""
        return self._compile(whole, self._divide)

    def _compile(self, whole: Part, compile_part: Callable[[Part], Node | None]) -> Node | None:
        """Return the node of a problem that has not been filtered."""
        filtered = self._filter(whole.problem)
        return None if filtered is None else self._expand(whole.with_problem(filtered), compile_part)

    def view(self, node: Node) -> Node:
        """Return what a node made for more visible variables looks like."""
        if node not in self._views:
            self._views[node] = self._view(node)
        return self._views[node]

    def _view(self, node: Node) -> Node:
        match node:
            case Leaf():
                return self._leaf(self._project(node.diagram, self._visible))
            case Product():
                return self._product(node.fixed, [self.view(factor) for factor in node.children])
            case Sum() if node.told_by <= self._visible:
                return Sum([self.view(branch) for branch in node.children], node.part, node.told_by)
            case Sum():
                told = self._only_view(node.part) or self._race(node.part)
                if told is not None:
                    return told
        raise TypeError(f"no view of {node}")

    def _only_view(self, part: Part) -> Node | None:
        """Return what all solutions of a part look like, where there are some; None if they may differ."""
        seen = [v for v, whole in enumerate(part.variables) if whole in self._visible]
        domains = [part.problem.variables[v].domain for v in seen]
        if any(len(domain) > 1 for domain in domains):
            return None
        fixed = [part.pair(v, domain[0]) for v, domain in zip(seen, domains, strict=True)]
        return self._product(tuple(fixed), [])

    def _lap(self, nodes: int) -> Allowance:
        return Allowance(nodes, self._watch, self._budget.memory)

    def _race(self, part: Part) -> Node | None:
        """Return the node of a part: try one diagram, then branches, then either with more nodes.

        Where branches come along well, no diagram is tried in between.
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
            self._allowance, self._progress = self._lap(allowed), Progress()
            try:
                return self._branch(part)
            except Unfinished as reason:
                _pass_over(reason)
                told = str(reason)
            if allowed == self._budget.nodes or self._allowance.full:
                raise Unfinished(told, Stop.MEMORY)
            allowed, promising = min(FACTOR * allowed, self._budget.nodes), self._progress.done > PROMISING

    def _filter(self, problem: Problem) -> Problem | None:
        """Return the problem filtered; None where that shows that it has no solution."""
        self._allowance.spend(len(problem.variables) // VARIABLES + EXPANDED)
        try:
            return filter_domains(problem)
        except Contradiction:
            return None

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
        return self._product(fixed, factors)

    def _product(self, fixed: Fragment, factors: Sequence[Node]) -> Node:
        """Return the product; a factor that is one itself is merged into it."""
        seen, single = [pair for pair in fixed if pair[0] in self._visible], list[Node]()
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
        if self._progress.depth > DEEPEST:
            raise Unfinished("the solution space grows too deep", Stop.MEMORY)
        if not part.problem.open_values:
            self._progress.add()
            point = [variable.domain[0] for variable in part.problem.variables]
            pairs = tuple([part.pair(v, value) for v, value in enumerate(point)])
            return self._product(pairs, []) if part.problem.violated(point) is None else None
        told_by, branches = self._look_ahead(part)
        nodes = []
        with self._progress.among(len(branches)):
            for problem in branches:
                node = None
                if problem is None:
                    self._progress.add()
                else:
                    node = self._expand(part.with_problem(problem), self._divide)
                if node is not None:
                    nodes.append(node)
                    if told_by.isdisjoint(self._visible):
                        break  # nobody sees by what further branches differ
        return Sum(nodes, part, told_by) if len(nodes) > 1 else nodes[0] if nodes else None

    def _look_ahead(self, part: Part) -> tuple[frozenset[int], list[Problem | None]]:
        """Return the best branches of a part, filtered: one has no solution, or the least is left open."""
        best: tuple[int, frozenset[int], list[Problem | None]] | None = None
        for told_by, domains in candidates(part, self._visible, AHEAD if len(part.variables) > WIDE else 1):
            branches = [self._filter(part.problem.restricted(restriction)) for restriction in domains]
            if None in branches:
                return told_by, branches
            left = sum([problem.open_values for problem in branches if problem is not None])
            if best is None or left < best[0]:
                best = left, told_by, branches
        assert best is not None
        return best[1], best[2]

    def _as_diagram(self, part: Part, nodes: int) -> Node | None:
        """Return the diagram of a part as a node."""
        budget = replace(self._budget, nodes=nodes)
        try:
            diagram = compile_diagram(part.problem, budget, self._watch)
        except Unsupported as reason:
            raise Unfinished(str(reason), Stop.MEMORY) from None
        if not diagram.count:
            return None
        seen = [v for v, whole in enumerate(part.variables) if whole in self._visible]
        return self._leaf(_in_the_whole(self._project(diagram, seen), part))

    def _project(self, diagram: Diagram, variables: Iterable[int]) -> Diagram:
        return project(diagram, variables, self._budget, self._watch)

    def _leaf(self, diagram: Diagram) -> Node:
        return Leaf(diagram) if diagram.variables else EVERYTHING


def _pass_over(reason: Unfinished) -> None:
    """Raise the reason again unless it is the size."""
    if reason.stop is not Stop.MEMORY:
        raise reason


def _in_the_whole(diagram: Diagram, part: Part) -> Diagram:
    """Return the diagram of a part with the variables and values of the whole."""
    order = [part.variables[v] for v in diagram.order]
    fragments = [tuple([part.pair(*pair) for pair in fragment]) for fragment in diagram.fragments]
    moved = Diagram(order, fragments, diagram.labels, diagram.children)
    moved.counts = diagram.counts
    return moved
