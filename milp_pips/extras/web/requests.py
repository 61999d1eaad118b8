"""The kinds of the members of a request: all are validated before work starts, each fault is one sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import SECONDS, Kind, Parameter, read_members, texts
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import read_text

LARGEST_REQUEST = 2**20
"""Most bytes of a request."""

NAME = texts(200)
"""A name of a puzzle, a file, an engine, a formulation or a format."""

ANY_TEXT = texts(LARGEST_REQUEST)


def objects(members: tuple[Parameter, ...], convert: Callable[[Any, str], Any]) -> Kind:
    """Return the kind of objects with these members, whose values ``convert`` gets."""

    def read(value: object, what: str) -> Any:
        return convert(read_members(value, members, what), what)

    return Kind("a JSON object", lambda value: isinstance(value, dict), convert=read)


def lists(what: str, least: int, most: int, item: Kind) -> Kind:
    """Return the kind of lists of ``least`` to ``most`` items."""

    def read(values: list[Any], name: str) -> list[Any]:
        return [item.check(f"{name}[{i}]", value) for i, value in enumerate(values)]

    expected, is_list = f"a list of {least} to {most} {what}", lambda value: isinstance(value, list)
    return Kind(expected, is_list, lambda value: least <= len(value) <= most, convert=read)


def _puzzle(members: dict[str, Any], what: str) -> Puzzle:
    """Return the puzzle in ``{"text", "name"}``. Raises UsageError and InputError."""
    name = members["name"] or "puzzle"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the verb read has shown them
        found = read_text(members["text"], name)
    if len(found) > 1:
        raise UsageError(f"{what} has {len(found)} puzzles, of which one is to be chosen")
    (puzzle,) = found.values()
    return replace(puzzle, name=name)  # type: ignore[type-var]


def _is_index(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= 4000 and value.isascii() and value.isdigit()
    return isinstance(value, int) and not isinstance(value, bool)


THE_ENGINE = Parameter("engine", "name of the solver", NAME, ...)
THE_FORMULATION = Parameter("formulation", "formulation of the model", NAME, "")
SENT_TEXT, SENT_NAME = Parameter("text", "", ANY_TEXT, ...), Parameter("name", "", NAME, "")
PUZZLE = objects((SENT_TEXT, SENT_NAME), _puzzle)
SENT_FILE = objects((SENT_TEXT, SENT_NAME), lambda file, _: (file["name"] or "file", file["text"]))
RUNS = lists("runs", 1, 50, objects((THE_ENGINE, THE_FORMULATION), lambda run, _: tuple(run.values())))
HINTED_FACTS = lists("facts", 0, 20_000, Kind("an object", lambda value: isinstance(value, dict)))
"""Facts that a player was given before, more than a board of a hundred dominoes has; the verb checks them."""
INDEX = Kind(
    "a whole number from 0 on",
    _is_index,
    lambda value: int(value) >= 0,
    convert=lambda value, _: int(value),
)
"""A number; one too large for JSON readers to keep exactly may be a text of digits."""
REQUEST_SECONDS = SECONDS._replace(within=lambda value: 0 < value <= 1e6)


def read_board(puzzle: Puzzle, text: str | None) -> dict[int, int] | None:
    """Return the values on a board by the index of their variable. Raises UsageError and InputError."""
    if text is None:
        return None
    family = family_of(puzzle)
    if family.read_board is None:
        raise UsageError(f"the family {family.name} cannot read partial boards")
    return family.read_board(puzzle, text, "board")
