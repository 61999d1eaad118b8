"""The tasks ``convert``, ``export`` and ``draw``: a puzzle as text, as a model file, and as a picture."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import Parameter, one_of
from milp_pips.problem.plugins import extra
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import Family, Format, family_of
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Drawing
from milp_pips.tasks.pipeline import puzzle_of, state


def formats_of(family: Family[Any, Any]) -> Mapping[str, Format]:
    """Return the formats in which a family writes its puzzles, by name; empty if it cannot write them."""
    return family.formats() if family.formats is not None else {}


def _formats(puzzle: Puzzle) -> Mapping[str, Format]:
    """Return the formats of the puzzle's family. Raises UsageError if it has none."""
    if formats := formats_of(family_of(puzzle)):
        return formats
    raise UsageError(f"{puzzle.name}: the family {puzzle.family} writes no puzzles")


def format_named(puzzle: Puzzle, to: str) -> Format:
    """Return the format of this name. Raises UsageError if the puzzle's family has no such format."""
    formats = _formats(puzzle)
    if to not in formats and (game_links := extra("families.tatham_links:formats")) is not None:
        formats = {**formats, **game_links(puzzle.family)}
    if to not in formats:
        hint = "; export writes models" if to in ("lp", "mps", "mzn", "cnf") and not puzzle.is_model else ""
        raise UsageError(f"{puzzle.name}: unknown format {to!r}; known: {', '.join(formats)}{hint}")
    return formats[to]


def convert(puzzle: Puzzle, to: str) -> str:
    """Return the puzzle as text in the format, with its published solution; reading it gives the same puzzle.

    Raises UsageError if the format is unknown or cannot express the puzzle.
    """
    puzzle = puzzle_of(puzzle, "convert")
    form = format_named(puzzle, to)
    return (form.write_all or form.write)(puzzle)


def reason_model(puzzle: Puzzle, deadline: Deadline) -> Model:
    """Return the model of rows and bounds of a linear model that cannot hold together, see ``explain``.

    Raises UsageError if it has a solution, or is a puzzle.
    """
    if not puzzle.is_model or (reason_of := extra("explain.model_reasons:reason_of")) is None:
        raise UsageError(f"{puzzle.name} is no linear model: explain has its reasons")
    reason: Model = reason_of(puzzle, deadline)
    return reason


def link_to(puzzle: Puzzle, address: str) -> str:
    """Return a link that opens the puzzle on the page at this address.

    The puzzle is in the part after ``#``, which browsers do not send: deflated JSON in base64, as the page
    itself writes it. Raises UsageError if the family cannot write the puzzle, or if that is no address.
    """
    if not address.startswith(("http://", "https://")):
        raise UsageError(f"{address!r} is no address: expected http://… or https://…")
    form = next(iter(_formats(puzzle).values()))
    packed = zlib.compressobj(9, wbits=-15)
    data = json.dumps([puzzle.name, puzzle.family, form.write(puzzle), None]).encode()
    code = base64.urlsafe_b64encode(packed.compress(data) + packed.flush()).decode().rstrip("=")
    return f"{address.partition('#')[0]}#puzzle={code}\n"


# The model of a puzzle, as text that other programs read.

FORMATS = ("lp", "mps", "mzn", "cnf")


def export(puzzle: Puzzle, to: str = "lp", formulation: str = "") -> str:
    """Return the puzzle as a model in CPLEX LP, free MPS, MiniZinc or DIMACS CNF format.

    The model is for people and for other programs, so its domains are not filtered.
    Raises UsageError if the formulation is unknown, or if one is given for MiniZinc or CNF, which have none.
    """
    family = family_of(puzzle)
    if puzzle.linear() is not None and not formulation and to in formats_of(family):
        return convert(puzzle, to)  # a linear model with continuous columns has one formulation
    problem = state(puzzle)
    if formulation and to in ("mzn", "cnf"):
        how = "a MiniZinc model states the constraints as they are" if to == "mzn" else "there is one formula"
        raise UsageError(f"{how}: it has no formulations")
    if to == "mzn":
        from milp_pips.formulations.minizinc import to_minizinc

        return to_minizinc(problem)
    if to == "cnf":
        from milp_pips.formulations.cnf import to_dimacs

        return to_dimacs(problem)
    from milp_pips.formulations.milp.draft import formulate

    model = formulate(problem, formulation)
    return model.to_lp() if to == "lp" else model.to_mps()


EXPORT_PARAMETERS = (
    Parameter("--to FORMAT", f"format of the model (default: {FORMATS[0]})", one_of(FORMATS), FORMATS[0]),
    Parameter("--formulation FORMULATION", "formulation of the model, such as implication", default=""),
)


# Pictures of a puzzle, and of a solution on it.


def draw(puzzle: Puzzle | Problem, solution: Any = None) -> Drawing:
    """Return a picture of the puzzle, or of the solution on it."""
    puzzle = puzzle_of(puzzle, "draw")
    return family_of(puzzle).draw(puzzle, solution)
