"""Loops that list all solutions by adding cuts, with what each costs: restarts, one tree, and Benders.

- *Restarts*: solve, exclude the solution by a no-good cut, and solve again from the start.
- *One tree*: a constraint handler of SCIP excludes each solution while the tree stays (``collect_points``).
- *Benders by logic* (Hooker and Ottosson 2003): a master chooses a layout, a tiling without values; a
  subproblem finds its values. The edges of a layout without a further solution make a cut for the master.

With ``separate``, rows of a stronger formulation with the same columns are added where the relaxation breaks
them: by a separator within SCIP's tree, and before each restart by solving the relaxation again.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from own_process import in_own_process

import milp_pips
from milp_pips.constraints import covers_of
from milp_pips.engines.highs import STATUSES, empty_model
from milp_pips.extras.lab.puzzle_model import INTEGER_TOLERANCE, PuzzleModel, state_model
from milp_pips.formulations.milp.model import EncodedModel
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.stopping import Deadline

Point = tuple[int, ...]

Listed = tuple[Counter[str], list[Point]]
"""The counts of a loop, by the names of fields of ``CutLoop``, and the points that it has listed."""

NO_GOOD, RELAXED, MINIMAL = "no-good", "relaxed", "minimal"
"""Benders' cuts: all edges of a layout; those that the relaxation needs to be empty; a minimal set."""


class CutLoop(NamedTuple):
    """What a loop has cost.

    ``solves`` are the integer programs that were solved from their root (with Benders those of the master),
    ``subproblems`` those of Benders' subproblem; ``terms`` the columns in all ``cuts`` together;
    ``separated`` the rows of the stronger formulation that were added; ``seconds`` processor time.
    """

    loop: str
    solver: str
    points: list[Point]
    seconds: float
    solves: int = 0
    subproblems: int = 0
    cuts: int = 0
    terms: int = 0
    separated: int = 0
    nodes: int = 0
    iterations: int = 0


class Rows(NamedTuple):
    """Rows that may be separated: ``lower <= matrix · x <= upper``, dense."""

    matrix: Any
    lower: Any
    upper: Any

    def broken(self, x: Sequence[float]) -> list[int]:
        """Return the rows that a point breaks."""
        activity = self.matrix @ np.asarray(x)
        wrong = (activity > self.upper + INTEGER_TOLERANCE) | (activity < self.lower - INTEGER_TOLERANCE)
        return np.flatnonzero(wrong).tolist()

    def terms(self, i: int) -> list[tuple[int, float]]:
        """Return the columns of a row with their coefficients."""
        return [(int(j), float(self.matrix[i, j])) for j in np.flatnonzero(self.matrix[i])]


class Listing(NamedTuple):
    """What a loop lists: the points of the model that differ in the columns of a key.

    ``least`` columns at least of those that are 1 at a point are 0 at any other; ``rows`` may be separated.
    """

    model: EncodedModel
    columns: Sequence[int]
    least: int
    rows: Rows | None


def cut_loops(puzzle: Any, formulation: str = "", separate: str = "") -> list[CutLoop]:
    """Return what loops cost that list all solutions of a small Pips puzzle by cuts.

    ``separate`` names a formulation with the columns of the model's own, such as ``by_kind`` for
    ``implication``; its rows are separated in a second run of each loop with a single model.
    """
    stated = state_model(puzzle, Settings(formulation=formulation), "cut_loops", Deadline())
    key = next(iter(stated.problem.keys))
    columns = stated.model.key_columns(stated.problem.keys[key]).tolist()
    least = stated.problem.least_difference(key)
    listings = [(Listing(stated.model, columns, least, None), "")]
    if separate:
        rows = rows_of(stated, separate)
        listings.append((Listing(stated.model, columns, least, rows), ", separating"))
    loops = [_run(f"restarts{more}", "highs", restart_highs, one) for one, more in listings]
    loops += [
        _run(f"Benders, {cuts} cuts", "highs", benders, stated, columns, least, cuts)
        for cuts in (NO_GOOD, RELAXED, MINIMAL)
    ]
    for name, work in (("restarts", restart_scip), ("one tree", one_tree)):
        loops += [in_own_process(_run, f"{name}{more}", "scip", work, one) for one, more in listings]
    for loop in loops:
        assert len(set(loop.points)) == len(loop.points), "no point is listed twice"
        assert set(loop.points) == set(loops[0].points), "all loops list the same"
        for point in loop.points:
            stated.prepared.judge(point, loop.solver)
    return loops


def table(loops: Sequence[CutLoop]) -> str:
    """Return a table with a line for each loop."""
    room = max(len(loop.loop) for loop in loops)
    numbers = {"solves": 8, "subproblems": 13, "cuts": 6, "separated": 11, "nodes": 7, "iterations": 12}
    heads = "".join(f"{name:>{wide}}" for name, wide in numbers.items())
    lines = [f"{'loop':{room}}  solver{heads}  columns/cut  processor"]
    for loop in loops:
        counts = "".join(f"{getattr(loop, name):{wide}}" for name, wide in numbers.items())
        width = f"{loop.terms / loop.cuts:.1f}" if loop.cuts else "-"
        lines.append(f"{loop.loop:{room}}  {loop.solver:6}{counts}{width:>13}  {loop.seconds:.3f} s")
    return "\n".join(lines)


def rows_of(stated: PuzzleModel, formulation: str) -> Rows:
    """Return the rows of another formulation, which must have the same columns."""
    other = milp_pips.formulate(stated.problem, formulation)
    assert other.column_names() == stated.model.column_names(), f"{formulation} has other columns"
    matrix = np.zeros((other.size["rows"], other.size["columns"]))
    matrix[np.repeat(np.arange(len(matrix)), np.diff(other.arrays.start)), other.arrays.index] = (
        other.arrays.value
    )
    return Rows(matrix, other.arrays.row_lower, other.arrays.row_upper)


def _run(loop: str, solver: str, work: Callable[..., Listed], *arguments: object) -> CutLoop:
    begun = time.process_time()
    counts, points = work(*arguments)
    return CutLoop(loop, solver, points, time.process_time() - begun, **counts)


# Loops in HiGHS, which has no callback for cuts.


class Programs:
    """A model in HiGHS that is solved again and again from its root, and the counts of a ``CutLoop``."""

    def __init__(self, highs: Any, counts: Counter[str], what: str = "solves"):
        self._highs, self._counts, self._what = highs, counts, what
        highs.setOptionValue("threads", 1)

    def solve(self, closed: Sequence[int] = (), *, relaxed: bool = False) -> list[float] | None:
        """Return a point in which the ``closed`` columns are 0; None if there is none."""
        for j in closed:
            self._highs.changeColBounds(j, 0.0, 0.0)
        self._highs.setOptionValue("solve_relaxation", relaxed)
        self._highs.run()
        if self._highs.getModelStatus().name == "kSolveError":  # presolve has made a point that breaks a row
            self._highs.setOptionValue("presolve", "off")
            self._highs.run()
            self._highs.setOptionValue("presolve", "choose")
        info, status = self._highs.getInfo(), self._highs.getModelStatus().name
        self._counts.update({
            self._what: 1, "nodes": max(0, int(info.mip_node_count)),
            "iterations": max(0, int(info.simplex_iteration_count)),
        })  # fmt: skip
        proof, _ = STATUSES.get(status, (Proof.NONE, None))
        assert proof in (Proof.FEASIBLE, Proof.INFEASIBLE), f"HiGHS ends as {status}"
        x = list(self._highs.getSolution().col_value) if proof is Proof.FEASIBLE else None
        for j in closed:  # which discards status and solution
            self._highs.changeColBounds(j, 0.0, 1.0)
        return x

    def exclude(self, columns: Sequence[int], least: int = 1) -> None:
        """Add the cut that at least ``least`` of the columns are 0."""
        self.add(-self._highs.inf, len(columns) - least, [(j, 1.0) for j in columns])
        self._counts.update(cuts=1, terms=len(columns))

    def add(self, low: float, high: float, terms: Sequence[tuple[int, float]]) -> None:
        """Add the row low <= Σ factor · column <= high."""
        index, factors = zip(*terms, strict=True)
        self._highs.addRow(low, high, len(index), np.array(index, np.int32), np.array(factors, float))


def restart_highs(listing: Listing) -> Listed:
    """Solve with HiGHS, cut, and solve again."""
    counts, points = Counter[str](), list[Point]()
    programs = Programs(listing.model.to_highspy(), counts)
    while True:
        if listing.rows is not None:
            _separate(programs, listing.rows, counts)
        if (x := programs.solve()) is None:
            return counts, points
        points.append(listing.model.decode(x))
        programs.exclude([j for j in listing.columns if x[j] > 0.5], listing.least)


def _separate(programs: Programs, rows: Rows, counts: Counter[str]) -> None:
    """Add rows that the relaxation breaks, and solve it again, until it breaks none."""
    solves = counts["solves"]
    while (x := programs.solve(relaxed=True)) is not None and (broken := rows.broken(x)):
        for i in broken:
            programs.add(rows.lower[i], rows.upper[i], rows.terms(i))
        counts["separated"] += len(broken)
    counts["solves"] = solves


def benders(stated: PuzzleModel, columns: Sequence[int], least: int, strengthen: str) -> Listed:
    """Choose layouts in a master, and find their values in a subproblem.

    The subproblem is the model with the places on all other edges closed at the cells of some edges. If it
    has no point, no solution has these edges together. To strengthen a cut, edges are left out one by one
    while that stays so, or while even the relaxation has no point, which is quicker to decide.
    """
    counts, points, model = Counter[str](), list[Point](), stated.model
    (cover,) = covers_of(stated.problem.constraints)
    near = [[k for k, edge in enumerate(cover.edges) if i in edge] for i in range(len(cover.values))]
    at = {frozenset(cover.values[i] for i in edge): k for k, edge in enumerate(cover.edges)}
    edge_of = {j: at[frozenset(ends)] for j, (_, *ends) in stated.places.items()}
    layouts, own = empty_model(), Counter[str]()
    edges = [layouts.addBinary() for _ in cover.edges]
    for some in near:
        layouts.addConstr(layouts.qsum(edges[k] for k in some) == 1)
    master = Programs(layouts, counts)
    values, plain = (Programs(model.to_highspy(), own, "subproblems") for _ in range(2))

    def find(program: Programs, chosen: Sequence[int], *, relaxed: bool = False) -> list[float] | None:
        """Return a point with these edges, if there is one."""
        covered = {i for k in chosen for i in cover.edges[k]}
        others = {k for i in covered for k in near[i]}.difference(chosen)
        return program.solve([j for j, k in edge_of.items() if k in others], relaxed=relaxed)

    while (layout := master.solve()) is not None:
        core = [k for k, y in enumerate(layout) if y > 0.5]
        before = len(points)
        while (x := find(values, core)) is not None:
            points.append(model.decode(x))
            values.exclude([j for j in columns if x[j] > 0.5], least)
        relaxed = strengthen == RELAXED
        is_empty = strengthen != NO_GOOD and len(points) == before
        if is_empty and find(plain, core, relaxed=relaxed) is None:
            for k in list(core):
                if find(plain, fewer := [other for other in core if other != k], relaxed=relaxed) is None:
                    core = fewer
        master.exclude(core)
    counts.update({name: own[name] for name in ("subproblems", "nodes", "iterations")})
    return counts, points


# Loops in SCIP.


def restart_scip(listing: Listing) -> Listed:
    """Solve with SCIP, cut, and solve again."""
    from milp_pips.engines.scip import LoadedScip, row_of

    counts, points = Counter[str](), list[Point]()
    loaded = LoadedScip(listing.model, Settings(), Deadline())
    loaded.switch_off("Presolve")
    if listing.rows is not None:
        _separate_in_tree(loaded, listing.rows, counts)
    while True:
        ending = loaded.run(Deadline())
        counts.update(solves=1, nodes=ending.statistics["nodes"], iterations=loaded.scip.getNLPIterations())
        loaded.scip.freeTransform()
        if ending.point is None:
            assert ending.proof is Proof.INFEASIBLE
            return counts, points
        points.append(listing.model.decode(ending.point))
        chosen = [(loaded.x[j], 1.0) for j in listing.columns if ending.point[j] > 0.5]
        loaded.scip.addCons(row_of(chosen, None, len(chosen) - listing.least))
        counts.update(cuts=1, terms=len(chosen))


def one_tree(listing: Listing) -> Listed:
    """Solve with SCIP once; its constraint handler cuts off each solution."""
    from milp_pips.engines.scip import LoadedScip, collect_points

    counts, points = Counter[str](), list[Point]()
    loaded = LoadedScip(listing.model, Settings(), Deadline())
    if listing.rows is not None:
        _separate_in_tree(loaded, listing.rows, counts)

    def note(chosen: list[int]) -> bool:
        vector = np.zeros(len(loaded.x))
        vector[np.asarray(listing.columns)[chosen]] = 1
        points.append(listing.model.decode(vector))
        counts.update(cuts=1, terms=len(chosen))
        return True

    collect_points(loaded.scip, [loaded.x[j] for j in listing.columns], listing.least, note)
    ending = loaded.run(Deadline())
    counts.update(solves=1, nodes=ending.statistics["nodes"], iterations=loaded.scip.getNLPIterations())
    assert ending.proof is Proof.INFEASIBLE
    return counts, points


def _separate_in_tree(loaded: Any, rows: Rows, counts: Counter[str]) -> None:
    """Let SCIP separate rows at each node, and count those that it adds."""

    def broken_by(x: list[float]) -> Iterable[tuple[float, float, list[tuple[int, float]]]]:
        broken = rows.broken(x)
        counts["separated"] += len(broken)
        return [(rows.lower[i], rows.upper[i], rows.terms(i)) for i in broken]

    from pyscipopt import SCIP_RESULT, Sepa

    class Separator(Sepa):
        """Gets the point of the relaxation, and adds the rows that it breaks."""

        def sepaexeclp(self) -> dict[str, Any]:
            result = SCIP_RESULT.DIDNOTFIND
            for low, high, terms in broken_by([self.model.getSolVal(None, column) for column in loaded.x]):
                sides = (bound if isfinite(bound) else None for bound in (low, high))
                cut = self.model.createEmptyRowSepa(self, "cut", *sides, local=False)
                for j, factor in terms:
                    self.model.addVarToRow(cut, self.model.getTransformedVar(loaded.x[j]), factor)
                self.model.addCut(cut, forcecut=True)
                self.model.releaseRow(cut)
                result = SCIP_RESULT.SEPARATED
            return {"result": result}

    loaded.scip.includeSepa(Separator(), "rows", "adds rows that a relaxation breaks", 10_000, freq=1)
