"""Names for people as MiniZinc identifiers, and as words in a comment."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from milp_pips.problem import Problem


def identifiers(problem: Problem) -> tuple[str, ...]:
    """Return one identifier per variable of the problem: valid, unique, as near to its name as may be."""
    taken: set[str] = set()
    return tuple(unique(_identifier(variable.name), taken) for variable in problem.variables)


def unique(name: str, taken: set[str]) -> str:
    """Return the name, with a number behind it if it is taken, and mark it as taken."""
    free, again = name, 1
    while free in taken:
        again += 1
        free = f"{name}_{again}"
    taken.add(free)
    return free


def comment(words: str) -> str:
    """Return the words as one comment line, whatever is in them."""
    printable = "".join(c if c.isprintable() else " " for c in words)
    return f"% {' '.join(printable.split())}".rstrip()


def _identifier(name: str) -> str:
    """Return the ASCII letters and digits of a name, accents taken off, underscores in place of all else.

    MiniZinc's own words (``domain``, ``not``) begin with a small letter, and all that could be mistaken for a
    variable are without a digit: such a name gets a capital.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    word = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_") or "x"
    if word[0].isdigit():
        return f"x{word}"
    if len(word) > 1 and not re.search(r"\d", word):
        return word[0].upper() + word[1:]
    return word


def values(numbers: Iterable[int]) -> str:
    """Return the set of these numbers: ``0..6`` without gaps, ``{1, 3}`` with, ``{}`` for none."""
    ordered = sorted(set(numbers))
    if len(ordered) > 2 and ordered[-1] - ordered[0] + 1 == len(ordered):
        return f"{ordered[0]}..{ordered[-1]}"
    return "{" + ", ".join(map(str, ordered)) + "}"
