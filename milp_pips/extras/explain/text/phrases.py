"""Phrases for lists, numbers, cells and the values they can take: the grammar of the sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from itertools import groupby
from typing import TypeVar

from milp_pips.extras.explain.facts import Fact, Reason
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
from milp_pips.problem.deduction import RuleDeduction

MOST_NAMED_RULES = 4
"""The most rules that a hint names; a reader keeps about four things in mind (Cowan 2001)."""

LEAST_RANGE = 4
"""The fewest neighbouring cells in a row or column that are named by the first and the last."""

MOST_LEFT = 3
"""The most values left for a cell that a sentence lists instead of those excluded."""

IMPOSSIBLE = "that is impossible"
"""The end of an argument that leads to a contradiction, unless it says more."""

T = TypeVar("T")

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def listed(words: Iterable[str], conjunction: str = "and") -> str:
    """Return ``a, b and c``."""
    *first, last = [*words] or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def joined(clauses: Iterable[str], conjunction: str = "and", *, comma: bool = False) -> str:
    """Return ``a is 1 and b is 2``, with a comma or semicolons if a clause contains a list."""
    clauses = [*clauses]
    if len(clauses) < 2 or not (comma or any(re.search(", | and | or ", clause) for clause in clauses)):
        return listed(clauses, conjunction)
    begins_with_list = any(re.match(r"\S+, ", clause) for clause in clauses[1:])
    mark = ";" if begins_with_list and len(clauses) > 2 else ","
    return f"{f'{mark} '.join(clauses[:-1])}{mark} {conjunction} {clauses[-1]}"


def following(known: str, clause: str, mark: str = ", so") -> str:
    """Return the clause after what is known, if anything is: ``r1c2 is 4, so only 1-2 fits there``."""
    return f"{known}{mark} {clause}" if known else clause


def number(n: int) -> str:
    """Return a small number as a word."""
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def times(n: int) -> str:
    """Return a number of times in words."""
    return {1: "once", 2: "twice"}.get(n, f"{number(n)} times")


def counted(n: int, thing: str) -> str:
    """Return ``one cell``, ``three cells``."""
    return f"{number(n)} {thing}{'' if n == 1 else 's'}"


def domino(kind: tuple[int, int]) -> str:
    """Return a kind of domino in its usual notation: ``1-2``."""
    return f"{kind[0]}-{kind[1]}"


def sentence(clause: str, names: Collection[str]) -> str:
    """Return the clause as a sentence; a cell name at its beginning keeps its case."""
    if not any(re.match(re.escape(name) + r"(?!\w)", clause) for name in names):
        clause = clause[:1].upper() + clause[1:]
    return clause if clause.endswith((".", "!", "?")) else clause + "."


class Phrases:
    """Name the cells and values of a problem and put facts about them into words.

    ``stated`` has the values that earlier sentences excluded, by cell: a cell is described by what is left.
    """

    def __init__(self, grouped: GroupedProblem):
        self.grouped, self.problem = grouped, grouped.problem
        self.stated: dict[int, frozenset[int]] = {}
        self.names = [variable.name for variable in grouped.variables]
        self.neighbours = [
            (tiling.values[i], tiling.values[j]) for tiling in grouped.tilings for i, j in tiling.edges
        ]
        counts = bool(grouped.tilings) or any(item.piece.orders_values for item in grouped.items)
        self.is_ordered = counts and not grouped.problem.value_names
        """Whether "at least 3" makes sense: the values are numbers that are added up or compared."""

    number, times = staticmethod(number), staticmethod(times)

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the values of a variable."""
        return self.grouped.variables[v].domain

    def value(self, value: int) -> str:
        """Return the name of a value."""
        return self.problem.written(value)

    def plural(self, value: int) -> str:
        """Return the plural of a value: ``6s``."""
        return f"{self.value(value)}s"

    def values(self, values: Iterable[int], conjunction: str = "or") -> str:
        """Return values in increasing order, in words."""
        return listed(map(self.value, sorted(values)), conjunction)

    def cell(self, v: int) -> str:
        """Return the name of a variable's cell; a partner variable belongs to the cell that it describes."""
        return self.names[self.grouped.cell(v)]

    def cells(self, variables: Iterable[int], conjunction: str = "and") -> str:
        """Return the names of cells; four or more in a line become a range: ``r1c2 to r1c9``."""
        return listed(_ranges(list(dict.fromkeys(map(self.cell, variables)))), conjunction)

    def edge(self, cells: Iterable[int]) -> str:
        """Return the name of a place of a domino: ``r1c1–r1c2``."""
        return "–".join(map(self.cell, cells))

    def ends(self, fact: Fact) -> tuple[int, int] | None:
        """Return the two cells of a fact about a domino; None for a fact about a value."""
        return self.grouped.ends(fact)

    def fixed(self, item: ConstraintGroup) -> str:
        """Return a given or a move in words: ``3 in r1c2``, ``domino on r1c2–r1c3``."""
        ends = self.ends(item.fact)
        if ends is not None:
            return f"domino on {self.pairs([ends])}"
        return f"{self.value(item.fact.value)} in {self.cell(item.fact.variable)}"

    def pairs(self, pairs: Sequence[tuple[int, int]], conjunction: str = "and") -> str:
        """Return pairs of cells as ``a–b and c–d``."""
        return listed(map(self.edge, pairs), conjunction)

    def is_not(
        self, v: int, excluded: Collection[int], new: Collection[int], *, several: bool = False
    ) -> str:
        """Return what a cell, or ``several`` alike, can be once values are excluded, some of them new."""
        domain = self.grouped.variables[v].domain
        left = [x for x in domain if x not in excluded]
        gone = [x for x in domain if x in excluded] or sorted(excluded)
        be, each = ("are", "each ") if several else ("is", "")
        if len(left) == 1 and len(new) < len(gone):  # a cell's last remaining value is a separate step
            return f"cannot be {self.values(new)}"
        if len(left) == 1:
            return f"{be} {self.value(left[0])}"
        if self.is_ordered and len(gone) > 1 and left and max(gone) < left[0]:
            return f"{be} at least {left[0]}"
        if self.is_ordered and len(gone) > 1 and left and min(gone) > left[-1]:
            return f"{be} at most {left[-1]}"
        if 1 < len(left) <= MOST_LEFT and len(left) <= len(gone):
            return f"{be} {each}{self.values(left)}"
        return f"cannot be {self.values(new)}"

    @property
    def bare(self) -> Phrases:
        """The phrases that leave out what earlier sentences stated."""
        bare = copy(self)
        bare.stated = {}
        return bare

    def after(self, facts: Iterable[Fact]) -> Phrases:
        """Return the phrases for what comes after a sentence that states these facts."""
        later = copy(self)
        later.stated = self.stated.copy()
        for v, value, holds in facts:
            if not holds and v not in self.grouped.partners:
                later.stated[v] = later.stated.get(v, frozenset()) | {value}
        return later

    def clauses(self, facts: Iterable[Fact], known: Iterable[Fact] | None = None) -> list[str]:
        """Return one clause for each group of facts that can be combined.

        For conclusions ``known`` holds the facts from which they follow; what else was stated of a cell is
        added only where it leaves few values. Facts that were known before are said by what was stated.
        """
        new: dict[int, set[int]] = {}
        equal: dict[int, int] = {}
        laid, unlaid = list[tuple[int, int]](), list[tuple[int, int]]()
        for fact in facts:
            ends = self.ends(fact)
            if ends is not None:
                (laid if fact.holds else unlaid).append(ends)
            elif fact.holds:
                equal[fact.variable] = fact.value
            else:
                new.setdefault(fact.variable, set()).add(fact.value)
        is_new = known is not None
        excluded = {v: gone if is_new else gone.union(self.stated.get(v, ())) for v, gone in new.items()}
        for fact in known or ():
            if not fact.holds and fact.variable in excluded:
                excluded[fact.variable] = excluded[fact.variable] | {fact.value}
        leave = {v: self._leaves(v, gone) if is_new else "" for v, gone in excluded.items()}
        said = [
            f"{self.cells(group)} {'is' if len(group) == 1 else 'are'} {self.value(value)}"
            for value, group in grouped(equal).items()
        ]
        alike = {v: self.is_not(v, gone, new[v]) + leave[v] for v, gone in excluded.items()}
        for group in grouped(alike).values():
            v, several = group[0], len(group) > 1
            which = self.is_not(v, excluded[v], new[v], several=several)
            said.append(f"{self.cells(group)} {which}{leave[v] if which.startswith('cannot') else ''}")
        if laid:
            domino_lies = "a domino lies" if len(laid) == 1 else "dominoes lie"
            said.append(f"{domino_lies} on {self.pairs(laid)}")
        if unlaid:
            said.append(f"no domino lies on {self.pairs(unlaid, 'or')}")
        return said

    def _leaves(self, v: int, excluded: Collection[int]) -> str:
        """Return which few values are left for a cell, if something else was stated of it."""
        left = set(self.domain(v)).difference(excluded, stated := self.stated.get(v, frozenset()))
        return f", which leaves {self.values(left)}" if stated and 1 < len(left) <= MOST_LEFT else ""

    def so(self, conclusions: Sequence[Fact], known: Iterable[Fact] | None = ()) -> str:
        """Return all conclusions in words."""
        return joined(self.clauses(conclusions, known))

    def known(self, facts: Sequence[Fact], after: str = "") -> str:
        """Return needed facts in words, following the clause ``after`` if given; that alone without facts."""
        clauses = self.clauses(facts)
        return joined([after, *clauses] if after else clauses, comma=bool(after))

    def conclusion(self, reason: Reason | RuleDeduction) -> str:
        """Return what a deduction concludes, or that there is a contradiction."""
        return self.so(reason.conclusions, reason.facts) if reason.conclusions else IMPOSSIBLE


def grouped(values: Mapping[int, T]) -> dict[T, list[int]]:
    """Return the keys grouped by value, in order."""
    order = list(dict.fromkeys(values.values()))
    pairs = sorted((order.index(value), key) for key, value in values.items())
    return {order[at]: [key for _, key in group] for at, group in groupby(pairs, key=lambda pair: pair[0])}


def _ranges(names: Sequence[str]) -> list[str]:
    """Return the names; a run of neighbours in a row or column becomes ``r1c2 to r1c9``."""
    found, at = list[str](), 0
    while at < len(names):
        end, way = at + 1, _way(names[at : at + 2])
        while way and _way(names[end - 1 : end + 1]) == way:
            end += 1
        if end - at < LEAST_RANGE:
            end = at + 1
        found.append(names[at] if end == at + 1 else f"{names[at]} to {names[end - 1]}")
        at = end
    return found


def _way(names: Sequence[str]) -> tuple[int, int] | None:
    """Return ``(0, 1)`` if the second cell is right of the first, ``(1, 0)`` if it is below; else None."""
    places = [
        [int(n) for n in found.groups()] for name in names if (found := re.fullmatch(r"r(\d+)c(\d+)", name))
    ]
    if len(places) < 2:
        return None
    (row, column), (below, right) = places
    way = below - row, right - column
    return way if way in ((0, 1), (1, 0)) else None
