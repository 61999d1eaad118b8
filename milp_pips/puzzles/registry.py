"""The registry of puzzle families. Their names are built in or come from entry points."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol, cast

from milp_pips.problem import plugins
from milp_pips.problem.errors import FamilyFault, UsageError
from milp_pips.problem.plugins import PluginErrors, all_text, kind_of, load
from milp_pips.puzzles.family import Family

FAMILY_GROUP = "milp_pips.puzzles"
"""Entry-point group of families."""

FAMILIES = {
    "pips": "milp_pips.puzzles.pips:FAMILY",
    "sudoku": "milp_pips.puzzles.sudoku:FAMILY",
    "colour-grid": "milp_pips.puzzles.colour_grid:FAMILY",
    "linear-model": "milp_pips.puzzles.linear:FAMILY",
}
MORE_FAMILIES = {
    name: f"milp_pips.extras.families.{name.replace('-', '_')}:FAMILY"
    for name in ("kakuro", "star-battle", "skyscrapers", "binairo", "slitherlink")
}
"""Families of ``extras``, which may be absent. Their files start with the name, and no other is loaded."""
WITHOUT_FILES = {"problem": "milp_pips.puzzles.bare:FAMILY"}
"""Families without files. They are not offered as a choice."""

ENDINGS = dict.fromkeys((".mps", ".lp", ".opb", ".cnf"), "linear-model")
"""The endings of files that decide on the family, whatever the text is; ``.gz`` may follow."""


class HasFamily(Protocol):
    """Any object with the name of a family, such as a puzzle."""

    @property
    def family(self) -> str:
        """The name of its family."""


def names() -> dict[str, str]:
    """Return the location of each family by name, the built-in families first."""
    return plugins.names(FAMILY_GROUP, _built_in())


def _built_in() -> dict[str, str]:
    """Return the location of each built-in family, those of ``extras`` only if these are installed."""
    return FAMILIES | (MORE_FAMILIES if find_spec(plugins.EXTRAS_PACKAGE) else {})


def family_named_in(text: str) -> Family[Any, Any] | None:
    """Return the family of ``extras`` whose name is the first word of the text, or None."""
    word = text.removeprefix("\ufeff").lstrip()[:40].split(maxsplit=1)[:1]
    return family(word[0]) if word and word[0] in MORE_FAMILIES and word[0] in _built_in() else None


def family_by_ending(file: str) -> Family[Any, Any] | None:
    """Return the family that the ending of a file decides on, or None."""
    name = file.lower().removesuffix(".gz")
    return next((family(named) for ending, named in ENDINGS.items() if name.endswith(ending)), None)


@cache
def family(name: str) -> Family[Any, Any]:
    """Return the family of this name. Raises UsageError if there is none, or it is faulty."""
    return family_at(WITHOUT_FILES.get(name) or plugins.location(name, _built_in(), names, "puzzle family"))


def family_at(where: str) -> Family[Any, Any]:
    """Return the family at this location. Raises UsageError if the object there is not a family."""
    found = load(where)
    with PluginErrors(f"the plugin {where} is not a family", UsageError):
        fault = _fault_of_family(found)
    if fault:
        raise UsageError(f"the plugin {where} is not a family: {fault}")
    return cast(
        "Family[Any, Any]",
        found if where in {*FAMILIES.values(), *MORE_FAMILIES.values()} else _guarded(found),
    )


def _fault_of_family(family: Any) -> str:
    """Return what is wrong with the data of a family, or an empty string."""
    if not isinstance(family, Family):
        what = f"the class {family.__name__}" if isinstance(family, type) else kind_of(family)
        return f"it is {what}, not a milp_pips.puzzles.family.Family"
    data = {field.name: getattr(family, field.name) for field in fields(Family)}
    missing = [f.name for f in fields(Family) if f.default is MISSING and data[f.name] is None]
    if missing:
        return f"it has no {', no '.join(missing)}"
    name, texts = data.pop("name"), {each: data.pop(each) for each in ("examples", "variants")}
    if not isinstance(name, str):
        return f"its name is {kind_of(name)}"
    for each, given in texts.items():
        if not isinstance(given, tuple) or not all_text(given):
            return f"its {each} are not a tuple of strings"
    for name, function in data.items():
        if not callable(function or callable):
            return f"its {name} is not a function"
    return ""


def _guarded(family: Any) -> Any:
    """Return the plugin family, with every function wrapped so that an error in it blames the family."""

    def guard(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            with PluginErrors(f"the family {family.name} failed in {name}", FamilyFault):
                value = function(*arguments)
            wrong = name in RETURN_TYPES and type(value).__name__ not in RETURN_TYPES[name]
            if wrong or (name == "read" and not isinstance(value, Mapping)):
                raise FamilyFault(f"the family {family.name} failed in {name}: it returned {kind_of(value)}")
            return value

        return call

    functions = {f.name: getattr(family, f.name) for f in fields(family)}
    calls = {name: guard(name, value) for name, value in functions.items() if callable(value)}
    return replace(family, **calls)


RETURN_TYPES = {
    "state": ("Problem",),
    "check": ("str", "NoneType"),
    "draw": ("Drawing",),
    "encode": ("dict",),
    "read_board": ("dict",),
    "alternatives": ("list",),
    "to_json": ("dict",),
    "write_solution": ("str",),
}
"""Return types that are checked, by function: a wrong type there would be noticed only late."""


def family_of(puzzle: HasFamily) -> Family[Any, Any]:
    """Return the family of the puzzle. Raises UsageError."""
    return family(puzzle.family)


def families() -> Iterator[Family[Any, Any]]:
    """Yield all families, those of the core first. Skip a family that cannot be loaded, with a warning."""
    yield from map(family, FAMILIES)
    for name, where in names().items():  # the others are searched only if the caller continues
        if name not in FAMILIES:
            try:
                yield family_at(where)
            except UsageError as error:
                warnings.warn(str(error), stacklevel=2)
