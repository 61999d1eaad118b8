"""Words as an output can show them: free of control characters, and in ASCII where there is nothing else."""

from __future__ import annotations

import unicodedata

_SPELLINGS = str.maketrans(
    {
        "≠": "!=",
        "≤": "<=",
        "≥": ">=",
        "−": "-",
        "×": "x",
        "π": "pi",
        "·": ".",
        "•": "*",
        "●": "*",
        "○": "o",
        "…": "...",
        "─": "-",
        "–": "-",
        "—": "-",
        "→": "->",
        "Σ": "sum",
    }
)

_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""They would turn round the writing of the rest of the line."""


def printable(text: str) -> str:
    """Return the text on one line, with ``�`` for what cannot be printed or stored in a file."""
    line = "".join(" " if c in "\t\r\n" else c for c in text)
    hidden = ("Cc", "Cs", "Cn", "Zl", "Zp")
    return "".join("�" if unicodedata.category(c) in hidden or c in _DIRECTIONS else c for c in line)


def plain(text: str) -> str:
    """Return the text in printable ASCII; characters without a usual spelling become escapes."""
    escaped = printable(text).translate(_SPELLINGS).encode("ascii", "backslashreplace")
    return escaped.decode("ascii")


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
    return len(text) + wide - marks


def centre(text: str, columns: int) -> str:
    """Return the text in the middle of so many columns, rather left than right."""
    spare = max(columns - width(text), 0)
    return " " * (spare // 2) + text + " " * (spare - spare // 2)


def pad(text: str, columns: int) -> str:
    """Return the text followed by blanks up to so many columns."""
    return text + " " * max(columns - width(text), 0)


def wrap(first: str, words: tuple[str, ...], columns: int) -> list[str]:
    """Return ``first`` and the words, parted by blanks, on lines of at most so many columns.

    Further lines are indented by the width of ``first``; a word too long for a line stands alone.
    """
    rows: list[list[str]] = [[]]
    room = columns - width(first)
    for word in words:
        if rows[-1] and width(" ".join([*rows[-1], word])) > room:
            rows.append([])
        rows[-1].append(word)
    starts = [first] + [" " * width(first)] * (len(rows) - 1)
    return [(start + " ".join(row)).rstrip() for start, row in zip(starts, rows, strict=True)]
