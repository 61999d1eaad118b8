"""The verbs of the page: a function for each, with the members of its request (``WEB_VERBS``)."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.compilation.limits import Unfinished
from milp_pips.engines import registry
from milp_pips.engines.defaults import WHOLE_MODEL
from milp_pips.extras.explain.parameters import ADDITIONS, FURTHER, GRADES, REASONS, REVEAL
from milp_pips.extras.picture.pixels import MOST_PIXELS, Pixels
from milp_pips.extras.web import requests
from milp_pips.extras.web.records import Record, puzzle_record, solution_record
from milp_pips.extras.web.requests import LARGEST_REQUEST, read_board
from milp_pips.formulations.milp import choices
from milp_pips.problem.answer import Settings, Stop
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.parameters import Parameter, one_of, whole
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles import family as families
from milp_pips.puzzles.puzzle import Puzzle, known_key
from milp_pips.render.svg import to_svg
from milp_pips.runtime.import_path import HOME
from milp_pips.tasks.pipeline import prepare, state
from milp_pips.tasks.query import Query, Run

if TYPE_CHECKING:
    from milp_pips.extras.explain.facts import Step
    from milp_pips.extras.explain.hint import Hint

Say = Callable[[str, Record], object]
"""Called with the name and data of each event: ``progress``, ``part``, and last ``result`` or ``fault``."""


Answer = Callable[..., Record]

NO_PROCESSES = "engines run in separate processes, which a browser does not have: use the local page"


class Task(NamedTuple):
    """A running request.

    Parameters
    ----------
    where
        ``local`` in a worker of the server, ``browser`` in the visitor's browser.
    seconds
        Time limit of this request.
    memory
        Memory limit in bytes, roughly; None for the default.
    deadline
        Deadline of this request.
    say
        Called with each event.
    most_seconds
        Largest time limit of any request.
    """

    where: str
    seconds: float
    memory: int | None
    deadline: Deadline
    say: Say
    most_seconds: float


class Verb(NamedTuple):
    """A verb: the function that answers, the members of its request, and whether it needs processes."""

    answer: Answer
    members: tuple[Parameter, ...]
    processes: bool = False


WEB_VERBS: dict[str, Verb] = {}
"""The verbs of the page by name. Every request may have the member ``seconds``, too."""


def answers(*members: Parameter, processes: bool = False) -> Callable[[Answer], Answer]:
    """Return a decorator that makes a function a verb of the page with these members of a request."""

    def register(answer: Answer) -> Answer:
        WEB_VERBS[answer.__name__] = Verb(answer, members, processes)
        return answer

    return register


THE_PUZZLE = Parameter("puzzle", "the puzzle", requests.PUZZLE, ...)
THE_BOARD = Parameter("board", "a partial board, as the puzzle's family writes it", requests.ANY_TEXT)
WEB_SEED = Parameter("seed", "decides the puzzle or the solutions", whole(0, 2**31 - 1))


@answers(THE_PUZZLE._replace(default=None))
def about(task: Task, puzzle: Puzzle | None) -> Record:
    """Return the verbs, engines, limits, and how many dominoes a new puzzle of each grade can have.

    With a puzzle, engines have only the formulations that can state it.
    """
    from milp_pips.extras.generate.pips import limits_of_grade
    from milp_pips.problem import VERSION

    unfit = set() if puzzle is None else set(choices()) - set(choices(state(puzzle)))
    engines = []
    for name, solver in registry.solvers():
        if not isinstance(solver, str) and not registry.reason_against(solver):
            engines.append(
                {
                    "name": name,
                    "variants": solver.variants,
                    "kind": solver.kind,
                    "formulations": [form for form in solver.formulations if form and form not in unfit],
                }
            )
    return {
        "version": VERSION,
        "where": task.where,
        "verbs": [verb for verb, what in WEB_VERBS.items() if task.where == "local" or not what.processes],
        "engines": engines,
        "missing": {
            verb: NO_PROCESSES for verb, what in WEB_VERBS.items() if what.processes and task.where != "local"
        },
        "limits": {"seconds": task.most_seconds, "bytes": LARGEST_REQUEST},
        "sizes": {grade: limits["dominoes"] for grade, limits in limits_of_grade.items()},
    }


OFFERED_EXAMPLES = (
    "pips/easy.txt",
    "pips/notebook.txt",
    "pips/medium.txt",
    "pips/hard.txt",
    "pips/several.txt",
    "pips/impossible.txt",
    "pips/wide.txt",
    "sudoku/ordinary.txt",
    "sudoku/killer.txt",
    "colour_grid/boat.txt",
)
"""The examples that the page offers."""


def examples_folder() -> str:
    """Return the folder of the examples: inside an installed package, beside it in the repository."""
    inside = os.path.join(HOME, "milp_pips", "examples")
    return inside if os.path.isdir(inside) else os.path.join(HOME, "examples")


@answers()
def examples(task: Task) -> Record:  # noqa: ARG001
    """Return the example puzzles of this package."""
    from milp_pips.puzzles.reading import read_all, text_of

    folder, found = examples_folder(), list[Record]()
    for name in OFFERED_EXAMPLES:
        path = os.path.join(folder, *name.split("/"))
        found += [puzzle_record(each, text_of(path)) for each in read_all(path).values()]
    return {"puzzles": found}


@answers(Parameter("file", "the file", requests.SENT_FILE, ...))
def read(task: Task, file: tuple[str, str]) -> Record:  # noqa: ARG001
    """Return the puzzles of a file in any format, the faults of those that cannot be read, and warnings."""
    import warnings

    from milp_pips.puzzles.reading import read_levels

    name, text = file
    found: list[Record] = []
    faults: list[str] = []
    with warnings.catch_warnings(record=True) as doubtful:
        warnings.simplefilter("always")
        levels = read_levels(text, name)
    for each in levels.values():
        if isinstance(each, InputError):
            faults.append(str(each))
            continue
        record = puzzle_record(each, text)
        if not record["text"]:
            faults.append(f"{each.name}: cannot be written as text")
        found.append(record)
    return {"puzzles": found, "faults": faults, "warnings": [str(each.message) for each in doubtful]}


@answers(
    Parameter("name", "name of the puzzle", requests.NAME, "screenshot"),
    Parameter("width", "width of the picture in pixels", whole(1, MOST_PIXELS), ...),
    Parameter("height", "height of the picture in pixels", whole(1, MOST_PIXELS), ...),
    Parameter(
        "pixels",
        "four bytes per pixel by row, red, green, blue and alpha: deflated, in base64",
        requests.ANY_TEXT,
        ...,
    ),
)
def read_picture(task: Task, name: str, width: int, height: int, pixels: str) -> Record:
    """Return the puzzle that a screenshot shows, as a draft with its doubtful parts."""
    import base64
    import zlib

    from milp_pips.extras.picture.draft import as_record
    from milp_pips.extras.picture.reading import read_picture

    size = 4 * width * height
    if size > 4 * MOST_PIXELS:
        raise UsageError(f"the picture has {width} × {height} pixels; expected at most {MOST_PIXELS} in all")
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(pixels, validate=True), size + 1)
    except (ValueError, zlib.error):
        raise UsageError("the pixels of the picture cannot be unpacked") from None
    return {**as_record(read_picture(Pixels(width, height, data), name, task.deadline), name)}


@answers(
    Parameter("grade", "logical difficulty", one_of(GRADES)),
    Parameter("dominoes", "how many dominoes", whole(2, 40)),
    WEB_SEED,
)
def generate(task: Task, grade: str | None, dominoes: int | None, seed: int | None) -> Record:
    """Return a new puzzle with a unique solution."""
    import secrets

    from milp_pips.extras.generate import generate as making

    options: dict[str, Any] = {} if dominoes is None else {"dominoes": dominoes}
    seed = secrets.randbelow(10**6) if seed is None else seed
    made = next(
        making.generate(seed=seed, unique=True, grade=grade or "", deadline=task.deadline, **options), None
    )
    if made is None:
        raise Unfinished("no puzzle was made", task.deadline.stop or Stop.ERROR)
    record = puzzle_record(made.puzzle, "")
    rating = made.rating and {"score": made.rating.score, "grade": made.rating.grade}
    return {"puzzles": [record | {"rating": rating}]}


@answers(THE_PUZZLE, THE_BOARD, requests.THE_ENGINE._replace(default=""), requests.THE_FORMULATION)
def solve(task: Task, puzzle: Puzzle, board: str | None, engine: str, formulation: str) -> Record:
    """Return a solution of the puzzle that contains the values on its board."""
    from milp_pips.tasks.convert import draw
    from milp_pips.tasks.solve import solve

    if engine or formulation:
        registry.require_installed(engine or WHOLE_MODEL, formulation)
    standing = read_board(puzzle, board)
    settings = Settings(formulation)
    result = solve(puzzle, engine, settings, unique=True, board=standing, deadline=task.deadline)
    record = result.to_json() | {"svg": None, "board": None, "solution": None}
    if result.solution is not None:
        family = families.family_of(puzzle)
        record["svg"] = to_svg(draw(puzzle, result.solution))
        record["board"] = family.write_solution(puzzle, result.solution)
        record["solution"] = solution_record(state(puzzle), family.encode(puzzle, result.solution))
    return record


@answers(THE_PUZZLE, THE_BOARD)
def count(task: Task, puzzle: Puzzle, board: str | None) -> Record:
    """Return the number of solutions that contain the board, and the share of each value in each cell."""
    from milp_pips.tasks.count import count

    standing, settings = read_board(puzzle, board), Settings(memory=task.memory)
    found = count(puzzle, (), settings, board=standing, cells=True, deadline=task.deadline)
    record = found.to_json()
    taken = record.pop("cells", {})
    totals = {cell: sum(times.values()) for cell, times in taken.items()}
    record["exact"] = {f"{key}s": str(n) for key, n in found.counts.items() if n is not None}
    record["cells"] = {
        cell: {value: times / totals[cell] for value, times in values.items()}
        for cell, values in taken.items()
    }
    record["forced"] = {cell: next(iter(values)) for cell, values in taken.items() if len(values) == 1}
    record["svg"] = None
    if any(found.cells.values()):
        with suppress(UsageError):  # the family does not state the places of its cells
            record["svg"] = to_svg(found.drawing())
    return record


KEYS = {"placements": "placement", "grids": "grid"}
"""The keys by which solutions are different, by the page's names for them."""


@answers(
    THE_PUZZLE,
    THE_BOARD,
    Parameter("by", "the key by which solutions differ", one_of(KEYS)),
    Parameter("first", "number of the first solution", requests.INDEX, 0),
    Parameter("count", "how many solutions", whole(1, 20), 10),
)
def solutions(
    task: Task, puzzle: Puzzle, board: str | None, by: str | None, first: int, count: int
) -> Record:
    """Return ``count`` solutions from number ``first`` on, and the total."""
    from milp_pips.compilation.limits import Budget
    from milp_pips.tasks.compile import compile_prepared

    prepared = prepare(Query(puzzle, read_board(puzzle, board)), Run(deadline=task.deadline))
    problem = prepared.problem
    key = known_key(problem, KEYS[by] if by else "")
    budget = Budget.of_memory(task.memory)
    space = compile_prepared(prepared, key, budget, task.deadline)
    complete = space.completion()
    found = []
    for number in range(first, min(first + count, space.count)):
        point = complete(space.nth(number))
        prepared.judge(point, "the solution space")
        found.append(solution_record(problem, {v: a for v, a in enumerate(point) if a >= 0}))
    return {"total": str(space.count), "solutions": found}


@answers(THE_PUZZLE, THE_BOARD, Parameter("count", "how many solutions", whole(1, 20), 1), WEB_SEED)
def sample(task: Task, puzzle: Puzzle, board: str | None, count: int, seed: int | None) -> Record:
    """Return random solutions, each with the same probability."""
    import secrets

    from milp_pips.tasks.compile import draw_solutions

    settings = Settings(seed=secrets.randbelow(2**31) if seed is None else seed, memory=task.memory)
    problem, encode = state(puzzle), families.family_of(puzzle).encode
    drawn = draw_solutions(puzzle, count, settings, "", task.deadline, read_board(puzzle, board))
    return {"solutions": [solution_record(problem, encode(puzzle, each)) for each in drawn]}


LAST_HINT: list[tuple[object, Hint]] = []
"""The last question for a hint and its answer: usually the next question is for more of the same hint."""


@answers(
    THE_PUZZLE,
    THE_BOARD,
    REVEAL,
    FURTHER._replace(kind=whole(0, 1000)),
    Parameter("hinted", "facts that the player was given before", requests.HINTED_FACTS, ()),
)
def hint(
    task: Task, puzzle: Puzzle, board: str | None, reveal: str, further: int, hinted: list[Record]
) -> Record:
    """Return the next step, as far as ``reveal`` allows, or why no solution contains the board."""
    from milp_pips.extras.explain.hint import hint
    from milp_pips.extras.explain.text import Words

    def send(sentence: str, cell: str) -> None:
        task.say("part", {"sentence": sentence, "cell": cell})

    asked = puzzle, board, further, hinted
    found = next((known for question, known in LAST_HINT if question == asked), None)
    if found is None:
        standing = read_board(puzzle, board)
        found = hint(puzzle, standing, further=further, known=hinted, deadline=task.deadline, on_search=send)
        LAST_HINT[:] = [(asked, found)] if found.stop is Stop.FINISHED else []
    found = replace(found, reveal=reveal)
    look = Words(found.grouped).places(found.step) if found.step is not None else []
    shown = found.step is not None or found.reason is not None
    return found.to_json() | {"svg": to_svg(found.drawing()) if shown else None, "look": look}


@answers(THE_PUZZLE, REASONS._replace(kind=whole(1, 10)), ADDITIONS._replace(kind=whole(0, 10), default=0))
def explain(task: Task, puzzle: Puzzle, reasons: int, additions: int) -> Record:
    """Return the steps to the solution, why there is none, or additions that leave one of several."""
    from milp_pips.extras.explain.explain import Explanation, explain
    from milp_pips.extras.explain.views.json import step_records
    from milp_pips.extras.explain.views.svg import draw_reason

    sent: list[Step] = []

    def send(so_far: Explanation) -> None:
        """Send the steps from the first new one on: what a new step needs may stand before some sent."""
        same = sum(1 for _ in takewhile(bool, map(eq, sent, so_far.steps)))
        if same < len(so_far.steps):
            task.say("part", {"from": same, "steps": step_records(so_far, same)})
            sent[same:] = so_far.steps[same:]

    stated = state(puzzle) if puzzle.is_model else puzzle  # the page points at cells
    found = explain(stated, reasons=reasons, additions=additions, deadline=task.deadline, on_step=send)
    assert isinstance(found, Explanation)
    record = found.to_json()
    for number, reason in enumerate(record["reasons"]):
        reason["svg"] = to_svg(draw_reason(found, number))
    return record | {"svg": to_svg(found.drawing())}


@answers(THE_PUZZLE)
def rate(task: Task, puzzle: Puzzle) -> Record:
    """Return the logical difficulty of the puzzle."""
    from milp_pips.extras.explain.rate import Rating, rate

    def send(so_far: Rating) -> None:
        task.say("part", {"at_least": so_far.grade, "score": so_far.score, "steps": so_far.steps})

    return rate(puzzle, deadline=task.deadline, on_step=send).to_json()


@answers(THE_PUZZLE)
def prove(task: Task, puzzle: Puzzle) -> Record:
    """Return a certificate as a ZIP archive in base64, and what it proves: a count or else a list."""
    import base64
    import io
    import zipfile

    from milp_pips.runtime.writing import temporary_folder
    from milp_pips.tasks.prove import prove

    with temporary_folder() as folder:
        try:
            proved = prove(puzzle, folder, kind="count", seconds=task.seconds / 2)
        except (Unfinished, UsageError):  # too many states, or a family without plain rules
            proved = prove(puzzle, folder, kind="list", deadline=task.deadline)
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for name in sorted(os.listdir(folder)):
                file.write(os.path.join(folder, name), name)
    return {"proved": str(proved), "zip": base64.b64encode(archive.getvalue()).decode("ascii")}


@answers(THE_PUZZLE, Parameter("to", "format of its family, or svg", requests.NAME, ...))
def convert(task: Task, puzzle: Puzzle, to: str) -> Record:  # noqa: ARG001
    """Return the puzzle as text in another format, or as SVG."""
    from milp_pips.tasks import convert as converting
    from milp_pips.tasks.convert import draw

    return {"text": to_svg(draw(puzzle)) if to == "svg" else converting.convert(puzzle, to)}


@answers(THE_PUZZLE, Parameter("runs", "engines and formulations", requests.RUNS, ...), processes=True)
def compare(task: Task, puzzle: Puzzle, runs: list[tuple[str, str]]) -> Record:
    """Run engines on the puzzle one after another; each gets an equal share of the remaining time."""
    from milp_pips.extras.web.comparing import make_run, new_run

    made: list[Record] = []
    for engine, formulation in runs:
        if task.deadline.stop:
            break
        run = new_run(engine, formulation)
        task.say("part", run)
        share = (task.deadline.remaining or 0.0) / (len(runs) - len(made))
        made.append(make_run(run, puzzle, share, task.memory, task.deadline))
        task.say("part", made[-1])
    return {"runs": made}
