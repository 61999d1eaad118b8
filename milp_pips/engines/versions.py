"""Compare the versions of this package and of solvers between machines."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.engines import registry
from milp_pips.problem import VERSION, Deadline, UsageError

if TYPE_CHECKING:
    from milp_pips.runtime.cluster import Admit, Workers


class Installed(NamedTuple):
    """The installation on a host: its name, the version of this package and the versions of solvers."""

    host: str
    package: str
    engines: Mapping[str, str]


def installed(solvers: Sequence[str], _deadline: Deadline | None = None) -> Installed:
    """Return the installed versions on this host. Raises UsageError for a solver that cannot run on it."""
    versions = {name: registry.available(name).version() for name in solvers}
    return Installed(socket.gethostname(), VERSION, versions)


def refuse_other_versions(there: Installed, refuse_engine: Callable[[str], object]) -> None:
    """Raise UsageError if a host has another version of this package.

    Call ``refuse_engine`` with a message for each solver of which the host has another version.
    """
    if there.package != VERSION:
        raise UsageError(f"{there.host} has milp_pips {there.package}, this machine {VERSION}")
    for name, version in installed(list(there.engines)).engines.items():
        if there.engines[name] != version:
            refuse_engine(f"{there.host} has {name} {there.engines[name]}, this machine {version}")


def same_versions(solvers: Sequence[str], tell: Callable[[str], object]) -> Admit:
    """Return a function that admits only hosts with the same version of this package.

    It calls ``tell`` with a message for each solver of which a host has another version.
    """
    from milp_pips.runtime.cluster import results_of_each

    def admit(workers: Workers, addresses: Sequence[str]) -> None:
        found = results_of_each(workers, installed, (solvers,), addresses)
        for remote in {remote.host: remote for remote in found.values()}.values():
            refuse_other_versions(remote, tell)

    return admit
