"""Read the rules and the dominoes of the text format, each with or without a line with their number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn, TypeAlias

from milp_pips.problem.errors import InputError, meant
from milp_pips.puzzles.located import Line, quoted, whole_number
from milp_pips.puzzles.pips.puzzle import LARGEST_TARGET, MOST_CELLS, MOST_PIPS, Rule
from milp_pips.puzzles.pips.typed import (
    SOLUTION_LINE,
    WORDS,
    UncommentedLines,
    dominoes_in,
    looks_like_dominoes,
    looks_like_rules,
    rules_in,
    typed_rule,
)

NO_CELL, NO_REGION = ".", "#"
_RULE_NAMES = "EQ, NEQ, SUM, LT, GT, LE or GE"
_JOINED = re.compile(r"[0-9][-–—|/:]|[\[(]")
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_LETTER_AND_NUMBER = re.compile(r"([^\W\d_])([0-9]+)")
_TWO_DIGITS = re.compile(r"[0-9]{2}")

Places: TypeAlias = dict[tuple[int, int], str]
"""The label of every cell of a board."""
Rules: TypeAlias = dict[str, tuple[Rule, int | None]]
"""The rule and its number, by the label of the region."""


def _count(
    lines: UncommentedLines, what: str, most: int, before: str, announced: Line | None
) -> tuple[Line, int]:
    """Return the line with the number of rules or dominoes, and the number.

    ``announced`` is the line with the number of the lines ``before`` it, for the error.
    """
    line = lines.required(f"the number of {what}")
    hint = ""
    if announced is not None:
        hint = f"a whole number after the {announced.text} {before} that line {announced.number} announces"
    return line, line.integer(line.text, f"the number of {what}", 0, most, hint)


def read_rules(
    lines: UncommentedLines, height: Line | None, cells_of: Mapping[str, object]
) -> tuple[Rules, Line | None]:
    """Return the rules by label, and the line with their number, or None if the file leaves it out."""
    rules = _RuleReader(cells_of)
    if _rules_are_counted(lines, height, cells_of):
        header, count = _count(lines, "rules", MOST_CELLS, "board rows", height)
        while len(rules.found) < count:
            line = lines.required(f"rule {len(rules.found) + 1} of {count}")
            rules.read(line, f" of {count}")
        if len(rules.found) > count:
            raise line.fault(f"there are {len(rules.found)} rules", f"the {count} of line {header.number}")
        return rules.found, header
    while (following := lines.ahead()) is not None and following.text.lower() != SOLUTION_LINE:
        if looks_like_dominoes(following.text):
            break
        rules.read(next(lines), "")
    return rules.found, None


def _rules_are_counted(lines: UncommentedLines, height: Line | None, labels: Mapping[str, object]) -> bool:
    """Return whether the next line is, or should be, the number of rules.

    It should be if the file states the number of its rows. A number with dominoes below it is a domino, or
    the number of dominoes.
    """
    header = lines.ahead()
    number = header and whole_number(header.text)
    if header is None or number is None:
        typed = header is not None and (
            looks_like_dominoes(header.text)
            or looks_like_rules(header.text)
            or (len(header.words()) > 1 and header.words()[0] in labels)
        )
        return height is not None and not typed
    following = lines.ahead(1)
    if header.text == "0" or number < 0:
        return True
    if following is None:
        return len(header.text) != 2
    return not looks_like_dominoes(following.text)


class _RuleReader:
    """Reads rules for the labels of a board, at most one for each label."""

    def __init__(self, labels: Mapping[str, object]):
        self.found: Rules = {}
        self._line_of: dict[str, int] = {}
        self._labels = labels
        self._by_letters: dict[str, list[str]] = {}
        """Labels by their lower-case form. Filled when a rule's label is first not found as written."""

    def read(self, line: Line, of: str) -> None:
        """Read the rules of a line. ``of`` is the total for errors, such as `` of 4``."""
        words = line.words()
        pieces = rules_in(line.text)
        if words[0] in self._labels and rules_in(words[0]) != [words[0]]:
            pieces = [" ".join(words)]  # commas are part of this label
        if not pieces:
            raise line.fault(f"there is no rule in {quoted(line.text)}", "such as A = or B >4")
        for piece in pieces:
            which = f"rule {len(self.found) + 1}{of}"
            label, rule, target = _rule(line, self._separate_number(piece), which)
            label = self._label(label)
            if label in self._line_of:
                on = self._line_of[label]
                raise line.fault(f"region {quoted(label)} has a second rule", f"only the one on line {on}")
            if label in (NO_CELL, NO_REGION):
                marked = "no cell" if label == NO_CELL else "a cell without a rule"
                raise line.fault(
                    f"{quoted(label)} cannot have a rule: it marks {marked}", "the label of a region"
                )
            if label not in self._labels:
                raise line.fault(f"region {quoted(label)} has a rule, but no cell on the board")
            self.found[label], self._line_of[label] = (rule, target), line.number

    def _separate_number(self, piece: str) -> str:
        """Return ``B4`` as ``B 4`` if all labels are single letters, so that it is not ambiguous."""
        found = _LETTER_AND_NUMBER.fullmatch(piece)
        return f"{found[1]} {found[2]}" if found and all(len(label) == 1 for label in self._labels) else piece

    def _label(self, typed: str) -> str:
        """Return the label of the board that a rule names. A final colon and case are ignored."""
        if typed in self._labels:
            return typed
        wanted = typed.removesuffix(":") or typed
        if wanted in self._labels:
            return wanted
        if not self._by_letters:
            for label in self._labels:
                self._by_letters.setdefault(label.casefold(), []).append(label)
        alike = self._by_letters.get(wanted.casefold(), [])
        return alike[0] if len(alike) == 1 else wanted


def _rule(line: Line, piece: str, which: str) -> tuple[str, Rule, int | None]:
    typed = typed_rule(piece)
    if typed is None:
        match piece.split():
            case [_, word, *numbers] if len(numbers) <= 1:
                raise line.fault(f"{which} is {quoted(word)}", _RULE_NAMES + meant(word, WORDS))
        commas = ", and commas between rules" if len(_LETTER_RUN.findall(piece)) > 2 else ""
        expected = f"a region's label, {_RULE_NAMES}, and a number{commas}"
        raise line.fault(f"{which} is {quoted(piece)}", expected)
    label, rule, number, word = typed
    if rule.has_target and not number:
        raise line.fault(f"{which}, {rule}, has no number")
    if number and not rule.has_target and word != rule:  # A EQ 0 is another way to write A EQ
        raise line.fault(f"{which} is {quoted(piece)}: {rule} takes no number", "no number")
    target = None
    if number:
        target = line.integer(number, f"the number of {which}", -LARGEST_TARGET, LARGEST_TARGET)
    return label, rule, target if rule.has_target else None


class Dominoes:
    """Reads as many dominoes as the board needs.

    If their number is wrong, an earlier error may be the cause. ``no_number`` is raised if the dominoes fit
    the board without row 1, and ``ragged`` if they do not fit.
    """

    def __init__(
        self,
        lines: UncommentedLines,
        board: Places,
        places: int,
        no_number: InputError | None,
        ragged: InputError | None,
    ):
        self._lines, self._places, self._no_number, self._ragged = lines, places, no_number, ragged
        self._labels = list(board.values())
        self._first_row = sum(row == 0 for row, _ in board)
        self._needed, self._odd = divmod(len(board), 2)
        self._found: list[tuple[int, int]] = []

    def read(self, rules: Line | None, rows_counted: bool) -> list[tuple[int, int]]:
        """Return the dominoes. ``rules`` is the line with the number of rules, if there is one."""
        first = self._lines.ahead()
        if rules is not None and (first is None or not looks_like_dominoes(first.text)):
            _count(self._lines, "dominoes", MOST_CELLS // 2, "rules", rules)
        if first is None:
            raise self._lines.fault("the file ends before the dominoes")
        number = whole_number(first.text)
        a_count = number is not None and not _TWO_DIGITS.fullmatch(first.text)
        a_count |= number == self._needed and first.text[0] != "0"  # 01 is a domino, not the number one
        if rules is not None and rows_counted and a_count:
            counted = _count(self._lines, "dominoes", MOST_CELLS // 2, "rules", rules)
            return self._counted(*counted, in_twos=True)
        if number is not None and number >= 0 and len(first.text) == 1:
            return self._counted(next(self._lines), number, in_twos=False)
        return self._uncounted(first, number if first.text.isdigit() and first.text[0] != "0" else None)

    def _counted(self, header: Line, count: int, in_twos: bool) -> list[tuple[int, int]]:
        """Return the dominoes after the line with their number. If ``in_twos``, ``12 34`` is one domino."""
        if self._odd or count != self._needed:
            self._refuse(header, count)
        while len(self._found) < count:
            which = f"domino {len(self._found) + 1} of {count}"
            line = self._lines.required(which)
            halves = line.words()
            if in_twos and len(halves) == 2 and not _JOINED.search(line.text):
                self._keep(line, halves[0], halves[1], which)
            else:
                self._read_line(line, f" of {count}")
            if len(self._found) > count:
                raise self._surplus(line, header, count)
        if (more := self._lines.ahead()) is not None and more.text.lower() != SOLUTION_LINE:
            raise self._surplus(more, header, count)
        return self._found

    def _uncounted(self, first: Line, number: int | None) -> list[tuple[int, int]]:
        """Return the dominoes up to the end. ``number`` is the first line as a number, if it may be one."""
        line = first
        while (following := self._lines.ahead()) is not None and following.text.lower() != SOLUTION_LINE:
            line = next(self._lines)
            self._read_line(line, "")
            if len(self._found) > self._needed + 1:
                self._refuse(line, len(self._found))
        if number is not None and number == len(self._found) - 1:
            del self._found[0]
            line = first
        elif number is not None and number == len(self._found) == self._needed:
            domino = quoted("-".join(first.text))
            what = f"{quoted(first.text)} is the domino {domino}, or the number of dominoes with one missing"
            raise first.fault(what, f"{domino} for the domino")
        if self._odd or len(self._found) != self._needed:
            self._refuse(line, len(self._found))
        return self._found

    def _read_line(self, line: Line, of: str) -> None:
        found = dominoes_in(line.text) if looks_like_dominoes(line.text) else None
        which = f"domino {len(self._found) + 1}{of}"
        if not found:
            expected = "two numbers of pips" if of else "two numbers of pips, such as 5-1 or 51"
            raise line.fault(f"{which} is {quoted(line.text)}", expected)
        for a, b in found:
            self._keep(line, a, b, f"domino {len(self._found) + 1}{of}")

    def _keep(self, line: Line, a: str, b: str, which: str) -> None:
        what = f"a half of {which}"
        self._found.append((line.integer(a, what, 0, MOST_PIPS), line.integer(b, what, 0, MOST_PIPS)))

    def _refuse(self, line: Line, count: int) -> NoReturn:
        """Raise InputError: the number of dominoes does not fit the board."""
        cells = len(self._labels)
        if self._no_number is not None and 2 * count == cells - self._first_row:
            raise self._no_number
        if self._ragged is not None:
            raise self._ragged
        expected = "an even number of cells" if self._odd else f"{self._needed} dominoes"
        if 2 * count == self._places - self._labels.count(NO_REGION):
            expected += ", or '.' and '#' the other way round: '.' is no cell, '#' a cell without a rule"
        raise line.fault(f"the number of dominoes is {count}, but the number of cells is {cells}", expected)

    @staticmethod
    def _surplus(more: Line, header: Line, count: int) -> InputError:
        announced = f"the {count} dominoes that line {header.number} announces"
        return more.fault(f"the last domino is followed by {quoted(more.text)}", f"only {announced}")
