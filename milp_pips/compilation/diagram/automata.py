"""The automaton of every class of constraint, whose variables are decided in any order.

An automaton provides four things: the state before any decision, the state after a variable takes a value,
bounds on the values of the open variables, and an estimate of the number of states, by which a good order is
chosen in advance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb, log2, perm
from typing import Any, TypeAlias

from milp_pips.compilation.diagram.automaton import SumAutomaton, WeightedSumAutomaton
from milp_pips.compilation.diagram.budget import Unsupported
from milp_pips.constraints import AllDifferent, AllEqual, Cardinality, Less, LinearSum, NoGood, Regular, Table
from milp_pips.problem.automaton import ConstraintAutomaton, Domain, Outlook, outlook_of, places
from milp_pips.problem.constraint import Constraint

Counts: TypeAlias = tuple[tuple[int, int], ...]
"""For each bounded value, the least and the greatest number of times that it may occur."""

Run: TypeAlias = tuple[tuple[int, int], ...]
"""The effect of some letters on the automaton of a word: pairs (state before them, state after them)."""


def automaton_of(constraint: Constraint, domains: Sequence[Domain]) -> ConstraintAutomaton[Any]:
    """Return the automaton of a constraint on at least one variable; ``domains`` are its variables' domains.

    Raises Unsupported if no automaton is known.
    """
    match constraint:
        case AllEqual():
            return EqualAutomaton(domains)
        case AllDifferent():
            return DifferentAutomaton(domains)
        case LinearSum(coefficients=()):
            return SumAutomaton(domains, constraint)
        case LinearSum():
            return WeightedSumAutomaton(domains, constraint)
        case Less():
            return OrderAutomaton(domains, constraint)
        case Table():
            return TableAutomaton(domains, constraint)
        case Cardinality():
            return CardinalityAutomaton(domains, constraint)
        case Regular():
            return WordAutomaton(domains, constraint)
        case NoGood():
            return NoGoodAutomaton(domains, constraint)
    raise Unsupported(f"no decision diagram for a constraint of class {type(constraint).__name__}")


class EqualAutomaton(ConstraintAutomaton[Domain]):
    """AllEqual: the values that all variables can take."""

    def __init__(self, domains: Sequence[Domain]):
        super().__init__(domains)
        self.start = tuple(sorted(set(domains[0]).intersection(*domains)))

    def step(self, state: Domain, rest: int, place: int, value: int) -> Domain | None:  # noqa: ARG002
        return (value,) if value in state else None

    def outlook(self, state: Domain, rest: int) -> Outlook:
        if not state:
            return self.unruled(rest)
        count = rest.bit_count()
        few = count if len(state) == 1 else 0
        return Outlook(dict.fromkeys(state, (few, count)), count * state[0], count * state[-1])

    def state_bits(self, decided: int) -> float:  # noqa: ARG002
        return log2(max(1, len(self.start)))

    def lost_bits(self, decided: int) -> float:
        return self.choice_bits(decided) - self.state_bits(decided)


class DifferentAutomaton(ConstraintAutomaton[int]):
    """AllDifferent: a bit mask of the taken values, without those that no open variable could take."""

    start = 0

    def __init__(self, domains: Sequence[Domain]):
        super().__init__(domains)
        values = sorted(set().union(*domains))
        self._bit = {value: 1 << i for i, value in enumerate(values)}
        self._wanted = [sum(self._bit[value] for value in domain) for domain in domains]

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:  # noqa: ARG002
        if state & self._bit[value]:
            return None
        # Every open variable needs a free value, and all together need as many free values as there are open
        # variables (two of Hall's conditions).
        taken, wanted = state | self._bit[value], 0
        for other in places(rest):
            if not self._wanted[other] & ~taken:
                return None
            wanted |= self._wanted[other]
        return taken & wanted if (wanted & ~taken).bit_count() >= rest.bit_count() else None

    def outlook(self, state: int, rest: int) -> Outlook:
        (unruled, least, most), count = self.unruled(rest), rest.bit_count()
        free = sorted(value for value in unruled if not state & self._bit[value])
        counts = {value: (min(unruled[value][0], 1), 1) for value in free}
        return Outlook(counts, max(least, sum(free[:count])), min(most, sum(free[::-1][:count])))

    def state_bits(self, decided: int) -> float:
        return log2(max(1, comb(len(self._bit), decided)))

    def lost_bits(self, decided: int) -> float:
        return decided * log2(len(self._bit)) - log2(max(1, perm(len(self._bit), decided)))


class NoGoodAutomaton(ConstraintAutomaton[int]):
    """NoGood: how many variables must still differ from their values."""

    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: NoGood):
        super().__init__(domains)
        self._values, self.start = constraint.values, max(0, constraint.least)

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:
        wanted = max(0, state - (value != self._values[place]))
        return wanted if wanted <= rest.bit_count() else None

    def state_bits(self, decided: int) -> float:
        return log2(1 + min(self.start, decided))


class OrderAutomaton(ConstraintAutomaton[Domain]):
    """Less: the remaining values of the open variable once the other variable has its value."""

    start: Domain = ()
    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: Less):
        super().__init__(domains)
        less, greater = domains
        gap = constraint.gap
        self._left: list[dict[int, Domain]] = [
            {a: tuple([b for b in greater if a + gap <= b]) for a in less},
            {b: tuple([a for a in less if a + gap <= b]) for b in greater},
        ]
        self._open = [
            tuple([x for x in domain if left[x]]) for domain, left in zip(domains, self._left, strict=True)
        ]
        self._ways = sum(len(left) for left in self._left[0].values())

    def step(self, state: Domain, rest: int, place: int, value: int) -> Domain | None:
        if rest:
            return self._left[place][value] or None
        return () if value in state else None

    def outlook(self, state: Domain, rest: int) -> Outlook:
        if state:
            return outlook_of([state])
        return outlook_of(self._open) if all(self._open) else self.unruled(rest)

    def state_bits(self, decided: int) -> float:
        return log2(max(1, *(len(set(left.values())) for left in self._left))) if decided == 1 else 0.0

    def lost_bits(self, decided: int) -> float:
        return self.choice_bits(decided) - log2(max(1, self._ways)) if decided == 2 else 0.0


class TableAutomaton(ConstraintAutomaton[int]):
    """Table: a bit mask of the remaining rows; of rows that agree at the open places, only the first."""

    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: Table):
        super().__init__(domains)
        self._rows = constraint.within(domains)
        self.start = (1 << len(self._rows)) - 1
        self._having = [dict[int, int]() for _ in domains]
        for i, row in enumerate(self._rows):
            for having, value in zip(self._having, row, strict=True):
                having[value] = having.get(value, 0) | 1 << i
        self._firsts: dict[int, list[int]] = {}

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:
        allowed = state & self._having[place].get(value, 0)
        if not allowed:
            return None
        first, following = self._first(rest), 0
        for i in places(allowed):
            following |= 1 << first[i]
        return following

    def outlook(self, state: int, rest: int) -> Outlook:
        if not state:
            return self.unruled(rest)
        opened = list(places(rest))
        rows = [[self._rows[i][place] for place in opened] for i in places(state)]
        occurs = [Counter(row) for row in rows]
        sums = [sum(row) for row in rows]
        counts = {}
        for value in set().union(*occurs):
            times = [each[value] for each in occurs]
            counts[value] = min(times), max(times)
        return Outlook(counts, min(sums), max(sums))

    def state_bits(self, decided: int) -> float:
        return (
            min(self.choice_bits(decided), log2(max(1, len(self._rows))))
            if decided < len(self.domains)
            else 0.0
        )

    def lost_bits(self, decided: int) -> float:
        return max(0.0, self.choice_bits(decided) - log2(max(1, len(self._rows))))

    def _first(self, rest: int) -> list[int]:
        """Return for each row the first row with the same values at the open places."""
        found = self._firsts.get(rest)
        if found is None:
            opened, first = list(places(rest)), dict[tuple[int, ...], int]()
            found = self._firsts[rest] = [
                first.setdefault(tuple([row[place] for place in opened]), i)
                for i, row in enumerate(self._rows)
            ]
        return found


class CardinalityAutomaton(ConstraintAutomaton[Counts]):
    """Cardinality: for each bounded value, how often the open variables still must and may take it."""

    def __init__(self, domains: Sequence[Domain], constraint: Cardinality):
        super().__init__(domains)
        tightest: dict[int, tuple[int, int]] = {}
        for value, low, high in constraint.bounds:
            least, most = tightest.get(value, (low, high))
            tightest[value] = max(low, least), min(high, most)
        self._bounded = tuple(tightest)
        self.start = tuple(tightest.values())

    def step(self, state: Counts, rest: int, place: int, value: int) -> Counts | None:  # noqa: ARG002
        counts, must, may = self.unruled(rest).counts, 0, 0
        following = []
        for bounded, (low, high) in zip(self._bounded, state, strict=True):
            few, many = counts.get(bounded, (0, 0))
            low, high = max(0, low - (bounded == value)), min(high - (bounded == value), many)
            if low > high or few > high:
                return None
            following.append((low, high))
            must, may = must + low, may + high
        may += sum(many for other, (_, many) in counts.items() if other not in self._bounded)
        return tuple(following) if must <= rest.bit_count() <= may else None

    def outlook(self, state: Counts, rest: int) -> Outlook:
        unruled, least, most = self.unruled(rest)
        counts = dict(unruled)
        for bounded, (low, high) in zip(self._bounded, state, strict=True):
            few, many = counts.get(bounded, (0, 0))
            counts[bounded] = max(few, low), min(many, high)
        return Outlook(counts, least, most)

    def state_bits(self, decided: int) -> float:
        return sum(log2(min(decided, high) + 1) for _, high in self.start if high > 0)


class WordAutomaton(ConstraintAutomaton[tuple[Run, ...]]):
    """Regular: the run of each maximal stretch of decided letters, in the order of the word.

    Letters may be decided in any order. A run keeps only the states on some path that can still be accepted,
    so a word that is decided from left to right has no more states than its automaton.
    """

    start: tuple[Run, ...] = ()
    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: Regular):
        super().__init__(domains)
        self._automaton = automaton = constraint.automaton
        self._arcs: dict[int, dict[int, int]] = {}
        for before, letter, after in automaton.arcs:
            self._arcs.setdefault(letter, {})[before] = after
        # the run of an open letter is the union of the runs of its values
        self._open: list[Run] = [
            tuple({arc for letter in domain for arc in self._arcs.get(letter, {}).items()})
            for domain in domains
        ]

    def step(self, state: tuple[Run, ...], rest: int, place: int, value: int) -> tuple[Run, ...] | None:
        # Forward: keep the pairs that the start reaches. Backward: keep those that reach acceptance.
        runs = self._joined(state, rest, place, tuple(self._arcs.get(value, {}).items()))
        reached = {self._automaton.start}
        forwards = []
        for run, is_open in runs:
            passable = [(before, after) for before, after in run if before in reached]
            forwards.append((passable, is_open))
            reached = {after for _, after in passable}
        wanted: set[int] = set(self._automaton.accepting)
        following = []
        for passable, is_open in reversed(forwards):
            kept = [(before, after) for before, after in passable if after in wanted]
            if not kept:
                return None
            wanted = {before for before, _ in kept}
            if not is_open:
                following.append(tuple(sorted(kept)))
        return tuple(reversed(following))

    def state_bits(self, decided: int) -> float:  # noqa: ARG002
        return log2(1 + len({before for before, _, _ in self._automaton.arcs}))

    def _joined(self, state: tuple[Run, ...], rest: int, place: int, letter: Run) -> list[tuple[Run, bool]]:
        """Return the runs of the word from left to right, and whether each is an open letter.

        The letter's run is inserted at its place and joined with the stretches beside it.
        """
        stretches = iter(state)
        runs: list[tuple[Run, bool]] = []
        for i, anything in enumerate(self._open):
            if rest >> i & 1:
                runs.append((anything, True))
                continue
            if i == place:
                run = letter
            elif i and not rest >> i - 1 & 1 and i - 1 != place:
                continue
            else:
                run = next(stretches)
            if runs and not runs[-1][1]:
                then = dict(run)
                run = tuple((before, then[after]) for before, after in runs.pop()[0] if after in then)
            runs.append((run, False))
        return runs
