"""The registry of constraint classes. Their names are built in or come from entry points."""

from __future__ import annotations

from milp_pips.problem import plugins
from milp_pips.problem.constraint import Constraint, missing_methods
from milp_pips.problem.errors import UsageError

CONSTRAINT_GROUP = "milp_pips.constraints"
"""Entry-point group of constraint classes."""

CONSTRAINTS = {
    "all-different": "milp_pips.constraints:AllDifferent",
    "all-equal": "milp_pips.constraints:AllEqual",
    "any-of": "milp_pips.constraints:AnyOf",
    "cardinality": "milp_pips.constraints:Cardinality",
    "connected": "milp_pips.constraints:Connected",
    "domino-cover": "milp_pips.constraints:DominoCover",
    "fixed": "milp_pips.constraints:Fixed",
    "less": "milp_pips.constraints:Less",
    "linear-sum": "milp_pips.constraints:LinearSum",
    "no-good": "milp_pips.constraints:NoGood",
    "pair-sum": "milp_pips.constraints:PairSum",
    "regular": "milp_pips.constraints:Regular",
    "table": "milp_pips.constraints:Table",
}


def names() -> dict[str, str]:
    """Return the location of each constraint class by name, the built-in classes first."""
    return plugins.names(CONSTRAINT_GROUP, CONSTRAINTS)


def constraint(name: str) -> type[Constraint]:
    """Return the constraint class of this name. Raises UsageError if there is none, or it is faulty."""
    where = plugins.location(name, CONSTRAINTS, names, "constraint")
    found = plugins.load(where)
    if not isinstance(found, type) or not issubclass(found, Constraint):
        raise UsageError(f"the plugin {where} is not a constraint: it does not inherit from Constraint")
    missing = missing_methods(found)
    if missing:
        raise UsageError(f"the plugin {where} is not a constraint: it has no method {', '.join(missing)}")
    return found
