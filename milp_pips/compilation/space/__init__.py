"""Represent all solutions of a problem exactly, also if one decision diagram would be too large."""

from __future__ import annotations

from collections.abc import Iterable

from milp_pips.compilation.diagram import DEFAULT_BUDGET, Budget
from milp_pips.compilation.space.divide import Compiler, Lister
from milp_pips.compilation.space.divide import compile_by_branching as compile_by_branching
from milp_pips.compilation.space.divide import compile_some as compile_some
from milp_pips.compilation.space.divide import compile_space as compile_space
from milp_pips.compilation.space.estimate import Estimate as Estimate
from milp_pips.compilation.space.estimate import estimate as estimate
from milp_pips.compilation.space.space import Leaf, Listed, Node, Product, Sum
from milp_pips.compilation.space.space import Space as Space
from milp_pips.compilation.space.split import Part as Part
from milp_pips.compilation.space.split import Split as Split
from milp_pips.compilation.space.split import split as split
from milp_pips.problem.stopping import Deadline

# The projection of a solution space to some of its variables.


def project_space(
    space: Space,
    variables: Iterable[int],
    budget: Budget = DEFAULT_BUDGET,
    deadline: Deadline | None = None,
    lister: Lister | None = None,
) -> Space:
    """Return the projection of a space to these variables, in which each view occurs once.

    If branches may agree in the visible variables, the part that was branched on is compiled again. Raises
    Unfinished.
    """
    visible = frozenset(variables)
    if visible.issuperset(space.variables):
        return space
    compiler = Compiler(visible, budget, deadline, lister=lister)
    root = None if space.root is None else View(compiler).of(space.root)
    return Space(root, visible, listed=space.listed or compiler.has_listed)


class View:
    """The projections of the nodes of a space to the compiler's visible variables. Raises Unfinished."""

    def __init__(self, compiler: Compiler):
        self._compiler = compiler
        self._known: dict[Node, Node] = {}

    def of(self, node: Node) -> Node:
        """Return the projection of a node that was made for more visible variables."""
        if node not in self._known:
            self._known[node] = self._made_of(node)
        return self._known[node]

    def _made_of(self, node: Node) -> Node:
        compiler = self._compiler
        match node:
            case Leaf():
                return compiler.leaf(compiler.project(node.diagram, compiler.visible))
            case Listed():
                return compiler.listed(node.seen_by(compiler.visible))
            case Product():
                return compiler.product(node.fixed, [self.of(factor) for factor in node.children])
            case Sum() if node.told_by <= compiler.visible:
                return Sum([self.of(branch) for branch in node.children], node.part, node.told_by)
            case Sum():
                view = self._only_view(node.part) or compiler.run_laps(node.part)
                if view is not None:
                    return view
        raise TypeError(f"no view of {node}")

    def _only_view(self, part: Part) -> Node | None:
        """Return the one view that all solutions of a solvable part share; None if views may differ."""
        seen = [v for v, whole in enumerate(part.variables) if whole in self._compiler.visible]
        domains = [part.problem.variables[v].domain for v in seen]
        if any(len(domain) > 1 for domain in domains):
            return None
        fixed = [part.pair(v, domain[0]) for v, domain in zip(seen, domains, strict=True)]
        return self._compiler.product(tuple(fixed), [])
