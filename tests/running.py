"""The programs that run at a moment: each may end while it is looked at."""

from __future__ import annotations

from contextlib import suppress

import psutil


def children(saying: str, of: int | None = None, recursive: bool = False) -> list[psutil.Process]:
    """Return the children of a process, this one by default, with some words in their command lines."""
    found = []
    for child in psutil.Process(of).children(recursive=recursive):
        with suppress(psutil.Error):  # it has ended meanwhile
            if saying in " ".join(child.cmdline()):
                found.append(child)
    return found
