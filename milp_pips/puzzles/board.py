"""What stands on a board that a player has filled in part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import DominoCover, Problem
from milp_pips.problem.validation import shown

Board: TypeAlias = Mapping[Any, Any]
"""What stands on the board: for cells, by name or by the position of their variable, their values.

A value is a number or, where the puzzle has others, a symbol. ``read_board`` reads one from a file.
"""


def moves_on(problem: Problem, board: Board | None) -> dict[int, int]:
    """Return what was filled in by variable, without what is given; of a domino the first cell's partner.

    Raises UsageError for a cell that is not there, and a value that it cannot have; TypeError for no mapping.
    """
    if not isinstance(board, Mapping | None):
        raise TypeError(f"a board gives cells their values, such as {{'r1c1': 3}}; this is {shown(board)}")
    variables, moves = problem.variables, dict[int, int]()
    number = {variable.name: v for v, variable in enumerate(variables)}
    symbols = {symbol: value for value, symbol in problem.value_names.items()}
    covers = {v: c for c in problem.constraints if isinstance(c, DominoCover) for v in c.partners}
    for cell, symbol in (board or {}).items():
        v = number.get(cell, cell)
        if not isinstance(v, int) or not 0 <= v < len(variables):
            raise UsageError(f"the board has no cell {cell!r}")
        value, (name, domain) = symbols.get(symbol, symbol), variables[v]
        if value not in domain:
            raise UsageError(f"{name} cannot be {symbol}, only {', '.join(map(problem.written, domain))}")
        if v in covers:  # of two cells under a domino the first one says so
            partners = covers[v].partners
            i = partners.index(v)
            moves[partners[min(i, value)]] = max(i, value)
        elif len(domain) > 1:
            moves[v] = value
    return moves


def with_board(problem: Problem, board: Board | None) -> Problem:
    """Return the problem whose solutions contain what stands on the board. Raises UsageError."""
    return problem.restricted({v: (value,) for v, value in moves_on(problem, board).items()})


def open_cells(problem: Problem, board: Board) -> list[str]:
    """Return the names of the cells whose values neither the puzzle nor the board tells."""
    filled = moves_on(problem, board)
    partners = {v for c in problem.constraints if isinstance(c, DominoCover) for v in c.partners}
    return [
        name
        for v, (name, domain) in enumerate(problem.variables)
        if v not in filled and v not in partners and len(domain) > 1
    ]
