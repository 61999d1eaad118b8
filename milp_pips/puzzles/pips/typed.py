"""Texts of Pips as people type them, in the order of our format: the board, the rules, the dominoes.

::

    text      = [title] {line}
    line      = [bullet] (heading [":" content] | content) [note] | size | frame | comment
    content   = row | rules | dominoes
    row       = as in our format | "| A | B |" | "A,B" | "1: AB" | "'AB',"
    note      = "# …" | "-- …" | "; …" | "(…)" after content
    comment   = "# …" | "-- …" | "; …" | "% …" with words | "/* … */" | "<!-- … -->"
    frame     = a line between parts, or around a table, a list or code

What follows a heading is of its part. Dominoes move behind the rules, and holes become ``.``: a hole is
typed as one of ``HOLE_MARKS`` or a blank, if only then the board has as many cells as the dominoes cover.
A first line of words without a blank line below it is a title, and numbers beside rows and words behind
them do not count, if only then the dominoes cover the board. Numbers with a sign, as ``1: AB``, are refused
unless they count up, and so is what may be a comment or a rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile, zip_longest

from milp_pips.puzzles.located import Line, quoted, whole_number
from milp_pips.puzzles.pips.rules import dominoes_in, looks_like_rules, rules_in, typed_rule
from milp_pips.render.vocabulary import connected_parts

BOARD_HEADINGS = ("board", "grid", "map", "cells", "layout")
DOMINO_HEADINGS = ("dominoes", "dominos", "domino", "pieces", "tiles", "tray", "bones")
RULE_HEADINGS = ("rules", "constraints", "clues", "conditions", "regions", "requirements", "legend")
HOLE_MARKS = "_-xXoO0*#·•×~+—■□▪▫░▒▓█○●⬛⬜"
"""What people type for a hole, besides a blank."""

_HEADING = re.compile(
    r"[\[<#*=-]{0,9}\s?(?:(?:step |part )?[0-9]{1,2}[.:)]? |the |my |your |available |given |puzzle )?"
    rf"({'|'.join((*BOARD_HEADINGS, *DOMINO_HEADINGS, *RULE_HEADINGS))})"
    r"(?: tiles| set| list| layout| to place)?(?: [0-9]{1,2} ?[x×] ?[0-9]{1,2}| ?\([^()]{1,20}\))?\**"
    r"\s?(?:[]>*=-]{2,9}|(?:\b(?:is|are)\b:?|:\**|=(?!\s*-?[0-9]))\s*(.*)|[]>*-]?)",
    re.IGNORECASE,
)
_HEADING_AHEAD = re.compile(
    rf"[;.] ?(?=(?:{'|'.join((*DOMINO_HEADINGS, *RULE_HEADINGS))}) ?:)", re.IGNORECASE
)
_NAMED_DOMINOES = re.compile(
    rf"(?:the )?(?:(?:domino |[d#])[0-9]{{1,3}}|{'|'.join(DOMINO_HEADINGS)})(?::| =)? ([^A-Za-z]+)",
    re.IGNORECASE,
)
_PRINTED = re.compile(r"(?:title|name|author|date|source|level|difficulty) ?[:=]", re.IGNORECASE)
_COMMENTED = re.compile(r"(?:(?:[#%]|--)\s|;)(.*)|/\*.*\*/|<!--.*-->")
_SEPARATOR_LINE = re.compile(r"-{3,}|={3,}|\*{3,}|`{3}\w*")
_FRAME = re.compile(r"(?=.*[|+])(?=.*[-=])[-+=:|\s]+|[\[\]()]+,?|</?\w+>|'{3}|\"{3}")
_SIZE = re.compile(
    r"(?:size ?[:=]? ?)?([0-9]{1,3})(?: ?(?:x|×|by|rows?,?(?: and)?) ?| )([0-9]{1,3})(?: col(?:umn)?s?)?",
    re.IGNORECASE,
)
_LISTED_ROW = re.compile(r"\[[^\[\]]+\]")
_NOTE = re.compile(r"\s(?:#|--|\()")
_NO_RULE = re.compile(
    r"(?:region )?\w+ {0,9}(?:[:=–—-] {0,9})?\b"
    r"(?:any|anything|none|no (?:rule|clue|constraint)s?|free|empty|unconstrained)",
    re.IGNORECASE,
)
_TABLE_ROW = re.compile(r"\|(?=.*[A-Za-z])(.*)\|")
_CSV_ROW = re.compile(r"(?=.*[A-Za-z])(?:\w|[#._-]|(?=,))?(?:[,;] ?(?:\w|[#._-])?)+")
_ROW_NUMBER = re.compile(r"(?:(?:[0-9]{1,2}[:.)]|-) +(?=[A-Za-z#._]{2,}$)|[Rr]ow [0-9]{1,2}:? )")
_ROW_OF_DIGITS = re.compile(r"[0-9#._-]+(?: [0-9#._-]+)*")
_SUM_OF_DIGIT = re.compile(r"([0-9]+) ?[:=] ?([0-9]+)")
_DASH_FOR_NONE = re.compile(r"\w ?: ?[-–—]")
_BULLET = re.compile(r"(?:[-*•]|[0-9]{1,2}[.)]) +")
_STRESSED = re.compile(r"(\*\*|`)(\w+)\1")
_ROW_NOTE = re.compile(r"\s(?:[#;(]|--|<-|←)[^#;(]*[^\W\d_]{2}[^#;(]*$")
_RULES_HEAD = re.compile(
    r"(?:region|label)s?[ ,](?:rule|type|clue)s?(?:[ ,](?:value|number|target)s?)?", re.I
)
_CSV_RULE = re.compile(r"(\w+),([A-Za-z ]{3,}|[<>=≠≤≥!]+),(-?[0-9]*)")
_TITLE_WORDS = re.compile(r"(?=.*[a-z]{3}).*\s")
_DOMINO_CROSS = re.compile(r"(?<![\w])([0-9]{1,2}) ?[x×*] ?([0-9]{1,2})(?![\w])")
_REPEATED = re.compile(
    r"(?<![\w-])(?:([1-9]) ?[x×] (?=[0-9]{1,2}[-–|/:])|)([0-9]{1,2} ?[-–|/:] ?[0-9]{1,2})"
    r"(?: \(?[x×] ?([1-9])\)?|)(?![\w-])"
)
_PAIR = re.compile(
    r"[{<] ?([0-9]{1,2}) ?[,|/:;-] ?([0-9]{1,2}) ?[>}]|(?<!\w)([0-9]{1,2})[_\\]([0-9]{1,2})(?!\w)"
)
_RULE_TUPLE = re.compile(r"\(([^()0-9,]+), ?(?:None|([^(),]*))\)")
_QUOTED = re.compile(r"'[^']+'|\"[^\"]+\"")
_ASSIGNED_TEXT = re.compile(r"(?<=\w) ?= ?(?=['\"])")
_DOMINO_SIGN = re.compile(r"[-–—|/\[(]")
_PLAIN_SIGNS: dict[int, str] = {
    **dict(zip(map(ord, "│┃║─━═⇒⚀⚁⚂⚃⚄⚅"), "|||---→123456", strict=True)),
    **dict.fromkeys(map(ord, "┌┬┐├┼┤└┴┘┏┳┓┣╋┫┗┻┛╔╦╗╠╬╣╚╩╝╭╮╰╯"), "+"),
    **{wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)},
    **{first + i: f" {i // 7}-{i % 7} " for first in (0x1F031, 0x1F063) for i in range(49)},
}
"""Lines of boxes, dice, letters and signs of double width, and dominoes that lie and stand."""
_CODE = str.maketrans("", "", "'\"{}")


def arranged(lines: list[Line], end: str) -> list[Line]:
    """Return the lines in order, without what is around them. Lines from ``end`` on stay as they are."""
    mine = list(takewhile(lambda line: line.text.lower().removesuffix(":") != end, lines))
    rest, is_code = lines[len(mine) :], any(_QUOTED.search(line.text) for line in mine)
    if all(line.text[0] == ">" for line in mine):  # a quotation
        mine = [line._replace(text=text) for line in mine if (text := line.text[1:].strip())]
    mine = [line._replace(text=text) for line in mine for text in _HEADING_AHEAD.split(line.text) if text]
    often = Counter(word for line in mine for word in set(line.words()))
    mine = [line for line in mine[_has_title(mine) :] if not _is_comment(line, often)]
    mine = [line._replace(text=text) for line in mine if (text := _without_code(line.text, is_code))]
    mine = [line._replace(text=_content(line.text)) for line in _without_numbers(mine)]
    parts = _Parts(
        is_dashed=any("-" in line.text and is_row(line) for line in mine),
        is_numbered=any(
            (rule := typed_rule(line.text)) and rule.word and rule.label.rstrip(":").isdigit()
            for line in mine
            if line.text[0].isdigit()
        ),
    )
    for line, following in zip_longest(mine, mine[1:]):
        parts.take(line, "" if following is None else following.text)
    return [*parts.drawn(), *parts.rules, *parts.dominoes, *rest]


class _Parts:
    """The lines of the board, the rules and the dominoes, and the part that is being read.

    ``size`` is the line with the size of the board. ``is_below`` means that the board is below other parts,
    ``is_numbered`` that rules name regions by numbers.
    """

    def __init__(self, is_dashed: bool, is_numbered: bool):
        self.board: list[Line] = []
        self.rules: list[Line] = []
        self.dominoes: list[Line] = []
        self.size: Line | None = None
        self._part, self._is_below, self._is_dashed = self.board, False, is_dashed
        self._is_numbered = is_numbered

    def take(self, line: Line, following: str) -> None:
        """Put a line into its part, unless it says nothing of the puzzle. ``following`` is the next line."""
        is_first = not (self.board or self.rules or self.dominoes or self.size)
        if is_first and _SIZE.fullmatch(line.text) and following and not dominoes_in(following):
            self.size = line
            return
        if is_first and _PRINTED.match(line.text) and not looks_like_rules(line.text):
            return
        content = self._content_of(line.text)
        for text in [content] if self._part is not self.board else _rows_of(content, content != line.text):
            if self._part is not self.board:
                text = text.replace(" and ", ", ")
            text = _DOMINO_CROSS.sub(r"\1-\2", _REPEATED.sub(_repeated, text))
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
        rules = ",".join(line.text for line in self.rules)
        for reading in _readings(self.board):
            drawn = _with_holes(reading, count, rules)
            if _cells_of(drawn) == 2 * count:
                break
        else:
            drawn = _with_holes(self.board, count, rules)
        if self.size is None:
            return [drawn[0]._replace(text=str(len(drawn))), *drawn] if self._is_numbered else drawn
        height = re.findall("[0-9]+", self.size.text)[0]
        if int(height) != len(drawn):
            raise self.size.fault(f"the board has {len(drawn)} rows", f"{height}, as this line says")
        return [self.size._replace(text=height), *drawn]

    def _content_of(self, text: str) -> str:
        """Return a line without its heading, which says of what part it is."""
        named = _NAMED_DOMINOES.fullmatch(text)
        may_be_rule = "=" in text or text[1:2].isdigit()  # "d1 = 12", "tray = 12" is the rule of a region
        if (
            named
            and dominoes_in(named[1])
            and not (may_be_rule and whole_number(named[1].strip()) is not None)
        ):
            self._part = self.dominoes
            return named[1]
        heading = _HEADING.fullmatch(text)
        if heading is None or any(heading[1] in row.words() for row in self.board):
            return text
        word, content = heading[1].lower(), heading[2] or ""
        is_board = word in BOARD_HEADINGS
        self._part = self.board if is_board else self.dominoes if word in DOMINO_HEADINGS else self.rules
        self._is_below = is_board and bool(self.rules or self.dominoes)
        return "" if not content.strip("[(|>'\"") or whole_number(content) is not None else content

    def _put(self, line: Line, following: str) -> None:
        text, board, part = line.text, self.board, self._part
        bare = self._bare(text)
        if self._is_numbered and part is self.rules and (total := _SUM_OF_DIGIT.fullmatch(bare)):
            bare = f"{total[1]} sum {total[2]}"
        begins = not board or (len(text) == len(board[-1].text) and not (self.rules or line.after_blank))
        if self._is_numbered and part is board and begins and _ROW_OF_DIGITS.fullmatch(text):
            board.append(line)
        elif board and _RULES_HEAD.fullmatch(text):
            return
        elif (board or part is self.dominoes or _DOMINO_SIGN.search(bare)) and dominoes_in(bare):
            self._part = part if board else self.dominoes
            self.dominoes.append(line._replace(text=bare))
        elif (board or part is self.rules or not is_row(line)) and looks_like_rules(bare):
            self._part = part if board else self.rules
            self.rules.append(line._replace(text=bare))
        elif (board or part is self.rules) and (_NO_RULE.fullmatch(bare) or _DASH_FOR_NONE.fullmatch(bare)):
            return
        elif self.size and board and following and whole_number(bare) is not None:
            counted = self.rules if looks_like_rules(following) else self.dominoes
            counted.append(line)
        elif part is board and (self._is_below or not (self.rules or self.dominoes)):
            if not board and _has_sign(text):
                raise line.fault(f"there is a rule in the board row {quoted(text)}", "rules below the board")
            if board and line.after_blank:
                self.rules.append(line)  # which says what is wrong with it
            else:
                board.append(line._replace(text=_without_brackets(text)))
        elif not board and (part is self.dominoes or (self.rules and line.after_blank and is_row(line))):
            self._part, self._is_below = board, True  # parts above a board without a heading
            board.append(line)
        else:
            (self.dominoes if self.dominoes and part is not self.rules else self.rules).append(line)

    def _bare(self, text: str) -> str:
        """Return a rule or dominoes without what is around them. What has a label behind it is no note."""
        text = _STRESSED.sub(r"\2", text[bullet.end() :] if (bullet := _BULLET.match(text)) else text)
        text = text.removesuffix(".").rstrip()
        if self.board or self._part is self.dominoes:
            text = _PAIR.sub(lambda pair: "-".join(half for half in pair.groups() if half), text)
        said, _, note = text.partition(" ;")
        words = set(note.split())
        if self.board and words and all(word.isalpha() and len(word) > 1 for word in words):
            text = text if any(words.intersection(row.words()) for row in self.board) else said
        return _without_note(text)


def _is_comment(line: Line, often: Counter[str]) -> bool:
    """Return whether a line is a comment: no row or heading, and with a word of its own.

    Raises InputError for a rule or dominoes behind the sign of a comment, which may count or not.
    """
    comment = _COMMENTED.fullmatch(line.text)
    if comment is None or (said := comment[1]) is None or _HEADING.fullmatch(line.text):
        return comment is not None and comment[1] is None
    said = said.translate(_CODE)
    rule = typed_rule(said.strip())
    is_own = rule is not None and len(rule.label) > 1 and often[rule.label] == 1
    if dominoes_in(said) or (looks_like_rules(said) and not is_own):
        raise line.fault(f"{quoted(line.text)} may be a comment or count", "no sign before what counts")
    words = said.split()
    return not _CSV_ROW.fullmatch(line.text) and any(len(word) > 1 and often[word] == 1 for word in words)


def _repeated(domino: re.Match[str]) -> str:
    """Return a domino as often as it says, as ``2-2 x2`` does."""
    return ", ".join([domino[2]] * int(domino[1] or domino[3])) if domino[1] or domino[3] else domino[0]


def _readings(board: list[Line]) -> Iterator[list[Line]]:
    """Yield the rows without a title, as they are, without notes behind them, without numbers beside them."""
    if _may_be_title(board[0].text) and len({len(line.words()) for line in board}) > 1:
        yield board[1:]
    yield board
    if len(board) == 1 and len(words := board[0].words()) > 1:
        yield [board[0]._replace(text=word) for word in words]
    bare = [line._replace(text=_ROW_NOTE.sub("", line.text).rstrip()) for line in board]
    if bare != board and all(line.text for line in bare):
        yield bare
    rows = board[1:] if _is_counted(board[0].words()) else board
    if (
        rows
        and _is_counted([line.words()[0] for line in rows])
        and all(len(line.words()) > 1 for line in rows)
    ):
        yield [line._replace(text=" ".join(line.words()[1:]), indent=0) for line in rows]
    elif rows and rows != board:
        yield rows


def _is_counted(words: list[str]) -> bool:
    """Return whether these are the numbers or letters of rows or columns."""
    return len(words) > 1 and any(
        words == [chr(first + i) for i in range(len(words))]
        if first > 1
        else words == [str(first + i) for i in range(len(words))]
        for first in (0, 1, ord("a"), ord("A"))
    )


def _has_sign(text: str) -> bool:
    """Return whether there is a rule with a sign among the pieces of a line."""
    return any(rule and rule.word and not rule.word[0].isalnum() for rule in map(typed_rule, rules_in(text)))


def _may_be_title(text: str) -> bool:
    """Return whether these are words without a rule that has a sign."""
    return bool(_TITLE_WORDS.match(text)) and not _has_sign(text)


def _has_title(lines: list[Line]) -> bool:
    """Return whether the first of three lines is a title: words with a blank line below them."""
    if len(lines) < 3 or not lines[1].after_blank or not _may_be_title(lines[0].text):
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
    rows = re.split(r"\s?[/|,;]\s?", text) if is_behind_heading else []
    if len(rows) > 1 and len(rows[0]) > 1 and len(set(map(len, rows))) == 1 and "[" not in text:
        return rows
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


def _without_code(text: str, is_code: bool) -> str:
    """Return a line without quotes and signs of code."""
    text = text.translate(_PLAIN_SIGNS).strip()
    if is_code:  # else a brace may be a label
        text = _RULE_TUPLE.sub(r"\1 \2", _ASSIGNED_TEXT.sub(": ", text).translate(_CODE)).strip(" ,")
    return text


def _without_numbers(lines: list[Line]) -> list[Line]:
    """Return the lines without the numbers before rows. Raises InputError if these do not count up."""
    bare, numbers = [], list[str]()
    for line in lines:
        text = line.text
        if (number := _ROW_NUMBER.match(text)) and not (looks_like_rules(text) or _HEADING.fullmatch(text)):
            numbers += re.findall("[0-9]+", number[0])
            if len(numbers) > 1 and not _is_counted(numbers):
                what = f"the rows are numbered {', '.join(numbers[-2:])}"
                raise line.fault(what, "numbers in order, from 0 or 1")
            line = line._replace(text=text[number.end() :])
        bare.append(line)
    return bare


def _content(text: str) -> str:
    """Return a line with blanks between the cells of a table's row, and the parts of a table's rule."""
    if rule := _CSV_RULE.fullmatch(text):
        return " ".join(filter(None, rule.groups()))
    if text[:1] == "|" and _is_counted(numbers := text.replace("|", " ").split()) and len(numbers) > 2:
        return " ".join(numbers)
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
    named = {rule.label.rstrip(":") for piece in rules_in(rules) if (rule := typed_rule(piece))}
    fitting = ["", *(h for h in HOLE_MARKS if h in marks and h not in named)]
    fitting = [h for h in fitting if cells - (marks.count(h) if h else 0) == 2 * dominoes]
    if len(fitting) > 1 and "" not in fitting:
        either = " or ".join(map(quoted, fitting))
        raise board[0].fault(f"{either} may mark the gaps", "'.' for gaps")
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
