"""Measure reasons: minimal clashes, hints, stories to the solution, how true they are, and ratings.

    python benchmarks/reasons.py PUZZLES...
    python benchmarks/reasons.py --quick --row stories PUZZLES...
    PYTHONPATH=CPMPY python benchmarks/reasons.py --row cpmpy PUZZLES...

``PUZZLES`` are files with three levels each, in the New York Times' format; nothing of them is kept. Without
``--row`` all rows are measured, one after the other. The row ``cpmpy`` needs CPMpy 1.1, which may lie in a
folder of its own (``pip install --no-deps --target CPMPY cpmpy``), and is left out where that is missing. All
runs go to ``DIR/reasons-ROW.csv``, where DIR is ``benchmarks/results/DATE``; a quick look is kept only if
``--out`` is given.

Seconds are those of the clock; those of the processor stand beside them, since the machine may be busy.
"""

from __future__ import annotations

import argparse
import datetime
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import instances
import reasoning
from exact import RESULTS, Row, keep
from measure import apart, header
from reasoning import Clashing, Story
from runs import Line, Run

import milp_pips
from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import files_of

LEVELS = ("easy", "medium", "hard")
"""In the order in which a day's puzzles ought to be rated."""

LARGE = (50, 100, 150, 300)
"""Dominoes of the large boards."""

QUICK = 2
"""Days of which the puzzles are measured for a quick look."""


class Request(NamedTuple):
    """What is to be measured, and how: see the arguments at the command line."""

    quick: bool = False
    paths: tuple[str, ...] = ()
    limit: float = 60.0
    made: int = 1000

    def few(self, many: int, few: int) -> int:
        """Return how many of something are measured."""
        return few if self.quick else many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--row", action="append", choices=ROWS, help="this row only; may be repeated")
    parser.add_argument("--quick", action="store_true", help=f"the puzzles of {QUICK} days")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per puzzle (default: 60)")
    parser.add_argument("--made", type=int, default=1000, help="generated puzzles (default: 1000)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where all runs go")
    arguments = parser.parse_args()
    asked = Request(arguments.quick, tuple(arguments.puzzles), arguments.limit, arguments.made)
    out = arguments.out or (None if arguments.quick else RESULTS / str(datetime.date.today()))
    measured_on = header("python-sat", "highspy")
    print(f"{measured_on}\n\n| work | goal | measured | |\n|---|---|---|---|", flush=True)
    for name in arguments.row or ROWS:
        print(name, file=sys.stderr, flush=True)
        row = ROWS[name](asked)
        for line in row.lines:
            print(line, flush=True)
        if out is not None and row.runs:
            keep(out / f"reasons-{name}.csv", row.runs, measured_on)


# ------------------------------------------------------------------------------------------- no solution


def falsified(asked: Request) -> Row:
    """Hard puzzles with one sum that is not the right one."""
    found = _each(reasoning.confirmed, _spoilt(asked), asked.limit)
    if not found:
        return _left_out("PUZZLES with a level hard")
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


def cpmpy(asked: Request) -> Row:
    """The same falsified puzzles, with the same items, for CPMpy's search for a minimal set."""
    if find_spec("cpmpy") is None:
        return _left_out("cpmpy, which is not installed here (pip install --target FOLDER cpmpy)")
    boards = _spoilt(asked)
    ours: list[Clashing] = []
    theirs: list[Clashing] = []
    with apart(2) as (us, them):
        for call, work in ((us, reasoning.clashing), (them, reasoning.cpmpy_clash)):
            call(work, boards[0], asked.limit)
        for board in boards:
            ours.append(us(reasoning.clashing, board, asked.limit))
            theirs.append(them(reasoning.cpmpy_clash, board, asked.limit))
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
            f"both done with {len(both)} in {asked.limit:g} s each{_names(late)}; clock: "
            f"{_figures([one.first for one in ours])} against {_figures([one.first for one in theirs])}",
            all(one.first.done for one in ours) and total >= 20,
        ),
        Line(
            f"{work}, items of the smallest of the {reasoning.SEVERAL}",
            "never more than of CPMpy's one",
            f"more in {len(larger)}, fewer in {smaller} of {len(both)}; the first one has more in {first}; "
            f"all {reasoning.SEVERAL} together are {three:.1f} times as quick{_names(larger)}",
            not larger,
        ),
    ]
    return Row(lines, [one.first for one in (*ours, *theirs)])


def _spoilt(asked: Request) -> list[Puzzle]:
    """Return every hard puzzle with one sum changed so that there is no solution."""
    hard = [levels["hard"] for levels in _days(asked) if "hard" in levels]
    return [board for puzzle in hard if (board := reasoning.spoilt(puzzle)) is not None]


# -------------------------------------------------------------------------------------- steps to the end


def hints(asked: Request) -> Row:
    """The first step from the empty board, the search for all solutions' common facts included."""
    stories = [story for of in _stories(asked).values() for story in of]
    if not stories:
        return _left_out("PUZZLES")
    runs = [story.hint for story in stories]
    return Row([_within(f"{len(runs)} puzzles, first hint", runs, p95=0.3)], runs)


def large(asked: Request) -> Row:
    """The first hint, as a person gets it, on generated boards that no solution space holds."""
    lines, runs = [], []
    for dominoes in LARGE[: asked.few(len(LARGE), 1)]:
        boards = [
            board
            for style in ("setter", "plain")
            for board in instances.generated(style=style, count=asked.few(3, 1), dominoes=dominoes)
        ]
        found = _each(reasoning.hinted, boards, asked.limit)
        lines.append(_within(f"{len(boards)} boards of {dominoes} dominoes, first hint", found, worst=2))
        runs += found
    return Row(lines, runs)


def stories(asked: Request) -> Row:
    """All steps from the empty board to all that follows."""
    found = _stories(asked)
    runs = [story.run for of in found.values() for story in of]
    if not runs:
        return _left_out("PUZZLES")
    levels = {level: [story.run for story in of] for level, of in found.items() if len(found) > 1}
    lines = [_within(f"{len(runs)} puzzles, all steps to the end", runs, median=1, worst=20)]
    lines += [_within(f"{len(of)} {level} puzzles, all steps to the end", of) for level, of in levels.items()]
    return Row(lines, runs)


def single(asked: Request) -> Row:
    """How many steps need one rule or the dominoes alone, or nothing but the board."""
    found = {level: [rules for story in of for rules in story.rules] for level, of in _stories(asked).items()}
    every = [rules for of in found.values() for rules in of]
    if not every:
        return _left_out("PUZZLES")
    shares = {"all": every, **found}
    told = ", ".join(f"{level} {_share(of):.1%} of {len(of)}" for level, of in shares.items() if of)
    return Row([Line("steps by one rule or less", "90 % or more", told, _share(every) >= 0.9)], [])


def rating(asked: Request) -> Row:
    """Whether the levels of a day are rated in their order, and whether grades are what they are called."""
    stories = {story.run.puzzle: story for of in _stories(asked).values() for story in of}
    days = [levels for levels in _days(asked) if set(LEVELS) <= levels.keys()]
    if not days:
        return _left_out(f"PUZZLES with the levels {', '.join(LEVELS)}")
    wrong, runs = [], []
    for levels in days:
        told = [stories[levels[level].name] for level in LEVELS]
        scores = [story.score for story in told]
        runs += [story.run._replace(outcome=f"{story.score} {story.grade}") for story in told]
        if not (all(story.run.done for story in told) and scores[0] < scores[1] < scores[2]):
            wrong.append(f"{levels['hard'].name} {scores}")
    right = len(days) - len(wrong)
    alike = [stories[levels[level].name].grade == level for levels in days for level in LEVELS]
    lines = [
        Line(
            f"{len(days)} days, easy below medium below hard",
            "90 % or more",
            f"{right} of {len(days)}{_names(wrong)}",
            right >= 0.9 * len(days),
        ),
        Line(f"{len(alike)} puzzles, the grade is the level", "none", f"{sum(alike)}", True),
    ]
    return Row(lines, runs)


def truth(asked: Request) -> Row:
    """Every conclusion of every step, against the solution space and against another engine."""
    boards = [puzzle for levels in _days(asked) for puzzle in levels.values()]
    made = _made(asked.few(asked.made, 20))
    lines, runs = [], []
    for work, puzzles in (("puzzles", boards), ("generated puzzles", made)):
        found = _each(reasoning.judged, puzzles, asked.limit)
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
    return Row(lines, runs)


def _made(count: int) -> list[Puzzle]:
    """Return so many generated puzzles, of small size: Pips with every rule, Sudokus, colour grids."""
    pips = [
        board
        for dominoes in range(2, 10)
        for board in instances.generated(
            count=-(-count * 7 // 80), dominoes=dominoes, rules="EQ,NEQ,SUM,LT,GT,LE,GE,none"
        )
    ]
    sudokus = instances.generated("sudoku", count=max(1, count // 10), size=4)
    grids = instances.generated("colour-grid", count=max(1, count // 5))
    return [*pips[: count - len(sudokus) - len(grids)], *sudokus, *grids]


# ----------------------------------------------------------------------------------------------- the rest


@cache
def _days(asked: Request) -> tuple[dict[str, Puzzle], ...]:
    """Return the puzzles of each file, by level."""
    files = [file for file in files_of(list(asked.paths)) if not file.endswith(".tsv")]
    return tuple(milp_pips.read_all(file) for file in files[: QUICK if asked.quick else None])


@cache
def _stories(asked: Request) -> dict[str, list[Story]]:
    """Return the stories of all puzzles, by level; several rows look at them."""
    levels = dict.fromkeys(level for levels in _days(asked) for level in levels)
    boards = [(level, levels[level]) for levels in _days(asked) for level in levels]
    found: dict[str, list[Story]] = {level: [] for level in levels}
    told = _each(reasoning.told, [board for _, board in boards], asked.limit)
    for (level, _), story in zip(boards, told, strict=True):
        found[level].append(story)
    return found


def _each(work: Callable[..., object], puzzles: Sequence[Puzzle], limit: float) -> list:
    """Return what comes of all puzzles, one after another in a process that has worked before."""
    with apart() as (call,):
        call(work, _warm(), limit)
        return [call(work, puzzle, limit) for puzzle in puzzles]


def _warm() -> Pips:
    (board,) = instances.generated(dominoes=4, rules="SUM")
    return board


def _within(work: str, runs: Sequence[Run], **bounds: float) -> Line:
    """Return how many are done, their seconds, and whether bounds on ``median``, ``p95``, ``worst`` hold."""
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
    return sum(number <= 1 for number in rules) / len(rules)


def _who(found: Sequence[Clashing]) -> str:
    return " or ".join(sorted({one.confirmed_by for one in found if one.confirmed_by})) or "nobody"


def _names(puzzles: Sequence[str]) -> str:
    return f" ({', '.join(puzzles)})" if puzzles else ""


def _left_out(missing: str) -> Row:
    print(f"  left out: it needs {missing}", file=sys.stderr)
    return Row([], [])


ROWS: Mapping[str, Callable[[Request], Row]] = {
    "falsified": falsified,
    "hints": hints,
    "large": large,
    "stories": stories,
    "single": single,
    "rating": rating,
    "truth": truth,
    "cpmpy": cpmpy,
}


if __name__ == "__main__":
    main()
