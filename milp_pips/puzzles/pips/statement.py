"""Pips as a problem: what engines are told of a puzzle, what their answer means; and the rules of play."""

from __future__ import annotations

from collections import Counter

from milp_pips.problem import (
    AllDifferent,
    AllEqual,
    Assignment,
    Constraint,
    DominoCover,
    LinearSum,
    Problem,
    Relation,
    Variable,
)
from milp_pips.puzzles.pips.puzzle import Cell, Laid, Layout, Pips, Region, Rule, cell_name


def state(puzzle: Pips) -> Problem:
    """State the puzzle: a value per cell, then a partner per cell.

    Keys: ``placement`` (values and partners, the default) and ``grid`` (values alone).
    """
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    n = len(puzzle.cells)
    edges = tuple(sorted((min(e), max(e)) for e in ((number[a], number[b]) for a, b in puzzle.edges)))
    neighbours: list[list[int]] = [[] for _ in puzzle.cells]
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    pips = tuple(sorted({p for domino in puzzle.dominoes for p in domino}))
    names = [cell_name(cell) for cell in puzzle.cells]
    values = tuple(Variable(name, pips) for name in names)
    partners = tuple(
        Variable(f"partner of {name}", tuple(sorted(near)))
        for name, near in zip(names, neighbours, strict=True)
    )
    cover = DominoCover(
        tuple(range(n)),
        tuple(range(n, 2 * n)),
        edges,
        tuple(sorted((min(d), max(d)) for d in puzzle.dominoes)),
        "the dominoes cover the board",
    )
    rules = (_constraint(region, tuple(number[c] for c in region.cells)) for region in puzzle.regions)
    return Problem(
        values + partners,
        (cover, *(rule for rule in rules if rule is not None)),
        {"placement": tuple(range(2 * n)), "grid": tuple(range(n))},
    )


def _constraint(region: Region, variables: tuple[int, ...]) -> Constraint | None:
    label, target = str(region), region.target or 0
    match region.rule:
        case None:
            return None
        case Rule.EQ:
            return AllEqual(variables, label)
        case Rule.NEQ:
            return AllDifferent(variables, label)
        case Rule.SUM:
            return LinearSum(variables, Relation.EQ, target, label)
        case Rule.LT | Rule.LE as rule:
            return LinearSum(variables, Relation.LE, target - (rule is Rule.LT), label)
        case Rule.GT | Rule.GE as rule:
            return LinearSum(variables, Relation.GE, target + (rule is Rule.GT), label)


def decode(puzzle: Pips, assignment: Assignment) -> Layout:
    """Return the layout: where each domino lies, in the order in which the puzzle lists the dominoes.

    Without the dominoes where the assignment has -1 for the partners.
    """
    cells, n = puzzle.cells, len(puzzle.cells)
    values = {cell: assignment[i] for i, cell in enumerate(cells)}
    if n and assignment[n] < 0:
        return Layout(values)
    lying: dict[tuple[int, int], list[tuple[Cell, Cell]]] = {}
    for i in range(n):
        j = assignment[n + i]
        a, b = assignment[i], assignment[j]
        if (a, i) < (b, j):
            lying.setdefault((a, b), []).append((cells[i], cells[j]))
    laid = []
    for a, b in puzzle.dominoes:
        low, high = lying[min(a, b), max(a, b)].pop(0)
        laid.append(Laid((a, b), (low, high) if a <= b else (high, low)))
    return Layout(values, tuple(laid))


def encode(puzzle: Pips, solution: Layout) -> dict[int, int]:
    """Return the value variables and, where the dominoes are known, the partner variables it fixes."""
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    fixed = {number[cell]: value for cell, value in solution.values.items()}
    for laid in solution.dominoes:
        i, j = (number[cell] for cell in laid.cells)
        fixed[len(puzzle.cells) + i], fixed[len(puzzle.cells) + j] = j, i
    return fixed


# The rules of the game. Nothing from here on is shared with the statement above: what engines say is judged
# by it, and so a slip in one of the two shows.


def check(puzzle: Pips, solution: Layout) -> str | None:
    """Return the first rule of the game that the layout breaks, or None.

    A layout without dominoes is judged by its values alone.
    """
    for cell in puzzle.cells:
        if cell not in solution.values:
            return f"{cell_name(cell)} is empty"
    if len(solution.values) != len(puzzle.cells):
        return "there is a value where there is no cell"
    have, need = Counter(solution.values.values()), Counter(p for d in puzzle.dominoes for p in d)
    for pip in sorted(have | need):
        if have[pip] != need[pip]:
            return f"the board shows {pip} {_times(have[pip])}, the dominoes {_times(need[pip])}"
    for region in puzzle.regions:
        seen = [solution.values[cell] for cell in region.cells]
        if not _obeys(region, seen):
            return f"{region}, but its cells show {', '.join(map(str, seen))}"
    return _check_dominoes(puzzle, solution) if solution.dominoes else None


def _check_dominoes(puzzle: Pips, solution: Layout) -> str | None:
    adjacent = {frozenset(edge) for edge in puzzle.edges}
    covered: set[Cell] = set()
    for laid in solution.dominoes:
        if frozenset(laid.cells) not in adjacent:
            where = " and ".join(cell_name(cell) for cell in laid.cells)
            return f"domino {laid.pips[0]}-{laid.pips[1]} lies on {where}, which are not neighbours"
        for cell, pip in zip(laid.cells, laid.pips, strict=True):
            if cell in covered:
                return f"two dominoes lie on {cell_name(cell)}"
            if solution.values[cell] != pip:
                return f"{cell_name(cell)} shows {solution.values[cell]}, its domino {pip}"
            covered.add(cell)
    if len(covered) != len(puzzle.cells):
        return f"no domino lies on {cell_name(next(c for c in puzzle.cells if c not in covered))}"
    used = Counter((min(laid.pips), max(laid.pips)) for laid in solution.dominoes)
    given = Counter((min(d), max(d)) for d in puzzle.dominoes)
    for a, b in sorted(used | given):
        if used[a, b] != given[a, b]:
            return f"domino {a}-{b} is used {_times(used[a, b])}, but given {_times(given[a, b])}"
    return None


def _obeys(region: Region, seen: list[int]) -> bool:
    total, target = sum(seen), region.target
    if region.rule is None:
        return True
    if region.rule is Rule.EQ:
        return all(pip == seen[0] for pip in seen)
    if region.rule is Rule.NEQ:
        return all(pip not in seen[:i] for i, pip in enumerate(seen))
    assert target is not None
    return {
        Rule.SUM: total == target,
        Rule.LT: total < target,
        Rule.GT: total > target,
        Rule.LE: total <= target,
        Rule.GE: total >= target,
    }[region.rule]


def _times(n: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")
