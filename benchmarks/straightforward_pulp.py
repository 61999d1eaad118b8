"""A puzzle as most people would write it in PuLP: the reference for building and solving."""

from __future__ import annotations

import pulp

from milp_pips.puzzles.pips.puzzle import Pips, Rule


def model(puzzle: Pips) -> pulp.LpProblem:
    """Return the textbook model: x[d, e, w] for every domino, edge and direction; y[cell, value]."""
    problem = pulp.LpProblem("pips")
    pips = sorted({p for d in puzzle.dominoes for p in d})
    ways = [
        (d, e, w)
        for d in range(len(puzzle.dominoes))
        for e in range(len(puzzle.edges))
        for w in ((0, 1) if puzzle.dominoes[d][0] != puzzle.dominoes[d][1] else (0,))
    ]
    x = pulp.LpVariable.dicts("x", ways, cat="Binary")
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    y = pulp.LpVariable.dicts("y", [(i, v) for i in number.values() for v in pips], cat="Binary")
    covering = {i: [] for i in number.values()}
    for d, e, w in ways:
        a, b = puzzle.dominoes[d] if w == 0 else puzzle.dominoes[d][::-1]
        i, j = (number[cell] for cell in puzzle.edges[e])
        covering[i].append((d, e, w))
        covering[j].append((d, e, w))
        problem += x[d, e, w] <= y[i, a]
        problem += x[d, e, w] <= y[j, b]
    for i, ways_here in covering.items():
        problem += pulp.lpSum(x[way] for way in ways_here) == 1
        problem += pulp.lpSum(y[i, v] for v in pips) == 1
    for d in range(len(puzzle.dominoes)):
        problem += pulp.lpSum(x[way] for way in ways if way[0] == d) == 1
    for region in puzzle.regions:
        cells = [number[cell] for cell in region.cells]
        total = pulp.lpSum(v * y[i, v] for i in cells for v in pips)
        match region.rule:
            case Rule.EQ:
                for i in cells[1:]:
                    for v in pips:
                        problem += y[cells[0], v] == y[i, v]
            case Rule.NEQ:
                for v in pips:
                    problem += pulp.lpSum(y[i, v] for i in cells) <= 1
            case Rule.SUM:
                problem += total == region.target
            case Rule.LT:
                problem += total <= region.target - 1
            case Rule.GT:
                problem += total >= region.target + 1
            case Rule.LE:
                problem += total <= region.target
            case Rule.GE:
                problem += total >= region.target
    return problem
