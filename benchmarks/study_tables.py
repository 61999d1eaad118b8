"""Make the tables of the study from ``study.csv``.

Times are processor seconds. A run without an answer counts as the limit, and so does one that was not made
because its way had failed at a smaller size. Puzzles that a way does not take, such as models with continuous
columns, do not count for it.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from study_design import (
    APPROACHES,
    BEST,
    CONFIRMED,
    DEFAULT,
    LIMITS,
    QUESTIONS,
    TITLES,
    UNFILTERED,
    approach_of,
)

from milp_pips.extras.bench.figures import MIN_PUZZLES, holm, sign_test

ROOT = Path(__file__).parent.parent
DOCUMENTS = (ROOT / "docs" / "study.md", ROOT / "benchmarks" / "results" / "study.md")
"""What is read first, and the tables of each way on each group."""

BLOCK = re.compile(r"(<!-- table: ([\w -]+) -->\n).*?(<!-- end -->)", re.DOTALL)
"""The marks around each table in a document."""

SAMPLES = 4000
SHOWN_P = 0.001


class Ratio(NamedTuple):
    """The median of ratios of times, with the ends of its 95 % interval: infinite for too few puzzles."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        ends = f" ({self.low:.2f} to {self.high:.2f})" if math.isfinite(self.high) else ""
        return f"{self.median:.2f}{ends}"


Vector = NDArray[np.float64]


def ratio(logarithms: Vector) -> Ratio:
    """Return the median ratio with its percentile interval by bootstrap over the puzzles (Efron 1979)."""
    middle = math.exp(float(np.median(logarithms)))
    if len(logarithms) < MIN_PUZZLES:
        return Ratio(middle, 0.0, math.inf)
    rng = np.random.default_rng(2026)
    drawn = np.median(rng.choice(np.sort(logarithms), (SAMPLES, len(logarithms))), axis=1)
    low, high = np.exp(np.percentile(drawn, [2.5, 97.5]))
    return Ratio(middle, float(low), float(high))


class Puzzle(NamedTuple):
    """A puzzle of a group: its point, and its name."""

    point: str
    name: str


@dataclass(frozen=True, slots=True)
class Block:
    """The runs of one question on one group: seconds by way and puzzle, infinite without an answer.

    ``declined`` has the puzzles that a way does not take.
    """

    question: str
    group: str
    puzzles: tuple[Puzzle, ...]
    times: Mapping[str, Mapping[Puzzle, float]]
    declined: Mapping[str, frozenset[Puzzle]]
    errors: Mapping[str, int]

    @property
    def ways(self) -> list[str]:
        """The ways, the best first: by puzzles solved, then by mean; those that confirm come last."""
        own = [way for way in self.times if not way.endswith(UNFILTERED)]
        return sorted(own, key=lambda way: (way == CONFIRMED, -self.solved(way), self.mean(way), way))

    @property
    def engines(self) -> list[str]:
        """The ways that stand for an approach, the best first."""
        return [way for way in self.ways if approach_of(way)]

    def taken(self, way: str) -> list[Puzzle]:
        """Return the puzzles that a way takes."""
        return [puzzle for puzzle in self.puzzles if puzzle not in self.declined[way]]

    def logarithms(self, way: str, puzzles: Iterable[Puzzle]) -> Vector:
        """Return the logarithms of a way's seconds on puzzles, at most the limit."""
        limit, times = LIMITS[self.question], self.times[way]
        return np.log([min(times.get(puzzle, math.inf), limit) for puzzle in puzzles])

    def solved(self, way: str) -> int:
        """Return the number of puzzles that a way has solved."""
        return sum(map(math.isfinite, self.times[way].values()))

    def mean(self, way: str) -> float:
        """Return the geometric mean of a way's seconds on what it takes."""
        taken = self.taken(way)
        return math.exp(float(self.logarithms(way, taken).mean())) if taken else math.inf

    def median(self, way: str) -> float:
        """Return the median of a way's seconds on what it takes; infinite if it is the limit."""
        times = [self.times[way].get(puzzle, math.inf) for puzzle in self.taken(way)]
        return float(np.median(times)) if times else math.inf

    def against(self, way: str, other: str, puzzles: Sequence[Puzzle] | None = None) -> Vector:
        """Return the logarithms of the ratios of the times of two ways, on what both take."""
        refused = self.declined[way] | self.declined[other]
        both = [puzzle for puzzle in puzzles or self.puzzles if puzzle not in refused]
        return self.logarithms(way, both) - self.logarithms(other, both)


def read(folder: Path) -> list[Block]:
    """Return the blocks of a study, in the order of its tables. Raises ValueError if two ways disagree."""
    with (folder / "study.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    require_agreement(rows)
    found = []
    for question in QUESTIONS:
        for group in TITLES:
            own = [row for row in rows if (row["question"], row["group"]) == (question, group)]
            if own:
                found.append(block_of(question, group, own))
    return found


def block_of(question: str, group: str, rows: Sequence[Mapping[str, str]]) -> Block:
    """Return the runs of one question on one group."""
    times: dict[str, dict[Puzzle, float]] = defaultdict(dict)
    declined: dict[str, set[Puzzle]] = defaultdict(set)
    errors: dict[str, int] = defaultdict(int)
    for row in rows:
        way, puzzle = row["way"], Puzzle(row["point"], row["puzzle"])
        if row["status"] == "declined":
            declined[way].add(puzzle)
            continue
        times[way][puzzle] = float(row["seconds"]) if row["status"] == "solved" else math.inf
        errors[way] += row["status"] == "error"
    puzzles = tuple(dict.fromkeys(Puzzle(row["point"], row["puzzle"]) for row in rows))
    refused = {way: frozenset(declined[way]) for way in times}
    return Block(question, group, puzzles, times, refused, errors)


def require_agreement(rows: Sequence[Mapping[str, str]]) -> None:
    """Raise ValueError if two ways have listed different numbers of solutions, or found different optima."""
    known: dict[tuple[str, ...], tuple[float, str]] = {}
    for row in rows:
        if row["status"] != "solved" or row["question"] == "first":
            continue
        of = row["question"], row["group"], row["point"], row["puzzle"]
        value = float(row["value"] if row["question"] == BEST else row["solutions"])
        before, by = known.setdefault(of, (value, row["way"]))
        if not math.isclose(before, value, rel_tol=1e-6):
            raise ValueError(f"{' '.join(of)}: {by} has {before:g}, {row['way']} has {value:g}")


def fill(document: Path, folder: Path) -> None:
    """Fill the tables of a document."""
    document.write_text(fill_text(document.read_text(encoding="utf-8"), folder), encoding="utf-8")


def fill_text(text: str, folder: Path) -> str:
    """Return the text with the tables between its marks."""
    made = tables(folder)
    return BLOCK.sub(lambda found: f"{found[1]}\n{made[found[2]]}\n\n{found[3]}", text)


def tables(folder: Path) -> dict[str, str]:
    """Return all tables by name, in Markdown."""
    blocks = read(folder)
    made = {"made by": made_by(folder), "answers": answers(blocks), "filtering": filtering(blocks)}
    made["halves"] = halves(blocks)
    return made | {f"{one.question} {one.group}": standings(one) for one in blocks}


def answers(blocks: Sequence[Block]) -> str:
    """Return a row for each question and group: the best way of each approach, and the default's ratio."""
    rows = []
    for one in blocks:
        best = one.engines[0]
        cells = []
        for approach in APPROACHES:
            own = [way for way in one.engines if approach_of(way) == approach]
            shown = standing(one, own[0]) if own else "–"
            cells.append(f"**{shown}**" if own and own[0] == best else shown)
        against = str(ratio(one.against(DEFAULT, best)))
        rows.append(
            [
                TITLES[one.group],
                QUESTIONS[one.question],
                *cells,
                standing(one, DEFAULT, is_named=False),
                against,
            ]
        )
    return markdown(["puzzles", "question", *APPROACHES, "default", "default / best"], rows)


def standing(block: Block, way: str, *, is_named: bool = True) -> str:
    """Return a way, its median time, and the number of solved puzzles unless it has solved all."""
    solved, puzzles = block.solved(way), len(block.puzzles)
    share = f", {solved} of {puzzles}" if solved < puzzles else ""
    named = f"`{way}` " if is_named else ""
    return f"{named}{seconds(block.median(way))}{share}"


def standings(block: Block) -> str:
    """Return a row for each way: what it solved, its times, and its ratio to the best one."""
    best, *others = block.ways
    compared = {way: block.against(way, best) for way in others}
    values = holm([sign_test(int((v < 0).sum()), int((v > 0).sum())) for v in compared.values()])
    rows = [[f"`{best}`", approach_of(best) or "–", *solved_cells(block, best), "1", "–"]]
    for (way, logarithms), value in zip(compared.items(), values, strict=True):
        p = f"< {SHOWN_P}" if value < SHOWN_P else f"{value:.3f}"
        shown = str(ratio(logarithms)) if len(logarithms) else "–"
        rows.append([f"`{way}`", approach_of(way) or "–", *solved_cells(block, way), shown, p])
    head = ["way", "approach", "solved", "median s", "mean s", "times the best (95 %)", "p (Holm)"]
    return markdown(head, rows)


def solved_cells(block: Block, way: str) -> list[str]:
    failed = f", {block.errors[way]} failed" if block.errors[way] else ""
    taken, puzzles = len(block.taken(way)), len(block.puzzles)
    only = f", takes {taken}" if taken < puzzles else ""
    solved = f"{block.solved(way)} of {puzzles}{only}{failed}"
    return [solved, seconds(block.median(way)), seconds(block.mean(way))]


def halves(blocks: Sequence[Block]) -> str:
    """Return a row for each question and group: the ratio of the default to the best way on both halves."""
    rows = []
    for one in blocks:
        best = one.engines[0]
        parts = [sorted(one.puzzles)[start::2] for start in (0, 1)]
        found = [ratio(one.against(DEFAULT, best, part)) for part in parts]
        total = total_ratio(one, DEFAULT, best)
        cells = [f"{half.median:.2f}" for half in found]
        rows.append([TITLES[one.group], QUESTIONS[one.question], f"`{best}`", *cells, f"{total:.2f}"])
    return markdown(["puzzles", "question", "best", "first half", "second half", "sums of times"], rows)


def total_ratio(block: Block, way: str, other: str) -> float:
    """Return the ratio of the sums of the times of two ways."""
    both = [p for p in block.puzzles if p not in block.declined[way] | block.declined[other]]
    sums = [float(np.exp(block.logarithms(each, both)).sum()) for each in (way, other)]
    return sums[0] / sums[1]


def filtering(blocks: Sequence[Block]) -> str:
    """Return the ratio of the times to a first solution without and with filtering, by engine."""
    (one,) = [block for block in blocks if (block.question, block.group) == ("first", "published")]
    rows = []
    for way in sorted(way for way in one.times if way.endswith(UNFILTERED)):
        both = [puzzle for puzzle in one.puzzles if puzzle in one.times[way]]
        found = ratio(one.against(way, way.removesuffix(UNFILTERED), both))
        rows.append([f"`{way.removesuffix(UNFILTERED)}`", str(found)])
    return markdown(["engine", "without / with"], rows)


def made_by(folder: Path) -> str:
    """Return a paragraph with the date, the machine, the versions and the number of runs."""
    told = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    engines = ", ".join(f"{name} {version}".strip() for name, version in told["engines"].items())
    return (
        f"{told['started']}; {told['runs']:,} runs in {told['processor_minutes']} minutes of processor time; "
        f"{told['processor']}, {told['cores']} cores, median load {told['median_load']:.1f}; "
        f"Python {told['python']}; milp-pips {told['package']}; {engines}."
    )


def seconds(time: float) -> str:
    """Return seconds with two digits or more."""
    if not math.isfinite(time):
        return "limit"
    return f"{time:.4f}" if time < 0.01 else f"{time:.3f}" if time < 1 else f"{time:.2f}"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
