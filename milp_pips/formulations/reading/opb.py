"""OPB files: pseudo-Boolean models, as the competitions of pseudo-Boolean solvers define them.

::

    * #variable= 3 #constraint= 2
    min: 2 x1 -3 ~x2 ;
    +1 x1 +1 x2 +1 x3 >= 2 ;
    x1 x2 = 1 ;                     refused: a product is not linear

A literal is a variable or ``~`` and a variable, which stands for 1 - x. Statements end with ``;`` and may
stretch over lines. ``max:`` and ``<=`` are taken as well; SCIP and RoundingSat read them. A header that
states more variables than the statements use declares the others, if all are called x1, x2, ….

Source: O. Roussel and V. Manquinho, Input/Output Format and Solver Requirements for the Competitions of
Pseudo-Boolean Solvers, 2012.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.lines import MAX_NAME, note
from milp_pips.formulations.reading.numbers import INFINITE_FROM, MAX_DIGITS
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem.errors import InputError
from milp_pips.problem.objective import MAXIMISE, MINIMISE

__all__ = ["MAX_COLUMNS", "read_opb"]

MAX_COLUMNS = 1_000_000
"""The most columns that a header may declare: a line of text must not take the memory of a machine."""

_OPB_WORD = re.compile(r";|>=|<=|=|[+-]?\d+(?=[\s;<>=]|$)|~?[^\W\d][^\s;<>=~+-]*|\S+?(?=[\s;]|$)")
_OPB_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)
_LITERAL = re.compile(r"(~?)([^\W\d][^\s;<>=~+-]*)")
_HEADER = re.compile(r"\*\s*#variable=\s*(\d{1,20})\s", re.ASCII)
_NUMBERED = re.compile(r"x([1-9]\d{0,8})", re.ASCII)


class _Word(NamedTuple):
    text: str
    line: int


class _Reader:
    """The columns that a file names, in order, and its rows."""

    def __init__(self, file: str):
        self.file = file
        self.places: dict[str, int] = {}
        self.rows: list[Row] = []
        self.costs: dict[int, int] = {}
        self.constant, self.sense = 0, MINIMISE

    def fault(self, what: str, line: int, expected: str = "") -> InputError:
        return InputError(what, self.file, line, expected)

    def objective(self, words: list[_Word], sense: str) -> None:
        """Take the words of an objective, without ``min:`` and ``;``."""
        self.sense = sense
        self.costs, self.constant = self.total(words)

    def constraint(self, words: list[_Word]) -> None:
        """Take the words of a constraint, without ``;``."""
        signs = [k for k, word in enumerate(words) if word.text in (">=", "<=", "=")]
        if len(signs) != 1 or signs[0] != len(words) - 2:
            raise self.fault(
                "not a constraint", words[0].line, "terms, then >=, <= or =, then one number and ;"
            )
        relation, right = words[-2].text, words[-1]
        terms, constant = self.total(words[:-2])
        side = self.number(right) - constant
        low, high = (side if relation != "<=" else None), (side if relation != ">=" else None)
        self.rows.append(Row(f"c{len(self.rows) + 1}", terms, low, high))

    def total(self, words: list[_Word]) -> tuple[dict[int, int], int]:
        """Return the coefficients by column, and the constant that negated literals leave."""
        terms: dict[int, int] = {}
        constant, factor = 0, None
        for word in words:
            if _OPB_NUMBER.fullmatch(word.text):
                if factor is not None:
                    raise self.fault(
                        f"the coefficient {factor} has no literal", word.line, "a literal such as x1 or ~x1"
                    )
                factor = self.number(word)
                continue
            literal = _LITERAL.fullmatch(word.text)
            if literal is None:
                raise self.fault(
                    f"{word.text[:40]!r} is not a term", word.line, "a number and a literal such as x1 or ~x1"
                )
            if factor is None:
                what = (
                    f"the literal {word.text[:40]!r} has no coefficient (a product of literals is not linear)"
                )
                raise self.fault(what, word.line, "a number before each literal")
            negated, name = literal.groups()
            if len(name) > MAX_NAME:
                raise self.fault(f"a name has {len(name)} characters", word.line, f"at most {MAX_NAME}")
            j = self.places.setdefault(name, len(self.places))
            # ~x is 1 - x: the factor changes its sign, and is left over as a constant.
            terms[j] = terms.get(j, 0) + (-factor if negated else factor)
            constant += factor if negated else 0
            factor = None
        if factor is not None:
            raise self.fault(
                f"the coefficient {factor} has no literal", words[-1].line, "a literal such as x1 or ~x1"
            )
        return {j: times for j, times in terms.items() if times}, constant

    def number(self, word: _Word) -> int:
        if not _OPB_NUMBER.fullmatch(word.text):
            raise self.fault(f"{word.text[:40]!r} is not a whole number", word.line, "a whole number")
        if len(word.text) > MAX_DIGITS or not -INFINITE_FROM < (value := int(word.text)) < INFINITE_FROM:
            raise self.fault(
                f"the number {word.text[:20]}… is too great", word.line, f"less than {INFINITE_FROM:.0e}"
            )
        return value


def read_opb(text: str, file: str) -> Model:
    """Return the model in the text of an OPB file. Raises InputError."""
    reader = _Reader(file)
    for number, words in enumerate(_statements(text, file)):
        first = words[0]
        if first.text in ("min:", "max:"):
            if number:
                raise reader.fault("a second objective, or one after a constraint", first.line, "one, first")
            reader.objective(words[1:], MAXIMISE if first.text == "max:" else MINIMISE)
        elif first.text == "soft:" or first.text.startswith("["):
            raise reader.fault(
                "soft constraints state more than a linear model", first.line, "hard constraints"
            )
        else:
            reader.constraint(words)
    # A header may declare variables that no statement has. Then its order counts, not that of their use.
    declared = _declared(text, reader)
    if declared:
        order = {reader.places.get(name, -1): j for j, name in enumerate(declared)}
        rows = [Row(r.name, {order[j]: a for j, a in r.terms.items()}, r.low, r.high) for r in reader.rows]
        costs = {order[j]: cost for j, cost in reader.costs.items()}
    else:
        declared, rows, costs = list(reader.places), reader.rows, reader.costs
    columns = tuple([Column(name, 0, 1, True, costs.get(j, 0)) for j, name in enumerate(declared)])
    return Model(columns, tuple(rows), reader.sense, reader.constant)


def _statements(text: str, file: str) -> Iterator[list[_Word]]:
    """Yield the words of each statement, without its ``;``."""
    words: list[_Word] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("*"):
            continue
        if not words and (sense := re.match(r"\s*(min|max)\s*:", line)):
            words, line = [_Word(f"{sense[1]}:", number)], line[sense.end() :]
        for word in _OPB_WORD.findall(line):
            if word != ";":
                words.append(_Word(word, number))
            elif not words:
                raise InputError("an empty statement", file, number, "terms before ;")
            else:
                yield words
                words = []
    if words:
        raise InputError("the file ends inside a statement", file, words[-1].line, "; at its end")


def _declared(text: str, reader: _Reader) -> list[str]:
    """Return the names of all variables that the header declares; none if they are not called x1, x2, …."""
    found, names = _HEADER.match(text), reader.places
    numbers = [int(number[1]) for name in names if (number := _NUMBERED.fullmatch(name))]
    if found is None or len(numbers) < len(names):
        return []
    if (count := int(found[1])) > MAX_COLUMNS:
        raise reader.fault(f"the header declares {count} variables", 1, f"at most {MAX_COLUMNS}")
    if max(numbers, default=0) > count:
        raise reader.fault(f"x{max(numbers)} stands in a file of {count} variables", 1, "a header that fits")
    declared = [f"x{k}" for k in range(1, count + 1)]
    if unused := [name for name in declared if name not in names]:
        more = f" and {len(unused) - 1} more" if len(unused) > 1 else ""
        note(f"no statement has {unused[0]}{more}, of the header; columns all the same", reader.file, 1)
    return declared
