"""The process that runs one solver for another process; see ``milp_pips.engines.outside`` for the other side.

It reads pickled requests from standard input and writes pickled replies to the original standard output. The
output of the solver goes to standard error. The process ends when its input ends or its parent does.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from milp_pips.engines import registry
from milp_pips.problem import plugins
from milp_pips.problem.errors import EngineFault, MilpPipsError, UsageError
from milp_pips.problem.fields import shown
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.reaper import rely_on_parent
from milp_pips.runtime.worker import end_with_parent


class Request(NamedTuple):
    """A call of a method of an object that the host keeps; number 0 is the solver itself.

    ``seconds`` is the time left until the caller's deadline, or None. ``takes_deadline`` states whether the
    method takes a deadline as its last argument. ``dropped`` are the numbers of objects that the caller no
    longer needs.
    """

    number: int
    method: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]
    takes_deadline: bool
    seconds: float | None
    dropped: Sequence[int]


class Reply(NamedTuple):
    """The result of a request: ``value``, ``object`` (its number), ``end`` of a generator, or ``error``."""

    kind: str
    value: Any


HOSTED_METHODS = ("live", "load", "points")
"""The methods whose result is an object that stays in the host."""

PLAIN_DATA: dict[type, Callable[[Any], object]] = {
    str: str,
    bool: bool,
    int: int,
    tuple: lambda words: tuple(map(str, words)),
    Set: lambda words: frozenset(map(str, words)),
    Mapping: lambda options: {str(name): str(value) for name, value in options.items()},
}
"""Conversions of a solver's attributes to types that can be unpickled without the plugin's module."""


class Host:
    """A solver and the objects that it returned."""

    def __init__(self, where: str, variant: str, name: str):
        self._solver = registry.solver_at(where, variant)
        self._name, self._where = name, where
        self._objects: dict[int, Any] = {0: self._solver}
        self._last = 0

    def data(self) -> dict[str, object]:
        """Return the solver's attributes as plain data. Raises UsageError."""
        with plugins.PluginErrors(f"the plugin {self._where} is no solver", UsageError):
            return {
                field: PLAIN_DATA[kind](getattr(self._solver, field))
                for field, kind in registry.ATTRIBUTE_TYPES.items()
            }

    def reply(self, request: Request) -> Reply:
        """Return the result of a request, or the error that it raised."""
        for number in request.dropped:
            self._objects.pop(number, None)
        try:
            return self._do(request)
        except MilpPipsError as error:
            return Reply("error", error)

    def _do(self, request: Request) -> Reply:
        match request.number, request.method:
            case 0, "data":
                return Reply("value", self.data())
            case 0, "unavailable":
                return Reply("value", registry.reason_against(self._solver))
            case 0, "version":
                return Reply("value", registry.version_of(self._solver))
            case 0, "known_variants":
                with plugins.PluginErrors(f"{self._name} cannot list its variants"):
                    return Reply("value", tuple(map(str, self._solver.known_variants())))
        target, method = self._objects[request.number], request.method
        with plugins.PluginErrors(f"{self._name} failed"):
            if method == "next":
                try:
                    return Reply("value", next(target))
                except StopIteration as end:
                    return Reply("end", end.value)
            value = self._call(target, request)
        if method not in HOSTED_METHODS:
            return Reply("value", value)
        if method == "points" and not isinstance(value, Generator):
            raise EngineFault(f"{self._name} gave no generator of points, but {shown(value)}")
        self._last += 1
        self._objects[self._last] = value
        return Reply("object", self._last)

    @staticmethod
    def _call(target: Any, request: Request) -> Any:
        function = getattr(target, request.method)
        if not request.takes_deadline:
            return function(*request.arguments, **request.keywords)
        deadline = Deadline(request.seconds)
        signal.signal(signal.SIGINT, lambda *_: deadline.interrupt())
        return function(*request.arguments, deadline, **request.keywords)


def main(asker: int) -> None:
    """Answer requests until there are no more.

    The original standard input and output carry only requests and replies: neither the solver nor its child
    processes get them. The caller sends nothing before ``ready``, so that no request is lost with the old
    input.
    """
    rely_on_parent()
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, args=(asker,), daemon=True).start()
    try:
        _send(replies, Reply("value", "ready"))
        host = Host(*pickle.load(requests))
        _send(replies, host.reply(Request(0, "data", (), {}, False, None, ())))
        while True:
            _send(replies, host.reply(Request(*pickle.load(requests))))
    except UsageError as error:
        _send(replies, Reply("error", error))
    except (EOFError, OSError):  # the other process closed the pipe or has ended
        pass
    os._exit(0)  # an abandoned engine may still be running in its thread


def _send(replies: Any, reply: Reply) -> None:
    try:
        data = pickle.dumps(tuple(reply))
    except Exception as error:
        fault = EngineFault(f"the engine's result cannot be pickled: {type(error).__name__}: {error}")
        data = pickle.dumps(("error", fault))
    replies.write(data)
    replies.flush()
