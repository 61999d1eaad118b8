"""The comment in which PuLP writes the sense of the objective into an MPS file."""

from __future__ import annotations

import re
from dataclasses import replace

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.notes import note
from milp_pips.problem.errors import InputError
from milp_pips.problem.objective import MAXIMISE

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
