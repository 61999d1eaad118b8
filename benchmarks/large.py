"""First solutions of large generated boards by the default solver: medians and worst over seeds.

python benchmarks/large.py --dominoes 200 400 1000 --count 10
python benchmarks/large.py --dominoes 400 --rules SUM --region-sizes 4..7
"""

from __future__ import annotations

import argparse
import statistics
import time

from measure import header

import milp_pips


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dominoes", type=int, nargs="+", default=[50, 100, 200, 400, 1000, 2000])
    parser.add_argument("--count", type=int, default=10, help="puzzles of each size")
    parser.add_argument("--rules", help="as for generate")
    parser.add_argument("--region-sizes", default="1..5")
    parser.add_argument("--solver", default="")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per puzzle")
    arguments = parser.parse_args()
    rules = {"rules": arguments.rules} if arguments.rules else {}
    print(header("highspy"))
    print("| dominoes | solver | solved | median s | worst s |\n|---|---|---|---|---|")
    for dominoes in arguments.dominoes:
        spent, solved, names = [], 0, set()
        for made in milp_pips.generate(
            dominoes=dominoes,
            count=arguments.count,
            seed=arguments.seed,
            region_sizes=arguments.region_sizes,
            **rules,
        ):
            begun = time.perf_counter()
            result = milp_pips.solve(made.puzzle, arguments.solver, seconds=arguments.limit)
            spent.append(time.perf_counter() - begun)
            solved += result.status == "solved"
            names.add(result.solver)
        who, median, worst = "/".join(sorted(names)), statistics.median(spent), max(spent)
        row = f"{dominoes} | {who} | {solved} of {len(spent)} | {median:.2f} | {worst:.2f}"
        print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
