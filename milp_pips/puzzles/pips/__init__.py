"""Pips, the domino puzzle: its files are recognised and read here, in three formats.

``text`` holds the plain text of a board, its rules and its dominoes; ``json_files`` the JSON in which the New
York Times publishes a day's three puzzles, and a JSON of named cells and the links between them.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from typing import TYPE_CHECKING

from milp_pips.puzzles.family import Family, lazy
from milp_pips.puzzles.located_text import whole_number

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Generator
    from milp_pips.puzzles.pips.puzzle import Layout, Pips


def recognises(text: str) -> bool:
    """Whether the text is a JSON object with dominoes, or starts with a line that is a whole number."""
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
    if text.removeprefix("\ufeff").lstrip().startswith(("{", "[")):
        from milp_pips.puzzles.pips import json_files

        return json_files.read(text, file, stem)
    from milp_pips.puzzles.pips import text as text_files

    return {"": text_files.read(text, file, stem)}


def generator() -> Generator:
    """Return how new puzzles are made."""
    from milp_pips.puzzles.pips import generation

    return generation


FAMILY: Family[Pips, Layout] = Family(
    name="pips",
    examples=(
        "2\nAAB\n#CB",
        "A EQ",
        "B SUM 7",
        '{"printDate": "…", "easy": {"dominoes": [[0, 3], …], "regions": […]}, "medium": …, "hard": …}',
        '{"dominoes": [[0, 3], …], "constraints": […], "links": {"a": ["b"], "b": ["a"], …}}',
    ),
    recognises=recognises,
    read=read,
    state=lazy("milp_pips.puzzles.pips.statement:state"),
    decode=lazy("milp_pips.puzzles.pips.statement:decode"),
    encode=lazy("milp_pips.puzzles.pips.statement:encode"),
    check=lazy("milp_pips.puzzles.pips.statement:check"),
    draw=lazy("milp_pips.puzzles.pips.picture:draw"),
    to_json=lazy("milp_pips.puzzles.pips.solution_files:to_json"),
    read_solution=lazy("milp_pips.puzzles.pips.solution_files:read"),
    write_solution=lazy("milp_pips.puzzles.pips.solution_files:write"),
    json_pieces=lazy("milp_pips.puzzles.pips.solution_files:json_pieces"),
    generator=generator,
)
