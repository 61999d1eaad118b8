"""Pips, the domino puzzle: its files are recognised and read here, in three formats.

``text`` is the plain text of a board, its rules and its dominoes; ``times`` the JSON in which the New York
Times publishes a day's three puzzles; ``graph`` a JSON of named cells and the links between them.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Generator
    from milp_pips.puzzles.pips.puzzle import Pips

name = "pips"

examples = (
    "2\nAAB\n#CB",
    "A EQ",
    "B SUM 7",
    '{"printDate": "…", "easy": {"dominoes": [[0, 3], …], "regions": […]}, "medium": …, "hard": …}',
    '{"dominoes": [[0, 3], …], "constraints": […], "links": {"a": ["b"], "b": ["a"], …}}',
)


def recognises(text: str) -> bool:
    """Whether the text is a JSON object with dominoes, or starts with a line that is a whole number."""
    from milp_pips.puzzles.located_text import whole_number

    start = text.removeprefix("\ufeff").lstrip()
    if start.startswith("{"):
        return '"dominoes"' in start
    return whole_number(start.partition("\n")[0].strip()) is not None


def read(text: str, file: str) -> Mapping[str, Pips | None]:
    """Return the puzzles of a file by level, in order; a level that is null is None.

    A puzzle of the text and the graph format has the level ``""``, and the file's stem for a name unless the
    graph has one.

    Raises
    ------
    InputError
        The file cannot be read as a Pips puzzle; the error names the line.
    """
    stem = os.path.splitext(os.path.basename(file))[0]
    if not text.removeprefix("\ufeff").lstrip().startswith(("{", "[")):
        from milp_pips.puzzles.pips import text as plain_text

        return {"": plain_text.read(text, file, stem)}
    from milp_pips.puzzles.located_json import load
    from milp_pips.puzzles.pips import graph, times

    document = load(text, file)
    if any(level in document for level in times.LEVELS):
        return times.read(document, stem)
    if "links" in document:
        return {"": graph.read(document, stem)}
    raise document.fault(
        "this JSON is no Pips puzzle",
        'the levels "easy", "medium", "hard", or a graph with "dominoes", "constraints" and "links"',
    )


def generator() -> Generator:
    """Return how new puzzles are made."""
    from milp_pips.puzzles.pips import generation

    return generation
