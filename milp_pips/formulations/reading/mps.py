"""Linear models from MPS files, free and fixed; see ``read_mps``."""

from __future__ import annotations

from fractions import Fraction

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.lines import LINEAR, Misfit, lines_of, note, quoted, require_name_length
from milp_pips.formulations.reading.mps_bounds import Bounds, some
from milp_pips.formulations.reading.mps_lines import (
    SPLIT_FIXED,
    SPLIT_FREE,
    NotFixed,
    Split,
    maximised,
    sense_comment,
    without_comments,
)
from milp_pips.formulations.reading.numbers import Numbers, meant_decimal
from milp_pips.formulations.rows import Row
from milp_pips.problem.errors import InputError, meant
from milp_pips.problem.objective import MAXIMISE, MINIMISE

SENSES = {f"{short}{rest}": sense for short, sense in (("MIN", MINIMISE), ("MAX", MAXIMISE))
          for rest in ("", "IMIZE", "IMISE", "IMUM")}  # fmt: skip
"""The words of the section OBJSENSE."""

NON_LINEAR_SECTIONS = frozenset(
    ("SOS", "SOS1", "SOS2", "SETS", "INDICATORS", "QSECTION", "QUADOBJ", "QMATRIX", "QCMATRIX", "CSECTION",
     "GENCONS", "PWLOBJ", "USERCUTS", "LAZYCONS", "MULTIOBJ", "SCENARIOS")
)  # fmt: skip
"""Sections that state more than linear rows."""

MPS_SECTIONS = ("NAME", "OBJSENSE", "OBJNAME", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA")
OTHER_NAMES = {"OBJSEN": "OBJSENSE", "OBJECT": "OBJNAME"}


def read_mps(text: str, file: str) -> Model:
    """Return the model in the text of an MPS file, with exact numbers.

    **Free or fixed.** A file is read in free format, by words. If a line does not fit, the file is read in
    fixed format, by columns: fields 1 to 6 are the columns 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61,
    counted in characters, and all others are blank. Then names may have blanks, and every line must fit,
    without tabs; a note says so. If a line does not fit either, the error is the one of the reading that
    came farther. A line fits if it has the fields of its section, its names are known and its numbers are
    numbers. A line that begins in the first column is the heading of a section.

    **Comments** are lines with ``*`` in the first column, and what follows a word that begins with ``$``
    and is not the first. **Conventions**, of which a note tells where they matter: the first N row is the
    objective, or the one that OBJNAME names, and others are dropped; the first of several sets of RHS,
    RANGES and BOUNDS counts, and a line without a set's name belongs to it; the RHS of the objective is
    minus its constant; a range of an E row reaches to the side of its sign; an integer column between
    markers without bounds is 0..1; an upper bound below zero without a lower one makes that minus infinity;
    MI leaves the upper bound; LI and UI make a column integer. Bounds and right sides from 1e20 on are
    infinite.

    Raises InputError, with the line, for all else: unknown names, a name or an entry or a bound given
    twice, the entries of a column not together, a missing ENDATA, and what no linear row states.
    """
    lines = lines_of(text, file, lambda before: before.startswith("*"))
    bare = without_comments(lines)
    try:
        reading = _Reading(bare, file, SPLIT_FREE)
    except InputError as free:
        try:
            reading = _Reading(bare, file, SPLIT_FIXED)
        except InputError as fixed:
            raise _fault_of_both(free, fixed) from None
        what = "is no free format; read in fixed format, where names may have blanks"
        note(f"line {free.line} {what}", file)
    model = reading.model()
    if not reading.sense and (comment := sense_comment(lines[: reading.rows_at])):
        model = maximised(model, text, file, comment)
    for what, line in reading.notes:
        note(what, file, line)
    return model


def _fault_of_both(free: InputError, fixed: InputError) -> InputError:
    """Return the error of a file that neither format fits."""
    if not isinstance(fixed, Misfit):  # all lines to this one fit
        return fixed if (fixed.line or 0) > (free.line or 0) else free
    if not isinstance(free, Misfit) or (fixed.line or 0) < (free.line or 0):
        return free
    what = f"{free.what} in free format; in fixed format, line {fixed.line} has {fixed.what}"
    return InputError(what, free.file, free.line, free.expected)


class _Reading:
    """The content of an MPS file, read section by section."""

    def __init__(self, lines: list[str], file: str, split: Split):
        self.file, self.lines, self.split = file, lines, split
        self.notes: list[tuple[str, int]] = []
        self.sense, self.objective_name, self.rows_at = "", "", 0
        self.row_names: dict[str, int] = {}
        self.kinds: list[str] = []
        self.terms: list[dict[int, Fraction]] = []
        self.column_names: dict[str, int] = {}
        self.integer: list[bool] = []
        self.sides: dict[int, Fraction | None] = {}
        self.ranges: dict[int, Fraction | None] = {}
        self.numbers = Numbers()
        self.bounds = Bounds(file, self.column_names, self.numbers)
        self.objective = -1
        self._read()

    def fault(self, at: int, what: str, expected: str = "") -> InputError:
        """Return the error for the line at this position."""
        return InputError(what, self.file, at + 1, expected)

    def words(self, section: str, at: int) -> list[str]:
        """Return the fields of a line of a section."""
        try:
            return self.split[section](self.lines[at])
        except NotFixed as error:
            raise Misfit(str(error), self.file, at + 1) from None

    def _read(self) -> None:
        lines, seen = self.lines, list[str]()
        heads = [at for at, line in enumerate(lines) if line and line[0] not in " \t"]
        if not heads:
            raise self.fault(0, "no section of an MPS file", "NAME or ROWS")
        # Headings are found first, so that each section is one loop over its lines: most of the time is spent
        # there.
        for at, stop in zip(heads, [*heads[1:], len(lines)], strict=True):
            words = lines[at].split()
            section = self._section(at, words, seen)
            if section == "ENDATA":
                after = next((n for n in range(at + 1, len(lines)) if lines[n].strip()), None)
                if after is not None:  # no reader reads on; files of MIPLIB have such text
                    self.notes.append(("the text after ENDATA is not part of the model", after + 1))
                self._require_columns(at)
                return
            if section == "OBJSENSE":
                self._objsense(at, stop, words[1:])
            elif section == "OBJNAME":
                self._objname(at, stop, words[1:])
            elif section == "NAME":
                if stray := next((n for n in range(at + 1, stop) if lines[n].strip()), 0):
                    raise self.fault(stray, "a line of data before ROWS", "a section")
            else:
                if len(words) > 1 and section:
                    what = f"the section {words[0]} is followed by {quoted(words[1])}"
                    raise self.fault(at, what, "nothing; a line of data begins with a blank")
                if section:
                    getattr(self, f"_{section.lower()}")(at + 1, stop)
        raise self.fault(
            len(lines) - 1, "the file ends without ENDATA", "ENDATA: part of the file is missing"
        )

    def _section(self, at: int, words: list[str], seen: list[str]) -> str:
        """Return the section that begins here; empty for the word of OBJSENSE without a blank before it."""
        word = words[0].upper()
        if seen and seen[-1] == "OBJSENSE" and not self.sense and word in SENSES and len(words) == 1:
            self.sense = SENSES[word]
            return ""
        if seen and seen[-1] == "OBJSENSE" and not self.sense:
            raise self.fault(at, "OBJSENSE without a sense", "MAX or MIN")
        section = OTHER_NAMES.get(word, word)
        if section in ("OBJSENSEMAX", "OBJSENSEMIN"):
            section = "OBJSENSE"
        if section in NON_LINEAR_SECTIONS:
            raise self.fault(at, f"{words[0]} states more than a linear model", LINEAR)
        if section not in MPS_SECTIONS:
            what = f"unknown section {quoted(words[0])}{meant(word, MPS_SECTIONS)}"
            raise self.fault(at, what, "a section; a line of data begins with a blank")
        if section in seen:
            raise self.fault(at, f"a second section {section}")
        needed = {"ROWS": "", "COLUMNS": "ROWS", "RHS": "COLUMNS", "RANGES": "COLUMNS", "BOUNDS": "COLUMNS"}
        if needed.get(section) and needed[section] not in seen:
            raise self.fault(at, f"{section} before {needed[section]}")
        if section in ("NAME", "OBJNAME") and "ROWS" in seen:  # PuLP writes OBJSENSE before NAME
            raise self.fault(at, f"{section} after ROWS", f"{section} before that")
        seen.append(section)
        self.rows_at = at if section == "ROWS" else self.rows_at
        return section

    def _objsense(self, at: int, stop: int, words: list[str]) -> None:
        head = self.lines[at].split()[0].upper()
        words = [head[8:]] if head in ("OBJSENSEMAX", "OBJSENSEMIN") else words
        below = [n for n in range(at + 1, stop) if self.lines[n].strip()]
        words = [*words, *(word for n in below for word in self.lines[n].split())]
        at = max(below, default=at)
        if not words:
            return  # the next line may be MAX or MIN without a blank before it
        if len(words) > 1 or words[0].upper() not in SENSES:
            raise self.fault(at, f"{quoted(' '.join(words))} is no sense of an objective", "MAX or MIN")
        self.sense = SENSES[words[0].upper()]

    def _objname(self, at: int, stop: int, words: list[str]) -> None:
        below = [n for n in range(at + 1, stop) if self.lines[n].strip()]
        words, at = [*words, *(self.lines[n].strip() for n in below)], max(below, default=at)
        if len(words) != 1:
            raise self.fault(at, f"OBJNAME has {len(words)} names", "the name of an N row")
        self.objective_name, self.objname_at = words[0], at

    def _rows(self, start: int, stop: int) -> None:
        dropped = list[tuple[str, int]]()
        for at in range(start, stop):
            words = self.words("ROWS", at)
            if not words:
                continue
            if len(words) != 2 or words[0].upper() not in ("N", "L", "G", "E"):
                what = f"{quoted(' '.join(words))} is no row"
                kind_of = Misfit if len(words) != 2 else InputError
                raise kind_of(what, self.file, at + 1, "N, L, G or E, and a name")
            kind, name = words[0].upper(), words[1]
            if name in self.row_names:
                raise self.fault(at, f"a second row {quoted(name)}", "a name of its own")
            require_name_length(name, self.file, at + 1)
            if kind == "N":
                dropped.append((name, at))
            self.row_names[name] = len(self.kinds)
            self.kinds.append(kind)
            self.terms.append({})
        names = [name for name, _ in dropped]
        if self.objective_name and self.objective_name not in names:
            what = f"OBJNAME names {quoted(self.objective_name)}, which is no N row"
            raise self.fault(self.objname_at, what)
        if not names:
            self.notes.append(("no N row: the model has no objective", start))
            return
        chosen = self.objective_name or names[0]
        self.objective = self.row_names[chosen]
        if others := [(name, at) for name, at in dropped if name != chosen]:
            what = f"{quoted(chosen)} is the objective; the other N rows are dropped: "
            self.notes.append((what + some([name for name, _ in others]), others[0][1] + 1))

    def _columns(self, start: int, stop: int) -> None:
        lines, split, rows, numbers = self.lines, self.split["COLUMNS"], self.row_names, self.numbers
        places, all_terms, integer = self.column_names, self.terms, self.integer
        last, j, whole, at = "", -1, False, start
        try:  # this loop is most of the work
            for at in range(start, stop):
                words = split(lines[at])
                count = len(words)
                if count != 3 and count != 5:
                    if not count:
                        continue
                    what = f"{count} words: {quoted(' '.join(words))}"
                    raise Misfit(what, self.file, at + 1, "a column and one or two rows, each with a number")
                name, row = words[0], words[1]
                if row == "'MARKER'":
                    whole, last = self._marker(at, words, whole), ""
                    continue
                if name != last:
                    if name in places:
                        expected = "the entries of a column together, and a name of its own"
                        raise self.fault(at, f"a second column {quoted(name)}", expected)
                    require_name_length(name, self.file, at + 1)
                    j = places[name] = len(integer)
                    integer.append(whole)
                    last = name
                terms = all_terms[rows[row]]
                if j in terms:
                    raise self.fault(at, f"a second entry of row {quoted(row)} in column {quoted(name)}")
                terms[j] = numbers[words[2]]
                if count == 5:
                    row = words[3]
                    terms = all_terms[rows[row]]
                    if j in terms:
                        raise self.fault(at, f"a second entry of row {quoted(row)} in column {quoted(name)}")
                    terms[j] = numbers[words[4]]
        except KeyError:
            raise self._unknown_row(at, row) from None
        except NotFixed as error:
            raise Misfit(str(error), self.file, at + 1) from None
        except ValueError as error:
            raise self.fault(at, str(error)) from None

    def _unknown_row(self, at: int, row: str) -> InputError:
        return self.fault(at, f"unknown row {quoted(row)}{meant(row, self.row_names)}", "a row of ROWS")

    def _marker(self, at: int, words: list[str], whole: bool) -> bool:
        kind = words[2]
        if kind in ("'SOSORG'", "'SOSEND'"):
            raise self.fault(at, f"{kind} states more than a linear model", LINEAR)
        if kind not in ("'INTORG'", "'INTEND'") or len(words) != 3:
            raise self.fault(at, f"{quoted(' '.join(words[1:]))} is no marker", "'INTORG' or 'INTEND'")
        if (kind == "'INTORG'") == whole:
            raise self.fault(at, f"{kind} where {'integer columns' if whole else 'none'} began")
        return not whole

    def _rhs(self, start: int, stop: int) -> None:
        self._pairs("RHS", start, stop, self.sides)

    def _ranges(self, start: int, stop: int) -> None:
        self._pairs("RANGES", start, stop, self.ranges)

    def _pairs(self, section: str, start: int, stop: int, found: dict[int, Fraction | None]) -> None:
        """Read rows with numbers; None is an infinite number of the only sign that is possible there."""
        sets = _Sets(self, section)
        for at in range(start, stop):
            words = self.words(section, at)
            if not words:
                continue
            if len(words) not in (3, 5):
                what = f"{len(words)} words: {quoted(' '.join(words))}"
                expected = "a name of the set, and one or two rows, each with a number"
                raise Misfit(what, self.file, at + 1, expected)
            counts = sets.counts(words[0], at)
            for row, word in zip(words[1::2], words[2::2], strict=True):
                if row not in self.row_names:
                    raise self._unknown_row(at, row)
                number = self._side(at, section, self.row_names[row], word)
                if not counts:
                    continue
                if self.row_names[row] in found:
                    raise self.fault(at, f"a second number of row {quoted(row)} in {section}")
                found[self.row_names[row]] = number

    def _side(self, at: int, section: str, i: int, word: str) -> Fraction | None:
        try:
            number = self.numbers.bounds[word]
        except ValueError as error:
            raise self.fault(at, str(error)) from None
        kind = self.kinds[i]
        if kind == "N" and section == "RANGES":
            raise self.fault(at, "a range of an N row", "a row of kind L, G or E")
        if number is not None:
            return number
        if section == "RHS" and (kind in "NE" or (kind == "G") != word.startswith("-")):
            raise self.fault(
                at, f"the infinite number {quoted(word)} as the right side of a row of kind {kind}"
            )
        if section == "RANGES" and kind == "E":
            raise self.fault(at, f"the infinite range {quoted(word)} of a row of kind E")
        return None

    def _bounds(self, start: int, stop: int) -> None:
        sets = _Sets(self, "BOUNDS")
        for at in range(start, stop):
            words = self.words("BOUNDS", at)
            if words:
                kind, name, column, word = self.bounds.fields(words, at + 1)
                self.bounds.take(kind, column, word, at + 1, counts=sets.counts(name, at))

    def _require_columns(self, at: int) -> None:
        if not self.column_names:
            raise self.fault(at, "the model has no columns", "a section COLUMNS with entries")

    def model(self) -> Model:
        """Return the model, and complete the notes."""
        columns = self.bounds.columns(self.integer, self.terms[self.objective] if self.objective >= 0 else {})
        self.notes += [*self.bounds.notes, *self.numbers.notes()]
        rows = []
        for name, i in self.row_names.items():
            if self.kinds[i] != "N":
                low, high = self._limits(i)
                terms = self.terms[i]
                # A zero is an entry, so a second one of that column was refused; the model has no use for it.
                if not all(terms.values()):
                    terms = {j: a for j, a in terms.items() if a}
                rows.append(Row(name, terms, low, high))
        constant = -(self.sides.get(self.objective) or Fraction(0))
        return Model(columns, tuple(rows), self.sense or MINIMISE, constant)

    def _limits(self, i: int) -> tuple[Fraction | None, Fraction | None]:
        """Return the sides of a row by its kind, right side and range."""
        kind, side = self.kinds[i], self.sides.get(i, Fraction(0))
        if i not in self.ranges or side is None:
            return (side if kind in "GE" else None), (side if kind in "LE" else None)
        # The sign of a range counts for equations alone; other rows reach inwards from their side.
        reach = self.ranges[i]
        if reach is None:  # as far as an infinite range reaches
            return (side, None) if kind == "G" else (None, side)
        other = side + (reach if kind == "E" else abs(reach) if kind == "G" else -abs(reach))
        if Fraction(f"{float(reach):.13g}") != reach:  # a program computed it
            other = meant_decimal(other)
        return (side, other) if other >= side else (other, side)


class _Sets:
    """The sets of a section: the first that has a name counts, with the lines that name none."""

    def __init__(self, reading: _Reading, section: str):
        self._reading, self._section = reading, section
        self._first, self._others = "", set[str]()

    def counts(self, name: str, at: int) -> bool:
        """Return whether a line of the set of this name counts."""
        if not name:
            if self._others:
                what = f"a line without the name of its set, after those of two sets of {self._section}"
                raise self._reading.fault(at, what)
            return True
        self._first = self._first or name
        if name == self._first:
            return True
        if not self._others:
            what = f"the first set of {self._section}, {quoted(self._first)}, counts; dropped: {quoted(name)}"
            self._reading.notes.append((what, at + 1))
        self._others.add(name)
        return False
