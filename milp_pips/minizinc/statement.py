"""The whole model: variables, constraints under their labels, and how to search."""

from __future__ import annotations

import textwrap

from milp_pips.minizinc.draft import Draft
from milp_pips.minizinc.names import comment, identifiers, values
from milp_pips.minizinc.rules import state
from milp_pips.problem import Problem

WIDTH = 110
"""Characters to a line, as far as names allow."""

RESTART = 100
"""Failures in the unit of Luby's restart sequence (Luby, Sinclair, Zuckerman 1993)."""


def to_minizinc(problem: Problem, *, restarts: bool = False) -> str:
    """Return the problem as a MiniZinc model, each of whose solutions is one point of the problem.

    Parameters
    ----------
    problem
        Any problem.
    restarts
        Whether the search is random and starts anew now and then. That helps to find one solution of a large
        puzzle; but with restarts Gecode never ends a search for all solutions.
    """
    draft = Draft(identifiers(problem))
    if problem.value_names:
        meanings = ", ".join(f"{value} is {name}" for value, name in problem.value_names.items())
        draft.lines.append(comment(meanings))
    for variable, name in zip(problem.variables, draft.names, strict=True):
        remark = "" if variable.name in (name, name.replace("_", " ")) else f"  {comment(variable.name)}"
        draft.lines.append(f"var {values(variable.domain)}: {name};{remark}")
    for constraint in problem.constraints:
        state(draft, constraint)
    includes = [f'include "{file}";' for file in sorted(draft.includes)]
    lines = [*includes, *[""] * bool(includes), *draft.lines, "", *_search(draft, restarts)]
    return "".join(f"{line}\n" for long in lines for line in _wrapped(long))


def _wrapped(line: str) -> list[str]:
    """Return the lines that a long line is broken into, at blanks; a line with a remark stays whole."""
    if len(line) <= WIDTH or "%" in line[1:] or "\n" in line:
        return [line]
    deeper = "% " if line.startswith("%") else "  "
    return textwrap.wrap(
        line, WIDTH, subsequent_indent=deeper, break_long_words=False, break_on_hyphens=False
    )


def _search(draft: Draft, restarts: bool) -> list[str]:
    """Return the ``solve`` item: lay the dominoes, then choose the pips; the hardest variables first."""
    if not draft.searches:
        return ["solve satisfy;"]
    choice, restart = "indomain_min", ""
    if restarts:
        choice, restart = "indomain_random", f" :: restart_luby({RESTART})"
    searches = ",\n".join(f"  int_search({array}, dom_w_deg, {choice})" for array in draft.searches)
    return [
        "% Search on the variables that fail most, first where the dominoes lie and then what they show.",
        f"solve :: seq_search([\n{searches}\n]){restart} satisfy;",
    ]
