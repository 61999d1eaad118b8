"""The representations of a solution set: a decision diagram, and solution spaces built in several ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn
from unittest.mock import patch

import pytest

from milp_pips.compilation.diagram import SolutionSet, Unfinished, compile_diagram, project
from milp_pips.compilation.space import compile_space, project_space
from milp_pips.compilation.space.divide import Compiler
from milp_pips.compilation.space.space import Node
from milp_pips.compilation.space.split import Part
from milp_pips.enumeration.joining import list_short
from milp_pips.problem.answer import Stop
from milp_pips.problem.problem import Problem


class SolutionSetMethod(NamedTuple):
    """A representation of all solutions: how to compile it, and how to project it to some variables."""

    compile: Callable[[Problem], SolutionSet]
    project: Callable[[Any, Iterable[int]], SolutionSet]


def without_large_diagrams(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function changed to branch on every part first, and to compile only small diagrams."""

    def divided(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "run_laps", Compiler._branch):
            return compile_or_project(*arguments)

    return divided


def without_diagrams(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function changed to branch until nothing is open, without any diagram."""

    def refuse(*_: object) -> NoReturn:
        raise Unfinished("no diagrams here", Stop.MEMORY)

    def branched(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "_as_diagram", refuse):
            return compile_or_project(*arguments)

    return branched


def listed_first(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function changed to list the solutions of every part, unless there are too many."""
    race = Compiler.run_laps

    def race_or_list(compiler: Compiler, part: Part) -> Node | None:
        try:
            return compiler._list(part, list_short)
        except Unfinished:
            return race(compiler, part)

    def listed(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "run_laps", race_or_list):
            return compile_or_project(*arguments)

    return listed


METHODS = {
    "diagram": SolutionSetMethod(compile_diagram, project),
    "space": SolutionSetMethod(compile_space, project_space),
    "divided": SolutionSetMethod(
        without_large_diagrams(compile_space), without_large_diagrams(project_space)
    ),
    "listed": SolutionSetMethod(listed_first(compile_space), listed_first(project_space)),
    "branched": SolutionSetMethod(without_diagrams(compile_space), without_diagrams(project_space)),
}

with_each_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
