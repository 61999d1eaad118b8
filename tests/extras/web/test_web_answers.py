"""The verbs of the page on plain data: answers, faults of one line, and no engine libraries."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from pictures import drawn

import milp_pips
from milp_pips.extras.web.answers import reply
from milp_pips.extras.web.verbs import WEB_VERBS
from milp_pips.puzzles.reading import read_text
from milp_pips.verification.verify import Watch, verify

EXAMPLES = Path(__file__).parents[3] / "examples"


def puzzle(name):
    return {"text": (EXAMPLES / name).read_text(encoding="utf-8"), "name": Path(name).stem}


EASY, SEVERAL, MEDIUM = puzzle("pips/easy.txt"), puzzle("pips/several.txt"), puzzle("pips/medium.txt")
IMPOSSIBLE, LETTERS = puzzle("pips/impossible.txt"), puzzle("sudoku/letters.txt")
FAMILIES = [EASY, LETTERS, puzzle("colour_grid/several.txt"), puzzle("pips/ring.json")]


def events(verb, body, where="local", seconds=60.0):
    """Return what is told of a request; the last event is its answer, and the data can be sent."""
    told = []
    request = body if isinstance(body, str | bytes) else json.dumps(body)
    reply(verb, request, lambda *event: told.append(event), where, seconds)
    assert [name in ("result", "fault") for name, _ in told] == [False] * (len(told) - 1) + [True]
    return [(name, json.loads(json.dumps(data, allow_nan=False))) for name, data in told]


def ask(verb, **body):
    name, data = events(verb, body)[-1]
    assert name == "result", data
    return data


def refused(verb, body):
    name, data = events(verb, body)[-1]
    assert name == "fault"
    assert "\n" not in data["message"]
    return data


def test_about_names_what_can_be_asked():
    told = ask("about", seconds=5)
    assert told["verbs"] == list(WEB_VERBS)
    assert "brute" in [engine["name"] for engine in told["engines"]]
    assert all(2 <= least <= most for least, most in told["sizes"].values())
    assert told["limits"]["seconds"] == 60  # of any request, whatever this one asks for
    elsewhere = events("about", {}, "browser")[-1][1]
    assert set(told["verbs"]) - set(elsewhere["verbs"]) == {"compare"} == set(elsewhere["missing"])


def test_a_file_with_several_puzzles_gives_all():
    text = (EXAMPLES / "pips/three_levels.json").read_text()
    told = ask("read", file={"name": "day.json", "text": text})
    assert [record["name"].split("-")[-1] for record in told["puzzles"]] == ["easy", "medium", "hard"]
    assert told["faults"] == []
    for record in told["puzzles"]:
        (again,) = read_text(record["text"]).values()
        assert len(again.cells) == len(record["pips"]["cells"])


def test_a_board_to_play_on_has_all_that_the_puzzle_says():
    (record,) = ask("read", file={"name": "medium.txt", "text": MEDIUM["text"]})["puzzles"]
    board, (meant,) = record["pips"], read_text(MEDIUM["text"]).values()
    assert [(cell["row"], cell["column"]) for cell in board["cells"]] == list(meant.cells)
    assert len(board["edges"]) == len(meant.edges)
    assert [region["text"] for region in board["regions"]] == [region.sign for region in meant.regions]
    for number, region in enumerate(board["regions"]):
        inside = [cell["cell"] for cell in board["cells"] if cell["region"] == number]
        assert inside == region["cells"]
    assert sorted(map(tuple, board["dominoes"])) == sorted(meant.dominoes)


def test_a_board_that_is_no_grid_is_a_picture():
    (record,) = ask("read", file={"name": "ring.json", "text": FAMILIES[3]["text"]})["puzzles"]
    assert record["pips"] is None
    assert "grid" not in record
    assert record["svg"].startswith("<svg")


def test_other_families_tell_where_their_squares_are():
    (record,) = ask("read", file={"name": "letters.txt", "text": LETTERS["text"]})["puzzles"]
    assert record["grid"]["values"] == ["A", "B", "C", "D"]
    picture = record["picture"]
    assert picture["cells"].keys() == {cell["cell"] for cell in record["grid"]["cells"]}
    for x, y, wide, high in picture["cells"].values():
        assert 0 <= x <= x + wide <= picture["width"]
        assert 0 <= y <= y + high <= picture["height"]
    (boat,) = ask("read", file={"name": "boat.txt", "text": puzzle("colour_grid/boat.txt")["text"]})[
        "puzzles"
    ]
    assert set(boat["colours"]) == set(boat["grid"]["values"])


@pytest.mark.parametrize("asked", FAMILIES, ids=lambda asked: asked["name"])
def test_a_solution_is_one(asked):
    told = ask("solve", puzzle=asked)
    assert told["status"] == "solved"
    again = ask("solve", puzzle=asked, board=told["board"])
    assert again["solution"] == told["solution"]
    (meant,) = read_text(asked["text"]).values()
    problem = milp_pips.state(meant)
    assert list(told["solution"]["values"]) == [problem.variables[v].name for v in problem.keys["grid"]]


def test_solving_obeys_the_board():
    found = ask("solutions", puzzle=SEVERAL, by="grids", count=3)
    assert int(found["total"]) == ask("count", puzzle=SEVERAL)["grids"] > 3
    (meant,) = read_text(SEVERAL["text"]).values()
    rows, columns = meant.extent
    for solution in found["solutions"]:
        values = solution["values"]
        grid = [[values.get(f"r{r + 1}c{c + 1}") for c in range(columns)] for r in range(rows)]
        told = ask("solve", puzzle=SEVERAL, board=json.dumps({"grid": grid}))
        assert told["solution"]["values"] == values


def test_shares_and_forced_cells_agree():
    told = ask("count", puzzle=SEVERAL)
    for cell, shares in told["cells"].items():
        assert sum(shares.values()) == pytest.approx(1)
        assert (cell in told["forced"]) == (len(shares) == 1)
    assert told["exact"] == {"placements": str(told["placements"]), "grids": str(told["grids"])}
    none = ask("count", puzzle=IMPOSSIBLE)
    assert none["placements"] == 0
    assert none["confirmed_by"]
    assert none["svg"] is None


def test_solutions_are_leafed_through():
    total = int(ask("solutions", puzzle=SEVERAL)["total"])
    pages = [ask("solutions", puzzle=SEVERAL, first=n, count=20)["solutions"] for n in range(0, total, 20)]
    every = [solution for page in pages for solution in page]
    assert len({json.dumps(solution) for solution in every}) == total == len(every)
    assert ask("solutions", puzzle=SEVERAL, first=7, count=1)["solutions"] == every[7:8]
    assert ask("solutions", puzzle=SEVERAL, first=str(10**30))["solutions"] == []
    for solution in ask("sample", puzzle=SEVERAL, count=5, seed=1)["solutions"]:
        assert solution in every


@pytest.mark.parametrize("degree", ["where", "rule", "why", "move"])
def test_a_hint_tells_no_more_than_asked(degree):
    step = ask("hint", puzzle=MEDIUM, reveal=degree)["step"]
    told = {name for name in ("items", "facts", "conclusions") if step[name] is not None}
    everything = {"where": [], "rule": ["items"], "why": ["items", "facts"]}
    assert told == set(everything.get(degree, ["items", "facts", "conclusions"]))


def test_more_of_a_hint_is_not_searched_for_again():
    """The seconds are those of the search."""
    where = ask("hint", puzzle=MEDIUM, reveal="where")
    move = ask("hint", puzzle=MEDIUM, reveal="move")
    assert where["seconds"] == move["seconds"]
    assert where["step"]["conclusions"] is None
    board = ask("solve", puzzle=MEDIUM)["board"]
    assert ask("hint", puzzle=MEDIUM, board=board)["status"] == "solved"
    assert ask("hint", puzzle=EASY, reveal="move")["step"] != move["step"]


def test_a_story_ends_with_the_solution():
    told = ask("explain", puzzle=EASY)
    shown = {f["cell"]: f["is"] for step in told["steps"] for f in step["conclusions"] if "is" in f}
    right = ask("solve", puzzle=EASY)["solution"]["values"]
    assert shown.items() <= right.items()
    assert told["svg"].startswith("<svg")
    why = ask("explain", puzzle=IMPOSSIBLE, reasons=1)
    assert why["status"] == "infeasible"
    assert why["reasons"][0]["svg"].startswith("<svg")


@pytest.mark.parametrize("asked", [SEVERAL, LETTERS], ids=lambda asked: asked["name"])
def test_steps_and_grades_are_sent_as_they_are_found(asked):
    *parts, (_, told) = events("explain", {"puzzle": asked})
    steps = []
    for name, part in parts:
        if name == "part":
            steps[part["from"] :] = part["steps"]
            assert part["steps"]
    assert steps == told["steps"]
    *parts, (_, rated) = events("rate", {"puzzle": asked})
    grades = [part for name, part in parts if name == "part"]
    assert [part["steps"] for part in grades] == list(range(rated["steps"] + 1))
    assert (grades[-1]["at_least"], grades[-1]["score"]) == (rated["grade"], rated["score"])


def test_a_new_puzzle_has_one_solution():
    (made,) = ask("generate", dominoes=4, grade="easy", seed=3)["puzzles"]
    assert made["rating"]["grade"] == "easy"
    assert ask("count", puzzle={"text": made["text"]})["placements"] == 1
    assert ask("generate", dominoes=4, grade="easy", seed=3)["puzzles"] == [made]


def test_a_proof_is_a_certificate_in_an_archive(tmp_path):
    answer = ask("prove", puzzle=EASY)
    assert answer["proved"].startswith("proved: exactly 1 solution by placement; counted again")
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(answer["zip"]))) as archive:
        archive.extractall(tmp_path)
    assert str(verify(tmp_path, Watch(60))) == answer["proved"]


@pytest.mark.parametrize("to", ["text", "json", "times"])
def test_what_is_converted_reads_as_before(to):
    text = ask("convert", puzzle=EASY, to=to)["text"]
    (again,) = read_text(text).values()
    (meant,) = read_text(EASY["text"]).values()
    assert set(again.cells) == set(meant.cells)
    assert sorted(again.dominoes) == sorted(meant.dominoes)


def test_engines_are_compared_run_by_run():
    runs = [{"engine": "brute"}, {"engine": "highs", "formulation": "aggregated"}, {"engine": "nobody"}]
    told = events("compare", {"puzzle": EASY, "runs": runs})
    parts = [data for name, data in told if name == "part"]
    assert [part["status"] == "running" for part in parts] == [True, False] * 3
    assert [run["status"] for run in told[-1][1]["runs"]] == ["solved", "solved", "failed"]
    assert told[-1][1]["runs"] == parts[1::2]
    assert [part["stated"] for part in parts[1:4:2]] == ["", "aggregated"]
    assert parts[3]["rows"] > 0
    assert "nobody" in parts[5]["message"]


@pytest.mark.parametrize(
    ("verb", "body", "told"),
    [
        ("solve", "", "not JSON"),
        ("solve", "[" * 100_000, "not JSON"),
        ("solve", '{"puzzle": NaN}', "NaN"),
        ("solve", b"\xff\xfe", "not JSON"),
        ("solve", "[]", "expected a JSON object"),
        ("solve", "{}", "puzzle is missing"),
        ("solve", {"puzzle": EASY, "path": "/etc/passwd"}, "unknown member 'path'"),
        ("solve", {"puzzle": EASY, "seconds": -1}, "seconds must be a number"),
        ("solve", {"puzzle": EASY, "seconds": True}, "seconds must be a number"),
        ("solve", {"puzzle": EASY, "engine": "nobody"}, "unknown solver 'nobody'"),
        ("solve", {"puzzle": EASY, "engine": 7}, "engine must be a string"),
        ("solve", {"puzzle": EASY, "formulation": "x"}, "formulation"),
        ("solve", {"puzzle": EASY, "board": "9 9"}, "board"),
        ("solve", {"puzzle": EASY, "board": []}, "board must be a string"),
        ("solve", {"puzzle": {"text": "hello\x1b[2J"}}, "the character U+001B"),
        (
            "solve",
            {"puzzle": {"text": EASY["text"], "name": "x" * 300}},
            "must be a string of at most 200",
        ),
        ("count", {"puzzle": puzzle("pips/three_levels.json")}, "3 puzzles"),
        ("solutions", {"puzzle": EASY, "count": 21}, "count must be a whole number from 1 to 20"),
        ("solutions", {"puzzle": EASY, "first": -1}, "first must be a whole number"),
        ("solutions", {"puzzle": LETTERS, "by": "placements"}, "unknown key"),
        ("hint", {"puzzle": EASY, "reveal": "everything"}, "reveal must be one of"),
        ("hint", {"puzzle": EASY, "hinted": [{"cell": "r9c9", "is": 1}]}, "no cell 'r9c9'"),
        ("hint", {"puzzle": EASY, "hinted": [{"cell": "r1c2", "is": []}]}, "is not a fact"),
        ("hint", {"puzzle": EASY, "hinted": [{"cells": ["r1c2", "r4c4"], "domino": True}]}, "is not a fact"),
        ("convert", {"puzzle": EASY, "to": "../../x"}, "unknown format"),
        ("generate", {"dominoes": 10**9}, "dominoes must be a whole number"),
        ("compare", {"puzzle": EASY, "runs": []}, "a list of 1 to"),
        ("compare", {"puzzle": EASY, "runs": [{"engine": "brute", "shell": "x"}]}, "unknown member 'shell'"),
        ("nothing", {}, "unknown verb"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(verb, body, told):
    fault = refused(verb, body)
    assert fault["kind"] == "usage"
    assert told in fault["message"]
    assert fault["message"].isprintable()


def test_time_is_up_for_whatever_was_asked():
    name, begun = events("count", {"puzzle": puzzle("pips/wide.txt"), "seconds": 600}, seconds=1e-3)[-1]
    assert (name, begun["complete"], begun["exact"]) == ("result", False, {})
    assert begun["placements"] is begun["grids"] is None  # nothing says that there is no solution
    assert set(begun["at_least"]) == {"placements", "grids"}
    assert refused("generate", {"dominoes": 12, "grade": "hard", "seconds": 0.01})["kind"] == "limit"


WITHOUT_LIBRARIES = """
import builtins, json, sys, threading
GONE = {"numpy", "highspy", "pysat", "pysolvers", "pulp", "pyomo", "ortools", "pyscipopt", "psutil"}
GONE |= {"starlette", "uvicorn", "matplotlib", "jinja2", "multiprocessing", "subprocess"}
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in GONE:
            raise ModuleNotFoundError(name)
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name.partition(".")[0] in GONE else find(name, *a)
sys.meta_path.insert(0, Nowhere())
sys.platform = "emscripten"
def no_threads(self):
    raise RuntimeError("can't start new thread")
threading.Thread.start = no_threads
from milp_pips.extras.web.answers import answer
for line in sys.stdin:
    verb, body = json.loads(line)
    told = []
    answer(verb, json.dumps(body), lambda event, data: told.append([event, json.loads(data)]))
    print(json.dumps(told[-1]))
"""


def test_all_but_comparing_works_without_libraries_threads_and_processes():
    moves = json.dumps({"grid": [[None, 0, 0, None], [None, None, 3, 3], [None, 2, 0, None], [None] * 4]})
    asked = [
        *((verb, {"puzzle": EASY}) for verb in ("solve", "count", "hint", "explain", "rate", "sample")),
        ("hint", {"puzzle": EASY, "board": moves}),
        ("solve", {"puzzle": IMPOSSIBLE}),
        ("count", {"puzzle": IMPOSSIBLE}),
        ("explain", {"puzzle": puzzle("pips/odd_part.txt"), "reasons": 1}),
        ("explain", {"puzzle": puzzle("sudoku/impossible.txt"), "reasons": 1}),
        *((verb, {"puzzle": LETTERS}) for verb in ("solve", "count", "hint", "explain")),
        ("generate", {"dominoes": 4, "grade": "easy", "seed": 3}),
        ("compare", {"puzzle": EASY, "runs": [{"engine": "brute"}]}),
    ]
    given = "".join(json.dumps(each) + "\n" for each in asked)
    command = [sys.executable, "-c", WITHOUT_LIBRARIES]
    ran = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120, check=False)
    assert ran.stderr == ""
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [name for name, _ in told] == ["result"] * (len(asked) - 1) + ["fault"]
    data = [record for _, record in told]
    assert data[0]["solution"] == ask("solve", puzzle=EASY)["solution"]
    assert data[1]["placements"] == 1
    assert data[3]["status"] == "unique"
    assert data[6]["status"] in ("wrong", "dead")
    assert data[6]["confirmed_by"]
    assert data[7]["status"] == data[9]["status"] == data[10]["status"] == "infeasible"
    assert data[8]["placements"] == 0
    assert "separate processes" in data[-1]["message"]


def pixels(image):
    data = zlib.compress(image.convert("RGBA").tobytes())
    return {"width": image.width, "height": image.height, "pixels": base64.b64encode(data).decode()}


@pytest.mark.long
def test_a_screenshot_becomes_a_draft():
    _, puzzle, image = drawn(1)
    draft = ask("read_picture", name="shot", **pixels(image))
    assert draft["solvable"]
    assert draft["dominoes"] == [list(pips) for pips in puzzle.dominoes]
    assert sum(label != "." for row in draft["rows"] for label in row) == len(puzzle.cells)
    assert len(ask("read", file={"name": "shot", "text": draft["text"]})["puzzles"]) == 1


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"width": 99_999, "height": 99_999}, "expected at most"),
        ({"pixels": "not base64"}, "cannot be unpacked"),
        ({"pixels": base64.b64encode(zlib.compress(bytes(10**7))).decode()}, "truncated"),
        ({"pixels": ""}, "truncated"),
        ({}, "the picture is dark"),
    ],
)
def test_pixels_that_are_no_screenshot_are_refused_in_one_line(changed, told):
    body = {"width": 200, "height": 200, "pixels": base64.b64encode(zlib.compress(bytes(160_000))).decode()}
    assert told in refused("read_picture", {**body, **changed})["message"]
