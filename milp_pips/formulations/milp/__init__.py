"""The linearisations of constraints by name: those of their classes, of extras and of other packages.

Listing them does not import numpy; ``formulate`` in ``draft`` does, which states a problem as a 0-1 model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from milp_pips.problem import plugins
from milp_pips.problem.constraint import Constraint, Row
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem

__all__ = ["Linearisation", "choices"]

GROUP = "milp_pips.linearisations"
"""The entry-point group of further linearisations: name → ``module:object``, a ``Linearisation``."""

EXTRAS = {
    "by_kind": "reference.linearisations:BY_KIND",
    "pairwise": "reference.linearisations:PAIRWISE",
}
"""The further linearisations in ``milp_pips.extras``, which may be absent."""


@dataclass(frozen=True, slots=True)
class Linearisation:
    """A further way to state constraints as linear rows over 0-1 columns.

    Parameters
    ----------
    constraints
        The classes of the constraints that it states.
    state
        A function of a ``RowBuilder`` and a constraint that yields rows, as ``Constraint.linear_rows`` does.
        Or, for large constraints, it adds columns and rows to the ``Draft`` by arrays and returns None.
    """

    constraints: tuple[type[Constraint], ...]
    state: Callable[[Any, Any], Iterable[Row] | None]


def choices(problem: Problem | None = None) -> list[str]:
    """Return the names of all linearisations, or of those that apply to the constraints of the problem."""
    every = _known_classes()
    kinds = {type(constraint) for constraint in problem.constraints} if problem else {*every}
    own = [kind for kind in every if kind in kinds]
    own.sort(key=lambda kind: len(kind.linearisations), reverse=True)
    return list(dict.fromkeys([*(name for kind in own for name in kind.linearisations), *_further(kinds)]))


def ways_to_state(kind: type[Constraint]) -> list[str]:
    """Return the names of the linearisations of a class of constraints, the default first."""
    return [*kind.linearisations, *_further({kind})]


def _known_classes() -> list[type[Constraint]]:
    """Load the built-in classes of constraints; return them, and then all other classes that are loaded."""
    from milp_pips.constraints.registry import CONSTRAINTS

    built_in: list[type[Constraint]] = [plugins.load(where) for where in CONSTRAINTS.values()]
    return list(dict.fromkeys([*built_in, *_classes(Constraint)]))


def _classes(kind: type[Constraint]) -> Iterator[type[Constraint]]:
    """Yield all subclasses."""
    for each in kind.__subclasses__():
        yield each
        yield from _classes(each)


def _further(kinds: Iterable[type[Constraint]]) -> Iterator[str]:
    """Yield the names of linearisations of extras and of other packages, if they can be loaded."""
    kinds, own = tuple(kinds), own_names()
    for name in plugins.names(GROUP, EXTRAS):
        with suppress(UsageError):
            one = None if name in own else linearisation(name)
            if one and any(issubclass(kind, one.constraints) for kind in kinds):
                yield name


def own_names() -> set[str]:
    """Return the names of the linearisations that classes of constraints have of their own."""
    return {name for kind in _known_classes() for name in kind.linearisations}


def linearisation(name: str) -> Linearisation | None:
    """Return a linearisation of extras or of another package; entry points are read only for the latter.

    The result is None for an unknown name. Raises UsageError if it cannot be loaded.
    """
    if name in EXTRAS:
        found = plugins.extra(EXTRAS[name])
    else:
        where = plugins.names(GROUP, {}).get(name)
        found = plugins.load(where) if where else None
    if not isinstance(found, Linearisation | None):
        raise UsageError(f"the linearisation {name} is {plugins.kind_of(found)}, not a Linearisation")
    return found
