"""The MIP solver SCIP, through PySCIPOpt: it finds one point of the 0-1 model, lists all, or counts them.

The first part is the solver with its enumeration in a single search tree. The second part records SCIP's own
branch-and-bound tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from milp_pips.engines.contract import Points, SearchNode
from milp_pips.engines.library import MipSolver, answer_of, end_of_list
from milp_pips.problem import Answer, Deadline, EngineFault, Problem, Proof, Settings, Stop, UsageError
from milp_pips.problem.objective import MAXIMISE
from milp_pips.runtime.interruptible import build_interruptibly, call_interruptibly, yield_interruptibly

if TYPE_CHECKING:
    import pyscipopt

    from milp_pips.formulations.model import Model

STATUSES = {
    "optimal": (Proof.FEASIBLE, Stop.FINISHED),
    "infeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    # If all columns are bounded, "unbounded" is impossible.
    "inforunbd": (Proof.INFEASIBLE, Stop.FINISHED),
    "timelimit": (Proof.NONE, Stop.TIME),
    "nodelimit": (Proof.NONE, Stop.COUNT),
    "totalnodelimit": (Proof.NONE, Stop.COUNT),
    "stallnodelimit": (Proof.NONE, Stop.COUNT),
    "sollimit": (Proof.NONE, Stop.COUNT),
    "bestsollimit": (Proof.NONE, Stop.COUNT),
    "restartlimit": (Proof.NONE, Stop.COUNT),
    "memlimit": (Proof.NONE, Stop.MEMORY),
    "userinterrupt": (Proof.NONE, Stop.INTERRUPTED),
    "terminate": (Proof.NONE, Stop.INTERRUPTED),
}
"""PySCIPOpt's ``getStatus()`` → proof and stop; every status that is not listed is an error."""

WITHOUT_BOUNDS = dict.fromkeys(("unbounded", "inforunbd"), (Proof.NONE, Stop.FINISHED))
"""The meaning of these for a model with columns that have no bounds: nothing is known."""


class ScipSolver(MipSolver):
    """SCIP: branch and cut, with constraint propagation, on the 0-1 model."""

    name = "scip"
    title = "SCIP"
    requires = ("pyscipopt",)
    distribution = "pyscipopt"
    features = frozenset(
        {"time limit", "seed", "options", "enumeration", "counting", "tree", "objective", "cuts", "models"}
    )
    clashes = frozenset({"highspy", "ortools"})  # OR-Tools contains a SCIP and a HiGHS of its own

    def load(self, model: Model, settings: Settings, deadline: Deadline) -> LoadedScip:
        """Return the model loaded into SCIP, with its objective; see ``MipSolver``."""
        loaded = LoadedScip(model, settings, deadline)
        if model.arrays.costs is not None and not deadline.stop:
            loaded.set_costs(model.arrays.costs.tolist())
        return loaded

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
        """Yield one point per solution that differs in the key; see ``EnumeratingSolver``.

        Variables outside the key have the value ``problem.blank``.
        """
        import numpy as np

        stated = self.stated(problem.with_objective(None), settings, deadline, key)
        if stated is None:
            return end_of_list(False, deadline)
        model, loaded = stated
        columns, least = model.key_columns(problem.keys[key]), problem.least_difference(key)
        scip = loaded.scip

        def work(hand_out: Callable[[tuple[int, ...]], bool]) -> None:
            def note(chosen: list[int]) -> bool:
                vector = np.zeros(len(loaded.x))
                vector[columns[chosen]] = 1
                return hand_out(model.decode(vector, problem.blank))

            collect_points(scip, [loaded.x[j] for j in columns.tolist()], least, note)
            scip.optimizeNogil()

        ended = yield from yield_interruptibly(work, deadline, scip.interruptSolve)
        # The collector refuses every point, so a complete search ends as "infeasible".
        complete = ended and STATUSES.get(scip.getStatus(), (Proof.NONE,))[0] is Proof.INFEASIBLE
        return end_of_list(complete, deadline, Stop.COUNT)

    def count(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Answer:
        """Return the number of solutions by SCIP's own counting, which lists none; see ``CountingSolver``.

        It counts a whole subtree at once if no constraint restricts it any more (Achterberg, Heinz and Koch
        2008). SCIP counts 0-1 vectors, so the key must determine every column.
        """
        stated = self.stated(problem.with_objective(None), settings, deadline, key)
        if stated is None:
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED, count=0)
        model, scip = stated[0], stated[1].scip
        if len(model.key_columns(problem.keys[key])) < model.size["columns"]:
            raise UsageError(
                f"SCIP counts points, of which several may be one {key}; list the solutions instead"
            )
        scip.setParamsCountsols()
        scip.setParam("constraints/countsols/active", True)  # as PySCIPOpt's count(), which blocks Ctrl-C
        if not call_interruptibly(scip.optimizeNogil, deadline, scip.interruptSolve):
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED, count=0)
        status, count = scip.getStatus(), int(scip.getNCountedSols())
        proof, stop = STATUSES.get(status, (Proof.NONE, Stop.ERROR))
        if stop is Stop.ERROR or count < 0:
            raise EngineFault(f"{self.name} failed to count: SCIP status {status}, count {count}")
        if proof is Proof.INFEASIBLE:  # every point was counted and refused
            return Answer(None, Proof.COMPLETE, Stop.FINISHED, count=count)
        return Answer(None, Proof.NONE, deadline.stop or stop, count=count)

    def tree(
        self, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
    ) -> tuple[list[SearchNode], Stop]:
        """Return the nodes that SCIP solves, without presolve and heuristics; see ``TreeSolver``.

        Presolve would replace the model's columns by others. Heuristics would end most searches for any
        solution before there is a tree.
        """
        loaded = build_interruptibly(lambda: LoadedScip(model, Settings(), deadline), deadline)
        if loaded is None:
            return [], deadline.stop or Stop.INTERRUPTED
        scip = loaded.scip
        loaded.switch_off("Presolve", "Heuristics")
        scip.setParam("misc/usesymmetry", 0)
        scip.setParam("limits/nodes", limit)
        set_parameters(scip, settings)
        if costs is not None:
            loaded.set_costs(costs)
        recorder = TreeRecorder(scip, loaded.x)
        ending = loaded.run(deadline)
        if ending.stop is Stop.ERROR and not deadline.stop:
            raise EngineFault(f"{self.name} failed: {ending.message}")
        return recorder.nodes, ending.stop


class LoadedScip:
    """A linear model in SCIP, ``scip``, and its columns ``x``; see ``contract.Loaded``.

    It is incomplete if the deadline passes first. It has no costs until ``set_costs``.
    """

    def __init__(self, model: Model, settings: Settings, deadline: Deadline):
        import pyscipopt

        self.scip = pyscipopt.Model()
        self.scip.hideOutput()
        self.scip.setParam("misc/catchctrlc", False)  # the deadline handles it
        set_parameters(self.scip, settings)
        self.x: list[Any] = []
        self._reports = False
        arrays, self._sense = model.arrays, "maximize" if model.sense == MAXIMISE else "minimize"
        self._is_bounded = bool((abs(arrays.lower) < inf).all() and (abs(arrays.upper) < inf).all())
        columns = zip(arrays.lower.tolist(), arrays.upper.tolist(), arrays.integer.tolist(), strict=True)
        for j, (low, high, is_integer) in enumerate(columns):
            if j % 64 == 0 and deadline.stop:
                break
            kind = "B" if is_integer and (low, high) == (0, 1) else "I" if is_integer else "C"
            self.x.append(self.scip.addVar(vtype=kind, lb=_finite(low), ub=_finite(high)))
        for i in range(len(arrays.row_lower)):
            if i % 64 == 0 and deadline.stop:
                break
            row, low, high = arrays.row(i), float(arrays.row_lower[i]), float(arrays.row_upper[i])
            if low > -inf or high < inf:
                self._add_row(row[0].tolist(), row[1].tolist(), low, high)

    def _add_row(self, columns: Sequence[int], factors: Sequence[float], low: float, high: float) -> None:
        if not columns:  # SCIP requires an expression, not a number
            if not low <= 0 <= high:
                self.scip.addCons(self.scip.addVar(vtype="B") >= 2)
            return
        terms = [(self.x[j], a) for j, a in zip(columns, factors, strict=True)]
        self.scip.addCons(row_of(terms, _finite(low), _finite(high)))

    def bound(self, columns: Sequence[int], lower: float, upper: float) -> None:
        self.scip.freeTransform()
        infinity = self.scip.infinity()
        for j in columns:
            self.scip.chgVarLb(self.x[j], max(lower, -infinity))
            self.scip.chgVarUb(self.x[j], min(upper, infinity))

    def add_row(self, columns: Sequence[int], coefficients: Sequence[float], low: float, high: float) -> None:
        self.scip.freeTransform()
        self._add_row(columns, coefficients, low, high)

    def set_costs(self, costs: Sequence[float] | None) -> None:
        from pyscipopt import quicksum

        self.scip.freeTransform()
        terms = zip(self.x, costs or (), strict=False)
        self.scip.setObjective(quicksum(cost * x for x, cost in terms if cost), self._sense)

    def switch_off(self, *parts: str) -> None:
        """Switch parts of SCIP off: ``Presolve``, ``Heuristics``, ``Separating``."""
        from pyscipopt import SCIP_PARAMSETTING

        for part in parts:
            getattr(self.scip, f"set{part}")(SCIP_PARAMSETTING.OFF)

    def run(self, deadline: Deadline) -> Answer:
        scip = self.scip
        if deadline.stop:
            return Answer(None, Proof.NONE, deadline.stop)
        if deadline.remaining is not None:
            scip.setParam("limits/time", deadline.remaining)
        if not self._reports:
            self._reports = True
            report_incumbents(scip, deadline.progress.improve)
        if not call_interruptibly(scip.optimizeNogil, deadline, scip.interruptSolve):
            return Answer(None, Proof.NONE, deadline.stop or Stop.INTERRUPTED)

        def vector() -> list[float] | None:
            if status in WITHOUT_BOUNDS:
                return None
            best = scip.getBestSol()
            return [scip.getSolVal(best, column) for column in self.x] if scip.getNSols() > 0 else None

        status, counts = scip.getStatus(), {"nodes": int(scip.getNTotalNodes())}
        statuses = STATUSES if self._is_bounded else STATUSES | WITHOUT_BOUNDS
        words, bound = f"SCIP status {status}", float(scip.getDualbound())
        bound = inf if scip.isInfinity(abs(bound)) and status == "optimal" else bound
        return answer_of(statuses, status, deadline, vector, words, statistics=counts, bound=bound)


def _finite(end: float) -> float | None:
    return None if abs(end) == inf else end


def set_parameters(scip: pyscipopt.Model, settings: Settings) -> None:
    """Set the seed and the requested parameters. Raises UsageError."""
    scip.setParam("randomization/randomseedshift", settings.seed)
    known = scip.getParams()
    for name, text in settings.options.items():
        if name not in known:
            raise UsageError(f"SCIP has no parameter {name!r}")
        kind = type(known[name])
        try:
            scip.setParam(name, text.upper() == "TRUE" if kind is bool else kind(text))
        except Exception:  # PySCIPOpt raises whatever SCIP's return code maps to
            raise UsageError(f"SCIP does not accept {name}={text}") from None


def report_incumbents(scip: pyscipopt.Model, improve: Callable[[float], object]) -> None:
    """Let SCIP report the objective of each new best solution."""
    from pyscipopt import SCIP_EVENTTYPE

    def report(model: pyscipopt.Model, _event: Any) -> None:
        improve(model.getSolObjVal(model.getBestSol()))

    handle_events(scip, "incumbents", [SCIP_EVENTTYPE.BESTSOLFOUND], report)


def handle_events(
    scip: pyscipopt.Model, name: str, kinds: Sequence[int], handle: Callable[[pyscipopt.Model, Any], object]
) -> None:
    """Add an event handler to the model: a function of the model and an event of one of these kinds.

    SCIP would never be freed if the function held the model itself.
    """
    from pyscipopt import Eventhdlr

    class Handler(Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            for kind in kinds:
                self.model.catchEvent(kind, self)

        def eventexit(self) -> None:
            for kind in kinds:
                self.model.dropEvent(kind, self)

        def eventexec(self, event: Any) -> None:
            handle(self.model, event)

    scip.includeEventhdlr(Handler(), name, name)


def row_of(terms: Iterable[tuple[Any, float]], low: float | None, high: float | None) -> Any:
    """Return the row low <= Σ coefficient · column <= high, faster than operators make it."""
    from pyscipopt.scip import Expr, ExprCons, Term

    return ExprCons(Expr({Term(column): a for column, a in terms}), low, high)


def collect_points(
    scip: pyscipopt.Model, x: Sequence[Any], least: int, note: Callable[[list[int]], bool]
) -> None:
    """Add a constraint handler to the model that reports the choices of each point while SCIP solves it.

    SCIP can count solutions in one tree but does not list them. The constraint handler refuses every point
    that SCIP finds, reports it, and cuts it off, so that SCIP continues until no point is left.

    Parameters
    ----------
    scip
        The model.
    x
        The columns in which the points differ.
    least
        In how many of the columns of one point another is 0 at least.
    note
        A function that takes the choices of a point, as positions in ``x``; SCIP stops if it returns False.
    """
    from pyscipopt import SCIP_PARAMSETTING, SCIP_RESULT, Conshdlr

    class Collector(Conshdlr):  # type: ignore[misc]
        def consenfolp(self, *_: Any) -> dict[str, Any]:
            """Report the relaxation's point, which is integral in this callback, and cut it off."""
            return self._note()

        def consenfops(self, _constraints: Any, _useful: int, infeasible: bool, *_: Any) -> dict[str, Any]:
            """Report the pseudo solution, if it is a point, and cut it off."""
            return self._note() if not infeasible else {"result": SCIP_RESULT.INFEASIBLE}

        def conscheck(self, *_: Any) -> dict[str, Any]:
            """Refuse every point, so that none ends the search."""
            return {"result": SCIP_RESULT.INFEASIBLE}

        def conslock(self, _constraint: Any, kind: Any, positive: int, negative: int) -> None:
            """Lock all columns in both directions, so that no reduction treats one direction as safe."""
            for column in x:
                self.model.addVarLocksType(column, kind, positive + negative, positive + negative)

        def _note(self) -> dict[str, Any]:
            chosen = [i for i, column in enumerate(x) if self.model.getSolVal(None, column) > 0.5]
            if not note(chosen):
                self.model.interruptSolve()
            row = row_of([(x[i], 1.0) for i in chosen], None, len(chosen) - least)
            self.model.addCons(row)
            return {"result": SCIP_RESULT.CONSADDED}

    scip.setPresolve(SCIP_PARAMSETTING.OFF)
    scip.setParam("misc/allowstrongdualreds", False)
    scip.setParam("misc/allowweakdualreds", False)
    scip.setParam("misc/usesymmetry", 0)
    scip.setParam("constraints/countsols/active", False)
    scip.includeConshdlr(
        Collector(), "collector", "notes and refuses every point", enfopriority=-9999999,
        chckpriority=-9999999, needscons=False,
    )  # fmt: skip


# An event handler that records SCIP's own branch-and-bound tree during the search.


class TreeRecorder:
    """The nodes that SCIP has solved so far, by SCIP's own numbers.

    Parameters
    ----------
    scip
        The model without presolve, so that the tree has the same columns.
    columns
        Its columns.
    """

    def __init__(self, scip: pyscipopt.Model, columns: Sequence[Any]):
        self._scip, self._columns = scip, columns
        self._number: dict[str, int] = {}
        self._place: dict[int, int] = {}
        self._focus: int | None = None
        self.nodes: list[SearchNode] = []
        self._listen()

    def _listen(self) -> None:
        from pyscipopt import SCIP_EVENTTYPE

        status_of = {
            SCIP_EVENTTYPE.NODEINFEASIBLE: "infeasible",
            SCIP_EVENTTYPE.NODEBRANCHED: "branched",
            SCIP_EVENTTYPE.NODEFOCUSED: "open",
        }

        def handle(_model: pyscipopt.Model, event: Any) -> None:
            if status := status_of.get(event.getType()):
                self.note(event.getNode(), status)
            else:
                self.note_solution()

        handle_events(self._scip, "tree", [*status_of, SCIP_EVENTTYPE.BESTSOLFOUND], handle)

    def note(self, node: Any, status: str) -> None:
        """Record a node that SCIP starts to process, or its outcome."""
        place = self._focus = self._place_of(node)
        if status == "open" or self.nodes[place].status == "solution":
            return  # SCIP also reports a node as infeasible if nothing better than its solution is left
        if status == "infeasible" and self._scip.getNSols() > 0:
            status = "bound"  # SCIP does not distinguish the two once there is an incumbent
        low = float(node.getLowerbound())
        self.nodes[place] = self.nodes[place]._replace(
            x=self._vertex() if status == "branched" else None,
            bound=None if self._scip.isInfinity(abs(low)) else low,
            status=status,
        )

    def note_solution(self) -> None:
        """Record a solution that was found at the current node, possibly while SCIP tries branchings."""
        place, best = self._focus, self._scip.getBestSol()
        if place is None:
            place = self._place_of(self._scip.getCurrentNode())
        x = tuple(float(self._scip.getSolVal(best, column)) for column in self._columns)
        cost = float(self._scip.getSolObjVal(best))
        self.nodes[place] = self.nodes[place]._replace(x=x, bound=cost, status="solution")

    def _place_of(self, node: Any) -> int:
        """Return the position of a node in the list; append it if it is new."""
        number = int(node.getNumber())
        if number not in self._place:
            parent = node.getParent()
            above = None if parent is None else self._place.get(int(parent.getNumber()))
            self._place[number] = len(self.nodes)
            self.nodes.append(SearchNode(above, self._bounds(node, above), None, None, "open"))
        return self._place[number]

    def _bounds(self, node: Any, above: int | None) -> tuple[tuple[int, float, float], ...]:
        """Return the columns that were branched on at the parent, with their new bounds."""
        branchings = None if above is None else node.getParentBranchings()
        if branchings is None:
            return ()
        if not self._number:
            transformed = (self._scip.getTransformedVar(column) for column in self._columns)
            self._number = {column.name: j for j, column in enumerate(transformed)}
        found = []
        for column, bound, kind in zip(*branchings, strict=True):
            j = self._number.get(column.name)
            if j is not None:
                found.append((j, float(bound), 1.0) if kind == 0 else (j, 0.0, float(bound)))
        return tuple(found)

    def _vertex(self) -> tuple[float, ...]:
        """Return the relaxation's point at the current node."""
        return tuple(float(self._scip.getSolVal(None, column)) for column in self._columns)
