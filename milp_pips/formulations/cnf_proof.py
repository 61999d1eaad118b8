"""A checker for proofs of unsatisfiability by learnt clauses.

Each learnt clause must follow from the clauses before it by unit propagation alone. Clauses that a solver
learns have this property (reverse unit propagation: Goldberg and Novikov 2003). So a few lines, which share
no code with the solver, verify its claim that there is no model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence


def is_refutation(
    clauses: Iterable[Sequence[int]],
    lessons: Iterable[Sequence[int]],
    interrupted: Callable[[], object] = bool,
) -> bool | None:
    """Return whether the learnt clauses, in order, prove that the clauses have no model; None if interrupted.

    ``lessons`` are the learnt clauses.
    """
    known = _Known()
    for clause in clauses:
        known.add(clause)
    for lesson in lessons:
        if interrupted():
            return None
        if known.is_contradicted:
            return True
        if not known.implies(lesson):
            return False
        known.add(lesson)
    return known.is_contradicted


class _Known:
    """A set of clauses, and the literals that follow from it by unit propagation."""

    def __init__(self) -> None:
        self._naming: dict[int, list[Sequence[int]]] = defaultdict(list)
        self._true: set[int] = set()
        self.is_contradicted = False

    def add(self, clause: Sequence[int]) -> None:
        """Add a clause and all literals that follow by unit propagation."""
        clause = list(dict.fromkeys(clause))
        for literal in clause:
            self._naming[literal].append(clause)
        left = [a for a in clause if -a not in self._true]
        if not left:
            self.is_contradicted = True
        elif len(left) == 1:
            self.is_contradicted |= not self._spread(left, self._true)

    def implies(self, clause: Sequence[int]) -> bool:
        """Return whether unit propagation refutes the negation of the clause."""
        true = set(self._true)
        return any(a in true for a in clause) or not self._spread([-a for a in clause], true)

    def _spread(self, literals: Sequence[int], true: set[int]) -> bool:
        """Add literals to ``true``, with all that follow by unit propagation; return False for a conflict."""
        waiting = [a for a in literals if a not in true]
        true.update(waiting)
        if any(-a in true for a in waiting):
            return False
        while waiting:
            for clause in self._naming[-waiting.pop()]:  # the clauses in which this literal is now false
                left = 0  # the only open literal so far
                for a in clause:
                    if a in true:
                        break
                    if -a not in true:
                        if left:
                            break
                        left = a
                else:  # the clause is not satisfied and has at most one open literal
                    if not left:
                        return False
                    true.add(left)
                    waiting.append(left)
        return True
