"""Certificates of random boards: true ones are accepted, damaged ones with a false statement are refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import boards
from frame import Case, Failure

import milp_pips
from milp_pips.verification.verify import (
    CERTIFICATE_JSON,
    FORMULA_CNF,
    PROOF_DRAT,
    PUZZLE_JSON,
    SOLUTIONS_JSONL,
    Refused,
    Watch,
    formula_of,
    statement_of,
    verify,
)

LIMIT = 120
GOAL = "damaged certificates", 1_000
SMALL = 300
"""Most solutions of a board: the lists of few boards are longer."""


def prepare(folder: Path, seed: int) -> None:
    """Nothing is needed."""


def run(case: Case) -> None:
    """Prove one board, compare with brute force, and damage the certificate in every way that fits."""
    random = case.random
    board = boards.draw(random, small=True)
    case.note(board.text)
    key = random.choice(list(board.answers))
    true = len(board.answers[key])
    if true > SMALL:
        return
    case.counts["boards"] += 1
    for kind in ("list", "count"):
        folder = case.folder / kind
        proved = milp_pips.prove(board.puzzle, folder, kind=kind, distinct=key)
        case.counts[f"certificates by {kind}"] += 1
        if proved.solutions != true:
            raise Failure(
                f"a {kind} of another length is proved", board=board.text, proved=str(proved), true=true
            )
        for damage in (lost, invented, altered, another, miscounted):
            text = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
            what = damage(text, kind, key, random)
            if what:
                _refused(case, folder, text, what, board.text)


def _refused(case: Case, folder: Path, text: dict[str, str], what: str, board: str) -> None:
    """Write the damaged certificate, with hashes that fit, and require that it is refused."""
    manifest = json.loads(text[CERTIFICATE_JSON])
    for name in manifest["sha256"]:
        manifest["sha256"][name] = hashlib.sha256(text[name].encode()).hexdigest()
    text[CERTIFICATE_JSON] = json.dumps(manifest)
    damaged = folder.parent / "damaged"
    damaged.mkdir(exist_ok=True)
    for name, content in text.items():
        (damaged / name).write_text(content, encoding="utf-8")
    case.counts["damaged certificates"] += 1
    case.counts[what] += 1
    try:
        proved = verify(damaged, Watch(LIMIT))
    except Refused:
        return
    raise Failure(f"{what}: accepted", board=board, proved=str(proved), files=json.dumps(text))


def _change(text: dict[str, str], change: Callable[[dict], None], name: str = CERTIFICATE_JSON) -> None:
    content = json.loads(text[name])
    change(content)
    text[name] = json.dumps(content)


def _state_again(text: dict[str, str], key: str) -> None:
    """Write the formula and the number of the solutions that are listed now."""
    listed = [json.loads(line) for line in text[SOLUTIONS_JSONL].splitlines()]
    solutions = [(tuple(one["values"]), tuple(one.get("partners", ()))) for one in listed]
    statement = statement_of(json.loads(text[PUZZLE_JSON]), key)
    text[FORMULA_CNF] = formula_of(statement, key, solutions, Watch(LIMIT)).dimacs()
    _change(text, lambda manifest: manifest.update(solutions=len(listed)))


# Each kind of damage changes the files, and returns its name; it returns nothing if it does not apply.


def lost(text: dict[str, str], kind: str, key: str, random: Random) -> str:
    """Leave out a solution, everywhere."""
    lines = text.get(SOLUTIONS_JSONL, "").splitlines(keepends=True)
    if not lines:
        return ""
    del lines[random.randrange(len(lines))]
    text[SOLUTIONS_JSONL] = "".join(lines)
    _state_again(text, key)
    return "a solution is left out"


def invented(text: dict[str, str], kind: str, key: str, random: Random) -> str:
    """Add a list of values that is not a solution, or is listed already."""
    lines = text.get(SOLUTIONS_JSONL, "").splitlines(keepends=True)
    if not lines:
        return ""
    one = json.loads(random.choice(lines))
    random.shuffle(one["values"])
    text[SOLUTIONS_JSONL] += f"{json.dumps(one)}\n"
    if {json.dumps(one)} & {line.strip() for line in lines}:
        _change(text, lambda manifest: manifest.update(solutions=len(lines) + 1))
        return "a solution is listed twice"
    truth = len({json.dumps(json.loads(line)["values"]) for line in lines} | {json.dumps(one["values"])})
    if truth == len(lines):
        return ""
    _change(text, lambda manifest: manifest.update(solutions=len(lines) + 1))
    return "a solution is invented"


def altered(text: dict[str, str], kind: str, key: str, random: Random) -> str:
    """Leave out a solution, and alter the proof: a line is removed, repeated or replaced."""
    if not lost(text, kind, key, random) or not text[PROOF_DRAT]:
        return ""
    lines = text[PROOF_DRAT].splitlines(keepends=True)
    at = random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, random.choice(lines))
        case 2:
            variables = int(text[FORMULA_CNF].split()[2])
            lines[at] = f"{random.choice((-1, 1)) * random.randint(1, max(1, variables))} 0\n"
        case 3:
            lines = [line for line in lines if not line.startswith("d")]
    text[PROOF_DRAT] = "".join(lines)
    return "the proof is altered"


def another(text: dict[str, str], kind: str, key: str, random: Random) -> str:
    """Change the puzzle so that it has no solution: a rule that nothing obeys."""
    puzzle = json.loads(text[PUZZLE_JSON])
    if json.loads(text[CERTIFICATE_JSON])["solutions"] == 0:
        return ""
    match puzzle["family"]:
        case "pips":
            puzzle["regions"].append({"cells": [0], "rule": "SUM", "target": 99_999})
        case "sudoku":
            puzzle["groups"].append({"cells": [[0, 0], [0, 1]], "holds": []})
        case "colour-grid":
            puzzle["rows"][0] = puzzle["letters"][0] * (len(puzzle["columns"]) + 1)
    text[PUZZLE_JSON] = json.dumps(puzzle)
    return "another puzzle is stated"


def miscounted(text: dict[str, str], kind: str, key: str, random: Random) -> str:
    """Claim another number."""
    by = random.choice((-1, 1, 10))
    _change(text, lambda manifest: manifest.update(solutions=manifest["solutions"] + by))
    return "another number is claimed"
