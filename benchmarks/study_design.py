"""The design of the study: which puzzles and models, which questions, which ways to answer them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import milp_pips

FIRST, ALL, BEST = "first", "all", "best"
QUESTIONS = {FIRST: "first solution", ALL: "all solutions", BEST: "best solution"}
LIMITS: Mapping[str, float] = {FIRST: 10.0, ALL: 5.0, BEST: 10.0}
"""Processor seconds of a run."""

DEFAULT, CONFIRMED, TREE = "default", "default, confirmed", "tree"
BY_HAND, UNFILTERED = " by hand", ", unfiltered"

APPROACHES: Mapping[str, Sequence[str]] = {
    "MIP": ("highs", "cbc", "scip", "pulp", "pyomo", "tree", "scip by hand", "cuts by hand"),
    "CP": ("cp-sat", "minizinc", "cpmpy:choco", "cpmpy:pumpkin", "two-stage", "cp-sat by hand"),
    "SAT": ("sat", "cdcl", "cpmpy:z3"),
    "ASP": ("clingo", "clingo by hand"),
    "search": ("diagram", "brute", "lns"),
}
"""The ways that stand for each approach."""

MAIN = ("highs", "cbc", "scip", "cp-sat", "minizinc", "sat", "clingo", "diagram", DEFAULT)
MODELS = ("highs", "cbc", "scip", "cp-sat", "sat", "clingo", DEFAULT, TREE)
PLAIN = ("highs", "scip", "cp-sat", "minizinc", "sat", "clingo")
SLOWER = ("pulp", "pyomo", "cpmpy:choco", "cpmpy:pumpkin", "cpmpy:z3")
WAYS: Mapping[str, Sequence[str]] = {
    FIRST: (*MAIN, "cdcl"),
    ALL: ("highs", "scip", "cp-sat", "minizinc", "sat", "clingo", "diagram", DEFAULT, CONFIRMED),
    BEST: (*MAIN, "brute", CONFIRMED),
}
WAYS_FOR_MODELS: Mapping[str, Sequence[str]] = {
    FIRST: MODELS,
    ALL: (DEFAULT, CONFIRMED, TREE, *(f"{way}{BY_HAND}" for way in ("cp-sat", "scip", "clingo", "cuts"))),
    BEST: (*MODELS, CONFIRMED, "diagram"),
}
WITH_DOMINOES = ("two-stage", "lns", "brute")


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Puzzles or models along one parameter.

    ``build`` returns those with one of the ``values``. If the series ``grows``, each value has larger ones
    than the one before. What is ``is_extra`` runs after all others.
    An ``objective`` is the expression that the best solution maximises.
    """

    group: str
    name: str
    values: Sequence[Any]
    build: Callable[[Any], Sequence[Any]]
    questions: Sequence[str]
    more_ways: Mapping[str, Sequence[str]] = field(default_factory=dict)
    objective: str | None = None
    grows: bool = True
    is_extra: bool = False

    @property
    def is_of_models(self) -> bool:
        """Whether these are linear models."""
        return self.group in ("models", "miplib")

    def point(self, value: Any) -> str:
        """Return the common name of the puzzles with this value."""
        return f"{self.name}-{value:02}" if isinstance(value, int) else f"{self.name}-{value}"

    def ways(self, question: str) -> list[str]:
        """Return the ways to answer a question."""
        usual = (WAYS_FOR_MODELS if self.is_of_models else WAYS)[question]
        return [*dict.fromkeys((*usual, *self.more_ways.get(question, ())))]


TITLES = {
    "published": "Published puzzles",
    "dominoes": "Generated dominoes",
    "sudokus": "Sudokus",
    "colour grids": "Colour grids",
    "models": "Covers, assignments, knapsacks",
    "miplib": "Classics of MIPLIB",
}
"""The groups, in the order of the tables."""


def series(published: Path | None, models: Path | None) -> list[Series]:
    """Return all series; the folders have days in the New York Times' format and files of MIPLIB."""
    days = sorted(published.glob("*.json")) if published else []
    levels = ("easy", "medium", "hard")
    dominoes = {FIRST: (*WITH_DOMINOES, *SLOWER)}
    unfiltered = {FIRST: (*dominoes[FIRST], *(f"{way}{UNFILTERED}" for way in PLAIN)), ALL: ("two-stage",)}
    weighted, every = (6, 9, 12, 16), (FIRST, ALL, BEST)
    few = "random(1, few)"
    found = [
        Series("published", "days", levels, partial(read_days, days), every, unfiltered, "random(1)",
               grows=False),
        Series("dominoes", "dominoes", (5, 10, 20, 40), partial(make, "dominoes", 3), (FIRST,), dominoes),
        Series("dominoes", "several", (8, 14, 20), partial(make, "dominoes", 3, solutions=(20, 200)), (ALL,)),
        Series("dominoes", "weights", weighted, partial(make_plain, 3), (BEST,), {}, "random(1)"),
        Series("dominoes", "few-weights", weighted, partial(make_plain, 3), (BEST,), {}, few),
        Series("sudokus", "rows", (9, 16), make_sudokus, (FIRST, ALL)),
        Series("sudokus", "killer", (9,), make_killers, (FIRST,)),
        Series("colour grids", "rows-and-columns", (5, 10, 20), partial(make_grids, 3), (FIRST,)),
        Series("colour grids", "unique", (5, 8), partial(make_grids, 3, unique=True), (ALL,)),
        Series("models", "cover", (20, 30, 40), partial(make_models, "cover"), every),
        Series("models", "assignment", (6, 8, 10), partial(make_models, "assignment"), every),
        Series("models", "knapsack", (10, 20, 30), partial(make_models, "knapsack"), every),
        Series("miplib", "miplib", ("all",), partial(read_models, models), every),
        Series("sudokus", "large", (25,), make_sudokus, (FIRST,), is_extra=True),
    ]  # fmt: skip
    return [
        one for one in found if (published or one.group != "published") and (models or one.group != "miplib")
    ]


def read_days(files: Sequence[Path], level: str) -> list[Any]:
    return [puzzle for file in files for puzzle in milp_pips.read_all(str(file), level).values()]


def make(vary: str, count: int, value: int, **options: Any) -> list[Any]:
    return [one.puzzle for one in milp_pips.generate(count=count, seed=2026, **{vary: value}, **options)]


def make_plain(count: int, dominoes: int) -> list[Any]:
    return make("dominoes", count, dominoes, style="plain", region_sizes="1..5")


def make_sudokus(size: int) -> list[Any]:
    """Return Sudokus with one solution; those of 25 rows may have more."""
    import instances

    if size == 25:
        return [instances.sudoku(5, 0.46, seed) for seed in (1, 2, 3)]
    return [one.puzzle for one in milp_pips.generate("sudoku", count=3, seed=2026, size=size)]


def make_killers(size: int) -> list[Any]:
    import instances

    return [*instances.killers(3, size)]


def make_grids(count: int, size: int, unique: bool = False) -> list[Any]:
    made = milp_pips.generate("colour-grid", count=count, seed=2026, size=size, unique=unique)
    return [one.puzzle for one in made]


def make_models(kind: str, size: int) -> list[Any]:
    """Return two linear models of a kind.

    PuLP, which states them, clashes with libraries of engines: so this is done in a process of its own.
    """
    import any_model

    from milp_pips.formulations.reading.objects.pulp import from_pulp

    state: Mapping[str, Callable[[int], Any]] = {
        "cover": lambda seed: any_model.cover(3 * size // 2, size, seed),
        "assignment": lambda seed: any_model.assignment(size, 6, seed),
        "knapsack": lambda seed: any_model.knapsack(size, seed),
    }
    return [from_pulp(state[kind](seed)) for seed in (1, 2)]


def read_models(folder: Path | None, _: str) -> list[Any]:
    return [milp_pips.read(str(file)) for file in sorted(folder.glob("*.mps"))] if folder else []


def file_of(of: Series, value: Any, kept: Path) -> Path:
    """Return the file that keeps the puzzles of a point."""
    return kept / f"{of.group}-{of.point(value)}.pickle"


def build_all(of_all: Sequence[Series], kept: Path) -> None:
    """Make the puzzles of all points, and keep them with their names."""
    kept.mkdir(parents=True, exist_ok=True)
    for of in of_all:
        for value in of.values:
            if not (file := file_of(of, value, kept)).exists():
                built = [*of.build(value)]
                is_named = of.group in ("published", "miplib")
                named = [
                    (one.name if is_named else f"{of.point(value)}-{n}", one)
                    for n, one in enumerate(built, 1)
                ]
                file.write_bytes(pickle.dumps(named))


def puzzles(of: Series, value: Any, kept: Path) -> Sequence[tuple[str, Any]]:
    """Return the puzzles of a point with their names."""
    found: Sequence[tuple[str, Any]] = pickle.loads(file_of(of, value, kept).read_bytes())
    return found


def approach_of(way: str) -> str:
    """Return the approach of a way; empty for the default."""
    engine = way.removesuffix(UNFILTERED)
    return next((name for name, ways in APPROACHES.items() if engine in ways), "")
