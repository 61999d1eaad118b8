"""Simple reasons why a problem has no solution, found without any engine and without the propagation."""

from __future__ import annotations

from milp_pips.algorithms.matching import Barrier, perfect_matching
from milp_pips.problem.problem import DominoCover, Problem, Regular


def obstruction(problem: Problem) -> str | None:
    """Return a proof, in one sentence, that the problem has no solution; None where there is no simple one.

    Looks for empty domains; in a ``Regular``, for an automaton that accepts no word of this length; in a
    ``DominoCover``, for cells without neighbours, parts of odd size, two-coloured parts with more cells of
    one colour (the mutilated chessboard), and for a barrier: any board without a perfect matching has one.
    """
    for constraint in problem.constraints:
        if isinstance(constraint, DominoCover):
            reason = _uncoverable(problem, constraint)
            if reason:
                return reason
    for variable in problem.variables:
        if not variable.domain:
            return f"{variable.name} can take no value"
    for constraint in problem.constraints:
        if isinstance(constraint, Regular) and not _has_word(problem, constraint):
            return f"'{constraint.label}' cannot be obeyed on {len(constraint.variables)} cells"
    return None


def _has_word(problem: Problem, regular: Regular) -> bool:
    following: dict[tuple[int, int], int] = {(q, a): r for q, a, r in regular.automaton.arcs}
    states = {regular.automaton.start}
    for v in regular.variables:
        domain = problem.variables[v].domain
        states = {following[q, a] for q in states for a in domain if (q, a) in following}
    return not states.isdisjoint(regular.automaton.accepting)


def _uncoverable(problem: Problem, cover: DominoCover) -> str | None:
    near: list[list[int]] = [[] for _ in cover.values]
    partners = [frozenset(problem.variables[v].domain) for v in cover.partners]
    for i, j in cover.edges:
        if j in partners[i] and i in partners[j]:
            near[i].append(j)
            near[j].append(i)
    colour: dict[int, int] = {}
    for start in range(len(near)):
        if start in colour:
            continue
        name = problem.variables[cover.values[start]].name
        if not near[start]:
            return f"no domino can cover {name}: it has no neighbour"
        part, bipartite = [start], True
        colour[start] = 0
        for i in part:
            for j in near[i]:
                if j not in colour:
                    colour[j] = 1 - colour[i]
                    part.append(j)
                bipartite = bipartite and colour[j] != colour[i]
        what = f"dominoes cannot cover the part of the board with {name}"
        if len(part) % 2:
            return f"{what}: it has {len(part)} cells, an odd number"
        dark = sum(colour[i] for i in part)
        if bipartite and 2 * dark != len(part):
            return f"{what}: coloured like a chessboard it has {dark} and {len(part) - dark} cells"
    matching = perfect_matching(near)
    if isinstance(matching, Barrier):
        return matching.proof(near, [problem.variables[v].name for v in cover.values])
    return None
