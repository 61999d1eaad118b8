"""Every constraint as an automaton: what must be known of it while its variables are decided, in any order.

A diagram asks four things of a constraint: its state before anything is decided, the state after a variable
has taken a value, what the open variables can still hold, and, to choose a good order beforehand, about how
many states there will be.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import comb, erf, log2, perm, sqrt
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from milp_pips.diagram.budget import Unsupported
from milp_pips.problem import AllDifferent, AllEqual, Cardinality, Constraint, LinearSum, NoGood, Regular

State = TypeVar("State", bound=Hashable)

Domain: TypeAlias = tuple[int, ...]
"""The values of a variable, at least one, in increasing order."""

Counts: TypeAlias = tuple[tuple[int, int], ...]
"""For each of some values, the least and the greatest number of times that it may occur."""

Run: TypeAlias = tuple[tuple[int, int], ...]
"""What some letters do to the automaton of a word: pairs (state before them, state after them)."""


def automaton_of(constraint: Constraint, domains: Sequence[Domain]) -> ConstraintAutomaton[Any]:
    """Return the automaton of a constraint on at least one variable; ``domains`` are those of its variables.

    Raises Unsupported where no automaton is known, and where the constraint names a variable twice.
    """
    if len(set(constraint.variables)) < len(constraint.variables):
        raise Unsupported(f"no decision diagram where a rule names a variable twice: {constraint.label}")
    match constraint:
        case AllEqual():
            return EqualAutomaton(domains)
        case AllDifferent():
            return DifferentAutomaton(domains)
        case LinearSum():
            return SumAutomaton(domains, constraint)
        case Cardinality():
            return CardinalityAutomaton(domains, constraint)
        case Regular():
            return WordAutomaton(domains, constraint)
        case NoGood():
            return NoGoodAutomaton(domains, constraint)
    raise Unsupported(f"no decision diagram for a constraint of class {type(constraint).__name__}")


class Outlook(NamedTuple):
    """What open variables can still hold, in bounds that may be loose but never wrong.

    ``counts`` holds the least and the greatest number of times that each value can occur among them; a
    value without an entry cannot. ``least`` and ``most`` bound their sum.
    """

    counts: Mapping[int, tuple[int, int]]
    least: int
    most: int


def outlook_of(domains: Sequence[Domain]) -> Outlook:
    """Return what open variables with these domains can hold where no rule holds them back."""
    counts: dict[int, tuple[int, int]] = {}
    for domain in domains:
        for value in domain:
            few, many = counts.get(value, (0, 0))
            counts[value] = few + (len(domain) == 1), many + 1
    return Outlook(counts, sum(domain[0] for domain in domains), sum(domain[-1] for domain in domains))


class ConstraintAutomaton(ABC, Generic[State]):
    """The states of a constraint whose variables are decided one by one.

    Variables are known by their places 0, 1, … in the constraint; ``rest`` is a bit mask of the open places.
    Two histories with the same state and the same rest allow exactly the same futures: that is what lets a
    diagram merge them. A state forgets what no longer matters, so that as many as possible merge.
    """

    start: State
    """The state before any variable is decided."""

    symmetric = True
    """Whether variables with the same domain may change places."""

    def __init__(self, domains: Sequence[Domain]):
        self.domains = domains
        self._outlooks: dict[int, Outlook] = {}

    @abstractmethod
    def step(self, state: State, rest: int, place: int, value: int) -> State | None:
        """Return the state after the variable at ``place`` took ``value``; None where no future is left.

        ``rest`` no longer has ``place``. With nothing left open, any state says that the constraint holds.
        """

    @abstractmethod
    def state_bits(self, decided: int) -> float:
        """Return about how many bits tell the states apart while so many variables are decided."""

    def lost_bits(self, decided: int) -> float:  # noqa: ARG002
        """Return about how many bits of choice the constraint takes from so many variables."""
        return 0.0

    def outlook(self, state: State, rest: int) -> Outlook:  # noqa: ARG002
        """Return what the open variables can still hold; there is at least one."""
        return self.unruled(rest)

    def unruled(self, rest: int) -> Outlook:
        """Return what the open variables can hold by their domains alone."""
        outlook = self._outlooks.get(rest)
        if outlook is None:
            outlook = outlook_of([self.domains[place] for place in places(rest)])
            self._outlooks[rest] = outlook
        return outlook

    def choice_bits(self, decided: int) -> float:
        """Return about how many bits of choice the domains give to so many variables."""
        return decided / len(self.domains) * sum(log2(len(domain)) for domain in self.domains)


def places(rest: int) -> Iterator[int]:
    """Return the places in a bit mask."""
    while rest:
        bit = rest & -rest
        yield bit.bit_length() - 1
        rest ^= bit


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
    """AllDifferent: a bit mask of the values taken, without those that no open variable could take."""

    start = 0

    def __init__(self, domains: Sequence[Domain]):
        super().__init__(domains)
        values = sorted(set().union(*domains))
        self._bit = {value: 1 << i for i, value in enumerate(values)}
        self._wanted = [sum(self._bit[value] for value in domain) for domain in domains]

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:  # noqa: ARG002
        if state & self._bit[value]:
            return None
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


class SumAutomaton(ConstraintAutomaton[tuple[int, int]]):
    """LinearSum: the bounds on the sum of the open variables, never looser than those of their domains."""

    def __init__(self, domains: Sequence[Domain], constraint: LinearSum):
        super().__init__(domains)
        _, least, most = self._all = self.unruled((1 << len(domains)) - 1)
        low, high = constraint.bounds
        self.start = least if low is None else max(low, least), most if high is None else min(high, most)

    def step(self, state: tuple[int, int], rest: int, place: int, value: int) -> tuple[int, int] | None:  # noqa: ARG002
        _, least, most = self.unruled(rest)
        low, high = max(state[0] - value, least), min(state[1] - value, most)
        return (low, high) if low <= high else None

    def outlook(self, state: tuple[int, int], rest: int) -> Outlook:
        low, high = state
        unruled, least, most = self.unruled(rest)
        # k variables that take v lift the least sum by k (v - bottom) or more, and lower the greatest alike
        bottom = max(self.domains[place][0] for place in places(rest))
        top = min(self.domains[place][-1] for place in places(rest))
        counts = {}
        for value, (few, many) in unruled.items():
            if value > bottom:
                many = min(many, (high - least) // (value - bottom))
            if value < top:
                many = min(many, (most - low) // (top - value))
            counts[value] = few, many
        return Outlook(counts, low, high)

    def state_bits(self, decided: int) -> float:
        least, most = self._window(decided)
        return log2(max(1.0, most - least + 1))

    def lost_bits(self, decided: int) -> float:
        # the sum of variables that are uniform on their domains is about normal
        least, most = self._window(decided)
        share = decided / len(self.domains)
        mean = share * sum(domain[0] + domain[-1] for domain in self.domains) / 2
        variance = share * sum((domain[-1] - domain[0] + 1) ** 2 - 1 for domain in self.domains) / 12
        scale = sqrt(2 * max(variance, 0.01))
        chance = (erf((most + 0.5 - mean) / scale) - erf((least - 0.5 - mean) / scale)) / 2
        return min(self.choice_bits(decided), -log2(max(chance, 1e-12)))

    def _window(self, decided: int) -> tuple[float, float]:
        """Return between which sums of so many variables the bounds can still be met."""
        share, (_, least, most) = decided / len(self.domains), self._all
        low, high = self.start
        return max(least * share, low - most * (1 - share)), min(most * share, high - least * (1 - share))


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
    """Regular: the run of each unbroken stretch of decided letters, in the order of the word.

    Letters may be decided in any order. A run keeps only the states that some word still passes through: a
    word decided from left to right has no more states than its automaton.
    """

    start: tuple[Run, ...] = ()
    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: Regular):
        super().__init__(domains)
        self._automaton = automaton = constraint.automaton
        self._arcs: dict[int, dict[int, int]] = {}
        for before, letter, after in automaton.arcs:
            self._arcs.setdefault(letter, {})[before] = after
        # an open letter may do what any value of its domain does
        self._open: list[Run] = [
            tuple({arc for letter in domain for arc in self._arcs.get(letter, {}).items()})
            for domain in domains
        ]

    def step(self, state: tuple[Run, ...], rest: int, place: int, value: int) -> tuple[Run, ...] | None:
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

        The letter's run is put in at its place and made one with the stretches at its sides.
        """
        stretches = iter(state)
        runs: list[tuple[Run, bool]] = []
        for here, anything in enumerate(self._open):
            if rest >> here & 1:
                runs.append((anything, True))
                continue
            if here == place:
                run = letter
            elif here and not rest >> here - 1 & 1 and here - 1 != place:
                continue
            else:
                run = next(stretches)
            if runs and not runs[-1][1]:
                then = dict(run)
                run = tuple((before, then[after]) for before, after in runs.pop()[0] if after in then)
            runs.append((run, False))
        return runs
