"""The method ``tree``: all solutions of a linear model in one tree, whose log is checked as a certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from milp_pips.engines.contract import Points
from milp_pips.engines.defaults import LP_SOLVER
from milp_pips.enumeration.tree import Tree, TreeOutcome
from milp_pips.enumeration.tree_log import TreeLog
from milp_pips.enumeration.tree_points import Point
from milp_pips.formulations.exact import stated
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.formulations.model import Model
from milp_pips.problem.answer import MAXIMISE, Proof, Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.writing import temporary_folder
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.prepared import Prepared
from milp_pips.tasks.query import Query, Run
from milp_pips.tasks.results import Optimum
from milp_pips.tasks.tree_proofs import StatedModel, tree_query
from milp_pips.verification.second_opinion import confirming_deadline
from milp_pips.verification.verify_tree import LARGEST_TEXT, OutOfTime, Refused, Watch, verify

HOW = "its certificate: {} {}, each checked in whole numbers"
"""What confirms a list."""


def require_tree(query: Query, run: Run) -> None:
    """Raise UsageError for what the tree does not do."""
    given = {"out": bool(run.out), "jobs": run.jobs > 1}
    given |= {"solver": run.solver not in ("", LP_SOLVER), "limit and best": None not in query.select[:2]}
    if others := [name for name, is_given in given.items() if is_given]:
        raise UsageError(f"the tree lists by itself, on a live LP of HiGHS: omit {' and '.join(others)}")


class TreeLister(Lister):
    """Lists the solutions of a linear model by a tree; see ``milp_pips.enumeration.tree``.

    Without a distance from the optimum, points come as they are found; with one, at the end, since a better
    point may exclude others.
    """

    method, solver = "tree", LP_SOLVER

    def __init__(self, prepared: Prepared, problem: LinearProblem, query: Query, run: Run):
        super().__init__(prepared, next(iter(problem.keys)), run)
        self._problem = problem
        self._asked = tree_query(problem, query.distance, query.select.best)
        self.outcome = TreeOutcome()
        self._confirmed_by: str | None = None
        self._stated: StatedModel | None = None
        for model in (problem.model, _plainly_named(problem.model)):  # no file has blanks in its names
            try:
                self._stated = StatedModel.of(model)
                break
            except (InputError, UsageError) as fault:  # a name or a number that no file can have
                reason = fault
        else:
            run.deadline.progress.report(f"{problem.model.name}: no certificate: {reason}")

    def points(self, _known: KnownLines) -> Points:
        with temporary_folder() as folder:
            log = TreeLog(Path(folder)) if self._stated else None
            model = self._stated.model if self._stated else self._problem.model
            tree = Tree(model, self._asked, stop=lambda: self.deadline.stop, log=log)
            self.outcome = tree.outcome
            listed: Iterator[Point] = tree.points()
            if self._asked.has_cutoff:
                for _ in listed:
                    self.deadline.progress.report_sometimes(self._progress)
                listed = iter(sorted(self.outcome.points, key=self._cost))
            number = 0
            for point in listed:
                number += 1
                values: tuple[Any, ...] = point.values
                yield values
            if not self.outcome.complete:
                return Proof.NONE, self.deadline.stop or Stop.COUNT
            if log is not None:
                self._confirmed_by = self._checked(log, Path(folder), number)
            self.optimum = self._optimum()
            return Proof.COMPLETE, Stop.FINISHED

    def _cost(self, point: Point) -> Fraction:
        value = Fraction(point.value)
        return -value if self._problem.model.sense == MAXIMISE else value

    def _progress(self) -> str:
        return f"{self.prepared.puzzle.name}: {self.outcome.settled:.1%} of the box is settled"

    def _checked(self, log: TreeLog, folder: Path, number: int) -> str | None:
        """Return what the certificate proves, once it is checked; None if that takes too long."""
        model, stated_model = self._problem.model, self._stated
        assert stated_model is not None
        if max(log.points_size, len(stated_model.text.encode())) > LARGEST_TEXT:
            self.deadline.progress.report(
                f"{model.name}: no certificate: it would be too large to be checked"
            )
            return None
        try:
            chosen = [stated_model.model.columns[j].name for j in self._problem.over]
            log.finish(stated_model.text, chosen, self._asked, number)
            proved = verify(folder, Watch(_seconds(confirming_deadline(self.deadline))))
        except OutOfTime as fault:
            self.deadline.progress.report(f"{model.name}: no certificate: {fault}")
            return None
        except Refused as fault:
            raise EngineFault(f"the certificate of {model.name} is refused: {fault}") from None
        if not proved.solutions == proved.most == number:
            return None
        return HOW.format(proved.nodes, "node" if proved.nodes == 1 else "nodes")

    def confirm(self, found: int) -> str | None:  # noqa: ARG002
        """Return what the certificate proves."""
        return self._confirmed_by

    def _optimum(self) -> Optimum | None:
        model, best = self._problem.model, self.outcome.optimum
        if best is None:
            return None
        value: Any = stated(best)
        by = self._confirmed_by
        return Optimum(model.sense, "the objective", value, value, is_optimal=True, confirmed_by=by)


def _plainly_named(model: Model) -> Model:
    """Return the model with names that every file takes."""
    columns = tuple([replace(column, name=f"c{j}") for j, column in enumerate(model.columns)])
    return replace(model, columns=columns, name="model")


def _seconds(deadline: Deadline) -> float:
    return 3_600.0 if deadline.remaining is None else deadline.remaining
