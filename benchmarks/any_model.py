"""List the solutions of linear models through this package, and by hand with other engines.

    python benchmarks/any_model.py [ROW ...] [--models FOLDER] [--rounds 3] [--ways tree default ...]

The models are PuLP problems, each built anew, and MPS files of a folder, such as MIPLIB's p0033. For each
row: the method ``tree``, whose certificate is written and checked, the default method, with its ratio to the
best by hand: what suits the row of CP-SAT, SCIP, clingo, and cuts on a live HiGHS, without a proof
(``by_hand.py``). Seconds are those of the processor; each way has one process for all rows, warm, and the
ways take turns. ``--rows`` prints the names of the rows.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import by_hand
import pulp
from measure import header, processor_seconds, separate_processes

import milp_pips
from milp_pips.formulations.reading.objects.pulp import from_pulp

OURS = ("tree", "default")
FILES = ("p0033", "misc03", "lseu", "rgn", "egout", "flugpl")


class Case(NamedTuple):
    """A row: the function that builds its model, the keywords of ``solutions``, and the rivals.

    The goal is in seconds, or as a multiple of the seconds of the best rival.
    """

    build: Callable[[], Any]
    asked: Mapping[str, Any] = {}
    rivals: tuple[str, ...] = ()
    goal: float | None = None
    times: float | None = None


def binaries(name: str, count: int) -> list[pulp.LpVariable]:
    return [pulp.LpVariable(f"{name}_{j}", cat="Binary") for j in range(count)]


def queens(n: int) -> pulp.LpProblem:
    """Return n queens on a board of n rows, none attacking another."""
    problem = pulp.LpProblem("queens")
    x = [binaries(f"x_{i}", n) for i in range(n)]
    for i in range(n):
        problem += pulp.lpSum(x[i]) == 1
        problem += pulp.lpSum(x[j][i] for j in range(n)) == 1
    for d in range(1 - n, n):
        problem += pulp.lpSum(x[i][i - d] for i in range(n) if 0 <= i - d < n) <= 1
        problem += pulp.lpSum(x[i][n - 1 - i + d] for i in range(n) if 0 <= n - 1 - i + d < n) <= 1
    return problem


def assignment(n: int, most: int, seed: int) -> pulp.LpProblem:
    """Return an assignment of n people to n tasks, of least cost."""
    rng, problem = Random(seed), pulp.LpProblem("assignment", pulp.LpMinimize)
    x = [binaries(f"x_{i}", n) for i in range(n)]
    problem += pulp.lpSum(rng.randint(1, most) * x[i][j] for i in range(n) for j in range(n))
    for i in range(n):
        problem += pulp.lpSum(x[i]) == 1
        problem += pulp.lpSum(row[i] for row in x) == 1
    return problem


def tour(n: int, seed: int) -> pulp.LpProblem:
    """Return a shortest tour of n towns, with the order of the towns as columns (Miller, Tucker, Zemlin)."""
    rng, problem = Random(seed), pulp.LpProblem("tour", pulp.LpMinimize)
    towns = [(rng.randint(0, 5), rng.randint(0, 5)) for _ in range(n)]
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    x = {(i, j): pulp.LpVariable(f"x_{i}_{j}", cat="Binary") for i, j in pairs}
    order = [pulp.LpVariable(f"order_{i}", 1, n - 1, "Integer") if i else 0 for i in range(n)]
    far = {(i, j): sum(abs(a - b) for a, b in zip(towns[i], towns[j], strict=True)) for i, j in pairs}
    problem += pulp.lpSum(far[pair] * x[pair] for pair in pairs)
    for i in range(n):
        problem += pulp.lpSum(x[i, j] for j in range(n) if j != i) == 1
        problem += pulp.lpSum(x[j, i] for j in range(n) if j != i) == 1
    for i, j in pairs:
        if i and j:
            problem += order[i] - order[j] + (n - 1) * x[i, j] <= n - 2
    return problem


def lots(periods: int, seed: int) -> pulp.LpProblem:
    """Return lot sizes with continuous amounts: solutions differ in when the machine is set up."""
    rng, problem = Random(seed), pulp.LpProblem("lots", pulp.LpMinimize)
    opened = binaries("open", periods)
    made = [pulp.LpVariable(f"make_{t}", 0, 30) for t in range(periods)]
    stock = [pulp.LpVariable(f"stock_{t}", 0, 25) for t in range(periods)]
    problem += pulp.lpSum(20 * opened[t] + stock[t] for t in range(periods))
    for t in range(periods):
        problem += (stock[t - 1] if t else 0) + made[t] - stock[t] == rng.randint(2, 14) / 2
        problem += made[t] <= 30 * opened[t]
    return problem


def knapsack(n: int, seed: int) -> pulp.LpProblem:
    """Return a knapsack of n things that holds half of their weight; values are close to weights."""
    rng, problem = Random(seed), pulp.LpProblem("knapsack", pulp.LpMaximize)
    x = binaries("x", n)
    weights = [rng.randint(10, 60) for _ in x]
    problem += pulp.lpSum((w + rng.randint(-5, 5)) * one for w, one in zip(weights, x, strict=True))
    problem += pulp.lpSum(w * one for w, one in zip(weights, x, strict=True)) <= sum(weights) // 2
    return problem


def cover(rows: int, columns: int, seed: int, *, priced: bool = True) -> pulp.LpProblem:
    """Return a set cover: each row has four columns, one of which is wanted."""
    rng, problem = Random(seed), pulp.LpProblem("cover", pulp.LpMinimize)
    x = binaries("x", columns)
    if priced:
        problem += pulp.lpSum(x)
    for _ in range(rows):
        problem += pulp.lpSum(rng.sample(x, 4)) >= 1
    return problem


def equal_knapsack(n: int, seed: int) -> pulp.LpProblem:
    """Return a knapsack that is filled exactly, of n integers 0 to 3."""
    rng, problem = Random(seed), pulp.LpProblem("equal")
    x = [pulp.LpVariable(f"x_{j}", 0, 3, "Integer") for j in range(n)]
    weights = [rng.randint(1000, 9999) for _ in x]
    problem += pulp.lpSum(w * one for w, one in zip(weights, x, strict=True)) == 3 * sum(weights) // 2
    return problem


def free_integers(n: int) -> pulp.LpProblem:
    """Return n integers from -50 to 50 whose sum is small."""
    problem = pulp.LpProblem("free")
    x = [pulp.LpVariable(f"x_{j}", -50, 50, "Integer") for j in range(n)]
    problem += pulp.lpSum((1 + j % 3) * one for j, one in enumerate(x)) <= 7
    problem += pulp.lpSum((1 - 2 * (j % 2)) * one for j, one in enumerate(x)) >= -3
    return problem


OPTIMA, NEAR, TEN = {"within": 0}, {"within_relative": 0.01}, {"best": 10}
TREES, CUTS = ("cp-sat", "scip", "clingo"), ("cuts",)

ROWS: dict[str, Case] = {
    "queens-8": Case(lambda: queens(8), {}, ("cp-sat", "clingo"), 0.15),
    "assignment-9": Case(lambda: assignment(9, 6, 1), OPTIMA, TREES, 0.15),
    "tour-9": Case(lambda: tour(9, 1), OPTIMA, ("cp-sat", "clingo"), 0.3),
    "lots-10": Case(lambda: lots(10, 1), {"within_relative": 0.2}, CUTS, 0.3),
    "knapsack-30": Case(lambda: knapsack(30, 1), NEAR, ("cp-sat", "scip"), None, 5),
    "cover-60": Case(lambda: cover(60, 40, 1), OPTIMA, TREES, 0.8),
    "covers-all": Case(lambda: cover(20, 20, 21, priced=False), {}, ("cp-sat", "clingo"), None, 1.2),
    "assignment-12-best": Case(lambda: assignment(12, 99, 1), TEN, CUTS, None, 2),
    "knapsack-30-best": Case(lambda: knapsack(30, 1), TEN, CUTS, None, 2),
    "integers-20-first": Case(lambda: free_integers(20), {"limit": 5}, (), 0.5),
    "equal-20-first": Case(lambda: equal_knapsack(20, 1), {"limit": 1}, (), 0.5),
    **{f"assignment-9-{s}": Case(lambda s=s: assignment(9, 6, s), OPTIMA, TREES, 0.15) for s in (2, 3)},
    **{f"tour-9-{s}": Case(lambda s=s: tour(9, s), OPTIMA, ("cp-sat", "clingo"), 0.3) for s in (2, 3)},
    **{f"lots-10-{s}": Case(lambda s=s: lots(10, s), {"within_relative": 0.2}, CUTS, 0.3) for s in (2, 3)},
    **{f"knapsack-30-{s}": Case(lambda s=s: knapsack(30, s), NEAR, ("scip",), None, 5) for s in (2, 3)},
    **{f"cover-60-{s}": Case(lambda s=s: cover(60, 40, s), OPTIMA, TREES, 0.8) for s in (2, 3)},
    "assignment-12-best-2": Case(lambda: assignment(12, 99, 2), TEN, CUTS, None, 2),
    "knapsack-30-best-2": Case(lambda: knapsack(30, 2), TEN, CUTS, None, 2),
    **{name: Case(lambda: None, OPTIMA, (), 30) for name in FILES},
}


@cache
def model_of(row: str, folder: str) -> Any:
    """Return the PuLP problem of a row, or the model of a file."""
    return milp_pips.read(str(Path(folder) / f"{row}.mps")) if row in FILES else ROWS[row].build()


def measure(way: str, row: str, folder: str, seconds: float) -> tuple[float, int | None]:
    """Return the processor seconds of a list in this process, and its length; None if it is not complete."""
    model, asked = model_of(row, folder), ROWS[row].asked
    begun = processor_seconds()
    if way not in OURS:
        number = by_hand.WAYS[way](from_pulp(model), asked, seconds)
        return processor_seconds() - begun, number
    method = "tree" if way == "tree" else "auto"
    found = milp_pips.solutions(model, method=method, seconds=seconds, **asked)
    number = sum(1 for _ in found)
    assert found.summary is not None
    limited = asked.get("limit") == number
    return processor_seconds() - begun, number if found.summary.complete or limited else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="names of rows (default: all)")
    parser.add_argument("--rows", dest="lists_rows", action="store_true", help="print the names of the rows")
    parser.add_argument("--models", default="", metavar="FOLDER", help="a folder with p0033.mps and others")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0, help="the time limit of a list")
    parser.add_argument("--ways", nargs="*", default=[*OURS, *by_hand.WAYS])
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds: expected at least 1, not {arguments.rounds}")
    names = arguments.rows or [row for row in ROWS if arguments.models or row not in FILES]
    if arguments.lists_rows or set(names) - set(ROWS):
        parser.exit(not arguments.lists_rows, f"the rows: {' '.join(ROWS)}\n")
    print(header("highspy", "PuLP", "ortools", "pyscipopt", "clingo"))
    cells = "model", "solutions", "tree", "default", "best by hand", "ratio", "goal", "default meets it"
    print(f"\n| {' | '.join(cells)} |\n|" + "---|" * len(cells))
    with separate_processes(len(arguments.ways)) as processes:
        places = dict(zip(arguments.ways, processes, strict=True))
        for name in names:
            print(line_of(name, places, arguments), flush=True)


def line_of(name: str, places: Mapping[str, Callable[..., Any]], arguments: argparse.Namespace) -> str:
    """Return the line of the table."""
    case = ROWS[name]
    ways = [way for way in places if way in OURS or way in case.rivals]
    spent: dict[str, list[float]] = {way: [] for way in ways}
    lengths: dict[str, int | None] = {}
    for counted in range(-1, arguments.rounds):  # the first round warms up
        for way in ways:
            if counted > 0 and sum(spent[way]) > arguments.seconds:
                continue  # a slow way is measured less often
            seconds, lengths[way] = places[way](measure, way, name, arguments.models, arguments.seconds)
            if counted >= 0:
                spent[way].append(seconds)
    known = {length for length in lengths.values() if length is not None}
    assert len(known) <= 1, f"{name}: {lengths}"
    medians = {way: statistics.median(s) for way, s in spent.items() if lengths[way] is not None}
    best = min((way for way in medians if way not in OURS), key=medians.__getitem__, default=None)
    cells = [f"{medians[way]:.2f}" if way in medians else "–" for way in OURS]
    cells.append(f"{medians[best]:.2f} ({best})" if best else "–")
    ours = medians.get("default")
    cells.append(f"{ours / medians[best]:.1f}" if best and ours is not None else "–")
    most = case.goal
    if case.times is not None and best is not None:
        most = case.times * medians[best]
    goal = "–" if most is None else f"{most:.2f}"
    met = "–" if most is None or ours is None else "yes" if ours <= most else "**no**"
    number = known.pop() if known else "–"
    return f"| {name} | {number} | {' | '.join(cells)} | {goal} | {met} |"


if __name__ == "__main__":
    main()
