"""The kinds of the members of a request: all are validated before work starts, each fault is one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import SECONDS, Kind, Parameter, read_members, schema_of, texts
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import read_text
from milp_pips.puzzles.registry import family_of

LARGEST_REQUEST = 2**20
"""Most bytes of a request."""

NAME = texts(200)
"""A name of a puzzle, a file, an engine, a formulation or a format."""

ANY_TEXT = texts(LARGEST_REQUEST)

MOST_FACTS = 20_000
"""Most facts that a player was given before: more than a board of a hundred dominoes has."""

MAX_COMPARED_RUNS = 50
"""Most runs of one comparison."""


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_index(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= 4000 and value.isascii() and value.isdigit()
    return isinstance(value, int) and not isinstance(value, bool)


def _puzzle(value: Any, what: str) -> Puzzle:
    """Return the puzzle in ``{"text", "name"}``. Raises UsageError and InputError."""
    members = read_members(value, _text_members("puzzle"), what)
    name = members["name"] or "puzzle"
    found = read_text(members["text"], name)
    if len(found) > 1:
        raise UsageError(f"{what} has {len(found)} puzzles, of which one is to be chosen")
    (puzzle,) = found.values()
    return replace(puzzle, name=name)  # type: ignore[type-var]


def _file(value: Any, what: str) -> tuple[str, str]:
    """Return the name and the text of ``{"name", "text"}``."""
    members = read_members(value, _text_members("file"), what)
    return members["name"] or "file", members["text"]


def _runs(value: Any, what: str) -> list[tuple[str, str]]:
    """Return the engines and formulations of ``[{"engine", "formulation"}, …]``."""
    found = [read_members(each, RUN, f"{what}[{i}]") for i, each in enumerate(value)]
    return [(each["engine"], each["formulation"]) for each in found]


def _text_members(name: str) -> Iterable[Parameter]:
    return Parameter("text", "", ANY_TEXT, ...), Parameter("name", "", NAME, name)


PUZZLE = Kind("a JSON object", schema_of(_text_members("puzzle")), _is_object, convert=_puzzle)
SENT_FILE = Kind("a JSON object", schema_of(_text_members("file")), _is_object, convert=_file)
RUN = Parameter("engine", "", NAME, ...), Parameter("formulation", "", NAME, "")
RUNS = Kind(
    f"a list of 1 to {MAX_COMPARED_RUNS} runs",
    {"type": "array", "minItems": 1, "maxItems": MAX_COMPARED_RUNS, "items": schema_of(RUN)},
    _is_list,
    lambda value: 1 <= len(value) <= MAX_COMPARED_RUNS,
    convert=_runs,
)
TOLD_FACTS = Kind(
    f"a list of at most {MOST_FACTS} facts",
    {"type": "array", "maxItems": MOST_FACTS, "items": {"type": "object"}},
    _is_list,
    lambda value: len(value) <= MOST_FACTS and all(map(_is_object, value)),
)
"""Objects; the verb itself checks whether they are facts of the puzzle."""
INDEX = Kind(
    "a whole number from 0 on",
    {"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]{1,4000}$"},
    _is_index,
    lambda value: int(value) >= 0,
    convert=lambda value, _: int(value),
)
"""A number; one too large for JSON readers to keep exactly may be a text of digits."""
REQUEST_SECONDS = SECONDS._replace(
    schema={"type": "number", "exclusiveMinimum": 0, "maximum": 1e6}, within=lambda value: 0 < value <= 1e6
)


def read_board(puzzle: Puzzle, text: str | None) -> dict[int, int] | None:
    """Return the values on a board by the index of their variable. Raises UsageError and InputError."""
    if text is None:
        return None
    family = family_of(puzzle)
    if family.read_board is None:
        raise UsageError(f"the family {family.name} cannot read partial boards")
    return family.read_board(puzzle, text, "board")
