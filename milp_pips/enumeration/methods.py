"""All solutions of a problem by an engine, one after the other: by cuts, or natively.

Each yields points of which no two agree in the key, and ends with proof and stop. An engine that gives a
solution again that was cut off, or a whole point twice, has a fault: the list would be wrong, or endless.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, cast

from milp_pips.engines.execution import checked_point
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.plugins import PluginErrors
from milp_pips.problem.validation import shown

if TYPE_CHECKING:
    from milp_pips.engines.contract import EnumeratingSolver, MipResult, Points, Solver
    from milp_pips.enumeration.models import Listing
    from milp_pips.problem.stopping import Deadline


def list_by_cuts(listing: Listing, deadline: Deadline, known: Sequence[Sequence[int]] = ()) -> Points:
    """Solve, cut the solution off, solve again, until there is none (Balas and Jeroslow 1972).

    ``known`` points, of an earlier run, are cut off first. Each solve is as hard as the last or harder.
    """
    with PluginErrors(f"{listing.solver} failed"):
        model = listing.model(deadline)
        if model is None:
            return Proof.NONE, deadline.stop or Stop.INTERRUPTED
        for point in known:
            model.exclude(model.choices(point))
    seen = {listing.key_of(point) for point in known}
    while True:
        if deadline.stop:  # a solve may be over before its engine looks at the clock
            return Proof.NONE, deadline.stop
        with PluginErrors(f"{listing.solver} failed"):
            found = model.solve((), (), deadline)
            listing.used.add(found.formulation)
        if found.point is None:
            return ending_of(listing, found, deadline)
        see(listing, listing.key_of(found.point), seen, "a solution that was cut off")
        yield found.point
        with PluginErrors(f"{listing.solver} failed"):
            model.exclude(found.choices)


def list_natively(listing: Listing, deadline: Deadline) -> Points:
    """Let the engine list all solutions itself; of points that agree in the key the first is yielded."""
    engine = listing.engine
    if "enumeration" not in engine.features:
        raise UsageError(f"{listing.solver} has no enumeration of its own; use --method cuts or partition")
    with PluginErrors(f"{listing.solver} failed"):
        points = cast("EnumeratingSolver", engine).points(
            listing.problem, listing.key, listing.settings, deadline
        )
    if not isinstance(points, Generator):
        raise EngineFault(f"{listing.solver} gave no generator of points, but {shown(points)}")
    keys: set[tuple[int, ...]] = set()
    wholes: set[tuple[int, ...]] = set()
    try:
        while True:
            with PluginErrors(f"{listing.solver} failed"):
                point = checked_point(next(points), listing.problem, listing.solver)
            if not listing.published:  # which may say a solution several ways
                see(listing, point, wholes, "a point twice")
            key = listing.key_of(point)
            if key not in keys:
                keys.add(key)
                yield point
            if not key:  # nobody sees by what another could differ
                return Proof.COMPLETE, Stop.FINISHED
    except StopIteration as end:
        match end.value:
            case (Proof() as proof, Stop() as stop):
                return proof, stop
        told = f"it returned {shown(end.value)}, no pair of proof and stop"
        raise EngineFault(f"{listing.solver} does not say how its list ended: {told}") from None
    finally:
        points.close()


def usual_method(solver: Solver) -> str:
    """Return how a solver lists by itself: natively if it can and keeps no live model, else by partition."""
    return "native" if "enumeration" in solver.features and "cuts" not in solver.features else "partition"


def see(listing: Listing, key: tuple[int, ...], seen: set[tuple[int, ...]], what: str) -> None:
    """Note the values of a point. Raises EngineFault if they have been seen."""
    if key in seen:
        raise EngineFault(f"{listing.solver} gave {what}: number {len(seen) + 1} was seen before")
    seen.add(key)


def ending_of(listing: Listing, found: MipResult, deadline: Deadline) -> tuple[Proof, Stop]:
    """Turn "no solution here" into "complete", and an engine's failure into an error."""
    if found.proof is Proof.INFEASIBLE:
        return Proof.COMPLETE, Stop.FINISHED
    if found.stop is Stop.ERROR and not deadline.stop:  # some engines call an interruption an error
        raise EngineFault(f"{listing.solver} failed: {found.message}")
    return Proof.NONE, deadline.stop or found.stop
