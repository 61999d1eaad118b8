"""All texts for people in golden files, to be read aloud: help, errors, and the sentences of hints."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache

import pytest
from code_size import PACKAGE, syntax

import milp_pips
from milp_pips.cli import VERBS, parser_of

EXAMPLES = PACKAGE.parent / "examples"
ERRORS = re.compile(r"\w*(Error|Fault)")
STORIES = (
    "pips/easy.txt",
    "pips/impossible.txt",
    "sudoku/ordinary.txt",
    "colour_grid/expressions.txt",
)
BANNED = re.compile(
    r"\b(whoever|nobody|somebody|in vain|by degrees|goes on with|has it that|so many)\b", re.IGNORECASE
)
"""Words that a stranger stumbles over; see CONTRIBUTING."""


@cache
def help_texts() -> str:
    """Return what ``--help`` prints, for the program and each verb, as in a terminal of 100 columns."""
    texts = [parser_of([]).format_help()]
    for verb in VERBS:
        parser = parser_of([verb])
        (verbs,) = (action.choices for action in parser._actions if isinstance(action.choices, dict))
        texts.append(verbs[verb].format_help())
    return "\n\n".join(texts)


@cache
def errors() -> str:
    """Return the words of every exception that the package raises, by file; values stand as ``{…}``."""
    lines = []
    for path in sorted(PACKAGE.rglob("*.py")):
        found = []
        for node in syntax(path):
            if isinstance(node, ast.Call) and ERRORS.fullmatch(name_of(node.func)):
                found += [words for words in map(words_of, node.args[:1]) if " " in words]
        if found:
            lines += [f"{path.relative_to(PACKAGE).as_posix()}:", *(f"    {words}" for words in found), ""]
    return "\n".join(lines)


def name_of(called: ast.expr) -> str:
    return getattr(called, "attr", "") or getattr(called, "id", "")


def words_of(node: ast.expr) -> str:
    """Return the text that an expression makes; ``{…}`` for what is known only when it runs."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(words_of(part) if isinstance(part, ast.Constant) else "{…}" for part in node.values)
    return "{…}"


@cache
def stories() -> str:
    """Return the sentences of the steps to the solutions of examples, or of the reason why there is none."""
    lines = []
    for name in STORIES:
        told = str(milp_pips.explain(milp_pips.read(EXAMPLES / name), reasons=1, additions=0)).splitlines()
        lines += [f"{name}:", *(f"    {line}" for line in told if re.match(r"\d+\. ", line)), ""]
    return "\n".join(lines)


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse lays out help differently")
def test_help_is_as_it_was_read(golden, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    golden("texts-help.txt", help_texts())


def test_errors_are_as_they_were_read(golden):
    golden("texts-errors.txt", errors())


def test_sentences_are_as_they_were_read(golden):
    golden("texts-stories.txt", stories())


@pytest.mark.parametrize("text", [help_texts, errors, stories])
def test_no_text_has_a_word_that_strangers_stumble_over(text):
    assert BANNED.findall(text()) == []
