"""The parts of a MiniZinc model while it is being written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from milp_pips.minizinc.names import unique


@dataclass(slots=True)
class Draft:
    """Lines of text, the files they need, and the arrays to search on.

    Parameters
    ----------
    names
        The identifier of each variable of the problem.
    lines
        The model so far.
    includes
        Files of MiniZinc's library. Each is included by itself: Debian's ``globals.mzn`` does not compile.
    searches
        Arrays of variables to search on, the first first.
    """

    names: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    includes: set[str] = field(default_factory=set)
    searches: list[str] = field(default_factory=list)
    _taken: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._taken = set(self.names)

    def fresh(self, *names: str) -> tuple[str, ...]:
        """Return identifiers that nothing else in the model has."""
        return tuple(unique(name, self._taken) for name in names)

    def named(self, variables: Iterable[int]) -> str:
        """Return an array literal of the variables."""
        return "[" + ", ".join(self.names[v] for v in variables) + "]"

    def library(self, predicate: str) -> str:
        """Return the name of a predicate of MiniZinc's library, whose file is included from now on."""
        self.includes.add(f"{predicate}.mzn")
        return predicate
