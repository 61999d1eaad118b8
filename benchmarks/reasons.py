"""Measure explanations: minimal conflicts, hints, steps to the solution, their correctness, and ratings.

    python benchmarks/reasons.py PUZZLES...
    python benchmarks/reasons.py --quick --row stories PUZZLES...
    PYTHONPATH=CPMPY python benchmarks/reasons.py --row cpmpy PUZZLES...

``PUZZLES`` are files with three levels each, in the New York Times' format; their content is not stored.
Without ``--row`` all rows are measured in turn. The row ``cpmpy`` needs CPMpy 1.1, which may be installed in
a separate folder (``pip install --no-deps --target CPMPY cpmpy``); without it the row is skipped. All runs
are written to ``DIR/reasons-ROW.csv``, where DIR is ``benchmarks/results/DATE``; those of ``--quick`` only
with ``--out``.

Seconds are wall-clock seconds, followed by processor seconds, since the machine may be busy.
"""

from __future__ import annotations

import argparse
import datetime
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import instances
import reasoning
from exact import RESULTS, Row, keep
from famous_sudokus import FAMOUS, dug, sudoku
from measure import Line, Run, header, separate_processes
from reasoning import ConflictRuns, StepRuns

import milp_pips
from milp_pips.extras.explain.parameters import GRADES
from milp_pips.extras.explain.techniques.latin import LATIN_PRICES
from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import files_of

LEVELS = ("easy", "medium", "hard")
"""The levels of a day, in the expected order of their ratings."""

LARGE = (50, 100, 150, 300)
"""The numbers of dominoes of the large boards."""

GRADED_SO, IN_ORDER = (0.8, 0.7, 0.85), 0.93
"""The share of the puzzles of each level that are to have it as grade, and of the days in order."""

RATED_WITHIN = 2.0
"""The processor seconds within which any Sudoku is to be rated."""

QUICK = 2
"""The number of days whose puzzles ``--quick`` measures."""


class Request(NamedTuple):
    """The requested measurements; see the command-line arguments."""

    quick: bool = False
    paths: tuple[str, ...] = ()
    limit: float = 60.0
    made: int = 1000
    part: tuple[int, int] = (1, 1)

    def few(self, many: int, few: int) -> int:
        """Return the number of instances to measure."""
        return few if self.quick else many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--row", action="append", choices=ROWS, help="this row only; may be repeated")
    parser.add_argument("--quick", action="store_true", help=f"the puzzles of {QUICK} days")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per puzzle (default: 60)")
    parser.add_argument("--made", type=int, default=1000, help="generated puzzles (default: 1000)")
    parser.add_argument("--part", default="1/1", metavar="N/M", help="one of M parts of the row truth")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where all runs go")
    arguments = parser.parse_args()
    number, parts = map(int, arguments.part.split("/"))
    request = Request(
        arguments.quick, tuple(arguments.puzzles), arguments.limit, arguments.made, (number, parts)
    )
    out = arguments.out or (None if arguments.quick else RESULTS / str(datetime.date.today()))
    measured_on = header("python-sat", "highspy")
    print(f"{measured_on}\n\n| work | goal | measured | |\n|---|---|---|---|", flush=True)
    for name in arguments.row or ROWS:
        print(name, file=sys.stderr, flush=True)
        row = ROWS[name](request)
        for line in row.lines:
            print(line, flush=True)
        if out is not None and row.runs:
            keep(out / f"reasons-{name}.csv", row.runs, measured_on)


# ------------------------------------------------------------------------------------------- no solution


def falsified(request: Request) -> Row:
    """Measure minimal conflicts of hard puzzles with one wrong sum."""
    found = _each(reasoning.measure_confirmation, _puzzles_with_wrong_sum(request), request.limit)
    if not found:
        return _skipped("PUZZLES with a level hard")
    first, three = [one.first for one in found], [one.several for one in found]
    confirming = [one.confirming for one in found]
    late = [run.puzzle for run in three if not run.done]
    sure = [one for one in found if one.minimal and one.confirmed_by]
    sizes = [min(one.sizes) for one in found if one.sizes]
    proved = sum(one.smallest for one in found)
    work = f"{len(found)} hard puzzles with one sum falsified"
    lines = [
        _within(f"{work}, first minimal reason", first, p95=0.1),
        _within(f"{work}, up to three reasons", three, worst=1),
        Line(
            f"{work}, the smallest reason proved to be that",
            "all",
            f"{proved} of {len(found)}; items: median {statistics.median(sizes):g}, at most {max(sizes)}",
            proved == len(found),
        ),
        Line(
            f"{work}, each reason proved minimal by points and confirmed by {_who(found)}",
            "all",
            f"{len(sure)} of {len(found)}; {_figures(confirming)} a reason{_names(late)}",
            len(sure) == len(found),
        ),
    ]
    return Row(lines, [*first, *three, *confirming])


def cpmpy(request: Request) -> Row:
    """Compare with CPMpy's search for a minimal conflict, on the same puzzles and constraints."""
    if find_spec("cpmpy") is None:
        return _skipped("cpmpy, which is not installed here (pip install --target FOLDER cpmpy)")
    boards = _puzzles_with_wrong_sum(request)
    ours: list[ConflictRuns] = []
    theirs: list[ConflictRuns] = []
    with separate_processes(2) as (us, them):
        for call, work in ((us, reasoning.measure_conflicts), (them, reasoning.cpmpy_clash)):
            call(work, boards[0], request.limit)
        for board in boards:
            ours.append(us(reasoning.measure_conflicts, board, request.limit))
            theirs.append(them(reasoning.cpmpy_clash, board, request.limit))
    both = [pair for pair in zip(ours, theirs, strict=True) if all(one.first.done for one in pair)]
    ratios = sorted(their.first.processor / our.first.processor for our, their in both)
    total = sum(t.first.processor for _, t in both) / sum(o.first.processor for o, _ in both)
    larger = [our.first.puzzle for our, their in both if min(our.sizes) > their.first_size]
    smaller = sum(min(our.sizes) < their.first_size for our, their in both)
    first = sum(our.first_size > their.first_size for our, their in both)
    three = sum(t.first.processor for _, t in both) / sum(o.several.processor for o, _ in both)
    late = [one.first.puzzle for one in theirs if not one.first.done]
    work = f"{len(boards)} falsified hard puzzles, a first minimal reason"
    lines = [
        Line(
            f"{work}, against CPMpy's mus on OR-Tools with the same items (processor)",
            "20 times as quick",
            f"{total:.1f} times in all, median {statistics.median(ratios):.1f}, least {ratios[0]:.1f}; "
            f"both done with {len(both)} in {request.limit:g} s each{_names(late)}; clock: "
            f"{_figures([one.first for one in ours])} against {_figures([one.first for one in theirs])}",
            all(one.first.done for one in ours) and total >= 20,
        ),
        Line(
            f"{work}, items of the smallest of the {reasoning.MINIMAL_CONFLICTS}",
            "never more than of CPMpy's one",
            f"more in {len(larger)}, fewer in {smaller} of {len(both)}; the first one has more in {first}; "
            f"all {reasoning.MINIMAL_CONFLICTS} together are {three:.1f} times as quick{_names(larger)}",
            not larger,
        ),
    ]
    return Row(lines, [one.first for one in (*ours, *theirs)])


def _puzzles_with_wrong_sum(request: Request) -> list[Puzzle]:
    """Return every hard puzzle with one sum changed so that there is no solution."""
    hard = [levels["hard"] for levels in _days(request) if "hard" in levels]
    return [board for puzzle in hard if (board := reasoning.with_wrong_sum(puzzle)) is not None]


# -------------------------------------------------------------------------------------- steps to the end


def hints(request: Request) -> Row:
    """Measure the first step from the empty board, including the search for the backbone."""
    stories = [story for of in _stories(request).values() for story in of]
    if not stories:
        return _skipped("PUZZLES")
    runs = [story.hint for story in stories]
    return Row([_within(f"{len(runs)} puzzles, first hint", runs, p95=0.3)], runs)


def large(request: Request) -> Row:
    """Measure the first hint on generated boards whose solution space is too large."""
    lines, runs = [], []
    for dominoes in LARGE[: request.few(len(LARGE), 1)]:
        boards = [
            board
            for style in ("setter", "plain")
            for board in instances.generated(style=style, count=request.few(3, 1), dominoes=dominoes)
        ]
        found = _each(reasoning.measure_hint, boards, request.limit)
        lines.append(_within(f"{len(boards)} boards of {dominoes} dominoes, first hint", found, worst=2))
        runs += found
    return Row(lines, runs)


def stories(request: Request) -> Row:
    """Measure all steps from the empty board to the backbone."""
    found = _stories(request)
    runs = [story.run for of in found.values() for story in of]
    if not runs:
        return _skipped("PUZZLES")
    levels = {level: [story.run for story in of] for level, of in found.items() if len(found) > 1}
    lines = [_within(f"{len(runs)} puzzles, all steps to the end", runs, median=1, worst=20)]
    lines += [_within(f"{len(of)} {level} puzzles, all steps to the end", of) for level, of in levels.items()]
    return Row(lines, runs)


def explanations(request: Request) -> Row:
    """Measure ``explain`` with all that it leaves out of its steps, without changes to the puzzle."""
    boards = [board for levels in _days(request) for board in levels.values()]
    if not boards:
        return _skipped("PUZZLES")
    runs = _each(reasoning.measure_explanation, boards, request.limit)
    late = [run.puzzle for run in runs if not run.done]
    spread = _spread([run.processor for run in runs])
    line = Line(
        f"{len(runs)} puzzles, explained (processor)",
        "all, median 0.04 s, worst 3 s",
        f"{len(runs) - len(late)} of {len(runs)}, median {spread['median']:.3f} s, "
        f"worst {spread['worst']:.2f} s{_names(late)}",
        not late and spread["median"] <= 0.04 and spread["worst"] <= 3,
    )
    return Row([line], runs)


def single(request: Request) -> Row:
    """Measure the share of shown steps that need at most two rules beside the dominoes, and no chain."""
    found = {
        level: [rules for story in of for rules in story.rules] for level, of in _stories(request).items()
    }
    every = [rules for of in found.values() for rules in of]
    if not every:
        return _skipped("PUZZLES")
    shares = {"all": every, **found}
    shown = ", ".join(f"{level} {_share(of):.1%} of {len(of)}" for level, of in shares.items() if of)
    work = "shown steps by at most two rules and the dominoes, without a chain"
    return Row([Line(work, "98 % or more", shown, _share(every) >= 0.98)], [])


def rating(request: Request) -> Row:
    """Check whether ratings increase with the level, whether grades match their names, and their seconds.

    The limits of the grades were fitted on published puzzles. So they are also fitted on every other day and
    tested on the days between.
    """
    stories = {story.run.puzzle: story for of in _stories(request).values() for story in of}
    days = [levels for levels in _days(request) if set(LEVELS) <= levels.keys()]
    if not days:
        return _skipped(f"PUZZLES with the levels {', '.join(LEVELS)}")
    rated = [[stories[levels[level].name] for level in LEVELS] for levels in days]
    ratings = [[story.rating for story in of_day] for of_day in rated]
    runs = [
        story.run._replace(outcome=f"{story.rating.score} {story.rating.grade}")
        for of_day in rated
        for story in of_day
    ]
    alike = [sum(of_day[n].grade == level for of_day in ratings) for n, level in enumerate(LEVELS)]
    tested = reasoning.cross_validated(ratings)
    scores = [[each.score for each in of_day] for of_day in ratings]
    wrong = [
        f"{levels['hard'].name} {of_day}"
        for levels, of_day in zip(days, scores, strict=True)
        if not of_day[0] < of_day[1] < of_day[2]
    ]
    mean = statistics.mean(run.processor for run in runs)
    worst = max(run.processor for run in runs)
    right = len(days) - len(wrong)
    lines = [
        Line(
            f"{len(runs)} puzzles, the grade is the level",
            _by_level([f"{goal:.0%}" for goal in GRADED_SO]),
            _by_level([f"{n / len(days):.0%}" for n in alike]),
            all(n >= goal * len(days) for n, goal in zip(alike, GRADED_SO, strict=True)),
        ),
        Line(
            "the same by limits fitted on every other day",
            "at most 5 points fewer",
            _by_level([f"{n / len(days):.0%}" for n in tested]),
            all(n >= (goal - 0.05) * len(days) for n, goal in zip(tested, GRADED_SO, strict=True)),
        ),
        Line(
            f"{len(days)} days, easy below medium below hard by the score",
            f"{IN_ORDER:.0%}",
            f"{right / len(days):.0%}{_names(wrong)}",
            right >= IN_ORDER * len(days),
        ),
        Line(
            f"{len(runs)} puzzles, rated (processor)",
            "0.04 s each, worst 1.5 s",
            f"{mean:.3f} s each, worst {worst:.2f} s",
            mean <= 0.04 and worst <= 1.5,
        ),
    ]
    return Row(lines, runs)


def sudokus(request: Request) -> Row:
    """Rate famous Sudokus, and new ones that need all their givens; count the techniques of the new ones."""
    famous = [sudoku(name, givens) for name, givens in FAMOUS.items()]
    new = list(map(dug, range(1, request.few(request.made, 20) // 20 + 1)))
    lines, runs = [], []
    for work, puzzles in (("famous", famous), ("new", new)):
        found = _each(reasoning.measure_rating, puzzles, request.limit)
        runs += [one.run for one in found]
        late = [one.run.puzzle for one in found if not one.run.done or one.run.processor > RATED_WITHIN]
        worst = max(one.run.processor for one in found)
        grades = Counter(one.grade for one in found)
        shown = ", ".join(f"{grades[grade]} {grade}" for grade in GRADES if grades[grade])
        lines.append(
            Line(
                f"{len(found)} {work} Sudokus, rated (processor)",
                f"all within {RATED_WITHIN:g} s",
                f"{len(found) - len(late)} of {len(found)}, worst {worst:.2f} s; {shown}{_names(late)}",
                not late,
            )
        )
        times = sum((Counter(one.techniques) for one in found), Counter())
        steps = ", ".join(f"{name} {times[name]}" for name in (*LATIN_PRICES, "chain", "gap"))
        lines.append(Line(f"steps of the {work} Sudokus beyond looks", "none", steps, True))
    return Row(lines, runs)


def _by_level(numbers: Sequence[str]) -> str:
    return ", ".join(f"{number} {level}" for number, level in zip(numbers, LEVELS, strict=True))


def truth(request: Request) -> Row:
    """Check every conclusion of every step by the solution space and by another engine."""
    number, parts = request.part
    boards = [puzzle for levels in _days(request)[number - 1 :: parts] for puzzle in levels.values()]
    made = _made(request.few(request.made, 20) // parts, number - 1)
    lines, runs = [], []
    for work, puzzles in (("puzzles", boards), ("generated puzzles", made)):
        found = _each(reasoning.check_steps, puzzles, request.limit)
        if not found:
            continue
        runs += [one.run for one in found]
        steps, conclusions = sum(one.steps for one in found), sum(one.conclusions for one in found)
        wrong = [one.run.puzzle for one in found if one.untrue or one.unfounded]
        open_ = [one.run.puzzle for one in found if not one.run.done]
        untrue, unfounded = sum(one.untrue for one in found), sum(one.unfounded for one in found)
        lines.append(
            Line(
                f"{len(found)} {work}, {steps} steps with {conclusions} conclusions: true in all solutions "
                "by the solution space, and each step follows from what it names by another engine",
                "all",
                f"{untrue} untrue; {unfounded} unfounded; {sum(one.unknown for one in found)} not confirmed; "
                f"{len(found) - len(open_)} of {len(found)} puzzles to the end{_names(wrong or open_)}",
                not wrong and not sum(one.unknown for one in found),
            )
        )
        weak, links = sum(one.weak for one in found), max(one.links for one in found)
        lines.append(
            Line(
                f"{work}: steps that name something that the technique does not need",
                "none",
                f"{weak} of {steps}",
                weak == 0,
            )
        )
        lines.append(Line(f"{work}: links of the longest chain", "6", f"{links}", links <= 6))
    return Row(lines, runs)


def _made(count: int, part: int) -> list[Puzzle]:
    """Return this many small generated puzzles: Pips with every rule, Sudokus, colour grids."""
    seed = instances.SEED + part
    pips = [
        board
        for dominoes in range(2, 10)
        for board in instances.generated(
            count=-(-count * 7 // 80), seed=seed, dominoes=dominoes, rules="EQ,NEQ,SUM,LT,GT,LE,GE,none"
        )
    ]
    sudokus: list[Puzzle] = [dug(100 * part + n) for n in range(max(1, count // 20))]
    sudokus += instances.generated("sudoku", count=max(1, count // 20), seed=seed, size=4)
    grids = instances.generated("colour-grid", count=max(1, count // 5), seed=seed)
    return [*pips[: count - len(sudokus) - len(grids)], *sudokus, *grids]


# ----------------------------------------------------------------------------------------------- the rest


@cache
def _days(request: Request) -> tuple[dict[str, Puzzle], ...]:
    """Return the puzzles of each file, by level."""
    files = [file for file in files_of(list(request.paths)) if not file.endswith(".tsv")]
    return tuple(milp_pips.read_all(file) for file in files[: QUICK if request.quick else None])


@cache
def _stories(request: Request) -> dict[str, list[StepRuns]]:
    """Return the steps of all puzzles, by level; cached, since several rows use them."""
    levels = dict.fromkeys(level for levels in _days(request) for level in levels)
    boards = [(level, levels[level]) for levels in _days(request) for level in levels]
    found: dict[str, list[StepRuns]] = {level: [] for level in levels}
    results = _each(reasoning.measure_steps, [board for _, board in boards], request.limit)
    for (level, _), story in zip(boards, results, strict=True):
        found[level].append(story)
    return found


def _each(work: Callable[..., object], puzzles: Sequence[Puzzle], limit: float) -> list:
    """Return the results for all puzzles, one after another in one warmed-up process."""
    with separate_processes() as (call,):
        call(work, _warm(), limit)
        return [call(work, puzzle, limit) for puzzle in puzzles]


def _warm() -> Pips:
    (board,) = instances.generated(dominoes=4, rules="SUM")
    return board


def _within(work: str, runs: Sequence[Run], **bounds: float) -> Line:
    """Return the number of completed runs, their seconds, and whether the bounds hold.

    ``bounds`` may name ``median``, ``p95`` and ``worst``.
    """
    clock = _spread([run.seconds for run in runs])
    goal = ", ".join(["all", *(f"{name} under {bound:g} s" for name, bound in bounds.items())])
    done = sum(run.done for run in runs)
    met = done == len(runs) and all(clock[name] < bound for name, bound in bounds.items())
    open_ = [run.puzzle for run in runs if not run.done]
    return Line(work, goal, f"{done} of {len(runs)}, {_figures(runs)}{_names(open_)}", met)


def _figures(runs: Sequence[Run]) -> str:
    clock, processor = _spread([run.seconds for run in runs]), _spread([run.processor for run in runs])
    return ", ".join(f"{name} {clock[name]:.3g} s (processor {processor[name]:.3g})" for name in clock)


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return {"median": statistics.median(ordered), "p95": p95, "worst": ordered[-1]}


def _share(rules: Sequence[int]) -> float:
    return sum(number <= 2 for number in rules) / len(rules)


def _who(found: Sequence[ConflictRuns]) -> str:
    return " or ".join(sorted({one.confirmed_by for one in found if one.confirmed_by})) or "nobody"


def _names(puzzles: Sequence[str]) -> str:
    return f" ({', '.join(puzzles)})" if puzzles else ""


def _skipped(missing: str) -> Row:
    print(f"  left out: it needs {missing}", file=sys.stderr)
    return Row([], [])


ROWS: Mapping[str, Callable[[Request], Row]] = {
    "falsified": falsified,
    "hints": hints,
    "large": large,
    "stories": stories,
    "explanations": explanations,
    "single": single,
    "rating": rating,
    "sudokus": sudokus,
    "truth": truth,
    "cpmpy": cpmpy,
}


if __name__ == "__main__":
    main()
