"""Measure how similar new puzzles are to published ones: regions, rules, targets, boards.

``FOLDER`` has published puzzles in the Times' format. ``--table`` prints their figures, as
``milp_pips/extras/generate/pips/styles.toml`` has them for 30 days. Without it, unique puzzles of each
style are generated, with as many dominoes as the published ones. The output is the total variation
distance of each figure from the published one, and the mean. ``--stories`` adds figures of the way to the
solution: the steps of one look that are possible at the start, and the techniques of all needed steps.
``--picture`` draws ten puzzles of each level beside ten published ones, to be looked at and not to be
published.
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from measure import header, puzzles_of

import milp_pips
from milp_pips.extras.explain.analysis import BoardAnalysis
from milp_pips.extras.explain.facts import Step
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.extras.explain.techniques.story import needed
from milp_pips.extras.generate.pips.boards import BOARD_FIGURES, shape_of
from milp_pips.extras.generate.pips.regions import FREE_REGION, STYLES, Table, level_of
from milp_pips.extras.generate.pips.solution import SUM_CLASSES
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.pips.puzzle import Pips, Rule
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Place

LEVELS = ("easy", "medium", "hard")

STARTS = (3, 6, 9, 12, 16)
"""The bounds of the cases for steps of one look at the start."""

SECONDS_PER_STORY = 20.0
"""The time limit of a story: a few need long chains."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folders", nargs="*", metavar="FOLDER", help="published puzzles; then others, measured too"
    )
    parser.add_argument("--table", action="store_true", help="print the figures alone")
    parser.add_argument(
        "--count", type=int, default=1, help="new puzzles for each published one (default: 1)"
    )
    parser.add_argument("--styles", default="plain,setter", help="styles to measure (default: plain,setter)")
    parser.add_argument("--stories", action="store_true", help="add figures of the way to the solution")
    parser.add_argument("--picture", metavar="DIR", help="draw the puzzles of each level into this folder")
    arguments = parser.parse_args()
    published = {level: _pips(puzzles_of(arguments.folders[:1], level)) for level in LEVELS}
    goal = {level: figures_of(puzzles) for level, puzzles in published.items()}
    if arguments.table:
        print(_as_code(goal))
        return
    print(f"{header()}\n")
    sizes = [len(puzzle.dominoes) for puzzles in published.values() for puzzle in puzzles]
    drawn = {
        **{folder: _pips(puzzles_of([folder])) for folder in arguments.folders[1:]},
        **{
            style: _made(style, sizes * arguments.count)
            for style in filter(None, arguments.styles.split(","))
        },
    }
    if arguments.stories:
        goal = {level: {**goal[level], **story_figures(published[level])} for level in LEVELS}
    for level in LEVELS:
        of_level = {
            name: [p for p in puzzles if level_of(len(p.dominoes)) == level]
            for name, puzzles in drawn.items()
        }
        if arguments.picture:
            draw(Path(arguments.picture, f"{level}.html"), {"published": published[level], **of_level})
        measured = {
            name: distances(
                goal[level],
                {**figures_of(puzzles), **(story_figures(puzzles) if arguments.stories else {})},
            )
            for name, puzzles in of_level.items()
        }
        print(f"| {level} | {' | '.join(measured)} |\n|---|{'---|' * len(measured)}")
        for figure in next(iter(measured.values())):
            print(f"| {figure} | {' | '.join(f'{found[figure]:.2f}' for found in measured.values())} |")
        means = [statistics.mean(found.values()) for found in measured.values()]
        print(f"| **mean** | {' | '.join(f'**{mean:.2f}**' for mean in means)} |\n")


def _pips(puzzles: Sequence[Puzzle]) -> list[Pips]:
    return [puzzle for puzzle in puzzles if isinstance(puzzle, Pips)]


def _made(style: str, sizes: Sequence[int]) -> list[Pips]:
    made = [
        next(milp_pips.generate(dominoes=dominoes, style=style, unique=True, seed=seed)).puzzle
        for seed, dominoes in enumerate(sizes)
    ]
    return _pips(made)


def _as_code(tables: dict[str, Table]) -> str:
    """Return the tables as ``styles.toml`` has them."""
    lines = []
    for level, figures in tables.items():
        lines.append(f"[{level}]")
        by_size: dict[int, dict[str, int]] = {}
        for area, count in sorted(figures["areas"].items()):
            size, rule = area.split()
            by_size.setdefault(int(size), {})[rule] = count
        lines += [f"areas.{size} = {_inline(by_size[size])}" for size in sorted(by_size)]
        lines += [f"{name} = {_inline(cases)}" for name, cases in figures.items() if name != "areas"]
        lines.append("")
    return "\n".join(lines)


def _inline(cases: Mapping[str, int]) -> str:
    named = {case if case.isalpha() else f'"{case}"': n for case, n in sorted(cases.items())}
    return f"{{ {', '.join(f'{case} = {n}' for case, n in named.items())} }}"


def figures_of(puzzles: Iterable[Pips]) -> Table:
    """Return the figures of puzzles on grids whose pips range from 0 to 6."""
    found: dict[str, Counter[str]] = {
        name: Counter() for name in ("areas", "sums", *BOARD_FIGURES, "dominoes", "repeats")
    }
    for puzzle in puzzles:
        found["areas"].update(_areas_of(puzzle))
        found["sums"].update(_sums_of(puzzle))
        for name, case in shape_of(cast("tuple[Place, ...]", puzzle.cells)).items():
            found[name][case] += 1
        found["dominoes"].update("double" if a == b else "other" for a, b in puzzle.dominoes)
        kinds = {(min(d), max(d)) for d in puzzle.dominoes}
        found["repeats"]["some" if len(kinds) < len(puzzle.dominoes) else "none"] += 1
    return found


def story_figures(puzzles: Iterable[Pips]) -> Table:
    """Return the steps of one look at the start, and the techniques of all needed steps, as far as found."""
    start, techniques = Counter[str](), Counter[str]()
    for puzzle in puzzles:
        steps = list[Step]()
        with Deadline(SECONDS_PER_STORY) as deadline, suppress(OutOfTime):
            analysis = BoardAnalysis(puzzle, deadline)
            analysis.has_solution()
            for step in analysis.trace.steps():
                steps.append(step)
        if steps:
            most = next((most for most in STARTS if steps[0].open <= most), None)
            start[f"up to {most}" if most else "more"] += 1
        techniques.update(step.technique for step in needed(steps))
    return {"start": start, "techniques": techniques}


def draw(file: Path, puzzles: Mapping[str, Sequence[Pips]]) -> None:
    """Write a page with a column of ten pictures for each set of puzzles."""
    columns = []
    for name, those in puzzles.items():
        shown = "".join(picture(p) for p in those[:: max(1, len(those) // 10)][:10])
        columns.append(f"<div style='width:45%;display:flex;flex-wrap:wrap'><h2>{name}</h2>{shown}</div>")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"<body style='display:flex'>{''.join(columns)}</body>", encoding="utf-8")


def picture(puzzle: Pips) -> str:
    """Return an SVG of the puzzle, 220 pixels wide."""
    return re.sub("<svg ", "<svg style='width:220px;height:220px;margin:6px' ", puzzle._repr_svg_(), count=1)


def _areas_of(puzzle: Pips) -> Iterable[str]:
    ruled = 0
    for region in puzzle.regions:
        if region.rule is not None:
            ruled += len(region.cells)
            yield f"{len(region.cells)} {region.rule}"
    yield from [f"1 {FREE_REGION}"] * (len(puzzle.cells) - ruled)


def _sums_of(puzzle: Pips) -> Iterable[str]:
    for region in puzzle.regions:
        if region.rule is Rule.SUM and len(region.cells) > 1:
            share = (region.target or 0) / (6 * len(region.cells))
            yield next(case for most, case in SUM_CLASSES.items() if share <= most)


def distances(these: Table, those: Table) -> dict[str, float]:
    """Return the total variation distance of each figure, from 0 to 1: half the sum of all differences.

    The areas are compared by size, by rule, and by the shares of cells without a rule and of cells that a sum
    of one cell gives away.
    """
    first, second = _comparable_figures(these), _comparable_figures(those)
    return {name: _total_variation(first[name], second[name]) for name in first}


def _comparable_figures(figures: Table) -> dict[str, Mapping[str, int]]:
    """Return the figures, with ``areas`` split by size, by rule, and by the two shares of cells."""
    sizes, rules, cells = Counter[str](), Counter[str](), Counter[str]()
    for area, count in figures["areas"].items():
        size, rule = area.split()
        cells[area if area in (f"1 {FREE_REGION}", "1 SUM") else "other"] += int(size) * count
        if rule != FREE_REGION:
            sizes[size] += count
            rules[rule] += count
    free, given, others = cells[f"1 {FREE_REGION}"], cells["1 SUM"], cells["other"]
    return {
        "free cells": {"free": free, "other": given + others},
        "given cells": {"given": given, "other": free + others},
        "region sizes": sizes,
        "rules": rules,
        **{name: cases for name, cases in figures.items() if name != "areas"},
    }


def _total_variation(these: Mapping[str, int], those: Mapping[str, int]) -> float:
    all_these, all_those = max(1, sum(these.values())), max(1, sum(those.values()))
    cases = sorted({*these, *those})
    return sum(abs(these.get(c, 0) / all_these - those.get(c, 0) / all_those) for c in cases) / 2


def published_figures(level: str) -> Table:
    """Return the figures that the package has of the published puzzles of a level."""
    table: dict[str, Any] = dict(STYLES[level])
    areas = table["areas"]
    return {**table, "areas": {f"{size} {rule}": n for size in areas for rule, n in areas[size].items()}}


if __name__ == "__main__":
    main()
