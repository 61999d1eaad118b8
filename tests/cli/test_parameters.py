"""Parameters are declared once: options, keyword arguments, requests and tables agree."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import VERBS, parser_of
from milp_pips.extras.web.answers import reply
from milp_pips.problem.answer import Settings
from milp_pips.problem.parameters import SETTINGS, SIZE, Parameter, whole

ROOT = Path(__file__).parents[2]
EASY = ROOT / "examples" / "pips" / "easy.txt"
PUZZLE = milp_pips.read(EASY)


def test_every_option_of_every_verb_has_a_sentence():
    for verb in VERBS:
        (verbs,) = (a.choices for a in parser_of([verb])._actions if isinstance(a.choices, dict))
        for action in verbs[verb]._actions:
            assert action.help, (verb, action.dest)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: milp_pips.solve(PUZZLE, timelimit=3),
            "solve() got an unexpected keyword 'timelimit'; did you mean 'seconds'?",
        ),
        (
            lambda: milp_pips.solve(PUZZLE, memory_limit="2G"),
            "solve() got an unexpected keyword 'memory_limit'; did you mean 'memory'?",
        ),
        (
            lambda: milp_pips.count(PUZZLE, presolve_rules=()),
            "count() got an unexpected keyword 'presolve_rules'; did you mean 'rules'?",
        ),
        (
            lambda: milp_pips.solutions(PUZZLE, limt=3),
            "solutions() got an unexpected keyword 'limt'; did you mean 'limit'?",
        ),
        (
            lambda: milp_pips.explain(PUZZLE, reason=2),
            "explain() got an unexpected keyword 'reason'; did you mean 'reasons'?",
        ),
        (
            lambda: milp_pips.hint(PUZZLE, xyzzy=1),
            "hint() got an unexpected keyword 'xyzzy'; known: puzzle, board, reveal, further, "
            "known, seconds, deadline, on_search",
        ),
        (
            lambda: Settings().changed(thread=2),
            "Settings() got an unexpected keyword 'thread'; did you mean 'threads'?",
        ),
    ],
)
def test_an_unknown_keyword_names_the_right_one(call, message):
    with pytest.raises(TypeError, match=re.escape(message) + "$"):
        call()


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (whole(1), "3", 3),
        (whole(1), "0", None),
        (whole(1), "x", None),
        (whole(), str(2**31), None),
        (whole(2, 40), "41", None),
        (SIZE, "500m", 500 * 2**20),
        (SIZE, "1.5G", None),
        (SIZE, "", None),
    ],
)
def test_texts_become_values_or_one_sentence(kind, text, value):
    if value is not None:
        assert kind.read_text(text) == value
    else:
        with pytest.raises(ValueError, match="is not a"):
            kind.read_text(text)


TEXT = EASY.read_text(encoding="utf-8")
REQUESTS = [
    ("solve", {"puzzle": {"text": TEXT}, "engine": "brute"}, True),
    ("solve", {"puzzle": {"text": TEXT}, "engine": 7}, False),
    ("solve", {"puzzle": {"text": TEXT, "path": "x"}}, False),
    ("solve", {}, False),
    ("solutions", {"puzzle": {"text": TEXT}, "first": "10000000000000000000000", "seconds": 5}, True),
    ("solutions", {"puzzle": {"text": TEXT}, "first": -1}, False),
    ("sample", {"puzzle": {"text": TEXT}, "count": 21}, False),
    ("hint", {"puzzle": {"text": TEXT}, "board": None, "reveal": "move", "hinted": []}, True),
    ("hint", {"puzzle": {"text": TEXT}, "seconds": 0}, False),
]


@pytest.mark.parametrize(("verb", "body", "fits"), REQUESTS, ids=str)
def test_a_request_is_answered_if_its_members_are_as_declared(verb, body, fits):
    events = []
    reply(verb, json.dumps(body), lambda *event: events.append(event), "local", 60.0)
    assert (events[-1][0] == "result") is fits


def table(parameters: tuple[Parameter, ...]) -> str:
    """Return the table of the documentation."""
    lines = ["| option | in Python | example | |", "|---|---|---|---|"]
    for p in parameters:
        example = f"`{p.example}`" if p.example else ""
        lines.append(f"| `{p.usage}` | `{p.keyword}` | {example} | {p.help} |")
    return "\n".join(lines)


def test_the_table_of_settings_in_the_documents_is_the_declaration():
    assert table(SETTINGS) in (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
