"""What can go wrong, in words a person can act on."""

from __future__ import annotations

from collections.abc import Iterable


def visible(text: str) -> str:
    """Return the text in one line with every character visible: a control character as its number.

    What a file or its name says is data: it must not move a terminal's cursor or end a line.
    """
    if len(text) > MAX_QUOTED_CHARACTERS:
        text = f"{text[: MAX_QUOTED_CHARACTERS // 2]} … {text[-MAX_QUOTED_CHARACTERS // 2 :]}"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


MAX_QUOTED_CHARACTERS = 1000
"""Characters of what is shown of a file at once: a path has fewer, and a person reads no more."""


class MilpPipsError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(MilpPipsError):
    """An input that cannot be read.

    Its text is one line: the file, the line number, what is wrong and, where that helps, what was expected.

    Parameters
    ----------
    what
        What is wrong.
    file
        Name of the file, as the person gave it.
    line
        Line number counted from 1, where one line is to blame.
    expected
        What would have been right.
    """

    def __init__(self, what: str, file: str = "", line: int | None = None, expected: str = ""):
        what, file, expected = visible(what), visible(file), visible(expected)
        self.what, self.file, self.line, self.expected = what, file, line, expected
        place = f"{file}:{line}: " if line else f"{file}: " if file else ""
        super().__init__(f"{place}{what}" + (f"; expected {expected}" if expected else ""))


class OutputError(MilpPipsError):
    """An output that cannot be written although its place is right: the disk is full, or fails.

    Its text is one line: the file, and what is wrong.
    """

    def __init__(self, what: str, file: str):
        self.what, self.file = visible(what), visible(file)
        super().__init__(f"{self.file}: {self.what}")


class UsageError(MilpPipsError):
    """A request that makes no sense: an unknown solver, formulation, option or key. Its text is one line."""

    def __init__(self, text: str):
        super().__init__(visible(text))


def unknown_name(what: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is none of those known: which these are, and which may be meant.

    ``what`` is what the name should be of, such as ``solver``.
    """
    names = [each for each in known if each]
    return UsageError(f"unknown {what} {name!r}; known: {', '.join(names)}{meant(name, names)}")


def meant(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return the end of a message, ``; did you mean highs?``; empty where no known name is near.

    The ``prefix`` that all names have is not compared.
    """
    from difflib import get_close_matches  # only if something is wrong

    spelled = {each.removeprefix(prefix).casefold(): each for each in known}
    near = get_close_matches(name.removeprefix(prefix).casefold()[:100], spelled, 1)
    return f"; did you mean {spelled[near[0]]}?" if near else ""


class EngineFault(MilpPipsError):
    """An engine gave an answer that is wrong: a point that breaks a rule, or a false "infeasible"."""


class FamilyFault(EngineFault):
    """A family's functions failed or contradict one another: no engine is to blame."""


class Terminated(SystemExit):
    """The process was told to end (SIGTERM): everything is cleaned up on the way out."""
