"""Find a step where the techniques end: a minimal set of items and facts from which a fact follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from milp_pips.extras.explain.facts import Fact, Reason, Step
from milp_pips.extras.explain.reasoner import Reasoner
from milp_pips.extras.explain.techniques.story import GAP

SEARCHED = 6
"""The facts for which a minimal proof is searched; the shortest of these proofs is told."""


class ProofSearch:
    """The search for proofs by clauses, called once for each gap.

    Parameters
    ----------
    reasoner
        Returns the reasoner with the puzzle loaded.
    true_in_all
        Returns the literals of all facts that hold in every solution that contains the board.
    """

    def __init__(self, reasoner: Callable[[], Reasoner], true_in_all: Callable[[], set[int]]):
        self._reasoner, self._true_in_all = reasoner, true_in_all

    def step(self, facts: Sequence[Fact]) -> Step | None:
        """Return the step to a fact that does not follow from the facts by themselves; None if there is none.

        Values and dominoes come before exclusions. Raises OutOfTime.
        """
        reasoner = self._reasoner()
        known = [a for a in map(reasoner.literal, facts) if a in reasoner.literals]
        implied = {*known, *(reasoner.propagate((), known) or ())}
        left = self._true_in_all() - implied
        wanted = [a for a in left if reasoner.fact(a).holds] or left
        found = [self._proof(reasoner, known, literal) for literal in sorted(wanted)[:SEARCHED]]
        return min(found, key=lambda step: len(step.items) + len(step.facts), default=None)

    def _proof(self, reasoner: Reasoner, known: Sequence[int], literal: int) -> Step:
        items, needed = reasoner.smallest_proof(known, literal)
        chosen = tuple(reasoner.grouped.items[i] for i in sorted(items))
        facts, conclusions = tuple(sorted(map(reasoner.fact, needed))), (reasoner.fact(literal),)
        reason = Reason("gap", chosen, facts, conclusions)
        return Step(chosen, facts, conclusions, GAP, technique="gap", reasons=(reason,))
