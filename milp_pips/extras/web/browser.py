"""The answers in the visitor's own browser: what the page's Web Worker calls, in Pyodide.

There are no other processes, no threads and no libraries of engines: what needs these says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from milp_pips.extras.web.answers import reply

SECONDS = 600.0
"""Seconds that an answer takes at most: it is the visitor's own machine, and the page can stop it."""

BROWSER_SPACE_BYTES = 2**29
"""Bytes that a solution space may take."""


def answer(verb: str, request: str, say: Callable[[str, str], object]) -> None:
    """Answer a request: ``say`` is told each event, its name and its data as JSON."""
    reply(
        verb,
        request,
        lambda event, data: say(event, json.dumps(data)),
        "browser",
        SECONDS,
        BROWSER_SPACE_BYTES,
    )
