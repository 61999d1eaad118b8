"""The ways to keep all solutions of a problem: a decision diagram, and solution spaces of several shapes."""

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
from milp_pips.enumeration.joining import list_few
from milp_pips.problem.answer import Stop
from milp_pips.problem.problem import Problem


class Way(NamedTuple):
    """A way to keep all solutions: how they are compiled, and seen by some of their variables."""

    compile: Callable[[Problem], SolutionSet]
    project: Callable[[Any, Iterable[int]], SolutionSet]


def without_large_diagrams(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function where every part of a problem is branched on, and small diagrams stand below."""

    def divided(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "run_laps", Compiler._branch):
            return compile_or_project(*arguments)

    return divided


def without_diagrams(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function where branches go on to the end."""

    def refuse(*_: object) -> NoReturn:
        raise Unfinished("no diagrams here", Stop.MEMORY)

    def branched(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "_as_diagram", refuse):
            return compile_or_project(*arguments)

    return branched


def listed_first(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function where the solutions of every part are listed, if a lister will."""
    race = Compiler.run_laps

    def race_or_list(compiler: Compiler, part: Part) -> Node | None:
        try:
            return compiler._list(part, list_few)
        except Unfinished:
            return race(compiler, part)

    def listed(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "run_laps", race_or_list):
            return compile_or_project(*arguments)

    return listed


WAYS = {
    "diagram": Way(compile_diagram, project),
    "space": Way(compile_space, project_space),
    "divided": Way(without_large_diagrams(compile_space), without_large_diagrams(project_space)),
    "listed": Way(listed_first(compile_space), listed_first(project_space)),
    "branched": Way(without_diagrams(compile_space), without_diagrams(project_space)),
}

in_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
