"""Puzzles in the files of other programs, as texts of our own formats: lists of Sudokus, nonograms, Dominosa.

- Sudokus, see ``sudoku_lists``.
- Tables of a Sudoku, see ``milp_pips.puzzles.tables``.
- Lists of the clues of a nonogram, in JSON or in two lines, ``rows: 1 1, 3`` and ``columns: 2, 1, 2``.
- The XML of webpbn.com.
- ``.non`` of nonogram solvers: ``width``, ``height``, ``rows`` and ``columns`` with clues such as ``1,2``.
  Also ``.g``, which has these words in Czech.
- ``.mk``, ``.nin`` and ``.cwd`` of nonogram solvers: the size, and clues without such words.
- ``dominosa``, and rows of numbers: a Pips with all pips given and one domino of each kind.
- Game IDs and saved games of Simon Tatham's collection, see ``tatham``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

from milp_pips.extras.families import links, sudoku_lists, tatham
from milp_pips.problem.errors import InputError
from milp_pips.puzzles.drawn import EMPTY_CELL, is_spaced, marks_of
from milp_pips.puzzles.located import Line, Lines, load, plain, quoted
from milp_pips.puzzles.reading import BARE_GAME_ID, LINK_START
from milp_pips.puzzles.tables import sudoku_table

NON_SECTION = re.compile(
    r"^(?:: *)?(?:(?:rows|columns|cols)\b[ \t\r]*(?::[ \t\r]*)?$|rows? *[:=])", re.MULTILINE | re.IGNORECASE
)
NON_NAMES = {"row": "rows", "column": "columns", "col": "columns", "cols": "columns"}
NON_NAMES |= {"radky": "rows", "sloupce": "columns"}
"""Other names of the sections."""
SIZED_ENDINGS = {".mk": "#", ".cwd": "", ".nin": None}
"""Endings of nonograms with their size above the clues, and the line between rows and columns, if any."""
RUN_LISTS = re.compile(r"\A\s*[\[(]([^\[\]()]*)[\])]\s*\Z")
"""A list without further lists in it: of runs that stand alone, or of texts."""
RUN_LIST = re.compile(r"[\[(\"']([0-9\s,]*)[\])\"']")
"""The runs of a line as a list or a text of code."""
CLUES_IN_LINE = re.compile(r"\s*(?:row|col)\w*\s*[:=]", re.IGNORECASE)
NEXT_CLUES = re.compile(rf";(?={CLUES_IN_LINE.pattern})", re.IGNORECASE)
NON_COMMENT, CLUES_COMMENT = re.compile(r"(?:^|\s)(?:#|;|//).*"), re.compile(r"\s(?:#|//).*")
"""Comments; ``;`` begins none in a line of clues, where it separates them."""
STATES_NO_RULE = re.compile(r"(?:.*\.)?(?:solution|solved|answer|tags|size|candidates|pencil)", re.IGNORECASE)
"""How members of JSON begin whose lists state no rule."""
RULE_WORDS = re.compile(
    r"diagonal|anti[ _-]?k|cage|killer|windoku|hyper|jigsaw|consecutive|thermo", re.IGNORECASE
)
MOST_DOMINOSA = 25
"""The most pips of a Dominosa."""


def texts_of(text: str, file: str, family: str | None = None) -> dict[str, str]:
    """Return the puzzles of a link or a file as texts of our formats, by level. Raises InputError.

    ``family`` is the one that the user names, if any, for a link that tells none.
    """
    if (ending := os.path.splitext(file)[1].lower()) in SIZED_ENDINGS:
        return {"": _sized_clues(text, file, ending)}
    text = text.removeprefix("\ufeff").strip()
    each = links.words_of(text)
    if each and all(map(LINK_START.match, each)):
        if each[1:]:
            return dict(_listed(each, file, family))
        text = each[0]
    text = links.address_of(text) or text
    game, colon, rest = text.partition(":")
    if game.lower() in tatham.TATHAM_GAMES and colon:
        text = tatham.text_of(game.lower(), rest, file)
    elif family in tatham.TATHAM_FAMILIES and BARE_GAME_ID.fullmatch(text):
        text = tatham.text_of(tatham.TATHAM_FAMILIES[family], text, file)
    elif game == "SAVEFILE":
        text = tatham.text_of_save(text, file)
    elif text[:4].lower() == "http":
        text = links.text_of(text, file, family)
    elif text.startswith(links.SAVED_START):
        text = links.text_of_saved(text, file)
    elif "<puzzleset" in text[:2_000].lower():
        text = _webpbn(text, file)
    elif text.startswith("<"):
        return _sudokus(sudoku_lists.opensudokus_of(text, file))
    elif text.startswith("{") and sudoku_table(text) is None:
        text = _clue_lists(text, file)
    elif NON_SECTION.search(text) or ending in (".non", ".g"):
        text = _non(text, file)
    elif (table := sudoku_table(text)) is not None:
        if text.startswith("{") and (name := _rule_beside(load(text, file).value)):
            what = f"{quoted(name)} may be a rule, and JSON of a Sudoku is read without rules"
            raise InputError(
                what, file, expected='the grid alone, or a text "sudoku" with its lines of rules'
            )
        text = "".join(f"{' '.join(row)}\n" for row in [["sudoku"], *table])
    elif not text.startswith("dominosa"):
        return _sudokus(sudoku_lists.sudokus_of(text, file))
    return {"": _dominosa(text, file) if text.startswith("dominosa") else text}


def _listed(each: Sequence[str], file: str, family: str | None) -> Iterator[tuple[str, str]]:
    for i, link in enumerate(each, 1):
        try:
            yield str(i), texts_of(link, file, family)[""]
        except InputError as error:
            raise InputError(f"link {i}: {error.what}", file, expected=error.expected) from None


def _rule_beside(document: dict[str, Any]) -> str:
    """Return a member beside the first table of a Sudoku in JSON that may be a rule; empty if none is."""
    has_table = False
    for name, member in _members(document):
        is_line = isinstance(member, str) and len(member) == 81
        if not has_table and (is_line or (member and isinstance(member, list))):
            has_table = True
        elif member and not is_line:
            is_known = STATES_NO_RULE.match(name) or not isinstance(member, list)
            if not is_known or RULE_WORDS.search(f"{name} {member}"):
                return name
    return ""


def _members(document: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield the members of an object and of the objects in it, which have the names of both."""
    for name, member in document.items():
        objects = member if isinstance(member, list) else [member]
        if objects and all(isinstance(one, dict) for one in objects):
            for one in objects:
                yield from ((f"{name}.{part}", value) for part, value in _members(one))
        else:
            yield name, member


def _sudokus(boards: Sequence[str]) -> dict[str, str]:
    levels = map(str, range(1, len(boards) + 1)) if boards[1:] else [""]
    return {level: f"sudoku\n{board}\n" for level, board in zip(levels, boards, strict=True)}


def _non(text: str, file: str) -> str:
    """Return the nonogram as a colour grid.

    The clue of an empty line is 0, ``-``, or a blank line, if only with these there are as many as needed.
    """
    clues: dict[str, list[Line]] = {"rows": [], "columns": []}
    sizes, section = dict[str, int](), ""
    parts = [
        (number, part)
        for number, line in enumerate(plain(text, file).split("\n"), 1)
        for part in (NEXT_CLUES.split(line) if CLUES_IN_LINE.match(line) else [line])
    ]
    for number, raw in parts:
        comment = CLUES_COMMENT if CLUES_IN_LINE.match(raw) else NON_COMMENT
        line = Line(number, comment.sub("", raw).strip(), file)
        word, *words = re.sub("[:=]", " ", line.text.lower()).split() or [""]
        word = NON_NAMES.get(word, word)
        if word in clues and not words:
            if clues[word]:
                raise line.fault(f"a second list of {word} begins", "one nonogram")
            section = word
        elif word in clues and re.search("[:=]", line.text):  # all clues of the section in its line
            each = RUN_LISTS.sub(r"\1", re.split("[:=]", line.text, maxsplit=1)[1])
            pieces = RUN_LIST.findall(each)
            if not pieces or re.search("[0-9]", RUN_LIST.sub("", each)):
                pieces = re.split("[/;]" if re.search("[/;]", each) else ",", each)
            clues[word] += [Line(number, piece.strip() or "0", file) for piece in pieces]
            section = ""
        elif word in ("width", "height"):
            sizes[word], section = line.integer(" ".join(words), f"the {word}", 1, 200), ""
        elif word in ("color", "colour") and not {*words} & {'"black"', '"white"', "black", "white"}:
            raise line.fault("the nonogram has colours", "black and white")
        elif section and (not raw.strip() or re.match("[-0-9]", word)):
            clues.get(section, []).append(line)
        elif word[:1].isdigit() or word in clues or re.fullmatch(r"[\d\s,;()\[\]'\"]+", line.text):
            raise line.fault(f"this is {quoted(line.text)}", "rows or columns above the clues")
        elif word:
            is_goal = word in ("goal", "solution") and not words  # others, such as title, have no lines
            section = word if is_goal else ""
    both = [_runs(clues["rows"], sizes.get("height")), _runs(clues["columns"], sizes.get("width"))]
    if [len(runs) for runs in both] == [1, 1] and max(both[0][0] + both[1][0]) > 1:  # two sizes
        raise line.fault("rows and columns have one clue each", "the clues of all lines")
    for what, runs, word in zip(clues, both, ("height", "width"), strict=True):
        if len(runs) != sizes.get(word, len(runs)) or not runs:
            raise line.fault(f"there are {len(runs)} clues of {what}", f"{sizes.get(word, 'some')}")
    return tatham.nonogram(*both)


def _sized_clues(text: str, file: str, ending: str) -> str:
    """Return the nonogram of a file that states its size, then the clues of all rows and those of columns."""
    texts = plain(text, file).removesuffix("\n").split("\n")
    first, *lines = [Line(number, raw.strip(), file) for number, raw in enumerate(texts, 1)]
    heads = [first, *(lines.pop(0) for _ in lines[:1] if ending == ".cwd")]
    sizes = [line.integer(word, "a size", 1, 200) for line in heads for word in line.words()]
    if len(sizes) != 2:
        raise first.fault(f"this is {quoted(first.text)}", "the numbers of rows and of columns")
    both, divider = list[list[list[int]]](), SIZED_ENDINGS[ending]
    for what, size in zip(("rows", "columns"), sizes[::-1] if ending == ".nin" else sizes, strict=True):
        if both and divider is not None and lines and (line := lines.pop(0)).text != divider:
            raise line.fault(f"this is {quoted(line.text)}", f"{quoted(divider)} between rows and columns")
        if len(lines) < size:
            raise first.fault(f"there are {len(lines)} clues of {what}", str(size))
        both.append(_runs(lines[:size], size))
        lines = lines[size:]
    if more := next((line for line in lines if line.text), None):
        raise more.fault("a clue follows those of all columns", "no more")
    return tatham.nonogram(*both)


def _clue_lists(text: str, file: str) -> str:
    """Return the nonogram of lists of clues in JSON."""
    document = load(text, file)
    parts = (document, *document.members().values())  # it may be one member of a larger puzzle
    have = [part for part in parts if "rows" in part or "row" in part] or [document]
    if have[1:] and have[0] is not document:
        raise have[1].fault("this is a second nonogram", "one")
    members = have[0].members()
    both = []
    for names in (("rows", "row"), ("columns", "cols", "column", "col")):
        part = next((members[name] for name in names if name in members), document)
        lists = part.elements("the clues of a line")
        both.append([[run.integer(0, 200) for run in one.elements("the runs of a line")] for one in lists])
    return tatham.nonogram(*both)


def _webpbn(text: str, file: str) -> str:
    """Return the first nonogram of an XML file of webpbn.com, which has clues as lines of counts."""
    both: dict[str, list[list[int]]] = {}
    text = sudoku_lists.XML_COMMENT.sub("", text)
    if colours := {
        c for c in re.findall(r"<count\b[^<>]*\bcolor\s*=\s*[\"']([^\"'<>]*)", text) if c != "black"
    }:
        raise InputError(
            f"the nonogram has the colour {quoted(min(colours))}", file, expected="black and white"
        )
    for match in re.finditer(r"<clues\b([^<>]*)>((?:(?!</clues).)*)", text, re.DOTALL):
        kind = "rows" if "rows" in match[1] else "columns"
        lines = re.findall(r"<line\b[^<>]*?(?:/>|>((?:(?!</line).)*))", match[2], re.DOTALL)
        runs = [re.findall(r"<count\b[^<>]*>\s*([0-9]{1,3})\s*<", line, re.ASCII) for line in lines]
        both.setdefault(kind, [[int(run) for run in one] for one in runs])
    if not (both.get("rows") and both.get("columns")):
        raise InputError(
            "no puzzle has clues of rows and columns", file, expected='<clues type="rows"> with lines'
        )
    return tatham.nonogram(both["rows"], both["columns"])


def _runs(lines: Sequence[Line], count: int | None) -> list[list[int]]:
    """Return the runs of each line; blank lines are empty ones if there are as many as needed only then."""
    filled = [line for line in lines if line.text]
    if count is not None and len(filled) < count:
        while lines and not lines[-1].text and len(lines) > count:
            lines = lines[:-1]
        filled = list(lines) if len(lines) == count else filled
    each = [
        ["0"] if line.text in ("", "-") else re.split(r"(?<=\d)[-.](?=\d)|[,\s]+", line.text.strip(", "))
        for line in filled
    ]
    return [
        [line.integer(run, "a run", 0, 200) for run in runs] for line, runs in zip(filled, each, strict=True)
    ]


def _dominosa(text: str, file: str) -> str:
    """Return the Pips puzzle: a region for each cell, and a domino of each kind."""
    lines = Lines(text, file)
    heading = next(lines)
    if heading.text != "dominosa":
        raise heading.fault(f"this is {quoted(heading.text)}", "dominosa")
    rows = [(line, marks_of(line, is_spaced(line))) for line in lines]
    pips = [
        (
            line.integer(mark, "a cell", 0, MOST_DOMINOSA, f"0 to {MOST_DOMINOSA}, or {EMPTY_CELL} for none"),
            mark,
        )
        for line, marks in rows
        for mark in marks
        if mark != EMPTY_CELL
    ]
    most = max((number for number, _ in pips), default=0)
    if len(pips) != (most + 1) * (most + 2):
        what = f"there are {len(pips)} cells and numbers up to {most}"
        raise lines.fault(what, f"{(most + 1) * (most + 2)} cells, two for each domino")
    labels = [
        [f"r{r}c{c}" if mark != EMPTY_CELL else mark for c, mark in enumerate(marks, 1)]
        for r, (_, marks) in enumerate(rows, 1)
    ]
    named = [label for row in labels for label in row if label != EMPTY_CELL]
    rules = [f"{label} SUM {number}" for label, (number, _) in zip(named, pips, strict=True)]
    dominoes = [f"{a} {b}" for a, b in combinations_with_replacement(range(most + 1), 2)]
    board = [" ".join(row) for row in labels]
    return "\n".join(map(str, [len(board), *board, len(rules), *rules, len(dominoes), *dominoes, ""]))
