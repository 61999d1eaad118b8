"""Check a certificate: a folder that proves the list, or the number, of all solutions of a puzzle.

    python verify.py FOLDER

This file needs nothing but Python, so it can be handed on by itself. It trusts neither the program that wrote
the folder nor the engine that found the proof. What remains to be trusted is this file, Python, and that
``puzzle.json``, which a person can read, is the puzzle in question.

The file has five parts:

1. *puzzles as rules*: ``puzzle.json`` becomes cells with values, rules on them and, for Pips, dominoes.
2. *counting*: a dynamic program over the cells counts all solutions. It needs only an order of the cells.
3. *clauses*: the rules become a formula. A clause for each listed solution excludes it.
4. *refutation*: each line of the proof must follow from the formula; the last one is a contradiction.
5. *the folder*: sizes, hashes, and the verdict.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import stat
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

__all__ = ["FORMAT", "OutOfTime", "Proved", "Refused", "Watch", "verify"]

FORMAT = "milp-pips certificate 1"
CERTIFICATE_JSON, PUZZLE_JSON, SOLUTIONS_JSONL, FORMULA_CNF, PROOF_DRAT = (
    "certificate.json",
    "puzzle.json",
    "solutions.jsonl",
    "formula.cnf",
    "proof.drat",
)
LARGEST_FILE = 2**28
"""Bytes of the largest file that is read."""
MOST_STATED_CELLS, MOST_VALUES = 10_000, 1_000
"""The most cells of a puzzle, and the most values of a cell."""
MOST_RULE_STATES = 200_000
"""The most states of one rule in the formula."""
MOST_CLAUSES, MOST_VARIABLES = 5_000_000, 5_000_000
"""The most clauses and variables of a formula."""
MOST_LAYER_STATES = 1_000_000
"""The most states of one layer of a count."""


class Refused(Exception):
    """The folder proves nothing; the message has the first fault."""


class OutOfTime(Exception):
    """The time limit of the check is reached."""


class Watch:
    """The time limit of a check."""

    def __init__(self, seconds: float):
        self._seconds, self._until = seconds, time.monotonic() + seconds

    def check(self) -> None:
        """Raise OutOfTime after the deadline."""
        if time.monotonic() > self._until:
            raise OutOfTime(f"the check takes more than {self._seconds:g} s")


# 1. Puzzles as rules.

State: TypeAlias = Hashable
Solution: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""The values of all cells; then the other cell under the domino of each cell, or nothing."""


class Rule(NamedTuple):
    """A rule reads the values of its cells one by one, and remembers one state.

    ``step(state, i, value)`` returns the state after the rule has read the value of its cell number ``i``, or
    None if the value breaks the rule. ``accepts(state)`` says whether a state after the last cell obeys it.
    """

    cells: tuple[int, ...]
    start: State
    step: Callable[[Any, int, int], State | None]
    accepts: Callable[[Any], bool] = lambda _: True
    ordered: bool = False
    """Whether the rule must read its cells in their order."""


class Statement(NamedTuple):
    """A puzzle as rules. Every cell has one of its values, and every rule is obeyed.

    With ``dominoes``, each domino lies on one of the ``edges``, and each cell is under one domino.
    """

    values: tuple[tuple[int, ...], ...]
    rules: tuple[Rule, ...]
    edges: tuple[tuple[int, int], ...] = ()
    dominoes: Counter[tuple[int, int]] | None = None


def at_most(cells: Iterable[int], value: int, times: int) -> Rule:
    """The value occurs in the cells at most so often. The state is how often it has occurred."""

    def step(seen: int, _: int, read: int) -> int | None:
        seen += read == value
        return seen if seen <= times else None

    return Rule(tuple(cells), 0, step)


def all_equal(cells: Iterable[int]) -> Rule:
    """The cells show one value. The state is this value, None before the first cell."""
    return Rule(tuple(cells), (), lambda state, _, read: (read,) if state in ((), (read,)) else None)


def total(cells: Iterable[int], factors: Sequence[int], low: float, high: float) -> Rule:
    """The weighted sum of the cells is between the bounds. The state is the sum so far."""
    return Rule(
        tuple(cells),
        0,
        lambda state, i, read: state + factors[i] * read,
        lambda state: low <= state <= high,
    )


def whole(number: Any, least: int = -(10**9), most: int = 10**9) -> int:
    """Return the number if it is an integer between the limits. Raises ValueError."""
    if type(number) is not int or not least <= number <= most:
        raise ValueError(f"expected an integer between {least} and {most}")
    return number


def statement_of(puzzle: Mapping[str, Any]) -> Statement:
    """Return the rules of ``puzzle.json``. Raises Refused for a family without a plain statement."""
    try:
        statement = STATEMENTS[puzzle["family"]](puzzle)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise Refused(
            f"{PUZZLE_JSON}: not a puzzle of a known family ({type(error).__name__}: {error})"
        ) from None
    if len(statement.values) > MOST_STATED_CELLS or max(map(len, statement.values), default=0) > MOST_VALUES:
        raise Refused(
            f"{PUZZLE_JSON}: more than {MOST_STATED_CELLS} cells, or more than {MOST_VALUES} values of a cell"
        )
    cells = range(len(statement.values))
    named = [cell for rule in statement.rules for cell in rule.cells]
    named += [cell for edge in statement.edges for cell in edge]
    if any(type(cell) is not int or cell not in cells for cell in named):
        raise Refused(f"{PUZZLE_JSON}: a rule or an edge names a cell that is not on the board")
    if any(len(set(rule.cells)) < len(rule.cells) for rule in statement.rules):
        raise Refused(f"{PUZZLE_JSON}: a rule names a cell twice")
    if any(not rule.cells for rule in statement.rules):
        raise Refused(f"{PUZZLE_JSON}: a rule has no cell")
    return statement


def pips(puzzle: Mapping[str, Any]) -> Statement:
    """Pips: cells, pairs of cells that a domino can cover, dominoes, and regions with one rule each."""
    cells = len(puzzle["cells"])
    dominoes = Counter((min(whole(a), whole(b)), max(a, b)) for a, b in puzzle["dominoes"])
    values = sorted({value for domino in dominoes for value in domino})
    edges = tuple(sorted({(min(i, j), max(i, j)) for i, j in puzzle["edges"]}))
    if cells != 2 * sum(dominoes.values()):
        raise ValueError("dominoes cover two cells each")
    rules: list[Rule] = []
    for region in puzzle["regions"]:
        where, target = region["cells"], whole(region.get("target") or 0)
        low, high = -float("inf"), float("inf")
        match region["rule"]:
            case None:
                continue
            case "EQ":
                rules.append(all_equal(where))
                continue
            case "NEQ":
                rules += [at_most(where, value, 1) for value in values]
                continue
            case "SUM":
                low = high = target
            case "LT":
                high = target - 1
            case "LE":
                high = target
            case "GT":
                low = target + 1
            case "GE":
                low = target
            case unknown:
                raise ValueError(f"unknown rule {unknown!r}")
        rules.append(total(where, [1] * len(where), low, high))
    return Statement((tuple(values),) * cells, tuple(rules), edges, dominoes)


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
    rules = [at_most(cells, number[symbol], holds[symbol]) for cells, holds in areas for symbol in often]
    for cage in puzzle["cages"]:
        cells, sum_of_cage = cells_at(cage["cells"]), whole(cage["total"])
        rules.append(total(cells, [1] * len(cells), sum_of_cage, sum_of_cage))
        if not puzzle["repeats"]:
            rules += [at_most(cells, value, 1) for value in number.values()]
    return Statement(tuple(values), tuple(rules))


def colour_grid(puzzle: Mapping[str, Any]) -> Statement:
    """Colour grid: the letters of a row or column spell a word of its clue."""
    letters, height, width = puzzle["letters"], len(puzzle["rows"]), len(puzzle["columns"])
    lines = [range(r * width, (r + 1) * width) for r in range(height)]
    lines += [range(c, height * width, width) for c in range(width)]
    rules = [
        word(line, clue, letters)
        for line, clue in zip(lines, [*puzzle["rows"], *puzzle["columns"]], strict=True)
        if clue is not None
    ]
    return Statement((tuple(range(len(letters))),) * (height * width), tuple(rules))


def rows(puzzle: Mapping[str, Any]) -> Statement:
    """Linear rows: each column takes one of its values; each row bounds a weighted sum of some columns."""
    values = [tuple(map(whole, column["values"])) for column in puzzle["columns"]]
    infinity = float("inf")
    return Statement(
        tuple(values),
        tuple(
            total(
                [column for column, _ in row["terms"]],
                [whole(factor) for _, factor in row["terms"]],
                -infinity if row["low"] is None else whole(row["low"]),
                infinity if row["high"] is None else whole(row["high"]),
            )
            for row in puzzle["rows"]
        ),
    )


STATEMENTS: Mapping[str, Callable[[Mapping[str, Any]], Statement]] = {
    "pips": pips,
    "sudoku": sudoku,
    "colour-grid": colour_grid,
    "rows": rows,
}


# The words of a regular expression: a state is the set of what may follow (derivatives: Brzozowski 1964).

Rest: TypeAlias = tuple[Any, ...]
"""What is left to be read: parts, from left to right. A part is a set of letters, ``("any of", rests)`` or
``("star", rest)``."""

MOST_EXPRESSION_PARTS = 5_000


def word(cells: Iterable[int], clue: str, letters: str) -> Rule:
    """The letters of the cells, in this order, are a word of the regular expression."""
    start = frozenset([Expression(clue, letters).rest()])

    def step(state: frozenset[Rest], _: int, read: int) -> frozenset[Rest] | None:
        return frozenset(after for rest in state for after in derived(rest, letters[read])) or None

    def accepts(state: frozenset[Rest]) -> bool:
        return any(all(map(may_be_empty, rest)) for rest in state)

    return Rule(tuple(cells), start, step, accepts, ordered=True)


def derived(rest: Rest, letter: str) -> set[Rest]:
    """Return everything that may be left after the letter has been read."""
    found: set[Rest] = set()
    for i, part in enumerate(rest):
        after = rest[i + 1 :]
        if isinstance(part, frozenset):
            found |= {after} if letter in part else set()
        elif part[0] == "any of":
            found |= {(*inner, *after) for one in part[1] for inner in derived(one, letter)}
        else:
            found |= {(*inner, part, *after) for inner in derived(part[1], letter)}
        if not may_be_empty(part):
            break
    return found


def may_be_empty(part: Any) -> bool:
    """Return whether the part describes the empty word."""
    if isinstance(part, frozenset):
        return False
    return part[0] == "star" or any(all(map(may_be_empty, one)) for one in part[1])


class Expression:
    """A parser: letters, ``.``, ``[ab]``, ``[^ab]``, ``|``, ``( )``, ``* + ?``, and ``{3}`` or ``{2,3}``."""

    def __init__(self, text: str, letters: str):
        if len(text) > MOST_EXPRESSION_PARTS:
            raise ValueError(f"an expression has more than {MOST_EXPRESSION_PARTS} characters")
        self._text, self._letters, self._at, self._parts = text, letters, 0, 0

    def rest(self) -> Rest:
        """Return the whole expression."""
        found = self._choice()
        if self._at < len(self._text):
            raise ValueError(f"unexpected {self._text[self._at]!r} in {self._text!r}")
        return found

    def _next(self, characters: str) -> str:
        """Return the next character if it is one of these, and move on; else return nothing."""
        if self._at < len(self._text) and self._text[self._at] in characters:
            self._at += 1
            return self._text[self._at - 1]
        return ""

    def _choice(self) -> Rest:
        choices = [self._sequence()]
        while self._next("|"):
            choices.append(self._sequence())
        return choices[0] if len(choices) == 1 else (("any of", tuple(choices)),)

    def _sequence(self) -> Rest:
        found: Rest = ()
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            found += self._repeated(self._one())
        return found

    def _one(self) -> Rest:
        if letter := self._next(self._letters):
            return (frozenset(letter),)
        if self._next("."):
            return (frozenset(self._letters),)
        if self._next("["):
            but, named = self._next("^"), set()
            while letter := self._next(self._letters):
                named.add(letter)
            if not named or not self._next("]"):
                raise ValueError(f"a class without letters or end in {self._text!r}")
            return (frozenset(self._letters) - named if but else frozenset(named),)
        if self._next("("):
            found = self._choice()
            if not self._next(")"):
                raise ValueError(f"a bracket without end in {self._text!r}")
            return found
        raise ValueError(f"cannot read {self._text!r}")

    def _repeated(self, part: Rest) -> Rest:
        low, high = 1, 1
        while sign := self._next("*+?{"):
            low, high = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}.get(sign) or self._bounds()
            self._parts += 1 + max(low, high) * max(1, len(part))
            if self._parts > MOST_EXPRESSION_PARTS:
                raise ValueError(f"{self._text!r} has more than {MOST_EXPRESSION_PARTS} parts")
            maybe = (("any of", ((), part)),)
            part = part * low + ((("star", part),) if high < 0 else maybe * (high - low))
        return part

    def _bounds(self) -> tuple[int, int]:
        inside, closed, _ = self._text[self._at :].partition("}")
        low, comma, high = inside.partition(",")
        if not closed or not (low + high).isdecimal() or len(inside) > 9:
            raise ValueError(f"cannot read {{{inside}")
        self._at += len(inside) + 1
        return int(low or 0), (-1 if not high else int(high)) if comma else int(low)


Arcs: TypeAlias = list[dict[State, dict[int, State]]]
"""For each cell that a rule reads: the state before, the value read, the state after."""


def arcs_of(rule: Rule, reading: Sequence[tuple[int, Collection[int]]], watch: Watch) -> Arcs:
    """Return the arcs of a rule that reads its cells, given by their numbers in it, with these values.

    An arc is left out if the rule cannot be obeyed any more after it.
    """
    layers: Arcs = []
    states: set[State] = {rule.start}
    size = 0
    for i, values in reading:
        layer: dict[State, dict[int, State]] = {}
        for state in states:
            watch.check()
            steps = {value: rule.step(state, i, value) for value in values}
            layer[state] = {value: after for value, after in steps.items() if after is not None}
        layers.append(layer)
        states = {after for arcs in layer.values() for after in arcs.values()}
        size += len(states)
        if size > MOST_RULE_STATES:
            raise Refused(f"the rule on the cells {list(rule.cells)} has more than {MOST_RULE_STATES} states")
    alive: Collection[State] = {state for state in states if rule.accepts(state)}
    for at in range(len(layers) - 1, -1, -1):
        layers[at] = {
            state: kept
            for state, arcs in layers[at].items()
            if (kept := {value: after for value, after in arcs.items() if after in alive})
        }
        alive = layers[at].keys()
    return layers


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
        edges = [(i, j) for i, j in enumerate(partners) if i < j]
        if any(not 0 <= j < len(values) or partners[j] != i for i, j in enumerate(partners)):
            raise Refused("the partner of a cell has another partner")
        if not set(statement.edges).issuperset(edges):
            raise Refused("a domino lies on cells that are not adjacent")
        if Counter(tuple(sorted((values[i], values[j]))) for i, j in edges) != statement.dominoes:
            raise Refused("the dominoes are not those of the puzzle")


# 2. Counting.

Cover: TypeAlias = tuple[int, tuple[tuple[int, int], ...]]
"""The dominoes that are left, and the cells that a domino has covered in advance, with their values."""

Layer: TypeAlias = dict[tuple[tuple[State, ...], Any], int]
"""The number of partial solutions for each state: what all rules remember, and the cover."""


def count(
    statement: Statement, order: Sequence[int], key: str, watch: Watch, most_states: int = MOST_LAYER_STATES
) -> tuple[int, list[int]]:
    """Return the number of solutions, and the number of states after each cell.

    The dynamic program reads the cells in the order. Two partial solutions have the same state if all
    unfinished rules remember the same and, for Pips, the same dominoes are left and the same later cells are
    covered: then they have the same continuations, so their numbers are added. With the key ``grid``, layouts
    with the same values count once: a state then has the set of all covers that fit the values so far (the
    subset construction for automata: Rabin and Scott 1959). Raises Refused after too many states.
    """
    if sorted(order) != list(range(len(statement.values))):
        raise Refused("the order of the cells is not a permutation")
    place = {cell: at for at, cell in enumerate(order)}
    reads: list[list[tuple[int, dict[State, dict[int, State]], bool]]] = [[] for _ in order]
    for number, rule in enumerate(statement.rules):
        reading = sorted(range(len(rule.cells)), key=lambda i: place[rule.cells[i]])
        if rule.ordered and reading != list(range(len(rule.cells))):
            raise Refused("the order of the cells differs from the order of a rule's cells")
        arcs = arcs_of(rule, [(i, statement.values[rule.cells[i]]) for i in reading], watch)
        for at, i in enumerate(reading):
            reads[rule.cells[i]].append((number, arcs[at], at == len(reading) - 1))
    covering = Covering(statement, place) if statement.dominoes is not None else None
    cover: Any = None if covering is None else covering.start
    if key == "grid" and covering is not None:
        cover = frozenset([cover])
    layer: Layer = {(tuple(rule.start for rule in statement.rules), cover): 1}
    sizes: list[int] = []
    for cell in order:
        following: Layer = defaultdict(int)
        for (states, cover), number in layer.items():
            watch.check()
            for value in statement.values[cell]:
                read = _read(states, reads[cell], value)
                if read is None:
                    continue
                if covering is None:
                    following[read, None] += number
                elif key == "grid":
                    if covers := frozenset(new for old in cover for new in covering.after(old, cell, value)):
                        following[read, covers] += number
                else:
                    for new in covering.after(cover, cell, value):
                        following[read, new] += number
            if len(following) > most_states:
                raise Refused(f"more than {most_states} states after {len(sizes) + 1} cells")
        layer = following
        sizes.append(len(layer))
    return sum(layer.values()), sizes


def _read(
    states: tuple[State, ...], reads: Sequence[tuple[int, dict[State, dict[int, State]], bool]], value: int
) -> tuple[State, ...] | None:
    """Return what all rules remember after the value, or None if it breaks one. Finished rules forget all."""
    after = list(states)
    for number, arcs, ends in reads:
        following = arcs.get(after[number])
        if following is None or value not in following:
            return None
        after[number] = None if ends else following[value]
    return tuple(after)


class Covering:
    """How dominoes cover the cells of an order. The numbers of dominoes left are packed into one integer."""

    def __init__(self, statement: Statement, place: Mapping[int, int]):
        self._values = [frozenset(values) for values in statement.values]
        self._later: list[list[int]] = [[] for _ in statement.values]
        for i, j in statement.edges:
            first, second = (i, j) if place[i] < place[j] else (j, i)
            self._later[first].append(second)
        left = shift = 0
        self._halves: dict[int, list[tuple[int, int, int]]] = defaultdict(list)  # other value, mask, one
        for (a, b), times in (statement.dominoes or {}).items():
            mask = (1 << times.bit_length()) - 1
            left |= times << shift
            for here, there in {(a, b), (b, a)}:
                self._halves[here].append((there, mask << shift, 1 << shift))
            shift += times.bit_length()
        self.start: Cover = (left, ())

    def after(self, cover: Cover, cell: int, value: int) -> Iterator[Cover]:
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
                    if left & mask and there in self._values[other]:
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
        self._watch = watch
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
        values, partners = solution
        shown = [-self._value[cell][value] for cell, value in enumerate(values)]
        if key != "grid":
            shown += [-self._edge[i, j] for i, j in enumerate(partners) if i < j]
        self.clauses.append(tuple(shown))

    def _new(self) -> int:
        self.variables += 1
        return self.variables

    def _exactly_one(self, literals: Sequence[int]) -> None:
        if len(self.clauses) > MOST_CLAUSES:
            raise Refused(f"the formula has more than {MOST_CLAUSES} clauses")
        self._watch.check()
        self.clauses.append(tuple(literals))
        self.clauses += [(-a, -b) for i, a in enumerate(literals) for b in literals[:i]]

    def _cover(self, dominoes: Counter[tuple[int, int]]) -> None:
        """A domino lies on one edge of each cell. Its values are those of a domino that is not used up."""
        at: list[list[int]] = [[] for _ in self._value]
        for edge, literal in self._edge.items():
            for cell in edge:
                at[cell].append(literal)
        for literals in at:
            self._exactly_one(literals)
        uses: dict[tuple[int, int], list[int]] = defaultdict(list)
        for (i, j), literal in self._edge.items():
            used = {domino: self._new() for domino in dominoes}
            for a, here in self._value[i].items():
                for b, there in self._value[j].items():
                    domino = (min(a, b), max(a, b))
                    head = [used[domino]] if domino in used else []
                    self.clauses.append((-literal, -here, -there, *head))
            for domino, use in used.items():
                uses[domino].append(use)
        for domino, literals in uses.items():
            choices = [{1: literal, 0: -literal} for literal in literals]
            self._rule(at_most(range(len(literals)), 1, dominoes[domino]), choices)

    def _rule(self, rule: Rule, choices: Sequence[Mapping[int, int]]) -> None:
        """Each state of the rule is implied by the state before it and the value that is read.

        ``choices`` has the literal of each value of each cell.
        """
        layers = arcs_of(rule, list(enumerate(choices)), self._watch)
        if rule.start not in layers[0]:
            self.clauses.append(())
        before: dict[State, tuple[int, ...]] = {rule.start: ()}
        for i, arcs in enumerate(layers):
            after: dict[State, tuple[int, ...]] = {}
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


def formula_of(statement: Statement, key: str, solutions: Iterable[Solution], watch: Watch) -> Formula:
    """Return the formula of a statement without these solutions."""
    encoder = Encoder(statement, watch)
    for solution in solutions:
        encoder.exclude(solution, key)
    return Formula(encoder.variables, encoder.clauses)


def given_formula(puzzle: Mapping[str, Any], models: Iterable[Collection[int]]) -> Formula:
    """Return the formula that ``puzzle.json`` of the family ``clauses`` has itself, without these models.

    Two models differ if they differ in the literals of ``key``. Raises Refused if one is not a model.
    """
    try:
        variables = whole(puzzle["variables"], 0, MOST_VARIABLES)
        clauses = [tuple([whole(a, -variables, variables) for a in clause]) for clause in puzzle["clauses"]]
        key = [whole(a, -variables, variables) for a in puzzle["key"]]
    except (KeyError, TypeError, ValueError) as error:
        raise Refused(f"{PUZZLE_JSON}: not a formula ({error})") from None
    if 0 in key or any(0 in clause for clause in clauses):
        raise Refused(f"{PUZZLE_JSON}: 0 is not a literal")
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
        steps: list[
            tuple[int, bool, int, int]
        ] = []  # clause, deleted?, its first literal, length of the trail
        for deletes, literals in lines:
            if self._conflict >= 0:
                break
            clause = [2 * a if a > 0 else -2 * a + 1 for a in literals]
            self._make_room(max(clause, default=0))
            if deletes:
                steps.append((self._delete(clause), True, -1, len(self._trail)))
            else:
                first = clause[0] if clause else -1
                steps.append((len(self._clauses), False, first, len(self._trail)))
                self._add(clause)
            if len(steps) % 256 == 0:
                self._watch.check()
        if self._conflict < 0:
            raise Refused(f"{PROOF_DRAT}: its {len(steps)} lines do not lead to a contradiction")
        self._mark(self._conflict)
        needed = 0
        for at in range(len(steps) - 1, -1, -1):
            number, deleted, first, length = steps[at]
            if deleted:
                if number >= 0:
                    self._alive[number] = True
                    self._watch_two(number)
                continue
            self._alive[number] = False
            self._shorten(length)
            if self._used[number]:
                needed += 1
                self._watch.check()
                if not self._follows(self._clauses[number], first):
                    raise Refused(f"{PROOF_DRAT}: line {at + 1} does not follow")
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
        place = {literal: at for at, literal in enumerate(self._trail)} if self._trail else {}
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
    for number, line in enumerate(proof.splitlines(), 1):
        words = line.split()
        deletes = words[:1] == ["d"]
        try:
            literals = [whole(int(one)) for one in words[deletes:]]
        except ValueError:
            literals = [1]  # no zero at the end
        if not literals or literals[-1] != 0 or 0 in literals[:-1]:
            raise Refused(f"{PROOF_DRAT}:{number}: expected literals, then 0")
        yield deletes, literals[:-1]


# 5. The folder.


class Proved(NamedTuple):
    """What a certificate proves: the number of solutions that differ in the key, how, and what is trusted."""

    solutions: int
    key: str
    kind: str
    how: str
    trusted: str

    def __str__(self) -> str:
        some = "no solution" if not self.solutions else f"exactly {self.solutions} solution"
        plural = "s" if self.solutions > 1 else ""
        return f"proved: {some}{plural} by {self.key}; {self.how}; trusted: {self.trusted}"


def verify(folder: Path, watch: Watch) -> Proved:
    """Return what the certificate proves. Raises Refused with the first fault."""
    manifest = _object(folder, CERTIFICATE_JSON)
    kind, key, claimed = manifest.get("kind"), manifest.get("key"), manifest.get("solutions")
    if manifest.get("format") != FORMAT:
        raise Refused(f"{CERTIFICATE_JSON}: expected the format {FORMAT!r}")
    if kind not in ("list", "count") or not isinstance(key, str) or type(claimed) is not int:
        raise Refused(f"{CERTIFICATE_JSON}: expected a kind, a key, and the number of solutions")
    _check_hashes(folder, manifest)
    puzzle, trusted = _object(folder, PUZZLE_JSON), f"that {PUZZLE_JSON} states the puzzle"
    if puzzle.get("family") == "clauses" and kind == "list":
        models = [_literals(line, number) for number, line in _lines(folder)]
        formula = given_formula(puzzle, models)
        different = set(formula.clauses[len(formula.clauses) - len(models) :])
        trusted += ", by an encoding that is not checked"
    else:
        statement = statement_of(puzzle)
        if statement.dominoes is not None and key not in ("placement", "grid"):
            raise Refused(f"{CERTIFICATE_JSON}: expected the key placement or grid")
        if kind == "count":
            return _verify_count(statement, manifest, key, claimed, trusted, watch)
        solutions = [_solution(statement, line, number) for number, line in _lines(folder)]
        formula = formula_of(statement, key, solutions, watch)
        different = set(formula.clauses[len(formula.clauses) - len(solutions) :])
    if not len(different) == claimed == len(_lines(folder)):
        raise Refused(
            f"{SOLUTIONS_JSONL}: {len(different)} different solutions, but {CERTIFICATE_JSON} says {claimed}"
        )
    if formula.dimacs() != _text(folder, FORMULA_CNF):
        raise Refused(
            f"{FORMULA_CNF}: not the formula of {PUZZLE_JSON} without the solutions of {SOLUTIONS_JSONL}"
        )
    needed = Refutation(formula.variables, formula.clauses, watch).check(lines_of(_text(folder, PROOF_DRAT)))
    how = f"{'each is checked, and ' * bool(claimed)}{needed} lines refute any{' other' * bool(claimed)}"
    how += f" ({len(formula.clauses)} clauses)"
    return Proved(claimed, key, kind, how, trusted)


def _verify_count(
    statement: Statement, manifest: Mapping[str, Any], key: str, claimed: int, trusted: str, watch: Watch
) -> Proved:
    order = manifest.get("order")
    if not isinstance(order, list) or any(type(cell) is not int for cell in order):
        raise Refused(f"{CERTIFICATE_JSON}: expected the order of the cells")
    counted, sizes = count(statement, order, key, watch)
    if counted != claimed:
        raise Refused(f"{CERTIFICATE_JSON}: {claimed} solutions, but there are {counted}")
    how = f"counted again, by {sum(sizes)} states in {len(sizes)} layers"
    return Proved(counted, key, "count", how, trusted)


def _text(folder: Path, name: str) -> str:
    """Return the text of a file. The names are those above, so no path leaves the folder."""
    path = folder / name
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode):
            raise Refused(f"{name}: not a file")
        if about.st_size > LARGEST_FILE:
            raise Refused(f"{name}: larger than {LARGEST_FILE} bytes")
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise Refused(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise Refused(f"{name}: not a text in UTF-8") from None


def _object(folder: Path, name: str) -> dict[str, Any]:
    try:
        found = json.loads(_text(folder, name))
    except (ValueError, RecursionError) as error:
        raise Refused(f"{name}: not JSON ({error})") from None
    if not isinstance(found, dict):
        raise Refused(f"{name}: expected an object")
    return found


def _check_hashes(folder: Path, manifest: Mapping[str, Any]) -> None:
    names = (
        [PUZZLE_JSON]
        if manifest["kind"] == "count"
        else [PUZZLE_JSON, SOLUTIONS_JSONL, FORMULA_CNF, PROOF_DRAT]
    )
    hashes = manifest.get("sha256")
    if not isinstance(hashes, dict) or sorted(hashes) != sorted(names):
        raise Refused(f"{CERTIFICATE_JSON}: expected the hashes of {', '.join(names)}")
    for name in names:
        if hashlib.sha256(_text(folder, name).encode()).hexdigest() != hashes[name]:
            raise Refused(f"{name}: its hash differs from the one in {CERTIFICATE_JSON}")


def _lines(folder: Path) -> list[tuple[int, str]]:
    return list(enumerate(_text(folder, SOLUTIONS_JSONL).splitlines(), 1))


def _solution(statement: Statement, line: str, number: int) -> Solution:
    """Return a listed solution. Raises Refused if it breaks a rule."""
    try:
        read = json.loads(line)
        solution = tuple(map(whole, read["values"])), tuple(map(whole, read.get("partners", [])))
        check_solution(statement, solution)
    except (Refused, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Refused(f"{SOLUTIONS_JSONL}:{number}: {error}") from None
    return solution


def _literals(line: str, number: int) -> frozenset[int]:
    """Return the variables that are true in a listed model."""
    try:
        return frozenset(map(whole, json.loads(line)["model"]))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Refused(f"{SOLUTIONS_JSONL}:{number}: {error}") from None


def main() -> int:
    """Check the folder that is named on the command line; return 0 if it proves what it says, else 1."""
    parser = argparse.ArgumentParser(description="Check a certificate.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--time-limit", type=float, default=3_600.0, help="in seconds (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        print(verify(arguments.folder, Watch(arguments.time_limit)))
    except (Refused, OutOfTime) as fault:
        print(f"refused: {fault}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
