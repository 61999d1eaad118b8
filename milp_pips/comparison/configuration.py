"""What is compared: a solver, how the problem is stated to it, and its own options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.engines import available
from milp_pips.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.solvers.contract import Solver


class Configuration(NamedTuple):
    """A solver, a formulation (empty: the solver's own choice), and options by the solver's own names.

    As text: ``SOLVER[/FORMULATION][,NAME=VALUE…]``, such as ``highs/projected,presolve=off``.
    """

    solver: str
    formulation: str = ""
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """Return the configuration that a text means. Raises UsageError."""
        head, *rest = text.split(",")
        solver, _, first = head.partition("/")
        choices = [first, *(piece for piece in rest if "=" not in piece)]
        options = [piece.partition("=") for piece in rest if "=" in piece]
        if not solver or "=" in head or not all(name for name, _, _ in options):
            raise UsageError(f"{text!r} is no configuration; expected SOLVER[/FORMULATION][,NAME=VALUE…]")
        named = {name: value for name, _, value in options}
        return cls(solver, ",".join(filter(None, choices)), tuple(sorted(named.items())))

    def __str__(self) -> str:
        stated = f"{self.solver}/{self.formulation}" if self.formulation else self.solver
        return ",".join([stated, *(f"{name}={value}" for name, value in self.options)])


def configurations(
    runs: Iterable[str] = (), solvers: Sequence[str] = (), formulations: Sequence[str] = ()
) -> tuple[Configuration, ...]:
    """Return the configurations that are named, each once.

    Parameters
    ----------
    runs
        Configurations as text.
    solvers, formulations
        The short way: each solver with each of the formulations that it knows, or with its own choice if it
        knows none of them.

    Raises
    ------
    UsageError
        For a solver that cannot run here, a formulation that its solver (or no solver) knows, or nothing.
    """
    found = [Configuration.parse(text) for text in runs]
    unknown = dict.fromkeys(formulations)
    for name in solvers:
        known = [way for way in formulations if _knows(available(name), way)]
        found += [Configuration(name, way) for way in known or [""]]
        for way in known:
            unknown.pop(way, None)
    if unknown:
        raise UsageError(f"no solver named knows the formulation {next(iter(unknown))!r}")
    if not found:
        raise UsageError(
            "nothing to compare: name configurations, such as --run highs/projected --run cp-sat"
        )
    for one in found:
        solver = available(one.solver)
        if one.formulation and not _knows(solver, one.formulation):
            ways = ", ".join(filter(None, solver.formulations)) or "none"
            raise UsageError(f"{one.solver} has no formulation {one.formulation!r}; it has: {ways}")
    return tuple(dict.fromkeys(found))


def _knows(solver: Solver, formulation: str) -> bool:
    return set(formulation.split(",")) <= set(solver.formulations) - {""}
