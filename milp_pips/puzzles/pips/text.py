"""Read and write the text format: a board of region labels, then the rules, then the dominoes.

::

    2          number of board rows
    AAB        one character per cell, or labels separated by blanks: ``A A B``
    #CB
    2          number of rules
    A EQ       label, rule and, if it has one, its number
    B SUM 7
    3          number of dominoes
    0 3
    …

``.`` is not a cell, ``#`` is a cell in no region, and ``…`` stands for three ``.``. A label without a rule is
a region without a rule. Each of the three numbers may be left out, and rules and dominoes may be written as
people type them: see ``rules``, and ``typed`` for their order and what may be around them. Without its
number, the board ends at a blank line, or at one that looks like a rule or a domino. After the dominoes, a
line ``solution`` and the content of a solution file may follow.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import islice
from typing import TypeAlias, cast

from milp_pips.problem.errors import InputError, UsageError, meant
from milp_pips.puzzles.located import Line, Lines, quoted, whole_number
from milp_pips.puzzles.pips.puzzle import (
    LARGEST_TARGET,
    MAX_PIPS_ROWS,
    MOST_CELLS,
    Cell,
    Pips,
    Region,
    region_labels,
)
from milp_pips.puzzles.pips.rules import (
    AREA,
    MOST_PIPS,
    RULES,
    SPELLINGS,
    Rule,
    dominoes_in,
    looks_like_dominoes,
    looks_like_rules,
    rules_in,
    typed_rule,
)
from milp_pips.render.vocabulary import connected_parts

TYPED_COMMENT = re.compile(r"(?:^|\s)//.*")
MOST_TYPED = 1000
"""The number of lines that ``resembles`` searches for a rule or a domino."""

_DOMINO_LIST = re.compile(r"(?:.*; ?|\W*)(?:dominoe?s|pieces|tiles)\W[^;]*[0-9]", re.IGNORECASE)

NO_CELL, NO_REGION = ".", "#"
SOLUTION_LINE = "solution"
"""The line before the printed solution."""

Rules: TypeAlias = dict[str, tuple[Rule, int | None]]
"""The rule and its number, by the label of the region."""

_RULE_NAMES = " or ".join([", ".join(list(Rule)[:-1]), list(Rule)[-1]])
_DOTS = re.compile(r"[.…]+")
_DRAWN = re.compile(r"[\w.#… ]+")
_NUMBER = re.compile(r"-?[0-9]+")
_JOINED = re.compile(r"[0-9][-–—|/:]|[\[(]")
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_LETTER_AND_NUMBER = re.compile(r"([^\W\d_])([0-9]+)")
_MEMBERS = re.compile(
    r"^(?![^\n]*(?:domino|tile|piece))[ \t]*(?:- )?(?:[\"'\w][\w ]{0,30}[\"']?[ \t]*[:=][^\n]*?"
    r"(?:r[0-9]+c[0-9]+|[\[(][0-9]+, ?[0-9]+[\])])|(?<=[ \t])(?:type|rule|kind|op|value|target)[ \t]*:)",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines of YAML or Python for a region: its list of cells, or a member of its rule."""


def read(text: str, file: str, name: str) -> Pips:
    """Return the puzzle. Its regions are in the order in which they appear on the board.

    Raises InputError, which names the line.
    """
    try:
        return _read(text, file, name)
    except InputError:
        found = [*_MEMBERS.finditer(text)]
        if len(found) > 1:
            what = "the cells of a region, or a rule in lines below its region, are read in JSON only"
            expected = 'rows of a board, such as AAB, or {"dominoes": …, "regions": [{"cells": …}, …]}'
            raise InputError(what, file, text.count("\n", 0, found[0].end()) + 1, expected) from None
        raise


def _read(text: str, file: str, name: str) -> Pips:
    """Return the puzzle. Raises InputError."""
    reader = _Reader(text, file)
    reader.require_connected()
    rules, header = reader.rules()
    dominoes = reader.dominoes(header)
    regions = (
        Region(label, tuple(cells), *rules.get(label, (None, None)))
        for label, cells in reader.cells_of.items()
    )
    puzzle = Pips.on_grid(name, reader.board, regions, dominoes)
    if reader.lines.ahead() is None:
        return puzzle
    from milp_pips.puzzles.pips import solution_files  # it imports json, which few puzzles need

    next(reader.lines)  # the word before the solution
    return replace(puzzle, published=solution_files.read_solution(puzzle, reader.lines))


def read_outline(text: str, file: str) -> tuple[dict[tuple[int, int], str], Rules]:
    """Return the label of each cell, and the rules of the regions that have one.

    Rows and rules are written as in a puzzle. The rules may be missing. The text after them is ignored.
    Raises InputError.
    """
    reader = _Reader(text, file, outline=True)
    reader.require_connected()
    return reader.board, reader.rules()[0] if reader.lines.ahead() else {}


def write(puzzle: Pips) -> str:
    """Return the text of a puzzle on a grid, without a solution.

    Reading it gives an equal puzzle if the regions and their cells are in the order in which they appear on
    the board. A label that does not fit the format is replaced by an unused one of A, B, C…. Raises
    UsageError if the board is not a grid counted from (0, 0), or a cell is in two regions.
    """
    if not puzzle.is_grid or any(min(cast("tuple[int, int]", cell)) < 0 for cell in puzzle.cells):
        raise UsageError(f"{puzzle.name}: only a board of rows and columns can be written as text")
    labels = _writable_labels(puzzle)
    marks: dict[Cell, str] = dict.fromkeys(puzzle.cells, NO_REGION)
    for region, label in zip(puzzle.regions, labels, strict=True):
        if any(marks[cell] != NO_REGION for cell in region.cells):
            raise UsageError(f"{puzzle.name}: a cell in two regions cannot be written as text")
        marks.update(dict.fromkeys(region.cells, label))
    board = puzzle.rows(marks, NO_CELL)
    spaced = any(len(label) > 1 for label in labels)
    if spaced and len(board[0]) == 1:  # without a blank, a long label would be read as several cells
        board = [[mark, NO_CELL] for (mark,) in board]
    drawn = [(" " if spaced else "").join(row) for row in board]
    rules = [
        f"{label} {region.rule}" + ("" if region.target is None else f" {region.target}")
        for region, label in zip(puzzle.regions, labels, strict=True)
        if region.rule is not None
    ]
    dominoes = [f"{a} {b}" for a, b in puzzle.dominoes]
    lines = [len(drawn), *drawn, len(rules), *rules, len(dominoes), *dominoes]
    return "".join(f"{line}\n" for line in lines)


def write_with_solution(puzzle: Pips) -> str:
    """Return the text of a puzzle on a grid, with the solution printed with it. Raises UsageError."""
    text = write(puzzle)
    if puzzle.published is None:
        return text
    from milp_pips.puzzles.pips import solution_files

    return f"{text}{SOLUTION_LINE}\n{solution_files.write_solution(puzzle, puzzle.published)}"


def _writable_labels(puzzle: Pips) -> list[str]:
    kept: set[str] = set()
    labels: list[str | None] = []
    for region in puzzle.regions:
        label = region.label
        fits = label.isprintable() and label.split() == [label] and not _DOTS.fullmatch(label)
        fits = fits and not label.startswith("/")  # two slashes begin a comment
        free = fits and label != NO_REGION and label not in kept
        labels.append(label if free else None)
        kept.add(label)
    fresh = (label for label in region_labels() if label not in kept)
    return [next(fresh) if label is None else label for label in labels]


class _Reader:
    """Reads the sections of a text in order: the board when it is made, then the rules, then the dominoes.

    ``height`` is the line with the number of board rows, if there is one. If the number of dominoes is wrong,
    an earlier error may be the cause. ``no_number`` is raised if the dominoes fit the board without row 1,
    which was meant to be the number of rows; ``ragged``, if cells were added to short rows.
    """

    def __init__(self, text: str, file: str, outline: bool = False):
        self.lines, self._most_rows = Lines(text, file, TYPED_COMMENT), text.count("\n")
        ahead = self.lines.ahead()
        if ahead is not None and not (outline or (_NUMBER.fullmatch(ahead.text) and not self._is_row(ahead))):
            from milp_pips.puzzles.pips.typed import arranged  # counted files do not need it

            self.lines.arrange(lambda lines: arranged(lines, SOLUTION_LINE))
        first = self.lines.required("the number of board rows")
        is_count = _NUMBER.fullmatch(first.text) or not (outline or resembles(text, file))
        self.height = first if is_count else None
        self.no_number: InputError | None = None
        self.ragged: InputError | None = None
        what, most = "the first line, the number of board rows,", f"a whole number from 1 to {MAX_PIPS_ROWS}"
        if self.height:
            rows = first.integer(first.text, what, 1, MAX_PIPS_ROWS, most)
            drawn = [self.lines.required(f"row {row + 1} of the {rows} board rows") for row in range(rows)]
        else:
            drawn = self._uncounted_rows(first)
            header, rule = self.lines.ahead(), self.lines.ahead(1)
            # A file that states the number of rules also states the number of rows.
            if header and rule and _NUMBER.fullmatch(header.text) and looks_like_rules(rule.text):
                self.no_number = None if outline else first.fault(f"{what} is {quoted(first.text)}", most)
            elif not outline:
                drawn = self._padded(drawn)
        self.board, self.places = self._labels(drawn)
        self.drawn = dict(enumerate(drawn))
        self.cells_of: dict[str, list[tuple[int, int]]] = {}
        for cell, label in self.board.items():
            if label != NO_REGION:
                self.cells_of.setdefault(label, []).append(cell)

    def _is_row(self, first: Line) -> bool:
        """Return whether a first line of digits is a row: more rows than the file has lines are none."""
        second = self.lines.ahead(1)
        alike = (
            second is not None
            and set(second.text) <= set("0123456789._#-")
            and len(second.text) == len(first.text)
        )
        return alike and len(first.text) > 1 and int(first.text[:9]) > self._most_rows

    # ---------------------------------------------------------------------------------------- the board

    def require_connected(self) -> None:
        """Warn of regions that are not connected. Raises InputError if cells were added to short rows."""
        if all(len(connected_parts(cells)) == 1 for cells in self.cells_of.values()):
            return
        if self.ragged:
            raise self.ragged
        from milp_pips.puzzles.drawn import warn_of_separate_areas  # few puzzles need it

        warn_of_separate_areas(self.cells_of, self.drawn, "region")

    def _uncounted_rows(self, first: Line) -> list[Line]:
        """Return the rows of a board without their number: those before a blank line, a rule or a domino."""
        drawn, spaced = [first], None if _DOTS.fullmatch(first.text) else len(first.words()) > 1
        while (line := self.lines.ahead()) is not None and not line.after_blank:
            if looks_like_rules(line.text) or looks_like_dominoes(line.text):
                break
            if not _DOTS.fullmatch(line.text):
                if spaced not in (None, len(line.words()) > 1):
                    _refuse_blank(drawn, line, spaced is True)
                    break
                spaced = len(line.words()) > 1
            if len(drawn) == MAX_PIPS_ROWS:
                raise line.fault(f"the board has more than {MAX_PIPS_ROWS} rows")
            drawn.append(next(self.lines))
        return drawn

    def _padded(self, drawn: list[Line]) -> list[Line]:
        """Return rows of equal width, with ``.`` added to short ones.

        ``ragged`` becomes the error to raise if that was wrong: the caller notices a forgotten cell, as there
        are too many dominoes, and a shifted row, as a region is not connected.
        """
        spaced = any(len(line.words()) > 1 for line in drawn)
        widths = [len(_marks(line, spaced)) for line in drawn]
        width, indents = max(widths), {line.indent for line in drawn}
        if min(widths) == width or len(indents) > 1 or width * len(drawn) > MOST_CELLS:
            return drawn
        other = next(row for row, own in enumerate(widths) if own != widths[0])
        self.ragged = self._ragged_fault(drawn, other, widths[other], widths[0])
        end = f" {NO_CELL}" if spaced else NO_CELL
        return [
            line._replace(text=line.text + end * (width - own))
            for line, own in zip(drawn, widths, strict=True)
        ]

    def _labels(self, drawn: list[Line]) -> tuple[dict[tuple[int, int], str], int]:
        """Return the label of every cell in reading order, and the number of places, with missing cells."""
        spaced = any(len(line.words()) > 1 for line in drawn)
        rows = [_marks(line, spaced) for line in drawn]
        width, *others = map(len, rows)
        labels: dict[tuple[int, int], str] = {}
        for row, (line, marks) in enumerate(zip(drawn, rows, strict=True)):
            if len(marks) != width:
                if self.no_number and len(others) > 1 and len(set(others)) == 1:
                    raise self.no_number  # only the first row has another width
                raise self._ragged_fault(drawn, row, len(marks), width)
            if width > MAX_PIPS_ROWS:
                raise line.fault(f"board row {row + 1} has {width} columns", f"at most {MAX_PIPS_ROWS}")
            if hidden := next((c for c in "".join(marks) if not c.isprintable()), ""):
                raise line.fault(f"board row {row + 1} contains the invisible character U+{ord(hidden):04X}")
            labels.update({(row, column): mark for column, mark in enumerate(marks) if mark != NO_CELL})
            if len(labels) > MOST_CELLS:
                raise line.fault(f"the board has more than {MOST_CELLS} cells")
        if not labels:
            raise drawn[-1].fault("the board has no cell")
        return labels, len(drawn) * width

    def _ragged_fault(self, drawn: list[Line], row: int, cells: int, width: int) -> InputError:
        if self.height:
            for i, line in enumerate(drawn[1:], 1):
                if len(line.text) != len(drawn[0].text) and whole_number(line.text) is not None:
                    announced = f"the {len(drawn)} that line {self.height.number} announces"
                    return line.fault(f"the board seems to end after {i} rows", announced)
        return drawn[row].fault(
            f"board row {row + 1} is {cells} wide, board row 1 is {width} wide",
            "rows of one width, with '.' where there is no cell",
        )

    # ---------------------------------------------------------------------------------------- its lists

    def _count(self, what: str, most: int, before: str, announced: Line | None) -> tuple[Line, int]:
        """Return the line with the number of rules or dominoes, and the number.

        ``announced`` is the line with the number of the lines ``before`` it, for the error.
        """
        line, hint = self.lines.required(f"the number of {what}"), ""
        if announced is not None:
            after = f"the {announced.text} {before} that line {announced.number} announces"
            hint = f"a whole number after {after}"
        return line, line.integer(line.text, f"the number of {what}", 0, most, hint)

    def _ahead(self) -> Line | None:
        """Return the next line, or None where the puzzle ends."""
        line = self.lines.ahead()
        return None if line is None or line.text.lower().removesuffix(":") == SOLUTION_LINE else line

    def rules(self) -> tuple[Rules, Line | None]:
        """Return the rules by label, and the line with their number, or None if the file leaves it out."""
        found, of, header = _Rules(self.cells_of), "", None
        if self._rules_are_counted():
            header, count = self._count("rules", MOST_CELLS, "board rows", self.height)
            of = f" of {count}"
            while len(found.rules) < count:
                line = self.lines.required(f"rule {len(found.rules) + 1}{of}")
                found.read(line, of)
            if (read := len(found.rules)) > count:
                raise line.fault(f"there are {read} rules", f"the {count} of line {header.number}")
        else:
            while (following := self._ahead()) and not looks_like_dominoes(following.text):
                found.read(next(self.lines), of)
        return found.rules, header

    def _rules_are_counted(self) -> bool:
        """Return whether the next line is, or should be, the number of rules.

        It should be if the file states the number of its rows. A number with dominoes below it is a domino,
        or the number of dominoes.
        """
        header, following = self.lines.ahead(), self.lines.ahead(1)
        if header is None or (number := whole_number(header.text)) is None:
            typed = header is not None and (
                looks_like_dominoes(header.text)
                or looks_like_rules(header.text)
                or (len(header.words()) > 1 and header.words()[0] in self.cells_of)
            )
            return self.height is not None and not typed
        if header.text == "0" or number < 0:
            return True
        return len(header.text) != 2 if following is None else not looks_like_dominoes(following.text)

    def dominoes(self, rules: Line | None) -> list[tuple[int, int]]:
        """Return as many dominoes as the board needs. ``rules`` is the line with the number of rules, if any.

        Where rows, rules and dominoes are counted, ``12 34`` is one domino. A first number that may be a
        domino or the number of dominoes is what fits the board.
        """
        first, most = self.lines.ahead(), MOST_CELLS // 2
        if rules is not None and (first is None or not looks_like_dominoes(first.text)):
            self._count("dominoes", most, "rules", rules)
        if first is None:
            raise self.lines.fault("the file ends before the dominoes")
        number, needed = whole_number(first.text), len(self.board) // 2
        is_count = number is not None and (len(first.text) != 2 or not first.text.isdigit())
        is_count |= number == needed and first.text[0] != "0"  # 01 is a domino, not the number one
        strict = is_count and rules is not None and self.height is not None
        if not strict and not (is_count and len(first.text) == 1):
            return self._uncounted_dominoes(first, needed)
        header, count = self._count("dominoes", most, "rules", rules)
        self._require_fit(header, count)
        found: list[tuple[int, int]] = []
        while len(found) < count:
            line = self.lines.required(f"domino {len(found) + 1} of {count}")
            found += _dominoes(line, len(found) + 1, f" of {count}", strict)
        surplus = line if len(found) > count else self._ahead()
        if surplus is not None:
            announced = f"the {count} dominoes that line {header.number} announces"
            raise surplus.fault(f"the last domino is followed by {quoted(surplus.text)}", f"only {announced}")
        return found

    def _uncounted_dominoes(self, first: Line, needed: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        line = first
        while self._ahead() and len(found) < needed + 2:
            line = next(self.lines)
            found += _dominoes(line, len(found) + 1)
        number = whole_number(first.text) if first.text[0] != "0" else None
        if number is not None and number == len(found) - 1 and len(found) < needed + 2:
            del found[0]
            line = first
        elif number is not None and number == len(found) == needed:
            domino = quoted("-".join(first.text))
            what = f"{quoted(first.text)} is the domino {domino}, or the number of dominoes with one missing"
            raise first.fault(what, f"{domino} for the domino")
        self._require_fit(line, len(found))
        return found

    def _require_fit(self, line: Line, count: int) -> None:
        """Raise InputError if the number of dominoes does not fit the board."""
        cells = len(self.board)
        if 2 * count == cells:
            return
        if self.no_number and 2 * count == cells - sum(row == 0 for row, _ in self.board):
            raise self.no_number
        if self.ragged:
            raise self.ragged
        expected = "an even number of cells" if cells % 2 else f"{cells // 2} dominoes"
        if 2 * count == self.places - sum(label == NO_REGION for label in self.board.values()):
            expected += ", or '.' and '#' the other way round: '.' is not a cell, '#' a cell without a rule"
        raise line.fault(f"the number of dominoes is {count}, but the number of cells is {cells}", expected)


class _Rules:
    """Reads rules for the labels of a board, at most one for each label."""

    def __init__(self, labels: Collection[str]):
        self.rules: Rules = {}
        self._line_of: dict[str, int] = {}
        self._labels = labels
        self._by_letters: dict[str, list[str]] = {}
        """Labels by their lower-case form."""
        for label in labels:
            self._by_letters.setdefault(label.casefold(), []).append(label)

    def read(self, line: Line, of: str) -> None:
        """Read the rules of a line. ``of`` is the total for errors, such as `` of 4``."""
        words = line.words()
        pieces = rules_in(line.text)
        if words[0] in self._labels and rules_in(words[0]) != [words[0]]:
            pieces = [" ".join(words)]  # commas are part of this label
        if not pieces:
            raise line.fault(f"there is no rule in {quoted(line.text)}", "such as A = or B >4")
        for piece in pieces:
            found = _LETTER_AND_NUMBER.fullmatch(piece)
            if found and all(len(label) == 1 for label in self._labels):  # then B4 is not ambiguous
                piece = f"{found[1]} {found[2]}"
            typed, rule, target = _rule(line, piece, f"rule {len(self.rules) + 1}{of}")
            label = self._label(typed)
            if label in self._line_of:
                on = self._line_of[label]
                raise line.fault(f"region {quoted(label)} has a second rule", f"only the one on line {on}")
            if label in (NO_CELL, NO_REGION):
                marked = "no cell" if label == NO_CELL else "a cell without a rule"
                what = f"{quoted(label)} cannot have a rule: it marks {marked}"
                raise line.fault(what, "the label of a region")
            if label not in self._labels:
                raise line.fault(f"region {quoted(label)} has a rule, but no cell on the board")
            self.rules[label], self._line_of[label] = (rule, target), line.number

    def _label(self, typed: str) -> str:
        """Return the label of the board that a rule names. A final colon and case are ignored."""
        wanted = typed if typed in self._labels else typed.removesuffix(":") or typed
        alike = self._by_letters.get(wanted.casefold(), [])
        return alike[0] if wanted not in self._labels and len(alike) == 1 else wanted


def _rule(line: Line, piece: str, which: str) -> tuple[str, Rule, int | None]:
    """Return the label of a region, its rule, and the number of that, if it has one."""
    typed = typed_rule(piece)
    if typed is None:
        match AREA.sub("", piece, count=1).split():
            case [_, word, *numbers] if len(numbers) <= 1:
                raise line.fault(
                    f"{which} is {quoted(word)}", _RULE_NAMES + meant(word, filter(str.isupper, SPELLINGS))
                )
        commas = ", and commas between rules" if len(_LETTER_RUN.findall(piece)) > 2 else ""
        expected = f"a region's label, {_RULE_NAMES}, and a number{commas}"
        raise line.fault(f"{which} is {quoted(piece)}", expected)
    label, rule, number, word = typed
    has_target = RULES[rule].has_target
    if has_target and not number:
        raise line.fault(f"{which}, {rule}, has no number")
    if number and not has_target and word != rule:  # A EQ 0 is another way to write A EQ
        raise line.fault(f"{which} is {quoted(piece)}: {rule} takes no number", "no number")
    if not number:
        return label, rule, None
    target = line.integer(number, f"the number of {which}", -LARGEST_TARGET, LARGEST_TARGET)
    return label, rule, target if has_target else None


def _dominoes(line: Line, first: int, of: str = "", strict: bool = False) -> list[tuple[int, int]]:
    """Return the dominoes of a line, numbered from ``first`` in errors. If ``strict``, ``12 34`` is one."""
    words = line.words()
    if strict and len(words) == 2 and not _JOINED.search(line.text):
        found = [(words[0], words[1])]
    else:
        found = dominoes_in(line.text)
    if not found:
        expected = "two numbers of pips" if of else "two numbers of pips, such as 5-1 or 51"
        raise line.fault(f"domino {first}{of} is {quoted(line.text)}", expected)
    dominoes = []
    for number, (a, b) in enumerate(found, first):
        half = f"a half of domino {number}{of}"
        dominoes.append((line.integer(a, half, 0, MOST_PIPS), line.integer(b, half, 0, MOST_PIPS)))
    return dominoes


def _refuse_blank(drawn: list[Line], line: Line, spaced: bool) -> None:
    """Raise InputError if the line seems to be a board row with blanks in place of missing cells.

    A line that begins with a label of the board may be a rule, so it is accepted.
    """
    labelled = not spaced and line.words()[0] in "".join(row.text for row in drawn)
    if len(line.text) == len(drawn[0].text) and _DRAWN.fullmatch(line.text) and not labelled:
        blamed = drawn[0] if spaced else line
        what = f"the board row {quoted(blamed.text)} has a blank between some cells only"
        raise blamed.fault(what, "'.' where there is no cell")


def _marks(line: Line, spaced: bool) -> list[str]:
    if not spaced:
        return list(line.text.replace("…", 3 * NO_CELL))
    marks: list[str] = []
    for word in line.words():
        marks += word.replace("…", 3 * NO_CELL) if _DOTS.fullmatch(word) else [word]
    return marks


def resembles(text: str, file: str) -> bool:
    """Return whether the text may be a puzzle typed by hand: it has dominoes, or a rule for a label above it.

    Raises InputError if the file is not text.
    """
    drawn: set[str] = set()
    for number, line in enumerate(islice(Lines(text, file, TYPED_COMMENT), MOST_TYPED)):
        if number and dominoes_in(line.text.lstrip("-*•> ")):
            return True
        if (number or ":" in line.text) and _DOMINO_LIST.match(line.text):
            return True
        for piece in rules_in(line.text)[:1]:
            rule = typed_rule(piece)
            if rule is not None and rule.label.rstrip(":").casefold() in drawn:
                return True
        drawn.update(word.casefold() for word in line.words())
        drawn.update(line.text.casefold())
    return False
