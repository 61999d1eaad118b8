"""How to count the solutions of plain rules with few states, for a certificate.

The checker counts by an order of the cells, or by a division into parts (``verification.verify.Count``). This
module searches for one; it counts by the same code, so what it finds is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from math import prod
from typing import Any

from milp_pips.algorithms.connectivity import linked_by_values
from milp_pips.compilation.limits import Unfinished
from milp_pips.problem.answer import Stop
from milp_pips.verification.verify import Count, Domains, Refused, Statement, Watch, filtered

STATES_OF_ORDERS = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
"""The most states of a count in order. All orders are tried with the first limit, then with the next."""

MOST_DIVIDED_STATES, STATES_OF_PARTS, MOST_COUNT_PARTS = 16_000, 1_000, 1_000
"""A puzzle without dominoes is divided if no order takes so few states; the most states of each part, and the
most parts."""


def divided(statement: Statement, key: str, places: Sequence[Any], watch: Watch) -> tuple[Any, int]:
    """Return a division that counts the solutions of a statement, and their number.

    ``places`` has the place of each cell on the board, None if there is none. Raises Unfinished if every way
    takes too many states, or what the watch raises.
    """
    domains, cells = filtered(statement, statement.values, watch), range(len(statement.values))
    orders = list(_orders(statement, places))
    for most in STATES_OF_ORDERS:
        if most > MOST_DIVIDED_STATES and statement.dominoes is None:
            return _Dividing(statement, key, orders, watch).divide(domains, cells)
        for order in orders:
            with suppress(Refused):  # too many states, or not the order of a rule
                return order, Count(statement, key, watch, most).solutions(order, domains, cells)
    raise Unfinished(f"every order of the cells takes more than {most} states; prove a list", Stop.MEMORY)


class _Dividing:
    """Divides a count into parts that share no rule, and by the values of a cell where that is not enough."""

    def __init__(self, statement: Statement, key: str, orders: Sequence[list[int]], watch: Watch):
        self._statement, self._key, self._orders, self._watch = statement, key, orders, watch
        self._parts = 0

    def divide(self, domains: Domains, cells: Iterable[int]) -> tuple[Any, int]:
        """Return how to count the ways to fill the cells, and their number. Raises Unfinished."""
        domains = filtered(self._statement, domains, self._watch)
        rules_of: dict[int, list[int]] = {cell: [] for cell in cells if len(domains[cell]) > 1}
        if not all(domains) or not rules_of:
            return [], int(all(domains))
        read = set(rules_of)
        for number, rule in enumerate(self._statement.rules):
            if here := rules_of.keys() & set(rule.cells):
                read.update(rule.cells)
                for cell in here:
                    rules_of[cell].append(number)
        parts = list(linked_by_values(rules_of))
        if len(parts) > 1:
            ways = [(part, *self.divide(domains, part)) for part in parts]
            return {"parts": [way[:2] for way in ways]}, prod(number for *_, number in ways)
        return self._count_part(domains, set(rules_of), read)

    def _count_part(self, domains: Domains, cells: set[int], read: set[int]) -> tuple[Any, int]:
        """Return the same for cells that share rules, with those that these rules read as well."""
        self._parts += 1
        for order in self._orders:
            some = [cell for cell in order if cell in read]
            with suppress(Refused):
                count = Count(self._statement, self._key, self._watch, STATES_OF_PARTS)
                return some, count.solutions(some, domains, cells)
        choice = cells & self._statement.shown
        if self._parts > MOST_COUNT_PARTS or not choice:
            raise Unfinished("every way to count takes too many states; prove a list", Stop.MEMORY)
        cell = min(choice, key=lambda one: (len(domains[one]), one))
        ways = {
            str(value): self.divide([*domains[:cell], (value,), *domains[cell + 1 :]], cells)
            for value in domains[cell]
        }
        division = {"cell": cell, "values": {value: way for value, (way, _) in ways.items()}}
        return division, sum(number for _, number in ways.values())


def _orders(statement: Statement, places: Sequence[Any]) -> Iterator[list[int]]:
    """Yield orders of the cells: as they are, by columns, along both diagonals, and along the rules."""
    cells = range(len(statement.values))
    yield list(cells)
    if all(isinstance(place, tuple) and len(place) == 2 for place in places):
        for rank in (
            [(c, r) for r, c in places],
            [(r + c, r) for r, c in places],
            [(r - c, r) for r, c in places],
        ):
            yield sorted(cells, key=rank.__getitem__)
    beside: list[set[int]] = [set() for _ in cells]
    for group in (*statement.edges, *(rule.cells for rule in statement.rules)):
        for cell in group:
            beside[cell].update(group)
    for start in sorted(cells, key=lambda cell: len(beside[cell]))[:8]:
        yield _along(start, beside)


def _along(start: int, beside: Sequence[set[int]]) -> list[int]:
    """Return the cells so that few of those read have an unread cell beside them (greedily)."""
    order, open_cells, left = list[int](), {start}, set(range(len(beside)))
    while left:
        cell = min(open_cells & left or left, key=lambda one: (len(beside[one] & left - open_cells), one))
        order.append(cell)
        left.remove(cell)
        open_cells |= beside[cell]
    return order
