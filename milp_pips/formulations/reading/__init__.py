"""Linear models from files. The format is that of the file's ending, or the one in which its text begins."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

from milp_pips.formulations.model import Model
from milp_pips.problem.errors import InputError

READERS = {
    "mps": "milp_pips.formulations.reading.mps:read_mps",
    "lp": "milp_pips.formulations.reading.lp:read_lp",
    "opb": "milp_pips.formulations.reading.opb:read_opb",
    "cnf": "milp_pips.formulations.reading.cnf:read_cnf",
}
"""The reader of each format, which is also the ending of its files. A reader is imported when it is
needed."""

BEGINNINGS = {
    "mps": re.compile(
        r"(?:\*.*\n|[^\S\n]*\n)*+(?:NAME|ROWS|OBJSENSE|OBJSENSEMAX|OBJSENSEMIN|OBJNAME)(?!\S)", re.IGNORECASE
    ),
    "lp": re.compile(r"(?:\\.*\n|\s)*(?:min(?:imi[sz]e|imum)?|max(?:imi[sz]e|imum)?)(?![^\s:\\])", re.I),
    "opb": re.compile(r"\*\s*#variable="),
    "cnf": re.compile(r"(?:c\b.*\n|\s)*p\s+cnf\s"),
}
"""How the text of a file begins."""

LP_HEADING = re.compile(
    r"\s(?:subject\s+to|such\s+that|s\.?t\.?:?|bounds?|generals?|integers?|binary|binaries|end)(?!\S)", re.I
)
"""The heading of a section, one of which an LP file has after its first."""

HEAD = 20_000
"""The characters in which the beginning of a text is looked for."""


def format_of(text: str, file: str) -> str:
    """Return the format of a file, by its ending or else by how its text begins; empty for none."""
    if ending := format_by_ending(file):
        return ending
    head = text[:HEAD].removeprefix("\ufeff").replace("\r", "\n")
    form = next((form for form, begins in BEGINNINGS.items() if begins.match(head)), "")
    return "" if form == "lp" and not LP_HEADING.search(text) else form


def format_by_ending(file: str) -> str:
    """Return the format that the ending of a file names, also before ``.gz``; empty for any other ending."""
    ending = file.lower().removesuffix(".gz").rpartition(".")[2] if "." in file else ""
    return ending if ending in READERS else ""


def read_model(text: str, file: str, format: str | None = None) -> Model:
    """Return the model in the text of a file; ``format`` is by default that of ``format_of``.

    The model has the name of the file. A ``ReadingNote``, a warning, says where a convention was used.
    Raises InputError, with the line, for all that is not in the format or that no linear row states.
    """
    form = format_of(text, file) if format is None else format
    if not text.strip("\ufeff \t\r\n"):
        raise InputError("the file is empty", file)
    if form not in READERS:
        raise InputError("no file of a linear model", file, 1, f"one of the formats {', '.join(READERS)}")
    module, _, name = READERS[form].partition(":")
    read: Callable[[str, str], Model] = getattr(import_module(module), name)
    collects = gc.isenabled()
    gc.disable()  # nothing that is read has cycles, and to look for some takes a fifth of the time
    try:
        model = read(text, file)
    finally:
        if collects:
            gc.enable()
    return replace(model, name=os.path.basename(file).partition(".")[0] or "model")
