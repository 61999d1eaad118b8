"""The exceptions of the package, and functions that write their messages."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "Contradiction",
    "EngineFault",
    "FamilyFault",
    "InputError",
    "MilpPipsError",
    "OutputError",
    "Terminated",
    "UsageError",
    "meant",
    "unknown_name",
    "visible",
]


MAX_QUOTED_CHARACTERS = 1000
"""Characters of quoted text up to which it is shown whole: a path is shorter, and a person reads no more."""


def visible(text: str, most: int = MAX_QUOTED_CHARACTERS) -> str:
    """Return the text in one line, with each unprintable character as a Unicode escape.

    Text from a file, or a file's name, is data: it must not move a terminal's cursor or end a line. Of a text
    with more than ``most`` characters the middle is left out.
    """
    if len(text) > most:
        text = f"{text[: most // 2]} … {text[-most // 2 :]}"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


class MilpPipsError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(MilpPipsError):
    """An input cannot be read.

    The message is one line: the file, the line number, the fault and, if that helps, what was expected.

    Parameters
    ----------
    what
        Description of the fault.
    file
        Name of the file, as the user wrote it.
    line
        Line number, counted from 1; None if no single line is at fault.
    expected
        Description of a correct input.
    """

    def __init__(self, what: str, file: str = "", line: int | None = None, expected: str = ""):
        what, file, expected = visible(what), visible(file), visible(expected)
        self.what, self.file, self.line, self.expected = what, file, line, expected
        place = f"{file}:{line}: " if line else f"{file}: " if file else ""
        super().__init__(f"{place}{what}" + (f"; expected {expected}" if expected else ""))


class OutputError(MilpPipsError):
    """An output cannot be written although its path is valid: the disk is full, or fails.

    The message is one line: the file and the fault.
    """

    def __init__(self, what: str, file: str):
        self.what, self.file = visible(what), visible(file)
        super().__init__(f"{self.file}: {self.what}")


class UsageError(MilpPipsError):
    """A request is invalid: an unknown solver, formulation, option or key. The message is one line."""

    def __init__(self, text: str):
        super().__init__(visible(text))


def unknown_name(what: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for an unknown name; its message lists the known names and suggests the nearest one.

    ``what`` is the kind of thing that the name should denote, such as ``solver``.
    """
    names = [each for each in known if each]
    return UsageError(f"unknown {what} {name!r}; known: {', '.join(names)}{meant(name, names)}")


MOST_MEANT = 3
"""The most names that a message suggests."""


def meant(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return the end of a message, ``; did you mean highs?``; empty if no known name is similar.

    Names that begin like the given one come first. The comparison ignores the ``prefix`` of all names.
    """
    from difflib import get_close_matches  # imported only for an error

    spelled = {each.removeprefix(prefix).casefold(): each for each in known}
    given = name.removeprefix(prefix).casefold()[:100]
    near = [full for full in spelled if len(given) > 1 and full.startswith(given)]
    near = near[:MOST_MEANT] or get_close_matches(given, spelled, 1)
    return f"; did you mean {' or '.join([spelled[full] for full in near])}?" if near else ""


class Contradiction(MilpPipsError):
    """Propagation has proven infeasibility; the message names the violated rule, in the player's words."""


class EngineFault(MilpPipsError):
    """An engine gave a wrong answer: a point that breaks a rule, or a false "infeasible"."""


class FamilyFault(EngineFault):
    """The functions of a puzzle family failed or contradict one another; no engine is at fault."""


class Terminated(SystemExit):
    """The process received SIGTERM; the exception unwinds the stack, so that everything is cleaned up."""
