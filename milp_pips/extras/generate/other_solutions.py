"""Find other solutions of a draft than its hidden one, with a SAT solver that stays loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from milp_pips.compilation.limits import Unfinished
from milp_pips.constraints import covers_of, rules_of
from milp_pips.engines.defaults import assumption_solver
from milp_pips.engines.registry import available
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem import Constraint, Deadline, Problem, Stop

if TYPE_CHECKING:
    from milp_pips.engines.contract import AssumingSolver
    from milp_pips.problem.rng import RandomGenerator

WINDOWS = 5, 2, 1
"""The shares of the board, such as a fifth, in which another solution may differ: small ones come first."""

CELLS_AT_ONCE = 8
"""The number of cells at which another solution is first asked to agree with the hidden one all at once."""


class OtherSolutions:
    """The solutions of drafts that have the variables, the cover and the hidden solution in common.

    The cover and the domains are encoded once. Each rule is encoded when it first occurs, under a literal
    that enables it, so that a changed draft costs its new rules only, and learnt clauses are kept.

    Only the engine's answers of "yes" and "no" count, never its models, so every engine leads to the same
    solutions.

    Parameters
    ----------
    problem
        The problem of a draft.
    hidden
        The values of the hidden solution, by variable.
    deadline
        The deadline. Every method raises Unfinished when it stops.
    """

    def __init__(self, problem: Problem, hidden: Mapping[int, int], deadline: Deadline):
        self._deadline, self._hidden = deadline, hidden
        self._shown = _shown_variables(problem)
        cover = replace(problem, constraints=tuple(covers_of(problem.constraints)))
        self._statement = statement = CnfEncoding(cover, lambda: deadline.stop)
        self._same = {v: statement.literal(v, hidden[v]) for v in self._shown}
        self._differs, self._is_laid_otherwise = statement.new(), statement.new()
        with statement.given(self._differs):
            statement.add(*(-literal for literal in self._same.values()))
        with statement.given(self._is_laid_otherwise):
            statement.add(*(-statement.literal(v, value) for v, value in hidden.items()))
        self._engine = cast("AssumingSolver", available(assumption_solver())).load(statement, deadline)
        self._neighbours: dict[int, list[int]] = {}
        for board in covers_of(problem.constraints):
            for i, j in board.edges:
                for one, other in ((i, j), (j, i)):
                    self._neighbours.setdefault(board.values[one], []).append(board.values[other])
        self._enabled: dict[tuple[Any, ...], int] = {}
        self._loaded = len(statement.clauses)

    def is_shown_alike(self) -> bool:
        """Whether another solution shows the same values, so that no rule can exclude it."""
        return self._has_model([*self._same.values(), self._is_laid_otherwise])

    def exist(self, problem: Problem, rng: RandomGenerator) -> bool:
        """Whether a solution of this problem shows other values than the hidden one."""
        return any(True for _ in self._windows_with_others(self._rules(problem), rng))

    def near(self, problem: Problem, rng: RandomGenerator, count: int) -> list[list[int]]:
        """Return the shown values of other solutions, at most a number of them; empty if there is none.

        Each agrees with the hidden solution wherever it can: one that differs in fewer cells says more about
        a draft.
        """
        windows = islice(self._windows_with_others(self._rules(problem), rng), count)
        return [self._nearest(literals, window) for literals, window in windows]

    def _windows_with_others(
        self, rules: Sequence[int], rng: RandomGenerator
    ) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the windows in which a solution differs from the hidden one, and what holds outside of each.

        Small windows come first, as they are decided quickly, then large ones, and at last the whole board;
        each only if no smaller one has such a solution.
        """
        found = False
        for share in WINDOWS:
            for centre in rng.shuffled(self._shown)[: 2 * share if share > 1 else 1]:
                window = self._window(centre, len(self._shown) // share, rng)
                outside = [literal for v, literal in self._same.items() if v not in window]
                literals = [*rules, *outside, self._differs]
                if self._has_model(literals):
                    found = True
                    yield literals, window
            if found:
                return

    def _window(self, centre: int, size: int, rng: RandomGenerator) -> list[int]:
        """Return this number of variables around one, in random order."""
        window, at = {centre: None}, 0
        while len(window) < size:
            around = [*window]
            if at == len(around):
                window[next(v for v in rng.shuffled(self._shown) if v not in window)] = None
            else:
                window.update(dict.fromkeys(self._neighbours.get(around[at], ())))
                at += 1
        return rng.shuffled(list(window)[:size])

    def _nearest(self, literals: Sequence[int], order: Sequence[int]) -> list[int]:
        """Return a solution that agrees as far as possible at the variables in this order."""
        # Invariant: some solution has all literals of ``fixed``; ``model`` is one, which spares questions.
        fixed, model, differing = list(literals), set(self._engine.model()), list[int]()
        waiting = [order[at : at + CELLS_AT_ONCE] for at in range(0, len(order), CELLS_AT_ONCE)][::-1]
        while waiting:
            part = waiting.pop()
            same = [self._same[v] for v in part]
            if not model.issuperset(same):
                if not self._has_model([*fixed, *same]):
                    half = len(part) // 2
                    if half:
                        waiting += part[half:], part[:half]
                    else:
                        differing += part
                    continue
                model = set(self._engine.model())
            fixed += same
        # The least values that go together: another engine would find the same ones.
        values = dict(self._hidden)
        for v in differing:
            for value in self._statement.domain(v):
                literal = self._statement.literal(v, value)
                if literal in model or self._has_model([*fixed, literal]):
                    break
            if literal not in model:
                model = set(self._engine.model())
            fixed.append(literal)
            values[v] = value
        return [values[v] for v in self._shown]

    def _rules(self, problem: Problem) -> list[int]:
        """Return the literals that enable the rules of a problem; rules that are new are encoded."""
        statement, literals = self._statement, list[int]()
        for rule in rules_of(problem.constraints):
            literal = self._enabled.get(_content(rule))
            if literal is None:
                self._enabled[_content(rule)] = literal = statement.new()
                with statement.given(literal):
                    statement.state(rule)
            literals.append(literal)
        for clause in statement.clauses[self._loaded :]:
            self._engine.add(clause)
        self._loaded = len(statement.clauses)
        return literals

    def _has_model(self, literals: Sequence[int]) -> bool:
        """Whether there is a model in which all these literals hold. Raises Unfinished at the deadline."""
        found = self._engine.solve(literals, self._deadline)
        if found is None:
            raise Unfinished("not all solutions were excluded", self._deadline.stop or Stop.ERROR)
        return found


def _content(rule: Constraint) -> tuple[Any, ...]:
    """Return what the rule says without its label: regions of a changed draft have other labels."""
    kept = (each.name for each in fields(cast("Any", rule)) if each.name != "label")
    return type(rule), *(getattr(rule, name) for name in kept)


def _shown_variables(problem: Problem) -> Sequence[int]:
    """Return the variables that rules are about: those of the keys after the first, if there are any."""
    every = list(problem.keys.values())
    return sorted({v for key in every[1:] or every for v in key})
