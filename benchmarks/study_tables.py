"""Make the tables of the study from the runs that ``study.py`` writes.

A puzzle counts once for each configuration: its time is the median of the configuration's runs on it, and is
known only if all of them have completed the task. In means and comparisons an unknown time counts as the
limit, and so does that of an engine that did not run because it had solved nothing at a smaller size.
"""

from __future__ import annotations

import csv
import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from study_groups import APPROACHES, GROUPS, Campaign, Group, approach_of, group

from milp_pips.extras.bench.figures import (
    SHIFT,
    AimedRun,
    bootstrap_interval,
    optimisation_rows,
    optimisations_of,
    shifted_geometric_mean,
)
from milp_pips.problem.objective import MAXIMISE

ROOT = Path(__file__).parent.parent
DOCUMENTS = (ROOT / "docs" / "study.md", ROOT / "benchmarks" / "results" / "study.md")
"""What is read first, and the tables of each engine on each group."""

BLOCK = re.compile(r"(<!-- table: ([\w -]+) -->\n).*?(<!-- end -->)", re.DOTALL)
"""The marks around each table in the document."""

NOT_MEASURED = "*Not measured yet.*"

FAULT_WORDS = {"wrong": "wrong", "error": "failed"}
"""The words of the tables for runs with these statuses."""

QUESTIONS = {"first": "first solution", "prove": "the only one?", "all": "all solutions"}


class Puzzle(NamedTuple):
    """A puzzle of a question: its point, and its name."""

    point: str
    name: str


@dataclass(frozen=True, slots=True)
class Question:
    """The results of one campaign: seconds by configuration and puzzle, infinite if not solved.

    With an objective, ``aimed`` has what each run has found.
    """

    campaign: Campaign
    puzzles: tuple[Puzzle, ...]
    times: Mapping[str, Mapping[Puzzle, float]]
    limit: float
    faults: Mapping[str, Sequence[str]]
    aimed: Sequence[AimedRun] = ()

    def counted(self, name: str) -> list[float]:
        """Return the seconds of a configuration on all puzzles; an unknown time counts as the limit."""
        return [min(self.times[name].get(puzzle, math.inf), self.limit) for puzzle in self.puzzles]

    def solved(self, name: str) -> int:
        """Return the number of puzzles that a configuration has solved."""
        return sum(map(math.isfinite, self.times[name].values()))

    def best_first(self, names: Iterable[str]) -> list[str]:
        """Return configurations sorted by puzzles solved, then by the mean of their times."""
        return sorted(names, key=lambda name: (-self.solved(name), self.mean(name), name))

    def mean(self, name: str) -> float:
        """Return the shifted geometric mean of a configuration's times."""
        return shifted_geometric_mean(self.counted(name))


def fill(document: Path, folders: Sequence[Path]) -> None:
    """Fill the tables of a document from folders of results, each with other groups.

    Raises OSError if one of them is missing or the results are those of a quick look.
    """
    for folder in folders:
        if document.resolve() in DOCUMENTS and study_of(folder)["quick"]:
            raise PermissionError(
                f"{folder}: a quick look is not a result, and does not go into {document.name}"
            )
    document.write_text(fill_text(document.read_text(encoding="utf-8"), folders), encoding="utf-8")


def fill_text(text: str, folders: Sequence[Path]) -> str:
    """Return the text with the tables of folders of results inserted between the marks."""
    made = tables(folders)
    return BLOCK.sub(lambda found: f"{found[1]}\n{made.get(found[2], NOT_MEASURED)}\n\n{found[3]}", text)


def study_of(folder: Path) -> dict[str, object]:
    """Return the settings and versions of the runs of a folder."""
    found: dict[str, object] = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    return found


def tables(folders: Sequence[Path]) -> dict[str, str]:
    """Return all tables by name, in Markdown."""
    questions: dict[Group, list[Question]] = {}
    notes = []
    for folder in folders:
        present = [name for name in GROUPS if (folder / f"{name}.csv").exists()]
        found = {one: read(one, folder / f"{one.name}.csv") for one in map(group, present)}
        notes.append(made_by(folder, found))
        questions |= found
    made = {"made by": "\n\n".join(notes), "approaches": approaches(questions)}
    made["filtering"] = filtering(questions)
    for one, of_group in questions.items():
        for question in of_group:
            if not question.campaign.unfiltered or len(of_group) == 1:
                made[f"{one.name} {question.campaign.name}"] = by_point(question)
            if question.aimed:
                made[f"{one.name} {question.campaign.name} found"] = found_and_proved(question)
    return made


def read(of: Group, file: Path) -> list[Question]:
    """Return the questions of a group that have runs."""
    with file.open(newline="", encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    return [question for one in of.campaigns if (question := _question(of, one, rows)) is not None]


def _question(of: Group, campaign: Campaign, rows: Sequence[Mapping[str, str]]) -> Question | None:
    """Return the results of one campaign, None without runs."""
    points = {point for series in campaign.series for point in series.points}
    runs: dict[str, dict[Puzzle, list[float]]] = defaultdict(lambda: defaultdict(list))
    faults: dict[str, list[str]] = defaultdict(list)
    limits, aimed = set(), list[AimedRun]()
    for row in rows:
        name = row["configuration"]
        if row["folder"] in points and of.includes(campaign, row["task"], name, row["rules"]):
            seconds = float(row["seconds"]) if row["success"] == "1" and row["seconds"] else math.inf
            runs[name][Puzzle(row["folder"], row["name"])].append(seconds)
            faults[name] += [row["status"]] if row["status"] in FAULT_WORDS else []
            limits.add(float(row["time_limit"]))
            if row.get("incumbents") and campaign.has_objective:
                aimed.append(_aimed(row))
    runs = {name: runs[name] for name in campaign.configurations if name in runs}
    if not runs:
        return None
    puzzles = tuple(dict.fromkeys(puzzle for of_one in runs.values() for puzzle in of_one))
    times = {
        name: {p: math.inf if math.inf in t else statistics.median(t) for p, t in of_one.items()}
        for name, of_one in runs.items()
    }
    return Question(campaign, puzzles, times, max(limits), faults, aimed)


def _aimed(row: Mapping[str, str]) -> AimedRun:
    """Return what a run with an objective has found."""
    value, bound = (int(float(row[name])) if row[name] else None for name in ("value", "bound"))
    puzzle, wrong = Puzzle(row["folder"], row["name"]), row["status"] == "wrong"
    found = [] if wrong else json.loads(row["incumbents"])
    return AimedRun(
        row["configuration"], puzzle, row["success"] == "1", None if wrong else value, bound, found
    )


def found_and_proved(question: Question) -> str:
    """Return a row for each configuration: optima proved, best values found, gap and primal integral.

    An engine that did not run on larger puzzles has found nothing there.
    """
    ran = {(run.configuration, run.instance) for run in question.aimed}
    not_run = [
        AimedRun(name, puzzle)
        for name in question.times
        for puzzle in question.puzzles
        if (name, puzzle) not in ran
    ]
    maximise = question.campaign.task.startswith(MAXIMISE)
    figures = optimisations_of([*question.aimed, *not_run], maximise, question.limit)
    figures.sort(key=lambda row: (row.integral, -row.proved))
    head, *rows = optimisation_rows(figures)
    return markdown(["engine", "approach", *head[1:]], [[f"`{n}`", approach_of(n), *row] for n, *row in rows])


def by_point(question: Question) -> str:
    """Return a row for each configuration: median seconds at each point, and the figures over all of them."""
    there = {puzzle.point for puzzle in question.puzzles}
    asked = [series for series in question.campaign.series if not there.isdisjoint(series.points)]
    heads = {
        series.point(value): f"{series.name} {value}" if len(asked) > 1 else str(value)
        for series in asked
        for value in series.values
        if series.point(value) in there
    }
    rows = []
    for name in question.best_first(question.times):
        cells = [_cell([t for p, t in question.times[name].items() if p.point == point]) for point in heads]
        solved = f"{question.solved(name)} of {len(question.puzzles)}{_faults(question.faults[name])}"
        rows.append([f"`{name}`", approach_of(name), *cells, solved, _mean(question, name)])
    return markdown(["engine", "approach", *heads.values(), "solved", "mean s"], rows)


def _faults(found: Sequence[str]) -> str:
    """Return the number of runs with a wrong answer, and of runs without one because the engine failed."""
    return "".join(
        f", {found.count(status)} {said}" for status, said in FAULT_WORDS.items() if status in found
    )


def _cell(times: Sequence[float]) -> str:
    """Return the median of some times, and the number of solved puzzles if not all are solved."""
    if not times:
        return "–"
    solved = sum(map(math.isfinite, times))
    median = statistics.median(times)
    shown = _seconds(median) if math.isfinite(median) else "limit"
    return shown if solved in (0, len(times)) else f"{shown} ({solved} of {len(times)})"


def _mean(question: Question, name: str) -> str:
    low, high = bootstrap_interval(np.log(np.array(question.counted(name)) + SHIFT))
    ends = [max(0.0, math.exp(end) - SHIFT) for end in (low, high)]
    interval = f" ({_seconds(ends[0])} to {_seconds(ends[1])})" if math.isfinite(high) else ""
    return f"{_seconds(question.mean(name))}{interval}"


def _seconds(time: float) -> str:
    """Return seconds to a tenth of a millisecond if they are small, else to the millisecond."""
    return f"{time:.4f}" if time < 0.01 else f"{time:.3f}"


def approaches(questions: Mapping[Group, Sequence[Question]]) -> str:
    """Return a row for each group and question: the best engine of each approach, and its lead."""
    rows = []
    for one, asked in questions.items():
        for question in (q for q in asked if not q.campaign.unfiltered):
            best = {
                approach: question.best_first(names)[0]
                for approach in APPROACHES
                if (names := [name for name in question.times if approach_of(name) == approach])
            }
            order = question.best_first(best.values())
            cells = [
                _standing(question, best[approach], order[0]) if approach in best else "–"
                for approach in APPROACHES
            ]
            ahead = "–"
            if len(order) > 1:
                first, second = (np.log(question.counted(name)) for name in order[:2])
                ahead = _factor(second - first)
            rows.append([one.title, _question_title(question.campaign.task), *cells, ahead])
    return markdown(["puzzles", "question", *APPROACHES, "second / first"], rows)


def _question_title(task: str) -> str:
    """Return the question of a task in words."""
    return QUESTIONS.get(task, f"best by `{task}`")


def _standing(question: Question, name: str, winner: str) -> str:
    """Return a configuration, its mean, and the number of solved puzzles unless it has solved all of them."""
    solved, puzzles = question.solved(name), len(question.puzzles)
    share = f", {solved} of {puzzles}" if solved < puzzles else ""
    told = f"`{name}` {_seconds(question.mean(name))} s{share}"
    return f"**{told}**" if name == winner else told


def _factor(logarithms: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """Return the geometric mean of ratios with its 95 % interval."""
    low, high = map(math.exp, bootstrap_interval(logarithms))
    interval = f" ({low:.2f} to {high:.2f})" if math.isfinite(high) else ""
    return f"{math.exp(float(logarithms.mean())):.2f}{interval}"


def filtering(questions: Mapping[Group, Sequence[Question]]) -> str:
    """Return the ratio of the times to a first solution without and with filtering, by group."""
    pairs = {}
    for one, asked in questions.items():
        of_task = [q for q in asked if q.campaign.task == "first"]
        plain = [q for q in of_task if q.campaign.unfiltered]
        usual = [q for q in of_task if not q.campaign.unfiltered]
        if plain and usual:
            pairs[one.title] = plain[0], usual[0]
    names = dict.fromkeys(name for plain, _ in pairs.values() for name in plain.times)
    rows = [[f"`{name}`", *(_gain(name, *pair) for pair in pairs.values())] for name in names]
    return markdown(["engine", *pairs], rows)


def _gain(name: str, plain: Question, usual: Question) -> str:
    """Return the slowdown of a configuration without filtering, and the numbers solved if they differ."""
    both = [p for p in usual.puzzles if p in plain.times.get(name, {}) and p in usual.times.get(name, {})]
    if not both:
        return "–"
    times = [np.array([min(q.times[name][p], q.limit) for p in both]) for q in (plain, usual)]
    solved = [sum(math.isfinite(q.times[name][p]) for p in both) for q in (plain, usual)]
    lost = f"; {solved[0]} solved, filtered {solved[1]}" if solved[0] != solved[1] else ""
    return f"{_factor(np.log(times[0]) - np.log(times[1]))}{lost}"


def made_by(folder: Path, questions: Mapping[Group, Sequence[Question]]) -> str:
    """Return a paragraph with the date, the machine, the versions, the number of runs, omitted engines."""
    told, runs, seconds = study_of(folder), 0, 0.0
    for one in questions:
        with (folder / f"{one.name}.csv").open(newline="", encoding="utf-8") as text:
            walls = [float(row["wall_seconds"] or 0) for row in csv.DictReader(text)]
        runs, seconds = runs + len(walls), seconds + sum(walls)
    engines = ", ".join(f"{name} {version}".strip() for name, version in _mapping(told["engines"]).items())
    absent = ", ".join(_mapping(told["left_out"])) or "none"
    return (
        f"{told['started']}; {runs} runs in {seconds / 60:.0f} minutes, {told['jobs']} at a time; "
        f"{told['processor']}, {told['cores']} cores; Python {told['python']}; milp-pips {told['package']}; "
        f"{engines}. Left out, since they could not run: {absent}."
    )


def _mapping(value: object) -> Mapping[str, str]:
    assert isinstance(value, dict)
    return value


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
