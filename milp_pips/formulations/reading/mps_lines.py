"""Lines of MPS files as fields, in free and in fixed format.

A function per section returns the fields of a line, none for an empty line: of ROWS kind and name; of
COLUMNS the column, and a row and a number once or twice; of RHS and RANGES the same with the set's name,
which may be empty, instead of the column. BOUNDS has kind, set, column and number; in free format some of
them may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.lines import note, quoted
from milp_pips.problem.errors import InputError
from milp_pips.problem.objective import MAXIMISE

_COMMENT_AT_END = re.compile(r"(\S[ \t]+)\$.*")

FIELDS = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
"""Where the fields of a line in fixed format begin and end, from 0."""

GAPS = ((0, 1), (3, 4), (12, 14), (22, 24), (36, 39), (47, 49), (61, None))
"""Where a line in fixed format has blanks."""


class NotFixed(Exception):
    """A line that does not fit fixed format."""


def without_comments(lines: list[str]) -> list[str]:
    """Return the lines with nothing instead of comments."""
    if any(line[:1] == "*" for line in lines):
        lines = ["" if line[:1] == "*" else line for line in lines]
    if any("$" in line for line in lines):
        lines = [_COMMENT_AT_END.sub(r"\1", line) if "$" in line else line for line in lines]
    return lines


def _free_pairs(line: str) -> list[str]:
    words = line.split()
    return ["", *words] if words and len(words) % 2 == 0 else words


def _fixed(line: str) -> list[str]:
    """Return the six fields of a line in fixed format, none for an empty line. Raises NotFixed."""
    line = line.rstrip()
    if "\t" in line:
        raise NotFixed("a tab, which fixed format cannot have")
    for a, b in GAPS:
        if gap := line[a:b].strip():
            place = (
                f"after column {a}"
                if b is None
                else f"in columns {a + 1} to {b}"
                if a + 1 < b
                else f"in column {b}"
            )
            raise NotFixed(f"{quoted(gap)} {place}, where fixed format has blanks")
    return [line[a:b].strip() for a, b in FIELDS] if line else []


def _fixed_rows(line: str) -> list[str]:
    fields = _fixed(line)
    while fields and not fields[-1]:
        fields.pop()
    return fields


def _fixed_columns(line: str) -> list[str]:
    if line[14:22] == "'MARKER'" or line.split()[1:2] == ["'MARKER'"]:
        return line.split()
    return _fixed_pairs(line)


def _fixed_pairs(line: str) -> list[str]:
    fields = _fixed(line)
    if not fields:
        return []
    if fields[0]:
        raise NotFixed(f"{quoted(fields[0])} in columns 2 to 3, where fixed format has blanks")
    return fields[1:4] if not any(fields[4:]) else fields[1:]


def _fixed_bounds(line: str) -> list[str]:
    fields = _fixed(line)
    if any(fields[4:]):
        raise NotFixed("more than the four fields of a bound in fixed format")
    return fields[:4]


Split = dict[str, Callable[[str], list[str]]]

SPLIT_FREE: Split = {
    "ROWS": str.split,
    "COLUMNS": str.split,
    "RHS": _free_pairs,
    "RANGES": _free_pairs,
    "BOUNDS": str.split,
}
SPLIT_FIXED: Split = {
    "ROWS": _fixed_rows,
    "COLUMNS": _fixed_columns,
    "RHS": _fixed_pairs,
    "RANGES": _fixed_pairs,
    "BOUNDS": _fixed_bounds,
}


# The comment in which PuLP writes the sense of the objective into an MPS file.

SENSE_COMMENT = re.compile(r"\*SENSE:Maximize\s*")

UP_TO_3 = re.compile(r"\d\.\d{12}e(?:\+|-0)")
FROM_4 = re.compile(r"\d\.\d{12}e(?:\d|-[1-9](?!\d))")
"""Numbers of PuLP: Python writes exponents as ``e+00`` and ``e-01``, Rust as ``e0`` and ``e-1``."""


def sense_comment(lines: list[str]) -> int:
    """Return the number of the line with the comment; 0 if there is none."""
    return next((number for number, line in enumerate(lines, 1) if SENSE_COMMENT.fullmatch(line)), 0)


def maximised(model: Model, text: str, file: str, line: int) -> Model:
    """Return the model with the sense of the comment. Raises InputError if its version cannot be told.

    PuLP up to 3 (in Python) writes the objective as it is, PuLP 4 (in Rust) negated; nothing but the form
    of the exponents tells them apart. Read in the sources of 3.3.2, 4.0.0, 4.0.1, 4.1.0 and 4.2.0.
    """
    from_3, from_4 = bool(UP_TO_3.search(text)), bool(FROM_4.search(text))
    if from_3 == from_4:
        what = "*SENSE:Maximize: PuLP 4 turns the signs of the objective, PuLP 3 does not; which wrote it?"
        raise InputError(what, file, line, "OBJSENSE, or the problem as an object of PuLP")
    if from_3:
        note("PuLP up to 3 wrote *SENSE:Maximize and the objective as it is: it is maximised", file, line)
        return replace(model, sense=MAXIMISE)
    note(
        "PuLP 4 wrote *SENSE:Maximize and minus the objective: the signs are turned back, it is maximised",
        file,
        line,
    )
    columns = tuple(replace(column, cost=-column.cost) for column in model.columns)
    return replace(model, columns=columns, sense=MAXIMISE, constant=-model.constant)
