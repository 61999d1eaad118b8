"""Objectives in words: ``sum(A) + 2*r1c1 - pips(3)`` becomes the objective of a problem.

::

    expression = ["-"] product { ("+" | "-") product }
    product    = factor { "*" factor }                      all but one are numbers
    factor     = number | "(" expression ")" | function | cell | cell "=" number
    function   = "sum(" area ")" | "pips(" number [ "," area ] ")" | "random(" number [ "," area ] ")"
                 | "flat" | "upright"

A cell counts its value, and a cell with a number counts 1 if it has this value. ``sum`` adds the values of an
area, ``pips`` counts how often a value stands in it; ``flat`` and ``upright`` count dominoes. ``random``
gives each value of each cell of an area its own weight from -20 to 20, the same ones for the same number: an
objective for comparisons of engines. An area is the name of a rule, such as ``A`` for region A or ``row 1``,
or ``all``; for ``random`` also ``places``, where the dominoes lie, and ``few``, four cells that the number
chooses. A name with other characters than letters and digits stands in quotation marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import NoReturn

from milp_pips.constraints import PairSum, covers_of, rules_of
from milp_pips.problem.errors import UsageError, meant, visible
from milp_pips.problem.objective import MAXIMISE, MINIMISE, Objective, totals
from milp_pips.problem.problem import Problem, Variable
from milp_pips.tasks.soft import softened

LONGEST_EXPRESSION = 10_000
"""The most characters of an expression."""

TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d{1,9}(?!\d))|(?P<name>\w+)|(?P<quote>"[^"]*"|'[^']*')|(?P<sign>\S))"""
)

FUNCTIONS = {"sum": False, "pips": True, "random": True}
"""The functions of areas, and whether their first argument is a number: a value to count, or a seed."""

RANDOM_WEIGHT, FEW_CELLS = 20, 4
"""The greatest weight that ``random`` gives, and the number of cells of its area ``few``."""

Terms = Counter[tuple[int, int]]
"""The weight of each pair (variable, value)."""

CONSTANT = (-1, 0)
"""The pair whose weight is the constant."""


def goal_of(
    maximise: str | None = None,
    minimise: str | None = None,
    soft: Mapping[str, int] | None = None,
    *,
    unique: bool = False,
) -> Callable[[Problem], Problem] | None:
    """Return the function that gives a problem an objective in words, or soft rules; None if there are none.

    Raises TypeError if several are given or one is not a string, and UsageError if an objective is to have a
    ``unique`` solution. The function raises UsageError for an expression that cannot be read, or an unknown
    rule.
    """
    if unique and (soft or (maximise, minimise) != (None, None)):
        raise UsageError("an objective asks for the best solution, not for the only one: omit unique")
    if maximise is None and minimise is None:
        return partial(softened, weights=dict(soft)) if soft else None
    if soft:
        raise UsageError("soft rules have an objective of their own: omit the other one")
    if maximise is not None and minimise is not None:
        raise TypeError("a task maximises or minimises: give one objective")
    sense, text = (MINIMISE, minimise) if maximise is None else (MAXIMISE, maximise)
    if not isinstance(text, str):
        raise TypeError(f"{sense} takes an expression such as 'sum(A)'; an Objective is part of a Problem")
    return lambda problem: problem.with_objective(read_objective(text, sense, problem))


def read_objective(text: str, sense: str, problem: Problem) -> Objective:
    """Return the objective that an expression states. Raises UsageError with the position of a mistake."""
    if len(text) > LONGEST_EXPRESSION:
        raise UsageError(f"the objective has {len(text)} characters; expected at most {LONGEST_EXPRESSION}")
    terms = _Reader(text, problem).whole()
    constant = terms.pop(CONSTANT, 0)
    try:
        return Objective(
            totals((v, a, times) for (v, a), times in terms.items()), sense, constant, text.strip()
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


def as_good_as(objective: Objective, worst: int) -> PairSum:
    """Return the constraint that the value is no worse than a given one."""
    return PairSum(
        objective.terms, *objective.limits(worst), f"{objective} is {objective.stated(worst)} or better"
    )


def as_far_as_possible(problem: Problem, key: str, solutions: Sequence[Sequence[int]], most: int) -> Problem:
    """Return the problem with its least distance from some solutions as a variable, which is maximised.

    In each solution the variables with the old value and the distance are together at most all variables.
    """
    variables = problem.keys[key]
    distance, values = len(problem.variables), tuple(range(1, most + 1))
    counted = tuple([(distance, a, a) for a in values])
    rows = [
        PairSum(
            (*((v, a, 1) for v, a in zip(variables, solution, strict=True)), *counted),
            None,
            len(variables),
            f"the distance from solution {number}",
        )
        for number, solution in enumerate(solutions, 1)
    ]
    return replace(
        problem,
        variables=(*problem.variables, Variable("the least distance", values)),
        constraints=(*problem.constraints, *rows),
        auxiliary=(*problem.auxiliary, distance),
        determined=False,
        objective=Objective(counted, MAXIMISE, 0, "the least distance"),
    )


class _Reader:
    """Reads an expression by recursive descent; ``_next`` is the number of the next token."""

    def __init__(self, text: str, problem: Problem):
        self._text, self._problem = text, problem
        self._tokens = list(TOKEN.finditer(text))
        self._next = self._depth = 0

    def whole(self) -> Terms:
        """Return the terms of the whole expression."""
        terms = self._expression()
        if self._next < len(self._tokens):
            self._expected("+, -, * or the end")
        return terms

    def _expression(self) -> Terms:
        terms, sign = Terms(), -1 if self._take("-") else 1
        self._depth += 1
        if self._depth > 50:
            self._fail("at most 50 brackets in one another")
        while True:
            for pair, times in self._product().items():
                terms[pair] += sign * times
            if self._take("+"):
                sign = 1
            elif self._take("-"):
                sign = -1
            else:
                self._depth -= 1
                return terms

    def _product(self) -> Terms:
        terms = self._factor()
        while self._take("*"):
            other = self._factor()
            # The factor with cells, if there is one, goes to the left.
            if set(terms) <= {CONSTANT}:
                terms, other = other, terms
            if not set(other) <= {CONSTANT}:
                self._fail("a number on one side of *: an objective is linear")
            times = other[CONSTANT]
            terms = Terms({pair: times * weight for pair, weight in terms.items()})
        return terms

    def _factor(self) -> Terms:
        if self._take("("):
            terms = self._expression()
            self._require(")")
            return terms
        if (number := self._take_number()) is not None:
            return Terms({CONSTANT: number})
        token = self._peek()
        if token is None or token["sign"]:
            self._expected("a number, a cell, sum(area), pips(number), flat or upright")
        self._next += 1
        word = token["name"] or token["quote"][1:-1]
        if token["name"] and word in FUNCTIONS and self._take("("):
            return self._random() if word == "random" else self._function(counts=FUNCTIONS[word])
        if token["name"] and word in ("flat", "upright"):
            return Terms(self._lying(word))
        cells = {self._problem.variables[v].name: v for v in self._problem.answer_variables}
        if word not in cells:
            self._next -= 1
            areas = (
                f"; the sum of region {visible(word)} is sum({visible(word)})"
                if word in self._areas()
                else ""
            )
            self._fail(f"a cell, not {visible(word)!r}{meant(word, cells)}{areas}")
        v = cells[word]
        if not self._take("="):
            return Terms({(v, a): a for a in self._problem.variables[v].domain})
        return Terms({(v, self._value()): 1})

    def _function(self, *, counts: bool) -> Terms:
        value, variables = None, self._shown()
        if counts:
            value = self._value()
        if not counts or self._take(","):
            variables = self._area()
        self._require(")")
        domains = [(v, self._problem.variables[v].domain) for v in variables]
        if value is None:
            return Terms({(v, a): a for v, domain in domains for a in domain})
        return Terms({(v, value): 1 for v, domain in domains if value in domain})

    def _random(self) -> Terms:
        """Return a random weight of each value of each variable of an area."""
        seed = self._take_number()
        if seed is None:
            self._expected("a number, which decides the weights")
        rng, area = Random(seed), self._shown()
        if self._take(","):
            area = self._area(
                {
                    "places": [v for c in covers_of(self._problem.constraints) for v in c.partners],
                    "few": rng.sample(list(area), min(FEW_CELLS, len(area))),
                }
            )
        self._require(")")
        pairs = [(v, a) for v in sorted(area) for a in self._problem.variables[v].domain]
        return Terms({pair: rng.randint(-RANDOM_WEIGHT, RANDOM_WEIGHT) for pair in pairs})

    def _value(self) -> int:
        """Return a value: a number, or the puzzle's word for it."""
        sign = -1 if self._take("-") else 1
        if (number := self._take_number()) is not None:
            return sign * number
        words = {word: a for named in self._problem.value_names.values() for a, word in named.items()}
        token = self._peek()
        if token is not None and (word := token["name"] or (token["quote"] or "")[1:-1]) in words:
            self._next += 1
            return words[word]
        return self._expected(f"a number{', ' * bool(words)}{', '.join(words)}")

    def _area(self, more: Mapping[str, Sequence[int]] = {}) -> Sequence[int]:
        begin = self._next
        while (token := self._peek()) is not None and token["sign"] not in (")", ","):
            self._next += 1
        words = [
            token["name"] or token["number"] or (token["quote"] or "")[1:-1]
            for token in self._tokens[begin : self._next]
        ]
        name, areas = " ".join(words), {**self._areas(), **more}
        if name in areas:
            return areas[name]
        self._next = begin
        known = ", ".join([name for name in areas if not name.startswith("region ")][:12])
        return self._fail(f"an area, not {visible(name)!r}{meant(name, areas)}; there are {known}")

    def _areas(self) -> Mapping[str, Sequence[int]]:
        """Return the variables of each area by name: of each rule, and of all cells."""
        areas: dict[str, Sequence[int]] = {"all": self._shown()}
        for constraint in rules_of(self._problem.constraints):
            name = constraint.label.partition(":")[0]
            if name and len(name) < 40:
                areas.setdefault(name, constraint.variables)
                areas.setdefault(name.removeprefix("region "), constraint.variables)
        return areas

    def _shown(self) -> Sequence[int]:
        """Return the variables whose values a board shows."""
        return self._problem.keys.get("grid", self._problem.answer_variables)

    def _lying(self, way: str) -> Iterator[tuple[int, int]]:
        """Yield the pairs (variable, value) that lay a domino this way, each domino once."""
        covers = covers_of(self._problem.constraints)
        if not covers:
            self._fail("a puzzle with dominoes")
        for cover in covers:
            # Only cells of a grid lie beside or above one another; those with other names do neither.
            where = [re.fullmatch(r"r(\d+)c(\d+)", self._problem.variables[v].name) for v in cover.values]
            for i, j in cover.edges:
                one, other = where[i], where[j]
                if one and other and (one[1] == other[1], one[2] == other[2])[way == "upright"]:
                    yield cover.partners[i], j

    # Tokens.

    def _peek(self) -> re.Match[str] | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self, sign: str) -> bool:
        token = self._peek()
        if token is None or token["sign"] != sign:
            return False
        self._next += 1
        return True

    def _take_number(self) -> int | None:
        token = self._peek()
        if token is None or not token["number"]:
            return None
        self._next += 1
        return int(token["number"])

    def _require(self, sign: str) -> None:
        if not self._take(sign):
            self._expected(sign)

    def _expected(self, what: str) -> NoReturn:
        token = self._peek()
        found = "the end" if token is None else repr(visible(token.group().strip()))
        self._fail(f"{what}, not {found}")

    def _fail(self, expected: str) -> NoReturn:
        token = self._peek()
        at = len(self._text) if token is None else token.end() - len(token.group().lstrip())
        raise UsageError(
            f"objective {visible(self._text.strip())!r}, character {at + 1}: expected {expected}"
        )
