"""Puzzles and solutions as JSON data for the page; cells are identified by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from milp_pips.constraints import covers_of
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.svg import measures, to_svg
from milp_pips.tasks.convert import draw, formats_of
from milp_pips.tasks.pipeline import state

Record = dict[str, Any]


def puzzle_record(puzzle: Puzzle, text: str) -> Record:
    """Return a puzzle with its picture and the layout of its board.

    Parameters
    ----------
    puzzle
        The puzzle.
    text
        The text from which the puzzle was read, for a family that cannot write puzzles.
    """
    family, drawing = family_of(puzzle), draw(puzzle)
    record: Record = {
        "name": puzzle.name,
        "family": puzzle.family,
        "text": text_of(puzzle) or text,
        "svg": to_svg(drawing),
    }
    if family.outline is not None:
        record |= family.outline(puzzle)
    if puzzle.family not in record and (shown := measures(drawing)) is not None:
        problem, places = state(puzzle), drawing.places
        record["grid"] = _grid(problem, places)
        cells = {problem.variables[v].name: list(shown.squares[place]) for v, place in places.items()}
        record["picture"] = {"width": shown.width, "height": shown.height, "cells": cells}
    return record


def text_of(puzzle: Puzzle) -> str:
    """Return the puzzle, without its solution, in the first format of its family that can express it."""
    for form in formats_of(family_of(puzzle)).values():
        try:
            return form.write(puzzle)
        except UsageError:  # for example a board that is not a grid
            continue
    return ""


def _grid(problem: Problem, places: Mapping[int, Any]) -> Record:
    """Return a board of rows and columns whose cells show values."""
    domains = {v: problem.variables[v].domain for v in places}
    values = sorted({value for domain in domains.values() for value in domain})
    return {
        "rows": 1 + max(row for row, _ in places.values()),
        "columns": 1 + max(column for _, column in places.values()),
        "cells": [
            {
                "cell": problem.variables[v].name,
                "row": row,
                "column": column,
                "given": symbol(problem, domains[v][0], v) if len(domains[v]) == 1 else None,
            }
            for v, (row, column) in places.items()
        ],
        "values": [symbol(problem, value) for value in values],
    }


def symbol(problem: Problem, value: int, v: int | None = None) -> int | str:
    """Return a value of a variable as the page shows it: its symbol if it has one, else the number."""
    names = problem.named_values if v is None else problem.value_names.get(v, {})
    return names.get(value, value)


def solution_record(problem: Problem, assignment: Mapping[int, int]) -> Record:
    """Return an assignment as ``{"values": {cell: value}, "dominoes": [[cell, cell], …]}``.

    Values are numbers, or the puzzle's symbols for them. Dominoes are those that the assignment states.
    """
    names = [variable.name for variable in problem.variables]
    covers = covers_of(problem.constraints)
    hidden = {v for cover in covers for v in cover.partners} | {*problem.auxiliary}
    values = {
        names[v]: symbol(problem, value, v) for v, value in sorted(assignment.items()) if v not in hidden
    }
    dominoes = [
        [names[cover.values[i]], names[cover.values[assignment[v]]]]
        for cover in covers
        for i, v in enumerate(cover.partners)
        if assignment.get(v, -1) > i
    ]
    return {"values": values, "dominoes": dominoes}
