"""The ways to compile a set of solutions: one decision diagram, or several joined in several ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, NoReturn
from unittest.mock import patch

import pytest

import milp_pips
from milp_pips import Problem, SolutionSet
from milp_pips.compilation.compiler import Compiler
from milp_pips.compilation.limits import Unfinished
from milp_pips.compilation.nodes import Node
from milp_pips.compilation.parts import Part
from milp_pips.problem.answer import Stop
from milp_pips.tasks.compile import list_short

run_laps = Compiler.run_laps


class SolutionSetMethod(NamedTuple):
    """A way to compile all solutions, without filtering the problem first, and to project them."""

    method: str
    changed: Callable[[], AbstractContextManager[object]] = nullcontext

    def compile(self, problem: Problem) -> SolutionSet:
        """Return the solutions that differ in any variable."""
        with self.changed():
            return milp_pips.compile(problem, range(len(problem.variables)), method=self.method, rules=())

    def project(self, solutions: SolutionSet, variables: Iterable[int]) -> SolutionSet:
        """Return the solutions that differ in these variables."""
        with self.changed():
            return solutions.project(variables)


def refuse(*_: object) -> NoReturn:
    raise Unfinished("no diagrams here", Stop.MEMORY)


def list_first(compiler: Compiler, part: Part) -> Node | None:
    """List the solutions of every part, unless there are too many."""
    try:
        return compiler._list(part, list_short)
    except Unfinished:
        return run_laps(compiler, part)


METHODS = {
    "diagram": SolutionSetMethod("diagram"),
    "space": SolutionSetMethod("space"),
    # branch on every part first, and compile only small diagrams
    "divided": SolutionSetMethod("space", lambda: patch.object(Compiler, "run_laps", Compiler._branch)),
    "listed": SolutionSetMethod("space", lambda: patch.object(Compiler, "run_laps", list_first)),
    # branch until nothing is open
    "branched": SolutionSetMethod("space", lambda: patch.object(Compiler, "_as_diagram", refuse)),
}

with_each_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
