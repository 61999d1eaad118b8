"""Pips, the domino puzzle: recognise and read its files, in three formats.

``text`` reads the plain text of a board, its rules and its dominoes. ``json_files`` reads the JSON in which
the New York Times publishes a day's three puzzles, and a JSON format of named cells and the links between
them.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from typing import TYPE_CHECKING

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.family import Family, Format, functions_of
from milp_pips.puzzles.located import whole_number

if TYPE_CHECKING:
    from milp_pips.puzzles.pips.puzzle import Layout, Pips


def recognises(text: str) -> bool:
    """Return whether the text is a JSON object with dominoes, or its first line is a whole number."""
    start = text.removeprefix("\ufeff").lstrip()
    if start.startswith("{"):
        return '"dominoes"' in start
    return whole_number(start.partition("\n")[0].strip()) is not None


def resembles(text: str) -> bool:
    """Return whether the text may be a puzzle typed by hand, or any JSON."""
    start = text.removeprefix("\ufeff").strip()
    if start.startswith("{") or (start.startswith("[") and start.endswith("]")):
        return True
    from milp_pips.puzzles.pips.text import resembles

    return resembles(text, "")


def read(text: str, file: str) -> Mapping[str, Pips | InputError | None]:
    """Return the puzzles of a file by level. A puzzle without a name is named after the file's stem.

    If one of several levels cannot be read, its value is the InputError. Raises InputError.
    """
    stem = os.path.splitext(os.path.basename(file))[0]
    start = text.removeprefix("\ufeff").lstrip()[:2]
    if start.startswith(("{", "[")) and not start[1:].isalpha():  # "[board]" is a heading
        from milp_pips.puzzles.pips import json_files

        return json_files.read(text, file, stem)
    from milp_pips.puzzles.pips import text as text_files

    return {"": text_files.read(text, file, stem)}


def _formats() -> dict[str, Format]:
    """Return the formats in which puzzles are written."""
    from milp_pips.puzzles.pips.json_files import write_graph, write_times
    from milp_pips.puzzles.pips.text import write, write_with_solution

    return {
        "text": Format(".txt", write, with_solution=False, write_all=write_with_solution),
        "times": Format(".json", write_times, with_solution=True),
        "json": Format(".json", write_graph, with_solution=True),
    }


FAMILY: Family[Pips, Layout] = Family(
    name="pips",
    examples=(
        "2\nAAB\n#CB",
        "AAB\n#CB\nA =, B >7",
        "A EQ",
        "B SUM 7",
        '{"printDate": "…", "easy": {"dominoes": [[0, 3], …], "regions": […]}, "medium": …, "hard": …}',
        '{"dominoes": [[0, 3], …], "constraints": […], "links": {"a": ["b"], "b": ["a"], …}}',
    ),
    recognises=recognises,
    read=read,
    formats=_formats,
    resembles=resembles,
    **functions_of(
        "milp_pips.puzzles.pips",
        puzzle="state decode encode check plain",
        picture="draw outline",
        alternatives="alternatives",
        solution_files="to_json read_solution read_board write_solution json_pieces",
    ),
)
