"""Corrupted files: valid files with a few parts deleted, doubled, swapped or replaced, and noise."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from milp_pips.problem.errors import InputError

FRAGMENTS = (
    *("", "0", "-1", "7", "100", "99999999999", "9" * 5000, "1.5", "1e400", "٣", "NaN", "true", "null"),
    *(".", "#", "…", "A", "SUM", "EQ", "[", "]", "{", "}", ",", ":", '"', "\\", '"a"', "[1, 2]", "{}"),
    *(" ", "\n", "\r", "\t", "\x00", "\x85", "\u2028", "\u200b", "\ufeff", "\ud800", "é", "[" * 3000),
)
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        1,
        -1,
        2,
        100,
        1000,
        10**30,
        1.0,
        float("nan"),
        float("inf"),
        "",
        "a",
        "b",
        "sum",
        "\ud800",
    ),
    *("x" * 300, "a\nb", [], [1], [0, 0], [1, 2], [1, 2, 3], [[0, 0], [0, 1]], {}, {"a": 1}, {"type": "sum"}),
)


def corrupt_text(text: str, random: Random) -> str:
    """Return the text with one to three edits of lines, tokens or characters, perhaps cut short; or noise."""
    if random.random() < 0.03:
        return "".join(random.choice(FRAGMENTS) for _ in range(random.randrange(12)))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        kind = random.choice((r"[^\n]*\n?", r"\w+|[^\w\s]|\s+", r"(?s:.)"))
        parts = re.findall(kind, text)
        _edit(parts, random, FRAGMENTS)
        text = "".join(parts)
    return text[: random.randrange(len(text) + 1)] if random.random() < 0.05 else text


def corrupt_json(document: Any, random: Random) -> str:
    """Return the document as JSON, with one to three edits anywhere in it."""
    document = [copy.deepcopy(document)]
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        part = document
        while True:
            steps = list(part) if isinstance(part, dict) else list(range(len(part)))
            inner = [step for step in steps if isinstance(part[step], (dict, list)) and part[step]]
            if not inner or (part is not document and random.random() < 0.25):
                break
            part = part[random.choice(inner)]
        if isinstance(part, list):
            _edit(part, random, VALUES)
        else:
            _edit_members(part, random)
    return json.dumps(document[0] if document else None, ensure_ascii=random.random() < 0.5)


def read_outcome(read: Callable[[str, str], object], text: str) -> str:
    """Return ``read`` or ``refused``; fail unless a refusal is one printable line that names the place."""
    try:
        read(text, "file")
    except InputError as error:
        refusal = error
    except Exception as error:
        raise AssertionError(f"{error!r} from {text[:2000]!r}") from error
    else:
        return "read"
    message = str(refusal)
    assert message.startswith("file:"), (message, text)
    assert message.isprintable(), (message, text)
    assert len(message) < 400, (message, text)
    assert refusal.line in range(1, text.count("\n") + text.count("\r") + 2), (message, text)
    return "refused"


def _edit(parts: list[Any], random: Random, replacements: tuple[Any, ...]) -> None:
    at = random.randrange(len(parts) + 1)
    other = random.randrange(len(parts) + 1)
    new = copy.deepcopy(random.choice(replacements))
    match random.randrange(5):
        case 0:
            parts[at : at + 1] = []
        case 1:
            parts[at : at + 1] = [new]
        case 2:
            parts.insert(at, new)
        case 3:
            parts[other:other] = copy.deepcopy(parts[at : at + 1])
        case _:
            parts[at : at + 1], parts[other : other + 1] = parts[other : other + 1], parts[at : at + 1]


def _edit_members(part: dict[str, Any], random: Random) -> None:
    key = random.choice(list(part))
    match random.randrange(4):
        case 0:
            del part[key]
        case 1:
            part[key] = copy.deepcopy(random.choice(VALUES))
        case 2:
            part[random.choice(("a", "", "\ud800", "{", "x y", "target", "links", "easy"))] = copy.deepcopy(
                part[key]
            )
        case _:
            other = random.choice(list(part))
            part[key], part[other] = part[other], part[key]
