"""Compare building the ``implication`` model of a large puzzle with building it from PuLP expressions.

python benchmarks/build_model.py
"""

from __future__ import annotations

import argparse

from measure import header, interleaved, table

import milp_pips
from milp_pips.formulations.milp import formulate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dominoes", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    puzzle = next(milp_pips.generate(style="plain", dominoes=arguments.dominoes, seed=1)).puzzle
    problem = milp_pips.state(puzzle)
    size = formulate(problem, "implication").size
    spent = interleaved(
        {
            "arrays": lambda: formulate(milp_pips.state(puzzle), "implication"),
            "PuLP expressions, same columns, region rules left out": lambda: _by_expressions(puzzle),
        },
        arguments.rounds,
    )
    print(header("numpy", "pulp"))
    print(f"{arguments.dominoes} dominoes, implication: {size}, {arguments.rounds} interleaved rounds\n")
    print(table(spent, "arrays"))


def _by_expressions(puzzle):
    """Return the straightforward PuLP model, but by kinds of dominoes: it has as many columns as ours."""
    import pulp

    problem = pulp.LpProblem("pips")
    pips = sorted({p for d in puzzle.dominoes for p in d})
    kinds: dict[tuple[int, int], int] = {}
    for d in puzzle.dominoes:
        kinds[min(d), max(d)] = kinds.get((min(d), max(d)), 0) + 1
    ways = [
        (a, b, e, w) for a, b in kinds for e in range(len(puzzle.edges)) for w in ((0, 1) if a != b else (0,))
    ]
    x = pulp.LpVariable.dicts("x", ways, cat="Binary")
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    y = pulp.LpVariable.dicts("y", [(i, v) for i in number.values() for v in pips], cat="Binary")
    covering = {i: [] for i in number.values()}
    using = {kind: [] for kind in kinds}
    for way in ways:
        a, b, e, w = way
        first, second = (a, b) if w == 0 else (b, a)
        i, j = (number[cell] for cell in puzzle.edges[e])
        problem += x[way] <= y[i, first]
        problem += x[way] <= y[j, second]
        covering[i].append(x[way])
        covering[j].append(x[way])
        using[a, b].append(x[way])
    for i, here in covering.items():
        problem += pulp.lpSum(here) == 1
        problem += pulp.lpSum(y[i, v] for v in pips) == 1
    for kind, here in using.items():
        problem += pulp.lpSum(here) == kinds[kind]
    return problem


if __name__ == "__main__":
    main()
