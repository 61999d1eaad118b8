"""Solution files of other solvers: the values of a model's columns by name.

========  ===========================================================================
HiGHS     the section ``# Columns n`` with lines ``name value``
SCIP      ``solution status: …``, ``objective value: …``, lines ``name value (obj:c)``
Gurobi    comments ``# …``, lines ``name value``
CBC       ``Optimal - objective value …``, lines ``number name value reduced cost``
MIPLIB    ``=obj= …``, lines ``name value``
========  ===========================================================================

Columns that a file leaves out are 0, as these programs mean it.
"""

from __future__ import annotations

import re

from milp_pips.formulations.exact import Number
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.numbers import parse_number
from milp_pips.problem.errors import InputError, meant, visible

__all__ = ["read_point"]

_HEADS = re.compile(
    r"solution status:|objective value:|=obj=|#|(optimal|infeasible|unbounded|stopped)\b.* objective value",
    re.IGNORECASE,
)
"""Lines that are no columns, unless they begin with the name of one."""

_NO_POINT = re.compile(
    r"^(no solution available|(integer )?infeasible( - objective value.*)?|unbounded( - objective value.*)?|"
    r"=infeas=|=unkn=|# primal solution values\s+none)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""What files say that have no point."""

_HIGHS = re.compile(r"^# Columns (\d{1,9})$", re.MULTILINE)


def read_point(text: str, file: str, model: Model) -> dict[int, Number]:
    """Return the values of all columns in the text of a solution file, exactly as written.

    Raises InputError for a line that is not one of such a file, an unknown column, one that comes twice, or
    a file without a point.
    """
    lines = list(enumerate(text.split("\n"), 1))
    if found := _HIGHS.search(text):
        first = text.count("\n", 0, found.start()) + 1
        lines = lines[first : first + int(found[1])]
    elif found := _NO_POINT.search(text):
        at = text.count("\n", 0, found.start()) + 1
        what = f"the file says {visible(' '.join(found[0].split()))[:60]!r}: it has no point"
        raise InputError(what, file, at, "values of columns")
    places = {column.name: j for j, column in enumerate(model.columns)}
    rows = {row.name for row in model.rows}
    values: dict[int, Number] = {}
    for number, line in lines:
        words = line.split()
        if not words or (words[0] not in places and _HEADS.match(line.strip())):
            continue
        name, value = _entry(line, number, file)
        if name in rows and name not in places:
            continue  # CBC may list the rows before the columns
        if name not in places:
            known = meant(name, places)
            raise InputError(f"{model.name} has no column {visible(name)!r}{known}", file, number)
        if places[name] in values:
            raise InputError(f"a second value of {visible(name)}", file, number, "one value for each column")
        values[places[name]] = value
    if not values and not (_HIGHS.search(text) or _HEADS.match(text.strip())):
        raise InputError("not a solution file", file, 1, "lines with a name and a value")
    return {j: values.get(j, 0) for j in range(len(model.columns))}


def _entry(line: str, number: int, file: str) -> tuple[str, Number]:
    """Return the name and the value in a line. Raises InputError."""
    words = line.split()
    if words[0] == "**":  # CBC marks values that break a bound
        words = words[1:]
    if len(words) == 4 and words[0].isdigit():
        words = words[1:3]  # CBC
    elif len(words) >= 3 and words[-1].startswith("(obj:"):
        words = [" ".join(words[:-2]), words[-2]]
    elif len(words) >= 2:
        words = [" ".join(words[:-1]), words[-1]]
    else:
        raise InputError(f"{visible(line.strip())[:60]!r} has no value", file, number, "a name and a value")
    try:
        return words[0], parse_number(words[1])
    except ValueError as error:
        raise InputError(str(error), file, number, "the value of a column") from None
