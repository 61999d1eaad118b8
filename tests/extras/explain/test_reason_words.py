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
from thoroughness import examples, mostly_long

import milp_pips
from milp_pips.constraints import LinearSum, Relation
from milp_pips.extras.explain.clashes import clashes
from milp_pips.extras.explain.facts import Clash, Fact, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem, group_constraints
from milp_pips.extras.explain.reasoner import Reasoner
from milp_pips.extras.explain.techniques.story import Story, refutation
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.sentences import TECHNIQUES
from milp_pips.extras.explain.views.text import parts
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.testing import board

ROOT = Path(__file__).parents[3]
EXAMPLES = [
    "pips/medium.txt",
    "pips/ring.json",
    "colour_grid/expressions.txt",
    "sudoku/letters.txt",
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
        self.words = Words(self.grouped)
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


SUM = LinearSum((0, 1), Relation.EQ, 11, "region A: sum 11")


# ------------------------------------------------------------------------------------------ whole stories


STORIES = ["pips/ring.json", "pips/cube.json", "pips/repeated.txt", "pips/hard.txt"]
STORIES += ["colour_grid/colour_grid.txt", "colour_grid/expressions.txt"]


def test_every_technique_has_a_theme_and_a_sentence() -> None:
    seen = {reason.technique for name in STORIES for step in example(name)[2] for reason in step.reasons}
    assert seen <= TECHNIQUES.keys()
    assert seen >= {"rule", "lone", "fits", "no fit", "one place", "needs", "used", "inside", "chain"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_step_of_our_puzzles_has_sentences(name) -> None:
    _, soft, steps = example(name)
    words = Words(soft)
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


@pytest.mark.parametrize("name", mostly_long(2, ["pips/easy.txt", "pips/medium.txt", "sudoku/ordinary.txt"]))
def test_whatever_a_sentence_says_of_a_cell_is_so_in_the_solution(name) -> None:
    """Also what is said beside the facts of the step: bounds, and what no other cell can be."""
    puzzle, soft, steps = example(name)
    words = Words(soft)
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
    words = Words(soft)
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
    words = Words(group_constraints(problem))
    told = [words.step(step) for step in story(problem).steps()]
    assert told[0] == sentence
    for line in told:
        is_well_formed(line, words)


@examples(8)
@given(st.sampled_from(["pips/easy.txt", "pips/ring.json", "colour_grid/expressions.txt"]), st.data())
def test_whatever_a_step_or_clash_is_made_of_there_are_words_for_it(name, data) -> None:
    """Also where it makes no sense, or contradicts itself."""
    _, soft, _ = example(name)
    words = Words(soft)
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
    found = milp_pips.explain(milp_pips.Pips.from_rows(rows, rules, dominoes), additions=0)
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
