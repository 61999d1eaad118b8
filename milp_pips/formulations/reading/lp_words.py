"""The words of an LP file: numbers, names, signs and relations, each with its line; headings of sections."""

from __future__ import annotations

import re
from typing import NamedTuple

from milp_pips.formulations.reading.lines import MAX_NAME, lines_of, quoted
from milp_pips.problem.errors import InputError


class Kind:
    """The kinds of words."""

    NUMBER, NAME, SIGN, RELATION, OTHER, END = "number", "name", "sign", "relation", "other", "end of file"


_LP_WORD = re.compile(
    r"""[ \t]*(?:
    (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\s+\-*^:<>=\\\[\]][^\s+\-*^:<>=\\]*)
    |(?P<other>->|::|[:*^\[\]])
    |(?P<sign>[+-])
    |(?P<relation>[<>]=|=[<>=]|[<>=])
    |\\.*
    )""",
    re.VERBOSE,
)
"""A word, or a comment. Blanks, signs and relations end a name; brackets may be in it, not before it."""

_GLUED_NAME = re.compile(r"(?![eE])(?![dD][0-9])[^\W\d]", re.UNICODE)
"""How a name begins that follows a number without a blank: ``2x``. ``2e`` and ``2d3`` might be numbers."""

_NO_NAME = re.compile(r"[eE][0-9]|[0-9.,(\[{]|(?:inf|infinity|nan)\Z", re.IGNORECASE)
"""How no name begins, and words that are numbers: ``e3`` might be an exponent, ``(x`` a product."""

INFINITE_WORDS = frozenset(("inf", "infinity"))


class Section:
    """The sections. One that would state more than a linear model, with nothing in it, is ``EMPTY``."""

    MIN, MAX, ROWS, BOUNDS = "Minimize", "Maximize", "Subject To", "Bounds"
    GENERAL, BINARY, FREE, FINISH, EMPTY = "General", "Binary", "Free", "End", "an empty section"


HEADINGS = {
    **dict.fromkeys(("min", "minimum", "minimize", "minimise"), Section.MIN),
    **dict.fromkeys(("max", "maximum", "maximize", "maximise"), Section.MAX),
    **dict.fromkeys(("st", "s.t.", "st.", "s.t", "subject to", "such that"), Section.ROWS),
    **dict.fromkeys(("bound", "bounds"), Section.BOUNDS),
    **dict.fromkeys(("general", "generals", "gen", "integer", "integers", "int"), Section.GENERAL),
    **dict.fromkeys(("binary", "binaries", "bin"), Section.BINARY),
    **dict.fromkeys(("free",), Section.FREE),
    **dict.fromkeys(("end",), Section.FINISH),
}
"""The headings, as CPLEX, Gurobi and Xpress document them, in lower case."""

REFUSED_SECTIONS = frozenset(
    ("semi", "semis", "semi-continuous", "semi-integer", "sin", "sos", "sos1", "sos2", "pwlobj", "gencons",
     "general constraints", "general constraint", "gen cons", "lazy constraints", "user cuts",
     "multi-objectives", "partial integers", "partial integer", "scenario") )  # fmt: skip
"""Headings of sections that state more than a linear model."""

FIRST_WORDS = frozenset(heading.split()[0].split("-")[0] for heading in (*HEADINGS, *REFUSED_SECTIONS))
"""The first words of all headings."""


class Word(NamedTuple):
    """A word of the file: its kind, text and line, and whether no blank is before it."""

    kind: str
    text: str
    line: int
    glued: bool


def words_of(text: str, file: str) -> list[Word]:
    """Return the words of an LP file without its comments, and one for the end. Raises InputError."""
    words = list[Word]()
    lines = lines_of(text, file, lambda before: "\\" in before)
    for number, line in enumerate(lines, 1):
        at, line = 0, line.rstrip()
        while at < len(line):
            found = _LP_WORD.match(line, at)
            if found is None:  # nothing but a backslash is left out above
                raise InputError(f"{quoted(line[at])} begins no word", file, number)
            if kind := found.lastgroup:
                words.append(Word(kind, found[kind], number, found.start(kind) == at > 0))
            at = found.end()
    words.append(Word(Kind.END, "", len(lines), glued=False))
    return words


def name_fault(name: str, *, of_row: bool = False) -> str:
    """Return why a word cannot be the name of a column or a row; empty if it can.

    A row may be called ``e1``: with its colon it is no exponent.
    """
    if len(name) > MAX_NAME:
        return f"the name {quoted(name)} has {len(name)} characters, over {MAX_NAME}"
    if name.lower() in HEADINGS or name.lower() in REFUSED_SECTIONS:
        return f"{quoted(name)} begins a section and is no name"
    if _NO_NAME.match(name) and not (of_row and name[0] in "eE"):
        return f"{quoted(name)} is no name: it begins as a number, an exponent or a bracket does"
    if not _is_balanced(name):
        return f"the brackets in {quoted(name)} do not match; products with brackets are not read"
    return ""


def glued_fault(number: str, after: Word) -> str:
    """Return why a number cannot be followed by this word without a blank; empty if it can."""
    if after.kind == Kind.NAME and _GLUED_NAME.match(after.text):
        return ""
    return f"{quoted(number + after.text)} is neither a number nor a number and a name"


def _is_balanced(name: str) -> bool:
    """Return whether each bracket in a name has its partner, in order."""
    open_brackets = list[str]()
    for letter in name:
        if letter in "([{":
            open_brackets.append({"(": ")", "[": "]", "{": "}"}[letter])
        elif letter in ")]}" and (not open_brackets or open_brackets.pop() != letter):
            return False
    return not open_brackets
