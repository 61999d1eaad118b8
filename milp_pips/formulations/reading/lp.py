"""Linear models from LP files; see ``read_lp``."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.lines import MAX_SECTIONS, note, quoted
from milp_pips.formulations.reading.lp_sums import Side, Sums
from milp_pips.formulations.reading.lp_words import INFINITE_WORDS, Kind, Section, Word
from milp_pips.formulations.reading.numbers import ONE, ZERO
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem.errors import InputError
from milp_pips.problem.objective import MAXIMISE, MINIMISE

DIRECTIONS = {"<": -1, "<=": -1, "=<": -1, ">": 1, ">=": 1, "=>": 1, "=": 0, "==": 0}
"""The relations: whether the left side is at most, at least or equal to the right one."""


def read_lp(text: str, file: str) -> Model:
    """Return the model in the text of a CPLEX LP file, with exact numbers.

    The language is the part that CPLEX, Gurobi, Xpress, SCIP and HiGHS share, and where they differ:

    - Headings of sections may be anywhere in a line, in any case; no name may be one. ``Subject To``
      follows the objective, or is missing; the other sections may come in any order and more than once.
      ``End`` is needed, and nothing follows it.
    - Terms have a number, a name, or both, also without a blank (``2x``) or with ``*`` between them. Before
      a term there may be two signs (``+ -3 x``). Equal columns of a row or the objective add up, constants
      count on every side, columns may be on the right. ``2 1x``, ``2 3 x``, ``x y``, ``2e``, ``1/2`` are
      refused.
    - A row may have two relations in one direction around columns (``1 <= x + y <= 3``). After a right side
      that is a number, a new line begins a new row; if the right side has columns and the next line begins
      with a sign, it would be either, and is refused.
    - Names begin with a letter or one of ``!"#$%&/;?@_`'|~``, not with ``e`` and a digit; they have no signs,
      and brackets in pairs.
    - A bound that is not given is 0 or infinite: ``x <= -2`` alone leaves no value. The last bound of a
      column counts, with a note where it replaces another. From 1e20 on bounds are infinite. Binary columns
      are 0..1, or what their bounds leave of that; bounds beyond 0..1 are refused.
    - What a program wrote with 17 digits is the short decimal that it meant; see ``meant_decimal``.
    - A column that is only in Bounds, General, Binary or Free counts as a column, with a note.

    Raises InputError, with the line, for all else: names of rows given twice, infinite and too long
    numbers, and what no linear row states, by name.
    """
    parser = _Parser(text, file)
    model = parser.model()
    for what, line in [*parser.notes, *parser.numbers.notes()]:
        note(what, file, line)
    return model


class _Parser(Sums):
    """The sections of an LP file, read one after the other."""

    def __init__(self, text: str, file: str):
        super().__init__(text, file)
        self.lows: dict[int, Fraction | None] = {}
        self.highs: dict[int, Fraction | None] = {}
        self.general: set[int] = set()
        self.binary: dict[int, int] = {}
        self.rows: list[Row] = []
        self.row_names: set[str] = set()
        self.objective = Side()

    def model(self) -> Model:
        """Return the model."""
        first = self.enter() if self.heading(0)[0] in (Section.MIN, Section.MAX) else ""
        if not first:
            raise self.fault(f"{quoted(self.words[0].text)} begins no LP file", "Minimize or Maximize")
        if not self.is_over():
            self.label()
        if not self.is_over():
            self.objective = self.side()
        if self.objective.infinite:
            raise self.fault("the objective is infinite", "a number")
        # The rows follow the objective; the other sections may come in any order, and again.
        section, count = self.enter(), 1
        if section == Section.ROWS:
            while not self.is_over():
                self._row()
            section = self.enter()
        while section != Section.FINISH:
            if section in (Section.MIN, Section.MAX, Section.ROWS):
                raise self.fault(
                    f"a second section {section}, or in the wrong place", word=self.words[self.at - 1]
                )
            if (count := count + 1) > MAX_SECTIONS:
                raise self.fault(f"more than {MAX_SECTIONS} sections")
            self._section(section)
            section = self.enter()
        if self.words[self.at].kind != Kind.END:
            raise self.fault(f"{quoted(self.words[self.at].text)} after End", "the end of the file")
        if not self.names:
            raise self.fault("the model has no columns", "a column in the objective or a row")
        sense = MAXIMISE if first == Section.MAX else MINIMISE
        return Model(self._columns(), self._named_rows(), sense, self.objective.constant)

    def _row(self) -> None:
        start = self.words[self.at]
        name = self.label()
        if name in self.row_names:
            raise self.fault(f"a second row {quoted(name)}", "a name of its own", start)
        sides, relations = [self.side()], list[Word]()
        while self.words[self.at].kind == Kind.RELATION and len(relations) < 3:
            relations.append(self.words[self.at])
            self.at += 1
            body = not sides[0].terms
            sides.append(self.side(closing=True, body=body and len(relations) == 1, labelled=bool(name)))
        if self.words[self.at].kind == Kind.OTHER and self.words[self.at].text != ":":
            self.refuse(self.words[self.at])
        if not relations or len(relations) > 2:
            what = f"a row with {len(relations) or 'no'} relation{'s' * (len(relations) > 1)}"
            raise self.fault(what, "one of <=, >=, =, or two around the columns", start)
        directions = [DIRECTIONS[relation.text] for relation in relations]
        if len(relations) == 2 and (
            sides[0].terms or sides[2].terms or directions[0] != directions[1] or not directions[0]
        ):
            what = "two relations that are not both <= or both >=, or with columns on the outer sides"
            raise self.fault(what, "such as 1 <= x + y <= 3", start)
        self._add(name, sides, directions, start)

    def _add(self, name: str, sides: list[Side], directions: list[int], start: Word) -> None:
        """Add the row that the sides state: columns go to one side, constants to the other."""
        # Columns come to the left: ``3 >= x`` is read as ``x <= 3``.
        if len(sides) == 2 and not sides[0].terms:
            sides, directions = sides[::-1], [-directions[0]]
        middle = sides[-2]
        terms = dict(middle.terms)
        if len(sides) == 2:
            for j, number in sides[1].terms.items():
                terms[j] = terms.get(j, ZERO) - number
        low: Fraction | None = None
        high: Fraction | None = None
        ends = [(sides[0], -directions[0])] if len(sides) == 3 else []
        for side, direction in [*ends, (sides[-1], directions[-1])]:
            if not side.infinite:
                end = side.constant - middle.constant
                low, high = (end if direction >= 0 else low), (end if direction <= 0 else high)
            elif direction * side.infinite >= 0:
                what = "an infinite number on the side of a row that it cannot bound"
                raise self.fault(what, "a number, or >= -inf, or <= inf", start)
        if middle.infinite:
            raise self.fault("a row of infinite numbers", "columns", start)
        terms = {j: number for j, number in terms.items() if number}
        self.rows.append(Row(name, terms, low, high))
        self.row_names |= {name} - {""}

    def _named_rows(self) -> tuple[Row, ...]:
        """Return the rows; one without a name is called R and its number, or the next one that is free."""
        # Only when all rows are read is it known which of the names R1, R2, … are free.
        rows = list[Row]()
        for number, row in enumerate(self.rows, 1):
            free = number
            while not row.name and f"R{free}" in self.row_names:
                free += 1
            rows.append(row if row.name else replace(row, name=f"R{free}"))
            self.row_names.add(rows[-1].name)
        return tuple(rows)

    def _section(self, section: str) -> None:
        while not self.is_over():
            word = self.words[self.at]
            if section == Section.BOUNDS:
                self._bound()
                continue
            if word.kind != Kind.NAME:
                raise self.fault(f"{quoted(word.text)} in the section {section}", "names of columns")
            self.at += 1
            j = self.column(word, declared=True)
            if section == Section.FREE:
                self._set(j, word, low=None)
                self._set(j, word, high=None)
            elif section == Section.GENERAL:
                self.general.add(j)
            else:
                self.binary.setdefault(j, word.line)

    def _bound(self) -> None:
        """Read a bound: ``1 <= x <= 2``, ``x >= 1``, ``x = 1`` or ``x free``."""
        start, left, relation = self.words[self.at], None, 0
        if start.kind != Kind.NAME or start.text.lower() in INFINITE_WORDS:
            left = self._value()
            relation = self._direction()
        word = self.words[self.at]
        if word.kind != Kind.NAME or self.is_over():
            raise self.fault(f"{quoted(word.text)} where a column was expected", "such as 0 <= x <= 4")
        self.at += 1
        j = self.column(word, declared=True)
        if left is not None:
            self._limit(j, word, -relation, left)
        after = self.words[self.at]
        if after.kind == Kind.RELATION:
            direction = self._direction()
            if left is not None and (direction != relation or not direction):
                raise self.fault("two relations of a bound that are not both <= or both >=", word=after)
            self._limit(j, word, direction, self._value())
            if self.words[self.at].kind == Kind.RELATION:
                raise self.fault("a bound with too many relations", "such as 0 <= x <= 4")
        elif after.kind == Kind.NAME and after.text.lower() == "free" and left is None:
            self.at += 1
            self._set(j, word, low=None)
            self._set(j, word, high=None)
        elif left is None:
            raise self.fault(f"{quoted(word.text)} without a bound", "such as 0 <= x <= 4, or x free", word)

    def _direction(self) -> int:
        word = self.words[self.at]
        if word.kind != Kind.RELATION:
            raise self.fault(f"{quoted(word.text)} where <=, >= or = was expected")
        self.at += 1
        return DIRECTIONS[word.text]

    def _value(self) -> tuple[Fraction | None, int]:
        """Return a number with its sign; None and the sign of an infinite one."""
        sign, signs = 1, 0
        while self.words[self.at].kind == Kind.SIGN:
            sign, signs = (-sign if self.words[self.at].text == "-" else sign), signs + 1
            self.at += 1
        word = self.words[self.at]
        is_infinite = word.kind == Kind.NAME and word.text.lower() in INFINITE_WORDS
        if signs > 2 or not (word.kind == Kind.NUMBER or is_infinite):
            raise self.fault(
                f"{quoted(word.text)} where a number was expected", "a bound, such as 0 <= x <= 4"
            )
        self.at += 1
        after = self.words[self.at]
        if after.glued and after.kind in (Kind.NAME, Kind.NUMBER):
            raise self.fault(
                f"{quoted(word.text + after.text)} is not a number", "a bound without a coefficient"
            )
        try:
            number = None if is_infinite else self.numbers.bounds[word.text]
        except ValueError as error:
            raise self.fault(str(error), word=word) from None
        return (None if number is None else sign * number), sign

    def _limit(self, j: int, word: Word, direction: int, value: tuple[Fraction | None, int]) -> None:
        """Set the bounds of a column by a relation to a value."""
        number, sign = value
        if number is None and (direction == 0 or direction == sign):
            what = f"{quoted(word.text)} would be {'=' if not direction else '>=' if sign > 0 else '<='} "
            raise self.fault(f"{what}{'-' if sign < 0 else ''}infinity", "a number", word)
        if direction >= 0:
            self._set(j, word, low=number)
        if direction <= 0:
            self._set(j, word, high=number)

    def _set(self, j: int, word: Word, **ends: Fraction | None) -> None:
        for which, end in ends.items():
            limits = self.lows if which == "low" else self.highs
            if j in limits and limits[j] != end:
                which = "lower" if which == "low" else "upper"
                self.notes.append(
                    (f"a second {which} bound of {quoted(word.text)}: the last one counts", word.line)
                )
            limits[j] = end

    def _columns(self) -> tuple[Column, ...]:
        columns = []
        for name, j in self.names.items():
            low, high = self.lows.get(j, ZERO), self.highs.get(j)
            # Binary narrows the bounds that the file gives, wherever that section stands.
            if j in self.binary:
                high = self.highs.get(j, ONE)
                if low is None or low < 0 or high is None or high > 1:
                    what = f"the binary column {quoted(name)} has bounds beyond 0..1"
                    raise InputError(what, self.file, self.binary[j], "bounds within 0..1, or General")
            integer = j in self.general or j in self.binary
            columns.append(Column(name, low, high, integer, self.objective.terms.get(j, ZERO)))
        return tuple(columns)
