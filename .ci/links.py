"""Check a built site: every link in it leads somewhere, and no page fetches anything from another host.

Run it as ``python .ci/links.py FOLDER``.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
"""What a browser fetches by itself."""

READ_LATER = ("canonical", "index", "next", "prev", "search")
"""Relations of other pages to this one: nobody fetches them unasked."""


class Page(HTMLParser):
    """The links of a page, what it fetches, and the places in it that a link may name."""

    def __init__(self, file: Path):
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if FETCHED.get(tag) in found and found.get("rel") not in READ_LATER:
            self.fetched.append(found[FETCHED[tag]])


def faults(folder: Path) -> list[str]:
    """Return a line for each link that leads nowhere, and for each thing from another host."""
    pages = {file.resolve(): Page(file) for file in sorted(folder.rglob("*.html"))}
    if not pages:
        return [f"{folder}: no pages"]
    found = []
    for file, page in pages.items():
        for link in [*page.links, *page.fetched]:
            parts = urlsplit(link)
            where = f"{file.relative_to(folder.resolve())}: {link}"
            if parts.scheme or parts.netloc:
                if link in page.fetched and parts.scheme != "data":
                    found.append(f"{where}: fetched from elsewhere")
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file():
                found.append(f"{where}: there is no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{where}: there is no such place")
    for file in sorted(folder.rglob("*.css")):
        text = file.read_text(encoding="utf-8").lower()
        if re.search(r"""(url\(|@import )['"]?(https?:)?//""", text):
            found.append(f"{file.relative_to(folder)}: fetches from elsewhere")
    return found


if __name__ == "__main__":
    told = faults(Path(sys.argv[1]))
    print(*told, sep="\n", end="\n" if told else "")
    sys.exit(bool(told))
