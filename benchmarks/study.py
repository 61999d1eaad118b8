"""Run the study: MIP, CP, SAT, ASP and the defaults on puzzles and models, for three questions.

    python benchmarks/study.py run --out DIR [--published FOLDER] [--models FOLDER] [--minutes 4]
    python benchmarks/study.py keep DIR benchmarks/results/DATE [--published FOLDER] [--models FOLDER]
    python benchmarks/study.py tables benchmarks/results/DATE

``study_design.py`` has the puzzles, the questions and the ways to answer them, ``study_tasks.py`` a run.
FOLDERs have days in the New York Times' format, and MPS files. ``run`` makes the runs that
``DIR/results.sqlite`` lacks, a store of ``milp-pips compare``, and ends after the minutes: so it goes on from
any interruption. All ways take turns on a puzzle, in random order, each in a process that
lives on. A way that has not solved all puzzles of one size is not asked at larger ones. ``keep`` writes
``study.csv`` and ``study.json``, and ``tables`` fills the tables of docs/study.md and
benchmarks/results/study.md from them.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from study_design import (
    BY_HAND,
    CONFIRMED,
    DEFAULT,
    LIMITS,
    TREE,
    UNFILTERED,
    Series,
    build_all,
    puzzles,
    series,
)
from study_tables import DOCUMENTS, fill
from study_tasks import Spent, Task, Worker

import milp_pips
from milp_pips.engines.registry import available
from milp_pips.extras.bench.one_run import local_session, now
from milp_pips.extras.bench.store import InstanceRecord, RunKey, RunRecord, Store
from milp_pips.problem.errors import MilpPipsError

COLUMNS = (
    *("question", "group", "point", "puzzle", "way", "status", "seconds", "clock", "solutions", "value"),
    *("load", "message"),
)
"""The columns of ``study.csv``; ``seconds`` are those of the processor."""

STOPS = {"error": "error", "declined": "error"}
SMALL = Path(__file__).parent.parent / "examples" / "pips" / "easy.txt"


class Planned(NamedTuple):
    """A point of a series with a question: its runs are made together."""

    of: Series
    question: str
    value: Any


def plan(folders: argparse.Namespace) -> Iterator[Planned]:
    """Yield all points: first the smallest ones of all series, so that an early end leaves none out."""
    of_all = series(folders.published, folders.models)
    for is_extra in (False, True):
        chosen = [one for one in of_all if one.is_extra == is_extra]
        for place in range(max((len(one.values) for one in chosen), default=0)):
            for one in chosen:
                for question in one.questions if place < len(one.values) else ():
                    yield Planned(one, question, one.values[place])


def run(arguments: argparse.Namespace) -> None:
    """Make the runs that are missing, until the minutes are over."""
    end = time.monotonic() + 60 * arguments.minutes
    arguments.out.mkdir(parents=True, exist_ok=True)
    building = multiprocessing.get_context("spawn").Process(
        target=build_all, args=(series(arguments.published, arguments.models), arguments.out / "puzzles")
    )
    building.start()
    building.join()
    with Store(str(arguments.out / "results.sqlite"), new=True) as store, ExitStack() as stack:
        engines = sorted({engine_of(way) for one in plan(arguments) for way in one.of.ways(one.question)})
        session = store.add(local_session(filter(None, engines), " ".join(sys.argv)))
        workers: dict[str, Worker] = {}
        model = next(one for one in series(None, None) if one.name == "knapsack")
        (_, smallest), *_ = puzzles(model, model.values[0], arguments.out / "puzzles")
        small = {False: milp_pips.read(str(SMALL)), True: smallest}
        milp_pips.solve(small[False])  # loads what all ways need, before they are forked
        known, made = outcomes(store), 0
        for planned in plan(arguments):
            of, question, value = planned
            named = dict(puzzles(of, value, arguments.out / "puzzles"))
            for name, ways in missing(planned, known, arguments.out / "puzzles").items():
                for way in ways:
                    if time.monotonic() > end:
                        print(f"{made} runs; the minutes are over", flush=True)
                        return
                    if way not in workers:
                        workers[way] = Worker(small)
                        stack.callback(workers[way].end)
                    limit, load = LIMITS[question], os.getloadavg()[0]
                    task = Task(question, way, named[name], of.objective, limit, of.is_of_models)
                    spent = workers[way].answer(task)
                    puzzle = record_of_puzzle(of, value, name)
                    record = record_of(key_of(store.add(puzzle), task), session, task, spent, load)
                    store.add(record)
                    known[puzzle.hash, question, way] = record.status == "solved"
                    made += 1
        print(f"{made} runs; nothing is left", flush=True)


Outcomes = dict[tuple[str, str, str], bool]
"""Whether a run has solved its puzzle, by the puzzle's hash, the question and the way."""


def outcomes(store: Store) -> Outcomes:
    """Return the outcomes of all runs of a store."""
    runs, records = store.runs(), store.instances()
    return {(records[one.instance].hash, one.task, one.solver): one.status == "solved" for one in runs}


def missing(planned: Planned, known: Outcomes, kept: Path) -> dict[str, list[str]]:
    """Return the ways that have not run yet for each puzzle of a point, both in random order."""
    of, question, value = planned
    sizes = of.values[: of.values.index(value)] if of.grows else ()
    smaller = [hash_of(of, size, name) for size in sizes for name, _ in puzzles(of, size, kept)]

    def has_failed(way: str) -> bool:
        return any(known.get((one, question, way)) is False for one in smaller)

    ways = [way for way in of.ways(question) if not has_failed(way)]
    rng = random.Random(f"{of.name} {value} {question}")
    names = [name for name, _ in puzzles(of, value, kept)]
    left = {}
    for name in rng.sample(names, len(names)):
        lacking = [way for way in ways if (hash_of(of, value, name), question, way) not in known]
        left[name] = rng.sample(lacking, len(lacking))
    return left


def record_of_puzzle(of: Series, value: Any, name: str) -> InstanceRecord:
    """Return the record of a puzzle in the store."""
    return InstanceRecord(
        id=0, hash=hash_of(of, value, name), name=name, level=str(value), family=of.group, path="",
        folder=of.point(value), size=0, constraints={}, text=None,
    )  # fmt: skip


def hash_of(of: Series, value: Any, name: str) -> str:
    """Return what identifies a puzzle in the store: it is read from a file or made from a seed."""
    return f"{of.group}/{of.point(value)}/{name}"


def engine_of(way: str) -> str:
    """Return the engine of a way, empty for a default."""
    name = way.removesuffix(UNFILTERED).removesuffix(BY_HAND).replace("cuts", "highs")
    return "" if name in (DEFAULT, CONFIRMED) else "highs" if name == TREE else name


def key_of(instance: int, task: Task) -> RunKey:
    rules = "none" if task.way.endswith(UNFILTERED) else "default"
    own = {"formulation": "", "seed": 0, "repeat": 0, "threads": 1, "memory_limit": 0, "options": "{}"}
    return RunKey(
        instance=instance, solver=task.way, task=task.question, time_limit=task.limit, rules=rules, **own
    )


def record_of(key: RunKey, session: int, task: Task, spent: Spent, load: float) -> RunRecord:
    """Return the record of a run; an answer after the limit is none."""
    found, processor, clock = spent
    is_late = found.status == "solved" and processor > task.limit
    status = "unknown" if is_late or found.status == "declined" else found.status
    engine = engine_of(task.way)
    return RunRecord(
        **{name: getattr(key, name) for name in key.__dataclass_fields__},
        session=session,
        started=now(),
        status=status,
        stop="error"
        if found.status in ("error", "declined")
        else "time"
        if status == "unknown"
        else "finished",
        solutions=found.solutions,
        total_seconds=clock,
        wall_seconds=clock,
        clock_processor_seconds=processor,
        processor_seconds=processor,
        load=load,
        version=available(engine).version() if engine else "",
        message=json.dumps({"status": found.status, "value": found.value, "message": found.message}),
    )


def keep(arguments: argparse.Namespace) -> None:
    """Write the runs of a store as a table, with the machine and the versions.

    A puzzle counts once all its runs are made.
    """
    folder, out = arguments.folder, arguments.out
    out.mkdir(parents=True, exist_ok=True)
    with Store(str(folder / "results.sqlite")) as store:
        known, made = outcomes(store), store.runs()
        records, sessions = store.instances(), store.sessions()
        wanted: dict[tuple[str, str], list[str]] = {}
        for planned in plan(arguments):
            for name, left in missing(planned, known, folder / "puzzles").items():
                if not left:
                    of = planned.of
                    wanted[hash_of(of, planned.value, name), planned.question] = of.ways(planned.question)
    counted = [one for one in made if one.solver in wanted.get((records[one.instance].hash, one.task), ())]
    with (out / "study.csv").open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(row_of(records[one.instance], one) for one in counted)
    last, spent = sessions[-1], sum(one.clock_processor_seconds or 0.0 for one in counted)
    notes = {
        "started": counted[0].started[:10], "runs": len(counted), "processor_minutes": round(spent / 60),
        "median_load": median(one.load or 0.0 for one in counted), "limits": LIMITS,
        **{name: getattr(last, name) for name in ("processor", "cores", "machine", "python", "package")},
        "engines": dict(sorted(last.engines.items())),
    }  # fmt: skip
    (out / "study.json").write_text(json.dumps(notes, indent=2) + "\n", encoding="utf-8")


def row_of(record: InstanceRecord, run: RunRecord) -> dict[str, object]:
    """Return the row of a run in the table."""
    said = json.loads(run.message)
    status = "declined" if said["status"] == "declined" else run.status
    return {
        **{"question": run.task, "group": record.family, "point": record.folder, "puzzle": record.name},
        **{"way": run.solver, "status": status, "solutions": run.solutions, "value": said["value"]},
        "seconds": f"{run.clock_processor_seconds:.4f}",
        "clock": f"{run.wall_seconds:.3f}",
        "load": f"{run.load:.1f}",
        "message": "" if status == "solved" else said["message"][:60],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("run", help="make the runs that are missing")
    one.add_argument("--out", type=Path, required=True, metavar="DIR")
    one.add_argument("--minutes", type=float, default=4.0)
    kept = verbs.add_parser("keep", help="write the runs as a table")
    kept.add_argument("folder", type=Path, metavar="DIR")
    kept.add_argument("out", type=Path, metavar="OUT")
    for verb in (one, kept):
        verb.add_argument(
            "--published", type=Path, metavar="FOLDER", help="days in the New York Times' format"
        )
        verb.add_argument("--models", type=Path, metavar="FOLDER", help="MPS files")
    verbs.add_parser("tables", help="fill the tables of the documents").add_argument("folder", type=Path)
    arguments = parser.parse_args()
    try:
        if arguments.verb == "run":
            run(arguments)
        elif arguments.verb == "keep":
            keep(arguments)
        else:
            for document in DOCUMENTS:
                fill(document, arguments.folder)
    except (MilpPipsError, OSError) as error:
        sys.exit(f"study.py: {error}")
    except KeyboardInterrupt:
        sys.exit("interrupted: the same command goes on from here")


if __name__ == "__main__":
    main()
