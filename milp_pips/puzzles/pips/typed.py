"""Texts of Pips as people type them, in the order of our format: the board, the rules, the dominoes.

::

    text      = [title, a blank line] {line}
    line      = [bullet] (heading [":" content] | content) | size | frame
    content   = row | rules | dominoes
    row       = as in our format | "| A | B |" | "A,B" | "1: AB" | "'AB',"
    frame     = a line between parts, or around a table, a list or code

What follows a heading is of its part. Dominoes move behind the rules, and holes become ``.``: a hole is
typed as one of ``HOLE_MARKS`` or a blank, if only then the board has as many cells as the dominoes cover.
"""

from __future__ import annotations

import re
from itertools import takewhile

from milp_pips.puzzles.located import Line, quoted, whole_number
from milp_pips.puzzles.pips.rules import dominoes_in, looks_like_rules
from milp_pips.render.vocabulary import connected_parts

BOARD_HEADINGS = ("board", "grid", "map", "cells")
DOMINO_HEADINGS = ("dominoes", "dominos", "pieces", "tiles")
RULE_HEADINGS = ("rules", "constraints", "clues", "conditions", "regions")
HOLE_MARKS = ("_", "-", "x", "X", "o", "O", "*", "#", "·")
"""What people type for a hole, besides a blank."""

_HEADING = re.compile(
    rf"(?:[#*]+\s*|[0-9]+ )?({'|'.join((*BOARD_HEADINGS, *DOMINO_HEADINGS, *RULE_HEADINGS))})\**"
    r"\s*(?:(?::| are\b|=(?!\s*-?[0-9]))\s*(.*)|)",
    re.IGNORECASE,
)
_SEPARATOR_LINE = re.compile(r"-{3,}|={3,}|\*{3,}|`{3}\w*")
_FRAME = re.compile(r"(?=.*[|+])(?=.*[-=]{2})[-+=:|\s]+|[\[\]()]+,?|</?\w+>")
_SIZE = re.compile(r"([0-9]{1,3}) ?(?:x|×|by) ?([0-9]{1,3})")
_TABLE_ROW = re.compile(r"\|(?=.*[A-Za-z])(.*)\|")
_CSV_ROW = re.compile(r"(?=.*[A-Za-z])(?:\w|[#._-]|(?=,))?(?:[,;] ?(?:\w|[#._-])?)+")
_ROW_NUMBER = re.compile(r"(?:[0-9]{1,2}[:.)]|-) +(?=[A-Za-z#._]{2,}$)")
_BULLET = re.compile(r"[-*•] +")
_TITLE_WORDS = re.compile(r"(?=.*[a-z]{3}).*\s")
_DOMINO_CROSS = re.compile(r"(?<![\w])([0-9]{1,2}) ?[x×*] ?([0-9]{1,2})(?![\w])")
_QUOTED = re.compile(r"'[^']+'|\"[^\"]+\"")
_WIDE_SIGNS = str.maketrans("＝＞＜：，", "=><:,")
_CODE = str.maketrans("", "", "'\"{}")


def arranged(lines: list[Line], end: str) -> list[Line]:
    """Return the lines in order, without what is around them. Lines from ``end`` on stay as they are."""
    mine = list(takewhile(lambda line: line.text.lower() != end, lines))
    rest, is_code = lines[len(mine) :], any(_QUOTED.search(line.text) for line in mine)
    mine = [line._replace(text=_content(line.text, is_code)) for line in mine[_has_title(mine) :]]
    board, rules, dominoes, size = list[Line](), list[Line](), list[Line](), None
    part, is_below = board, False
    is_dashed = any("-" in line.text and is_row(line) for line in mine)
    for line in mine:
        if not (board or rules or dominoes or size) and (stated := _SIZE.fullmatch(line.text)):
            size = stated, line
            continue
        if heading := _HEADING.fullmatch(line.text):
            word, content = heading[1].lower(), heading[2] or ""
            part = board if word in BOARD_HEADINGS else dominoes if word in DOMINO_HEADINGS else rules
            is_below = part is board and bool(rules or dominoes)
            if not content.strip("[(") or whole_number(content) is not None:
                continue
            line = line._replace(text=content.replace(" and ", ", "))
        line = line._replace(text=_DOMINO_CROSS.sub(r"\1-\2", line.text))
        if not line.text or _FRAME.fullmatch(line.text):
            continue
        if _SEPARATOR_LINE.fullmatch(line.text) and not is_dashed:
            continue
        bare = line.text[bullet.end() :] if (bullet := _BULLET.match(line.text)) else line.text
        if (board or part is dominoes) and dominoes_in(bare):
            dominoes.append(line._replace(text=bare))
        elif (board or part is rules) and looks_like_rules(bare):
            rules.append(line._replace(text=bare))
        elif part is board and (is_below or not (rules or dominoes)) and not (board and line.after_blank):
            board.append(line)
        elif part is dominoes and not board:
            part, is_below = board, True  # dominoes above a board without a heading
            board.append(line)
        else:
            (dominoes if dominoes and part is not rules else rules).append(line)
    if not board:
        return [*rules, *dominoes, *rest]
    count = sum(len(dominoes_in(line.text)) for line in dominoes)
    drawn = _with_holes(board, count, " ".join(line.text for line in rules))
    if size and int(size[0][1]) != len(drawn):
        raise size[1].fault(f"the board has {len(drawn)} rows", f"{size[0][1]}, as this line says")
    return [*drawn, *rules, *dominoes, *rest]


def _has_title(lines: list[Line]) -> bool:
    """Return whether the first of three lines is a title: words with a blank line below them."""
    if len(lines) < 3 or not lines[1].after_blank or not _TITLE_WORDS.match(lines[0].text):
        return False
    return not any(
        _HEADING.fullmatch(line.text) or looks_like_rules(line.text) or dominoes_in(line.text)
        for line in lines[:2]
    )


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
