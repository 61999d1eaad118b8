"""HTML elements that cannot be malformed: text is escaped, and every element is closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

VOID = frozenset({"meta", "br", "hr"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str) -> Markup:
    """Return an element; children that are plain text are escaped. ``class_`` is the attribute ``class``."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items()
    )
    return Markup(f"<{name}{said}/>" if name in VOID else f"<{name}{said}>{joined(children)}</{name}>")


def joined(parts: Iterable[str]) -> Markup:
    """Return the parts one after another; those that are plain text are escaped."""
    return Markup(
        "".join(part if isinstance(part, Markup) else escape(_printable(part), quote=False) for part in parts)
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], class_: str = "") -> Markup:
    """Return a table in a box that scrolls sideways where it is wide; the first column heads its row."""
    head = element("thead", element("tr", *(element("th", each, scope="col") for each in heads)))
    body = [
        element("tr", element("th", first, scope="row"), *(element("td", each) for each in rest))
        for first, *rest in rows
    ]
    return element("div", element("table", head, element("tbody", *body), class_=class_), class_="wide")


def _printable(text: str) -> str:
    """Replace control characters, which no HTML may hold."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
