"""The three formats of Pips puzzles: what is read, what is refused with which words, what is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_formats import RULES, TYPES, graph, strict, times_level
from strategies import boards, pips_puzzles

from milp_pips.problem.errors import InputError, UsageError
from milp_pips.puzzles import pips
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips import text
from milp_pips.puzzles.pips.puzzle import Pips, PlacedDomino, Region, Rule, cell_name

DATA = Path(__file__).parents[1] / "data" / "pips"
MALFORMED = sorted((DATA / "malformed").iterdir())
MALFORMED_TEXT = (DATA / "malformed.txt").read_text("utf-8")
MESSAGES = MALFORMED_TEXT.replace("{RULES}", RULES).replace("{TYPES}", TYPES).splitlines()
SEEDS = st.integers(0, 2**64)


def content(name: str) -> str:
    return (DATA / name).read_bytes().decode()


def puzzle_in(name: str) -> Pips:
    puzzle = pips.read(content(name), name)[""]
    assert puzzle is not None
    return puzzle


@pytest.mark.parametrize("path", MALFORMED, ids=lambda path: path.name)
def test_a_malformed_file_is_refused_with_its_own_message(path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        pips.read(path.read_bytes().decode(), path.name)
    assert str(refusal.value) == next(line for line in MESSAGES if line.startswith(path.name + ":"))


def test_every_message_has_its_file() -> None:
    assert [line.partition(":")[0] for line in MESSAGES] == [path.name for path in MALFORMED]


@pytest.mark.parametrize(
    "name", ["characters.txt", "tokens.txt", "times.json", "times_unpublished.json", "square.json"]
)
def test_puzzle_files_are_recognised(name: str) -> None:
    assert pips.recognises(content(name))
    assert pips.recognises("\ufeff\n  " + content(name))


@pytest.mark.parametrize(
    "other", ["", "  \n", "{}", '{"cages": []}', "[1, 2]", "A B\n", "1 2\n", "٣\n", "4.0\n"]
)
def test_other_files_are_not_recognised(other: str) -> None:
    assert not pips.recognises(other)


def test_one_character_per_cell() -> None:
    assert puzzle_in("characters.txt") == Pips.on_grid(
        "characters",
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (3, 0)],
        [
            Region("A", ((0, 0), (0, 1)), Rule.EQ),
            Region("B", ((0, 2), (1, 2)), Rule.SUM, 8),
            Region("C", ((1, 1),), Rule.GE, 5),
            Region("D", ((3, 0),), Rule.LT, 5),
        ],
        [(4, 1), (0, 6), (2, 2), (3, 5)],
    )


def test_tokens_blank_lines_small_letters_and_a_region_without_rule() -> None:
    assert puzzle_in("tokens.txt") == Pips.on_grid(
        "tokens",
        [(0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3), (2, 0)],
        [
            Region("10", ((0, 1), (0, 2), (1, 1)), Rule.LE, 9),
            Region("2", ((0, 3), (1, 2), (1, 3)), Rule.NEQ),
            Region("odd", ((2, 0),), Rule.GT, -1),
        ],
        [(0, 0), (6, 1), (3, 3), (1, 2)],
    )
    without_rule = content("tokens.txt").replace("3\n10 le 9\n", "2\n", 1)
    ruleless = pips.read(without_rule, "tokens.txt")[""]
    assert ruleless is not None
    assert ruleless.regions[0] == Region("10", ((0, 1), (0, 2), (1, 1)))


@pytest.mark.parametrize("name", ["characters.txt", "times.json", "square.json"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(name: str) -> None:
    for newline in ("\r\n", "\r"):
        assert pips.read("\ufeff" + content(name).replace("\n", newline), name) == pips.read(
            content(name), name
        )


@pytest.mark.parametrize("board", ["A.B\n...\nC.D", "ABC\n...\n..D", ".A.\nBCD\n..."])
def test_boards_that_no_dominoes_can_cover_are_puzzles(board: str) -> None:
    puzzle = pips.read(f"3\n{board}\n0\n2\n1 1\n1 1\n", "f")[""]
    assert puzzle is not None
    assert [region.rule for region in puzzle.regions] == [None] * 4


def test_the_three_levels_of_a_day() -> None:
    levels = pips.read(content("times.json"), "times.json")
    assert list(levels) == ["easy", "medium", "hard"]
    sizes = {}
    for level, puzzle in levels.items():
        assert puzzle is not None
        assert puzzle.name == f"2031-05-04-{level}"
        assert puzzle.published is not None
        assert family_of(puzzle).check(puzzle, puzzle.published) is None
        sizes[level] = len(puzzle.dominoes)
    assert sizes == {"easy": 4, "medium": 7, "hard": 11}
    assert levels["easy"] is not None
    assert levels["easy"].regions[:2] == (
        Region("A", ((0, 0), (1, 0), (1, 1)), Rule.NEQ),
        Region("B", ((0, 2), (0, 3), (1, 3)), Rule.GT, 4),
    )
    assert levels["easy"].published is not None
    assert levels["easy"].published.dominoes[0] == PlacedDomino((0, 3), ((0, 2), (0, 3)))


def test_unpublished_levels_missing_levels_and_no_date() -> None:
    levels = pips.read(content("times_unpublished.json"), "2031/draft.json")
    assert list(levels) == ["easy", "medium"]
    assert levels["medium"] is None
    assert levels["easy"] is not None
    assert levels["easy"].name == "draft-easy"
    assert levels["easy"].published is None


def test_regions_of_the_times_are_labelled_in_reading_order() -> None:
    indices = [[[29 - i, 1], [29 - i, 0]] for i in range(30)]
    regions = [{"indices": cells, "type": "equals", "target": 3, "note": "extra"} for cells in indices]
    level = {"dominoes": [[1, 1]] * 30, "regions": regions, "solution": None}
    puzzle = pips.read(json.dumps({"hard": level}), "f")["hard"]
    assert puzzle is not None
    assert [region.label for region in puzzle.regions][::13] == ["A", "N", "AA"]
    assert puzzle.regions[29] == Region("AD", ((29, 0), (29, 1)), Rule.EQ)
    assert text.read(text.write(puzzle), "f", puzzle.name) == puzzle


def test_a_graph() -> None:
    assert puzzle_in("square.json") == Pips(
        "square",
        ("a", "b", "c", "d"),
        (("a", "b"), ("a", "d"), ("b", "c"), ("c", "d")),
        (Region("A", ("c", "d"), Rule.EQ), Region("B", ("a",), Rule.LE, 2)),
        ((1, 2), (3, 3)),
    )


def test_constraints_of_a_graph_may_overlap_and_cells_be_alone() -> None:
    constraints = [{"type": "equals", "cells": ["b", "a"]}, {"type": "at least", "cells": ["a"], "target": 2}]
    document = {"dominoes": [[2, 2]], "constraints": constraints, "links": {"b": [], "a": []}}
    assert pips.read(json.dumps(document), "alone.json")[""] == Pips(
        "alone",
        ("b", "a"),
        (),
        (Region("A", ("b", "a"), Rule.EQ), Region("B", ("a",), Rule.GE, 2)),
        ((2, 2),),
    )


def test_the_last_of_two_equal_keys_is_the_one_to_blame() -> None:
    with pytest.raises(InputError) as refusal:
        pips.read('{"easy": {"dominoes": [],\n"dominoes": 1,\n"regions": []}}', "f")
    assert str(refusal.value) == "f:2: easy.dominoes: this is 1; expected a list"


@given(pips_puzzles())
def test_what_is_written_is_read_again(puzzle: Pips) -> None:
    assert text.read(text.write(puzzle), "f", "random") == puzzle


@given(boards(), st.lists(st.text(), min_size=8, max_size=8))
def test_any_labels_can_be_written(board: frozenset[tuple[int, int]], labels: list[str]) -> None:
    cells = sorted(board)[: len(board) // 2 * 2]
    regions = [
        Region(label, (cell,), Rule.SUM, i)
        for i, (label, cell) in enumerate(zip(labels, cells, strict=False))
    ]
    puzzle = Pips.on_grid("any", cells, regions, [(1, 2)] * (len(cells) // 2))
    if not cells:
        return
    found = text.read(text.write(puzzle), "f", "any")
    assert replace(found, regions=()) == replace(puzzle, regions=())
    assert [region._replace(label="") for region in found.regions] == [
        region._replace(label="") for region in regions
    ]


def test_only_a_grid_with_separate_regions_can_be_written() -> None:
    with pytest.raises(
        UsageError, match=r"^square: only a board of rows and columns can be written as text$"
    ):
        text.write(puzzle_in("square.json"))
    with pytest.raises(UsageError, match="only a board of rows and columns"):
        text.write(Pips.on_grid("off", [(0, -1), (0, 0)], [], [(1, 1)]))
    both = [Region("A", ((0, 0), (0, 1))), Region("B", ((0, 1),))]
    with pytest.raises(UsageError, match=r"^both: a cell in two regions cannot be written as text$"):
        text.write(Pips.on_grid("both", [(0, 0), (0, 1)], both, [(1, 1)]))


@given(pips_puzzles())
def test_a_level_of_the_times_is_the_puzzle_it_was_made_from(puzzle: Pips) -> None:
    found = pips.read(json.dumps({"easy": times_level(puzzle)}), "f")["easy"]
    assert found is not None
    assert (found.cells, found.edges, found.dominoes) == (puzzle.cells, puzzle.edges, puzzle.dominoes)
    ruled = [region._replace(label="") for region in found.regions if region.rule is not None]
    assert ruled == [
        strict(region)._replace(label="") for region in puzzle.regions if strict(region).rule is not None
    ]
    assert found.published == puzzle.published
    if found.published is not None:
        assert family_of(found).check(found, found.published) is None


@given(pips_puzzles())
def test_a_graph_is_the_puzzle_it_was_made_from(puzzle: Pips) -> None:
    found = pips.read(json.dumps(graph(puzzle)), "f")[""]
    assert found is not None
    assert found.name == puzzle.name
    assert found.cells == tuple(map(cell_name, puzzle.cells))
    assert sorted(found.edges) == sorted(tuple(map(cell_name, edge)) for edge in puzzle.edges)
    assert found.dominoes == puzzle.dominoes
    assert [region._replace(label="") for region in found.regions] == [
        Region("", tuple(map(cell_name, region.cells)), region.rule, region.target)
        for region in puzzle.regions
    ]


EQ, SUM, NEQ = [[0, 0], [0, 1]], [[0, 2], [1, 2]], [[1, 0], [1, 1]]
TRAY = [[3, 3], [2, 5], [4, 1]]
THREE_REGIONS = [
    {"cells": EQ, "type": "equal"},
    {"cells": SUM, "type": "sum", "value": 6},
    {"cells": NEQ, "type": "nequal"},
]


@pytest.mark.parametrize(
    "document",
    [
        {"dominoes": TRAY, "regions": dict(zip("ABC", THREE_REGIONS, strict=True))},
        {"dominoes": [{"id": "x", "pips": pips} for pips in TRAY], "regions": THREE_REGIONS},
        {"dominoes": {"3|3": 1, "2|5": 1, "4|1": 1}, "cells": EQ + SUM + NEQ, "regions": THREE_REGIONS},
        {
            "dominoes": TRAY,
            "regions": [
                {"cells": EQ, "constraint": {"type": "allEqual"}},
                {"cells": SUM, "constraint": {"op": "=", "value": 6}},
                {"cells": NEQ, "constraint": {"type": "notEqual", "value": None}},
            ],
        },
    ],
)
def test_json_of_other_programs(document: dict[str, object]) -> None:
    read = pips.read(json.dumps(document), "other.json")[""]
    assert isinstance(read, Pips)
    board = "2\nAAB\nCCB\n3\nA EQ\nB SUM 6\nC NEQ\n3\n3 3\n2 5\n4 1\n"
    assert text.write(read) == board


def test_cells_of_the_board_in_no_region_are_free_and_others_are_refused() -> None:
    document = {"dominoes": TRAY, "cells": EQ + SUM + NEQ, "regions": THREE_REGIONS[:2]}
    read = pips.read(json.dumps(document), "other.json")[""]
    assert isinstance(read, Pips)
    assert text.write(read).startswith("2\nAAB\n##B\n2\n")
    with pytest.raises(InputError, match=r"\[1, 2\] is in a region, but not in the cells of the board"):
        pips.read(json.dumps(document | {"cells": EQ + SUM[:1] + NEQ}), "other.json")


@pytest.mark.parametrize("beside", [{}, {"regions": {}}, {"size": [3, 3]}])
def test_json_with_dominoes_alone_is_no_puzzle(beside: dict[str, object]) -> None:
    with pytest.raises(InputError, match="expected"):
        pips.read(json.dumps({"dominoes": TRAY} | beside), "other.json")


@pytest.mark.parametrize("rule", [{"name": "less", "value": 4}, {"label": "equal"}])
def test_a_rule_inside_a_region_that_has_a_name_only_is_no_sum(rule: dict[str, object]) -> None:
    """The name of a region is no rule, but here it may be one."""
    document = {"dominoes": TRAY, "regions": [{"cells": SUM, "constraint": rule}, *THREE_REGIONS[::2]]}
    with pytest.raises(InputError, match='the "constraint" has a name and no type; expected its "type"'):
        pips.read(json.dumps(document), "other.json")


def test_a_rule_as_a_call_with_its_number() -> None:
    read = pips.read("AAB\n#CB\nall_equal(A), sum(B, 6)\n3-3 2-5 4-1\n", "calls.txt")[""]
    assert isinstance(read, Pips)
    assert [(region.rule, region.target) for region in read.regions[:2]] == [(Rule.EQ, None), (Rule.SUM, 6)]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("A: (0,0) (0,1)\nB: (0,2) (1,2)\nsum(A, 3)\nsum(B, 6)\n3-3 2-5\n", 1),
        ("rules:\n  A:\n    type: sum\n    value: 6\n  B:\n    type: equal\ndominoes:\n  - 3-3\n", 3),
    ],
)
def test_regions_that_only_json_may_state_so_are_refused_with_that_advice(typed: str, line: int) -> None:
    with pytest.raises(InputError, match="are read in JSON only") as refusal:
        pips.read(typed, "typed.txt")
    assert refusal.value.line == line
