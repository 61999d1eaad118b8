"""Linear models from files: MPS and LP.

What a linear model cannot state is refused by name.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.highspy import from_highspy
from milp_pips.problem import InputError, UsageError
from milp_pips.problem.errors import visible
from milp_pips.runtime.writing import temporary_folder

REFUSED_SECTIONS = re.compile(
    r"^[ \t]*(SOS[12]?|SETS|INDICATORS|QSECTION|QUADOBJ|QMATRIX|QCMATRIX|CSECTION|GENCONS|PWLOBJ|"
    r"general constraints|lazy constraints|user cuts)[ \t]*:*[ \t]*\w*[ \t]*$|=[ \t]*[01][ \t]*->",
    re.IGNORECASE | re.MULTILINE,
)
"""Sections of MPS and LP files that state more than linear rows, and the arrow of an indicator."""

PULP_MAXIMISES = re.compile(r"\A\*SENSE:Maximize\b")
"""How PuLP writes the sense into an MPS file: in a comment, which HiGHS does not read."""


def read_model(text: str, file: str) -> Model:
    """Return the model in the text of an MPS or LP file. Raises InputError."""
    import highspy

    if found := REFUSED_SECTIONS.search(text):
        line = text.count("\n", 0, found.start()) + 1
        what = f"{visible(found[0].strip())[:30]!r} states more than a linear model"
        raise InputError(what, file, line, "columns, linear rows, an objective")
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    kind = "mps" if is_mps(text) else "lp"
    with temporary_folder() as folder:
        path = f"{folder}/model.{kind}"
        with open(path, "w", encoding="utf-8") as written:
            written.write(text)
        status = highs.readModel(path)
    if kind == "mps":
        _require_unique_columns(text, file)
    if status == highspy.HighsStatus.kError or not highs.getLp().num_col_:
        raise InputError(f"HiGHS cannot read it as an {kind.upper()} file", file, expected="a linear model")
    if PULP_MAXIMISES.search(text):
        highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    try:
        model = from_highspy(highs)
        return replace(model, name=os.path.basename(file).partition(".")[0] or "model")
    except UsageError as error:
        raise InputError(str(error), file, expected="columns, linear rows, an objective") from None


def _require_unique_columns(text: str, file: str) -> None:
    """Raise InputError if two columns of an MPS file have the same name: HiGHS drops all names then."""
    section, last, seen = "", "", set[str]()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("*"):
            continue
        if not line[0].isspace():
            section = words[0]
        elif section == "COLUMNS" and "'MARKER'" not in words and words[0] != last:
            last = words[0]
            if last in seen:
                raise InputError(f"a second column {visible(last)!r}", file, number, "a name of its own")
            seen.add(last)


def is_mps(text: str) -> bool:
    """Return whether a text begins as an MPS file does."""
    lines = (line for line in text.splitlines()[:200] if line.strip() and not line.startswith("*"))
    return bool(re.match(r"(NAME|ROWS|OBJSENSE)\b", next(lines, "")))


def is_lp(text: str) -> bool:
    """Return whether a text begins as an LP file does: with the sense of an objective."""
    bare = re.sub(r"\\.*", "", text[:10_000])
    return bool(re.match(r"\s*(min|max)(imi[sz]e|imum)?\b", bare, re.IGNORECASE)) and bool(
        re.search(r"^\s*(subject to|such that|s\.?t\.?)\s*:?", text, re.IGNORECASE | re.MULTILINE)
    )
