"""What a constraint's sentences are made of: facts, what one rule rules out, and a player's words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol


class Fact(NamedTuple):
    """A variable has a value (``holds``), or does not have it.

    If the variable is the partner of a cell, the fact is about a domino that covers both cells. Such a fact
    uses the partner variable of the lower cell.
    """

    variable: int
    value: int
    holds: bool

    def is_true(self, assignment: Sequence[int] | Mapping[int, int]) -> bool:
        """Whether the fact is true in the assignment."""
        return (assignment[self.variable] == self.value) is self.holds


class Argument(NamedTuple):
    """The clauses for why and what follows, without a full stop; ``said`` joins both if that reads better."""

    why: str
    so: str
    said: str = ""

    def __str__(self) -> str:
        return self.said or (f"{self.why}: {self.so}" if self.so else self.why)


class RuleDeduction(NamedTuple):
    """What follows from one rule alone.

    ``facts`` are the known facts on which it rests, ``conclusions`` those that follow: none if there is a
    contradiction. ``excluded`` has the pairs (variable, value) behind the facts. ``name`` is the name of the
    rule, ``says`` its content if it is short, ``must`` the demand of a bounded sum (``reach 12``), and
    ``counts`` what a sum of cells that are 0 or 1 counts (``2 stars``).
    """

    facts: Sequence[Fact]
    conclusions: Sequence[Fact]
    excluded: Collection[tuple[int, int]]
    name: str
    says: str
    must: str
    counts: str = ""

    @property
    def title(self) -> str:
        """The name of the rule with its content: ``region A (all equal)``."""
        return f"{self.name} ({self.says})" if self.says else self.name


class PlayersWords(Protocol):
    """Names of cells and values, and facts as clauses, as a player reads them."""

    def number(self, n: int) -> str:
        """Return a small number as a word."""

    def times(self, n: int) -> str:
        """Return a number of times in words: ``twice``."""

    def value(self, value: int) -> str:
        """Return the name of a value."""

    def values(self, values: Iterable[int], conjunction: str = "or") -> str:
        """Return values in increasing order, as a list."""

    def cell(self, v: int) -> str:
        """Return the name of a variable's cell."""

    def cells(self, variables: Iterable[int], conjunction: str = "and") -> str:
        """Return the names of cells as a list."""

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the values of a variable."""

    def clauses(self, facts: Iterable[Fact]) -> list[str]:
        """Return one clause for each group of facts that can be combined."""

    def known(self, facts: Sequence[Fact], after: str = "") -> str:
        """Return facts as one clause, following the clause ``after`` if given."""

    def conclusion(self, deduction: RuleDeduction) -> str:
        """Return what a deduction concludes, or that there is a contradiction."""
