"""One list by the tree, in one process and in pieces over several: what the pieces cost.

    python benchmarks/pieces.py [--items 40] [--share 0.01] [--jobs 2]

Lists the nearly optimal solutions of a knapsack. Seconds are those of the processor: of a process that lists
the whole, and of a worker in the mean, without the check of the certificate. Processes slow one another down,
so the whole is listed by one process alone, and by as many at the same time as there are workers: the second
time shows what the pieces cost, the first what a user gains. The time of a commit is that of the process that
hands out the pieces, which commits one after another.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import mean

from measure import header

from milp_pips.enumeration.tree import Tree, TreeSettings
from milp_pips.enumeration.tree_log import TreeLog
from milp_pips.enumeration.tree_pieces import TreeInPieces
from milp_pips.enumeration.tree_points import TreePoints, TreeQuery
from milp_pips.enumeration.whole import in_whole_numbers
from milp_pips.formulations.exact import exact
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem import Deadline
from milp_pips.runtime.executor import OwnProcesses
from milp_pips.runtime.interruptible import Limits


def knapsack(items: int) -> Model:
    """A knapsack whose best solutions differ by little."""
    rng = random.Random(1)
    weights = [rng.randint(20, 100) for _ in range(items)]
    columns = [Column(f"x{j}", 0, 1, True, w + rng.randint(-10, 10)) for j, w in enumerate(weights)]
    return Model(
        tuple(columns), (Row("room", dict(enumerate(weights)), None, sum(weights) // 2),), "maximise"
    )


def listed_whole(items: int, share: float, _: Deadline) -> tuple[float, int, int]:
    """Return the processor seconds of a list by one process, its points and its nodes."""
    with tempfile.TemporaryDirectory() as folder, closing(TreeLog(Path(folder))) as log:
        begun = time.process_time()
        tree = Tree(knapsack(items), TreeQuery(within_relative=exact(share)), TreeSettings(log=log))
        found = len(list(tree.points()) and tree.outcome.points)
        return time.process_time() - begun, found, tree.outcome.nodes


def whole_at_once(count: int, items: int, share: float) -> float:
    """Return the mean processor seconds of processes that list the whole at the same time."""
    from pieces import listed_whole as imported  # workers find no function of ``__main__``

    with OwnProcesses(count) as processes:
        calls = [processes.submit(imported, (items, share), Limits()) for _ in range(count)]
        return mean(call.result().value[0] for call in calls)  # type: ignore[index]


def of_children() -> float:
    """Return the processor seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    print(header())
    model, query = knapsack(arguments.items), TreeQuery(within_relative=exact(arguments.share))
    alone, found, nodes = listed_whole(arguments.items, arguments.share, Deadline())
    beside = whole_at_once(arguments.jobs, arguments.items, arguments.share)
    print(f"one process: {alone:.1f} s alone, {beside:.1f} beside its like, {found} points, {nodes} nodes")
    with tempfile.TemporaryDirectory() as folder, closing(TreeLog(Path(folder))) as log:
        points, calls = TreePoints(in_whole_numbers(model), query), 0
        before, begun, clock = of_children(), time.process_time(), time.perf_counter()
        with OwnProcesses(arguments.jobs) as processes:
            pieces = TreeInPieces(model, query, TreeSettings(log=log, points=points), processes, Deadline())
            commit = pieces._commit

            def counted(future):  # type: ignore[no-untyped-def]
                nonlocal calls
                calls += 1
                return commit(future)

            pieces._commit = counted  # type: ignore[method-assign]
            assert len(list(pieces.points()) and pieces.outcome.points) == found
            clock = time.perf_counter() - clock
        here, workers = time.process_time() - begun, of_children() - before
    each = workers / arguments.jobs
    more = (workers - beside * pieces.outcome.nodes / nodes) / calls
    print(f"{arguments.jobs} workers: {each:.1f} s each ({clock:.1f} by the clock)")
    print(f"{alone / each:.2f} times one process alone, {beside / each:.2f} times one beside its like")
    print(f"{calls} pieces, {here / calls:.4f} s for each commit")
    print(f"{more:.3f} s more for each piece")


if __name__ == "__main__":
    main()
