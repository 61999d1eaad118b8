"""From a family's name and the values of its options to what makes the puzzles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from milp_pips import plugins
from milp_pips.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.puzzles.family import GeneratingFamily, Maker


def families() -> dict[str, GeneratingFamily]:
    """Return the families of which new puzzles can be made, by name."""
    able = (family for family in plugins.families() if hasattr(family, "generator"))
    return {family.name: cast("GeneratingFamily", family) for family in able}


def family_named(name: str) -> GeneratingFamily:
    """Return the family, for the empty name the first; raises UsageError if it cannot make puzzles."""
    able = families()
    name = name or next(iter(able))
    if name not in able:
        raise UsageError(f"no new puzzles of the family {name!r} can be made; known: {', '.join(able)}")
    return able[name]


def maker_of(family: GeneratingFamily, asked: dict[str, Any]) -> Maker:
    """Return what makes puzzles as asked for.

    Parameters
    ----------
    family
        The family.
    asked
        Values of the family's options, as text, or as numbers.

    Raises
    ------
    UsageError
        An option is not known, its value makes no sense, or no puzzle can be so.
    InputError
        A file that an option names cannot be read.
    """
    from milp_pips.reading import text_of

    options = {option.name: option for option in family.generator().options}
    wanted = {}
    for name, value in asked.items():
        if name not in options:
            known = ", ".join(f"--{_dashed(option)}" for option in options)
            raise UsageError(f"--{_dashed(name)} is no option of {family.name}; known: {known}")
        option = options[name]
        text = str(value)
        wanted[name] = option.read(text_of(text), text) if option.names_a_file else option.read(text)
    return family.generator().maker(wanted)


def _dashed(name: str) -> str:
    return name.replace("_", "-")
