"""Sentences about steps and clashes: what they say, that it is true, and that no step goes without one."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips.constraints import AllDifferent, AllEqual, Less, LinearSum, Relation, Table
from milp_pips.extras.explain.clashes import clashes
from milp_pips.extras.explain.facts import Clash, Fact, Reason, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem, group_constraints
from milp_pips.extras.explain.reasoner import Reasoner
from milp_pips.extras.explain.techniques.story import Story, condensed, refutation
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.sentences import TECHNIQUES
from milp_pips.extras.explain.views.text import parts
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.registry import family_of
from milp_pips.testing import board

ROOT = Path(__file__).parents[3]
EXAMPLES = [
    "pips/easy.txt",
    "pips/medium.txt",
    "pips/ring.json",
    "pips/cube.json",
    "pips/repeated.txt",
    "colour_grid/colour_grid.txt",
    "colour_grid/boat.txt",
    "colour_grid/expressions.txt",
    "sudoku/ordinary.txt",
]


@cache
def example(name: str) -> tuple[Puzzle, GroupedProblem, tuple[Step, ...]]:
    """A puzzle with the steps from the empty board to all that all solutions share."""
    puzzle = milp_pips.read(ROOT / "examples" / name)
    found = story(milp_pips.state(puzzle))
    return puzzle, found.grouped, tuple(map(found.thinned, islice(found.steps(), 150)))


def story(problem: Problem) -> Story:
    return Story(group_constraints(problem), ())


class Board:
    """A problem by itself, whose cells are named, with the words for it."""

    def __init__(self, problem: Problem):
        self.grouped = group_constraints(problem)
        self.words = Words(milp_pips.read(ROOT / "examples/pips/easy.txt"), self.grouped)
        self.names = [variable.name for variable in self.grouped.variables]

    def facts(self, *words: str) -> tuple[Fact, ...]:
        """Facts written ``r1c2=4``, ``r1c2≠03`` and, of dominoes, ``r1c1-r1c2``."""
        return tuple(fact for word in words for fact in self._facts(word))

    def _facts(self, word: str) -> Iterator[Fact]:
        if "-" in word:
            one, other = word.lstrip("!").split("-")
            yield Fact(
                self.names.index(f"partner of {one}"), self.names.index(other), not word.startswith("!")
            )
        else:
            name, sign, values = re.split("([=≠])", word)
            for value in values:
                yield Fact(self.names.index(name), int(value), sign == "=")

    def items(self, *wanted: str) -> tuple[ConstraintGroup, ...]:
        """Items by part and label, ``at least A``, or by kind, ``only 1-2``; ``A`` is all that is of A."""
        return tuple(item for name in wanted for item in self.grouped.items if name in self._names(item))

    @staticmethod
    def _names(item: ConstraintGroup) -> set[str]:
        if item.kind == "dominoes":
            return {f"{item.part} {'-'.join(map(str, item.piece.kind))}"}
        label = item.label.partition(":")[0]
        return {label, f"{item.part} {label}"}

    def says(self, items: Iterable[str], facts: Iterable[str], new: Iterable[str]) -> str:
        return self.words.step(Step(self.items(*items), self.facts(*facts), self.facts(*new), 1.0))

    def clash(self, *items: str) -> str:
        return self.words.clash(clash_of(self.grouped, self.items(*items)))


def clash_of(grouped: GroupedProblem, items: Iterable[ConstraintGroup]) -> Clash:
    """The items as a clash, with the steps to the contradiction, if techniques find it."""
    wanted = tuple(items)
    numbers = [number for number, item in enumerate(grouped.items) if item in wanted]
    return Clash(wanted, steps=refutation(grouped, numbers))


DOMINOES = [(1, 2), (2, 2), (5, 6), (6, 6)]


def pips(*rules: Constraint) -> Board:
    """Dominoes on two rows of four cells: r1c1 … r2c4."""
    problem = board(2, 4, DOMINOES, rules)
    names = [f"r{r}c{c}" for r in (1, 2) for c in (1, 2, 3, 4)]
    names += [f"partner of {name}" for name in names]
    named = tuple(Variable(n, v.domain) for n, v in zip(names, problem.variables, strict=True))
    return Board(replace(problem, variables=named))


def latin(size: int) -> Board:
    """Rows of a square, no value twice in a row."""
    values = tuple(range(1, size + 1))
    variables = tuple(Variable(f"r{r + 1}c{c + 1}", values) for r in range(size) for c in range(size))
    rows = [AllDifferent(tuple(range(size * r, size * r + size)), f"row {r + 1}") for r in range(size)]
    return Board(Problem(variables, tuple(rows), {"grid": tuple(range(size * size))}))


SUM = LinearSum((0, 1), Relation.EQ, 11, "region A: sum 11")
FOUR = LinearSum((0, 1, 2, 3), Relation.EQ, 21, "region A: sum 21")
ONE = LinearSum((2,), Relation.LE, 2, "region B: sum < 3")
SINGLE = LinearSum((2,), Relation.EQ, 5, "region B: sum 5")
EQUAL = AllEqual((0, 1, 2), "region C: all equal")
OTHER = AllDifferent((0, 1, 2), "region D: all different")


@pytest.mark.parametrize(
    ("rules", "items", "sentence"),
    [
        (
            [LinearSum((0, 1), Relation.EQ, 13, "region A: sum 13")],
            ["at least region A"],
            "Region A (sum 13) cannot be kept, whatever is filled in. Region A must reach 13 with two "
            "cells, each at most 6: it is at most 12.",
        ),
        (
            [LinearSum((0,), Relation.EQ, 7, "region A: sum 7")],
            ["at least region A"],
            "Region A (sum 7) cannot be kept, whatever is filled in.",
        ),
        (
            [LinearSum((0, 1, 2, 3), Relation.GE, 24, "region A: sum > 23")],
            ["region A", "only 6-6", "only 5-6"],
            "Region A (sum > 23), and only one each of 6-6 and 5-6 cannot hold together. Region A must "
            "reach 24 with four cells, each at most 6: r1c1 to r1c4 are 6. r1c1 and r1c3 take 5-6 and 6-6 "
            "between them. r1c1 to r1c4 are 6, so the dominoes on r1c2 and r1c4 must both be 6-6, and there "
            "is only one.",
        ),
        (
            [AllEqual((0, 1, 2, 3), "region C: all equal")],
            ["region C", "only 1-2", "only 2-2", "only 5-6", "only 6-6"],
            "Region C (all equal), and only one each of 1-2, 2-2, 5-6 and 6-6 cannot hold together. "
            "The dominoes have one 1, too few for the four equal cells of region C: r1c1 to r1c4 "
            "cannot be 1. The dominoes have three 2s, too few for the four equal cells of region C: "
            "r1c1 to r1c4 cannot be 2, which leaves 5 or 6. Inside region C, every domino is a double. "
            "r1c1 and r1c3 take 5-6 and 6-6 between them. r1c2 and r1c4 are at least 5, so their dominoes "
            "must both be 6-6, and there is only one.",
        ),
        (
            [AllDifferent((0, 1, 2, 3, 4), "region D: all different")],
            ["region D"],
            "Region D (all different) cannot be kept, whatever is filled in. Region D has five cells, "
            "but there are only four values.",
        ),
        (
            [SUM, EQUAL],
            ["region A", "region C", "all 1-2"],
            "Region A (sum 11), region C (all equal) and at least one 1-2 cannot hold together.",
        ),
        (
            [EQUAL],
            ["region C"],
            "Region C (all equal) cannot be kept, whatever is filled in.",
        ),
        (
            [SUM],
            ["region A", "only 6-6"],
            "Region A (sum 11) and only one 6-6 cannot hold together.",
        ),
        (
            [SUM, EQUAL],
            ["region A", "region C", "all 1-2", "only 1-2", "only 6-6"],
            "Region A (sum 11), region C (all equal), exactly one 1-2 and only one 6-6 cannot hold together.",
        ),
    ],
)
def test_sentences_about_clashes(rules, items, sentence) -> None:
    assert pips(*rules).clash(*items) == sentence


@pytest.mark.parametrize(
    ("given", "moves", "rules", "sentence"),
    [
        ("a1", "b1", [AllDifferent((0, 1), "row 1")], "The given 1 in a and your 1 in b do not fit row 1."),
        ("", "a2 b2", [AllDifferent((0, 1), "row 1")], "Your 2s in a and b do not fit row 1."),
        (
            "a1 b2",
            "",
            [AllEqual((0, 1), "pair: all equal")],
            "The given 1 in a and 2 in b do not fit pair (all equal).",
        ),
        (
            "",
            "a1 i2",
            [AllEqual((0, 1), "pair: all equal"), LinearSum((1, 8), Relation.GE, 4, "sum: sum 4")],
            "Your 1 in a and 2 in i leave no way to fill pair (all equal) and sum (sum 4). Sum must "
            "reach 4 with two cells, each at most 2: b is 2. All cells of pair are equal, a is 1, and b is "
            "2: that is impossible.",
        ),
        (
            "",
            "a1 i2",
            [AllEqual((0, 1), "pair: all equal")],
            "Your 1 in a and 2 in i do not fit pair (all equal).",
        ),
        (
            "",
            "a2",
            [LinearSum((0,), Relation.EQ, 1, "cage x: sum 1")],
            "Your 2 in a does not fit cage x (sum 1).",
        ),
        (
            "",
            "a2 b2 c1",
            [AllDifferent((0, 3), "row 1"), AllDifferent((1, 2, 3), "row 2")],
            "Your 2s in a and b, and 1 in c leave no way to fill rows 1 and 2. Row 2 has three cells, "
            "but there are only two values.",
        ),
        (
            "a1 b1 c1 d1 e1 f1 g2",
            "h2",
            [LinearSum(tuple(range(9)), Relation.GE, 20, "total: sum > 19"), AllDifferent((7, 8), "row 1")],
            "7 of the givens and your 2 in h leave no way to fill total (sum > 19) and row 1. Total "
            "must reach 20 with nine cells, each at most 2: it is at most 18.",
        ),
    ],
)
def test_givens_that_clash_are_named_and_so_are_moves(given, moves, rules, sentence) -> None:
    fixed = {word[0]: (int(word[1]),) for word in given.split()}
    variables = tuple(Variable(name, fixed.get(name, (1, 2))) for name in "abcdefghi")
    problem = Problem(variables, tuple(rules), {"grid": tuple(range(9))})
    soft = group_constraints(problem).with_moves(
        {"abcdefghi".index(word[0]): int(word[1]) for word in moves.split()}
    )
    words = Words(milp_pips.read(ROOT / "examples/pips/easy.txt"), soft)
    items = tuple(item for item in soft.items if item.part != "at least" or "x" not in item.label)
    assert words.clash(clash_of(soft, items)) == sentence


def test_dominoes_that_were_laid_are_named_by_where_they_lie() -> None:
    soft = pips(SUM).grouped.with_moves({2: 5, 8: 1, 10: 3})
    words = Words(milp_pips.read(ROOT / "examples/pips/easy.txt"), soft)
    items = tuple(item for item in soft.items if item.kind in ("rule", "move"))
    assert words.clash(clash_of(soft, items)) == (
        "Your 5 in r1c3, and dominoes on r1c1–r1c2 and r1c3–r1c4 do not fit region A (sum 11)."
    )


def test_what_can_be_left_out_or_added_is_told() -> None:
    told = pips(SUM, EQUAL)
    assert told.words.repairs(told.items("at least region A", "region C", "only 1-2")) == (
        "Leave out region A (sum 11) or region C (all equal), or add another domino 1-2, "
        "and it has a solution."
    )
    assert told.words.repairs(told.items("only 1-2")) == "Add another domino 1-2, and it has a solution."


def test_what_remains_is_told_by_the_values() -> None:
    board = pips()
    partners = dict.fromkeys((8, 9, 10), (0, 1))
    assert board.words.remaining({0: (1, 2), 1: (5, 6), 2: (2, 1), **partners}) == (
        "Several ways remain: r1c1 and r1c3 are each 1 or 2; r1c2 is 5 or 6."
    )
    assert board.words.remaining({11: (0, 1), **partners}) == (
        "Several ways remain: the dominoes on r1c1, r1c2, r1c3 and r1c4 can lie differently."
    )
    assert board.words.remaining({0: (1, 2), 9: (0, 1)}).endswith("; the domino on r1c2 can lie differently.")


def test_a_word_that_begins_like_a_cell_has_its_capital() -> None:
    words = Words(milp_pips.read(ROOT / "examples/pips/ring.json"), soft := example("pips/ring.json")[1])
    cells = [variable.name for variable in soft.variables]
    rule = tuple(item for item in soft.items if item.label.startswith("region A"))
    b, c, d, e = (cells.index(name) for name in "bcde")
    facts, new = (Fact(c, 1, True),), tuple(Fact(v, 1, True) for v in (b, d, e))
    step = Step(rule, facts, new, 1.0, technique="rule", reasons=(Reason("rule", rule, facts, new),))
    assert words.step(step) == "All cells of region A are equal, and c is 1: b, d and e are 1."
    assert words.where(step) == "Look at region A."
    assert words.rule(step) == "Think of its rule: all equal."
    assert words.why(step) == "All cells of region A are equal, and c is 1."
    assert words.move(step) == "b, d and e are 1."


# ------------------------------------------------------------------------------------------ whole stories


STORIES = ["pips/ring.json", "pips/cube.json", "pips/repeated.txt", "pips/hard.txt"]
STORIES += ["colour_grid/colour_grid.txt", "colour_grid/expressions.txt"]


@pytest.mark.parametrize("name", [*STORIES, pytest.param("sudoku/killer.txt", marks=pytest.mark.long)])
def test_golden_stories(name, golden) -> None:
    """The needed steps with their techniques, as people read them."""
    puzzle, soft, steps = example(name)
    words = Words(puzzle, soft)
    lines = [f"[{step.technique}] {words.step(step)}\n" for step in condensed(steps)]
    golden(f"story-{Path(name).stem}.txt", "".join(lines))


def test_every_technique_has_a_theme_and_a_sentence() -> None:
    seen = {reason.technique for name in STORIES for step in example(name)[2] for reason in step.reasons}
    assert seen <= TECHNIQUES.keys()
    assert seen >= {"rule", "lone", "fits", "no fit", "one place", "needs", "used", "inside", "chain"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_step_of_our_puzzles_has_sentences(name) -> None:
    puzzle, soft, steps = example(name)
    words = Words(puzzle, soft)
    assert steps
    for step in steps:
        degrees = (words.step(step), words.where(step), words.rule(step), words.why(step), words.move(step))
        for text in degrees:
            is_well_formed(text, words)
        assert words.move(step).rstrip(".") not in words.where(step) + words.rule(step)
        for fact in step.conclusions[:1]:
            if "other cell" not in degrees[0] and "all its cells" not in degrees[0]:
                ends = words._phrases.ends(fact) or (fact.variable,)
                assert any(soft.variables[v].name in degrees[0] for v in ends) or " to r" in degrees[0]


def is_well_formed(text: str, words: Words) -> None:
    assert text.endswith(".")
    assert not re.search(r"  | [,.;:]|None|\{\}|: ?\.|and ,", text), text
    assert not text[0].islower() or any(text.startswith(v.name) for v in words.grouped.variables), text
    assert len(text) < 1100, text


SAID = re.compile(
    r"((?:(?:r\d+c\d+)(?:, | and ))*(?:r\d+c\d+)) "
    r"(?:(is|are) (at least |at most |each )?|(cannot be) )(\d+(?:(?:, | or )\d+)*)(?![-–\d])"
)


@pytest.mark.parametrize(
    "name", ["pips/easy.txt", "pips/medium.txt", "pips/repeated.txt", "sudoku/ordinary.txt"]
)
def test_whatever_a_sentence_says_of_a_cell_is_so_in_the_solution(name) -> None:
    """Also what is said beside the facts of the step: bounds, and what no other cell can be."""
    puzzle, soft, steps = example(name)
    words = Words(puzzle, soft)
    solution = next(milp_pips.solutions(puzzle))
    value = {soft.variables[v].name: a for v, a in family_of(puzzle).encode(puzzle, solution).items()}
    looked_at = 0
    for step in steps:
        sentence = words.step(step)
        for cell, single in re.findall(r"(r\d+c\d+) can only be (\d+)", sentence):
            looked_at += 1
            assert value[cell] == int(single), sentence
        for single, cell in re.findall(r"(\d+) can only go in (r\d+c\d+)[.:]", sentence):
            looked_at += 1
            assert value[cell] == int(single), sentence
        for cells, be, bound, cannot, values in SAID.findall(sentence):
            said = [int(x) for x in re.findall(r"\d+", values)]
            for cell in re.split(", | and ", cells):
                looked_at += 1
                shown = value[cell]
                if cannot:
                    assert shown not in said, words.step(step)
                elif bound.startswith("at"):
                    assert shown >= said[0] if "least" in bound else shown <= said[0], words.step(step)
                else:
                    assert be
                    assert shown in said, words.step(step)
        for values in re.findall(r"no other cell(?: of [^:]*)? can be ([\d, or]+)", words.step(step)):
            concluded = {fact.variable for fact in step.conclusions}
            assert all(
                value[soft.variables[v].name] not in map(int, re.findall(r"\d+", values)) for v in concluded
            )
    assert looked_at > 10


@pytest.mark.parametrize(
    "name", ["pips/impossible.txt", "pips/odd_part.txt", "colour_grid/contradiction.txt"]
)
def test_every_clash_of_our_puzzles_has_a_sentence(name) -> None:
    puzzle = milp_pips.read(ROOT / "examples" / name)
    soft = group_constraints(milp_pips.state(puzzle))
    words = Words(puzzle, soft)
    for found, _ in islice(clashes(Reasoner(soft, Deadline(60))), 3):
        is_well_formed(words.clash(clash_of(soft, (soft.items[i] for i in found))), words)


@pytest.mark.parametrize(
    ("module", "text", "sentence"),
    [
        (
            "coin_puzzles",
            "coins 4 4",
            "4 heads must reach 4 with four cells: coin 1, coin 2, coin 3 and coin 4 are 1.",
        ),
        (
            "nonograms",
            "nonogram\nrows\n3\n1\ncolumns\n1\n2\n1\n",
            "Row 1 (3): in every way to fill it, r1c1, r1c2 and r1c3 are 1.",
        ),
        (
            "futoshiki",
            "futoshiki\n. < . .\n. v .\n. . .\n. . .\n",
            "r1c1 is less than r1c2: r1c1 cannot be 3 and r1c2 cannot be 1.",
        ),
        (
            "kenken",
            "kenken\nA A B\nC C B\nD D D\nA 3x\nB 2/\nC 1-\nD 6x\n",
            "Cage A (3x) must hold: r1c1 and r1c2 cannot be 2.",
        ),
    ],
)
def test_families_from_outside_have_sentences_without_a_line_of_their_own(
    module, text, sentence, monkeypatch
):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "outside"))
    family = importlib.import_module(module).FAMILY
    puzzle = family.read(text, "outside")[""]
    problem = family.state(puzzle)
    words = Words(puzzle, group_constraints(problem))
    told = [words.step(step) for step in story(problem).steps()]
    assert told[0] == sentence
    for line in told:
        is_well_formed(line, words)


def three(*rules: Constraint) -> Board:
    """Three numbers from 0 to 4: x, y and z."""
    return Board(Problem(tuple(Variable(name, (0, 1, 2, 3, 4)) for name in "xyz"), rules, {"all": (0, 1, 2)}))


WEIGHED = LinearSum((0, 1, 2), Relation.LE, 4, "weights: 2x + y - z <= 4", (2, 1, -1))
LESS = Less((0, 1), label="x < y")
NO_MORE = Less((0, 1), strict=False, label="x <= y")
ROWS = Table.from_text((0, 2), "0 1; 3 2", "rows: two")


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            [LESS, Less((1, 0), label="y < x")],
            "X < y and y < x cannot hold together. x is less than y: x cannot be 4 and y cannot be 0. "
            "y is less than x, and x cannot be 4: x cannot be 0, which leaves 1, 2 or 3, and y is at most 2. "
            "x is less than y, x cannot be 0, and y is 1 or 2: x is 1. y is less than x, x is 1, and y is 1 "
            "or 2: that is impossible.",
        ),
        ([Table.from_text((0, 2), "7 1; 3 8", "rows")], "Rows cannot be kept, whatever is filled in."),
        (
            [LinearSum((0, 1), Relation.GE, 21, "weights", (2, 3))],
            "Weights (weighted sum 21) cannot be kept, whatever is filled in. Weights must reach 21 "
            "with two cells, each at most 4: it is at most 20.",
        ),
    ],
)
def test_sentences_about_clashes_of_order_weights_and_tables(rules, sentence) -> None:
    board = three(*rules)
    told = board.words.clash(clash_of(board.grouped, board.grouped.items))
    assert told[:1].upper() + told[1:] == sentence


@examples(13)
@given(st.sampled_from(["pips/easy.txt", "pips/ring.json", "colour_grid/expressions.txt"]), st.data())
def test_whatever_a_step_or_clash_is_made_of_there_are_words_for_it(name, data) -> None:
    """Also where it makes no sense, or contradicts itself."""
    puzzle, soft, _ = example(name)
    words = Words(puzzle, soft)
    facts = [
        Fact(v, a, holds)
        for v, variable in enumerate(soft.variables)
        for a in variable.domain
        for holds in (True, False)
    ]
    some = st.lists(st.sampled_from(facts), max_size=5, unique=True)
    items = tuple(data.draw(st.lists(st.sampled_from(soft.items), max_size=4, unique=True)))
    step = Step(items, tuple(data.draw(some)), tuple(data.draw(some)), 1.0)
    told = (words.step(step), words.where(step), words.rule(step), words.why(step), words.move(step))
    for text in (*told, words.clash(Clash(items))):
        is_well_formed(text, words)


def told(rows: list[str], rules: dict[str, str], dominoes: list[tuple[int, int]]) -> list[str]:
    """Return what ``explain`` says of a puzzle, without the pictures."""
    found = milp_pips.explain(milp_pips.Pips.from_rows(rows, rules, dominoes))
    return [part for part in parts(found) if isinstance(part, str)]


def test_a_board_of_the_wrong_colours_has_one_sentence_and_no_steps():
    said = told(["AAA.", "AAAA", "AAAA", ".AAA"], {"A": "EQ"}, [(1, 1)] * 7)
    assert said[0] == (
        "1. There is no way to cover the board. Dominoes cannot cover the part of the board with r1c1: "
        "coloured like a chessboard it has 6 and 8 cells."
    )
    assert "no solution, 1 reason" in said[1]
    assert len(said) == 2


def test_dominoes_that_show_too_little_have_one_sentence():
    rules = {"A": "SUM 10", "B": "SUM 9", "C": "SUM 8", "D": "SUM 11"}
    said = told(["ABCD", "ABCD"], rules, [(1, 6), (1, 5), (2, 4), (3, 3)])
    assert "In one sentence: the cells show 38 together at least, and the dominoes 25." in said
    assert not any("step by step" in line for line in said)
