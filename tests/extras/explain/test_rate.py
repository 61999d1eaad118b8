"""``rate``: the logical difficulty of a puzzle; and ``generate`` by grade."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from thoroughness import few_or_many

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.explain.facts import Fact, Step
from milp_pips.extras.explain.rate import rating_of
from milp_pips.extras.explain.techniques.story import needed
from milp_pips.extras.generate import generate as generating
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles import family as families

EXAMPLES = Path(__file__).parents[3] / "examples"
EASY = EXAMPLES / "pips" / "easy.txt"
SEVERAL = EXAMPLES / "pips" / "repeated.txt"
NONE = EXAMPLES / "pips" / "odd_part.txt"


@pytest.fixture
def run(capsys):
    def call(*words):
        status = main([str(word) for word in words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_a_rating_is_made_of_the_trace():
    puzzle = milp_pips.read(EASY)
    steps = list(milp_pips.steps(puzzle))
    rated = milp_pips.rate(puzzle)
    assert rated.rating == rating_of(milp_pips.state(puzzle), steps)
    assert (rated.status, rated.stop, rated.confirmed_by) == ("unique", Stop.FINISHED, "the solution space")
    kept = needed(steps)
    assert rated.rating.hardest == max(step.cost for step in kept)
    assert rated.rating.cost == pytest.approx(sum(step.cost for step in kept))
    assert rated.rating.technique in {step.technique for step in kept}
    assert rated.rating.steps == len(steps)
    assert rated.needed == len(milp_pips.explain(puzzle).steps) < len(steps)


def _rating(dominoes, *steps):
    """Return the rating of a board with this many dominoes; a step is its technique, price and looks."""
    board = milp_pips.state(next(milp_pips.generate(dominoes=dominoes, seed=1)).puzzle)
    made = [
        Step((), (), (Fact(0, n, True),), price, looks, (), name)
        for n, (name, price, looks) in enumerate(steps)
    ]
    return rating_of(board, made)


LOOK, FEW, COUNT, CHAIN, LONG_CHAIN = (
    ("rule", 1.0, 9),
    ("rule", 1.0, 2),
    ("needs", 2.0, 1),
    ("chain", 5.0, 1),
    ("chain", 10.5, 1),
)


@pytest.mark.parametrize(
    ("dominoes", "steps", "grade", "said"),
    [
        (5, [LOOK] * 20, "easy", "short, and every step is simple"),
        (8, [LOOK] * 25, "easy", "rather short, and every step is simple"),
        (
            8,
            [*[LOOK] * 20, *[FEW] * 5],
            "medium",
            "rather short, and every step is a look, with few to choose from",
        ),
        (8, [*[LOOK] * 25, COUNT], "medium", "rather short, but some steps take more than a look"),
        (5, [*[LOOK] * 20, CHAIN], "medium", "short, but it takes a chain from a guess"),
        (9, [LOOK] * 25, "medium", "of medium length, but every step is simple"),
        (12, [LOOK] * 40, "hard", "long, but every step is simple"),
        (12, [*[LOOK] * 40, CHAIN], "hard", "long, and it takes a chain from a guess"),
        (12, [*[LOOK] * 40, LONG_CHAIN], "expert", "long, and its hardest steps are very hard"),
    ],
)
def test_a_grade_has_two_axes(dominoes, steps, grade, said):
    rating = _rating(dominoes, *steps)
    assert (rating.grade, rating.description) == (grade, said)


def test_easier_is_lower():
    """The same puzzle scores less where a player has less to find: here with all pips given."""
    (made,) = milp_pips.generate("sudoku", size=4, seed=1, unique=True)
    rows = made.hidden
    full = milp_pips.read_text("sudoku\n" + "\n".join("".join(row) for row in (("....",), *rows[1:])))[""]
    assert milp_pips.rate(full).rating.score < milp_pips.rate(made.puzzle).rating.score


HARDER = [("pips/chain.txt", "chain", "medium"), ("sudoku/pi_day_2010.txt", "pointing", "medium")]


@pytest.mark.parametrize(
    ("name", "technique", "grade"), few_or_many(HARDER, [*HARDER, ("sudoku/diagonals.txt", "chain", "hard")])
)
def test_a_puzzle_that_needs_more_than_looks_is_not_easy(name, technique, grade):
    rating = milp_pips.rate(milp_pips.read(EXAMPLES / name)).rating
    assert (rating.technique, rating.grade) == (technique, grade)


FIELDS = ["puzzle", "status", "score", "grade", "length", "hardness", "hardest", "cost", "steps", "open"]
FIELDS += ["technique", "description", "needed"]


def test_json_obeys_the_design(run):
    status, out, err = run("rate", EASY, SEVERAL, NONE, "--json")
    one, several, none = map(json.loads, out.splitlines())
    assert (status, err) == (1, "")
    for record in (one, several, none):
        assert list(record) == [*FIELDS, "at_least", "stop", "confirmed_by", "seconds"]
    assert (one["status"], several["status"], none["status"]) == ("unique", "several", "infeasible")
    assert one["grade"] == "easy"
    assert several["score"] > one["score"]
    assert all(none[field] is None for field in FIELDS[2:])


def test_in_words(run):
    status, out, _ = run("rate", EASY, SEVERAL)
    assert status == 0
    easy, several = out.splitlines()
    steps = r"\(\w+, and .+; hardest step: .+; [0-9]+ steps needed; [0-9.]+ s\)"
    assert re.fullmatch(rf"easy: easy, [0-9.]+ {steps}", easy)
    assert re.fullmatch(
        rf"repeated: \w+, [0-9.]+ {steps[:-2]}\)".replace(
            " needed;", " needed, to where several ways remain;"
        ),
        several,
    )
    out = run("rate", EASY, "-v")[1]
    assert re.search(
        r"  [0-9]+ steps found; price of the hardest [0-9.]+, of all needed [0-9.]+; [0-9.]+ open on average",
        out,
    )
    status, out, _ = run("rate", NONE)
    assert status == 1
    assert re.fullmatch(r"odd_part: not rated: no solution \(in [0-9.]+ s\)\n", out)


def test_a_limit_is_no_rating(run):
    status, out, _ = run("rate", EASY, "--time-limit", "0")
    assert status == 3
    assert re.fullmatch(r"easy: not rated: no answer; stop: time \(in [0-9.]+ s\)\n", out)
    assert json.loads(run("rate", EASY, "--time-limit", "0", "--json")[1])["score"] is None
    deadline = Deadline()
    rated = milp_pips.rate(milp_pips.read(EASY), deadline=deadline, on_step=lambda _: deadline.interrupt())
    assert (rated.rating, rated.stop) == (None, Stop.INTERRUPTED)
    assert str(rated).startswith("easy: not rated: at least easy; stop: interrupted (in ")


def test_bad_input(run, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("1\nAB\n1\nA SUM x\n1\n0 1\n")
    status, out, err = run("rate", bad, EASY)
    assert status == 2
    assert out.startswith("easy: easy, ")
    assert err.startswith(f"milp-pips: {bad}:4: ")


def test_every_family_has_ratings(monkeypatch, tmp_path):
    monkeypatch.setitem(families.FAMILIES, "coins", "outside.coin_puzzles:FAMILY")
    path = tmp_path / "coins.txt"
    path.write_text("coins 3 3\n")
    files = [path, EXAMPLES / "sudoku" / "ordinary.txt", EXAMPLES / "colour_grid" / "expressions.txt"]
    for file in (*files, EXAMPLES / "pips" / "ring.json"):
        assert milp_pips.rate(milp_pips.read(file)).rating.score > 0


# ------------------------------------------------------------------------------------------------ generate


@pytest.mark.parametrize(
    "family, asked, grade",
    [
        ("pips", {"dominoes": 5}, "easy"),
        pytest.param("pips", {"dominoes": 7}, "medium", marks=pytest.mark.long),
        pytest.param("sudoku", {"size": 4}, "easy", marks=pytest.mark.long),
        ("colour-grid", {"size": 4}, "easy"),
    ],
)
def test_new_puzzles_of_a_grade(family, asked, grade):
    first, second = milp_pips.generate(family, count=2, seed=2, grade=grade, **asked)
    assert first.puzzle != second.puzzle
    for made in (first, second):
        assert made.solutions == 1
        assert made.rating.grade == grade
        rated = milp_pips.rate(made.puzzle)
        assert (rated.status, rated.rating) == ("unique", made.rating)
        assert families.family_of(made.puzzle).check(made.puzzle, made.hidden) is None
    (again,) = milp_pips.generate(family, count=1, seed=2, grade=grade, **asked)
    assert again.puzzle == first.puzzle


def test_a_new_puzzle_is_written_with_its_score_and_grade(run, tmp_path):
    words = ["generate", "--dominoes", "6", "--grade", "medium", "--seed", "2", "--out", tmp_path]
    status, out, err = run(*words, "--json")
    record = json.loads(out)
    assert (status, err, record["solutions"]) == (0, "", 1)
    assert record["grade"] == "medium"
    status, out, _ = run(*words[:-1], tmp_path / "again")
    assert out.endswith(f".txt: 1 solution; {record['grade']}, {record['score']:g}\n")
    rated = json.loads(run("rate", record["file"], "--json")[1])
    assert (rated["score"], rated["grade"]) == (record["score"], record["grade"])


@pytest.mark.long
def test_what_cannot_be_found_is_refused_with_what_was_found(monkeypatch, run):
    monkeypatch.setattr(generating, "MAX_RATED", 2)
    status, out, err = run("generate", "--dominoes", "10", "--grade", "expert", "--seed", "2")
    assert (status, out) == (2, "")
    assert re.fullmatch(
        r"milp-pips: pips-2-001: no puzzle of this size that is expert is likely: of 2 puzzles "
        r"none is expert: they score from [0-9.]+ to [0-9.]+, "
        r"their hardest steps cost from [0-9.]+ to [0-9.]+; ask for another size\n",
        err,
    )


def test_a_size_that_is_always_too_hard_is_refused_soon():
    with pytest.raises(
        UsageError, match=r"hardly any puzzle of 9 dominoes is easy; dominoes by grade: easy 2 to 8,"
    ):
        next(milp_pips.generate("pips", dominoes=9, seed=1, grade="easy"))


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"grade": "deadly"}, "unknown grade 'deadly'; known: easy, medium, hard, expert"),
    ],
)
def test_requests_that_make_no_sense(asked, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        next(milp_pips.generate("pips", **asked))


def test_rating_hears_an_interruption():
    deadline = Deadline()
    deadline.interrupt()
    assert list(milp_pips.generate("pips", dominoes=5, grade="easy", deadline=deadline)) == []
