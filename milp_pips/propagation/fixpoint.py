"""All rules of a problem, propagated in turn until none takes anything; what a search tries is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.problem.problem import (
    AllDifferent,
    Cardinality,
    Constraint,
    DominoCover,
    Problem,
    unchecked_variable,
)
from milp_pips.propagation.counted import PropagatedMatching, propagate_by_flow
from milp_pips.propagation.cover import PropagatedCover, ValueSupply
from milp_pips.propagation.domains import Domains, propagate
from milp_pips.propagation.kinds import PropagatedKinds

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline

LAPS = 30
"""Laps at most. Each takes time linear in the board, so a bound on their number keeps the whole linear."""

LARGE_BOARD = 40
"""Cells from which on kinds of dominoes and perfect matchings are propagated (``benchmarks/filtering.py``).

Puzzles that people make are smaller. There it decides next to nothing and takes 7 % of the time.
"""

LARGE_RULE = 16
"""Variables from which on values that differ, or are counted, are propagated by a flow (the same benchmark).

To smaller rules the propagators of ``filtering/domains.py``, which are quicker, leave next to nothing.
"""


COUNTS = "every value must be shown as often as the dominoes have it"
SUMS_RULE = "the sums must be made of what the dominoes have left"
KINDS_RULE = "every kind of domino must find its places"
MATCHING = "the dominoes must leave no cell without a partner"
FLOW = "large rules, each as a flow"
"""What rules are called that follow from several constraints of the problem."""


class Deduction(NamedTuple):
    """What one step of filtering takes: the rule, and the values that variables lose, in order."""

    rule: str
    values: tuple[tuple[int, int], ...]


class Fixpoint:
    """The domains of a problem, and the rules that take values from them until nothing changes.

    A rule takes part if it names no variable twice; variables that are partners are left to their cover.
    What a restriction leads to can be taken back, so that a search tries many from the same domains.

    Where the deadline says stop, propagation ends early: the domains then have more values than they need to,
    and still every solution.
    """

    def __init__(self, problem: Problem, deadline: Deadline | None = None):
        self._deadline = deadline
        covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
        partners = {v for cover in covers for v in cover.partners}
        self._problem, self._domains = problem, Domains(problem.variables, partners)
        self._trail = self._domains.trail
        self._rules: list[Constraint] = []
        self._rules_on: list[list[int]] = [[] for _ in problem.variables]
        for rule in problem.constraints:
            variables = set(rule.variables)
            if variables and len(variables) == len(rule.variables) and variables.isdisjoint(partners):
                for v in variables:
                    self._rules_on[v].append(len(self._rules))
                self._rules.append(rule)
        self._covers = [
            (PropagatedCover(problem, cover, self._domains), ValueSupply(cover, self._rules, self._domains))
            for cover in covers
            if len(set(cover.variables)) == len(cover.variables) and partners.isdisjoint(cover.values)
        ]
        self._cell_of = {
            v: (propagated, i)
            for propagated, _ in self._covers
            for i, v in enumerate(propagated.cover.partners)
        }
        self._without_deadline = {v: problem.variables[v].domain for v in partners if v not in self._cell_of}
        self._waiting = dict.fromkeys(range(len(self._rules)))
        self._tried = False
        large = [cover for cover, _ in self._covers if len(cover.near) >= LARGE_BOARD]
        self._kinds = [PropagatedKinds(cover, self._domains) for cover in large]
        self._counted = [
            rule
            for rule in self._rules
            if isinstance(rule, AllDifferent | Cardinality) and len(rule.variables) >= LARGE_RULE
        ]
        self._seen: dict[int, list[int]] = {}
        self._thorough: list[tuple[str, Callable[[], None]]] = [
            *([(KINDS_RULE, self._begin_kinds)] if self._kinds else []),
            *((MATCHING, PropagatedMatching(cover).propagate) for cover in large),
            *([(FLOW, self._propagate_by_flow)] if self._counted else []),
        ]

    def reach(self) -> None:
        """Propagate until nothing changes, the cheap rules first. Raises Contradiction."""
        for _ in self._propagations():
            pass

    def trace(self) -> Iterator[Deduction]:
        """Propagate as ``reach`` does, and yield what each rule takes, in order. Raises Contradiction."""
        masks, partners = self._domains.masks, [cover.cover.partners for cover, _ in self._covers]
        nears = [cover.near for cover, _ in self._covers]
        length = len(self._trail)
        for rule in self._propagations():
            taken: list[tuple[int, int]] = []
            left: dict[
                tuple[int, int], Any
            ] = {}  # what an item is after a change: what it is before the next
            changes, length = self._trail.since(length), len(self._trail)
            for items, key, before in reversed(changes):
                after = left.get((id(items), key), items[key])
                left[id(items), key] = before
                if items is masks:
                    gone = [a for a in self._domains.values if self._domains.bit[a] & before & ~after]
                    taken += [(key, a) for a in reversed(gone)]
                for near, variables in zip(nears, partners, strict=True):
                    if items is near:
                        taken += [(variables[key], other) for other in sorted(before - after, reverse=True)]
            if taken:
                yield Deduction(rule, tuple(reversed(taken)))

    def _propagations(self) -> Iterator[str]:
        """Propagate until nothing changes, and yield after each step which rule it was."""
        for _ in range(LAPS):
            while self._is_waiting():
                while self._waiting:
                    if self._is_stopped():
                        return
                    number = next(iter(self._waiting))  # first come, first served: more changes at once
                    del self._waiting[number]
                    rule = self._rules[number]
                    propagate(rule, self._domains, f"{rule.label or 'a rule'} cannot be met")
                    self._wake()
                    yield rule.label
                for cover, _ in self._covers:
                    if self._is_stopped():
                        return
                    cover.propagate()
                    self._wake()
                    yield cover.cover.label
                for kinds in self._kinds if not self._is_waiting() else ():
                    if self._is_stopped():
                        return
                    kinds.propagate()
                    self._wake()
                    yield KINDS_RULE
            for cover, supply in self._covers:
                if self._is_stopped():
                    return
                cover.wake_if_used_up()
                supply.propagate_counts()
                yield COUNTS
                supply.propagate_sums()
                yield SUMS_RULE
            self._wake()
            for name, propagate_thoroughly in self._thorough:
                if self._is_stopped():
                    return
                if not self._is_waiting():
                    propagate_thoroughly()
                    self._wake()
                    yield name
            if not self._is_waiting():
                break

    def restrict(self, domains: Mapping[int, Iterable[int]]) -> None:
        """Keep each named variable to the given values. Raises Contradiction where one has none of them."""
        for v, values in domains.items():
            if v in self._cell_of:
                cover, i = self._cell_of[v]
                for j in cover.near[i].difference(values):
                    cover.drop(i, j)
            elif v in self._without_deadline:
                keep = set(values)
                left = tuple([value for value in self._without_deadline[v] if value in keep])
                self._trail.write(self._without_deadline, v, left)
            else:
                bit = self._domains.bit
                mask = sum([bit[value] for value in set(values) if value in bit])
                self._domains.keep(v, mask, f"{self._problem.variables[v].name} can take no value")
        self._wake()

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Take back whatever is restricted and reached inside. It begins where nothing waits."""
        length, tried, self._tried = len(self._trail), self._tried, True
        try:
            yield
        finally:
            self._tried = tried
            self._trail.undo(length)
            self._waiting.clear()
            self._domains.changed.clear()
            for cover, _ in self._covers:
                cover.forget()
            for kinds in self._kinds:
                kinds.forget()

    @property
    def changes(self) -> int:
        """How many changes of domains, and of what goes with them, may be taken back."""
        return len(self._trail)

    @property
    def open_values(self) -> int:
        """How many values are left to variables that have more than one."""
        left = [mask.bit_count() for mask in self._domains.masks]
        left += [len(cells) for cover, _ in self._covers for cells in cover.near]
        left += [len(domain) for domain in self._without_deadline.values()]
        return sum([size for size in left if size > 1])

    def _begin_kinds(self) -> None:
        """List the places of kinds; never while trying, for the lists themselves are not taken back."""
        for kinds in self._kinds if not self._tried else ():
            kinds.begin()

    def _propagate_by_flow(self) -> None:
        """Propagate the large rules exactly of which a variable has changed since the last time."""
        masks = self._domains.masks
        for number, rule in enumerate(self._counted):
            if self._is_stopped():
                return
            if self._seen.get(number) != [masks[v] for v in rule.variables]:
                propagate_by_flow(rule, self._domains, f"{rule.label or 'a rule'} cannot be met")
                self._seen[number] = [masks[v] for v in rule.variables]

    def problem(self) -> Problem:
        """Return the problem with what is left of its domains and edges."""
        before, domains = self._problem, self._domains
        variables = list(before.variables)
        left: dict[int, tuple[int, ...]] = {}
        for v, mask in enumerate(domains.masks):
            if mask:
                if mask not in left:
                    left[mask] = domains.taken(v)
                variables[v] = unchecked_variable(variables[v].name, left[mask])
        for v, domain in self._without_deadline.items():
            variables[v] = unchecked_variable(variables[v].name, domain)
        covers: dict[int, DominoCover] = {}
        for propagated, _ in self._covers:
            cover, near = propagated.cover, propagated.near
            for v, cells in zip(cover.partners, near, strict=True):
                variables[v] = unchecked_variable(variables[v].name, tuple(sorted(cells)))
            covers[id(cover)] = replace(cover, edges=tuple([(i, j) for i, j in cover.edges if j in near[i]]))
        constraints = tuple([covers.get(id(c), c) for c in before.constraints])
        return replace(before, variables=tuple(variables), constraints=constraints)

    def _is_stopped(self) -> bool:
        return self._deadline is not None and self._deadline.stop is not None

    def _is_waiting(self) -> bool:
        return bool(self._waiting) or any(cover.waiting for cover, _ in self._covers)

    def _wake(self) -> None:
        """Let the rules and covers wait that speak of variables that have changed."""
        for v in self._domains.changed:
            for number in self._rules_on[v]:
                self._waiting[number] = None
            for cover, _ in self._covers:
                cover.wake(v)
        self._domains.changed.clear()
