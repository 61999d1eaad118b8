"""What the page may ask, verb by verb: plain JSON data in, plain JSON data out.

No server is in here: the same table answers in the worker processes of ``milp-pips web`` and, in the browser
of the visitor, for the page of ``milp-pips site``.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from milp_pips.compilation.diagram import Unfinished, Unsupported
from milp_pips.extras.web.records import Record
from milp_pips.extras.web.requests import Member, read_members, seconds
from milp_pips.extras.web.verbs import NO_PROCESSES, WEB_VERBS, Say, Task
from milp_pips.problem.errors import EngineFault, InputError, UsageError, unknown_name, visible
from milp_pips.problem.stopping import Deadline

USUAL_SECONDS = 10.0
"""Seconds that an answer may take where the request does not say."""


def reply(
    verb: str,
    request: str | bytes,
    say: Say,
    where: str,
    most_seconds: float,
    memory: int | None = None,
    *,
    has_report: bool = False,
) -> None:
    """Answer a request: tell events, of which the last, and no other, is ``result`` or ``fault``.

    Parameters
    ----------
    verb, request
        A verb of ``WEB_VERBS``, and the JSON that goes with it.
    say
        Told the events; what it raises is raised here.
    where, memory, has_report
        As of a ``Task``.
    most_seconds
        Seconds that an answer takes at most, whatever the request says.
    """
    try:
        result = _answer(verb, request, say, where, most_seconds, memory, has_report)
    except (InputError, UsageError, Unsupported) as error:
        say("fault", fault("usage", str(error)))
    except Unfinished as error:
        say("fault", fault("limit", f"{error}; stop: {error.stop}"))
    except (MemoryError, RecursionError) as error:
        say("fault", fault("limit", f"too large: {type(error).__name__}"))
    except EngineFault as error:
        say("fault", fault("engine", str(error)))
    except Exception as error:
        say("fault", fault("engine", f"a fault of this program: {type(error).__name__}: {error}"))
    else:
        say("result", result)


def fault(kind: str, message: str) -> Record:
    """Return a fault: its kind, ``usage``, ``limit``, ``engine`` or ``busy``, and one line."""
    return {"kind": kind, "message": visible(" ".join(message.split()))}


def _answer(
    verb: str,
    request: str | bytes,
    say: Say,
    where: str,
    most_seconds: float,
    memory: int | None,
    has_report: bool,
) -> Record:
    if verb not in WEB_VERBS:
        raise unknown_name("verb", verb, WEB_VERBS)
    found = WEB_VERBS[verb]
    if found.processes and where != "local":
        raise UsageError(f"{verb}: {NO_PROCESSES}")
    try:
        body = json.loads(request, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{verb}: the request is no JSON: {error}") from None
    asked = read_members(body, {**found.members, "seconds": Member(seconds, USUAL_SECONDS)}, verb)
    limit = min(asked.pop("seconds"), most_seconds)
    with Deadline(limit, lambda line: say("progress", {"line": visible(line)})) as deadline:
        return found.answer(Task(where, limit, memory, deadline, say, most_seconds, has_report), **asked)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


# The answers in the visitor's own browser: what the page's Web Worker calls, in Pyodide.
#
# There are no other processes, no threads and no libraries of engines: what needs these says so.

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
