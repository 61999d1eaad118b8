"""Fuzz: mangled files for every reader. Read or refused in one line that names the file, within a limit."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import shutil
import sqlite3
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import boards
from colour_grids import expression
from corrupted_files import FRAGMENTS, VALUES, corrupt_json, corrupt_text, read_outcome
from frame import ROOT, Case, Failure
from json_formats import graph, times_level
from results import SESSION, instance, results
from results import run as a_run

import milp_pips
from milp_pips.cli import complain, main
from milp_pips.extras.bench.report import report
from milp_pips.extras.bench.store import Store
from milp_pips.problem.errors import InputError, MilpPipsError
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.puzzles.regular_expressions import compile_expression
from milp_pips.render.svg import to_svg
from milp_pips.render.text import to_text

LIMIT = 30
GOAL = "inputs", 300_000
BOMB = 5.0
"""Processor seconds that a file of bombs may take to be stated or refused."""
SLOW = 2.0
"""Processor seconds that a reader may take; a report draws pictures, a command works on what it has read."""
EXAMPLES = ROOT / "examples"
EXPRESSIONS = ("(ry)+rb*", "[^r]{3}ry", "b?(yb)*b?r", "(y|r)(by|yb)[ry]+", "[^r]{2,4}(rr|rb|ry)", "(.?){30}r")
PARTS = (
    *("(", ")", "{9}", "{99}", "{1000}", "{,}", "{2,3}", "*", "+", "?", "[^r]", "[ry]", "|", "(.?){50}"),
    *("r", "y", "b", ".", "(r|y)*", "(yb?)+", "(r{2}|b){3}", ".*r.{6}"),
)


def prepare(folder: Path, seed: int) -> None:
    """Write what is mangled: enumerations that can go on, a results file, a campaign with its puzzles."""
    random = Random(f"fuzz {seed}")
    for name in ("easy", "several"):
        shutil.copy(EXAMPLES / "pips" / f"{name}.txt", folder)
    begun = []
    while len(begun) < 12:
        board = boards.draw(random, small=True)
        if 4 <= len(board.main) <= 12:
            method = ("diagram", "partition", "cuts")[len(begun) % 3]
            out = folder / f"begun{len(begun)}.jsonl"
            list(milp_pips.solutions(board.puzzle, method=method, limit=2, out=str(out)))
            begun.append((board.text, method, out.read_bytes(), Path(f"{out}.state").read_text()))
    (folder / "begun.pickle").write_bytes(pickle.dumps(begun))
    runs = [a_run("highs/projected", 0.01), a_run("brute", 0.03, repeat=1), a_run("cp-sat", float("inf"))]
    results(folder / "results.sqlite", {instance("alpha"): runs, instance("beta", 40): runs}, (SESSION,))


def _show(message: Warning | str, *_: object, **__: object) -> None:
    complain(f"warning: {message}")


warnings.showwarning = _show  # as the program shows them, in one line


def run(case: Case) -> None:
    """Throw a few dozen mangled copies of one valid file at its reader."""
    kind, times = case.random.choice(KINDS)
    throw = kind(case)
    for _ in range(times):
        begun = time.process_time()
        outcome = throw()
        case.counts[outcome] += 1
        case.counts["inputs"] += 1
        spent = time.process_time() - begun
        case.measures[f"seconds of {kind.__name__}"].append(spent)
        if spent > SLOW and kind not in (bombs, commands) and " reported: " not in outcome:
            raise Failure(
                f"{kind.__name__}: {spent:.1f} s for an input",
                input=(case.folder.parent / "now").read_text("utf-8", "surrogatepass"),
            )


def _mangle(text: str, random: Random) -> str:
    if text.lstrip().startswith("{") and random.random() < 0.5:
        return corrupt_json(json.loads(text), random)
    return corrupt_text(text, random)


def puzzle_files(case: Case) -> Callable[[], str]:
    """Puzzles of all families and formats; what is read can be stated and drawn, or is refused in a line."""
    random = case.random
    board = boards.draw(random)
    valid, family = board.text, family_of(board.puzzle)
    if isinstance(board.puzzle, Pips) and board.puzzle.is_grid and random.random() < 0.4:
        document = {"printDate": "day", "easy": times_level(board.puzzle), "hard": None}
        valid = json.dumps(random.choice((document, graph(board.puzzle))), indent=1)
    if random.random() < 0.1:
        folder = random.choice(("pips", "sudoku", "colour_grid"))
        files = [*(EXAMPLES / folder).glob("*.txt"), *(EXAMPLES / folder).glob("*.json")]
        valid = random.choice(sorted(files)).read_text("utf-8")
        family = family_of(next(iter(milp_pips.read_text(valid, "file").values())))

    def throw() -> str:
        text = _mangle(valid, random)
        case.note(text)
        outcome = read_outcome(family.read, text) if family.recognises(text) else "not recognised"
        again = _told(lambda: milp_pips.read_text(text, "file"), "file", text)
        if again == "read" and random.random() < 0.1:
            for puzzle in milp_pips.read_text(text, "file").values():
                _told(lambda puzzle=puzzle: _use(puzzle), "", text)
        return f"puzzle files {outcome}"

    return throw


def _use(puzzle: Any) -> None:
    milp_pips.state(puzzle)
    drawing = milp_pips.draw(puzzle)
    to_text(drawing)
    to_svg(drawing)


def solution_files(case: Case) -> Callable[[], str]:
    """Solutions of all families, as text and as JSON; what is read is judged."""
    random = case.random
    while True:
        board = boards.draw(random, small=True)
        found = milp_pips.sample(board.puzzle, 1)
        if found:
            break
    family = family_of(board.puzzle)
    text = family.write_solution(board.puzzle, found[0])
    document = json.dumps(family.to_json(board.puzzle, found[0]))

    def throw() -> str:
        text_now = _mangle(random.choice((text, document)), random)
        case.note(text_now)
        outcome = read_outcome(lambda text, file: family.read_solution(board.puzzle, text, file), text_now)
        if outcome == "read":
            solution = family.read_solution(board.puzzle, text_now, "file")
            _told(
                lambda: (family.check(board.puzzle, solution), family.write_solution(board.puzzle, solution)),
                "",
                f"{board.text}\n{text_now}",
            )
        return f"solution files {outcome}"

    return throw


def expressions(case: Case) -> Callable[[], str]:
    """Regular expressions with a few parts too many."""
    random = case.random

    def throw() -> str:
        text = random.choice((*EXPRESSIONS, expression(random, "ryb", 4)))
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            at = random.randint(0, len(text))
            piece = random.choice(PARTS if random.random() < 0.8 else FRAGMENTS)
            text = text[:at] + piece + text[at + random.choice((0, 0, 1, 2)) :]
        case.note(text)
        return f"expressions {_told(lambda: compile_expression(text, {'r': 0, 'y': 1, 'b': 2}), '', text)}"

    return throw


def bombs(case: Case) -> Callable[[], str]:
    """Colour grids of a few kB whose clues ask for large automata: stated, or refused, in a few seconds."""
    random = case.random

    def throw() -> str:
        count = random.choice((2, 26, 52))
        letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[:count]
        bomb = random.choice(("(.?){N}", "(.*a){N}", "(a|b|.){N}", ".*a.{N}", "((.?){9}){N}", "(.{0,N}b)*"))
        size = random.choice((3, 8, 12, 20, 200, 900, 1900))
        clue = f"/{bomb.replace('N', str(size))}/"
        lines = random.choice((1, 10, 100))
        text = "\n".join(
            [
                "colour grid",
                f"colours {', '.join(letters)}",
                "rows",
                *[clue] * lines,
                "columns",
                *[clue] * lines,
                "",
            ]
        )
        case.note(text)

        def read() -> None:
            for puzzle in milp_pips.read_text(text, "file").values():
                milp_pips.state(puzzle)

        begun = time.process_time()
        outcome = _told(read, "", text)
        spent = time.process_time() - begun
        if spent > BOMB:
            raise Failure(f"bombs: {spent:.1f} s for an input", input=text)
        return f"bombs {outcome}"

    return throw


def enumerations(case: Case) -> Callable[[], str]:
    """A list that was begun and its ``.state``: refused by its name, or the right list in the end."""
    random = case.random
    text, method, lines, state = random.choice(pickle.loads((case.shared / "begun.pickle").read_bytes()))
    (puzzle,) = milp_pips.read_text(text, "board").values()
    family = family_of(puzzle)

    def shown(line: str) -> str:
        """A line as what it says, whatever the order of dominoes and the blanks."""
        record = family.to_json(puzzle, family.read_solution(puzzle, line, "line"))
        dominoes = sorted(sorted(zip(d["cells"], d["pips"], strict=True)) for d in record.pop("dominoes", ()))
        return repr((record, dominoes))

    listed = milp_pips.solutions(puzzle, method="native", solver="brute").json_lines()
    true = sorted(map(shown, listed))
    out = case.folder / "found.jsonl"

    def throw() -> str:
        now, new = lines, state
        if random.random() < 0.6:
            if random.random() < 0.5:
                new = corrupt_text(state, random)
            else:  # by someone who knows how the sum is made
                saved = json.loads(state)
                with contextlib.suppress(ValueError, TypeError):
                    saved["state"] = json.loads(corrupt_json(saved["state"], random))
                    saved["sum"] = _checksum(saved["state"])
                new = json.dumps(saved)
        else:
            now = corrupt_text(lines.decode(), random).encode("utf-8", "surrogatepass")
        case.note(f"{method}\n{text}\n--- lines\n{now!r}\n--- state\n{new}")
        shutil.rmtree(case.folder)
        case.folder.mkdir()
        out.write_bytes(now)
        Path(f"{out}.state").write_bytes(new.encode("utf-8", "surrogatepass"))

        def resume() -> None:
            found = milp_pips.solutions(puzzle, method=method, out=str(out))
            for _ in found:
                pass
            written = out.read_bytes().decode().removesuffix("\n").split("\n")
            complete = found.summary is not None and found.summary.complete
            if not complete or sorted(map(shown, written)) != true:
                raise AssertionError(f"{found.summary}: {len(written)} lines, {len(true)} solutions")

        evidence = f"{method}\n{text}\n--- lines\n{now!r}\n--- state\n{new}"
        return f"enumerations {_told(resume, str(out) if new == state else '', evidence)}"

    return throw


def _checksum(state: Any) -> str:
    from milp_pips.tasks.lines import _checksum as checksum

    return checksum(state)


def results_files(case: Case) -> Callable[[], str]:
    """Results files with bytes or values that were changed: their runs, a report, going on with it."""
    random = case.random
    valid = (case.shared / "results.sqlite").read_bytes()
    file = case.folder / "results.sqlite"

    def throw() -> str:
        content = bytearray(valid)
        how = random.random()
        if how < 0.5:
            for _ in range(random.choice((1, 1, 2, 5, 50))):
                at = random.randrange(len(content))
                match random.randrange(4):
                    case 0:
                        content[at] = random.randrange(256)
                    case 1:
                        del content[at : at + random.choice((1, 10, 1000))]
                    case 2:
                        content[at:at] = os.urandom(0) + bytes(random.randrange(256) for _ in range(8))
                    case _:
                        content[at : at + 4] = b"\xff" * 4
                content = content or bytearray(b"x")
        file.write_bytes(content)
        words = ""
        if how >= 0.5:
            words = _change_values(file, random)
        case.note(f"{words or content.hex()}")

        def read() -> None:
            with Store(str(file), new=random.random() < 0.2) as store:
                store.sessions(), store.instances(), store.runs()

        outcome = _told(read, str(file), words or content.hex())
        if random.random() < 0.04:
            case.alive()
            page = case.folder / "report"
            told = _told(lambda: report(file).write(page), str(case.folder), words or content.hex())
            outcome = f"reported: {told}"
        return f"results files {outcome}"

    return throw


def _change_values(file: Path, random: Random) -> str:
    """Give a few values, or the schema, of a results file another value; return how."""
    said = []
    with contextlib.closing(sqlite3.connect(file)) as database:
        for _ in range(random.choice((1, 1, 2, 4))):
            table = random.choice(("session", "instance", "run"))
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            if not columns:
                continue
            column = random.choice(columns)
            value = random.choice(VALUES)
            value = value if isinstance(value, (str, int, float, type(None))) else json.dumps(value)
            if isinstance(value, str) and random.random() < 0.2:
                value = value.encode("utf-8", "surrogatepass") + b"\xff"
            statement = random.choice(
                (f"UPDATE {table} SET {column} = ?",) * 8
                + (f"ALTER TABLE {table} DROP COLUMN {column}", f"DELETE FROM {table}", f"DROP TABLE {table}")
            )
            said.append(f"{statement} {value!r}")
            with contextlib.suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
                database.execute(statement, (value,) if "?" in statement else ())
                database.commit()
    return "; ".join(said)


NAMES = (
    "plain.txt",
    "two\nlines.txt",
    "esc\x1b[31m.txt",
    "dots..txt",
    "-",
    "-x.txt",
    "q'\"uote.txt",
    "bad\udcff.txt",
    "bell\x07.json",
)
VERBS = (
    ("show",), ("show", "--svg"), ("check",), ("count", "--time-limit", "0.3"), ("export",),
    ("count", "--time-limit", "0.3", "--cells"), ("solve", "--time-limit", "0.3"),
    ("solve", "--time-limit", "0.3", "--json", "--solver", "brute"),
    ("enumerate", "--time-limit", "0.3", "--limit", "3"),
    ("enumerate", "--limit", "3", "--json", "--time-limit", "0.3"),
    ("compare", "--run", "brute", "--out", "no such directory/r.sqlite"), ("report", "--out", "page"),
)  # fmt: skip


def commands(case: Case) -> Callable[[], str]:
    """Whole commands on mangled bytes under odd names: the status of an answer, clean text, no traceback."""
    random = case.random
    board = boards.draw(random, small=True)

    def throw() -> str:
        data = _mangle(board.text, random).encode("utf-8", "surrogatepass")
        if random.random() < 0.2:
            at = random.randint(0, len(data))
            data = data[:at] + bytes(random.randrange(256) for _ in range(3)) + data[at:]
        file = str(case.folder / random.choice(NAMES))
        words = list(random.choice(VERBS))
        words = [words[0], file, *words[1:]]
        if words[0] in ("check", "show") and random.random() < 0.3:
            other = str(case.folder / "solution.txt")
            Path(other).write_text(corrupt_text("1 2\n3 4\n", random), "utf-8", "surrogatepass")
            words[2:] = [other] if words[0] == "check" else ["--solution", other]
        with open(file, "wb") as stream:
            stream.write(data)
        case.note(f"{words!r}\n{data!r}")
        told, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        try:
            with (
                contextlib.redirect_stdout(told),
                contextlib.redirect_stderr(errors),
                contextlib.chdir(case.folder),
            ):
                status = main(words)
        except SystemExit as end:
            status = end.code
        except BaseException as error:
            raise Failure(f"{words[0]} ends with {error!r}", command=words, input=data) from error
        finally:
            with contextlib.suppress(OSError):
                os.remove(file)
        for stream in (told, errors):
            stream.flush()
        out, err = told.buffer.getvalue().decode(), errors.buffer.getvalue().decode()
        if status not in (0, 1, 2, 3):
            raise Failure(
                f"{words[0]} ends with status {status}", command=words, input=data, stdout=out, stderr=err
            )
        odd = [
            letter for letter in out + err if letter != "\n" and (letter < " " or "\x7f" <= letter < "\xa0")
        ]
        if odd:
            raise Failure(
                f"{words[0]} prints control characters",
                command=words,
                input=data,
                stdout=out[:2000],
                stderr=err,
            )
        _one_per_line(err, data)
        return f"commands with status {status}"

    return throw


def _one_per_line(errors: str, data: object) -> None:
    for line in errors.splitlines():
        if not line.startswith(("milp-pips: ", "usage: ", "milp-pips ")) or "Traceback" in line:
            raise Failure(f"a line of standard error is {line!r}", input=data, stderr=errors)


def _told(work: Callable[[], object], file: str, evidence: str) -> str:
    """Do the work; return whether it was "read" or "refused" in one line that names the file."""
    try:
        work()
    except MilpPipsError as error:
        said = str(error)
        if not said.isprintable() or len(said) > 1500 or (file and file not in said):
            raise Failure(f"refused with {said!r}", input=evidence) from error
        return "refused" if isinstance(error, InputError) else f"refused ({type(error).__name__})"
    except Exception as error:
        raise Failure(f"{error!r}", input=evidence) from error
    return "read"


KINDS: tuple[tuple[Callable[[Case], Callable[[], str]], int], ...] = (
    *((puzzle_files, 150),) * 27,
    *((solution_files, 150),) * 15,
    *((expressions, 60),) * 6,
    *((enumerations, 15),) * 3,
    *((results_files, 20),) * 3,
    *((commands, 10),) * 6,
    (bombs, 1),
)
