"""Answer the requests of the page: JSON data in, JSON data out.

This module needs no server. ``reply`` runs in the worker processes of ``milp-pips web``; ``answer`` runs in
the visitor's browser for the page of ``milp-pips site``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from milp_pips.compilation.limits import Unfinished, Unsupported
from milp_pips.extras.web.records import Record
from milp_pips.extras.web.requests import REQUEST_SECONDS
from milp_pips.extras.web.verbs import NO_PROCESSES, OFFERED_EXAMPLES, WEB_VERBS, Say, Task, examples_folder
from milp_pips.problem.errors import EngineFault, InputError, UsageError, unknown_name, visible
from milp_pips.problem.parameters import Parameter, read_members
from milp_pips.problem.stopping import Deadline

DEFAULT_SECONDS = 10.0
"""Time limit of an answer in seconds, if the request states none."""

SECONDS_MEMBER = Parameter("seconds", "time limit of the answer", REQUEST_SECONDS, DEFAULT_SECONDS)


def reply(
    verb: str,
    request: str | bytes,
    say: Say,
    where: str,
    most_seconds: float,
    memory: int | None = None,
) -> None:
    """Answer a request by events; the last one, and no other, is ``result`` or ``fault``.

    Parameters
    ----------
    verb, request
        A verb of ``WEB_VERBS``, and its request as JSON.
    say
        Called with each event; its exceptions are passed on.
    where, memory
        As in ``Task``.
    most_seconds
        Most seconds for an answer, whatever the request states.
    """
    try:
        if verb not in WEB_VERBS:
            raise unknown_name("verb", verb, WEB_VERBS)
        found = WEB_VERBS[verb]
        if found.processes and where != "local":
            raise UsageError(f"{verb}: {NO_PROCESSES}")
        members = read_members(_json_of(request, verb), (*found.members, SECONDS_MEMBER), verb)
        limit = min(members.pop("seconds"), most_seconds)
        with Deadline(limit, lambda line: say("progress", {"line": visible(line)})) as deadline:
            task = Task(where, limit, memory, deadline, say, most_seconds)
            result = found.answer(task, **members)
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
    """Return a fault: its kind (``usage``, ``limit``, ``engine`` or ``busy``) and a message of one line."""
    return {"kind": kind, "message": visible(" ".join(message.split()))}


def _json_of(request: str | bytes, verb: str) -> Any:
    """Return the content of a request. Raises UsageError."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a JSON number")

    try:
        return json.loads(request, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{verb}: the request is not JSON: {error}") from None


def warm_up(where: str) -> None:
    """Answer small requests, so that the modules that answers need are loaded."""
    with open(os.path.join(examples_folder(), *OFFERED_EXAMPLES[0].split("/")), encoding="utf-8") as stream:
        request = json.dumps({"puzzle": {"text": stream.read()}})
    for verb in ("about", "solve", "count", "hint"):
        reply(verb, request, lambda *_: None, where, 10.0)


# Answers in the visitor's browser: the page's Web Worker calls ``answer`` in Pyodide. There are no other
# processes, no threads and no engine libraries; a verb that needs them reports a fault.

MAX_ANSWER_SECONDS = 600.0
"""Most seconds for an answer: it runs on the visitor's own machine, and the page can stop it."""

BROWSER_SPACE_BYTES = 2**29
"""Memory limit of a solution space in the browser, in bytes."""


def answer(verb: str, request: str, say: Callable[[str, str], object]) -> None:
    """Answer a request; call ``say`` with each event: its name, and its data as JSON."""
    reply(
        verb,
        request,
        lambda event, data: say(event, json.dumps(data)),
        "browser",
        MAX_ANSWER_SECONDS,
        BROWSER_SPACE_BYTES,
    )
