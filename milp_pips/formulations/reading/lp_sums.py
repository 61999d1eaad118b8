"""Sums of terms in an LP file, and what is needed to read them: the next word, headings, names of columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from milp_pips.formulations.reading.lines import LINEAR, quoted
from milp_pips.formulations.reading.lp_words import (
    FIRST_WORDS,
    HEADINGS,
    INFINITE_WORDS,
    REFUSED_SECTIONS,
    Kind,
    Section,
    Word,
    glued_fault,
    name_fault,
    words_of,
)
from milp_pips.formulations.reading.numbers import ONE, ZERO, Numbers
from milp_pips.problem.errors import InputError


@dataclass(slots=True)
class Side:
    """A side of a row: its columns, its constant, or the sign of infinity if that is all of it."""

    terms: dict[int, Fraction] = field(default_factory=dict)
    constant: Fraction = ZERO
    infinite: int = 0


class Sums:
    """Reads the words of a file one after the other. ``at`` is the position of the next one."""

    def __init__(self, text: str, file: str):
        self.words, self.file, self.at = words_of(text, file), file, 0
        self.notes: list[tuple[str, int]] = []
        self.names: dict[str, int] = {}
        self.numbers = Numbers()

    def fault(self, what: str, expected: str = "", word: Word | None = None) -> InputError:
        """Return the error at a word, or at the next one."""
        return InputError(what, self.file, (word or self.words[self.at]).line, expected)

    def heading(self, at: int) -> tuple[str, int]:
        """Return the section whose heading is at this position, and its number of words; or "" and 0.

        Raises InputError for sections that state more than a linear model, unless they are empty.
        """
        word = self.words[at]
        if word.kind != Kind.NAME or word.text.lower() not in FIRST_WORDS:
            return "", 0
        for count in (3, 2, 1):
            words = [following.text.lower() for following in self.words[at : at + count]]
            together = " ".join(words).replace(" - ", "-")
            if self.words[min(at + count, len(self.words)) - 1].line > word.line:
                continue
            if together in HEADINGS:
                return HEADINGS[together], count
            if together in REFUSED_SECTIONS:
                after = self.words[at + count]
                if after.kind == Kind.END or after.text.lower() in FIRST_WORDS:  # HiGHS writes empty sections
                    return Section.EMPTY, count
                raise self.fault(f"{quoted(together)} states more than a linear model", LINEAR, word)
        return "", 0

    def enter(self) -> str:
        """Return the section that begins here, and go behind its heading. Raises InputError if none does."""
        word = self.words[self.at]
        section, count = self.heading(self.at)
        if not section:
            if word.kind == Kind.END:
                raise self.fault("the file ends without End", "End: part of the file is missing")
            raise self.fault(f"{quoted(word.text)} where a section or a term was expected")
        self.at += count
        if self.words[self.at].text == ":":
            if section not in (Section.MIN, Section.MAX, Section.ROWS):
                raise self.fault(f"{quoted(word.text)} begins a section and is no name of a row")
            self.at += 1
        return section

    def column(self, word: Word, *, declared: bool = False) -> int:
        """Return the position of a column; it is a new one if its name is new."""
        j = self.names.get(word.text)
        if j is None:
            if fault := name_fault(word.text):
                raise self.fault(fault, word=word)
            if declared:
                what = f"{quoted(word.text)} is neither in the objective nor in a row; it counts as a column"
                self.notes.append((what, word.line))
            j = self.names[word.text] = len(self.names)
        return j

    def number(self, word: Word) -> Fraction:
        try:
            return self.numbers[word.text]
        except ValueError as error:
            raise self.fault(str(error), word=word) from None

    def is_over(self) -> bool:
        """Return whether a section or the file ends here."""
        return self.words[self.at].kind == Kind.END or bool(self.heading(self.at)[0])

    def label(self) -> str:
        """Return the name before a colon, and go behind it; empty if there is none."""
        name = self.words[self.at]
        if name.kind != Kind.NAME or self.words[self.at + 1].text != ":":
            return ""
        if fault := name_fault(name.text, of_row=True):
            raise self.fault(fault)
        self.at += 2
        return name.text

    def side(self, *, closing: bool = False, body: bool = False, labelled: bool = False) -> Side:
        """Read a side of a row, or the objective: terms with signs between them.

        ``closing``: it is the last side, which may end with its line. ``body``: only a number is before it.
        """
        side, first = Side(), True
        while True:
            word = self.words[self.at]
            new_line = not first and word.line > self.words[self.at - 1].line
            if word.kind == Kind.SIGN and closing and new_line:
                if not side.terms:
                    return side
                if not (body and labelled):
                    what = "a sign on a new line after a right side with columns: a new row or the same one?"
                    raise self.fault(what, "a right side on one line")
            sign, signs = 1, 0
            while self.words[self.at].kind == Kind.SIGN:
                sign, signs = (-sign if self.words[self.at].text == "-" else sign), signs + 1
                self.at += 1
            if signs > 2:
                raise self.fault(f"{signs} signs in a row", "one, or two")
            if not signs and not first:
                return side
            self._term(side, sign, closing=closing)
            first = False

    def _term(self, side: Side, sign: int, *, closing: bool) -> None:
        """Read a number, a name or both, and add them to the side."""
        word, number = self.words[self.at], ONE
        if side.infinite:
            raise self.fault("a sum with infinity", "a number", word)
        if word.kind == Kind.NUMBER:
            self.at += 1
            if not self._is_factor(word, closing=closing):
                self._constant(side, sign, word)
                return
            number, word = self.number(word), self.words[self.at]
        elif word.kind == Kind.NAME and word.text.lower() in INFINITE_WORDS:
            self.at += 1
            self._infinite(side, sign, word)
            return
        elif word.kind != Kind.NAME or self.is_over():
            self.refuse(word)
        self.at += 1
        j = self.column(word)
        after = self.words[self.at]
        if after.text == "*" and self.words[self.at + 1].kind == Kind.NUMBER:
            what = f"{quoted(f'{word.text} * {self.words[self.at + 1].text}')}: a number after its column"
            raise self.fault(what, "the number first", after)
        if after.kind == Kind.OTHER and after.text != ":":
            self.refuse(after)
        if (
            after.kind in (Kind.NAME, Kind.NUMBER)
            and not self.is_over()
            and not (closing and after.line > word.line)
        ):
            what = f"{quoted(f'{word.text} {after.text}')}: no sign between two terms"
            raise self.fault(what, "+ or -", after)
        side.terms[j] = side.terms.get(j, ZERO) + (number if sign > 0 else -number)

    def _is_factor(self, number: Word, *, closing: bool) -> bool:
        """Return whether a name that is multiplied follows the number, and go behind a ``*``."""
        after = self.words[self.at]
        if after.text == "*":
            self.at += 1
            after = self.words[self.at]
            if after.kind != Kind.NAME:
                self.refuse(after)
            return True
        if after.glued and after.kind in (Kind.NAME, Kind.NUMBER):
            if fault := glued_fault(number.text, after):
                raise self.fault(fault, word=number)
            return True
        if after.kind == Kind.NUMBER and not (closing and after.line > number.line):
            what = f"{quoted(f'{number.text} {after.text}')}: two numbers without a sign between them"
            raise self.fault(what, "one number and one name", after)
        return after.kind == Kind.NAME and not self._begins_row(after, number, closing=closing)

    def _begins_row(self, name: Word, number: Word, *, closing: bool) -> bool:
        """Return whether the name after a number is no column, but begins a row or a section."""
        after = self.words[self.at + 1]
        is_label = after.kind == Kind.OTHER and after.text == ":"
        return is_label or (closing and name.line > number.line) or bool(self.heading(self.at)[0])

    def _constant(self, side: Side, sign: int, word: Word) -> None:
        try:
            infinite = self.numbers.bounds[word.text] is None
        except ValueError as error:
            raise self.fault(str(error), word=word) from None
        if infinite:
            self._infinite(side, sign, word)
        else:
            side.constant += sign * self.number(word)

    def _infinite(self, side: Side, sign: int, word: Word) -> None:
        if side.terms or side.constant or self.words[self.at].kind == Kind.SIGN:
            raise self.fault(f"the infinite number {quoted(word.text)} in a sum", "a number", word)
        side.infinite = sign

    def refuse(self, word: Word) -> NoReturn:
        """Raise the error for a word that cannot stand in a sum."""
        if word.text == "->" or (word.kind == Kind.RELATION and self.words[self.at + 1].text == ">"):
            raise self.fault("-> states more than a linear model", LINEAR, word)
        if word.text == "::":
            raise self.fault(":: states more than a linear model", LINEAR, word)
        if word.kind == Kind.OTHER and word.text in "[]^*":
            raise self.fault(
                f"{word.text} is part of a quadratic expression, more than a linear model", LINEAR, word
            )
        what = f"{quoted(word.text)}" if word.text else "the end of the file"
        raise self.fault(f"{what} where a number or a name was expected", word=word)
