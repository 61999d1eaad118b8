"""Pips puzzles typed by hand: read as meant, or refused in a line that says what was expected."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest
from corrupted_files import read_outcome
from json_formats import RULES

import milp_pips
from milp_pips.problem.errors import InputError
from milp_pips.puzzles import pips
from milp_pips.puzzles.pips import text
from milp_pips.puzzles.pips.puzzle import Pips, Rule
from milp_pips.puzzles.reading import read_text

EXAMPLES = Path(__file__).parents[2] / "examples"
DRAFTS = {
    "nothing counted": "AAB\nC.B\nCDD\nA =\nB > 4\nC 5\nD !=\n1-1 23 50 64",
    "rows counted, spaced": "2\nA A B B\nC C D #\nA=, B>4\nC 3\nD !=\n1-1 2-3 5-6 04",
    "a comment first": "// by hand, from the newspaper\nAB\nAB\nA=, B 7\n1-1 3/4",
    "words": "AB\nAB\nA EQUAL\nB ge 7\n1 1\n3 4",
    "typeset signs": "AB\nAB\nA ≤ 10, B≥3\n11 34",
    "colons": "AB\nAB\nA: =\nB: 7\n1:1 3:4",
    "a count of dominoes alone": "AB\nAB\nA =\nB 7\n2\n11 34",
    "no rules": "AB\nAB\n11\n34",
    "single digits in one line": "AB\nAB\nA =\nB 7\n1 1 3 4",
    "comments everywhere": "AB // top\n// middle\nAB\nA = // equal\n// then\n11 34 // all",
    "blank lines and indents": "\n  AB\n  AB\n\n\n A =\n\n B 7\n\n 11\n\n 34\n\n",
    "pips of two digits": "AB\nAB\nA >9\n10-1, 3-12",
    "long labels": "north south\nnorth south\nNorth =, SOUTH 7\n1-1 3-4",
    "labels of digits, rows counted": "2\n12\n12\n1 =\n2 SUM 7\n1-1 3-4",
    "windows lines and a mark": "\ufeffAB\r\nAB\r\nA =\r\n11 34\r\n",
}


def rules_of(puzzle: Pips) -> dict[str, tuple[Rule | None, int | None]]:
    return {region.label: region[2:] for region in puzzle.regions}


@pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS)
def test_a_draft_is_read_and_what_is_written_of_it_again(draft: str) -> None:
    puzzle = read_text(draft, "draft.txt")[""]
    assert isinstance(puzzle, Pips)
    assert 2 * len(puzzle.dominoes) == len(puzzle.cells) > 0
    assert text.read(text.write(puzzle), "f", "draft") == puzzle


MEANT = "AAB\nC.B\nCDD\nA =\nB >4\nC 5\nD !=\n1-1 2-3 5-0 6-4"
ROWS, RULES_TYPED, TRAY = "AAB\nC.B\nCDD\n", "A =\nB >4\nC 5\nD !=\n", "1-1 2-3\n5-0 6-4\n"


@pytest.mark.parametrize(
    "draft",
    [
        *(MEANT.replace(".", hole) for hole in "_-xX "),
        MEANT.replace("AAB\nC.B\nCDD", "A A B\nC   B\nC D D"),
        MEANT.replace("AAB\nC.B\nCDD", "A A B\nC _ B\nC D D"),
        ROWS + TRAY + RULES_TYPED,
        f"pieces:\n{TRAY}board:\n{ROWS}constraints:\n{RULES_TYPED}",
        f"Dominoes: {TRAY}Grid:\n{ROWS}Rules:\n{RULES_TYPED}",
        f"{ROWS}---\n{RULES_TYPED}---\n{TRAY}",
        f"{ROWS}\n# rules\n{RULES_TYPED}\n# dominoes: 4\n{TRAY}",
        f"{ROWS}* A is equal\n- >4 B\n- C sums to 5\n- D all different\n{TRAY}",
        f"{ROWS}A: are all equal\nB: sum greater than 4\nsum 5 C\nD: not equal\n{TRAY}",
        f"{ROWS}A =\nB sum > 4\nC adds up to 5\nD !=\n{TRAY}",
        f"{ROWS}A : are equal\n(>4) B\nC: must be 5\narea D ->different\n{TRAY}",
        f"Rules:\n* A: =\n- >4 B\nC 5\nD !=\nDominoes:\n{TRAY}Board:\n{ROWS}",
        f"dominoes = [(1,1),(2,3),\n(5,0),(6,4)]\n{ROWS}{RULES_TYPED}",
    ],
)
def test_what_has_one_meaning_is_read(draft: str) -> None:
    assert read_text(draft, "n")[""] == read_text(MEANT, "n")[""]


@pytest.mark.parametrize(
    "draft",
    [
        "AxB\nC_B\nCDD\nA =\n1-1 2-3 5-0 6-4",  # x or _ may be the hole
        "Axx\nA-B\nCCB\nx =\n1-1 2-3 5-0",  # too few dominoes for any
        "AAB\nC B\nCDD\nA =\n1-1 2-3 5-0",
        "xAA\nBBx\nx =\n1-1 2-3",  # x is a region
        "AAxx\nBBCC\nA 5\nB =\nC 3\n2-3 1-1 1-2",  # x may be a region without a rule, one domino short
    ],
)
def test_what_may_have_two_meanings_is_refused(draft: str) -> None:
    with pytest.raises(InputError, match=r"^n:\d+: "):
        read_text(draft, "n")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("[[0, 0], [0, 1]]", '"cells"'),
        ('["r1c1", "r1c2"]', '"cells"'),
        ('[{"row": 0, "col": 0}, {"row": 0, "col": 1}]', '"coordinates"'),
    ],
)
def test_json_of_others_is_read(cells: str, words: str) -> None:
    rules = [f'{{{words}: {cells}, "type": "=", "value": null}}']
    rules.append(
        f'{{{words}: {cells.replace("0", "9").replace("r1", "r10")}, "type": "less than", "value": 3}}'
    )
    puzzle = read_text(f'{{"zones": [{", ".join(rules)}], "tiles": [[1, 1], [0, 2]]}}', "n")[""]
    assert isinstance(puzzle, Pips)
    assert [(r.rule, r.target, len(r.cells)) for r in puzzle.regions] == [(Rule.EQ, None, 2), (Rule.LT, 3, 2)]
    assert puzzle.dominoes == ((1, 1), (0, 2))


TIMES = {
    "dominoes": [[2, 2], [1, 3], [4, 1]],
    "regions": [
        {"indices": [[0, 0], [0, 1]], "type": "sum", "target": 4},
        {"indices": [[0, 2], [1, 2]], "type": "equals"},
        {"indices": [[1, 0], [1, 1]], "type": "less", "target": 6},
    ],
}
BOARD = {"board": ["AAB", "CCB"], "tiles": ["2-2", "13", "[4|1]"]}
OTHERS: dict[str, dict[str, object]] = {
    "words for rules": {
        "dominoes": [{"a": 2, "b": 2}, {"a": 1, "b": 3}, {"a": 4, "b": 1}],
        "regions": [
            {"cells": [{"x": 0, "y": 0}, {"x": 1, "y": 0}], "op": "sum", "n": 4},
            {"cells": ["0,2", "1,2"], "rule": "ALL_EQUAL", "value": None},
            {"cells": [[1, 0], [1, 1]], "constraint": "< 6"},
        ],
    },
    "a board": BOARD | {"rules": {"A": "sum 4", "B": "=", "C": "<6"}},
    "rules with members": BOARD | {"rules": {"A": 4, "B": {"type": "equal"}, "C": {"op": "<", "value": 6}}},
    "a list of rules": {
        "grid": [[1, 1, 2], [3, 3, 2]],
        "clues": [{"region": 1, "sum": 4}, {"region": 2, "rule": "="}, {"region": 3, "clue": "under 6"}],
        "tray": [[2, 2], [1, 3], [4, 1]],
        "size": [2, 3],
    },
}


@pytest.mark.parametrize("other", OTHERS)
def test_json_of_many_shapes_states_the_same_puzzle(other: str) -> None:
    puzzle, meant = (read_text(json.dumps(one), "n")[""] for one in (OTHERS[other], TIMES))
    assert isinstance(puzzle, Pips)
    assert isinstance(meant, Pips)
    assert [region[1:] for region in puzzle.regions] == [region[1:] for region in meant.regions]
    assert puzzle.dominoes == meant.dominoes


REGION = {"cells": [[0, 0], [0, 1]]}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"zones": [REGION | {"comparison": "<", "value": 6}]}, '"comparison" is no member of a region'),
        ({"zones": [REGION | {"type": "equals", "value": 4}]}, '"equals" takes no number; expected "sum"'),
        ({"zones": [REGION | {"sum": 3, "value": 4}]}, "the region has two types or two numbers"),
        ({"zones": [REGION], "rules": [{"region": 0, "sum": 4}]}, "this JSON is not a Pips puzzle"),
        ({"board": ["AA"], "zones": [REGION]}, "this JSON is not a Pips puzzle"),
        ({"board": ["AA"], "rules": [["A", "sum", 4]]}, "this JSON is not a Pips puzzle"),
        ({"board": ["AA"], "rules": {"B": 4}}, "the region has no cell"),
    ],
)
def test_no_rule_of_json_is_lost(other: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=f"^n:1: .*{re.escape(message)}"):
        read_text(json.dumps(other | {"dominoes": [[1, 1]]}), "n")


def test_json_of_others_is_refused_in_the_words_of_pips() -> None:
    with pytest.raises(
        InputError, match=r'^n:1: regions\[0\].type: there is no type "prime"; expected "equals", '
    ):
        read_text('{"a": [{"cells": [[0, 0], [0, 1]], "type": "prime"}], "b": [[1, 1]]}', "n")


def test_a_region_that_may_be_a_gap_is_said_to_be_odd() -> None:
    message = 'n:2: "x" marks 2 gaps, or a region that the dominoes do not cover; '
    with pytest.raises(InputError) as refusal:
        read_text("AA\nxB\nxB\n1-1 2-3", "n")
    assert str(refusal.value) == f"{message}expected '.' for gaps, or 3 dominoes"
    corners = read_text("xAAx\nBBCC\nxCCx\n1-1 2-3 4-4 5-5", "n")[""]  # no domino fits on two of them
    assert isinstance(corners, Pips)
    assert len(corners.cells) == 8


def test_lines_that_move_keep_their_numbers() -> None:
    with pytest.raises(InputError, match=r'^n:5: region "Z" has a rule, but no cell on the board$'):
        read_text("pieces:\n1-1 2-3\nboard:\nAABB\nZ =\n", "n")


def test_the_three_drafts_are_what_was_meant() -> None:
    first, second, third = (text.read(draft, "f", "n") for draft in list(DRAFTS.values())[:3])
    assert (1, 1) not in first.cells
    assert rules_of(first) == {
        "A": (Rule.EQ, None),
        "B": (Rule.GT, 4),
        "C": (Rule.SUM, 5),
        "D": (Rule.NEQ, None),
    }
    assert first.dominoes == ((1, 1), (2, 3), (5, 0), (6, 4))
    assert (1, 3) in second.cells
    assert sum(len(region.cells) for region in second.regions) == 7
    assert second.dominoes == ((1, 1), (2, 3), (5, 6), (0, 4))
    assert rules_of(third) == {"A": (Rule.EQ, None), "B": (Rule.SUM, 7)}
    assert third.dominoes == ((1, 1), (3, 4))


RULES_OF_THE_RING = "A =\nB >4\nC 5\nD !=\n1-1 2-3 5-0 6-4\n"
RING = f"AAB\nC.B\nCDD\n{RULES_OF_THE_RING}"
WRAPPED = {
    "bullets": "Board:\nA A B\nC . B\nC D D\nRules:\n* A: equal\n* B: greater than 4\n* C: total 5\n"
    "* D: not equal\nDominoes:\n1-1\n2-3\n5-0\n6-4\n",
    "table": f"| A | A | B |\n|---|---|---|\n| C |   | B |\n| C | D | D |\n\n{RULES_OF_THE_RING}",
    "boxes": "+---+---+---+\n| A | A | B |\n+---+---+---+\n| C |   | B |\n+---+---+---+\n| C | D | D |\n"
    f"+---+---+---+\n{RULES_OF_THE_RING}",
    "commas": f"A,A,B\nC,,B\nC,D,D\n{RULES_OF_THE_RING}",
    "tabs": "A\tA\tB\nC\t.\tB\nC\tD\tD\nA\t=\nB\t>4\nC\t5\nD\t!=\n1-1\t2-3\t5-0\t6-4\n",
    "size": f"3 x 3\n{RING}",
    "title": f"My first board, 12 May\n\n{RING}",
    "code": "board = [\n  'AAB',\n  'C.B',\n  'CDD',\n]\nrules = {'A': '=', 'B': '>4', 'C': '5', 'D': '!='}\n"
    "dominoes = [(1,1),(2,3),(5,0),(6,4)]\n",
    "YAML": "board:\n  - AAB\n  - C.B\n  - CDD\nrules:\n  A: =\n  B: '>4'\n  C: 5\n  D: '!='\ndominoes:\n"
    "  - 1-1\n  - 2-3\n  - 5-0\n  - 6-4\n",
    "and": "AAB\nC.B\nCDD\nA =, B >4, C 5, D !=\ndominoes are 1-1, 2-3, 5-0 and 6-4\n",
    "number of dominoes": "AAB\nC.B\nCDD\nA =, B >4, C 5, D !=\n4 dominoes: 1-1 2-3 5-0 6-4\n",
    "crosses": "AAB\nC.B\nCDD\nA =\nB >4\nC 5\nD !=\n1x1 2x3 5×0 6x4\n",
    "the word region": "AAB\nC.B\nCDD\nregion A =\nRegion B: >4\nregion C 5\nregion D !=\n1-1 2-3 5-0 6-4\n",
    "sums": "AAB\nC.B\nCDD\nA =\nB sum>4\nC sum=5\nD !=\n1-1 2-3 5-0 6-4\n",
    "wide signs": "AAB\nC.B\nCDD\nA ＝\nB ＞4\nC：5\nD ≠\n1-1 2-3 5-0 6-4\n",
    "arrows": "AAB\nC.B\nCDD\nA -> =\nB -> >4\nC → 5\nD -> !=\n1-1 2-3 5-0 6-4\n",
    "brackets": "AAB\nC.B\nCDD\nA (=)\nB (>4)\nC (5)\nD (≠)\n(1,1) (2,3) (5,0) (6,4)\n",
    "numbers of rows": f"1: AAB\n2: C.B\n3: CDD\n{RULES_OF_THE_RING}",
    "semicolons and words": "A;A;B\nC;;B\nC;D;D\nA is =\nB is over 4\nC Σ 5\nD !=\n1-1 2-3 5-0 6-4\n",
    "fences": f"```\n{RING}```\n",
    "bullets of dominoes": "AAB\nC.B\nCDD\n* A: =\n* B: >4\n* C: 5\n* D: !=\n* 1:1\n* 2:3\n* 5:0\n* 6:4\n",
    "dominoes without a colon": "AAB\nC.B\nCDD\nA =\nB >4\nC 5\nD !=\ndominoes 11 23 50 64\n",
    "dominoes by number": "AAB\nC.B\nCDD\nA =\nB >4\nC 5\nD !=\nDomino 1: 1-1\nDomino 2: 2-3\n"
    "Domino 3: 5-0\nDomino 4: 6-4\n",
    "dominoes first": "1-1 2-3\n5-0 6-4\n\nAAB\nC.B\nCDD\n\nA =\nB >4\nC 5\nD !=\n",
    "rules first": "A =\nB >4\nC 5\nD !=\n\nAAB\nC.B\nCDD\n\n1-1 2-3 5-0 6-4\n",
    "a title just above": f"Pips hard 26 November\n{RING}",
    "a comment just above": f"# for Ada\n{RING}",
    "sentences": "The board is:\nA A B\nC . B\nC D D\n\nThe rules are:\nA must all be equal\n"
    "the sum of B is above 4\nC exactly 5\nD all distinct\n\nThe dominoes are:\n1-1, 2-3,\n5-0 and 6-4\n",
    "notes": "AAB\nC.B\nCDD\nA = (all the same)\nB >4 # on the right\nC 5 -- easy\nD !=\n"
    "1-1 2-3 5-0 6-4 # all\n",
    "thin boxes": f"+-+-+-+\n|A|A|B|\n+-+-+-+\n|C| |B|\n+-+-+-+\n|C|D|D|\n+-+-+-+\n{RULES_OF_THE_RING}",
    "drawn boxes": f"┌─┬─┬─┐\n│A│A│B│\n├─┼─┼─┤\n│C│.│B│\n├─┼─┼─┤\n│C│D│D│\n└─┴─┴─┘\n{RULES_OF_THE_RING}",
    "lists in a line": 'grid = ["AAB", "C.B", "CDD"]\nrules = {"A": "=", "B": ">4", "C": "5", "D": "!="}\n'
    "dominoes = [(1,1),(2,3),(5,0),(6,4)]\n",
    "lists of lists": "grid = [['A','A','B'],['C','.','B'],['C','D','D']]\nsum(B) > 4\nsum (C) = 5\n"
    "A =\nD !=\ndominoes: [11, 23, 50, 64]\n",
    "a list in each line": "grid = [\n  ['A', 'A', 'B'],\n  ['C', '.', 'B'],\n  ['C', 'D', 'D'],\n]\n"
    f"{RULES_OF_THE_RING}",
    "lists from the heading on": f"board: [[A,A,B],\n[C,.,B],\n[C,D,D]]\nrules:\n{RULES_OF_THE_RING}",
    "cells in brackets": f"board:\n[A][A][B]\n[C][.][B]\n[C][D][D]\n\n{RULES_OF_THE_RING}",
    "block of YAML": "board: |\n  AAB\n  C.B\n  CDD\nrules:\n  A: =\n  B: >4\n  C: 5\n  D: !=\ntray:\n"
    "  [1|1] [2|3] [5|0] [6|4]\n",
    "all counted": "3 3\nAAB\nC.B\nCDD\n4\nA =\nB >4\nC 5\nD !=\n4\n1 1\n2 3\n5 0\n6 4\n",
    **{f"holes {mark}": RING.replace(".", mark) for mark in "·oO*#0~□⬛"},
    "comments": "; by Ada\nAAB ; top\nC.B\nCDD\n% the rules\nA = ; equal\nB >4\nC 5\nD !=\n-- my dominoes\n"
    "1-1 2-3 5-0 6-4 /* all */\n".replace(" /* all */", "\n<!-- all -->"),
    "notes behind rows": f"AAB  # top row\nC.B <- a hole\nCDD\n{RULES_OF_THE_RING}",
    "headings with more": "[board]\nAAB\nC.B\nCDD\n=== Rules ===\nA =, B >4, C 5, D !=\n"
    "Available dominoes (4): 1-1 2-3 5-0 6-4\n",
    "stressed headings": "**Layout:**\nAAB\nC.B\nCDD\n2. Rules\n- **A**: =\n- **B**: >4\n"
    "1. `C` = 5.\n2. D !=\n"
    "Dominoes to place:\n1-1 2-3\n5-0 6-4.\n",
    "numbers of rows and columns": "  1 2 3\n1 A A B\n2 C . B\n3 C D D\n" + RULES_OF_THE_RING,
    "a table with numbers": "| | 1 | 2 | 3 |\n|---|---|---|---|\n| 1 | A | A | B |\n| 2 | C | . | B |\n"
    f"| 3 | C | D | D |\n\n{RULES_OF_THE_RING}",
    "rows by name": f"Row 1: A A B\nRow 2: C . B\nRow 3: C D D\n{RULES_OF_THE_RING}",
    "a table of rules": "AAB\nC.B\nCDD\n\n| region | rule | value |\n|---|---|---|\n| A | equal | |\n"
    "| B | > | 4 |\n| C | sum | 5 |\n| D | different | |\n\n1-1 2-3 5-0 6-4\n",
    "CSV of rules": "AAB\nC.B\nCDD\nregion,rule,value\nA,equal,\nB,>,4\nC,sum,5\nD,!=,\n1-1 2-3 5-0 6-4\n",
    "calls": "AAB\nC.B\nCDD\nall_equal(A)\nB > 4\nC = sum(5)\nalldifferent(D)\n1-1 2-3 5-0 6-4\n",
    "tuples": "board = ['AAB', 'C.B', 'CDD']\nrules = {\n'A': ('equal', None),\n'B': ('>', 4),\n"
    "'C': ('sum', 5),\n'D': ('unique',),\n}\ndominoes = ['1-1', '2-3', '5-0', '6-4']\n",
    "sentences of cells": "AAB\nC.B\nCDD\nAll cells in A are equal.\n4 < B\nThe cells of C sum to 5.\n"
    "D: all-different\n1-1 2-3 5-0 6-4\n",
    "bars between rules": "AAB\nC.B\nCDD\nA = | ΣB > 4 | sum C = 5 | D ≠\n1-1 2-3 5-0 6-4\n",
    "dominoes by number without a sign": f"AAB\nC.B\nCDD\n{RULES_TYPED}dominoes: 11\nDomino 2: 23\n5-0 6-4\n",
    "numbered dominoes": "AAB\nC.B\nCDD\nA =, B >4\nC 5, D !=\n1. 1-1\n#2: 2-3\nd3 = 5-0\n4) 6-4\n",
    "glyphs": f"AAB\nC.B\nCDD\n{RULES_TYPED}🀹 🁂 🁔 ⚅⚃\n",
    "pairs": f"AAB\nC.B\nCDD\n{RULES_TYPED}{{1,1}} <2|3> 5_0 6\\4\n",
    "numbers of dominoes": f"AAB\nC.B\nCDD\n{RULES_TYPED}1-1 x1, 1x 2-3, 5-0 (x1), 6-4\n",
    "wide letters": "ＡＡＢ\nＣ．Ｂ\nＣＤＤ\nＡ＝\nＢ＞４\nＣ　５\nＤ ≠\n1-1 2-3 ５－０ 6-4\n",
    "a quotation": "".join(f"> {line}\n" for line in RING.splitlines()),
    "one line": "board: AAB C.B CDD; rules: A =, B >4, C 5, D !=; dominoes: 1-1 2-3 5-0 6-4\n",
    "rows in a line": "board: AAB / C.B / CDD\nrules: A =, B >4, C 5, D !=\ndominoes: 1-1 2-3 5-0 6-4\n",
    "keys": f"title: ring\nauthor: Ada\nsize: 3 rows, 3 columns\n{RING}",
}


@pytest.mark.parametrize("wrapping", WRAPPED)
def test_what_people_write_around_a_board(wrapping: str) -> None:
    assert read_text(WRAPPED[wrapping], "n") == read_text(RING, "n")


def test_labels_may_be_digits() -> None:
    rules = "1: =\n2 >4\n3 = 5\n4: !="
    ring = read_text(f"3\n112\n3.2\n344\n{rules}\n1-1 2-3 5-0 6-4", "n")
    assert read_text(f"112\n3.2\n344\n{rules}\n1-1 2-3 5-0 6-4", "n") == ring
    counted = f"Board:\n1 1 2\n3 . 2\n3 4 4\nRules:\n{rules.replace('3 =', '3:')}\nDominoes:\n1-1 2-3 5-0 6-4"
    assert read_text(counted, "n") == ring


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        (
            f"AAB\nC.B\nCDD\n; B >4\n{TRAY}",
            'n:4: "; B >4" may be a comment or count; expected no sign before',
        ),
        (f"AAB\nC.B\nCDD\n{TRAY}# 2-2\n", 'n:6: "# 2-2" may be a comment or count; expected no sign before'),
        (RING.replace(".", "-").replace("DD", "D#"), 'n:1: "-" or "#" may mark the gaps; expected'),
        (
            RING.replace("C 5", "the cells of C are less than 5"),
            'n:6: rule 3 is "the cells of C are less than',
        ),
        (RING.replace("C 5", "all cells in C are equal to 5"), 'n:6: rule 3 is "all cells in C are equal'),
        (RING.replace("C 5", "C sums up to 5"), 'n:6: rule 3 is "C sums up to 5"'),
        (RING.replace("B >4", "B = < 4"), 'n:5: rule 2 is "B = < 4"'),
        (f"AA[B\nCC.B\nCD.D\n{RULES_OF_THE_RING}", "n:8: the number of dominoes is 4, but"),
        (f"rulez: A =, B >4\nAAB\nC.B\nCDD\n{TRAY}", "n:"),
        (RING.replace("C 5", "C: -- sum 5"), "n:6: "),
        ("board: AAB CCB; rulez: A=4, B=, C<6; dominoes: 2-2 1-3 4-1", "n:1: "),
        (f'AAB\nC.B\nCDD\n"A": ">4"\n; "B": "<6"\n{TRAY}', "n:5: "),
    ],
)
def test_what_may_be_meant_in_two_ways_is_named(draft: str, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_text(draft, "n")
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


def test_what_says_that_there_is_no_rule() -> None:
    puzzle = read_text("AAB\nC.B\nCDD\nA any\nB: -\nregion C - no rule\nD =\n1-1 2-3 5-0 6-4\n", "n")[""]
    assert isinstance(puzzle, Pips)
    assert [region.rule for region in puzzle.regions] == [None, None, None, Rule.EQ]


def test_a_solution_below_a_puzzle_may_be_typed_without_blanks() -> None:
    puzzle = read_text("AAB\nCCB\nA 4\nB =\nC <6\n22 13 41\n\nSolution:\n221\n141\n", "n")[""]
    assert isinstance(puzzle, Pips)
    assert puzzle.published is not None
    assert list(puzzle.published.values.values()) == [2, 2, 1, 1, 4, 1]


@pytest.mark.parametrize("label", ["{", "Σ", "`"])
def test_signs_around_boards_may_be_labels(label: str) -> None:
    puzzle = read_text(f"AA{label}\nCB{label}\n{label} 4\nA =\n11 13 20\n", "n")[""]
    assert isinstance(puzzle, Pips)
    assert {region.label for region in puzzle.regions} == {"A", "B", "C", label}


def test_a_size_that_is_not_that_of_the_board() -> None:
    with pytest.raises(InputError) as refusal:
        read_text(f"4x3\n{RING}", "n")
    assert str(refusal.value) == "n:1: the board has 3 rows; expected 4, as this line says"


@pytest.mark.parametrize(
    ("typed", "rule", "target"),
    [
        ("A 3", Rule.SUM, 3),
        ("A sum 3", Rule.SUM, 3),
        ("A =", Rule.EQ, None),
        ("A=3", Rule.SUM, 3),
        ("A equals 3", Rule.SUM, 3),
        ("A sum of 3", Rule.SUM, 3),
        ("A over 3", Rule.GT, 3),
        ("A under 3", Rule.LT, 3),
        ("A NEQ 0", Rule.NEQ, None),
        ("A !=", Rule.NEQ, None),
        ("A≠", Rule.NEQ, None),
        ("A>10", Rule.GT, 10),
        ("A <10", Rule.LT, 10),
        ("A ≤ 10", Rule.LE, 10),
        ("A<= 10", Rule.LE, 10),
        ("A >= 10", Rule.GE, 10),
        ("A less 10", Rule.LT, 10),
        ("a gt -1", Rule.GT, -1),
    ],
)
def test_rules_as_they_are_typed(typed: str, rule: Rule, target: int | None) -> None:
    for draft in (
        f"AB\nAB\n{typed}\n11 34",
        f"AB\nAB\nB =, {typed}\n11 34",
        f"2\nAB\nAB\n1\n{typed}\n2\n1 1\n3 4",
    ):
        assert rules_of(text.read(draft, "f", "n"))["A"] == (rule, target)


@pytest.mark.parametrize(
    ("draft", "board"),
    [
        ("AAB\nACB\nCC\nC =\n11 23 45 66", "AAB\nACB\nCC."),
        ("A A\nA B B\nB B B\nA = 3\n11 23 45 66", "A A .\nA B B\nB B B"),
        ("  AAB\n  ACB\n  CC\n\n  C =\n11 23 45 66", "AAB\nACB\nCC."),
    ],
)
def test_short_rows_end_in_no_cells(draft: str, board: str) -> None:
    rest = draft.splitlines()[len(board.splitlines()) :]
    assert text.read(draft, "f", "n") == text.read("\n".join([board, *rest]), "f", "n")


@pytest.mark.parametrize(
    "typed",
    [
        "5-1 0-4",
        "51 04",
        "5 1 0 4",
        "5/1,0/4",
        "(5,1) (0, 4)",
        "5 - 1 0 / 4",
        "5–1\n[0 4]",
    ],
)
def test_dominoes_as_they_are_typed(typed: str) -> None:
    assert text.read(f"AB\nAB\nA =\n{typed}", "f", "n").dominoes == ((5, 1), (0, 4))


def test_a_first_domino_that_could_be_their_number() -> None:
    board = "\n".join(["ABCDEF"] * 4)
    rest = "\n".join(["34"] * 11)
    counted = text.read(f"{board}\n\n12\n56\n{rest}", "f", "n")
    assert counted.dominoes[0] == (5, 6)
    other = text.read(f"{board}\n\n13\n{rest}", "f", "n")
    assert other.dominoes[0] == (1, 3)
    with pytest.raises(
        InputError, match=r'^f:6: "12" is the domino "1-2", or the number of dominoes with one missing'
    ):
        text.read(f"{board}\n\n12\n{rest}", "f", "n")
    with pytest.raises(
        InputError, match=r"^f:6: the number of dominoes is 11, but the number of cells is 24"
    ):
        text.read(f"{board}\n\n11\n{rest}", "f", "n")
    assert text.read(f"{board}\n\n1-2\n{rest}", "f", "n").dominoes[0] == (1, 2)


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        ("AAB\nA B\nA =\n11", 'd:2: rule 1 is "B"; expected {RULES}'),
        (
            "AAB\nAB\nA =\n11",
            "d:2: board row 2 is 2 wide, board row 1 is 3 wide; "
            "expected rows of one width, with '.' where there is no cell",
        ),
        (
            "AAB  CD\nEFGGCCH\nA =\n11 23 45 66",
            'd:1: the board row "AAB  CD" has a blank between some cells only; '
            "expected '.' where there is no cell",
        ),
        (
            "AB\nAB\nA= B4 A<9 B>2\n11 34",
            'd:3: rule 1 is "A= B4 A<9 B>2"; expected a region\'s label, {RULES}, '
            "and a number, and commas between rules",
        ),
        (
            "A1 A1\nB B\n\nA12\n11 34",
            'd:4: rule 1 is "A12"; expected a region\'s label, {RULES}, and a number',
        ),
        (
            "AB\n\nAB\nA =\n11 23",
            'd:3: rule 1 is "AB"; expected a region\'s label, {RULES}, and a number',
        ),
        ("AB\nAB\nC 3\n11 34", 'd:3: region "C" has a rule, but no cell on the board'),
        ("AB\nAB\nA 3, A =\n11 34", 'd:3: region "A" has a second rule; expected only the one on line 3'),
        (
            "AB\nAB\nA = 3x\n11 34",
            'd:3: the number of rule 1 is "3x"; expected a whole number from -999999999 to 999999999',
        ),
        (
            "AB\nAB\nA all equal 3\n11 34",
            'd:3: rule 1 is "A all equal 3": EQ takes no number; expected no number',
        ),
        (
            "3\nAAB\nC\nCC\nC 7\n11 25 34",
            "d:3: board row 2 is 1 wide, board row 1 is 3 wide; "
            "expected rows of one width, with '.' where there is no cell",
        ),
        ("AB\nAB\nA != 3\n11 34", 'd:3: rule 1 is "A != 3": NEQ takes no number; expected no number'),
        ("AB\nAB\nA >\n11 34", "d:3: rule 1, GT, has no number"),
        ("AB\nAB\nA >x\n11 34", 'd:3: rule 1 is ">x"; expected {RULES}'),
        (
            "AB\nAB\nA =\n11",
            "d:4: the number of dominoes is 1, but the number of cells is 4; expected 2 dominoes",
        ),
        (
            "AB\nAB\nA =\n11\n22 33",
            "d:5: the number of dominoes is 3, but the number of cells is 4; expected 2 dominoes",
        ),
        (
            "AB\nA.\nA =\n11\n22",
            "d:5: the number of dominoes is 2, but the number of cells is 3; expected an even number of "
            "cells, or '.' and '#' the other way round: '.' is not a cell, '#' a cell without a rule",
        ),
        (
            "AB\nAB\nA =\n3\n11 22 33",
            "d:4: the number of dominoes is 3, but the number of cells is 4; expected 2 dominoes",
        ),
        ("AB\nAB\nA =\n11\n234", 'd:5: domino 2 is "234"; expected two numbers of pips, such as 5-1 or 51'),
        ("AB\nAB\nA =\n1 23", 'd:4: domino 1 is "1 23"; expected two numbers of pips, such as 5-1 or 51'),
        ("AB\nAB\nA =\n1 -1\n22", 'd:4: domino 1 is "1 -1"; expected two numbers of pips, such as 5-1 or 51'),
        ("AB\nAB\nA =\n1-100 22", 'd:4: a half of domino 1 is "100"; expected a whole number from 0 to 99'),
        (
            "AB\nAB\nA =\n11\n22\nA 3",
            'd:6: region "A" has a second rule; expected only the one on line 3',
        ),
        ("AB\nAB\nA =", "d:3: the file ends before the dominoes"),
        ("AB\nAB\n1\nA =, B 7\n11 22", "d:4: there are 2 rules; expected the 1 of line 3"),
        ("AB\nAB\nA =\n11 22\nsolution\n1 2", "d:6: the solution ends after row 1; expected 2 rows"),
    ],
)
def test_a_mistake_is_no_puzzle(draft: str, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_text(draft, "d")
    assert str(refusal.value) == message.replace("{RULES}", RULES)


def family_read(other: str) -> str:
    """Return the family as which a text is read, or refused."""
    try:
        (puzzle,) = read_text(other, "f").values()
    except InputError as refusal:
        told = str(refusal)
        return "pips" if "domino" in told or "rule" in told or "board row" in told else "another"
    return puzzle.family


@pytest.mark.parametrize(
    "other",
    [
        "sudoku\n53..7....\n",
        "colour grid\nrows\nrg\ncolumns\nr\ng\n",
        "sudoku\ncages\naab\naab\nccb\na 15\nb 3\n",
        "sudoku\n1 2\n2 1\n",
    ],
)
def test_what_another_family_recognises_stays_its_own(other: str) -> None:
    assert family_read(other) != "pips"


@pytest.mark.parametrize(
    "prose", ["Dear reader,\nI have 3 dogs.", "A B\n", "name;age\n", "[section]\nkey = value\n"]
)
def test_prose_is_no_puzzle(prose: str) -> None:
    with pytest.raises(InputError, match=r"^f:1: this is no puzzle: it looks like "):
        read_text(prose, "f")


def test_old_files_are_read_as_before() -> None:
    """Where all is counted, ``12 34`` is one domino, and a label may be anything without blanks."""
    old = "1\nA, B; C= //\n3\nA, EQ\nB; SUM 3\nC= LT 5\n2\n12 34\n56 78\n".replace("//", "D")
    puzzle = text.read(old, "f", "n")
    assert puzzle.dominoes == ((12, 34), (56, 78))
    assert rules_of(puzzle) == {
        "A,": (Rule.EQ, None),
        "B;": (Rule.SUM, 3),
        "C=": (Rule.LT, 5),
        "D": (None, None),
    }


def test_long_lines_are_read_in_one_go() -> None:
    """A pattern that goes over such a line again and again would take hours."""
    for filler in ("A", " A", "=", "1", " 1", "1 ", "A =, ", "1-", "[1", "/", "A:", "<"):
        long = filler * (5_000 // len(filler))
        for draft in (f"AB\n{long}\n11 34", f"AB\nAB\nA =\n{long}\n11", f"{long}\n11 34"):
            read_outcome(pips.read, draft)
    for begun, run, ended in (
        ("|", "-", "x"),
        ("A", " ", "-x"),
        ("|", "A", ""),
        ("A", ":", "x"),
        ("", "A(", ""),
    ):
        read_outcome(pips.read, f"AAB\nCDB\n{begun}{run * (50_000 // len(run))}{ended}\n11 22 33")


SEPARATE = {
    "AB\nBA\nA 5\n12 34": 'p.txt:2: region "A" has 2 separate areas, at r1c1 and r2c2',
    "4\nA.A\nBBB\nAAA\nB.#\n0\n5\n11 12 13 14 15": 'p.txt:2: region "A" has 3 separate areas, at r1c1 and',
    "sudoku\n....\n....\n....\n....\nregions\n1122\n1122\n3344\n4433": (
        'p.txt:10: region "3" has 2 separate areas, at r3c1 and r4c3'
    ),
    "sudoku\n....\n....\n....\n....\ncages\na...\n....\n....\n...a\na 5": (
        'p.txt:10: cage "a" has 2 separate areas, at r1c1 and r4c4'
    ),
    "star-battle 1\nABBB\nBBCC\nDDCC\nDDCA": 'p.txt:5: region "A" has 2 separate areas, at r1c1 and r4c4',
}


@pytest.mark.parametrize("content", SEPARATE)
def test_a_label_of_two_separate_areas_is_one_region_with_a_warning(content: str) -> None:
    with pytest.warns(UserWarning, match=re.escape(SEPARATE[content])) as told:
        read_text(content, "p.txt")
    assert all("a label of its own for each" in str(each.message) for each in told)


def test_connected_regions_and_groups_of_separate_cells_are_read_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("pips/hard.txt", "sudoku/jigsaw.txt", "sudoku/killer.txt", "sudoku/diagonals.txt"):
            milp_pips.read(EXAMPLES / name)


@pytest.mark.parametrize("numbers", ["312", "112", "134", "234"])
def test_numbers_before_rows_count_up(numbers: str) -> None:
    rows = zip(numbers, ("AAB", "C.B", "CDD"), strict=True)
    typed = "".join(f"{number}: {row}\n" for number, row in rows) + RULES_OF_THE_RING
    with pytest.raises(
        InputError, match=r"^n:[23]: the rows are numbered [0-9], [0-9]; expected numbers in order"
    ):
        read_text(typed, "n")
