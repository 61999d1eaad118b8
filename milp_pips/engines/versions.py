"""Versions of this package and of solvers, compared between machines."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.engines import registry
from milp_pips.problem.errors import UsageError
from milp_pips.problem.version import VERSION

if TYPE_CHECKING:
    from milp_pips.runtime.cluster import Admit, Workers


class Installed(NamedTuple):
    """What a host has: its name, the version of this package and those of solvers."""

    host: str
    package: str
    engines: Mapping[str, str]


def installed(solvers: Sequence[str]) -> Installed:
    """Return what is installed where this is called. Raises UsageError for a solver that cannot run there."""
    versions = {name: registry.available(name).version() for name in solvers}
    return Installed(socket.gethostname(), VERSION, versions)


def refuse_other_versions(there: Installed, refuse_engine: Callable[[str], object]) -> None:
    """Raise UsageError where a host has another version of this package; refuse other ones of solvers."""
    if there.package != VERSION:
        raise UsageError(f"{there.host} has milp_pips {there.package}, this machine {VERSION}")
    for name, version in installed(list(there.engines)).engines.items():
        if there.engines[name] != version:
            refuse_engine(f"{there.host} has {name} {there.engines[name]}, this machine {version}")


def same_versions(solvers: Sequence[str], tell: Callable[[str], object]) -> Admit:
    """Return what admits hosts with the same version of this package, and tells of other ones of solvers."""

    def admit(workers: Workers, addresses: Sequence[str]) -> None:
        found = workers.answers(partial(installed, solvers), addresses)
        for there in {there.host: there for there in found.values()}.values():
            refuse_other_versions(there, tell)

    return admit
