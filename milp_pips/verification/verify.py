"""Check a certificate: a folder that proves all solutions of a puzzle, their number, or that one is the best.

    python verify.py FOLDER

This file needs nothing but Python, so it can be handed on by itself. It trusts neither the program that wrote
the folder nor the engine that found the proof. What remains to be trusted is this file, Python, and that
``puzzle.json``, which a person can read, is the puzzle in question.

The file has five parts:

1. *puzzles as rules*: ``puzzle.json`` becomes cells with values, rules on them and, for Pips, dominoes.
2. *counting*: a dynamic program over the cells counts all solutions. It needs an order of the cells, and for
   large puzzles a division into smaller ones.
3. *clauses*: the rules become a formula. A clause for each listed solution excludes it.
4. *refutation*: each line of the proof must follow from the formula; the last one is a contradiction.
5. *the folder*: files, hashes, and the verdict.

=========  ===========================================================================================
cell       what has one of several values: a cell of a board, a column of a linear model
rule       a condition on some cells, which reads them one by one and remembers a *state*
domain     the values that a cell may still have
edge       two cells that one domino can cover; the *partner* of a cell is the other cell under its domino
key        what makes two solutions different: the values alone (``grid``), or the edges as well
cover      which dominoes are left, and which unread cells are covered already
literal    a boolean variable, as a number from 1 on, or its negation, as a negative number
clause     literals of which one at least holds; a *formula* is a list of clauses, all of which hold
model      what the variables of a formula are, such that all its clauses hold
=========  ===========================================================================================
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import stat
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from functools import partial
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

__all__ = ["FORMAT", "OutOfTime", "Proved", "Refused", "Watch", "verify"]

FORMAT = "milp-pips certificate 1"
CERTIFICATE_JSON, PUZZLE_JSON = "certificate.json", "puzzle.json"
SOLUTIONS_JSONL, FORMULA_CNF, PROOF_DRAT = "solutions.jsonl", "formula.cnf", "proof.drat"
LINE, KEY_NAME = re.compile(r"[^\n]+"), re.compile(r"[\w -]{1,60}")
"""A line of a file, and the name of a key."""
PROOF_LINE = re.compile(r"(d )?((?:-?[1-9][0-9]{0,6} )*)0")
"""A line of a proof: ``d`` for a deletion, literals, then 0."""
LARGEST_JSON, LARGEST_TEXT = 2**24, 2**26
"""Bytes of the largest file that is read: of JSON, which takes up to 30 times as much memory, and others."""
MOST_STATED_CELLS, MOST_VALUES, MOST_RULES = 10_000, 1_000, 100_000
"""The most cells of a puzzle, values of a cell, and rules."""
MOST_POSITIONS = 1_000
"""The most letters of a regular expression, with repetitions."""
MOST_RULE_STATES = 200_000
"""The most states of one rule."""
MOST_CLAUSES, MOST_VARIABLES = 1_000_000, 1_000_000
"""The most clauses and variables of a formula; a proof may have as many lines."""
MOST_COUNT_STATES = 2_000_000
"""The most states of a count."""
MEMORY_LIMIT = 2**32
"""Bytes of memory that a check takes at most, if it runs as a program on a system that can limit it."""


OUT_OF_MEMORY = f"refused: the check takes more than {MEMORY_LIMIT} bytes of memory"


class Refused(Exception):
    """The folder proves nothing; the message has the first fault, without control characters."""

    def __init__(self, fault: str):
        super().__init__("".join(sign if sign.isprintable() else "?" for sign in fault[:400]))


class OutOfTime(Exception):
    """The time limit of the check is reached."""


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Turn what is wrong with the content of a file into Refused, which names the place."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{place}: {error.strerror or error}") from None
    except (Refused, ValueError) as error:
        raise Refused(f"{place}: {error}") from None
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise Refused(f"{place}: {type(error).__name__}: {error}") from None


class Watch:
    """The time limit of a check. It is told once: an alarm that comes while the check ends adds nothing."""

    def __init__(self, seconds: float):
        self._seconds, self._until = seconds, time.monotonic() + seconds

    def check(self, *_: object) -> None:
        """Raise OutOfTime at the first look after the deadline."""
        if time.monotonic() > self._until:
            self._until = float("inf")
            raise OutOfTime(f"the check takes more than {self._seconds:g} s")


# 1. Puzzles as rules.

State: TypeAlias = Hashable
Edge: TypeAlias = tuple[int, int]
Solution: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""The values of all cells; then the partner of each cell, or nothing."""


class Rule(NamedTuple):
    """A rule reads the values of its cells one by one, and remembers one state.

    ``step(state, i, value)`` returns the state after the rule has read the value of its cell number ``i``, or
    None if the value breaks the rule. ``accepts(state)`` says whether a state after the last cell obeys it.
    """

    cells: Sequence[int]
    start: State
    step: Callable[[Any, int, int], State | None]
    accepts: Callable[[Any], bool] = lambda _: True
    ordered: bool = False
    """Whether the rule must read its cells in their order."""


class Goal(NamedTuple):
    """An objective: ``constant + Σ weight`` over pairs of a cell and its value, and edges with a domino."""

    sense: str
    """``greatest`` or ``least``: the value that is best."""
    constant: int
    scale: int
    """The units in one, if the puzzle is stated in fractions."""
    values: Mapping[int, Mapping[int, int]]
    edges: Mapping[Edge, int]

    def value(self, solution: Solution) -> int:
        """Return the value of a solution."""
        shown = sum(weights.get(solution[0][cell], 0) for cell, weights in self.values.items())
        return self.constant + shown + sum(self.edges.get(edge, 0) for edge in edges_of(solution))


class Statement(NamedTuple):
    """A puzzle as rules. Every cell has one of its values, and every rule is obeyed.

    With ``dominoes``, each domino lies on one of the ``edges``, and each cell is under one domino. Solutions
    differ in the cells that are ``shown`` and, by the key ``placement``, in their edges.
    """

    values: tuple[tuple[int, ...], ...]
    rules: tuple[Rule, ...]
    edges: tuple[Edge, ...] = ()
    dominoes: Counter[Edge] | None = None
    shown: frozenset[int] = frozenset()
    goal: Goal | None = None


def occurs(cells: Sequence[int], value: int, least: int, most: int) -> Rule:
    """From ``least`` to ``most`` cells show the value. The state is the number of those that have."""
    return Rule(
        cells,
        0,
        lambda seen, _, read: seen + (read == value) if seen + (read == value) <= most else None,
        lambda seen: seen >= least,
    )


def all_equal(cells: Sequence[int]) -> Rule:
    """The cells show one value. The state is this value, ``()`` before the first cell."""
    return Rule(cells, (), lambda state, _, read: read if state in ((), read) else None)


def total(cells: Sequence[int], factors: Sequence[int], low: float, high: float) -> Rule:
    """The weighted sum of the cells is between the bounds. The state is the sum so far."""
    return Rule(
        cells,
        0,
        lambda state, i, read: state + factors[i] * read,
        lambda state: low <= state <= high,
    )


def parity(cells: Sequence[int], wanted: int) -> Rule:
    """The sum of the cells is odd, or even. The state is 1 if the sum so far is odd, else 0."""
    return Rule(cells, 0, lambda state, _, read: (state + read) % 2, lambda state: state == wanted)


def product(cells: Sequence[int], wanted: int) -> Rule:
    """The product of the cells is as wanted. The state is the product so far, or 0 or 1 if 0 is wanted."""

    def step(state: int, _: int, read: int) -> int | None:
        after = state * read if wanted else int(state * read > 0)
        return after if not wanted or (after and wanted % after == 0) else None

    return Rule(cells, 1, step, lambda state: state == wanted)


def whole(number: Any, least: int = -(10**9), most: int = 10**9) -> int:
    """Return the number if it is an integer between the limits. Raises ValueError."""
    if type(number) is not int or not least <= number <= most:
        raise ValueError(f"expected an integer between {least} and {most}")
    return number


def statement_of(puzzle: Mapping[str, Any], key: str) -> Statement:
    """Return the rules of ``puzzle.json``. Raises Refused for a family without a plain statement."""
    with reading(f"{PUZZLE_JSON}: not a puzzle of a known family"):
        statement = STATEMENTS[puzzle["family"]](puzzle)
        if "keys" in puzzle:
            statement = statement._replace(shown=frozenset(puzzle["keys"][key]))
        if statement.dominoes is not None and key not in ("placement", "grid"):
            raise Refused(f"its key is placement or grid, not {key}")
        if puzzle.get("objective"):
            statement = statement._replace(goal=goal_of(puzzle["objective"], statement))
        return checked(statement)


def checked(statement: Statement) -> Statement:
    """Return the statement. Raises ValueError if it is too large, or names something twice or not at all."""
    values, rules = statement.values, statement.rules
    if len(values) > MOST_STATED_CELLS or max(map(len, values), default=0) > MOST_VALUES:
        raise ValueError(f"more than {MOST_STATED_CELLS} cells, or {MOST_VALUES} values of a cell")
    if len(rules) > MOST_RULES:
        raise ValueError(f"more than {MOST_RULES} rules")
    if any(len(set(domain)) < len(domain) for domain in values):
        raise ValueError("a cell has a value twice")
    for cells in [statement.shown, *(rule.cells for rule in rules), *statement.edges]:
        if len(set(cells)) < len(cells):
            raise ValueError("a rule or an edge names a cell twice")
        if any(type(cell) is not int or not 0 <= cell < len(values) for cell in cells):
            raise ValueError("a rule or an edge names a cell that is not on the board")
    if any(not rule.cells for rule in rules):
        raise ValueError("a rule has no cell")
    return statement


def pips(puzzle: Mapping[str, Any]) -> Statement:
    """Pips: cells, pairs of cells that a domino can cover, dominoes, and regions with one rule each."""
    cells = len(puzzle["cells"])
    dominoes = Counter((min(whole(a), whole(b)), max(a, b)) for a, b in puzzle["dominoes"])
    values = sorted({value for domino in dominoes for value in domino})
    edges = sorted({(min(i, j), max(i, j)) for i, j in puzzle["edges"]})
    if cells != 2 * sum(dominoes.values()):
        raise ValueError("dominoes cover two cells each")
    rules: list[Rule] = []
    for region in puzzle["regions"]:
        where, rule = region["cells"], region["rule"]
        if rule == "EQ":
            rules.append(all_equal(where))
        elif rule == "NEQ":
            rules += [occurs(where, value, 0, 1) for value in values]
        elif rule in ("ODD", "EVEN"):
            rules.append(parity(where, int(rule == "ODD")))
        elif rule == "PRODUCT":
            rules.append(product(where, whole(region["target"])))
        elif rule is not None:
            target = whole(region["target"])
            bounds = {
                "SUM": (target, target),
                "LT": (-inf, target - 1),
                "LE": (-inf, target),
                "GT": (target + 1, inf),
                "GE": (target, inf),
            }
            if rule not in bounds:
                raise ValueError(f"region {region['label']} has the rule {rule}, which is not known here")
            rules.append(total(where, [1] * len(where), *bounds[rule]))
    return Statement((tuple(values),) * cells, tuple(rules), tuple(edges), dominoes, frozenset(range(cells)))


def sudoku(puzzle: Mapping[str, Any]) -> Statement:
    """Sudoku: each row, column and region has the symbols of a row; cages have sums; groups are extra.

    ``numbers`` has the number of each symbol, which stands for it in the solutions.
    """
    symbols, number = puzzle["symbols"], puzzle["numbers"]
    size, often = len(symbols), Counter(symbols)
    if sorted(number) != sorted(often) or len(set(map(whole, number.values()))) != len(often):
        raise ValueError("the symbols do not have one number each")
    if puzzle["cages"] and any(str(number[symbol]) != symbol for symbol in often):
        raise ValueError("cages add up numbers, but a symbol is not its number")
    if [len(row) for row in puzzle["givens"]] != [size] * size:
        raise ValueError("the board is not square")
    values = [
        (number[given],) if given else tuple(number.values()) for row in puzzle["givens"] for given in row
    ]

    def cells_at(places: Iterable[tuple[int, int]]) -> list[int]:
        return [whole(r, 0, size - 1) * size + whole(c, 0, size - 1) for r, c in places]

    areas = [(list(range(r * size, (r + 1) * size)), often) for r in range(size)]
    areas += [(list(range(c, size * size, size)), often) for c in range(size)]
    areas += [(cells_at(region["cells"]), often) for region in puzzle["regions"]]
    areas += [
        (cells_at(group["cells"]), often if group["holds"] is None else Counter(group["holds"]))
        for group in puzzle["groups"]
    ]
    rules = []
    for cells, holds in areas:
        full = len(cells) == sum(holds.values())  # then each symbol occurs as often as it may
        rules += [occurs(cells, number[a], holds[a] if full else 0, holds[a]) for a in often]
    for cage in puzzle["cages"]:
        cells, sum_of_cage = cells_at(cage["cells"]), whole(cage["total"])
        rules.append(total(cells, [1] * len(cells), sum_of_cage, sum_of_cage))
        if not puzzle["repeats"]:
            rules += [occurs(cells, value, 0, 1) for value in number.values()]
    return Statement(tuple(values), tuple(rules), shown=frozenset(range(size * size)))


def colour_grid(puzzle: Mapping[str, Any]) -> Statement:
    """Colour grid: the letters of a row or column spell a word of its clue."""
    letters, height, width = puzzle["letters"], len(puzzle["rows"]), len(puzzle["columns"])
    if len(set(letters)) < len(letters):
        raise ValueError("a letter is named twice")
    lines = [range(r * width, (r + 1) * width) for r in range(height)]
    lines += [range(c, height * width, width) for c in range(width)]
    clues = zip(lines, [*puzzle["rows"], *puzzle["columns"]], strict=True)
    rules = [word(line, clue, letters) for line, clue in clues if clue is not None]
    cells = range(height * width)
    return Statement((tuple(range(len(letters))),) * len(cells), tuple(rules), shown=frozenset(cells))


def rows(puzzle: Mapping[str, Any]) -> Statement:
    """Linear rows: each column takes one of its values; each row bounds a weighted sum of some columns.

    ``keys`` has the columns in which solutions differ, by the name of the key.
    """
    rules = []
    for row in puzzle["rows"]:
        low, high = (outer if row[end] is None else whole(row[end]) for end, outer in BOUNDS)
        factors = [whole(factor) for _, factor in row["terms"]]
        rules.append(total([column for column, _ in row["terms"]], factors, low, high))
    values = [tuple(map(whole, column["values"])) for column in puzzle["columns"]]
    return Statement(tuple(values), tuple(rules))


BOUNDS = ("low", -inf), ("high", inf)

STATEMENTS: Mapping[str, Callable[[Mapping[str, Any]], Statement]] = MappingProxyType(
    {"pips": pips, "sudoku": sudoku, "colour-grid": colour_grid, "rows": rows}
)


def goal_of(goal: Mapping[str, Any], statement: Statement) -> Goal:
    """Return the objective: ``values`` are (cell, value, weight), ``dominoes`` are (cell, cell, weight)."""
    values: dict[int, dict[int, int]] = defaultdict(dict)
    for cell, value, weight in goal["values"]:
        if value in values[cell] or value not in statement.values[whole(cell, 0)]:
            raise ValueError("the objective names a value twice, or one that its cell cannot have")
        values[cell][value] = whole(weight)
    edges = {(min(i, j), max(i, j)): whole(weight) for i, j, weight in goal["dominoes"]}
    if len(edges) < len(goal["dominoes"]) or not edges.keys() <= set(statement.edges):
        raise ValueError("the objective names an edge twice, or one that is not on the board")
    sense = {"maximise": "greatest", "minimise": "least"}[goal["sense"]]
    return Goal(sense, whole(goal["constant"]), whole(goal["scale"], 1), dict(values), edges)


# A regular expression: each of its letters is a position; the rule remembers which positions it may be at
# (Glushkov 1961).

Part: TypeAlias = tuple[bool, set[int], set[int]]
"""Whether a part describes the empty word, and the positions of its first and last letters."""


def word(cells: Sequence[int], clue: str, letters: str) -> Rule:
    """The letters of the cells, in this order, are a word of the regular expression."""
    expression = Expression(clue, letters)
    reads, follow, ends = expression.reads, expression.follow, expression.ends

    def step(state: frozenset[int], _: int, read: int) -> frozenset[int] | None:
        after = set().union(*(follow[position] for position in state))
        return frozenset(position for position in after if letters[read] in reads[position]) or None

    return Rule(cells, frozenset({0}), step, lambda state: not ends.isdisjoint(state), ordered=True)


class Expression:
    """A parser: letters, ``.``, ``[ab]``, ``[^ab]``, ``|``, ``( )``, ``* + ?``, and ``{3}`` or ``{2,3}``.

    ``reads`` has the letters that each position reads; ``follow`` the positions that may come after it.
    Position 0 is the start. A word may end at the positions ``ends``.
    """

    def __init__(self, text: str, letters: str):
        self._text, self._letters, self._at = text, letters, 0
        self.reads: list[Collection[str]] = [()]
        self.follow: list[set[int]] = [set()]
        self._parts = 0
        empty, first, last = self._choice()
        if self._at < len(text):
            raise ValueError(f"unexpected {text[self._at]!r} in {text!r}")
        self.follow[0], self.ends = first, last | {0} if empty else last

    def _next(self, signs: Collection[str]) -> str:
        """Return the next character if it is one of these, and move on; else return nothing."""
        if self._at < len(self._text) and self._text[self._at] in signs:
            self._at += 1
            return self._text[self._at - 1]
        return ""

    def _choice(self) -> Part:
        empty, first, last = self._sequence()
        while self._next("|"):
            other = self._sequence()
            empty, first, last = empty or other[0], first | other[1], last | other[2]
        return empty, first, last

    def _sequence(self) -> Part:
        parts = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            parts.append(self._repeated())
        return self._joined(parts)

    def _joined(self, parts: Iterable[Part]) -> Part:
        """Return the parts one after another."""
        empty, first, last = True, set[int](), set[int]()
        for may_be_empty, firsts, lasts in parts:
            for position in last:
                self.follow[position] |= firsts
            first = first | firsts if empty else first
            last = last | lasts if may_be_empty else lasts
            empty = empty and may_be_empty
        return empty, first, last

    def _one(self) -> Part:
        self._parts += 1
        if self._parts > 10 * MOST_POSITIONS:
            raise ValueError(f"an expression has more than {10 * MOST_POSITIONS} parts")
        if letter := self._next(self._letters):
            return self._position(letter)
        if self._next("."):
            return self._position(self._letters)
        if self._next("["):
            but, named = self._next("^"), set()
            while letter := self._next(self._letters):
                named.add(letter)
            if not named or not self._next("]"):
                raise ValueError(f"a class without letters or end in {self._text!r}")
            return self._position(set(self._letters) - named if but else named)
        if self._next("("):
            found = self._choice()
            if not self._next(")"):
                raise ValueError(f"a bracket without end in {self._text!r}")
            return found
        raise ValueError(f"cannot read {self._text!r}")

    def _position(self, reads: Collection[str]) -> Part:
        if len(self.reads) > MOST_POSITIONS:
            raise ValueError(f"an expression has more than {MOST_POSITIONS} letters")
        self.reads.append(reads)
        self.follow.append(set())
        return False, {len(self.reads) - 1}, {len(self.reads) - 1}

    def _repeated(self, end: int = -1) -> Part:
        """Return the next part with the signs behind it, up to ``end``. A copy is read again."""
        begin, part = self._at, self._one()
        while self._at != end and (sign := self._next("*+?{")):
            signed = self._at - 1
            low, high = {"*": (0, inf), "+": (1, inf), "?": (0, 1)}.get(sign) or self._bounds()
            after, copies = self._at, [part]
            while len(copies) < (max(low, 1) if high == inf else high):
                self._at = begin
                copies.append(self._repeated(signed))
            self._at = after
            if high == inf:
                for position in copies[-1][2]:
                    self.follow[position] |= copies[-1][1]
            part = self._joined(
                (empty or i >= low, first, last)
                for i, (empty, first, last) in enumerate(copies if high else [])
            )
        return part

    def _bounds(self) -> tuple[int, float]:
        inside, closed, _ = self._text[self._at :].partition("}")
        low, comma, high = inside.partition(",")
        if not closed or not (low + high).isdecimal() or len(inside) > 9:
            raise ValueError(f"cannot read {{{inside}")
        self._at += len(inside) + 1
        return int(low or 0), (inf if not high else int(high)) if comma else int(low)


Arcs: TypeAlias = list[dict[int, dict[int, int]]]
"""For each cell that a rule reads: the state before, the value, the state after. The first state is 0."""


def arcs_of(rule: Rule, reading: Sequence[tuple[int, Collection[int]]], watch: Watch) -> Arcs:
    """Return the arcs of a rule that reads its cells, given by their numbers in it, with these values.

    An arc is left out if the rule cannot be obeyed any more after it. States with the same arcs are one
    state, as in the smallest automaton (Hopcroft 1971).
    """
    found: list[dict[State, dict[int, State]]] = []
    states: set[State] = {rule.start}
    size = 0
    for i, values in reading:
        layer: dict[State, dict[int, State]] = {}
        for state in states:
            watch.check()
            steps = ((value, rule.step(state, i, value)) for value in values)
            layer[state] = {value: after for value, after in steps if after is not None}
        found.append(layer)
        states = {after for arcs in layer.values() for after in arcs.values()}
        size += len(states)
        if size > MOST_RULE_STATES:
            raise Refused(f"the rule on the cells {list(rule.cells)} has more than {MOST_RULE_STATES} states")
    layers: Arcs = []
    number: dict[State, int] = {state: 0 for state in states if rule.accepts(state)}
    for layer in reversed(found):
        merged: dict[tuple[tuple[int, int], ...], int] = {}
        before: dict[State, int] = {}
        for state, arcs in layer.items():
            if kept := tuple([(value, number[after]) for value, after in arcs.items() if after in number]):
                before[state] = merged.setdefault(kept, len(merged))
        number = before
        layers.append({at: dict(kept) for kept, at in merged.items()})
    return layers[::-1]


def edges_of(solution: Solution) -> list[Edge]:
    """Return the edges that the dominoes of a solution lie on."""
    return [(i, j) for i, j in enumerate(solution[1]) if i < j]


def check_solution(statement: Statement, solution: Solution) -> None:
    """Raise Refused if the solution breaks a rule."""
    values, partners = solution
    if len(values) != len(statement.values) or any(map(lambda v, d: v not in d, values, statement.values)):
        raise Refused("a cell has no value, or one that it cannot have")
    for rule in statement.rules:
        state: State | None = rule.start
        for i, cell in enumerate(rule.cells):
            if state is not None:
                state = rule.step(state, i, values[cell])
        if state is None or not rule.accepts(state):
            raise Refused(f"the rule on the cells {list(rule.cells)} is broken")
    if statement.dominoes is not None:
        if len(partners) != len(values):
            raise Refused("a cell has no partner")
        if any(not 0 <= j < len(values) or partners[j] != i for i, j in enumerate(partners)):
            raise Refused("the partner of a cell has another partner")
        if not set(statement.edges).issuperset(edges_of(solution)):
            raise Refused("a domino lies on cells that are not adjacent")
        covered = Counter(tuple(sorted((values[i], values[j]))) for i, j in edges_of(solution))
        if covered != statement.dominoes:
            raise Refused("the dominoes are not those of the puzzle")


# 2. Counting.

Cover: TypeAlias = tuple[int, tuple[Edge, ...]]
"""The dominoes that are left, and the cells that a domino has covered in advance, with their values."""

Partial: TypeAlias = tuple[tuple[int, ...], Cover | None]
"""The state of a partial solution: what every rule remembers, and the cover."""

Look: TypeAlias = tuple[int | None, Cover | None]
"""What one step adds to the key: the value of the cell if it is shown, and the cover if edges are."""

Domains: TypeAlias = Sequence[tuple[int, ...]]


def filtered(statement: Statement, domains: Domains, watch: Watch) -> Domains:
    """Return the domains without the values that a rule by itself excludes, as long as there are any."""
    domains, rules = list(domains), statement.rules
    beside: dict[int, list[int]] = defaultdict(list)
    for number, rule in enumerate(rules):
        for cell in rule.cells:
            beside[cell].append(number)
    waiting = dict.fromkeys(range(len(rules)))
    while waiting:
        rule = rules[waiting.popitem()[0]]
        layers = arcs_of(rule, [(i, domains[cell]) for i, cell in enumerate(rule.cells)], watch)
        for cell, layer in zip(rule.cells, layers, strict=True):
            possible = {value for arcs in layer.values() for value in arcs}
            if len(possible) < len(domains[cell]):
                domains[cell] = tuple([value for value in domains[cell] if value in possible])
                waiting |= dict.fromkeys(beside[cell])
    return domains


class Count:
    """Counts the solutions that differ in the key; ``states`` and ``cases`` are how much that took.

    A *division* says how. It is an order of the cells; or ``{"cell": c, "values": {value: division}}``, the
    sum over the values of a cell; or ``{"parts": [[cells, division], …]}``, the product over cells without
    common rules.

    An order is counted by a dynamic program. It reads one cell after another. Two partial solutions have the
    same state if all rules remember the same and, for Pips, the same dominoes are left and the same later
    cells are covered: then they have the same continuations. Solutions that look the same in the key are one.
    So the program counts *sets* of states: all that may lie behind one look (the subset construction for
    automata: Rabin and Scott 1959). If the key shows everything, each set has one state.
    """

    def __init__(self, statement: Statement, key: str, watch: Watch, most: int = MOST_COUNT_STATES):
        self.states = self.cases = 0
        self._statement, self._watch, self._most = statement, watch, most
        self._shows_edges = key != "grid"

    def solutions(self, division: Any, domains: Domains, cells: Collection[int]) -> int:
        """Return the number of ways to give these cells values of their domains.

        Raises Refused if the division does not fit, or has too many states.
        """
        self.cases += 1
        domains = filtered(self._statement, domains, self._watch)
        if not all(domains):
            return 0
        open_cells = {cell for cell in cells if len(domains[cell]) > 1}
        if isinstance(division, list):
            return self._in_order(division, domains, open_cells)
        if "cell" in division:
            cell, following = division["cell"], division["values"]
            if cell not in open_cells & self._statement.shown:
                raise Refused("a sum is over a cell that is known already, or not in the key")
            branches = [
                (following[str(value)], [*domains[:cell], (value,), *domains[cell + 1 :]])
                for value in domains[cell]
            ]
            return sum(self.solutions(branch, with_value, cells) for branch, with_value in branches)
        parts, product = division["parts"], 1
        part_of = {cell: number for number, (part, _) in enumerate(parts) for cell in part}
        if sorted(cell for part, _ in parts for cell in part) != sorted(open_cells):
            raise Refused("the parts of a product do not have each open cell once")
        if self._statement.dominoes is not None or any(
            len({part_of[cell] for cell in rule.cells if cell in part_of}) > 1
            for rule in self._statement.rules
        ):
            raise Refused("two parts of a product have a common rule, or common dominoes")
        for part, following in parts:
            product *= self.solutions(following, domains, part)
        return product

    def _in_order(self, order: Sequence[int], domains: Domains, open_cells: set[int]) -> int:
        """Return the number of ways to fill the open cells. The order may name cells with one value, too."""
        statement, covering = self._statement, None
        place = {cell: at for at, cell in enumerate(order)}
        needed = open_cells if statement.dominoes is None else set(range(len(domains)))
        if len(place) < len(order) or not place.keys() <= set(range(len(domains))):
            raise Refused("the order of the cells names a cell twice, or one that is not on the board")
        if {cell for cell in order if len(domains[cell]) > 1} != open_cells:
            raise Refused("the order of the cells does not have exactly the open cells")
        rules = [rule for rule in statement.rules if not open_cells.isdisjoint(rule.cells)]
        if not place.keys() >= needed.union(*(rule.cells for rule in rules)):
            raise Refused("the order of the cells lacks a cell that a rule reads, or a domino covers")
        reads: list[list[tuple[int, dict[int, dict[int, int]]]]] = [[] for _ in order]
        for number, rule in enumerate(rules):
            reading = sorted(range(len(rule.cells)), key=lambda i: place[rule.cells[i]])
            if rule.ordered and reading != list(range(len(rule.cells))):
                raise Refused("the order of the cells differs from the order of a rule's cells")
            layers = arcs_of(rule, [(i, domains[rule.cells[i]]) for i in reading], self._watch)
            for i, arcs in zip(reading, layers, strict=True):
                reads[place[rule.cells[i]]].append((number, arcs))
        start: Cover | None = None
        if statement.dominoes is not None:
            covering = Covering(statement.edges, statement.dominoes, domains, place)
            start = covering.start
        first: Partial = (0,) * len(rules), start
        steps = self._steps(
            first, [(cell, domains[cell], reads[at]) for at, cell in enumerate(order)], covering
        )
        layer: dict[frozenset[Partial], int] = {frozenset([first]): 1}
        for step in steps:
            following: dict[frozenset[Partial], int] = defaultdict(int)
            for behind, number in layer.items():
                self._watch.check()
                looks: dict[Look, set[Partial]] = defaultdict(set)
                for state in behind:
                    for look, after in step.get(state, ()):
                        looks[look].add(after)
                for possible in looks.values():
                    following[frozenset(possible)] += number
                    self._spend(len(possible))
            layer = following
        return sum(layer.values())

    def _steps(
        self,
        start: Partial,
        reading: Sequence[tuple[int, Sequence[int], Sequence[tuple[int, dict[int, dict[int, int]]]]]],
        covering: Covering | None,
    ) -> list[dict[Partial, list[tuple[Look, Partial]]]]:
        """Return, for each cell that is read, the steps from each state: how each looks, and where it leads.

        Steps that lead to no solution are left out.
        """
        found: list[dict[Partial, list[tuple[Look, Partial]]]] = []
        states: Collection[Partial] = {start}
        for cell, values, reads in reading:
            is_shown, layer = cell in self._statement.shown, dict[Partial, list[tuple[Look, Partial]]]()
            for remembered, cover in states:
                self._watch.check()
                steps = layer[remembered, cover] = []
                for value in values:
                    after = list(remembered)
                    for rule, arcs in reads:
                        if (reached := arcs[after[rule]].get(value)) is None:
                            break
                        after[rule] = reached
                    else:
                        new = tuple(after)
                        for covered in (cover,) if covering is None else covering.after(cover, cell, value):
                            look = value if is_shown else None, covered if self._shows_edges else None
                            steps.append((look, (new, covered)))
            states = {after for steps in layer.values() for _, after in steps}
            self._spend(len(states))
            found.append(layer)
        for layer in reversed(found):
            for state, steps in list(layer.items()):
                layer[state] = steps = [step for step in steps if step[1] in states]
                if not steps:
                    del layer[state]
            states = layer.keys()
        return found

    def _spend(self, states: int) -> None:
        self.states += states
        if self.states > self._most:
            raise Refused(f"the count takes more than {self._most} states")


class Covering:
    """How dominoes cover the cells of an order. The numbers of dominoes left are packed into one integer."""

    def __init__(
        self, edges: Iterable[Edge], dominoes: Mapping[Edge, int], domains: Domains, place: Mapping[int, int]
    ):
        self._domains, self._later = domains, [list[int]() for _ in domains]
        for i, j in edges:
            first, second = (i, j) if place[i] < place[j] else (j, i)
            self._later[first].append(second)
        left = shift = 0
        self._halves: dict[int, list[tuple[int, int, int]]] = defaultdict(list)  # other value, mask, one
        for (a, b), times in dominoes.items():
            mask = (1 << times.bit_length()) - 1
            left |= times << shift
            for here, there in {(a, b), (b, a)}:
                self._halves[here].append((there, mask << shift, 1 << shift))
            shift += times.bit_length()
        self.start: Cover = (left, ())

    def after(self, cover: Any, cell: int, value: int) -> Iterator[Cover]:
        """Yield the covers after the cell shows the value: it is covered already, or a domino is laid."""
        left, ahead = cover
        for i, (other, promised) in enumerate(ahead):
            if other == cell:
                if promised == value:
                    yield left, ahead[:i] + ahead[i + 1 :]
                return
        taken = {other for other, _ in ahead}
        for other in self._later[cell]:
            if other not in taken:
                for there, mask, one in self._halves[value]:
                    if left & mask and there in self._domains[other]:
                        yield left - one, tuple(sorted((*ahead, (other, there))))


# 3. Clauses.


class Formula(NamedTuple):
    """Clauses of literals: a variable from 1 on, or its negation, as a negative number."""

    variables: int
    clauses: Sequence[tuple[int, ...]]

    def dimacs(self) -> str:
        """Return the formula in DIMACS format, for this and other checkers."""
        lines = [f"p cnf {self.variables} {len(self.clauses)}"]
        lines += [" ".join(map(str, (*clause, 0))) for clause in self.clauses]
        return "\n".join(lines) + "\n"


class Encoder:
    """The clauses of a statement. Every solution is a model, with one value for each literal of the key.

    The first literals are (cell = value), then one for a domino on each edge, then those that these imply.
    The clauses say only what holds in every solution. So if the formula together with the excluded solutions
    has no model, there is no other solution.
    """

    def __init__(self, statement: Statement, watch: Watch):
        self.clauses: list[tuple[int, ...]] = []
        self.variables = 0
        self._statement, self._watch = statement, watch
        self._value = [{value: self._new() for value in values} for values in statement.values]
        self._edge = {edge: self._new() for edge in statement.edges}
        for literals in self._value:
            self._exactly_one(list(literals.values()))
        if statement.dominoes is not None:
            self._cover(statement.dominoes)
        for rule in statement.rules:
            self._rule(rule, [self._value[cell] for cell in rule.cells])

    def exclude(self, solution: Solution, key: str) -> None:
        """Add the clause that excludes all solutions with this key."""
        clause = [-self._value[cell][solution[0][cell]] for cell in sorted(self._statement.shown)]
        if key != "grid":
            clause += [-self._edge[edge] for edge in edges_of(solution)]
        self.clauses.append(tuple(clause))

    def exclude_others_than_better(self, goal: Goal, value: int) -> None:
        """Add clauses that only solutions with a better value than this satisfy."""
        sign = 1 if goal.sense == "greatest" else -1
        least = sign * (value - goal.constant) + 1
        choices = [self._value[cell] for cell in goal.values]
        weights = [{a: sign * weight for a, weight in of.items()} for of in goal.values.values()]
        choices += [{1: self._edge[edge], 0: -self._edge[edge]} for edge in goal.edges]
        weights += [{1: sign * weight} for weight in goal.edges.values()]
        rest = [0]  # the most that the later choices can add, the last first
        for literals, weight in zip(reversed(choices), reversed(weights), strict=True):
            rest.append(rest[-1] + max(weight.get(a, 0) for a in literals))

        def step(state: int, i: int, read: int) -> int | None:
            state += weights[i].get(read, 0)
            return state if state + rest[-i - 2] >= least else None

        if choices:
            self._rule(Rule(range(len(choices)), 0, step), choices)
        else:  # nothing is better than a constant
            self.clauses.append(())

    def _new(self) -> int:
        self.variables += 1
        return self.variables

    def _exactly_one(self, literals: Sequence[int]) -> None:
        self.clauses.append(tuple(literals))
        self.clauses += [(-a, -b) for i, a in enumerate(literals) for b in literals[:i]]
        self._check_size()

    def _check_size(self) -> None:
        self._watch.check()
        if max(len(self.clauses), self.variables) > MOST_CLAUSES:
            raise Refused(f"the formula has more than {MOST_CLAUSES} clauses or variables")

    def _cover(self, dominoes: Counter[Edge]) -> None:
        """A domino lies on one edge of each cell. Its values are those of a domino that is not used up."""
        at: list[list[int]] = [[] for _ in self._value]
        for edge, literal in self._edge.items():
            for cell in edge:
                at[cell].append(literal)
        for literals in at:
            self._exactly_one(literals)
        uses: dict[Edge, list[int]] = defaultdict(list)
        for (i, j), literal in self._edge.items():
            used = {domino: self._new() for domino in dominoes}
            for a, here in self._value[i].items():
                for b, there in self._value[j].items():
                    domino = (min(a, b), max(a, b))
                    head = [used[domino]] if domino in used else []
                    self.clauses.append((-literal, -here, -there, *head))
            self._check_size()
            for domino, use in used.items():
                uses[domino].append(use)
        for domino, literals in uses.items():
            choices = [{1: literal, 0: -literal} for literal in literals]
            self._rule(occurs(range(len(literals)), 1, 0, dominoes[domino]), choices)

    def _rule(self, rule: Rule, choices: Sequence[Mapping[int, int]]) -> None:
        """Each state of the rule is implied by the state before it and the value that is read.

        ``choices`` has the literal of each value of each cell.
        """
        layers = arcs_of(rule, list(enumerate(choices)), self._watch)
        if not layers[0]:
            self.clauses.append(())
        before: dict[int, tuple[int, ...]] = {0: ()}
        for i, arcs in enumerate(layers):
            after: dict[int, tuple[int, ...]] = {}
            if i + 1 < len(layers):
                after = {state: (-self._new(),) for state in layers[i + 1]}
                self.clauses.append(tuple(-literal for (literal,) in after.values()))
            for state, premise in before.items():
                for value, literal in choices[i].items():
                    reached = arcs.get(state, {}).get(value)
                    if reached is None:
                        self.clauses.append((*premise, -literal))
                    elif after:
                        self.clauses.append((*premise, -literal, -after[reached][0]))
            before = after
            self._check_size()


def formula_of(
    statement: Statement, key: str, solutions: Iterable[Solution], watch: Watch, best: int | None = None
) -> Formula:
    """Return the formula of a statement without these solutions, or with better ones than ``best`` alone."""
    encoder = Encoder(statement, watch)
    for solution in solutions:
        encoder.exclude(solution, key)
    if best is not None and statement.goal is not None:
        encoder.exclude_others_than_better(statement.goal, best)
    return Formula(encoder.variables, encoder.clauses)


def given_formula(puzzle: Mapping[str, Any], models: Iterable[Collection[int]]) -> Formula:
    """Return the formula that ``puzzle.json`` of the family ``clauses`` has itself, without these models.

    Two models differ if they differ in the literals of ``key``. Raises Refused if one is not a model.
    """
    with reading(f"{PUZZLE_JSON}: not a formula"):
        variables = whole(puzzle["variables"], 0, MOST_VARIABLES)
        clauses = [tuple([whole(a, -variables, variables) for a in clause]) for clause in puzzle["clauses"]]
        key = [whole(a, -variables, variables) for a in puzzle["key"]]
        if 0 in key or any(0 in clause for clause in clauses):
            raise Refused("0 is not a literal")
    excluded = []
    for number, model in enumerate(models, 1):
        true = {a if a in model else -a for a in range(1, variables + 1)}
        if not all(map(true.intersection, clauses)):
            raise Refused(f"{SOLUTIONS_JSONL}:{number}: not a model of the formula")
        excluded.append(tuple([-a for a in key if a in true] + [a for a in key if -a in true]))
    return Formula(variables, [*clauses, *excluded])


# 4. Refutation.


class Refutation:
    """Checks that the lines of a proof follow from a formula, and lead to a contradiction.

    A line adds a clause, or deletes one (``d``). An added clause must have the property RUP: if all its
    literals are assumed false, unit propagation finds a conflict (Goldberg and Novikov 2003). Or it must have
    RAT on its first literal: the same holds together with each clause that has the opposite literal
    (Järvisalo, Heule and Biere 2012).

    The proof is read forward until unit propagation alone finds a conflict. Then it is checked backward: only
    clauses that a later check has used are checked, and propagation prefers these (core first: Heule, Hunt
    and Wetzler 2013).

    Each clause watches two of its literals: as long as neither is false, the clause implies nothing
    (Moskewicz and others 2001). ``_trail`` has the literals that are true, in the order of their derivation;
    ``_reason`` names the clause that implied each. A literal is an index: 2·v is the variable v, and 2·v + 1
    its negation.
    """

    def __init__(self, variables: int, clauses: Iterable[Sequence[int]], watch: Watch):
        self._watch = watch
        self._clauses: list[list[int]] = []
        self._alive: list[bool] = []
        self._used: list[bool] = []
        self._numbers: dict[tuple[int, ...], list[int]] = defaultdict(list)
        self._true = bytearray()
        self._reason: list[int] = []
        self._watching: list[list[list[int]]] = []  # by literal: used clauses, others
        self._make_room(2 * variables)
        self._trail: list[int] = []
        self._conflict = -1  # a clause whose literals are all false
        for clause in clauses:
            self._add([2 * a if a > 0 else -2 * a + 1 for a in clause])
            if self._conflict >= 0:
                break

    def check(self, lines: Iterable[tuple[bool, Sequence[int]]]) -> int:
        """Return the number of lines that were needed. Each line is (whether it deletes, its literals).

        Raises Refused with the number of the first line, from the end, that does not follow.
        """
        steps: list[tuple[int, bool, int, int, int]] = []
        line = 0
        for line, (deletes, literals) in enumerate(lines, 1):
            if self._conflict >= 0:
                break
            clause = [2 * a if a > 0 else -2 * a + 1 for a in literals]
            self._make_room(max(clause, default=0))
            number, length = self._delete(clause) if deletes else len(self._clauses), len(self._trail)
            if number >= 0:  # else nothing is deleted
                steps.append((line, deletes, number, clause[0] if clause else -1, length))
            if not deletes:
                self._add(clause)
            if line % 256 == 0:
                self._watch.check()
        if self._conflict < 0:
            raise Refused(f"{PROOF_DRAT}: its {line} lines do not lead to a contradiction")
        self._mark(self._conflict)
        needed = 0
        for line, deletes, number, first, length in reversed(steps):
            self._alive[number] = deletes
            if deletes:
                self._watch_two(number)
                continue
            self._shorten(length)
            if self._used[number]:
                needed += 1
                if not self._follows(self._clauses[number], first):
                    raise Refused(f"{PROOF_DRAT}: line {line} does not follow")
        return needed

    def _make_room(self, literal: int) -> None:
        """Make room for the variables up to that of the literal; a proof may define new ones."""
        if literal > 2 * MOST_VARIABLES:
            raise Refused(f"{PROOF_DRAT}: more than {MOST_VARIABLES} variables")
        missing = literal // 2 + 1 - len(self._reason)
        self._true.extend(bytes(2 * max(missing, 0)))
        self._reason += [-1] * missing
        self._watching += [[[], []] for _ in range(2 * missing)]

    def _add(self, literals: Sequence[int]) -> None:
        """Add a clause, and all literals that follow by unit propagation."""
        number, clause = len(self._clauses), list(dict.fromkeys(literals))
        if number > 2 * MOST_CLAUSES:
            raise Refused(f"{PROOF_DRAT}: more than {2 * MOST_CLAUSES} clauses with those of the formula")
        self._clauses.append(clause)
        self._alive.append(True)
        self._used.append(False)
        self._numbers[tuple(sorted(clause))].append(number)
        self._watch_two(number)
        if not clause or self._true[clause[0] ^ 1]:
            self._conflict = number
        elif (len(clause) == 1 or self._true[clause[1] ^ 1]) and not self._true[clause[0]]:
            before = len(self._trail)
            self._assign(clause[0], number)
            self._conflict = self._propagate(before)

    def _delete(self, literals: Sequence[int]) -> int:
        """Delete a clause and return its number.

        Return -1 if there is no such clause, or if it is the reason of a literal: this one is kept, as by
        other checkers.
        """
        numbers = self._numbers.get(tuple(sorted(set(literals))))
        if not numbers or any(
            self._true[a] and self._reason[a >> 1] == numbers[-1] for a in self._clauses[numbers[-1]]
        ):
            return -1
        number = numbers.pop()
        self._alive[number] = False
        return number

    def _watch_two(self, number: int) -> None:
        """Watch two literals that are not false; if there is only one, the literal that became false last.

        At every earlier length of the trail, either both are not false, or one of them is true.
        """
        clause = self._clauses[number]
        if len(clause) < 2:
            return
        clause.sort(key=lambda a: self._true[a ^ 1])
        if self._true[clause[1] ^ 1]:
            place = {literal: at for at, literal in enumerate(self._trail)}
            end = len(self._trail)
            clause.sort(key=lambda a: end if not self._true[a ^ 1] else place[a ^ 1], reverse=True)
        for literal in clause[:2]:
            self._watching[literal][not self._used[number]].append(number)

    def _assign(self, literal: int, reason: int) -> None:
        self._true[literal] = 1
        self._reason[literal >> 1] = reason
        self._trail.append(literal)

    def _shorten(self, length: int) -> None:
        for literal in self._trail[length:]:
            self._true[literal] = 0
        del self._trail[length:]

    def _propagate(self, start: int) -> int:
        """Add the literals that follow from those after ``start``; return a clause with none left, or -1."""
        clauses, true, trail, used, alive = self._clauses, self._true, self._trail, self._used, self._alive
        heads = [start, start]  # the next literal whose used clauses, and whose others, are visited
        while True:
            others = int(heads[0] >= len(trail))
            if heads[others] >= len(trail):
                return -1
            false = trail[heads[others]] ^ 1
            heads[others] += 1
            waiting = self._watching[false][others]
            kept = self._watching[false][others] = []
            for at, number in enumerate(waiting):
                clause = clauses[number]
                if not alive[number]:
                    continue
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                elif clause[1] != false:
                    continue  # a clause that was deleted and is here again watches other literals
                first, rest = clause[0], not used[number]
                if not true[first]:
                    for k in range(2, len(clause)):
                        if not true[clause[k] ^ 1]:
                            clause[1], clause[k] = clause[k], false
                            self._watching[clause[1]][rest].append(number)
                            break
                    else:
                        if true[first ^ 1]:
                            kept.extend(waiting[at:])
                            return number
                        self._assign(first, number)
                if clause[1] == false:
                    (kept if rest == others else self._watching[false][0]).append(number)

    def _mark(self, *numbers: int) -> None:
        """Mark clauses as used, and the reasons of all their literals, and so on."""
        seen: set[int] = set()
        waiting = list(numbers)
        while waiting:
            number = waiting.pop()
            self._used[number] = True
            for literal in self._clauses[number]:
                if literal >> 1 not in seen:
                    seen.add(literal >> 1)
                    if (self._true[literal] or self._true[literal ^ 1]) and self._reason[literal >> 1] >= 0:
                        waiting.append(self._reason[literal >> 1])

    def _follows(self, clause: Sequence[int], first: int) -> bool:
        """Return whether a clause has the property RUP, or RAT on the literal ``first``."""
        length = len(self._trail)
        follows = self._contradicts(clause) or (
            first >= 0
            and all(
                self._contradicts([a for a in other if a != first ^ 1], undo=True)
                for number, other in enumerate(self._clauses)
                if self._alive[number] and first ^ 1 in other
            )
        )
        self._shorten(length)
        return follows

    def _contradicts(self, clause: Sequence[int], undo: bool = False) -> bool:
        """Assume that all literals of the clause are false; return whether propagation finds a conflict."""
        self._watch.check()
        length = len(self._trail)
        for literal in clause:
            if self._true[literal]:  # the assumptions imply one of the literals
                if (reason := self._reason[literal >> 1]) >= 0:
                    self._mark(reason)
                conflict = True
                break
            if not self._true[literal ^ 1]:
                self._assign(literal ^ 1, -1)
        else:
            number = self._propagate(length)
            conflict = number >= 0
            if conflict:
                self._mark(number)
        if undo:
            self._shorten(length)
        return conflict


def lines_of(proof: str) -> Iterator[tuple[bool, list[int]]]:
    """Yield the lines of a proof in the text format DRAT: literals, then 0; ``d`` before deletions."""
    for number, line in enumerate(LINE.finditer(proof), 1):
        read = PROOF_LINE.fullmatch(line[0])
        if not read:
            raise Refused(f"{PROOF_DRAT}:{number}: expected literals, then 0")
        yield bool(read[1]), [int(literal) for literal in read[2].split()]


# 5. The folder.

_PROOF_FILES = (PUZZLE_JSON, SOLUTIONS_JSONL, FORMULA_CNF, PROOF_DRAT)
FILES_OF_KIND = {"count": (PUZZLE_JSON,), "list": _PROOF_FILES, "optimum": _PROOF_FILES}
"""The files of each kind of certificate, besides the manifest."""


class Proved(NamedTuple):
    """What a certificate proves: the number of solutions that differ in the key, how, and what is trusted."""

    solutions: int
    key: str
    kind: str
    how: str
    trusted: str
    optimum: str = ""
    """The greatest or least value, in words."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left open; certificates of linear models may leave something open."""
        return True

    def __str__(self) -> str:
        some = "no solution" if not self.solutions else f"exactly {self.solutions} solution"
        plural = "s" if self.solutions > 1 else ""
        what = self.optimum or f"{some}{plural} by {self.key}"
        return f"proved: {what}; {self.how}; trusted: {self.trusted}"


class Folder:
    """The files of a certificate. Only the five names above are opened, so no path leaves it."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._texts: dict[str, str] = {}

    def text(self, name: str) -> str:
        """Return the text of a file. Raises Refused if it is a link or a device, too large, or no text."""
        if name not in self._texts:
            path, largest = self._folder / name, LARGEST_JSON if name.endswith(".json") else LARGEST_TEXT
            with reading(name):
                if not stat.S_ISREG(path.lstat().st_mode):
                    raise Refused("not a file")
                with open(path, "rb", opener=_open_no_link) as file:
                    content = file.read(largest + 1)
                if len(content) > largest:
                    raise Refused(f"larger than {largest} bytes")
                self._texts[name] = content.decode("utf-8")
        return self._texts[name]

    def content(self, name: str) -> dict[str, Any]:
        """Return the JSON object in a file."""
        text = self.text(name)
        with reading(name):
            return json_object(text)

    def solutions(self, read: Callable[[dict[str, Any]], Any]) -> list[Any]:
        """Return what the function reads from each line of the solutions."""
        found = []
        for number, line in enumerate(LINE.findall(self.text(SOLUTIONS_JSONL)), 1):
            with reading(f"{SOLUTIONS_JSONL}:{number}"):
                found.append(read(json_object(line)))
        return found


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def json_object(text: str) -> dict[str, Any]:
    """Return a JSON object, in which no member occurs twice."""

    def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(found := dict(members)) < len(members):
            raise ValueError("a member occurs twice")
        return found

    try:
        found = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Refused(f"not JSON ({error})") from None
    if not isinstance(found, dict):
        raise Refused("expected an object")
    return found


def verify(folder: Path, watch: Watch) -> Proved:
    """Return what the certificate proves. Raises Refused with the first fault, and OutOfTime."""
    files = Folder(folder)
    manifest = files.content(CERTIFICATE_JSON)
    with reading(CERTIFICATE_JSON):
        kind, key, claimed = str(manifest.get("kind")), str(manifest.get("key")), manifest.get("solutions")
        if manifest.get("format") != FORMAT:
            raise Refused(f"expected the format {FORMAT!r}")
        if kind not in FILES_OF_KIND or not KEY_NAME.fullmatch(key) or type(claimed) is not int:
            raise Refused("expected a kind, a key, and the number of solutions")
        if sorted(manifest.get("sha256", ())) != sorted(FILES_OF_KIND[kind]):
            raise Refused(f"expected the hashes of {', '.join(FILES_OF_KIND[kind])}")
    for name in FILES_OF_KIND[kind]:
        if hashlib.sha256(files.text(name).encode()).hexdigest() != manifest["sha256"][name]:
            raise Refused(f"{name}: its hash differs from the one in {CERTIFICATE_JSON}")
    puzzle, trusted, optimum = files.content(PUZZLE_JSON), f"that {PUZZLE_JSON} states the puzzle", ""
    if puzzle.get("family") == "clauses" and kind == "list":
        models = files.solutions(lambda line: frozenset(map(whole, line["model"])))
        formula, listed = given_formula(puzzle, models), len(models)
        trusted += ", by an encoding that is not checked"
    else:
        statement = statement_of(puzzle, key)
        if kind == "count":
            how = _counted(statement, manifest.get("division"), key, claimed, watch)
            return Proved(claimed, key, kind, how, trusted)
        solutions = files.solutions(partial(solution_of, statement))
        listed, best = len(solutions), None
        if kind == "optimum":
            if statement.goal is None or listed != 1:
                raise Refused("an optimum needs an objective, and one solution")
            best, solutions = statement.goal.value(solutions[0]), []
            optimum = f"the {statement.goal.sense} value is {Fraction(best, statement.goal.scale)}"
        formula = formula_of(statement, key, solutions, watch, best)
    different = listed if optimum else len(set(formula.clauses[len(formula.clauses) - listed :]))
    if not different == listed == claimed:
        raise Refused(
            f"{SOLUTIONS_JSONL}: {different} different solutions, but {CERTIFICATE_JSON} says {claimed}"
        )
    if formula.dimacs() != files.text(FORMULA_CNF):
        raise Refused(f"{FORMULA_CNF}: not the formula of {PUZZLE_JSON} and {SOLUTIONS_JSONL}")
    needed = Refutation(formula.variables, formula.clauses, watch).check(lines_of(files.text(PROOF_DRAT)))
    how = f"{needed} lines refute any"
    if claimed:
        how = f"it is checked, and {how} better" if optimum else f"each is checked, and {how} other"
    return Proved(claimed, key, kind, f"{how} ({len(formula.clauses)} clauses)", trusted, optimum)


def _counted(statement: Statement, division: Any, key: str, claimed: int, watch: Watch) -> str:
    """Return how the solutions are counted. Raises Refused if there are not as many as claimed."""
    with reading(f"{CERTIFICATE_JSON}: the division of the count"):
        count = Count(statement, key, watch)
        counted = count.solutions(division, statement.values, range(len(statement.values)))
    if counted != claimed:
        raise Refused(f"{CERTIFICATE_JSON}: {claimed} solutions, but there are {counted}")
    return f"counted again, by {count.states} states" + f" in {count.cases} cases" * (count.cases > 1)


def solution_of(statement: Statement, line: Mapping[str, Any]) -> Solution:
    """Return a listed solution. Raises Refused if it breaks a rule."""
    solution = tuple(map(whole, line["values"])), tuple(map(whole, line.get("partners", ())))
    check_solution(statement, solution)
    return solution


def main() -> int:
    """Check the folder that is named on the command line; return 0 if it proves what it says, else 1."""
    parser = argparse.ArgumentParser(description="Check a certificate.", allow_abbrev=False)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--time-limit", type=float, default=3_600.0, help="in seconds (default: %(default)s)")
    arguments = parser.parse_args()
    watch, status = Watch(arguments.time_limit), 1
    # No `with`, no `finally`: to enter their handlers Python needs memory, and without any it tries for ever.
    try:
        _limit_resources(watch, arguments.time_limit)
        verdict, status = str(verify(arguments.folder, watch)), 0
    except MemoryError:
        verdict = OUT_OF_MEMORY
    except (Refused, OutOfTime) as fault:
        verdict = f"refused: {fault}"
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)  # it would end the process as it exits
    print(verdict)
    return status


def _limit_resources(watch: Watch, seconds: float) -> None:
    """Let the system end what takes too long or too much memory between two looks at the watch."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, watch.check)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0) + 0.1)
    with suppress(ImportError):  # there is none on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


if __name__ == "__main__":
    sys.exit(main())
