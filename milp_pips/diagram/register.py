"""The states of a rule by number, so that many rules fit into one integer."""

from __future__ import annotations

from collections.abc import Hashable

from milp_pips.answer import Stop
from milp_pips.diagram.budget import Unfinished
from milp_pips.diagram.rules import Rule
from milp_pips.diagram.supply import Supply

WIDTH = 20
"""Bits of a register: a rule may have a million states."""

ONES = (1 << WIDTH) - 1


class Register:
    """The register of a rule: the number of its state, from bit ``offset`` of the diagram's state on.

    Number 0 is the start, and also a rule with nothing left open. ``supply`` is told of the rule's open
    cells, where it counts on this rule.
    """

    def __init__(self, rule: Rule, offset: int, supply: Supply | None):
        self.rule, self.offset, self._supply = rule, offset, supply
        self._bits = [1 << site for site in rule.sites]
        self._sites = sum(set(self._bits))
        self._alike = rule.accumulator.symmetric and len(set(rule.accumulator.domains)) == 1
        self._states: list[Hashable] = [rule.accumulator.start]
        self._numbers: dict[Hashable, int] = {rule.accumulator.start: 0}
        self._rests: dict[int, int] = {}
        self._steps: dict[tuple[int, int, int, int], int] = {}
        self._weights: dict[tuple[int, int], int] = {}

    def rest(self, decided: int) -> int:
        """Return the bit mask of the open places while these sites are decided.

        Where all places are alike, the first places stand for any as many.
        """
        rest = self._rests.get(decided & self._sites)
        if rest is None:
            rest = sum(1 << place for place, bit in enumerate(self._bits) if not decided & bit)
            if self._alike:
                rest = (1 << rest.bit_count()) - 1
            self._rests[decided & self._sites] = rest
        return rest

    def without(self, rest: int, place: int) -> tuple[int, int]:
        """Return the place to decide in place of this one, and the places that are open then."""
        if self._alike:
            place = rest.bit_length() - 1
        return place, rest ^ 1 << place

    def step(self, number: int, rest: int, place: int, value: int) -> int:
        """Return the number of the next state; -1 where there is none."""
        key = number, rest, place, value
        following = self._steps.get(key)
        if following is None:
            state = self.rule.accumulator.step(self._states[number], rest, place, value)
            following = self._steps[key] = -1 if state is None else self._number(state) if rest else 0
        return following

    def weight(self, number: int, rest: int) -> int:
        """Return what the rule's open cells add to the supply's fields."""
        if self._supply is None or not rest:
            return 0
        weight = self._weights.get((number, rest))
        if weight is None:
            outlook = self.rule.accumulator.outlook(self._states[number], rest)
            weight = self._weights[number, rest] = self._supply.weight(outlook)
        return weight

    def _number(self, state: Hashable) -> int:
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            if number > ONES:
                raise Unfinished("a rule has too many states for a decision diagram", Stop.MEMORY)
            self._states.append(state)
        return number
