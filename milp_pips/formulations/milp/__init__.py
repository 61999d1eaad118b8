"""The formulation of a problem as a 0-1 model, with the choice of a linearisation for each constraint.

Importing this module and listing the formulations do not import numpy; the first model does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from milp_pips.problem import Constraint, Problem, UsageError, plugins
from milp_pips.problem.constraint import Row
from milp_pips.problem.errors import unknown_name
from milp_pips.problem.fields import require_problem

if TYPE_CHECKING:
    from milp_pips.formulations.milp.draft import Draft
    from milp_pips.formulations.milp.model import EncodedModel

__all__ = ["Linearisation", "choices", "formulate"]

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
    state: Callable[[Draft, Any], Iterable[Row] | None]


def choices(problem: Problem | None = None) -> list[str]:
    """Return the names of all linearisations, or of those that apply to the constraints of the problem."""
    every = _known_classes()
    kinds = {type(constraint) for constraint in problem.constraints} if problem else {*every}
    own = [kind for kind in every if kind in kinds]
    own.sort(key=_alternatives, reverse=True)
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


def _alternatives(kind: type[Constraint]) -> int:
    """Return how many linearisations of its own the class has beside the default."""
    return max(0, len(kind.linearisations) - 1)


def _further(kinds: Iterable[type[Constraint]]) -> Iterator[str]:
    """Yield the names of linearisations of extras and of other packages, if they can be loaded."""
    kinds, own = tuple(kinds), _own_names()
    for name in plugins.names(GROUP, EXTRAS):
        with suppress(UsageError):
            one = None if name in own else _load(name)
            if one and any(issubclass(kind, one.constraints) for kind in kinds):
                yield name


def _own_names() -> set[str]:
    """Return the names of the linearisations that classes of constraints have of their own."""
    return {name for kind in _known_classes() for name in kind.linearisations}


def _load(name: str) -> Linearisation | None:
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


def formulate(problem: Problem, formulation: str = "", key: str = "") -> EncodedModel:
    """Return the 0-1 model of the problem.

    Parameters
    ----------
    formulation
        Names of linearisations, separated by commas, each for the constraints that it applies to. A
        constraint without a named linearisation gets the default for its size.
    key
        Name of the key by which solutions are to be listed, or empty. With a key, the default linearisation
        is one with separate columns for the variables of the key.

    Raises
    ------
    UsageError
        If a name is unknown, or no name applies to a constraint of the problem.
    """
    require_problem("formulate", problem)
    from milp_pips.formulations.milp.draft import Draft

    named = [name.strip() for name in formulation.split(",") if name.strip()]
    own = _own_names() if named else ()
    further: dict[str, Linearisation] = {}
    for name in named:
        if name not in own:
            if (one := _load(name)) is None:
                raise unknown_name("formulation", name, choices())
            further[name] = one
    projecting = bool(key) and len(set(problem.keys[key])) < len(problem.variables)
    resolve = cache(plugins.load)
    draft = Draft(problem)
    used: list[str] = []
    # The constraints with the most linearisations come first: a cover defines its values if it can.
    for constraint in sorted(problem.constraints, key=lambda c: -_alternatives(type(c))):
        ways = constraint.linearisations
        fitting = (
            n for n in named if n in ways or (n in further and isinstance(constraint, further[n].constraints))
        )
        name = next(fitting, "") or constraint.default_linearisation(listing=bool(key), projecting=projecting)
        if name in further:
            with plugins.PluginErrors(f"the linearisation {name} failed"):
                draft.add([Row(*row) for row in further[name].state(draft, constraint) or ()])
        elif name:
            draft.add(resolve(ways[name])(draft, constraint) or ())
        else:
            draft.add(constraint.linear_rows(draft))
        if name in named or _alternatives(type(constraint)):
            used.append(name)
    if named and not set(named) & set(used):
        known = ", ".join(choices(problem))
        known = f"it can be stated by {known}" if known else "it is stated in one way only"
        raise UsageError(f"this puzzle has nothing that {formulation!r} could state; {known}")
    return draft.finish(",".join(dict.fromkeys(used)), problem.keys[key] if projecting else ())
