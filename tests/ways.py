"""The ways to keep all solutions of a problem: a decision diagram, and solution spaces of several shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn
from unittest.mock import patch

import pytest

from milp_pips.answer import Stop
from milp_pips.diagram import SolutionSet, Unfinished, compile_diagram, project
from milp_pips.problem import Problem
from milp_pips.space import compile_space, project_space
from milp_pips.space.divide import Compiler


class Way(NamedTuple):
    """A way to keep all solutions: how they are compiled, and seen by some of their variables."""

    compile: Callable[[Problem], SolutionSet]
    project: Callable[[Any, Iterable[int]], SolutionSet]


def without_large_diagrams(compile_or_project: Callable[..., SolutionSet]) -> Callable[..., SolutionSet]:
    """Return the function where every part of a problem is branched on, and small diagrams stand below."""

    def divided(*arguments: object) -> SolutionSet:
        with patch.object(Compiler, "race", Compiler._branch):
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


WAYS = {
    "diagram": Way(compile_diagram, project),
    "space": Way(compile_space, project_space),
    "divided": Way(without_large_diagrams(compile_space), without_large_diagrams(project_space)),
    "branched": Way(without_diagrams(compile_space), without_diagrams(project_space)),
}

in_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
