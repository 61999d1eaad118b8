"""Lines that can look ahead, and readers of JSON: what they return, and which place their errors name."""

from __future__ import annotations

import re

import pytest

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.located import Lines, Member, is_json, listed, load, named, one_of, pair, record, whole


def test_lines_without_comments_can_be_looked_at_before_they_are_read():
    lines = Lines("a b // first\n// nothing else\n\n  c\n", "f", re.compile(r"(?:^|\s)//.*"))
    first, second = lines.ahead(), lines.ahead(1)
    assert (first.text, first.number, first.after_blank) == ("a b", 1, False)
    assert (second.text, second.number, second.indent, second.after_blank) == ("c", 4, 2, True)
    assert lines.ahead(2) is None
    assert [line.text for line in lines] == ["a b", "c"]
    with pytest.raises(InputError, match=r"^f:4: the file ends before the dominoes$"):
        lines.required("the dominoes")


@pytest.mark.parametrize("text, json", [("{}", True), ("\ufeff \n{", True), ("[1]", False), ("5 {", False)])
def test_json_is_recognised_by_its_brace(text, json):
    assert is_json(text) == json


READ = listed(pair(whole(0, 6), "two numbers of pips"))


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"a": 5}', "f:1: a: this is 5; expected a list"),
        ('{"a": [[1, 2],\n[3]]}', "f:2: a[1]: this list has the length 1; expected two numbers of pips"),
        ('{"a": [[1, 2],\n[3, 7]]}', "f:2: a[1][1]: this is 7; expected a whole number from 0 to 6"),
        ('{"a": [[true, 2]]}', "f:1: a[0][0]: this is true; expected a whole number from 0 to 6"),
    ],
)
def test_composed_readers_name_the_part_at_fault(text, message):
    with pytest.raises(InputError) as refusal:
        READ(load(text, "f").member("a"))
    assert str(refusal.value) == message


def test_composed_readers_return_plain_data():
    assert READ(load('{"a": [[1, 2], [3, 3]]}', "f").member("a")) == [(1, 2), (3, 3)]


PIECE = record(
    kind=Member(one_of(("bar", "dot"), "there is no kind {}", "bar or dot"), "bar or dot"),
    name=Member(named("the name of the piece"), optional=True),
)


@pytest.mark.parametrize(
    "text, message",
    [
        ("{}", 'f:1: "kind" is missing; expected bar or dot'),
        ('{"kind":\n"{}"}', 'f:2: kind: there is no kind "{}"; expected bar or dot'),
        ('{"kind": "dot",\n"name": 7}', "f:2: name: this is 7; expected the name of the piece"),
    ],
)
def test_declared_members_have_types_and_messages(text, message):
    with pytest.raises(InputError) as refusal:
        PIECE(load(text, "f"))
    assert str(refusal.value) == message


def test_an_optional_member_may_be_missing_or_null():
    for text in ('{"kind": "dot"}', '{"name": null, "kind": "dot"}'):
        assert PIECE(load(text, "f")) == {"kind": "dot", "name": None}
