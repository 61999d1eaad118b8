"""Bound and incumbent of a search with an objective: of the textbook's tree, and of HiGHS's log."""

from math import inf
from typing import NamedTuple

from matplotlib.axes import Axes

import milp_pips


class BoundStep(NamedTuple):
    """Bound and incumbent after ``nodes`` nodes, as values of the objective; None if not known yet."""

    nodes: int
    bound: float | None
    incumbent: float | None


def tree_steps(tree: milp_pips.SearchTree) -> list[BoundStep]:
    """Return a step for each solved node of a textbook search with an objective.

    A node is open once its parent is solved. What it may cost at least is what the relaxation of its parent
    does, and no solution costs less than the least of these and of the incumbent.
    """
    order = [inf if number is None else number for number in tree.numbers]
    steps = []
    for solved in range(1, sum(number is not None for number in tree.numbers) + 1):
        found = [
            node.bound
            for node, number in zip(tree.nodes, order, strict=True)
            if number <= solved and node.status == "solution"
        ]
        open_costs = [
            tree.nodes[node.parent].bound
            for node, number in zip(tree.nodes, order, strict=True)
            if number > solved and node.parent is not None and order[node.parent] <= solved
        ]
        incumbent = min(found, default=None)
        bound = min([*found, *open_costs], default=None)
        steps.append(BoundStep(solved, tree.value_of(bound), tree.value_of(incumbent)))
    return steps


def highs_steps(tree: milp_pips.SearchTree) -> list[BoundStep]:
    """Solve the model of a tree with HiGHS; return the steps of its log, which has each change."""
    highs, steps = tree.stated.model.to_highspy(), []
    for name, value in (("output_flag", True), ("log_to_console", False), ("mip_min_logging_interval", 0.0)):
        highs.setOptionValue(name, value)

    def follow(event) -> None:
        found = event.data_out
        costs = found.mip_dual_bound, found.mip_primal_bound
        steps.append(BoundStep(found.mip_node_count, *map(tree.value_of, costs)))

    highs.cbMipLogging += follow
    highs.run()
    highs.cbMipLogging -= follow
    return steps


def plot(axes: Axes, steps: list[BoundStep], name: str) -> None:
    """Plot bound and incumbent over the steps."""
    for what, colour in (("bound", "#c2410c"), ("incumbent", "#2563a8")):
        known = [(i, getattr(step, what)) for i, step in enumerate(steps) if getattr(step, what) is not None]
        axes.step(*zip(*known, strict=True), where="post", color=colour, label=what)
    axes.set_xlabel("step")
    axes.set_title(name)
    axes.legend()
