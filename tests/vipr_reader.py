"""A reader of VIPR 1.0 that checks every derivation in fractions (Cheung, Gleixner and Steffy 2017)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple


class Wrong(Exception):
    """The file is no proof; the message has the constraint and what is wrong."""


class Constraint(NamedTuple):
    """A linear constraint, with the assumptions that it rests on."""

    sense: str
    side: Fraction
    terms: dict[int, Fraction]
    assumptions: frozenset[int] = frozenset()

    @property
    def is_absurd(self):
        """Whether nothing obeys it."""
        return not self.terms and not holds(self.sense, Fraction(0), self.side)

    def dominates(self, other):
        """Whether the other follows from this one, by the rule of the format."""
        if self.is_absurd:
            return True
        if self.terms != other.terms:
            return False
        if other.sense == "E":
            return self.sense == "E" and self.side == other.side
        return self.sense in ("E", other.sense) and holds(other.sense, self.side, other.side)


def holds(sense, left, right):
    return {"E": left == right, "L": left <= right, "G": left >= right}[sense]


class Words:
    """The words of a file, one after another."""

    def __init__(self, text):
        lines = [line for line in text.splitlines() if not line.startswith("%")]
        self._words = iter(" ".join(lines).split())

    def next(self, *expected):
        word = next(self._words, "the end")
        if expected and word not in expected:
            raise Wrong(f"{word}, where {' or '.join(expected)} was expected")
        return word

    def whole(self):
        return int(self.next())

    def number(self):
        return Fraction(self.next())

    def terms(self, size=None):
        """Return pairs of a place and a number."""
        pairs = [(self.whole(), self.number()) for _ in range(self.whole() if size is None else size)]
        if len(dict(pairs)) < len(pairs):
            raise Wrong("a place twice")
        return {place: number for place, number in pairs if number}

    def ends(self):
        return next(self._words, None) is None


class Vipr:
    """A file that was read and checked; ``optimum`` is None if it proves that there is no solution."""

    def __init__(self, text):
        words = self._words = Words(text)
        try:
            self._read(words)
        except (ValueError, ZeroDivisionError, KeyError, IndexError) as fault:
            raise Wrong(str(fault)) from None

    def _read(self, words):
        words.next("VER"), words.next("1.0"), words.next("VAR")
        self.names = [words.next() for _ in range(words.whole())]
        words.next("INT")
        self.integer = {words.whole() for _ in range(words.whole())}
        words.next("OBJ")
        self.maximises = words.next("min", "max") == "max"
        self.objective = words.terms()
        words.next("CON")
        number, self.bounds = words.whole(), words.whole()
        self.constraints = [self._constraint() for _ in range(number)]
        self.given = number
        words.next("RTP")
        self.optimum = None
        is_range = words.next("infeas", "range") == "range"
        low, high = (words.number(), words.number()) if is_range else (None, None)
        words.next("SOL")
        solutions = self.solutions = [(words.next(), words.terms()) for _ in range(words.whole())]
        words.next("DER")
        for _ in range(words.whole()):
            self._derive()
        if not words.ends():
            raise Wrong("words after the last derivation")
        self.derived = len(self.constraints) - number
        self._judge(solutions, low, high)

    def _constraint(self):
        words = self._words
        words.next()
        sense, side, size = words.next("E", "L", "G"), words.number(), words.next()
        terms = {j: c for j, c in self.objective.items() if c} if size == "OBJ" else words.terms(int(size))
        if any(not 0 <= j < len(self.names) for j in terms):
            raise Wrong("an unknown variable")
        return Constraint(sense, side, terms)

    def _derive(self):
        words, place = self._words, len(self.constraints)
        stated = self._constraint()
        words.next("{")
        reason = words.next("asm", "lin", "rnd", "uns", "sol")
        if reason == "asm":
            assumptions = frozenset({place})
        elif reason == "sol":
            assumptions = frozenset()
            if not self._by_best_solution().dominates(stated):
                raise Wrong(f"constraint {place} does not follow from a solution")
        elif reason == "uns":
            assumptions = self._joined(stated, [words.whole() for _ in range(4)])
        else:
            made = self._combined(words.terms())
            if reason == "rnd":
                made = self._rounded(made)
            if not made.dominates(stated):
                raise Wrong(f"constraint {place} does not follow")
            assumptions = made.assumptions
        words.next("}"), words.next()
        self.constraints.append(stated._replace(assumptions=assumptions))

    def _by_best_solution(self):
        """Return that the objective is as good as at the best solution, which all better points obey."""
        values = [sum(c * point.get(j, 0) for j, c in self.objective.items()) for _, point in self.solutions]
        if not values:
            raise Wrong("no solution")
        best = max(values) if self.maximises else min(values)
        return Constraint("G" if self.maximises else "L", Fraction(best), self.objective)

    def _at(self, place):
        if not 0 <= place < len(self.constraints):
            raise Wrong(f"constraint {place} is not known")
        return self.constraints[place]

    def _combined(self, weights):
        terms, side, signs, rests = {}, Fraction(0), set(), frozenset()
        for place, weight in weights.items():
            one = self._at(place)
            signs.add({"E": 0, "G": 1, "L": -1}[one.sense] * (1 if weight > 0 else -1))
            for j, factor in one.terms.items():
                terms[j] = terms.get(j, 0) + weight * factor
            side += weight * one.side
            rests |= one.assumptions
        if {1, -1} <= signs:
            raise Wrong(f"constraint {len(self.constraints)} combines both senses")
        sense = "G" if 1 in signs else "L" if -1 in signs else "E"
        return Constraint(sense, side, {j: factor for j, factor in terms.items() if factor}, rests)

    def _rounded(self, one):
        if one.sense == "E" or any(j not in self.integer or a.denominator > 1 for j, a in one.terms.items()):
            raise Wrong(f"constraint {len(self.constraints)} cannot be rounded")
        return one._replace(side=Fraction(ceil(one.side) if one.sense == "G" else floor(one.side)))

    def _joined(self, stated, places):
        first, of_first, second, of_second = places
        less, more = sorted((self._at(of_first), self._at(of_second)), key=lambda one: one.side)
        self._rounded(less), self._rounded(more)
        splits = (less.sense, more.sense, more.side) == ("L", "G", less.side + 1) and less.terms == more.terms
        if not splits or less.side.denominator > 1:
            raise Wrong(f"constraint {len(self.constraints)} joins what is no split")
        if not (self._at(first).dominates(stated) and self._at(second).dominates(stated)):
            raise Wrong(f"constraint {len(self.constraints)} does not follow from both sides")
        return (self._at(first).assumptions - {of_first}) | (self._at(second).assumptions - {of_second})

    def _judge(self, solutions, low, high):
        for name, values in solutions:
            for place, one in enumerate(self.constraints[: self.given]):
                total = sum(factor * values.get(j, 0) for j, factor in one.terms.items())
                if not holds(one.sense, Fraction(total), one.side):
                    raise Wrong(f"solution {name} breaks constraint {place}")
            if any(values.get(j, Fraction(0)).denominator > 1 for j in self.integer):
                raise Wrong(f"solution {name} is not integral")
        last = self.constraints[-1] if self.constraints else Constraint("G", Fraction(0), {})
        if last.assumptions:
            raise Wrong("the last constraint rests on assumptions")
        if low is None:
            if not last.is_absurd:
                raise Wrong("the last constraint is no contradiction")
            return
        values = [sum(c * point.get(j, 0) for j, c in self.objective.items()) for _, point in solutions]
        if not any(value >= low if self.maximises else value <= high for value in values):
            raise Wrong("no solution is as good as the bound")
        bound = (
            Constraint("L", high, self.objective) if self.maximises else Constraint("G", low, self.objective)
        )
        if not last.dominates(bound):
            raise Wrong("the last constraint does not prove the bound")
        self.optimum = low
