"""Readers of the members of a request: all are validated before work starts, each fault is one sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from milp_pips.problem.errors import UsageError
from milp_pips.problem.fields import shown
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import read_text
from milp_pips.puzzles.registry import family_of

MAX_NAME_CHARACTERS = 200
"""Most characters of a name."""

Reader = Callable[[Any, str], Any]
"""Returns the validated value of a member, given its JSON value and its name. Raises UsageError."""


class Member(NamedTuple):
    """A member of a request: its reader, and its default value (``...`` if it is required)."""

    read: Reader
    default: Any = ...


def read_members(body: object, members: Mapping[str, Member], what: str) -> dict[str, Any]:
    """Return the values of the members of a request. Raises UsageError, also for an unknown member."""
    if not isinstance(body, dict):
        raise UsageError(f"{what}: expected a JSON object, not {shown(body)}")
    for name in body:
        if name not in members:
            known = ", ".join(members) or "none"
            raise UsageError(f"{what}: unknown member {shown(name)}; known: {known}")
    found: dict[str, Any] = {}
    for name, (read, default) in members.items():
        if name in body:
            found[name] = read(body[name], f"{what}: {name}")
        elif default is ...:
            raise UsageError(f"{what}: {name} is missing")
        else:
            found[name] = default
    return found


def text_reader(longest: int) -> Reader:
    """Return a reader of texts of at most ``longest`` characters."""

    def read(value: Any, what: str) -> str:
        if not isinstance(value, str):
            raise UsageError(f"{what} is a text, not {shown(value)}")
        if len(value) > longest:
            raise UsageError(f"{what} has {len(value)} characters, of {longest} at most")
        return value

    return read


def whole_number_reader(least: int, most: int) -> Reader:
    """Return a reader of whole numbers from ``least`` to ``most``."""

    def read(value: Any, what: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise UsageError(f"{what} is a whole number from {least} to {most}, not {shown(value)}")
        return value

    return read


def one_of(choices: Collection[str]) -> Reader:
    """Return a reader of one of the given words."""

    def read(value: Any, what: str) -> str:
        if not isinstance(value, str) or value not in choices:
            raise UsageError(f"{what} is one of {', '.join(choices)}, not {shown(value)}")
        return value

    return read


def or_null(read: Reader) -> Member:
    """Return a member with this reader that may be null or left out."""
    return Member(lambda value, what: None if value is None else read(value, what), None)


def seconds(value: Any, what: str) -> float:
    """Return a number of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1e6:
        raise UsageError(f"{what} is a number of seconds, not {shown(value)}")
    return float(value)


def index(value: Any, what: str) -> int:
    """Return a number from 0 on; one too large for JSON readers to keep exactly may be a text of digits."""
    if isinstance(value, str) and len(value) <= 4000 and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"{what} is a whole number from 0 on, not {shown(value)}")
    return value


def puzzle(value: Any, what: str) -> Puzzle:
    """Return the puzzle in ``{"text", "name"}``. Raises UsageError and InputError."""
    members = read_members(value, {"text": Member(_any_text), "name": Member(_name, "puzzle")}, what)
    name = members["name"] or "puzzle"
    found = read_text(members["text"], name)
    if len(found) > 1:
        raise UsageError(f"{what} has {len(found)} puzzles, of which one is to be chosen")
    (puzzle,) = found.values()
    return replace(puzzle, name=name)  # type: ignore[type-var]


def read_board(puzzle: Puzzle, text: str | None) -> dict[int, int] | None:
    """Return the values on a board by the index of their variable. Raises UsageError and InputError."""
    if text is None:
        return None
    family = family_of(puzzle)
    if family.read_board is None:
        raise UsageError(f"the family {family.name} cannot read partial boards")
    return family.read_board(puzzle, text, "board")


def file(value: Any, what: str) -> tuple[str, str]:
    """Return the name and the text of ``{"name", "text"}``."""
    members = read_members(value, {"text": Member(_any_text), "name": Member(_name, "file")}, what)
    return members["name"] or "file", members["text"]


def runs(value: Any, what: str) -> list[tuple[str, str]]:
    """Return the engines and formulations of ``[{"engine", "formulation"}, …]``."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_COMPARED_RUNS:
        raise UsageError(f"{what} is a list of 1 to {MAX_COMPARED_RUNS} runs, not {shown(value)}")
    members = {"engine": Member(_name), "formulation": Member(_name, "")}
    found = [read_members(each, members, f"{what}[{i}]") for i, each in enumerate(value)]
    return [(each["engine"], each["formulation"]) for each in found]


def facts(value: Any, what: str) -> list[dict[str, Any]]:
    """Return a list of objects; the verb itself checks whether they are facts of the puzzle."""
    if not isinstance(value, list) or len(value) > MOST_FACTS or not all(isinstance(f, dict) for f in value):
        raise UsageError(f"{what} is a list of at most {MOST_FACTS} facts, not {shown(value)}")
    return value


MOST_FACTS = 20_000
"""Most facts that a player was given before: more than a board of a hundred dominoes has."""

MAX_COMPARED_RUNS = 50
"""Most runs of one comparison."""

_name = text_reader(MAX_NAME_CHARACTERS)
_any_text = text_reader(2**20)
