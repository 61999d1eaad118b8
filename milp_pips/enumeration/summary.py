"""The last word on an enumeration."""

from __future__ import annotations

from typing import Any, NamedTuple

from milp_pips.answer import Stop


class Summary(NamedTuple):
    """The last word on an enumeration.

    Parameters
    ----------
    solutions
        How many were listed, those of an earlier run included.
    key
        What makes two of them different.
    complete
        Whether there is no further one; this has been proven and confirmed.
    stop
        Why it stopped.
    method, solver
        How, and by whom.
    seconds
        How long it took.
    confirmed_by
        What confirmed that the list is complete, or None.
    """

    solutions: int
    key: str
    complete: bool
    stop: Stop
    method: str
    solver: str
    seconds: float
    confirmed_by: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON-ready data."""
        return {**self._asdict(), "stop": self.stop.value, "seconds": round(self.seconds, 6)}

    def __str__(self) -> str:
        who = f"{self.method} by {self.solver}" if self.solver else self.method
        found = f"{self.solutions} solution{'' if self.solutions == 1 else 's'} (by {self.key}, {who})"
        if self.complete:
            return f"{found}, complete, in {self.seconds:.3f} s; confirmed by {self.confirmed_by}"
        return f"{found}, not known to be complete, in {self.seconds:.3f} s; stop: {self.stop}"
