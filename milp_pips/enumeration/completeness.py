"""Whether a list of solutions is complete: a second opinion, by something that did not make the list."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from milp_pips.answer import Answer, Proof, Stop
from milp_pips.confirm import by_highs, counted_by_diagram
from milp_pips.diagram import compile_diagram, projected
from milp_pips.errors import EngineFault
from milp_pips.problem import NoGood, Problem
from milp_pips.watch import Watch

NODES = 3_000_000
"""Nodes that a decision diagram may take: less than a gigabyte."""

LISTED = 300
"""Solutions up to which completeness is confirmed by cutting them all off."""


def confirm_engines_list(
    problem: Problem, key: str, listed: Collection[tuple[int, ...]], who: str, formulation: str, watch: Watch
) -> str | None:
    """Return by what it is confirmed that an engine's list of values of the key is complete, or None.

    By the decision diagram, which must count as many; where that does not fit, by HiGHS, which must find
    none once all are cut off. Raises EngineFault if it is contradicted.
    """
    count = _count(problem, key, watch)
    if count is None:
        return _none_left(problem, key, listed, who, formulation, watch) if len(listed) <= LISTED else None
    if count != len(listed):
        raise EngineFault(
            f"{who} calls {len(listed)} solutions complete, the decision diagram counts {count}"
        )
    return "the decision diagram, which counts as many"


def confirm_diagrams_list(problem: Problem, key: str, count: int, watch: Watch) -> str | None:
    """Return by what it is confirmed that a decision diagram's list is complete, or None.

    Up to ``LISTED`` solutions by HiGHS, which must find none once all are cut off; beyond by the diagrams of
    the parts of the problem, one for each value of a variable. Raises EngineFault if it is contradicted.
    """
    if count <= LISTED:
        return _none_left(problem, key, set(_keys(problem, key, watch)), "the decision diagram", "", watch)
    v = max(problem.keys[key], key=lambda v: len(problem.variables[v].domain))
    total = 0
    for value in problem.variables[v].domain:
        part = _count(problem.restricted({v: (value,)}), key, watch)
        if part is None:
            return None
        total += part
    if total != count:
        raise EngineFault(f"the decision diagram counts {count}, those of its parts {total}")
    return "the decision diagrams of its parts, which count as many"


def _none_left(
    problem: Problem, key: str, listed: Collection[tuple[int, ...]], who: str, formulation: str, watch: Watch
) -> str | None:
    variables, least = problem.keys[key], problem.least_difference(key)
    rest = problem.with_constraints(NoGood(variables, values, least) for values in sorted(listed))
    first = Answer(None, Proof.INFEASIBLE, Stop.FINISHED, formulation=formulation)
    confirmation = by_highs(rest, first, watch)
    if confirmation.contradiction is not None:
        raise EngineFault(
            f"{who} calls {len(listed)} solutions complete, {confirmation.witness} finds another"
        )
    return confirmation.confirmed_by


def _count(problem: Problem, key: str, watch: Watch) -> int | None:
    return counted_by_diagram(problem, problem.keys[key], NODES // 4, watch)


def _keys(problem: Problem, key: str, watch: Watch) -> Iterator[tuple[int, ...]]:
    diagram = projected(compile_diagram(problem, NODES, watch), problem.keys[key], NODES, watch)
    yield from diagram.assignments()
