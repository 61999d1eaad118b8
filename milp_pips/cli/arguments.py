"""What several verbs share: parameters, and loops over the puzzles of the files.

First come the arguments that parameters become, and shared parameters; then the loop of a verb that works on
one puzzle after another (``work_on_puzzles``), and that of a verb whose work a cluster may do
(``for_each_result``).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from milp_pips.cli import (
    BAD_INPUT,
    FAULT,
    FOUND,
    INTERRUPTED,
    LIMIT,
    NO_SOLUTION,
    Made,
    Task,
    Verb,
    Work,
    complain,
)
from milp_pips.cli.output import Pictures, ProgressLine, fault_as_json
from milp_pips.problem.answer import Settings, TaskResult
from milp_pips.problem.errors import EngineFault, InputError, MilpPipsError, UsageError
from milp_pips.problem.parameters import NAMES, SETTINGS, SWITCH, Kind, Parameter, flag, whole
from milp_pips.problem.plugins import load
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Board, Puzzle

T = TypeVar("T")


def add_parameters(parser: argparse._ActionsContainer, parameters: Iterable[Parameter]) -> None:
    """Add an argument for each parameter."""
    groups: dict[str, argparse._MutuallyExclusiveGroup] = {}
    for parameter in parameters:
        if parameter.group and parameter.group not in groups:
            groups[parameter.group] = parser.add_mutually_exclusive_group()
        where = groups.get(parameter.group, parser)
        names = parameter.flags or [parameter.keyword]
        where.add_argument(*names, help=parameter.help.replace("%", "%%"), **_argparse_words(parameter))


def _argparse_words(parameter: Parameter) -> dict[str, Any]:
    """Return the keyword arguments of ``add_argument`` for a parameter, except its help."""
    kind, default, words = parameter.kind, parameter.default, dict[str, Any]()
    if parameter.flags:
        required = {"required": True} if default is ... else {}
        words = {"dest": parameter.keyword, "default": None if default is ... else default, **required}
    elif parameter.usage.endswith("..."):
        words = {"nargs": "+"}
    elif parameter.usage.startswith("["):
        words = {"nargs": "?", "default": default}
    if kind is SWITCH and not parameter.metavar:
        return {**words, "action": argparse.BooleanOptionalAction if default is None else "store_true"}
    if parameter.alone is not None:
        words |= {"nargs": "?", "const": parameter.alone}
    if parameter.many and parameter.flags:
        words |= {"action": "extend" if kind is NAMES else "append"}
        words |= {"default": None if default is None else list(default)}
    if choices := kind.schema.get("enum"):
        return {**words, "choices": choices}
    return {**words, "metavar": parameter.metavar, "type": partial(_read_text, kind)}


def _read_text(kind: Kind, text: str) -> Any:
    try:
        return kind.read_text(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def verb(
    *parameters: Parameter | str, epilog: str | Callable[[], str] = ""
) -> Callable[[Callable[[argparse.Namespace], int]], Verb]:
    """Return a decorator that makes a function of the parsed arguments a verb with these parameters.

    A text is the place of a task's own parameters, such as ``module:PARAMETERS``.
    """

    def make(run: Callable[[argparse.Namespace], int]) -> Verb:
        def add_arguments(parser: argparse.ArgumentParser) -> None:
            parser.epilog = epilog if isinstance(epilog, str) else epilog()
            for each in parameters:
                add_parameters(parser, load(each) if isinstance(each, str) else [each])

        return Verb(add_arguments, run)

    return make


def settings(*names: str, **helps: str) -> tuple[Parameter, ...]:
    """Return the named ``SETTINGS``, in this order; ``helps`` replaces the sentences of some of them."""
    known = {parameter.keyword: parameter for parameter in SETTINGS}
    return tuple(known[name].says(helps.get(name, known[name].help)) for name in names or known)


def settings_of(arguments: argparse.Namespace, **instead: object) -> Settings:
    """Return the settings that the arguments state; ``instead`` replaces some values."""
    from milp_pips.problem.answer import Settings

    fields = {**vars(arguments), **instead}
    fields = {known.keyword: fields[known.keyword] for known in SETTINGS if known.keyword in fields}
    if fields.get("rules") is not None:
        fields["rules"] = tuple(fields["rules"])
    return Settings(**{**fields, "options": dict(fields.get("options", ()))})


def keywords(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return some arguments as keyword arguments of a task."""
    return {name: getattr(arguments, name) for name in names}


LEVEL = Parameter("--level LEVEL", "puzzle to take from a file with several, such as easy, medium or hard")
PUZZLE_FILE = (Parameter("FILE", "puzzle file, or - for standard input"), LEVEL)
PUZZLE_FILES = (
    Parameter("FILE...", "puzzle files, directories of them, or - for standard input", name="files"),
    LEVEL,
)
BOARD = Parameter("--board BOARD")
OBJECTIVE = (
    Parameter(
        "--maximise EXPRESSION",
        "find the greatest value of an expression, such as 'sum(A) + 2*r1c1 - pips(3) + flat'",
        group="objective",
    ),
    Parameter(
        "--minimise EXPRESSION", "find the least value of an expression; see --maximise", group="objective"
    ),
)
PROVE = Parameter("--prove DIR", "write a certificate of the answer into this new folder, see the verb prove")


def require_plain(arguments: argparse.Namespace) -> None:
    """Raise UsageError if a certificate is requested of an answer to more than the puzzle itself."""
    names = ("board", "soft", "best", "within", "within_relative")
    more = [name for name in names if getattr(arguments, name, None) not in (None, (), [])]
    if arguments.prove and more:
        option = more[0].replace("_", "-")
        raise UsageError(f"a certificate states the puzzle alone: omit --prove or --{option}")


def cluster(what: str = "puzzles", trust: str = "") -> tuple[Parameter, ...]:
    """Return --scheduler, --workers and --trust; ``trust`` begins the sentence of --trust."""
    scheduler = (
        f"distribute the {what} over the workers of the Dask scheduler at ADDRESS, or over workers that "
        "local starts on this machine; each worker runs one at a time"
    )
    workers = (
        "number of workers that local starts (default: one per core), or to wait for at ADDRESS (default: 1)"
    )
    trust += "use a scheduler on another host without TLS, although it can run programs on this machine"
    return (
        Parameter("--scheduler ADDRESS|local", scheduler),
        Parameter("--workers N", workers, whole(1)),
        flag("--trust", trust),
    )


# The loops over the puzzles of the files. Each error prints one line, and the loop continues.


class ReadPuzzle(NamedTuple):
    """A puzzle, the seconds that reading took, and the values on the board if one was given."""

    puzzle: Puzzle
    seconds: float
    board: Board | None = None


def puzzles_of(arguments: argparse.Namespace) -> Iterator[ReadPuzzle | MilpPipsError]:
    """Yield every puzzle of FILE…, or the only one, with its board; yield the error of unreadable input.

    Raises UsageError, and InputError for a board or for FILE.
    """
    files: list[str] | None = getattr(arguments, "files", None)
    board: str | None = getattr(arguments, "board", None)
    if files and board is None:
        yield from _puzzles(files, arguments.level)
        return
    if files and len(files) > 1:
        raise UsageError("--board belongs to one puzzle: name one file")
    from milp_pips.puzzles.reading import read, read_board

    file, begun = files[0] if files else arguments.file, time.perf_counter()
    if board is not None:
        require_files(file, board)
    puzzle = read(file, arguments.level)
    values = None if board is None else read_board(puzzle, board)
    yield ReadPuzzle(puzzle, time.perf_counter() - begun, values)


def require_files(*files: str) -> None:
    """Raise UsageError if a file is a directory, or if two of the files are standard input."""
    for file in files:
        if os.path.isdir(file):
            raise UsageError(f"{file} is a directory; name one file with a puzzle, and one with its board")
    if files.count("-") > 1:
        raise UsageError("the puzzle and its board cannot both come from standard input")


def _puzzles(paths: list[str], level: str | None) -> Iterator[ReadPuzzle | MilpPipsError]:
    from milp_pips.puzzles.reading import files_of, name_of, read_levels, text_of

    for path in paths:
        try:
            for file in files_of([path]):
                begun = time.perf_counter()
                try:
                    found = read_levels(text_of(file), name_of(file), level)
                except (EngineFault, InputError) as error:
                    yield error
                    continue
                spent = (time.perf_counter() - begun) / len(found)
                for puzzle in found.values():
                    yield puzzle if isinstance(puzzle, InputError) else ReadPuzzle(puzzle, spent)
        except InputError as error:
            yield error


def attempt_each(items: Iterable[T | MilpPipsError], attempt: Callable[[T], int]) -> int:
    """Attempt each item in order and return the gravest exit status; an error prints one line."""
    statuses = [FOUND]
    for item in items:
        if isinstance(item, MilpPipsError):
            complain(str(item))
            statuses.append(BAD_INPUT if isinstance(item, InputError) else FAULT)
            continue
        try:
            statuses.append(attempt(item))
        except EngineFault as error:
            complain(str(error))
            statuses.append(FAULT)
        if statuses[-1] == INTERRUPTED:
            return INTERRUPTED
    return next(status for status in (FAULT, BAD_INPUT, LIMIT, NO_SOLUTION, FOUND) if status in statuses)


class PuzzleRun(NamedTuple):
    """A puzzle on which a command works: its arguments, values on the board, output, and the deadline."""

    arguments: argparse.Namespace
    puzzle: Puzzle
    board: Board | None
    pictures: Pictures
    deadline: Deadline

    def show(self, found: TaskResult) -> None:
        """Print the result, only its summary with ``--quiet``, and keep its picture if SVG is requested."""
        parts = [found.summary()] if self.arguments.quiet else found.display_parts()
        self.pictures.present(found, self.puzzle.name, parts, found.drawing)


def on_puzzle(work: Callable[[PuzzleRun], int]) -> Callable[[argparse.Namespace], int]:
    """Return a function of the arguments that does the work on every puzzle, as ``work_on_puzzles`` does."""

    def run(arguments: argparse.Namespace) -> int:
        with Pictures(arguments) as pictures:
            return work_on_puzzles(arguments, pictures, work)

    return run


def work_on_puzzles(
    arguments: argparse.Namespace, pictures: Pictures, work: Callable[[PuzzleRun], int]
) -> int:
    """Do the work on FILE or every puzzle of FILE…, within the time limit; return the gravest exit status.

    An error prints one line, and the loop continues; after an interruption no further puzzle is started.
    """

    def attempt(found: ReadPuzzle) -> int:
        name = found.puzzle.name
        with (
            Deadline(getattr(arguments, "seconds", None), pictures.progress.listener) as deadline,
            fault_as_json(arguments, name),
        ):
            try:
                status = work(PuzzleRun(arguments, found.puzzle, found.board, pictures, deadline))
            except MilpPipsError as error:
                if (stop := getattr(error, "stop", None)) is None:
                    raise
                pictures.progress.clear()
                complain(f"{name}: {error}")  # a decision diagram was given up
                status = INTERRUPTED if stop == "interrupted" else LIMIT
            finally:
                pictures.progress.clear()
        return INTERRUPTED if deadline.interrupted else status

    return attempt_each(puzzles_of(arguments), attempt)


# The same for work that a cluster may do: functions that return results, which are printed in order.


def for_each_result(
    arguments: argparse.Namespace,
    work_of: Callable[[Puzzle, float, Board | None], Work[T]],
    print_result: Callable[[T], int],
    solvers: Iterable[str] = (),
) -> int:
    """Run the work of every puzzle, print each result, and return the gravest exit status.

    Each error prints one line, and the loop continues.

    Parameters
    ----------
    arguments
        The parsed arguments, with ``files`` and those of ``cluster``.
    work_of
        Returns the work for a puzzle. It takes the puzzle, the seconds that reading took, and the board if
        the verb has one.
    print_result
        Prints a result and returns an exit status.
    solvers
        Solvers that should have the same version on all machines; the empty name is the default solver.
    """
    tasks: Iterator[Task[T] | MilpPipsError] = (
        found if isinstance(found, MilpPipsError) else Task(found.puzzle.name, work_of(*found))
        for found in puzzles_of(arguments)
    )

    def attempt(made: Made[T]) -> int:
        with fault_as_json(arguments, made.name):
            if isinstance(made.result, EngineFault):
                raise made.result
            return print_result(made.result)

    return attempt_each(results_in_order(tasks, arguments, solvers), attempt)


def results_in_order(
    tasks: Iterable[Task[T] | MilpPipsError], arguments: argparse.Namespace, solvers: Iterable[str] = ()
) -> Iterator[Made[T] | MilpPipsError]:
    """Run the tasks, here or on a cluster; yield the result of each, and errors in place of tasks, in order.

    A task that returns None yields nothing. After Ctrl-C, yields the result of the task that was running
    here, or the results that have arrived from workers, and raises KeyboardInterrupt. ``solvers`` should
    have the same version on all machines; the empty name is the default solver. Raises UsageError as
    ``open_workers`` does.
    """
    require_scheduler(arguments.scheduler, workers=arguments.workers, trust=arguments.trust)
    if arguments.scheduler:
        from milp_pips.cli.spread import run_on_cluster  # which loads all that runs processes

        yield from run_on_cluster(tasks, arguments, solvers)
        return
    progress, seconds = ProgressLine(), getattr(arguments, "seconds", None)
    for task in tasks:
        if isinstance(task, MilpPipsError):
            yield task
            continue
        made: T | EngineFault | None
        with Deadline(seconds, progress.listener) as deadline:
            try:
                made = task.work(deadline=deadline)
            except EngineFault as fault:
                made = fault
            progress.clear()
            if made is not None:
                yield Made(task.name, made)
        if deadline.interrupted:
            raise KeyboardInterrupt


def require_scheduler(scheduler: str | None, **given: object) -> None:
    """Raise UsageError if one of the arguments is given without --scheduler."""
    if wrong := [name for name, value in given.items() if value and not scheduler]:
        raise UsageError(f"--{wrong[0]} needs a cluster: name one, such as --scheduler local")
