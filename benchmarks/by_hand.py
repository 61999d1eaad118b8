"""Lists of solutions as one would write them by hand with each engine: nothing is proved or checked.

Each function takes a linear model and keywords of ``milp_pips.solutions``, and returns the
number of solutions that differ in the integer columns; None when time is up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import ceil, floor
from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.problem.objective import MAXIMISE


def worst_value(model: Model, best: float, asked: Mapping[str, Any]) -> float:
    """Return the worst value of the objective that the list includes."""
    by = asked.get("within", 0) + asked.get("within_relative", 0) * abs(best)
    return best - by if model.sense == MAXIMISE else best + by


def by_cp_sat(model: Model, asked: Mapping[str, Any], seconds: float) -> int | None:
    """List by CP-SAT's own enumeration, near an optimum if ``within`` is given; all columns are integer."""
    from ortools.sat.python import cp_model

    cp = cp_model.CpModel()
    x = [cp.new_int_var(int(c.low), int(c.high), "") for c in model.columns]  # type: ignore[arg-type]
    for row in model.rows:
        total = sum(int(a) * x[j] for j, a in row.terms.items())
        low = cp_model.INT32_MIN if row.low is None else int(row.low)
        cp.add_linear_constraint(total, low, cp_model.INT32_MAX if row.high is None else int(row.high))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.max_time_in_seconds = 1, seconds
    if asked:
        value = sum(int(c.cost) * x[j] for j, c in enumerate(model.columns) if c.cost)
        is_max = model.sense == MAXIMISE
        (cp.maximize if is_max else cp.minimize)(value)
        if solver.solve(cp) != cp_model.OPTIMAL:
            return None
        worst = worst_value(model, solver.objective_value, asked)
        cp.clear_objective()
        cp.add(value >= ceil(worst - 1e-6) if is_max else value <= floor(worst + 1e-6))

    class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.points: list[list[int]] = []

        def on_solution_callback(self) -> None:
            self.points.append([self.value(column) for column in x])

    solver.parameters.enumerate_all_solutions = True
    collector = Collector()
    status = solver.solve(cp, collector)
    return len(collector.points) if status in (cp_model.OPTIMAL, cp_model.INFEASIBLE) else None


def by_scip(model: Model, asked: Mapping[str, Any], seconds: float) -> int | None:
    """Count by SCIP's own counting, which keeps no list, near an optimum if ``within`` is given."""
    from pyscipopt import Model as Scip
    from pyscipopt import quicksum

    def loaded() -> tuple[Any, list[Any]]:
        scip = Scip()
        scip.hideOutput()
        scip.setParam("limits/time", seconds)
        x = [scip.addVar(vtype="I" if c.integer else "C", lb=c.low, ub=c.high) for c in model.columns]
        for row in model.rows:
            total = quicksum(float(a) * x[j] for j, a in row.terms.items())
            if row.low is not None:
                scip.addCons(total >= float(row.low))
            if row.high is not None:
                scip.addCons(total <= float(row.high))
        return scip, x

    scip, x = loaded()
    if asked:
        is_max = model.sense == MAXIMISE
        value = quicksum(float(c.cost) * x[j] for j, c in enumerate(model.columns) if c.cost)
        scip.setObjective(value, "maximize" if is_max else "minimize")
        scip.optimize()
        if scip.getStatus() != "optimal":
            return None
        worst = worst_value(model, scip.getObjVal(), asked)
        scip, x = loaded()
        value = quicksum(float(c.cost) * x[j] for j, c in enumerate(model.columns) if c.cost)
        scip.addCons(value >= worst - 1e-6 if is_max else value <= worst + 1e-6)
    scip.setParamsCountsols()
    scip.count()
    return int(scip.getNCountedSols()) if scip.getStatus() in ("optimal", "infeasible") else None


def by_clingo(model: Model, asked: Mapping[str, Any], seconds: float) -> int | None:
    """List by clingo; columns of more than two values become choices among them."""
    import clingo

    lines = []
    for j, column in enumerate(model.columns):
        lines.append(f"1 {{ x({j},{column.low}..{column.high}) }} 1." if (column.low, column.high) != (0, 1)
                     else f"{{ x({j},1) }}.")  # fmt: skip
    for row in model.rows:
        terms = ";".join(f"{a}*V,{j}:x({j},V)" for j, a in row.terms.items())
        low, high = (None if side is None else int(side) for side in (row.low, row.high))
        lines.append(f":- not {'' if low is None else f'{low} <= '}#sum{{{terms}}}"
                     f"{'' if high is None else f' <= {high}'}.")  # fmt: skip
    if asked:
        sign = -1 if model.sense == MAXIMISE else 1
        costs = ";".join(f"{sign * c.cost}*V,{j}:x({j},V)" for j, c in enumerate(model.columns) if c.cost)
        lines.append(f"#minimize{{{costs}}}.")
    control = clingo.Control(["0", *(["--opt-mode=optN"] if asked else [])], logger=lambda *_: None)
    control.add("base", [], "\n".join(lines))
    control.ground([("base", [])])
    if asked.get("within_relative"):  # first the optimum, then all within the bound
        raise NotImplementedError
    points = []

    def note(found: Any) -> None:
        if not asked or found.optimality_proven:
            points.append(found.symbols(atoms=True))

    with control.solve(on_model=note, async_=True) as handle:
        if not handle.wait(seconds):
            handle.cancel()
            return None
        handle.get()
    return len(points)


def by_cuts(model: Model, asked: Mapping[str, Any], seconds: float) -> int | None:
    """List by cuts over the binary columns of a live HiGHS, the best first."""
    import highspy

    from milp_pips.formulations.writing import to_highspy

    highs = to_highspy(model)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("mip_rel_gap", 0.0)
    if not asked:
        highs.changeColsCost(len(model.columns), list(range(len(model.columns))), [0.0] * len(model.columns))
    binary = [j for j, column in enumerate(model.columns) if column.integer]
    found, worst, is_max, begun = 0, None, model.sense == MAXIMISE, time.process_time()
    while found < asked.get("best", float("inf")):
        if time.process_time() - begun > seconds:
            return None
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            break
        value = highs.getObjectiveValue()
        worst = worst_value(model, value, asked) if worst is None else worst
        if "best" not in asked and (value < worst - 1e-6 if is_max else value > worst + 1e-6):
            break
        x = highs.getSolution().col_value
        ones = [j for j in binary if x[j] > 0.5]
        zeros = [j for j in binary if x[j] <= 0.5]
        factors = [1.0] * len(ones) + [-1.0] * len(zeros)
        highs.addRow(-highspy.kHighsInf, len(ones) - 1.0, len(binary), ones + zeros, factors)
        found += 1
    return found


WAYS: dict[str, Callable[[Model, Mapping[str, Any], float], int | None]] = {
    "cp-sat": by_cp_sat,
    "scip": by_scip,
    "clingo": by_clingo,
    "cuts": by_cuts,
}
