"""Measure how similar new puzzles are to published ones: regions, rules, targets, boards.

``FOLDER`` has published puzzles in the Times' format. ``--table`` prints their figures, as
``milp_pips/extras/generate/pips/statistics.py`` has them for 30 days. Without it, unique puzzles of each
style are generated, with as many dominoes as the published ones. The output is the total variation
distance of each figure from the published one, and the mean. ``--speed`` instead prints the processor seconds
for unique puzzles and grades; it needs no folder and no style.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from measure import header, puzzles_of

import milp_pips
from milp_pips.extras.explain.rate import GRADES
from milp_pips.extras.generate.pips.statistics import Figures, distances, figures_of, level_of
from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.puzzles.puzzle import Puzzle

LEVELS = ("easy", "medium", "hard")


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
    parser.add_argument("--speed", action="store_true", help="processor seconds of new puzzles")
    arguments = parser.parse_args()
    if arguments.speed:
        print_speed()
        return
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
    for level in LEVELS:
        measured = {
            name: distances(
                goal[level], figures_of([p for p in puzzles if level_of(len(p.dominoes)) == level])
            )
            for name, puzzles in drawn.items()
        }
        print(f"| {level} | {' | '.join(measured)} |\n|---|{'---|' * len(measured)}")
        for figure in next(iter(measured.values())):
            print(f"| {figure} | {' | '.join(f'{found[figure]:.2f}' for found in measured.values())} |")
        means = [statistics.mean(found.values()) for found in measured.values()]
        print(f"| **mean** | {' | '.join(f'**{mean:.2f}**' for mean in means)} |\n")


def print_speed() -> None:
    """Print the seconds for unique puzzles of three seeds, and for the first of ten seeds of each grade."""
    wanted: dict[str, dict[str, Any]] = {
        "20 unique puzzles of 14 dominoes": {"dominoes": 14, "count": 20, "unique": True},
        "a unique one of 10, regions of 2..5": {"dominoes": 10, "region_sizes": "2..5", "unique": True},
        **{f"a puzzle of the grade {grade}": {"grade": grade} for grade in GRADES},
    }
    print(f"{header()}\n\n| work | found | median s | most s |\n|---|---|---|---|")
    for name, asked in wanted.items():
        spent, found, seeds = list[float](), 0, range(10 if "grade" in asked else 3)
        for seed in seeds:
            begun = time.process_time()
            with suppress(milp_pips.UsageError):
                found += bool(list(milp_pips.generate(seed=seed, **asked)))
            spent.append(time.process_time() - begun)
        print(
            f"| {name} | {found} of {len(seeds)} | {statistics.median(spent):.2f} | {max(spent):.2f} |",
            flush=True,
        )


def _pips(puzzles: Sequence[Puzzle]) -> list[Pips]:
    return [puzzle for puzzle in puzzles if isinstance(puzzle, Pips)]


def _made(style: str, sizes: Sequence[int]) -> list[Pips]:
    made = [
        next(milp_pips.generate(dominoes=dominoes, style=style, unique=True, seed=seed)).puzzle
        for seed, dominoes in enumerate(sizes)
    ]
    return _pips(made)


def _as_code(tables: dict[str, Figures]) -> str:
    lines = []
    for level, figures in tables.items():
        lines.append(f'    "{level}": {{')
        for name, cases in figures.items():
            told = ", ".join(f'"{case}": {count}' for case, count in sorted(cases.items()))
            lines.append(f'        "{name}": {{{told}}},')
        lines.append("    },")
    return "\n".join(["PUBLISHED: Mapping[str, Figures] = {", *lines, "}"])


if __name__ == "__main__":
    main()
