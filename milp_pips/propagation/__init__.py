"""Propagation of all constraints of a problem to a fixpoint, with backtracking for a search.

It removes values that no solution has, once for every engine. ``reductions`` has such reductions of others.
``supply_certificates`` proves in one sentence that there is no solution; it shares no code with the others
except the search for a perfect matching, whose failure yields a certificate that is verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.constraints import covers_of
from milp_pips.constraints.domino_cover.propagation import ValueSupply, propagate_counts, propagate_sums
from milp_pips.problem.constraint import Constraint, Domains
from milp_pips.problem.errors import unknown_name
from milp_pips.problem.plugins import load
from milp_pips.problem.problem import Problem, unchecked_variable

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline

LAPS = 30
"""Largest number of laps. A lap takes time linear in the board, so this bound keeps the whole linear."""

STEPS_PER_CHECK = 8
"""The steps between two looks at the deadline, each of which takes as long as a short step."""

LARGE_BOARD = 40
"""Least number of cells for propagating kinds of dominoes and perfect matchings.

Measured by ``benchmarks/choice.py reductions``: puzzles made by people are smaller; on these it removes
next to nothing and takes 7 % of the time.
"""

LARGE_RULE = 16
"""Least number of variables of a constraint for its thorough propagator.

Measured by the same benchmark for ``AllDifferent`` and ``Cardinality``: on smaller constraints the other
propagator, which is faster, leaves next to nothing to remove.
"""


COUNTS_RULE = "every value must be shown as often as the dominoes have it"
SUMS_RULE = "the sums must be made of what the dominoes have left"
KINDS_RULE = "every kind of domino must find its places"
MATCHING = "the dominoes must leave no cell without a partner"
FLOW = "large rules, each as a flow"
"""Names for the rules that follow from several constraints of the problem."""


REDUCTIONS = {
    "filtering": "milp_pips.propagation:filter_domains",
    "equality": "milp_pips.propagation.reductions:equality",
    "pruning": "milp_pips.propagation.reductions:pruning",
    "singles": "milp_pips.propagation.reductions:singles",
}
"""The reductions by name, and where they are."""

DEFAULT_RULES = ("filtering",)
"""The default reductions: ``benchmarks/study.py`` measures the time that they save each engine."""


class Deduction(NamedTuple):
    """One step of propagation: the rule, and the removed values in order, as (variable, value)."""

    rule: str
    values: tuple[tuple[int, int], ...]


class Fixpoint:
    """The domains of a problem and the propagators that remove values from them until nothing changes.

    A constraint is propagated if it names no variable twice; the cover propagates the partner variables. The
    effects of a restriction can be undone, so that a search tries many restrictions of the same domains.

    If the deadline expires, propagation ends early. The domains then contain more values than necessary, but
    no solution is lost.
    """

    def __init__(self, problem: Problem, deadline: Deadline | None = None):
        self._deadline = deadline
        covers = covers_of(problem.constraints)
        partners = {v for cover in covers for v in cover.partners}
        self._problem, self._domains = problem, Domains(problem.variables, partners)
        self._trail = self._domains.trail
        self._rules: list[Constraint] = []
        self._rules_on: list[list[int]] = [[] for _ in problem.variables]
        # A partner is a cell and not a value, so its domain is no bit mask but the edges of its cell, which
        # the cover keeps. A rule on partners is not propagated.
        for rule in problem.constraints:
            variables = set(rule.variables)
            if variables and len(variables) == len(rule.variables) and variables.isdisjoint(partners):
                for v in variables:
                    self._rules_on[v].append(len(self._rules))
                self._rules.append(rule)
        self._propagators = [rule.propagator(self._domains) for rule in self._rules]
        self._covers = [
            (cover.propagator(self._domains), ValueSupply(cover, self._rules, self._domains))
            for cover in covers
            if len(set(cover.variables)) == len(cover.variables) and partners.isdisjoint(cover.values)
        ]
        self._cell_of = {
            v: (propagated, i)
            for propagated, _ in self._covers
            for i, v in enumerate(propagated.cover.partners)
        }
        self._unpropagated = {v: problem.variables[v].domain for v in partners if v not in self._cell_of}
        self._waiting = dict.fromkeys(range(len(self._rules)))
        self._tried = False
        large = [cover for cover, _ in self._covers if len(cover.near) >= LARGE_BOARD]
        self._kinds, self._matchings = [], []
        if large:
            from milp_pips.constraints.domino_cover.kinds import PropagatedKinds
            from milp_pips.constraints.domino_cover.matchings import PropagatedMatching

            self._kinds = [PropagatedKinds(cover, self._domains) for cover in large]
            self._matchings = [PropagatedMatching(cover) for cover in large]
        self._flows = [
            (rule, propagate)
            for rule in self._rules
            if len(rule.variables) >= LARGE_RULE
            and (propagate := rule.thorough_propagator(self._domains)) is not None
        ]
        self._seen: dict[int, list[int]] = {}

    def reach(self) -> None:
        """Propagate until nothing changes or the deadline expires. Raises Contradiction."""
        for step, (_, propagate) in enumerate(self._schedule()):
            if not step % STEPS_PER_CHECK and self._is_stopped():
                return
            propagate()
            self._wake()

    def trace(self) -> Iterator[Deduction]:
        """Propagate as ``reach`` does, and yield the values that each rule removes. Raises Contradiction."""
        masks, partners = self._domains.masks, [cover.cover.partners for cover, _ in self._covers]
        nears = [cover.near for cover, _ in self._covers]
        length = len(self._trail)
        for rule, propagate in self._schedule():
            if self._is_stopped():
                return
            propagate()
            self._wake()
            taken: list[tuple[int, int]] = []
            # The value of an item after a change is its value before the next change, so go backwards.
            left: dict[tuple[int, int], Any] = {}
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

    def _schedule(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield the name and the propagator of each step until nothing changes; the caller runs it at once.

        A lap runs the waiting rules and the covers to a fixpoint, then the value supplies. If these wake no
        rule, it runs the thorough propagators, each once.
        """
        # Cheap before dear: a rule looks at its own cells and a cover at the edges that have changed, but a
        # supply looks at all cells of the board. So supplies wait until the rest has nothing to do.
        for _ in range(LAPS):
            while self._is_waiting():
                while self._waiting:
                    number = next(iter(self._waiting))  # first in, first out: more changes at once
                    del self._waiting[number]
                    yield self._rules[number].label, self._propagators[number]
                for cover, _ in self._covers:
                    yield cover.cover.label, cover
                for kinds in self._kinds if not self._is_waiting() else ():
                    yield KINDS_RULE, kinds
            for cover, supply in self._covers:
                cover.wake_if_used_up()
                yield COUNTS_RULE, partial(propagate_counts, supply)
                yield SUMS_RULE, partial(propagate_sums, supply)
            # The dearest come last. As soon as one removes something, the cheap ones go on from there.
            for step in self._thorough_propagators():
                if not self._is_waiting():
                    yield step
            if not self._is_waiting():
                break

    def restrict(self, domains: Mapping[int, Iterable[int]]) -> None:
        """Restrict each variable in ``domains`` to the given values. Raises Contradiction if none is left."""
        for v, values in domains.items():
            if v in self._cell_of:
                cover, i = self._cell_of[v]
                for j in cover.near[i].difference(values):
                    cover.drop(i, j)
            elif v in self._unpropagated:
                keep = set(values)
                left = tuple([value for value in self._unpropagated[v] if value in keep])
                self._trail.write(self._unpropagated, v, left)
            else:
                bit = self._domains.bit
                mask = sum([bit[value] for value in set(values) if value in bit])
                self._domains.keep(v, mask, f"{self._problem.variables[v].name} can take no value")
        self._wake()

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Undo, at the end, all restrictions and propagation inside. No rule may be waiting at the start."""
        length, tried, self._tried = len(self._trail), self._tried, True
        try:
            yield
        finally:
            self._tried = tried
            self._trail.undo(length)
            # Cleared and not restored: nothing was waiting before, and the domains are those of then.
            self._waiting.clear()
            self._domains.changed.clear()
            for cover, _ in self._covers:
                cover.forget()
            for kinds in self._kinds:
                kinds.forget()

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the values that the variable can still take, in increasing order."""
        if v in self._cell_of:
            cover, i = self._cell_of[v]
            return tuple(sorted(cover.near[i]))
        return self._unpropagated[v] if v in self._unpropagated else self._domains.taken(v)

    @property
    def changes(self) -> int:
        """The number of changes on the trail, which can be undone."""
        return len(self._trail)

    @property
    def open_values(self) -> int:
        """The total number of values in the domains that have more than one value."""
        left = [mask.bit_count() for mask in self._domains.masks]
        left += [len(cells) for cover, _ in self._covers for cells in cover.near]
        left += [len(domain) for domain in self._unpropagated.values()]
        return sum([size for size in left if size > 1])

    def _thorough_propagators(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield the thorough propagators with their names; kept, they would form a reference cycle."""
        if self._kinds:
            yield KINDS_RULE, self._begin_kinds
        for matching in self._matchings:
            yield MATCHING, matching
        if self._flows:
            yield FLOW, self._propagate_by_flow

    def _begin_kinds(self) -> None:
        """List the places of kinds; never inside ``trying``, since the lists themselves are not undone."""
        for kinds in self._kinds if not self._tried else ():
            kinds.begin()

    def _propagate_by_flow(self) -> None:
        """Propagate by flow each large constraint with a variable that has changed since the last time."""
        masks = self._domains.masks
        for number, (rule, propagate) in enumerate(self._flows):
            if self._is_stopped():
                return
            if self._seen.get(number) != [masks[v] for v in rule.variables]:
                propagate()
                self._seen[number] = [masks[v] for v in rule.variables]

    def problem(self) -> Problem:
        """Return the problem with the remaining domains and edges."""
        before, domains = self._problem, self._domains
        variables = list(before.variables)
        left: dict[int, tuple[int, ...]] = {}  # variables with equal masks share one tuple
        for v, mask in enumerate(domains.masks):
            if mask:
                if mask not in left:
                    left[mask] = domains.taken(v)
                variables[v] = unchecked_variable(variables[v].name, left[mask])
        for v, domain in self._unpropagated.items():
            variables[v] = unchecked_variable(variables[v].name, domain)
        edges: dict[int, tuple[tuple[int, int], ...]] = {}
        for propagated, _ in self._covers:
            cover, near = propagated.cover, propagated.near
            for v, cells in zip(cover.partners, near, strict=True):
                variables[v] = unchecked_variable(variables[v].name, tuple(sorted(cells)))
            edges[id(cover)] = tuple([(i, j) for i, j in cover.edges if j in near[i]])
        covers = {id(c): c.with_edges(edges[id(c)]) for c in covers_of(before.constraints) if id(c) in edges}
        constraints = tuple([covers.get(id(c), c) for c in before.constraints])
        return before.unchecked(tuple(variables), constraints)  # to check them takes as long as to filter

    def _is_stopped(self) -> bool:
        return self._deadline is not None and self._deadline.stop is not None

    def _is_waiting(self) -> bool:
        return bool(self._waiting) or any(cover.waiting for cover, _ in self._covers)

    def _wake(self) -> None:
        """Queue the constraints and covers that contain a changed variable."""
        for v in self._domains.changed:
            for number in self._rules_on[v]:
                self._waiting[number] = None
            for cover, _ in self._covers:
                cover.wake(v)
        self._domains.changed.clear()


def filter_domains(problem: Problem, deadline: Deadline | None = None) -> Problem:
    """Return the problem with smaller domains and fewer edges; it has exactly the same solutions.

    Takes less than a millisecond for a board of 16 dominoes, and time about linear in the board. If the
    deadline expires, propagation stops early and removes fewer values.

    Raises
    ------
    Contradiction
        If a constraint has no solution left: the problem is infeasible.
    """
    fixpoint = Fixpoint(problem, deadline)
    fixpoint.reach()
    return fixpoint.problem()


def reduce_domains(problem: Problem, rules: Iterable[str], deadline: Deadline | None = None) -> Problem:
    """Return the problem after the named reductions, in this order, until the deadline.

    Raises
    ------
    UsageError
        For an unknown name.
    Contradiction
        If a reduction proves that there is no solution.
    """
    for name in rules:
        if name not in REDUCTIONS:
            raise unknown_name("presolve rule", name, REDUCTIONS)
        if deadline is not None and deadline.stop:
            break
        if name == "filtering":  # the only one that takes long on large boards
            problem = filter_domains(problem, deadline)
        else:
            problem = load(REDUCTIONS[name])(problem)
    return problem
