"""What the process of a solver of another distribution does for ``milp_pips.engines.outside``.

It keeps the solver and the objects that this one returns; calls name these objects by their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from milp_pips.engines import registry
from milp_pips.problem import plugins
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.fields import shown
from milp_pips.problem.stopping import Deadline

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

_objects: dict[int, Any] = {}
"""The objects that callers use, by number; number 0 is the solver itself."""


class Request(NamedTuple):
    """A call of a method of an object that the host keeps.

    ``takes_deadline`` states whether the method takes a deadline as its last argument. ``dropped`` are the
    numbers of objects that the caller no longer needs.
    """

    number: int
    method: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]
    takes_deadline: bool
    dropped: Sequence[int]


def load(where: str, variant: str, _deadline: Deadline) -> dict[str, object]:
    """Load the solver at a location; return its attributes as plain data. Raises UsageError."""
    _objects[0] = solver = registry.solver_at(where, variant)
    with plugins.PluginErrors(f"the plugin {where} is no solver", UsageError):
        return {
            field: PLAIN_DATA[kind](getattr(solver, field))
            for field, kind in registry.ATTRIBUTE_TYPES.items()
        }


def call(name: str, request: Request, deadline: Deadline) -> tuple[str, Any]:
    """Return a method's result: ``value``, ``object`` (its number), or ``end`` of a generator.

    ``name`` names the solver in errors. Raises EngineFault, and what the method raises of
    this package's errors.
    """
    for number in request.dropped:
        _objects.pop(number, None)
    target, method = _objects[request.number], request.method
    match request.number, method:
        case 0, "unavailable":
            return "value", registry.reason_against(target)
        case 0, "version":
            return "value", registry.version_of(target)
        case 0, "known_variants":
            with plugins.PluginErrors(f"{name} cannot list its variants"):
                return "value", tuple(map(str, target.known_variants()))
    with plugins.PluginErrors(f"{name} failed"):
        if method == "next":
            try:
                return "value", next(target)
            except StopIteration as end:
                return "end", end.value
        last = (deadline,) if request.takes_deadline else ()
        value = getattr(target, method)(*request.arguments, *last, **request.keywords)
    if method not in HOSTED_METHODS:
        return "value", value
    if method == "points" and not isinstance(value, Generator):
        raise EngineFault(f"{name} gave no generator of points, but {shown(value)}")
    number = max(_objects) + 1
    _objects[number] = value
    return "object", number
