"""New Pips puzzles: as asked for, solvable, unique where that is asked for, the same from the same seed."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys

import pytest
from brute_force import fits, grids, placements
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.engines import defaults
from milp_pips.problem.errors import EngineFault
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips import read, text
from milp_pips.puzzles.pips.puzzle import Pips, Rule

ALL_ALIKE = {
    "dominoes": 20,
    "set": "free",
    "region_sizes": "1..4",
    "rules": "EQ=0,NEQ=0,SUM=1,LT=0,GT=0,LE=0,GE=0,none=2",
    "min_pip": 0,
    "max_pip": 0,
    "style": "setter",
    "rows": 2,
}
NAMES = [*(rule.value for rule in Rule), "none"]


@st.composite
def requests(draw):
    """Requests that can always be met: some rule fits any values, some size any board."""
    from_set = draw(st.sampled_from((None, 6, 9, 12)))
    highest = from_set if from_set is not None else draw(st.integers(0, 12))
    low = draw(st.integers(0, highest))
    high = draw(st.integers(low, highest))
    kinds = (high - low + 1) * (high - low + 2) // 2
    dominoes = draw(st.integers(1, min(kinds, 30) if from_set else 30))
    shortest = draw(st.integers(1, 2))
    weights = {name: draw(st.integers(0, 3)) for name in NAMES}
    weights[draw(st.sampled_from(("SUM", "none", "LT", "GE")))] = 2
    asked = {
        "dominoes": dominoes,
        "set": f"double-{from_set}" if from_set else "free",
        "region_sizes": f"{shortest}..{draw(st.integers(3, 6))}",
        "rules": ",".join(f"{name}={weight}" for name, weight in weights.items()),
        "min_pip": low,
        "max_pip": high,
        "style": draw(st.sampled_from(("setter", "plain"))),
    }
    if draw(st.booleans()):
        asked["rows"] = draw(st.integers(1, 6))
        if draw(st.booleans()):
            asked["columns"] = -(-2 * dominoes // asked["rows"]) + draw(st.integers(0, 2))
    return asked


def connected(cells) -> bool:
    left = set(cells)
    waiting = [left.pop()]
    while waiting:
        row, column = waiting.pop()
        for other in ((row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)):
            if other in left:
                left.remove(other)
                waiting.append(other)
    return not left


def has_hole(cells) -> bool:
    """Whether a place that is not a cell cannot be reached from outside, diagonal steps allowed."""
    height, width = 1 + max(r for r, _ in cells), 1 + max(c for _, c in cells)
    outside = {(r, c) for r in range(-1, height + 1) for c in range(-1, width + 1)} - set(cells)
    waiting = [(-1, -1)]
    outside.remove((-1, -1))
    while waiting:
        row, column = waiting.pop()
        for other in [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]:
            if other in outside:
                outside.remove(other)
                waiting.append(other)
    return bool(outside)


def obeys_everything(puzzle: Pips, hidden, asked) -> None:
    low, high = (int(bound) for bound in asked["region_sizes"].split(".."))
    weights = {name: int(weight) for name, weight in re.findall(r"(\w+)=(\d+)", asked["rules"])}
    assert family_of(puzzle).check(puzzle, hidden) is None
    assert puzzle.published == hidden
    assert len(puzzle.dominoes) == asked["dominoes"] == len(hidden.dominoes)
    assert connected(puzzle.cells)
    assert asked["style"] == "setter" or not has_hole(puzzle.cells)
    pips = {pip for domino in puzzle.dominoes for pip in domino}
    assert pips <= set(range(asked["min_pip"], asked["max_pip"] + 1))
    if asked["set"] != "free":
        assert len({tuple(sorted(domino)) for domino in puzzle.dominoes}) == len(puzzle.dominoes)
    covered = [cell for region in puzzle.regions for cell in region.cells]
    assert len(covered) == len(set(covered))
    assert weights["none"] or len(covered) == len(puzzle.cells)
    for region in puzzle.regions:
        assert low <= len(region.cells) <= high
        assert connected(region.cells)
        assert region.rule is not None
        assert weights[region.rule] > 0
        assert fits(region, hidden.values)
    rows, columns = 1 + max(r for r, _ in puzzle.cells), 1 + max(c for _, c in puzzle.cells)
    assert rows <= asked.get("rows", rows)
    assert columns <= asked.get("columns", columns)


def test_whatever_is_asked_for_is_honoured_and_the_hidden_solution_is_right():
    @settings(examples(9, 1000), suppress_health_check=list(HealthCheck))
    @example(asked=ALL_ALIKE, seed=0)
    @given(asked=requests(), seed=st.integers(0, 10**6))
    def honoured(asked, seed):
        (made,) = milp_pips.generate("pips", seed=seed, **asked)
        obeys_everything(made.puzzle, made.hidden, asked)
        again = read(text.write(made.puzzle), f"{made.puzzle.name}.txt")[""]
        assert family_of(again).check(again, made.hidden) is None
        assert [again.cells, again.dominoes] == [made.puzzle.cells, made.puzzle.dominoes]

    honoured()


@examples(6)
@example(dominoes=3, seed=241179, key="grid")
@given(dominoes=st.integers(1, 5), seed=st.integers(0, 10**6), key=st.sampled_from((True, "grid")))
def test_unique_as_brute_force_says(dominoes, seed, key):
    (made,) = milp_pips.generate(dominoes=dominoes, seed=seed, unique=key, set="double-six")
    assert len(placements(made.puzzle)) == made.solutions
    assert len((placements if key is True else grids)(made.puzzle)) == 1


@examples(6)
@given(seed=st.integers(0, 10**6), least=st.integers(1, 6))
def test_as_many_solutions_as_wanted_as_brute_force_says(seed, least):
    (made,) = milp_pips.generate(dominoes=4, seed=seed, solutions=(least, 3 * least))
    assert least <= made.solutions <= 3 * least
    assert len(placements(made.puzzle)) == made.solutions


def test_a_large_puzzle():
    (made,) = milp_pips.generate(dominoes=300, seed=1, region_sizes="2..5", style="plain")
    assert family_of(made.puzzle).check(made.puzzle, made.hidden) is None
    assert {len(region.cells) for region in made.puzzle.regions} == {2, 3, 4, 5}
    assert {region.rule for region in made.puzzle.regions} == {"SUM", "EQ", "NEQ", "LT", "GT"}
    equal = [region for region in made.puzzle.regions if region.rule is Rule.EQ]
    assert len(equal) > len(made.puzzle.regions) / 5


def test_full_rectangles_and_drawn_boards(tmp_path):
    (made,) = milp_pips.generate(rows=3, columns=8)
    assert set(made.puzzle.cells) == {(r, c) for r in range(3) for c in range(8)}
    board = tmp_path / "board.txt"
    board.write_text("..##..\n####..\n##....\n.....#\n.....#\n")
    (made,) = milp_pips.generate(board=board, unique=True)
    assert made.puzzle.cells == (
        *((0, 2), (0, 3)),
        *((1, c) for c in range(4)),
        *((2, 0), (2, 1)),
        *((3, 5), (4, 5)),
    )
    assert len(placements(made.puzzle)) == 1


@pytest.mark.parametrize(
    "asked, pips",
    [
        ({}, range(7)),
        ({"max_pip": 3}, range(4)),
        ({"set": "double-10"}, range(11)),
        ({"set": "double-nine", "min_pip": 2, "max_pip": 8}, range(2, 9)),
        ({"set": "double-25"}, range(26)),
    ],
)
def test_all_pips_of_a_full_set_are_given(asked, pips):
    (made,) = milp_pips.generate(given="all", seed=3, **asked)
    puzzle = made.puzzle
    assert sorted(map(sorted, puzzle.dominoes)) == [[a, b] for a in pips for b in pips if a <= b]
    assert set(puzzle.cells) == {(r, c) for r in range(len(pips)) for c in range(len(pips) + 1)}
    assert all(region.rule is Rule.SUM and len(region.cells) == 1 for region in puzzle.regions)
    assert {region.cells[0]: region.target for region in puzzle.regions} == made.hidden.values


def layings(shown, used=frozenset()) -> int:
    """The number of ways to cover cells that show these pips with dominoes no two of which are alike."""
    if not shown:
        return 1
    (row, column), pip = min(shown.items())
    total = 0
    for other in ((row, column + 1), (row + 1, column)):
        if other in shown:
            domino = frozenset((pip, shown[other]))
            if domino not in used:
                rest = {c: p for c, p in shown.items() if c not in ((row, column), other)}
                total += layings(rest, used | {domino})
    return total


@examples(8)
@given(seed=st.integers(0, 10**6), pips=st.integers(0, 5))
def test_boards_whose_every_pip_is_given_have_the_solutions_that_brute_force_says(seed, pips):
    (made,) = milp_pips.generate(given="all", max_pip=pips, seed=seed)
    numbers = milp_pips.count(made.puzzle).counts
    assert numbers == {"placement": layings(made.hidden.values), "grid": 1}


def test_the_same_seed_gives_the_same_files_whatever_the_hash_seed(tmp_path, golden):
    """This process has the hash seed 0 or one that is drawn, and the other one has 1."""
    words = ["generate", "--dominoes", "7", "--unique", "--count", "2", "--seed", "5", "--set", "double-six"]
    assert main([*words, "--out", str(tmp_path / "1")]) == 0
    command = [sys.executable, "-m", "milp_pips", *words, "--out", str(tmp_path / "2")]
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    files = sorted(path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*.txt"))
    assert [str(file) for file in files] == [
        *(f"pips-5-00{i}.txt" for i in (1, 2)),
        *(f"solutions/pips-5-00{i}.txt" for i in (1, 2)),
    ]
    for file in files:
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()
    golden("generated_pips.txt", (tmp_path / "1" / "pips-5-001.txt").read_text())


@pytest.mark.long
def test_the_engine_that_looks_for_other_solutions_does_not_change_the_puzzle(monkeypatch):
    (first,) = milp_pips.generate(dominoes=8, unique=True, seed=2)
    monkeypatch.setattr(defaults, "ASSUMPTION_SOLVERS", ("cdcl",))
    (second,) = milp_pips.generate(dominoes=8, unique=True, seed=2)
    assert text.write(first.puzzle) == text.write(second.puzzle)


@pytest.mark.long
def test_a_large_puzzle_has_one_solution_says_another_engine():
    (made,) = milp_pips.generate(dominoes=16, unique=True, seed=2)
    assert made.solutions == 1
    listed = milp_pips.solutions(made.puzzle, solver="cp-sat")
    assert [found.values for found in listed] == [made.hidden.values]
    assert listed.summary.complete


@pytest.mark.long
def test_a_large_puzzle_is_the_same_on_every_machine():
    (made,) = milp_pips.generate(dominoes=500, seed=3, style="plain")
    digest = hashlib.sha256(text.write(made.puzzle).encode()).hexdigest()
    assert digest[:16] == "fb4268fa7c7e45e0"
    (made,) = milp_pips.generate(given="80%", set="double-25", seed=3)
    digest = hashlib.sha256(text.write(made.puzzle).encode()).hexdigest()
    assert digest[:16] == "2e2a4f035993a7cd"


def test_files_that_the_other_verbs_read(tmp_path, capsys):
    out = tmp_path / "new"
    assert main(["generate", "--out", str(out), "--count", "2", "--unique", "--dominoes", "5"]) == 0
    assert capsys.readouterr().out == "".join(f"{out / f'pips-0-00{i}.txt'}: 1 solution\n" for i in (1, 2))
    assert main(["check", str(out / "pips-0-001.txt"), str(out / "solutions" / "pips-0-001.txt")]) == 0
    assert main(["count", str(out), "--distinct", "placement"]) == 0
    assert capsys.readouterr().out.count(": 1 placement (") == 2


@pytest.mark.parametrize("dominoes, level", [(6, "easy"), (11, "hard")])
def test_the_times_json(tmp_path, capsys, dominoes, level):
    words = ["generate", "--dominoes", str(dominoes), "--format", "times", "--out", str(tmp_path)]
    assert main(words) == 0
    assert not (tmp_path / "solutions").exists()
    (puzzle,) = read((tmp_path / "pips-0-001.json").read_text(), "x.json").values()
    (made,) = milp_pips.generate(dominoes=dominoes)
    assert puzzle.name == f"pips-0-001-{level}"
    assert family_of(puzzle).check(puzzle, made.hidden) is None
    assert puzzle.published == made.hidden
    assert [r[1:] for r in puzzle.regions if r.rule] == [r[1:] for r in made.puzzle.regions]
    assert main(["check", str(tmp_path / "pips-0-001.json")]) == 0


def test_without_a_directory_the_puzzle_is_printed(capsys):
    assert main(["generate", "--dominoes", "3"]) == 0
    (puzzle,) = read(capsys.readouterr().out, "printed.txt").values()
    assert len(puzzle.dominoes) == 3


@pytest.mark.parametrize(
    "words, message",
    [
        ("--dominoes 40 --set double-six", "40 dominoes, but a double-six set has 28"),
        (
            "--dominoes 5 --set double-six --min-pip 5",
            "5 dominoes, but a double-six set has 3 with 5 to 6 pips",
        ),
        ("--set double-six --max-pip 7", "--max-pip 7, but a double-six set has at most 6 pips"),
        ("--min-pip 4 --max-pip 2", "--min-pip 4 is more than the most pips, 2"),
        (
            "--set six",
            "--set: 'six' is not a set of dominoes; known: free, double-six, double-nine, ",
        ),
        ("--dominoes 0", "--dominoes: '0' is not a whole number from 1 to 100000"),
        (
            "--region-sizes 5..2",
            "--region-sizes: '5..2' is not a range such as 2..5, nor sizes such as 1,2,4",
        ),
        (
            "--dominoes 7 --region-sizes 3..3",
            "a board of 14 cells cannot be divided into regions of 3 cells",
        ),
        (
            "--rules SUM,MUL",
            "--rules: 'SUM,MUL' is not a list of rules, each once, with weights such as SUM=5,EQ,none=2, "
            "not all 0; known: "
            f"{', '.join(Rule)}, none",
        ),
        ("--rules SUM=-1", "--rules: 'SUM=-1' is not a list of rules, each once, with weights "),
        ("--rules SUM,EQ,SUM", "--rules: 'SUM,EQ,SUM' is not a list of rules, each once, with"),
        ("--rules SUM=0,EQ=0", "--rules: 'SUM=0,EQ=0' is not a list of rules, each once, with"),
        ("--rows 3 --columns 5", "3 × 5 is an odd number of cells; name --dominoes to leave out some"),
        ("--rows 3 --columns 4 --dominoes 7", "7 dominoes cover 14 cells, but 3 × 4 has 12"),
        (
            "--family chess",
            "no new puzzles of the family 'chess' can be made; known: pips, sudoku, colour-grid",
        ),
        ("--format png", "unknown format 'png'; known: text, times"),
        ("--given some", "--given: 'some' is not all, nor a share of the cells such as 60%"),
        ("--given all --rules SUM", "--given leaves no other rules; leave out --region-sizes and --rules"),
        (
            "--givens 5",
            "--givens is not an option of pips; known: --dominoes, --style, --set, ",
        ),
        ("--unique --solutions 2", "a unique puzzle has one solution: leave out the number of solutions, or"),
        ("--unique colour", "unknown key 'colour'; known: placement, grid"),
        ("--solutions 4..2", "no puzzle has from 4 to 2 solutions"),
        ("--board nowhere.txt", "nowhere.txt: No such file or directory"),
        pytest.param(
            "--dominoes 2 --set double-1 --rules NEQ --region-sizes 4",
            "pips-0-001: no puzzle of 2 dominoes with regions of 4 cells and rules NEQ "
            "came out in 200 tries; "
            "allow the rule SUM\n",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "--dominoes 1 --solutions 9",
            "pips-0-001: no puzzle of 1 domino with 9 solutions in 187 drafts, "
            "which had 1 to 2 solutions; "
            "ask for another number of dominoes, or another --seed\n",
            marks=pytest.mark.long,
        ),
        ("--style good", "--style: 'good' is not one of setter, plain"),
    ],
)
def test_requests_that_make_no_sense_get_one_line(capsys, words, message):
    assert main(["generate", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"milp-pips: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "drawn, message",
    [
        ("##\n#.\n", "1: the board has 3 cells; expected an even number, two for each domino"),
        ("...\n", "1: the board has no cell"),
        ("##\n", ""),
        ("#.\n.#\n", " dominoes cannot cover this board"),
        ("#.#\n.#.\n#..", " dominoes cannot cover this board"),
        ("", "1: the file is empty"),
        ("##\n" * 1001, " the board is too large; expected at most 1000 rows and columns"),
    ],
)
def test_boards_that_cannot_be(tmp_path, capsys, drawn, message):
    board = tmp_path / "board.txt"
    board.write_text(drawn)
    status = main(["generate", "--board", str(board)])
    assert capsys.readouterr().err == (f"milp-pips: {board}:{message}\n" if message else "")
    assert status == (2 if message else 0)


@pytest.mark.parametrize(
    "words, message",
    [
        ("--rows 2", "--board or --shape says where the cells are; leave out --rows and --columns"),
        ("--dominoes 3", "3 dominoes do not cover a board of 4 cells"),
        ("--region-sizes 3,5", "a board of 4 cells cannot be divided into regions of 3, 5 cells"),
    ],
)
def test_boards_that_contradict_the_rest(tmp_path, capsys, words, message):
    board = tmp_path / "board.txt"
    board.write_text("##\n##\n")
    assert main(["generate", "--board", str(board), *words.split()]) == 2
    assert capsys.readouterr().err == f"milp-pips: {message}\n"


def test_a_directory_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["generate", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.startswith(f"milp-pips: {tmp_path / 'file'}")


def test_a_hidden_solution_that_breaks_a_rule_is_never_handed_out(monkeypatch):
    from milp_pips.extras.generate.pips.regions import Style

    monkeypatch.setattr(Style, "target", lambda *_: 999)
    with pytest.raises(EngineFault, match="the generator gave a point that breaks a rule of pips-0-001: "):
        list(milp_pips.generate(rules="SUM"))


def test_a_stopped_watch_ends_the_puzzles():
    from milp_pips.problem.stopping import Deadline

    deadline = Deadline()
    made = milp_pips.generate(count=10, deadline=deadline)
    next(made)
    deadline.interrupt()
    assert list(made) == []


def test_drawn_regions_and_stated_rules_stay(tmp_path):
    board = tmp_path / "board.txt"
    board.write_text("AAB#\nCCB#\nCD##\n\nA =, B 7\n")
    for seed in range(2):
        (made,) = milp_pips.generate(board=board, unique=True, seed=seed)
        regions = {region.cells: region for region in made.puzzle.regions}
        assert regions[(0, 0), (0, 1)].rule is Rule.EQ
        assert (regions[(0, 2), (1, 2)].rule, regions[(0, 2), (1, 2)].target) == (Rule.SUM, 7)
        drawn = {(1, 0), (1, 1), (2, 0)}
        assert all(set(cells) == drawn for cells in regions if drawn & set(cells))
        assert len(made.puzzle.cells) == 12
        assert len(placements(made.puzzle)) == 1


def test_a_drawn_region_is_connected(tmp_path, capsys):
    board = tmp_path / "board.txt"
    board.write_text("AB\nBA\n")
    assert main(["generate", "--board", str(board)]) == 2
    assert capsys.readouterr().err == (
        f"milp-pips: {board}: region A is not connected; expected cells that share sides\n"
    )


def test_a_larger_count_goes_on_and_another_puzzle_is_not_written_over(tmp_path, capsys):
    words = ["generate", "--dominoes", "3", "--out", str(tmp_path), "--count"]
    assert main([*words, "2"]) == 0
    before = {file: file.read_bytes() for file in tmp_path.rglob("*.txt")}
    assert main([*words, "11"]) == 0
    assert all(file.read_bytes() == content for file, content in before.items())
    assert sorted(file.name for file in tmp_path.glob("*.txt")) == [
        f"pips-0-{i:03}.txt" for i in range(1, 12)
    ]
    capsys.readouterr()
    assert main(["generate", "--dominoes", "4", "--out", str(tmp_path)]) == 2
    file = tmp_path / "pips-0-001.txt"
    assert capsys.readouterr().err == (
        f"milp-pips: {file} is another puzzle, which stays; name another --out or --seed\n"
    )
    assert file.read_bytes() == before[file]
