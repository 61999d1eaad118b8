"""Agreement: random boards by every engine, formulation and method against an independent brute force."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import boards
from boards import Board
from frame import Case, Failure

import milp_pips
from milp_pips.engines import registry
from milp_pips.problem.answer import Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Layout, PlacedDomino

LIMIT = 120
GOAL = "boards", 20_000

CHEAP = ("", "diagram/restricted", "diagram/exact", "brute", "lns/projected", "lns/implication")
MIDDLE = ("highs", "scip", "cp-sat", "sat", "two-stage", "cbc", "lns")
"""Asked for a first solution of every second board, in each of their formulations in turn."""
DEAR = ("pulp", "pyomo", "minizinc", "cbc")
"""Asked of one board in forty."""
LISTINGS = (
    *product(("highs", "cp-sat", "brute", "scip"), ("partition", "cuts")),
    *product(("cp-sat", "sat", "scip", "brute"), ("native",)),
)
DEAR_LISTINGS = (*product(("cbc", "pyomo"), ("partition", "cuts")), ("minizinc", "native"), ("pulp", "cuts"))
DOES_NOT_SUIT = re.compile("that '.*' could state|has no columns for this key")
"""How a formulation that was named says that it is not one for this puzzle or key."""
FEW = 12
"""Solutions up to which a board is listed by an engine; by a dear one, up to a third of it."""


def prepare(folder: Path, seed: int) -> None:
    """Nothing is needed."""


@cache
def engines() -> dict[str, tuple[str, ...]]:
    """Return the formulations of all engines that can run here, and let them share this process."""
    found = {}
    for name, solver in registry.solvers():
        if not isinstance(solver, str) and not registry.reason_against(solver):
            type(solver).clashes = frozenset()  # type: ignore[misc]
            type(solver).isolated = False  # type: ignore[misc]
            found[name] = tuple(solver.formulations)
    return found


def run(case: Case) -> None:
    """Try one board; every claim about it is held against brute force."""
    random, number = case.random, case.number
    board = boards.draw(random)
    case.note(board.text)
    trial = Trial(case, board)
    total = len(board.main)
    keys = list(milp_pips.state(board.puzzle).keys)
    if set(keys) != set(board.answers):
        raise trial.wrong(f"the keys are {keys}")
    case.counts["boards"] += 1
    case.counts["boards without a solution"] += not total
    trial.count()
    trial.listed("", "diagram", keys[number % len(keys)])
    trial.listed("brute", "native", keys[number // 2 % len(keys)])
    trial.solved(*CHEAP[number % len(CHEAP)].partition("/")[::2])
    trial.sampled(random.choice(keys))
    trial.checked()
    ways = [(name, form) for name in MIDDLE for form in engines().get(name, ())]
    if number % 2:
        trial.solved(*ways[number // 2 % len(ways)])
    if not number % 4 and total <= FEW:
        solver, method = LISTINGS[number // 4 % len(LISTINGS)]
        form = random.choice(("", *engines().get(solver, ())))
        trial.listed(solver, method, random.choice(keys), form)
    if number % 5 == 2:
        trial.limited(random.choice(keys))
    if number % 40 == 7:
        name = DEAR[number // 40 % len(DEAR)]
        trial.solved(name, random.choice(("", *engines().get(name, ()))))
    if number % 160 == 23 and total <= FEW // 3:
        solver, method = DEAR_LISTINGS[number // 160 % len(DEAR_LISTINGS)]
        trial.listed(solver, method, random.choice(keys))
    if number % 1500 == 11 and total <= FEW:
        trial.listed("highs", "partition", keys[0], jobs=2)


class Trial:
    """One board, and what is claimed of it."""

    def __init__(self, case: Case, board: Board):
        self.case, self.board = case, board

    def wrong(self, what: str, **evidence: object) -> Failure:
        total = {key: len(answers) for key, answers in self.board.answers.items()}
        return Failure(what, solutions=total, board=self.board.text, **evidence)

    def count(self) -> None:
        found = milp_pips.count(self.board.puzzle)
        true = {key: len(answers) for key, answers in self.board.answers.items()}
        self.case.counts["counts"] += 1
        if not found.complete or dict(found.counts) != true:
            raise self.wrong(f"count says {found}, brute force {true}")

    def solved(self, solver: str, formulation: str = "") -> None:
        if solver and solver not in engines():
            self.case.counts[f"{solver} cannot run here"] += 1
            return
        who = f"{solver or 'auto'}/{formulation}"
        seconds = self.case.random.choice((None, None, None, self.case.random.uniform(0, 0.02)))
        seeded = solver and "seed" in registry.solver(solver).features
        settings = Settings(
            formulation, seed=self.case.random.randint(0, 9) if seeded else 0, seconds=seconds
        )
        self.case.alive()
        try:
            result = milp_pips.solve(self.board.puzzle, solver, settings)
        except UsageError as error:
            if (formulation and DOES_NOT_SUIT.search(str(error))) or solver == "two-stage":
                self.case.counts["formulations that do not suit"] += 1
                return
            raise self.wrong(f"{who} refuses: {error}") from error
        self.case.counts[f"solved by {solver or 'auto'}"] += 1
        if result.fault:
            raise self.wrong(f"solve by {who}: {result.fault}")
        key = next(iter(self.board.answers))
        if result.solution is not None and self.board.view(result.solution, key) not in self.board.main:
            raise self.wrong(f"solve by {who} gives what is not a solution", given=result.solution)
        right = "solved" if self.board.main else "infeasible"
        if result.status != right and (result.status != "unknown" or seconds is None):
            raise self.wrong(f"solve by {who} within {seconds} s says {result.status}: {result.summary()}")

    def listed(self, solver: str, method: str, key: str, formulation: str = "", jobs: int = 1) -> None:
        if solver and solver not in engines():
            return
        who = f"{solver or 'no engine'}/{formulation} by {method}, key {key}, {jobs} jobs"
        self.case.alive()
        found = milp_pips.solutions(
            self.board.puzzle, solver, method=method, distinct=key, formulation=formulation, jobs=jobs
        )
        try:
            every = [self.board.view(solution, key) for solution in found]
        except UsageError as error:
            if formulation and DOES_NOT_SUIT.search(str(error)):
                self.case.counts["formulations that do not suit"] += 1
                return
            raise self.wrong(f"{who} refuses: {error}") from error
        self.case.counts[f"listed by {method} of {solver or 'no engine'}"] += 1
        summary, true = found.summary, self.board.answers[key]
        if len(set(every)) != len(every):
            raise self.wrong(f"{who} lists a solution twice", summary=summary, listed=every)
        if set(every) != set(true) or summary is None or summary.solutions != len(every):
            missing, more = set(true) - set(every), set(every) - set(true)
            raise self.wrong(
                f"{who} does not list the solutions", summary=summary, missing=missing, more=more
            )
        if not summary.complete or not summary.confirmed_by or summary.stop is not Stop.FINISHED:
            raise self.wrong(f"{who} does not know that its list is complete", summary=summary)

    def limited(self, key: str) -> None:
        """A list that was cut short holds solutions alone, and is not called complete."""
        random, true = self.case.random, self.board.answers[key]
        solver, method = random.choice((("", "diagram"), *LISTINGS))
        if solver and solver not in engines():
            return
        limit = random.choice((None, random.randint(1, 1 + len(true))))
        seconds = (
            random.uniform(0, 0.03) if limit is None or random.random() < 0.2 or len(true) > FEW else None
        )
        who = f"{solver or 'no engine'} by {method}, key {key}, limit {limit}, {seconds} s"
        self.case.alive()
        found = milp_pips.solutions(
            self.board.puzzle, solver, method=method, distinct=key, limit=limit, seconds=seconds
        )
        every = [self.board.view(solution, key) for solution in found]
        self.case.counts["lists with limits"] += 1
        summary = found.summary
        assert summary is not None
        if len(set(every)) != len(every) or not set(every) <= set(true) or len(every) != summary.solutions:
            raise self.wrong(f"{who} lists what it should not", summary=summary, listed=every)
        if summary.complete and len(every) != len(true):
            raise self.wrong(f"{who}: a false complete", summary=summary)
        if seconds is None and len(every) != min(limit or len(true), len(true)):
            raise self.wrong(f"{who} lists {len(every)}", summary=summary)

    def sampled(self, key: str) -> None:
        found = milp_pips.sample(self.board.puzzle, 2, distinct=key, seed=self.case.random.randint(0, 99))
        self.case.counts["samples"] += len(found)
        if len(found) != (2 if self.board.main else 0):
            raise self.wrong(f"sample gives {len(found)}, key {key}")
        if any(self.board.view(solution, key) not in self.board.answers[key] for solution in found):
            raise self.wrong(f"sample gives what is not a solution, key {key}", given=found)

    def checked(self) -> None:
        """A solution is right, one that was changed is right only if brute force has it, too."""
        random, puzzle = self.case.random, self.board.puzzle
        if not self.board.main:
            return
        one = random.choice(sorted(self.board.main, key=repr))
        if puzzle.family == "pips":
            laid = [tuple(sorted(domino, key=repr)) for domino in one]
            values = {cell: pip for domino in laid for cell, pip in domino}
            dominoes = tuple(PlacedDomino((a[1], b[1]), (a[0], b[0])) for a, b in (d for d in laid))
            whole, bare = Layout(values, dominoes), Layout(values)
            spoilt = {**values, random.choice(list(values)): random.randint(0, 6)}
            cases: list[tuple[Any, bool]] = [(whole, True), (bare, True)]
            cases.append((Layout(spoilt), frozenset(spoilt.items()) in self.board.answers["grid"]))
        else:
            rows = [list(row) for row in one]
            letters = puzzle.holds if puzzle.family == "sudoku" else puzzle.letters
            random.choice(rows)[random.randrange(len(rows[0]))] = random.choice(letters)
            join = "".join if puzzle.family == "colour-grid" else tuple
            changed = tuple(join(row) for row in rows)
            cases = [(one, True), (changed, changed in self.board.main)]
        for solution, right in cases:
            self.case.counts["checks"] += 1
            family = family_of(puzzle)
            read = family.read_solution(puzzle, family.write_solution(puzzle, solution), "solution")
            for shown in (solution, read):
                verdict = milp_pips.check(puzzle, shown)
                if verdict.right is not right:
                    raise self.wrong(f"check says {verdict}, brute force {right}", given=shown)
