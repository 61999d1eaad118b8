"""DIMACS CNF files: clauses over Boolean variables, also with a projection.

::

    c p show 1 2 0          solutions differ in these variables alone; c ind is its earlier name
    p cnf 3 2
    1 -2 0
    2 3 0

A clause becomes the row Σ x + Σ (1 - y) >= 1 over its literals. All variables of the header are columns,
called x1, x2, …. Comments begin with ``c``. The line ``%``, with which the files of SATLIB end, ends the
clauses.

Source: the formats of the SAT competitions and of the model counting competition (since 2021).
"""

from __future__ import annotations

import re

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.opb import MAX_COLUMNS
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem.errors import InputError

__all__ = ["read_cnf"]

_LITERAL_NUMBER = re.compile(r"-?\d{1,10}", re.ASCII)


def read_cnf(text: str, file: str) -> Model:
    """Return the model in the text of a DIMACS CNF file. Raises InputError."""
    variables, count = 0, -1
    rows: list[Row] = []
    clause: list[int] = []
    shown: set[int] | None = None
    last = 0
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words:
            continue
        if words[:3] == ["c", "p", "show"] or words[:2] == ["c", "ind"]:
            listed = _numbers(words[3 if words[1] == "p" else 2 :], file, number)
            if not listed or listed[-1] != 0 or min(listed[:-1], default=1) < 1:
                raise InputError("not a list of variables", file, number, "positive numbers, then 0")
            shown = (shown or set()) | set(listed[:-1])
        elif words[0] == "p":
            if count >= 0 or len(words) != 4 or words[1] != "cnf" or not all(map(_is_count, words[2:])):
                raise InputError(
                    "not the header of a formula", file, number, "one line: p cnf VARIABLES CLAUSES"
                )
            variables, count = int(words[2]), int(words[3])
            if variables > MAX_COLUMNS:
                raise InputError(f"{variables} variables", file, number, f"at most {MAX_COLUMNS}")
        elif words[0] == "%":
            break
        elif words[0] != "c":
            if count < 0:
                raise InputError("a clause before the header", file, number, "p cnf VARIABLES CLAUSES")
            last = number
            for literal in _numbers(words, file, number):
                if abs(literal) > variables:
                    raise InputError(
                        f"the literal {literal} of {variables} variables",
                        file,
                        number,
                        f"-{variables} to {variables}",
                    )
                if literal:
                    clause.append(literal)
                    continue
                if len(rows) == count:
                    raise InputError(
                        f"more clauses than the {count} of the header", file, number, "a header that fits"
                    )
                rows.append(_row(clause, len(rows) + 1))
                clause = []
    if count < 0:
        raise InputError("no header", file, expected="p cnf VARIABLES CLAUSES")
    if clause:
        raise InputError("the last clause has no end", file, last, "0 after its literals")
    if len(rows) < count:
        raise InputError(
            f"{len(rows)} clauses where the header states {count}", file, last or 1, "a header that fits"
        )
    if shown is not None and max(shown, default=0) > variables:
        raise InputError(
            f"{max(shown)} is shown, of {variables} variables", file, expected="variables of the header"
        )
    columns = tuple([Column(f"x{k}", 0, 1, True) for k in range(1, variables + 1)])
    return Model(columns, tuple(rows), shown=None if shown is None else tuple(sorted(k - 1 for k in shown)))


def _row(clause: list[int], number: int) -> Row:
    """Return the row of a clause; a literal that stands in it twice counts once."""
    literals = dict.fromkeys(clause)
    terms: dict[int, int] = {}
    for literal in literals:
        if -literal in literals:
            return Row(f"clause_{number}", {}, 0)  # it always holds
        terms[abs(literal) - 1] = 1 if literal > 0 else -1
    negative = sum(literal < 0 for literal in literals)
    return Row(f"clause_{number}", terms, 1 - negative)


def _numbers(words: list[str], file: str, line: int) -> list[int]:
    for word in words:
        if not _LITERAL_NUMBER.fullmatch(word):
            raise InputError(f"{word[:40]!r} is not a literal", file, line, "whole numbers that end with 0")
    return [int(word) for word in words]


def _is_count(word: str) -> bool:
    return bool(re.fullmatch(r"\d{1,10}", word, re.ASCII))
