"""Texts of Pips as people type them, in the order of our format: the board, the rules, the dominoes.

::

    text      = [title] {line}
    line      = [bullet] (heading [":" content] | content) [note] | size | frame
    content   = row | rules | dominoes
    row       = as in our format | "| A | B |" | "A,B" | "1: AB" | "'AB',"
    note      = "# …" | "-- …" | "(…)" after a rule or dominoes
    frame     = a line between parts, or around a table, a list or code

What follows a heading is of its part. Dominoes move behind the rules, and holes become ``.``: a hole is
typed as one of ``HOLE_MARKS`` or a blank, if only then the board has as many cells as the dominoes cover.
A first line of words without a blank line below it is a title if only then the dominoes cover the board.
"""

from __future__ import annotations

import re
from itertools import takewhile, zip_longest

from milp_pips.puzzles.located import Line, quoted, whole_number
from milp_pips.puzzles.pips.rules import dominoes_in, looks_like_rules
from milp_pips.render.vocabulary import connected_parts

BOARD_HEADINGS = ("board", "grid", "map", "cells")
DOMINO_HEADINGS = ("dominoes", "dominos", "pieces", "tiles", "tray")
RULE_HEADINGS = ("rules", "constraints", "clues", "conditions", "regions")
HOLE_MARKS = ("_", "-", "x", "X", "o", "O", "*", "#", "·")
"""What people type for a hole, besides a blank."""

_HEADING = re.compile(
    rf"(?:[#*]+\s*|[0-9]+ |the )?({'|'.join((*BOARD_HEADINGS, *DOMINO_HEADINGS, *RULE_HEADINGS))})\**"
    r"\s*(?:(?:\b(?:is|are)\b:?|:|=(?!\s*-?[0-9]))\s*(.*)|)",
    re.IGNORECASE,
)
_NAMED_DOMINOES = re.compile(
    rf"(?:the )?(?:domino [0-9]+|{'|'.join(DOMINO_HEADINGS)})(?::| =)? ([^A-Za-z]+)", re.IGNORECASE
)
_SEPARATOR_LINE = re.compile(r"-{3,}|={3,}|\*{3,}|`{3}\w*")
_FRAME = re.compile(r"(?=.*[|+])(?=.*[-=])[-+=:|\s]+|[\[\]()]+,?|</?\w+>|'{3}|\"{3}")
_SIZE = re.compile(r"([0-9]{1,3})(?: ?(?:x|×|by) ?| )([0-9]{1,3})")
_LISTED_ROW = re.compile(r"\[[^\[\]]+\]")
_NOTE = re.compile(r"\s(?:#|--|\()")
_NO_RULE = re.compile(
    r"(?:region )?\w+ ?:? ?\b(?:any|anything|none|no (?:rule|clue|constraint)|free|empty)", re.IGNORECASE
)
_TABLE_ROW = re.compile(r"\|(?=.*[A-Za-z])(.*)\|")
_CSV_ROW = re.compile(r"(?=.*[A-Za-z])(?:\w|[#._-]|(?=,))?(?:[,;] ?(?:\w|[#._-])?)+")
_ROW_NUMBER = re.compile(r"(?:[0-9]{1,2}[:.)]|-) +(?=[A-Za-z#._]{2,}$)")
_BULLET = re.compile(r"[-*•] +")
_TITLE_WORDS = re.compile(r"(?=.*[a-z]{3}).*\s")
_DOMINO_CROSS = re.compile(r"(?<![\w])([0-9]{1,2}) ?[x×*] ?([0-9]{1,2})(?![\w])")
_QUOTED = re.compile(r"'[^']+'|\"[^\"]+\"")
_DOMINO_SIGN = re.compile(r"[-–—|/\[(]")
_WIDE_SIGNS = str.maketrans("＝＞＜：，│┃║─━═", "=><:,|||---") | str.maketrans(
    dict.fromkeys("┌┬┐├┼┤└┴┘┏┳┓┣╋┫┗┻┛╔╦╗╠╬╣╚╩╝╭╮╰╯", "+")
)
_CODE = str.maketrans("", "", "'\"{}")


def arranged(lines: list[Line], end: str) -> list[Line]:
    """Return the lines in order, without what is around them. Lines from ``end`` on stay as they are."""
    mine = list(takewhile(lambda line: line.text.lower().removesuffix(":") != end, lines))
    rest, is_code = lines[len(mine) :], any(_QUOTED.search(line.text) for line in mine)
    mine = [line._replace(text=_content(line.text, is_code)) for line in mine[_has_title(mine) :]]
    parts = _Parts(is_dashed=any("-" in line.text and is_row(line) for line in mine))
    for line, following in zip_longest(mine, mine[1:]):
        parts.take(line, "" if following is None else following.text)
    return [*parts.drawn(), *parts.rules, *parts.dominoes, *rest]


class _Parts:
    """The lines of the board, the rules and the dominoes, and the part that is being read.

    ``size`` is the line with the size of the board. ``is_below`` means that the board is below other parts.
    """

    def __init__(self, is_dashed: bool):
        self.board: list[Line] = []
        self.rules: list[Line] = []
        self.dominoes: list[Line] = []
        self.size: Line | None = None
        self._part, self._is_below, self._is_dashed = self.board, False, is_dashed

    def take(self, line: Line, following: str) -> None:
        """Put a line into its part, unless it says nothing of the puzzle. ``following`` is the next line."""
        is_first = not (self.board or self.rules or self.dominoes or self.size)
        if is_first and _SIZE.fullmatch(line.text) and following and not dominoes_in(following):
            self.size = line
            return
        content = self._content_of(line.text)
        for text in [content] if self._part is not self.board else _rows_of(content, content != line.text):
            if self._part is not self.board:
                text = text.replace(" and ", ", ")
            text = _DOMINO_CROSS.sub(r"\1-\2", text)
            is_frame = not text or _FRAME.fullmatch(text)
            if not is_frame and (self._is_dashed or not _SEPARATOR_LINE.fullmatch(text)):
                self._put(line._replace(text=text), following)

    def drawn(self) -> list[Line]:
        """Return the rows of the board with ``.`` in each hole, below their number if there is one.

        Raises InputError, also if the board does not have the size that is stated above it.
        """
        if not self.board:
            return []
        count = sum(len(dominoes_in(line.text)) for line in self.dominoes)
        rules = " ".join(line.text for line in self.rules)
        drawn = _with_holes(self.board, count, rules)
        if _TITLE_WORDS.match(self.board[0].text) and len({len(line.words()) for line in self.board}) > 1:
            below = _with_holes(self.board[1:], count, rules)
            drawn = below if _cells_of(below) == 2 * count else drawn
        if self.size is None:
            return drawn
        height = re.split(r"\D", self.size.text)[0]
        if int(height) != len(drawn):
            raise self.size.fault(f"the board has {len(drawn)} rows", f"{height}, as this line says")
        return [self.size._replace(text=height), *drawn]

    def _content_of(self, text: str) -> str:
        """Return a line without its heading, which says of what part it is."""
        named = _NAMED_DOMINOES.fullmatch(text)
        if named and len(dominoes_in(named[1])) > ("=" in text):  # "tray = 12" is the rule of a region
            self._part = self.dominoes
            return named[1]
        heading = _HEADING.fullmatch(text)
        if heading is None:
            return text
        word, content = heading[1].lower(), heading[2] or ""
        is_board = word in BOARD_HEADINGS
        self._part = self.board if is_board else self.dominoes if word in DOMINO_HEADINGS else self.rules
        self._is_below = is_board and bool(self.rules or self.dominoes)
        return "" if not content.strip("[(|>'\"") or whole_number(content) is not None else content

    def _put(self, line: Line, following: str) -> None:
        text = line.text
        bare = _without_note(text[bullet.end() :] if (bullet := _BULLET.match(text)) else text)
        board, part = self.board, self._part
        if (board or part is self.dominoes or _DOMINO_SIGN.search(bare)) and dominoes_in(bare):
            self._part = part if board else self.dominoes
            self.dominoes.append(line._replace(text=bare))
        elif (board or part is self.rules or not is_row(line)) and looks_like_rules(bare):
            self._part = part if board else self.rules
            self.rules.append(line._replace(text=bare))
        elif (board or part is self.rules) and _NO_RULE.fullmatch(bare):
            return
        elif self.size and board and following and whole_number(bare) is not None:
            counted = self.rules if looks_like_rules(following) else self.dominoes
            counted.append(line)
        elif part is board and (self._is_below or not (self.rules or self.dominoes)):
            if board and line.after_blank:
                self.rules.append(line)  # which says what is wrong with it
            else:
                board.append(line._replace(text=_without_brackets(text)))
        elif not board and (part is self.dominoes or (self.rules and line.after_blank and is_row(line))):
            self._part, self._is_below = board, True  # parts above a board without a heading
            board.append(line)
        else:
            (self.dominoes if self.dominoes and part is not self.rules else self.rules).append(line)


def _has_title(lines: list[Line]) -> bool:
    """Return whether the first of three lines is a title: words with a blank line below them."""
    if len(lines) < 3 or not lines[1].after_blank or not _TITLE_WORDS.match(lines[0].text):
        return False
    return not any(
        _HEADING.fullmatch(line.text) or looks_like_rules(line.text) or dominoes_in(line.text)
        for line in lines[:2]
    )


def _without_note(text: str) -> str:
    """Return a rule or dominoes without what is said behind them."""
    note = _NOTE.search(text)
    if note is None or looks_like_rules(text) or dominoes_in(text):
        return text
    said = text[: note.start()].rstrip()
    return said if looks_like_rules(said) or dominoes_in(said) or _NO_RULE.fullmatch(said) else text


def _rows_of(text: str, is_behind_heading: bool) -> list[str]:
    """Return the rows in a line: several if it has a whole list of rows, else one."""
    if not text.startswith("[") or text.count("[") != text.count("]"):
        return [text]
    if text.startswith("[["):
        return _LISTED_ROW.findall(text)
    return [row.strip() for row in text[1:-1].split(",")] if is_behind_heading else [text]


def _without_brackets(row: str) -> str:
    """Return a row such as ``[A, A, B]`` or ``[A][A][B]`` with blanks between its cells."""
    if row[0] != "[" or row.rstrip(" ,")[-1] != "]":
        return row
    return " ".join(cell.strip() or "." for cell in re.split(r"\]\s*\[|,", row.strip("[], ")))


def _cells_of(rows: list[Line]) -> int:
    """Return the number of cells of rows with single labels, or with blanks between labels."""
    spaced = any(" " in row.text for row in rows)
    marks = [mark for row in rows for mark in (row.words() if spaced else row.text)]
    return sum(mark.strip(".…") != "" for mark in marks)


def _content(text: str, is_code: bool) -> str:
    """Return a line without quotes and signs of code, and the cells of a table's row with blanks between."""
    text = text.translate(_WIDE_SIGNS)
    if is_code:  # else a brace may be a label
        text = text.translate(_CODE).strip(" ,")
    text = text[number.end() :] if (number := _ROW_NUMBER.match(text)) else text
    if row := _TABLE_ROW.fullmatch(text):
        cells = row[1].split("|")
    elif _CSV_ROW.fullmatch(text) and not looks_like_rules(text):
        cells = re.split("[,;]", text)
    else:
        return text
    return " ".join(cell.strip() or "." for cell in cells)


def is_row(line: Line) -> bool:
    """Return whether a line may be a row of the board: letters with other marks between them."""
    return bool(re.fullmatch(r"[A-Za-z#._ -]*[A-Za-z][A-Za-z#._ -]*", line.text)) and ">" not in line.text


def _with_holes(board: list[Line], dominoes: int, rules: str) -> list[Line]:
    """Return the rows with ``.`` in each hole; the rows themselves unless one mark alone may be a hole.

    Raises InputError for letters that may be a region without a rule whose dominoes were forgotten.
    """
    indent = min(line.indent for line in board)
    raw = [" " * (line.indent - indent) + line.text for line in board]
    spaced = all(not row[1::2].strip() for row in raw) and any(len(row) > 1 for row in raw)
    whole = [len(row) for row in raw if " " not in row]
    if not spaced and (not whole or max(map(len, raw)) > max(whole)):
        return board  # labels of several characters, or rows that are not aligned
    rows = [row[::2] if spaced else row for row in raw]
    marks = "".join(rows)
    cells = sum(mark not in ". …" for mark in marks)
    named = set(re.findall(r"(?:^|[\s,])([-_xX])(?=[\s:=])", rules))
    fitting = [h for h in ("", *HOLE_MARKS) if not h or (h in marks and h not in named)]
    fitting = [h for h in fitting if cells - (marks.count(h) if h else 0) == 2 * dominoes]
    if len(fitting) != 1 or (fitting == [""] and " " not in marks) or not dominoes:
        return board
    cut = [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == fitting[0]]
    if fitting[0] not in "_-·" and len(cut) % 2 == 0 and len(connected_parts(cut)) == 1:
        if fitting[0] == "#":
            return board
        what = f"{quoted(fitting[0])} marks {len(cut)} gaps, or a region that the dominoes do not cover"
        raise board[cut[0][0]].fault(what, f"'.' for gaps, or {dominoes + len(cut) // 2} dominoes")
    width, holes = max(map(len, rows)), str.maketrans(dict.fromkeys(f" {fitting[0]}", "."))
    between = " " if spaced else ""
    return [
        line._replace(text=between.join(row.translate(holes).ljust(width, ".")), indent=0)
        for line, row in zip(board, rows, strict=True)
    ]
