"""A SAT solver with conflict-driven clause learning (CDCL) in plain Python: the solver of the browser.

It follows MiniSat (Eén and Sörensson, *An Extensible SAT-solver*, 2003), with MiniSat's names, and is some
hundred times slower than PySAT's solvers. ``milp_pips.formulations.cnf`` checks the proof of every "no
solution" step by step before it counts.

The words of the field:

literal
    A variable ``v`` or its negation ``-v``. An assignment makes one of the two true.
clause
    A list of literals, of which at least one must be true. It is *unit* once all but one are false: then the
    last one must be true, and the clause is the *reason* for it. It is in *conflict* if all are false.
trail
    The true literals in the order of their assignment.
decision level
    The number of decisions before an assignment. Assignments on level 0 hold in every model.

The search is one loop (``_search``): propagate unit clauses; after a conflict learn a clause and jump
back; if there is no conflict, decide another literal. It ends when all variables are assigned, or with a
conflict on level 0. Read ``_search`` first, then ``_propagate`` and ``_analyze``, which do the work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from milp_pips.engines.library import ClauseSolver
from milp_pips.problem import Deadline, EngineFault, Problem

if TYPE_CHECKING:
    from milp_pips.formulations.cnf import Clauses, CnfEncoding

RESTART_UNIT = 100
"""Conflicts before the first restart; later restarts wait for multiples of it, in the order of Luby."""

MAX_LEARNT_CLAUSES = 2000
"""Learnt clauses beyond which the worse half is deleted: those with literals of the most decision levels."""

DECAY, LARGEST = 1 / 0.95, 1e100
"""Factor by which each conflict bumps activities more than the one before; the activity at which all of them
are scaled down."""

AWAY = -1.0
"""The mark of a variable that is not in the heap; no variable has this activity."""

CLAUSES_PER_CHECK = 1000
"""Clauses that are loaded between two checks of the deadline."""

MAX_MODELS_KEPT, MAX_MODEL_VALUES_KEPT = 256, 1_000_000
"""Most models that are kept, since one of them may answer the next call; most values in all of them."""

Clause: TypeAlias = list[int]


class CdclSolver(ClauseSolver):
    """Clause learning in plain Python, with nothing to install."""

    name = "cdcl"
    title = "clause learning"

    def encode(self, problem: Problem, deadline: Deadline) -> tuple[CnfEncoding, ClauseLearning] | None:
        """Return the problem as clauses, and the search; see ``ClauseSolver``."""
        from milp_pips.formulations.cnf import CnfEncoding

        statement = CnfEncoding(problem, lambda: deadline.stop, lazily=True)
        return None if deadline.stop else (statement, ClauseLearning(statement, deadline))

    def is_confirmed(
        self, statement: CnfEncoding, search: ClauseLearning, further: Sequence[Clause], deadline: Deadline
    ) -> bool:
        """Return whether the proof is checked before the deadline. Raises EngineFault if it does not hold."""
        from milp_pips.formulations.cnf import is_refutation

        proved = is_refutation([*statement.clauses, *further], search.lessons, lambda: deadline.stop)
        if proved is False:
            raise EngineFault("clause learning gave a proof that does not hold")
        return bool(proved)

    def load(self, clauses: Clauses, deadline: Deadline) -> ClauseLearning:
        """Return the loaded formula, to be solved again and again; see ``AssumingSolver``."""
        return ClauseLearning(clauses, deadline)

    def refute(self, clauses: Sequence[tuple[int, ...]], variables: int, deadline: Deadline) -> str | None:
        """Return a proof that the clauses have no model: all learnt clauses; see ``RefutingSolver``."""
        from milp_pips.formulations.cnf import Clauses

        formula = Clauses()
        formula.variables, formula.clauses = variables, list(clauses)
        search = ClauseLearning(formula, deadline)
        found = search.solve((), deadline)
        if found is None:
            return ""
        lines = [*search.lessons, ()]
        return None if found else "".join(" ".join(map(str, (*lesson, 0))) + "\n" for lesson in lines)


class ClauseLearning:
    """A formula that stays loaded while it is solved under changing assumptions; see ``LoadedClauses``.

    Private members have the names of MiniSat's where it has them. Lists indexed by literals have one place
    per literal: Python counts the negative ones from the end. ``lessons`` are all learnt clauses in the order
    of learning, which make up the proof.
    """

    def __init__(self, formula: Clauses, deadline: Deadline):
        self.conflicts = self.decisions = 0
        self._size = 0
        # The assignment.
        self._assigns: list[int] = [0]
        """By literal, 1 if it is true, -1 if it is false, 0 if it is unassigned."""
        self._trail: list[int] = []
        """The true literals in the order of their assignment."""
        self._trail_lim: list[int] = []
        """For each decision level, the position on the trail where it begins."""
        self._qhead = 0
        """Position on the trail of the first literal that is not yet propagated."""
        self._reason: list[Clause | None] = [None]
        """By variable, the clause that implied it; None for decisions, assumptions and facts."""
        self._level: list[int] = [0]
        """By variable, the decision level on which it was assigned."""
        # The clauses.
        self._watches: list[list[Clause]] = [[]]
        """By literal, the clauses of three or more literals that watch it, at their first two places."""
        self._binaries: list[list[tuple[int, Clause]]] = [[]]
        """By literal, what follows from it by clauses of two literals: the other literal, and the clause."""
        self._learnts: list[tuple[int, Clause]] = []
        """The learnt clauses of three or more literals that are kept, each with its number of levels."""
        self.lessons: list[tuple[int, ...]] = []
        self._ok = True
        """Whether no conflict on level 0 has been found yet."""
        # The order of decisions.
        self._activity: list[float] = [0.0]
        """By variable, how often and how recently it was in conflicts."""
        self._polarity: list[int] = [0]
        """By variable, the literal that was true last: branching tries it first."""
        self._var_inc = 1.0
        self._order_heap: list[tuple[float, int]] = []
        """Negated activities and variables to branch on; entries with an old activity are skipped."""
        self._queued: list[float] = [0.0]
        """By variable, the activity with which it is in the heap; ``AWAY`` if it is not."""
        # The last answer, and what helps to answer the next call.
        self._model: list[int] = []
        self._models: deque[set[int]] = deque(
            maxlen=min(MAX_MODELS_KEPT, 1 + MAX_MODEL_VALUES_KEPT // (1 + formula.variables))
        )
        self._core: list[int] = []
        self._assumed: list[int] = []
        """The last assumptions, one level each: a common beginning need not be propagated again."""
        self._new_vars(formula.variables)
        for number, clause in enumerate(formula.clauses):
            if number % CLAUSES_PER_CHECK == 0 and deadline.stop:
                return
            self._add_clause(clause)

    # -------------------------------------------------------------------------- solving under assumptions

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> bool | None:
        """Return whether there is a model; None after the deadline or the given number of conflicts."""
        self._core = []
        if not self._ok:
            return False
        # An earlier model may satisfy these assumptions as well.
        for model in self._models:
            if model.issuperset(assumptions):
                self._model = sorted(model, key=abs)
                return True
        # Keep the levels of those assumptions with which the last call began as well.
        self._cancel_until(_common(self._assumed, assumptions))
        self._assumed = list(assumptions)
        last = None if conflicts is None else self.conflicts + conflicts
        # Restart after a growing number of conflicts (Luby, Sinclair and Zuckerman 1993). Learnt clauses are
        # kept, so a restart costs little, and it frees the search from early decisions that were bad.
        restarts = 0
        while not deadline.stop:
            restarts += 1
            budget = RESTART_UNIT * _luby(restarts)
            if last is not None:
                budget = min(budget, last - self.conflicts)
            found = self._search(assumptions, budget, deadline)
            if found is not None or (last is not None and self.conflicts >= last):
                return found
            self._cancel_until(len(assumptions))  # restart, but keep the assumptions
            if len(self._learnts) > MAX_LEARNT_CLAUSES:
                self._reduce_db()
        return None

    def model(self) -> list[int]:
        """Return the last model found: a literal of every variable."""
        return self._model

    def core(self) -> list[int]:
        """Return assumptions that cannot all hold: an unsatisfiable core of the last call without a model."""
        return self._core

    def propagate(self, assumptions: Sequence[int]) -> list[int] | None:
        """Return the literals that follow by unit propagation; None if that leads to a contradiction."""
        self._cancel_until(0)
        self._assumed = []
        if not self._ok:
            return None
        if self._propagate() is not None:
            self._ok = False
            return None
        self._trail_lim.append(len(self._trail))
        for literal in assumptions:
            if self._assigns[literal] < 0:
                return None
            if not self._assigns[literal]:
                self._unchecked_enqueue(literal, None)
        return None if self._propagate() is not None else list(self._trail)

    def add(self, literals: Iterable[int]) -> None:
        """Add a clause permanently."""
        self._cancel_until(0)
        clause = list(literals)
        self._fit_models(clause)
        self._new_vars(max(map(abs, clause), default=0))
        self._add_clause(clause)

    def statistics(self) -> dict[str, int]:
        """Return the numbers of conflicts and decisions."""
        return {"conflicts": self.conflicts, "decisions": self.decisions}

    # ----------------------------------------------------------------------------------------- the search

    def _search(self, assumptions: Sequence[int], budget: int, deadline: Deadline) -> bool | None:
        """Propagate, learn and branch; return None after ``budget`` conflicts or the deadline.

        The first decision levels are those of the assumptions, one level each. The invariant of the loop: the
        clauses, learnt ones included, have the same models as the formula, and every literal on the trail is
        a decision, an assumption or implied by those before it. Every conflict adds a clause that excludes
        the current decisions, and there are finitely many clauses, so the loop ends.
        """
        values = self._assigns
        while True:
            # Conflict: learn from it and jump back.
            conflict = self._propagate()
            if conflict is not None:
                self.conflicts += 1
                budget -= 1
                if not self._trail_lim:  # a conflict without any decision: there is no model at all
                    self._ok = False
                    return False
                self._analyze(conflict)
                if deadline.stop:
                    return None
                continue
            if budget <= 0:
                return None
            # No conflict: decide. First comes the next open assumption; one that is true gets an empty level.
            literal = 0
            while len(self._trail_lim) < len(assumptions) and not literal:
                assumed = assumptions[len(self._trail_lim)]
                if values[assumed] < 0:
                    self._core = self._analyze_final(assumed)
                    return False
                if values[assumed] > 0:
                    self._trail_lim.append(len(self._trail))
                else:
                    literal = assumed
            # Then branch; if no variable is left, all are assigned without a conflict.
            literal = literal or self._pick_branch_lit()
            if not literal:
                self._model = [v if values[v] > 0 else -v for v in range(1, self._size + 1)]
                self._models.appendleft(set(self._model))
                return True
            self.decisions += 1
            if self.decisions % 1024 == 0 and deadline.stop:
                return None
            self._trail_lim.append(len(self._trail))
            self._unchecked_enqueue(literal, None)

    def _pick_branch_lit(self) -> int:
        """Return the literal to branch on next: that of the most active open variable; 0 if none is open.

        The variable is that of most and latest conflicts (Moskewicz et al. 2001, "VSIDS"). It gets its last
        value again, so that the search returns to where it was (Pipatsrisawat and Darwiche 2007).
        """
        heap, values, scores = self._order_heap, self._assigns, self._activity
        # Rebuild a heap that holds too many entries with old activities.
        if len(heap) > 4 * self._size + 1000:
            heap[:] = [(-scores[v], v) for v in range(1, self._size + 1) if not values[v]]
            heapify(heap)
            self._queued[1:] = [AWAY if values[v] else scores[v] for v in range(1, self._size + 1)]
        while heap:
            score, v = heappop(heap)
            if score == -scores[v]:
                self._queued[v] = AWAY
                if not values[v]:
                    return self._polarity[v]
        return next((self._polarity[v] for v in range(1, self._size + 1) if not values[v]), 0)

    # ----------------------------------------------------------------------------------- unit propagation

    def _propagate(self) -> Clause | None:
        """Assign all literals that follow by unit propagation; return a violated clause if one is found.

        The invariant: once propagation ends without a conflict, neither of the two watched literals of a
        clause is false unless the other one is true. So a clause needs a visit only when one of its watched
        literals becomes false, and backtracking need not touch the watches (Moskewicz et al. 2001).
        """
        values, watches, pairs, trail = self._assigns, self._watches, self._binaries, self._trail
        reasons, levels, level = self._reason, self._level, len(self._trail_lim)
        head = self._qhead
        # The trail is also the queue: the literals from ``head`` on are true but not yet propagated.
        while head < len(trail):
            true = trail[head]
            head += 1
            # Clauses of two literals come first. They need no watches: the other literal must hold.
            for literal, clause in pairs[true]:
                value = values[literal]
                if value < 0:
                    self._qhead = head
                    return clause
                if not value:
                    values[literal], values[-literal] = 1, -1
                    v = abs(literal)
                    reasons[v], levels[v] = clause, level
                    trail.append(literal)
            # Visit the longer clauses that watch the literal that is now false; ``kept`` go on watching it.
            false = -true
            watchers = watches[false]
            if not watchers:
                continue
            watches[false] = kept = []
            for number, clause in enumerate(watchers):
                # Put the false literal second, so that the other watched literal is ``first``.
                first = clause[0]
                if first == false:
                    first = clause[0] = clause[1]
                    clause[1] = false
                # If the other watched literal is true, so is the clause.
                value = values[first]
                if value > 0:
                    kept.append(clause)
                    continue
                # Look for another literal to watch, one that is not false.
                for place in range(2, len(clause)):
                    other = clause[place]
                    if values[other] >= 0:
                        clause[1], clause[place] = other, false
                        watches[other].append(clause)
                        break
                else:
                    # All literals but ``first`` are false: a conflict if it is false too, else a unit clause.
                    kept.append(clause)
                    if value < 0:
                        kept += watchers[number + 1 :]
                        self._qhead = head
                        return clause
                    values[first], values[-first] = 1, -1
                    v = abs(first)
                    reasons[v], levels[v] = clause, level
                    trail.append(first)
        self._qhead = head
        return None

    def _unchecked_enqueue(self, literal: int, reason: Clause | None) -> None:
        """Make a literal true on the current level, and queue it for propagation."""
        self._assigns[literal], self._assigns[-literal] = 1, -1
        v = abs(literal)
        self._reason[v], self._level[v] = reason, len(self._trail_lim)
        self._trail.append(literal)

    def _cancel_until(self, level: int) -> None:
        """Undo all assignments above a decision level, and remember the polarity of each."""
        if len(self._trail_lim) <= level:
            return
        start = self._trail_lim[level]
        values, last, queued, scores = self._assigns, self._polarity, self._queued, self._activity
        for literal in self._trail[start:]:
            values[literal] = values[-literal] = 0
            v = abs(literal)
            last[v] = literal
            if queued[v] != scores[v]:
                self._insert_var_order(v)
        del self._trail[start:], self._trail_lim[level:]
        self._qhead = start

    # --------------------------------------------------------------------------- learning from a conflict

    def _analyze(self, conflict: Clause) -> None:
        """Learn a clause from a violated one, jump back to where the new clause is unit, and propagate it.

        The learnt clause is that of the first unique implication point: resolve the violated clause with the
        reasons of its literals, last assigned first, until one literal of the current level is left
        (Marques-Silva and Sakallah 1999; Zhang, Madigan, Moskewicz and Malik 2001).
        """
        levels, reasons, trail = self._level, self._reason, self._trail
        level = len(self._trail_lim)
        seen: set[int] = set()
        learnt = [0]
        # ``left`` counts the resolvent's literals of the current level; those of lower levels are in
        # ``learnt``. Literals of level 0 are always false, so they are left out.
        left, place = 0, len(trail)
        clause: Clause | None = conflict
        literal = 0
        while True:
            assert clause is not None
            # Add the literals of the clause, but for the one that is resolved upon.
            for a in clause:
                v = abs(a)
                if a != literal and v not in seen and levels[v] > 0:
                    seen.add(v)
                    self._var_bump_activity(v)
                    if levels[v] == level:
                        left += 1
                    else:
                        learnt.append(a)
            # Go down the trail to the last assigned literal of the resolvent.
            while True:
                place -= 1
                literal = trail[place]
                if abs(literal) in seen:
                    break
            # If no other literal of this level is left, it is the first unique implication point.
            left -= 1
            if not left:
                break
            clause = reasons[abs(literal)]
        learnt[0] = -literal
        # Leave out the literals that the others imply.
        learnt[1:] = [a for a in learnt[1:] if not self._lit_redundant(a, seen)]
        self._var_inc *= DECAY
        # Jump back to the highest level among the other literals, where the clause is unit. The literal of
        # that level comes second, so that both watched literals are the last ones to be unassigned.
        back = 0
        if len(learnt) > 1:
            second = max(range(1, len(learnt)), key=lambda i: levels[abs(learnt[i])])
            learnt[1], learnt[second] = learnt[second], learnt[1]
            back = levels[abs(learnt[1])]
        self.lessons.append(tuple(learnt))
        # The fewer levels a clause has literals of, the more it is worth (Audemard and Simon 2009).
        joined = len({levels[abs(a)] for a in learnt})
        self._cancel_until(back)
        if len(learnt) > 1:
            self._attach_clause(learnt)
            if len(learnt) > 2:
                self._learnts.append((joined, learnt))
        self._unchecked_enqueue(learnt[0], learnt if len(learnt) > 1 else None)

    def _lit_redundant(self, literal: int, seen: set[int]) -> bool:
        """Return whether a literal of a learnt clause is redundant: the others imply that it is false.

        That is so if every other literal of its reason is in the clause or false on level 0 (Sörensson and
        Biere 2009; this is their local minimisation).
        """
        reason = self._reason[abs(literal)]
        return reason is not None and all(abs(a) in seen or self._level[abs(a)] == 0 for a in reason)

    def _analyze_final(self, assumed: int) -> list[int]:
        """Return an unsatisfiable core: an assumption that is false, and the assumptions that imply this.

        Follow the reasons down the trail; what has no reason above level 0 is an assumption.
        """
        core, waiting = [assumed], {abs(assumed)}
        first = self._trail_lim[0] if self._trail_lim else len(self._trail)
        for literal in reversed(self._trail[first:]):
            if abs(literal) in waiting:
                reason = self._reason[abs(literal)]
                if reason is None:
                    core.append(literal)
                else:
                    waiting.update(abs(a) for a in reason if self._level[abs(a)] > 0)
        return list(dict.fromkeys(core))

    # ---------------------------------------------------------- activities, and forgetting learnt clauses

    def _insert_var_order(self, v: int) -> None:
        """Put a variable into the heap, so that it is branched on in the order of activity."""
        self._queued[v] = self._activity[v]
        heappush(self._order_heap, (-self._activity[v], v))

    def _var_bump_activity(self, v: int) -> None:
        """Raise the activity of a variable that was in a conflict.

        The increment grows with every conflict. That lets all other activities decay, at no cost.
        """
        self._activity[v] += self._var_inc
        if self._activity[v] > LARGEST:
            self._activity = [score / LARGEST for score in self._activity]
            self._var_inc /= LARGEST
            self._order_heap = []
            for u in range(1, self._size + 1):
                self._insert_var_order(u)

    def _reduce_db(self) -> None:
        """Delete the worse half of the learnt clauses, but not the reasons of current assignments.

        Propagation visits every clause that is kept. The better clauses have literals of fewer levels
        (Audemard and Simon 2009), or are shorter.
        """
        self._learnts.sort(key=lambda known: (known[0], len(known[1])))
        gone = {id(clause) for _, clause in self._learnts[len(self._learnts) // 2 :]}
        gone -= {id(reason) for reason in self._reason if reason is not None}
        for watchers in self._watches:
            watchers[:] = [clause for clause in watchers if id(clause) not in gone]
        self._learnts = [known for known in self._learnts if id(known[1]) not in gone]

    # ------------------------------------------------------------------------------ clauses and variables

    def _add_clause(self, literals: Sequence[int]) -> None:
        """Add a clause on level 0, without its false literals; skip one that is true already."""
        values = self._assigns
        clause = list(dict.fromkeys(a for a in literals if values[a] >= 0))
        if any(values[a] > 0 or -a in clause for a in clause):
            return
        if len(clause) > 1:
            self._attach_clause(clause)
        elif clause:
            self._unchecked_enqueue(clause[0], None)
        else:
            self._ok = False

    def _attach_clause(self, clause: Clause) -> None:
        """Watch the first two literals of a clause."""
        one, other = clause[0], clause[1]
        if len(clause) == 2:
            self._binaries[-one].append((other, clause))
            self._binaries[-other].append((one, clause))
        else:
            self._watches[one].append(clause)
            self._watches[other].append(clause)

    def _new_vars(self, variables: int) -> None:
        """Make room for the given number of variables."""
        n, more = self._size, variables - self._size
        if more <= 0:
            return
        # Literals of new variables go between the positive and the negative ones that are already known.
        room = 2 * more
        self._assigns[n + 1 : n + 1] = [0] * room
        self._watches[n + 1 : n + 1] = [[] for _ in range(room)]
        self._binaries[n + 1 : n + 1] = [[] for _ in range(room)]
        self._reason += [None] * more
        self._level += [0] * more
        self._activity += [0.0] * more
        self._polarity += [-v for v in range(n + 1, variables + 1)]
        self._queued += [AWAY] * more
        self._size = variables
        for v in range(n + 1, variables + 1):
            self._insert_var_order(v)

    # -------------------------------------------------------------------------------- models found before

    def _fit_models(self, clause: Sequence[int]) -> None:
        """Extend the kept models to the new variables of an added clause; drop those that violate it."""
        new = [a for a in clause if abs(a) > self._size]
        all_false = {-v for v in range(self._size + 1, max(map(abs, clause), default=0) + 1)}
        for model in list(self._models):
            if not (model.isdisjoint(clause) and all_false.isdisjoint(clause)):
                model |= all_false
            elif new:  # the new literals are positive, and one of them satisfies the clause
                model |= (all_false - {-new[0]}) | {new[0]}
            else:
                self._models.remove(model)


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the length of the common beginning of two lists of literals."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _luby(number: int) -> int:
    """Return an element of Luby's sequence 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, …, numbered from 1."""
    while True:
        size = number.bit_length()
        if number == (1 << size) - 1:
            return 1 << (size - 1)
        number -= (1 << (size - 1)) - 1
