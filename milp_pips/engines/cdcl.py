"""Conflict-driven clause learning in plain Python: a SAT solver wherever Python runs, a browser among them.

As MiniSat does it (Eén and Sörensson 2003): two literals of every clause are watched; each conflict teaches a
clause with one literal of the last decision (Marques-Silva and Sakallah 1999); what was in conflicts lately
is decided first; restarts as Luby, Sinclair and Zuckerman (1993). Some hundred times slower than PySAT's.

"No solution" is not believed before ``milp_pips.formulations.cnf.proof`` has checked its proof step by step.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from milp_pips.engines.library import LibrarySolver
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError

if TYPE_CHECKING:
    from milp_pips.engines.contract import Points
    from milp_pips.formulations.cnf import Clauses
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline

RESTART_UNIT = 100
"""Conflicts to the first restart; those to the others are multiples of it, in the order of Luby."""

MAX_LEARNT_CLAUSES = 2000
"""Learnt clauses from which on those that join most decisions are forgotten, half of them at a time."""

DECAY, LARGEST = 1 / 0.95, 1e100
"""By how much more each conflict counts than the one before; the score at which all are scaled down."""

AWAY = -1.0
"""A score that nothing has."""

CLAUSES_PER_CHECK = 1000
"""Clauses that are loaded between two looks at the deadline."""

MODELS, MEMORY = 256, 1_000_000
"""Models that are kept, since one may answer the next question as well; the values in all of them."""

Clause: TypeAlias = list[int]


class CdclSolver(LibrarySolver):
    """Clause learning in plain Python: nothing to install."""

    name = "cdcl"
    kind = "sat"
    title = "clause learning"
    features = frozenset({"time limit", "enumeration", "assumptions"})

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Solve the problem; see ``Solver``."""
        from milp_pips.formulations.cnf import CnfEncoding

        _check(settings)
        begun = time.perf_counter()
        statement = CnfEncoding(problem, lambda: deadline.stop)
        built = time.perf_counter()
        learning = ClauseLearning(statement, deadline)
        found = None if deadline.stop else learning.solve((), deadline)
        if found is False and not _check_proof(statement, learning, deadline):
            found = None
        return Answer(
            statement.decode(learning.model()) if found else None,
            Proof.NONE if found is None else Proof.FEASIBLE if found else Proof.INFEASIBLE,
            (deadline.stop or Stop.INTERRUPTED) if found is None else Stop.FINISHED,
            size={"columns": statement.variables, "rows": len(statement.clauses)},
            statistics={"conflicts": learning.conflicts, "decisions": learning.decisions},
            seconds={"build": built - begun, "solve": time.perf_counter() - built},
        )

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield one point per solution that differs in the key; see ``EnumeratingSolver``."""
        from milp_pips.formulations.cnf import CnfEncoding

        _check(settings)
        statement = CnfEncoding(problem, lambda: deadline.stop)
        found: bool | None = None
        shown: list[Clause] = []
        if not deadline.stop:
            learning = ClauseLearning(statement, deadline)
            while found := learning.solve((), deadline):
                point = statement.decode(learning.model())
                yield point
                here = {statement.literal(v, point[v]) for v in problem.keys[key]}
                shown.append([-literal for literal in sorted(here - {statement.true})])
                learning.add(shown[-1])
            if found is False and not _check_proof(statement, learning, deadline, shown):
                found = None
        if found is None:
            return Proof.NONE, deadline.stop or Stop.INTERRUPTED
        return Proof.COMPLETE, Stop.FINISHED

    def load(self, clauses: Clauses, deadline: Deadline) -> ClauseLearning:
        """Return the formula loaded, to be asked again and again; see ``AssumingSolver``."""
        return ClauseLearning(clauses, deadline)


def _check(settings: Settings) -> None:
    """Raise UsageError for anything that cannot be set here."""
    if settings.formulation or settings.options:
        raise UsageError("cdcl has no formulations and no options")


def _check_proof(
    statement: Clauses, learning: ClauseLearning, deadline: Deadline, further: Sequence[Clause] = ()
) -> bool | None:
    """Whether there is surely no model; None where the deadline says stop. Raises EngineFault."""
    from milp_pips.formulations.cnf.proof import is_refutation

    proved = is_refutation([*statement.clauses, *further], learning.lessons, lambda: deadline.stop)
    if proved is False:
        raise EngineFault("clause learning gave a proof that does not hold")
    return proved


class ClauseLearning:
    """A formula that stays loaded while it is asked about under assumptions; see ``LoadedClauses``.

    Lists that are known by literals have a place for every literal: Python counts the negative ones from the
    end. ``_values`` has 1 for what holds, -1 for what does not, 0 for what is open. ``lessons`` are all the
    clauses that were learnt, in their order.
    """

    def __init__(self, formula: Clauses, deadline: Deadline):
        self.conflicts = self.decisions = 0
        self._size = 0
        self._values: list[int] = [0]
        self._watches: list[list[Clause]] = [[]]
        self._pairs: list[list[tuple[int, Clause]]] = [[]]
        self._reasons: list[Clause | None] = [None]
        self._levels: list[int] = [0]
        self._scores: list[float] = [0.0]
        self._last: list[int] = [0]
        """The literal of each variable that held last: it is tried first."""
        self._step = 1.0
        self._heap: list[tuple[float, int]] = []
        self._queued: list[float] = [0.0]
        """The score with which each variable is in the heap; ``AWAY`` where it is not."""
        self._trail: list[int] = []
        self._head = 0
        self._starts: list[int] = []
        self._learnt: list[tuple[int, Clause]] = []
        self.lessons: list[tuple[int, ...]] = []
        self._consistent = True
        self._model: list[int] = []
        self._models: deque[set[int]] = deque(maxlen=min(MODELS, 1 + MEMORY // (1 + formula.variables)))
        self._core: list[int] = []
        self._assumed: list[int] = []
        """What was assumed last, each on a level of its own: those that come again need not be redone."""
        self._grow(formula.variables)
        for number, clause in enumerate(formula.clauses):
            if number % CLAUSES_PER_CHECK == 0 and deadline.stop:
                return
            self._add(clause)

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model; None where the deadline says stop or after so many conflicts."""
        self._core = []
        if not self._consistent:
            return False
        for model in self._models:
            if model.issuperset(assumptions):
                self._model = sorted(model, key=abs)
                return True
        self._back(_common(self._assumed, assumptions))
        self._assumed = list(assumptions)
        last = None if conflicts is None else self.conflicts + conflicts
        restarts = 0
        while not deadline.stop:
            restarts += 1
            budget = RESTART_UNIT * _luby(restarts)
            if last is not None:
                budget = min(budget, last - self.conflicts)
            found = self._search(assumptions, budget, deadline)
            if found is not None or (last is not None and self.conflicts >= last):
                return found
            self._back(len(assumptions))
            if len(self._learnt) > MAX_LEARNT_CLAUSES:
                self._forget()
        return None

    def model(self) -> list[int]:
        """Return the model that was found last: a literal of every variable."""
        return self._model

    def core(self) -> list[int]:
        """Return assumptions that could not hold together, of the last question that had no model."""
        return self._core

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        """Return the literals that follow by unit propagation; None where that leads to a contradiction."""
        self._back(0)
        self._assumed = []
        if not self._consistent:
            return None
        if self._propagate() is not None:
            self._consistent = False
            return None
        self._starts.append(len(self._trail))
        for literal in assumptions:
            if self._values[literal] < 0:
                return None
            if not self._values[literal]:
                self._assign(literal, None)
        return None if self._propagate() is not None else list(self._trail)

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause, for good."""
        self._back(0)
        clause = list(literals)
        self._fit_models(clause)
        self._grow(max(map(abs, clause), default=0))
        self._add(clause)

    def _fit_models(self, clause: Sequence[int]) -> None:
        """Keep the models as far as they obey a further clause, whose variables may be new."""
        new = [a for a in clause if abs(a) > self._size]
        for model in list(self._models):
            if not model.isdisjoint(clause):
                model.update(-a for a in new)
            elif new:
                model.update(new)
            else:
                self._models.remove(model)

    def _grow(self, variables: int) -> None:
        """Make room for so many variables."""
        n, more = self._size, variables - self._size
        if more <= 0:
            return
        room = 2 * more
        self._values[n + 1 : n + 1] = [0] * room
        self._watches[n + 1 : n + 1] = [[] for _ in range(room)]
        self._pairs[n + 1 : n + 1] = [[] for _ in range(room)]
        self._reasons += [None] * more
        self._levels += [0] * more
        self._scores += [0.0] * more
        self._last += [-v for v in range(n + 1, variables + 1)]
        self._queued += [AWAY] * more
        self._size = variables
        for v in range(n + 1, variables + 1):
            self._queue(v)

    def _queue(self, v: int) -> None:
        """Have a variable decided when its turn comes."""
        self._queued[v] = self._scores[v]
        heappush(self._heap, (-self._scores[v], v))

    def _add(self, literals: Sequence[int]) -> None:
        """Add a clause before anything is decided."""
        values = self._values
        clause = list(dict.fromkeys(a for a in literals if values[a] >= 0))
        if any(values[a] > 0 or -a in clause for a in clause):
            return
        if len(clause) > 1:
            self._deadline(clause)
        elif clause:
            self._assign(clause[0], None)
        else:
            self._consistent = False

    def _deadline(self, clause: Clause) -> None:
        one, other = clause[0], clause[1]
        if len(clause) == 2:
            self._pairs[-one].append((other, clause))
            self._pairs[-other].append((one, clause))
        else:
            self._watches[one].append(clause)
            self._watches[other].append(clause)

    def _assign(self, literal: int, reason: Clause | None) -> None:
        self._values[literal], self._values[-literal] = 1, -1
        v = abs(literal)
        self._reasons[v], self._levels[v] = reason, len(self._starts)
        self._trail.append(literal)

    def _propagate(self) -> Clause | None:
        """Assign all that follows, unit by unit; return a clause that does not hold, if there is one."""
        values, deadlines, pairs, trail = self._values, self._watches, self._pairs, self._trail
        reasons, levels, level = self._reasons, self._levels, len(self._starts)
        head = self._head
        while head < len(trail):
            true = trail[head]
            head += 1
            for literal, clause in pairs[true]:
                value = values[literal]
                if value < 0:
                    self._head = head
                    return clause
                if not value:
                    values[literal], values[-literal] = 1, -1
                    v = abs(literal)
                    reasons[v], levels[v] = clause, level
                    trail.append(literal)
            false = -true
            running_deadline = deadlines[false]
            if not running_deadline:
                continue
            deadlines[false] = kept = []
            for number, clause in enumerate(running_deadline):
                first = clause[0]
                if first == false:
                    first = clause[0] = clause[1]
                    clause[1] = false
                value = values[first]
                if value > 0:
                    kept.append(clause)
                    continue
                for place in range(2, len(clause)):
                    other = clause[place]
                    if values[other] >= 0:
                        clause[1], clause[place] = other, false
                        deadlines[other].append(clause)
                        break
                else:
                    kept.append(clause)
                    if value < 0:
                        kept += running_deadline[number + 1 :]
                        self._head = head
                        return clause
                    values[first], values[-first] = 1, -1
                    v = abs(first)
                    reasons[v], levels[v] = clause, level
                    trail.append(first)
        self._head = head
        return None

    def _back(self, level: int) -> None:
        """Take back all decisions above a level, and what followed from them."""
        if len(self._starts) <= level:
            return
        start = self._starts[level]
        values, last, queued, scores = self._values, self._last, self._queued, self._scores
        for literal in self._trail[start:]:
            values[literal] = values[-literal] = 0
            v = abs(literal)
            last[v] = literal
            if queued[v] != scores[v]:
                self._queue(v)
        del self._trail[start:], self._starts[level:]
        self._head = start

    def _search(self, assumptions: Sequence[int], budget: int, deadline: Deadline) -> bool | None:
        """Decide and learn until there is an answer, or after so many conflicts."""
        values = self._values
        while True:
            conflict = self._propagate()
            if conflict is not None:
                self.conflicts += 1
                budget -= 1
                if not self._starts:
                    self._consistent = False
                    return False
                self._learn(conflict)
                if deadline.stop:
                    return None
                continue
            if budget <= 0:
                return None
            literal = 0
            while len(self._starts) < len(assumptions) and not literal:
                assumed = assumptions[len(self._starts)]
                if values[assumed] < 0:
                    self._core = self._blamed(assumed)
                    return False
                if values[assumed] > 0:
                    self._starts.append(len(self._trail))
                else:
                    literal = assumed
            literal = literal or self._choice()
            if not literal:
                self._model = [v if values[v] > 0 else -v for v in range(1, self._size + 1)]
                self._models.appendleft(set(self._model))
                return True
            self.decisions += 1
            if self.decisions % 1024 == 0 and deadline.stop:
                return None
            self._starts.append(len(self._trail))
            self._assign(literal, None)

    def _choice(self) -> int:
        """Return what to decide next; 0 where nothing is open."""
        heap, values, scores = self._heap, self._values, self._scores
        if len(heap) > 4 * self._size + 1000:
            heap[:] = [(-scores[v], v) for v in range(1, self._size + 1) if not values[v]]
            heapify(heap)
            self._queued[1:] = [AWAY if values[v] else scores[v] for v in range(1, self._size + 1)]
        while heap:
            score, v = heappop(heap)
            if score == -scores[v]:
                self._queued[v] = AWAY
                if not values[v]:
                    return self._last[v]
        return next((self._last[v] for v in range(1, self._size + 1) if not values[v]), 0)

    def _learn(self, conflict: Clause) -> None:
        """Learn from a clause that does not hold why, go back as far as that tells something, and use it."""
        levels, reasons, trail = self._levels, self._reasons, self._trail
        here = len(self._starts)
        seen: set[int] = set()
        learnt = [0]
        left, place = 0, len(trail)
        clause: Clause | None = conflict
        literal = 0
        while True:
            assert clause is not None
            for a in clause:
                v = abs(a)
                if a != literal and v not in seen and levels[v] > 0:
                    seen.add(v)
                    self._bump(v)
                    if levels[v] == here:
                        left += 1
                    else:
                        learnt.append(a)
            while True:
                place -= 1
                literal = trail[place]
                if abs(literal) in seen:
                    break
            left -= 1
            if not left:
                break
            clause = reasons[abs(literal)]
        learnt[0] = -literal
        learnt[1:] = [a for a in learnt[1:] if not self._follows(a, seen)]
        self._step *= DECAY
        back = 0
        if len(learnt) > 1:
            second = max(range(1, len(learnt)), key=lambda i: levels[abs(learnt[i])])
            learnt[1], learnt[second] = learnt[second], learnt[1]
            back = levels[abs(learnt[1])]
        self.lessons.append(tuple(learnt))
        joined = len({levels[abs(a)] for a in learnt})
        self._back(back)
        if len(learnt) > 1:
            self._deadline(learnt)
            if len(learnt) > 2:
                self._learnt.append((joined, learnt))
        self._assign(learnt[0], learnt if len(learnt) > 1 else None)

    def _follows(self, literal: int, seen: set[int]) -> bool:
        """Whether a literal of a learnt clause need not be there, since others of it are why it fails."""
        reason = self._reasons[abs(literal)]
        return reason is not None and all(abs(a) in seen or self._levels[abs(a)] == 0 for a in reason)

    def _blamed(self, assumed: int) -> list[int]:
        """Return the assumptions from which it follows that one cannot hold, and that one."""
        core, waiting = [assumed], {abs(assumed)}
        first = self._starts[0] if self._starts else len(self._trail)
        for literal in reversed(self._trail[first:]):
            if abs(literal) in waiting:
                reason = self._reasons[abs(literal)]
                if reason is None:
                    core.append(literal)
                else:
                    waiting.update(abs(a) for a in reason if self._levels[abs(a)] > 0)
        return list(dict.fromkeys(core))

    def _bump(self, v: int) -> None:
        """Note that a variable was in a conflict."""
        self._scores[v] += self._step
        if self._scores[v] > LARGEST:
            self._scores = [score / LARGEST for score in self._scores]
            self._step /= LARGEST
            self._heap = []
            for u in range(1, self._size + 1):
                self._queue(u)

    def _forget(self) -> None:
        """Forget learnt clauses, but for those from which something follows now."""
        self._learnt.sort(key=lambda known: (known[0], len(known[1])))
        gone = {id(clause) for _, clause in self._learnt[len(self._learnt) // 2 :]}
        gone -= {id(reason) for reason in self._reasons if reason is not None}
        for running_deadline in self._watches:
            running_deadline[:] = [clause for clause in running_deadline if id(clause) not in gone]
        self._learnt = [known for known in self._learnt if id(known[1]) not in gone]


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many literals the two begin with in common."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _luby(number: int) -> int:
    """Return the number at this place, from 1 on, of 1, 1, 2, 1, 1, 2, 4, 1, 1, 2 and so on."""
    while True:
        size = number.bit_length()
        if number == (1 << size) - 1:
            return 1 << (size - 1)
        number -= (1 << (size - 1)) - 1
