"""Texts of Pips as people type them, in the order of our format: the board, the rules, the dominoes.

Headings and lines between parts go, dominoes move behind the rules, and holes become ``.``: ``_``, ``-``,
``x`` or a blank, if only then the board has as many cells as the dominoes cover.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from milp_pips.puzzles.located import Line, quoted, whole_number
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
_SIZE = re.compile(r"([0-9]{1,3}) ?(?:x|×|by) ?([0-9]{1,3})")
_TABLE_ROW, _CSV_ROW = (
    re.compile(r"\|(?=.*[A-Za-z])(.*)\|"),
    re.compile(r"(?:\w|[#._-]|(?=,))?(?:[,;] ?(?:\w|[#._-])?)+"),
)
_TABLE_LINE = re.compile(r"(?=.*[|+])(?=.*[-=]{2})[-+=:|\s]+|[\[\]()]+,?|</?\w+>")
_NUMBERED_ROW = re.compile(r"^(?:[0-9]{1,2}[:.)]|-) +(?=[A-Za-z#._]{2,}$)")
_TITLE_WORDS = re.compile(r"(?=.*[a-z]{3}).*\s")
_DOMINO_CROSS = re.compile(r"(?<![\w])([0-9]{1,2}) ?[x×*] ?([0-9]{1,2})(?![\w])")
_QUOTED = re.compile(r"'[^']+'|\"[^\"]+\"")
_WIDE_SIGNS = str.maketrans("＝＞＜：，", "=><:,")
_CODE = str.maketrans("", "", "'\"{}")
_REWRITTEN = (
    (re.compile(r"(?<!\s)\s*(?:->|→)\s*"), " "),
    (re.compile(r"(?<=\w):(?=\S)"), ": "),
    (re.compile(r"(?<=[\w:])\s*[Σ∑]\s*[=:]?\s*(?=[0-9])"), " sum "),
    (re.compile(r"(?<=\w)\s+(?:is|must be)\s+(?=\S)", re.IGNORECASE), " "),
    (re.compile(r"\bno(?:t)? more than\b", re.IGNORECASE), "at most"),
    (re.compile(r"\bno(?:t)? less than\b", re.IGNORECASE), "at least"),
    (re.compile(r"\[(?=\()|(?<=\))\]"), ""),
    (re.compile(r"^(?:region|area|zone|group)\s+(?=\S+\s*\S)", re.IGNORECASE), ""),
    (re.compile(r"\b(?:sum|total)\s*([<>≤≥]=?)", re.IGNORECASE), r"\1"),
    (re.compile(r"\b(?:sum|total)\s*[=:]\s*(?=[0-9])", re.IGNORECASE), "sum "),
    (re.compile(r"(?<=\w)[:\s]*\(([^(),|/]*)\)"), r" \1"),
)
"""What people type around the rules, and what it means. Lines may be long: no search begins within a run."""
_BULLET = re.compile(r"[-*•] +")


def arranged(
    lines: list[Line],
    is_rule: Callable[[str], bool],
    dominoes_in: Callable[[str], Sequence[object]],
    end: str,
) -> list[Line]:
    """Return the lines in order; the lines themselves if nothing is to be done.

    ``is_rule`` returns whether a text looks like rules, ``dominoes_in`` the dominoes of one, none if it has
    anything else. Lines from ``end`` on stay as they are.
    """
    mine = list(takewhile(lambda line: line.text.lower() != end, lines))
    rest, (mine, size) = lines[len(mine) :], _without_wrapping(mine, is_rule, dominoes_in)
    board, rules, dominoes = list[Line](), list[Line](), list[Line]()
    part, in_order = board, mine == lines
    is_dashed = any("-" in line.text and is_row(line) for line in mine)
    for line in mine:
        heading = _HEADING.fullmatch(line.text)
        if heading or (_SEPARATOR_LINE.fullmatch(line.text) and not is_dashed):
            in_order = False
            if heading:
                word = heading[1].lower()
                part = board if word in BOARD_HEADINGS else dominoes if word in DOMINO_HEADINGS else rules
            if not heading or not (heading[2] or "").strip("[(") or whole_number(heading[2]) is not None:
                continue
            line = line._replace(text=heading[2].replace(" and ", ", "))
        text = _BULLET.sub("", line.text, count=1) if _BULLET.match(line.text) else line.text
        if (board or part is dominoes) and dominoes_in(line.text):
            dominoes.append(line)
        elif board and is_rule(text):
            in_order &= not dominoes and text == line.text
            rules.append(line._replace(text=text))
        elif part is board and not (rules or dominoes or (board and line.after_blank)):
            board.append(line)
        elif part is dominoes and not dominoes_in(line.text) and not board:
            part = board  # dominoes above a board without a heading
            board.append(line)
        else:
            rules.append(line)
    count = sum(len(dominoes_in(line.text)) for line in dominoes)
    drawn = _with_holes(board, count, " ".join(line.text for line in rules)) if board else board
    if size and drawn and int(size[0][1]) != len(drawn):
        raise size[1].fault(f"the board has {len(drawn)} rows", f"{size[0][1]}, as this line says")
    if in_order and drawn is board:
        return lines
    return [*drawn, *rules, *dominoes, *rest]


def _without_wrapping(
    lines: list[Line], is_rule: Callable[[str], bool], dominoes_in: Callable[[str], Sequence[object]]
) -> tuple[list[Line], tuple[re.Match[str], Line] | None]:
    """Return the lines without what tables, lists and code have around a board, and the size that is stated.

    A first line of words with a blank line and a row below it is a title.
    """
    found, size = list[Line](), None
    is_code = any(_QUOTED.search(line.text) for line in lines)  # else a brace may be a label
    for line in lines:
        text = line.text.translate(_WIDE_SIGNS)
        if is_code:
            text = text.translate(_CODE).strip().rstrip(",")
        text = _NUMBERED_ROW.sub("", text)
        if dominoes_in(_BULLET.sub("", text, count=1)):
            text = _BULLET.sub("", text, count=1)
        if (row := _TABLE_ROW.fullmatch(text)) and not dominoes_in(text):
            text = " ".join(cell.strip() or "." for cell in row[1].split("|"))
        elif _CSV_ROW.fullmatch(text) and re.search("[A-Za-z]", text) and not is_rule(text):
            text = " ".join(cell.strip() or "." for cell in re.split("[,;]", text))
        elif not found and (stated := _SIZE.fullmatch(text)):
            size = (stated, line)
            continue
        elif not re.search("[A-Za-z]", _DOMINO_CROSS.sub("", text)) and _DOMINO_CROSS.search(text):
            text = _DOMINO_CROSS.sub(r"\1-\2", text)
        elif not text or _TABLE_LINE.fullmatch(text):
            continue
        elif not dominoes_in(text):
            for pattern, meaning in _REWRITTEN:
                text = pattern.sub(meaning, text)
        found.append(line if text == line.text else line._replace(text=text.strip()))
    if found[2:] and found[1].after_blank and _TITLE_WORDS.match(found[0].text):
        texts = [line.text for line in found[:2]]
        if not any(_HEADING.fullmatch(text) or is_rule(text) or dominoes_in(text) for text in texts):
            del found[0]
    return found, size


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
