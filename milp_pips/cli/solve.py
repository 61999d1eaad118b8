"""``solve FILE…``: the solved board, drawn."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from milp_pips.cli import BAD_INPUT, FOUND, INTERRUPTED, LIMIT, NO_SOLUTION, complain
from milp_pips.cli.arguments import add_engine, add_json, add_puzzle_files, puzzles, size
from milp_pips.errors import EngineFault, InputError

if TYPE_CHECKING:
    from milp_pips.solving import Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    add_puzzle_files(parser)
    add_engine(parser, unnamed="chosen by the size of the puzzle")
    parser.add_argument(
        "--presolve-rules",
        metavar="RULES",
        help="reduce the domains first, by rules such as equality,pruning (default: filtering), or none",
    )
    parser.add_argument("--isolate", action="store_true", help="run the engine in a process of its own")
    parser.add_argument(
        "--memory-limit", type=size, metavar="SIZE", help="memory the engine may use, such as 500M or 2G"
    )
    add_json(parser)
    parser.add_argument(
        "--output", metavar="DIR", help="write a solution file per puzzle into this directory"
    )
    parser.add_argument(
        "--keep-model", metavar="DIR", help="keep the model on which an engine has contradicted another"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="tell the size of the model and the search"
    )


def run(arguments: argparse.Namespace) -> int:
    """Solve every puzzle and return the gravest exit status."""
    from milp_pips.solving import solve
    from milp_pips.watch import Watch

    statuses = [FOUND]
    written: set[str] = set()
    output = _directory(arguments.output) if arguments.output else None

    def tell(result: Result) -> None:
        if arguments.json:
            import json

            print(json.dumps(result.to_json(), ensure_ascii=False), flush=True)
            return
        if result.solution is not None:
            from milp_pips.drawing import terminal_style, to_text

            unicode, colour = terminal_style(sys.stdout)
            print(to_text(result.puzzle.draw(result.solution), unicode=unicode, colour=colour))
        print(result.summary())
        if arguments.verbose:
            print(f"  {result.choice or 'the solver was named'}")
            print("  " + ", ".join(f"{n} {what}" for what, n in {**result.size, **result.statistics}.items()))
            print("  " + ", ".join(f"{what} {spent:.3f} s" for what, spent in result.seconds.items()))

    for puzzle, reading in puzzles(arguments.files, arguments.level):
        if isinstance(puzzle, InputError):
            complain(str(puzzle))
            statuses.append(BAD_INPUT)
            continue
        with Watch(arguments.time_limit) as watch:
            try:
                result = solve(
                    puzzle,
                    arguments.solver,
                    formulation=arguments.formulation,
                    threads=arguments.threads,
                    seed=arguments.seed,
                    options=dict(arguments.option),
                    rules=_rules(arguments.presolve_rules),
                    isolate=arguments.isolate,
                    memory=arguments.memory_limit,
                    reading=reading,
                    watch=watch,
                )
            except EngineFault as error:
                complain(str(error))
                statuses.append(LIMIT)
                continue
        tell(result)
        if result.fault:
            complain(
                f"{puzzle.name}: FAULT OF AN ENGINE: {result.fault}{_kept(arguments.keep_model, result)}"
            )
        if output and result.solution is not None:
            name = f"{_unique(puzzle.name, written)}.solution.txt"
            _write(output, name, puzzle.write_solution(result.solution))
        if watch.interrupted:
            return INTERRUPTED
        statuses.append({"solved": FOUND, "infeasible": NO_SOLUTION}.get(result.status, LIMIT))
    return next(status for status in (BAD_INPUT, LIMIT, NO_SOLUTION, FOUND) if status in statuses)


def _kept(directory: str | None, result: Result) -> str:
    """Write the model of a puzzle on which engines disagree, and return where."""
    if not directory:
        return "; --keep-model DIR keeps the model"
    from milp_pips.exporting import export

    name = f"{result.puzzle.name}.{result.formulation or 'model'}.mps"
    return f"; the model is in {_write(_directory(directory), name, export(result.puzzle, 'mps'))}"


def _rules(text: str | None) -> list[str] | None:
    """Return the names of the presolve rules asked for; None where nothing was said."""
    if text is None:
        return None
    return [word.strip() for word in text.split(",") if word.strip() not in ("", "none")]


def _directory(path: str) -> str:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write solutions here: {error.strerror}", path) from None
    return path


def _unique(name: str, written: set[str]) -> str:
    """Return the name, with a number if an earlier puzzle of this run had it."""
    unique, again = name, 1
    while unique in written:
        again += 1
        unique = f"{name}-{again}"
    written.add(unique)
    return unique


def _write(directory: str, name: str, text: str) -> str:
    """Write a file into the directory and return its path."""
    path = os.path.join(directory, name)
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", path) from None
    return path
