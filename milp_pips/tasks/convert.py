"""The tasks ``convert``, ``export`` and ``draw``: a puzzle as text, as a model file, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from milp_pips.engines.defaults import BRIDGING_SOLVER
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import UsageError, unknown_name, visible
from milp_pips.problem.parameters import Parameter, one_of
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.family import Family, Format
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.registry import family_of
from milp_pips.render.vocabulary import Drawing
from milp_pips.tasks.pipeline import prepare, puzzle_of, state
from milp_pips.tasks.query import Run


def formats_of(family: Family[Any, Any]) -> Mapping[str, Format]:
    """Return the formats in which a family writes its puzzles, by name; empty if it cannot write them."""
    return family.formats() if family.formats is not None else {}


def format_named(puzzle: Puzzle, to: str) -> Format:
    """Return the format of this name. Raises UsageError if the puzzle's family has no such format."""
    formats = formats_of(family_of(puzzle))
    if not formats:
        raise UsageError(f"{puzzle.name}: the family {puzzle.family} writes no puzzles")
    if to not in formats:
        raise UsageError(f"{puzzle.name}: unknown format {to!r}; known: {', '.join(formats)}")
    return formats[to]


def convert(puzzle: Puzzle, to: str) -> str:
    """Return the puzzle as text in the format, with its published solution; reading it gives the same puzzle.

    Raises UsageError if the format is unknown or cannot express the puzzle.
    """
    form = format_named(puzzle, to)
    return (form.write_all or form.write)(puzzle)


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


# The problem of a puzzle, as text for people.

EXPORTED_STEPS = ("encode", "filter", "bridge")
"""The steps after which a problem can be written, in order."""

EXPORT_PARAMETERS = (
    Parameter("--to FORMAT", f"format of the model (default: {FORMATS[0]})", one_of(FORMATS)),
    Parameter("--formulation FORMULATION", "formulation of the model, such as implication", default=""),
    Parameter(
        "--after STEP",
        f"write the problem instead, as plain text, after this step: {', '.join(EXPORTED_STEPS)}",
    ),
    Parameter(
        "--solver NAME",
        f"with --after bridge: solver that takes the constraints (default: {BRIDGING_SOLVER})",
        default="",
    ),
)


def export_problem(puzzle: Puzzle, after: str, solver: str = "") -> str:
    """Return the problem as plain text: variables with their domains, and one constraint per line.

    Parameters
    ----------
    puzzle
        The puzzle.
    after
        The last step before the problem is written, of ``EXPORTED_STEPS``.
    solver
        The solver for whose constraint classes the problem is bridged; it need not be installed.

    Raises
    ------
    UsageError
        For an unknown step or solver, a solver that does not bridge, or one that does without that step.
    """
    from milp_pips.constraints.bridges import bridge
    from milp_pips.engines import registry
    from milp_pips.propagation.fixpoint import DEFAULT_RULES

    if after not in EXPORTED_STEPS:
        raise unknown_name("step", after, EXPORTED_STEPS)
    if solver and after != "bridge":
        raise UsageError("only the step bridge depends on a solver")
    if after == "encode":
        return _problem_as_text(state(puzzle))
    prepared = prepare(puzzle, Run(settings=Settings(rules=DEFAULT_RULES)))
    if prepared.refutation:
        raise UsageError(f"{puzzle.name}: filtering finds no solution: {prepared.refutation}")
    if after == "filter":
        return _problem_as_text(prepared.filtered)
    native = getattr(registry.solver(solver or BRIDGING_SOLVER), "native", ())
    if not native:
        raise UsageError(f"{solver} does not bridge a problem to other constraints")
    return _problem_as_text(bridge(prepared.filtered, native))


def _problem_as_text(problem: Problem) -> str:
    names = [visible(variable.name) for variable in problem.variables]
    lines = [f"problem: {visible(problem.name)}", "", "variables:"]
    for name, variable in zip(names, problem.variables, strict=True):
        lines.append(f"  {name}: {', '.join(map(problem.written, variable.domain))}")
    lines += ["", "constraints:"]
    for constraint in problem.constraints:
        label = visible(constraint.label)
        lines.append(f"  {constraint.formula(names)}" + (f"  # {label}" if label else ""))
    return "\n".join(lines) + "\n"


# Pictures of a puzzle, and of a solution on it.


def draw(puzzle: Puzzle | Problem, solution: Any = None) -> Drawing:
    """Return a picture of the puzzle, or of the solution on it."""
    puzzle = puzzle_of(puzzle, "draw")
    return family_of(puzzle).draw(puzzle, solution)
