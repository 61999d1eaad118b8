"""What a request may say: every member is looked at before work begins, and a fault is one sentence."""

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
"""Characters of a name."""

Reader = Callable[[Any, str], Any]
"""Returns what a member means, given its value and its name. Raises UsageError."""


class Member(NamedTuple):
    """A member of a request: how it is read, and what it is where it is left out, if it may be."""

    read: Reader
    default: Any = ...


def read_members(body: object, members: Mapping[str, Member], what: str) -> dict[str, Any]:
    """Return what the members of a request mean. Raises UsageError, also for one that nobody knows."""
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


def a_text(longest: int) -> Reader:
    """Return how a text of at most so many characters is read."""

    def read(value: Any, what: str) -> str:
        if not isinstance(value, str):
            raise UsageError(f"{what} is a text, not {shown(value)}")
        if len(value) > longest:
            raise UsageError(f"{what} has {len(value)} characters, of {longest} at most")
        return value

    return read


def a_whole_number(least: int, most: int) -> Reader:
    """Return how a whole number in a range is read."""

    def read(value: Any, what: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise UsageError(f"{what} is a whole number from {least} to {most}, not {shown(value)}")
        return value

    return read


def one_of(choices: Collection[str]) -> Reader:
    """Return how one of a few words is read."""

    def read(value: Any, what: str) -> str:
        if not isinstance(value, str) or value not in choices:
            raise UsageError(f"{what} is one of {', '.join(choices)}, not {shown(value)}")
        return value

    return read


def or_null(read: Reader) -> Member:
    """Return the member that is read so, or is null, or left out."""
    return Member(lambda value, what: None if value is None else read(value, what), None)


def seconds(value: Any, what: str) -> float:
    """Return a number of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1e6:
        raise UsageError(f"{what} is a number of seconds, not {shown(value)}")
    return float(value)


def index(value: Any, what: str) -> int:
    """Return a number from 0 on; one beyond what JSON's readers keep exactly may come as a text of digits."""
    if isinstance(value, str) and len(value) <= 4000 and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"{what} is a whole number from 0 on, not {shown(value)}")
    return value


def puzzle(value: Any, what: str) -> Puzzle:
    """Return the puzzle in ``{"text", "name"}``. Raises UsageError and InputError."""
    said = read_members(value, {"text": Member(_any_text), "name": Member(_name, "puzzle")}, what)
    name = said["name"] or "puzzle"
    found = read_text(said["text"], name)
    if len(found) > 1:
        raise UsageError(f"{what} has {len(found)} puzzles, of which one is to be chosen")
    (puzzle,) = found.values()
    return replace(puzzle, name=name)  # type: ignore[type-var]


def read_board(puzzle: Puzzle, text: str | None) -> dict[int, int] | None:
    """Return what stands on a board by the position of its variable. Raises UsageError and InputError."""
    if text is None:
        return None
    family = family_of(puzzle)
    if family.read_board is None:
        raise UsageError(f"the family {family.name} reads no boards that are filled in part")
    return family.read_board(puzzle, text, "board")


def file(value: Any, what: str) -> tuple[str, str]:
    """Return the name and the text of ``{"name", "text"}``."""
    said = read_members(value, {"text": Member(_any_text), "name": Member(_name, "file")}, what)
    return said["name"] or "file", said["text"]


def runs(value: Any, what: str) -> list[tuple[str, str]]:
    """Return the engines and formulations of ``[{"engine", "formulation"}, …]``."""
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_RUNS:
        raise UsageError(f"{what} is a list of 1 to {MOST_RUNS} runs, not {shown(value)}")
    members = {"engine": Member(_name), "formulation": Member(_name, "")}
    said = [read_members(each, members, f"{what}[{i}]") for i, each in enumerate(value)]
    return [(each["engine"], each["formulation"]) for each in said]


def facts(value: Any, what: str) -> list[dict[str, Any]]:
    """Return a list of objects, of which the puzzle tells whether they are facts."""
    if not isinstance(value, list) or len(value) > MOST_FACTS or not all(isinstance(f, dict) for f in value):
        raise UsageError(f"{what} is a list of at most {MOST_FACTS} facts, not {shown(value)}")
    return value


MOST_FACTS = 20_000
"""Facts that a player may have been told: more than a board of a hundred dominoes has."""

MOST_RUNS = 50
"""Runs that one comparison may ask for."""

_name = a_text(MAX_NAME_CHARACTERS)
_any_text = a_text(2**20)
