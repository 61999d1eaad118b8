"""List all solutions of linear models: by hand-written cuts on a live HiGHS, and through this package.

    python benchmarks/any_model.py [--limit 500] [--rounds 3]

The models are PuLP problems. By hand: solve, add a cut that excludes the solution, solve again, on one live
HiGHS. Through this package: cuts, HiGHS's partition and the default; each solution is checked, and a complete
list is confirmed. Seconds are those of the processor, with workers. All ways list at most so many solutions.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable

import pulp
from measure import header, processor_seconds, ratio

import milp_pips
from milp_pips.formulations.reading.objects.pulp import from_pulp
from milp_pips.formulations.writing import to_highspy


def queens(n: int) -> pulp.LpProblem:
    """Return n queens on a board of n rows, none attacking another."""
    problem = pulp.LpProblem("queens")
    x = {(i, j): pulp.LpVariable(f"x_{i}_{j}", cat="Binary") for i in range(n) for j in range(n)}
    for i in range(n):
        problem += pulp.lpSum(x[i, j] for j in range(n)) == 1
        problem += pulp.lpSum(x[j, i] for j in range(n)) == 1
    for d in range(1 - n, n):
        problem += pulp.lpSum(x[i, i - d] for i in range(n) if 0 <= i - d < n) <= 1
        problem += pulp.lpSum(x[i, n - 1 - i + d] for i in range(n) if 0 <= n - 1 - i + d < n) <= 1
    return problem


def latin(n: int) -> pulp.LpProblem:
    """Return the Latin squares of an order."""
    problem, every = pulp.LpProblem("latin"), range(n)
    x = {
        (i, j, k): pulp.LpVariable(f"x_{i}_{j}_{k}", cat="Binary")
        for i in every
        for j in every
        for k in every
    }
    for a in every:
        for b in every:
            problem += pulp.lpSum(x[a, b, k] for k in every) == 1
            problem += pulp.lpSum(x[a, j, b] for j in every) == 1
            problem += pulp.lpSum(x[i, a, b] for i in every) == 1
    return problem


def matchings(rows: int, columns: int) -> pulp.LpProblem:
    """Return the perfect matchings of a grid: its tilings by dominoes."""
    problem = pulp.LpProblem("matchings")
    cells = [(i, j) for i in range(rows) for j in range(columns)]
    edges = {
        (cell, other): pulp.LpVariable(f"e_{cell[0]}_{cell[1]}_{other[0]}_{other[1]}", cat="Binary")
        for cell in cells
        for other in ((cell[0], cell[1] + 1), (cell[0] + 1, cell[1]))
        if other in cells
    }
    for cell in cells:
        problem += pulp.lpSum(e for pair, e in edges.items() if cell in pair) == 1
    return problem


def lots(periods: int) -> pulp.LpProblem:
    """Return lot sizes with continuous amounts: solutions differ in when the machine is set up."""
    problem = pulp.LpProblem("lots", pulp.LpMinimize)
    opened = [pulp.LpVariable(f"open_{t}", cat="Binary") for t in range(periods)]
    made = [pulp.LpVariable(f"make_{t}", 0, 30) for t in range(periods)]
    stock = [pulp.LpVariable(f"stock_{t}", 0, 25) for t in range(periods)]
    for t in range(periods):
        problem += (stock[t - 1] if t else 0) + made[t] - stock[t] == 3 + 7 * t % 5
        problem += made[t] <= 30 * opened[t]
    return problem


def by_hand(problem: pulp.LpProblem, limit: int) -> int:
    """List by cuts over the binary columns of a live HiGHS; return the number of solutions."""
    import highspy

    model = from_pulp(problem)
    highs = to_highspy(model)
    binary = [j for j, column in enumerate(model.columns) if column.integer]
    found = 0
    while found < limit:
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            break
        x = highs.getSolution().col_value
        ones = [j for j in binary if x[j] > 0.5]
        zeros = [j for j in binary if x[j] <= 0.5]
        highs.addRow(
            -highspy.kHighsInf,
            len(ones) - 1.0,
            len(binary),
            ones + zeros,
            [1.0] * len(ones) + [-1.0] * len(zeros),
        )
        found += 1
    return found


def through(problem: pulp.LpProblem, limit: int, solver: str = "", method: str = "auto") -> int:
    """List through this package; return the number of solutions."""
    return sum(1 for _ in milp_pips.solutions(problem, solver, method=method, limit=limit))


WAYS: dict[str, Callable[[pulp.LpProblem, int], int]] = {
    "by hand, cuts": by_hand,
    "cuts by highs": lambda problem, limit: through(problem, limit, "highs", "cuts"),
    "partition by highs": lambda problem, limit: through(problem, limit, "highs", "partition"),
    "default": through,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(header("highspy", "PuLP"))
    print(f"\n| model | solutions | {' | '.join(WAYS)} |\n|---|---|{'---|' * len(WAYS)}")
    for name, problem in (
        ("8 queens", queens(8)),
        ("Latin squares of order 4", latin(4)),
        ("tilings of 6 × 6 cells", matchings(6, 6)),
        ("lot sizes, 10 periods", lots(10)),
    ):
        ways = {n: way for n, way in WAYS.items() if not (name.startswith("lot") and n == "cuts by highs")}
        spent: dict[str, list[float]] = {way: [] for way in ways}
        counts = set()
        for _ in range(arguments.rounds):
            for way, task in ways.items():
                begun = processor_seconds()
                counts.add(task(problem, arguments.limit))
                spent[way].append(processor_seconds() - begun)
        assert len(counts) == 1, counts
        hand = spent["by hand, cuts"]
        cells = [
            f"{statistics.median(spent[way]):.2f} s ({ratio(spent[way], hand):.2f})" if way in spent else "–"
            for way in WAYS
        ]
        print(f"| {name} | {counts.pop()} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
