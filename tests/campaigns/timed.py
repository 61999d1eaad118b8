"""The program, with notes on its limit: when its deadline is, and, where it is late, what it does then.

::

    python timed.py NOTES LATE milp-pips' words …

``NOTES`` gets the deadline, as ``time.monotonic`` has it, counted from the first line of the program.
``LATE`` seconds after it, the stack of every thread is written to standard error, once.
"""

from __future__ import annotations

import faulthandler
import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path

from milp_pips.watch import Watch


def noting(begin: Callable[..., None], notes: Path, late: float) -> Callable[..., None]:
    """Return the initialisation of a watch that notes the first deadline of this process."""
    begun = time.monotonic()

    def begin_and_note(self: Watch, seconds: float | None = None, *others: object) -> None:
        begin(self, seconds, *others)
        if seconds is not None and not notes.exists():
            notes.write_text(str(begun + seconds))
            faulthandler.dump_traceback_later(max(0.01, begun + seconds + late - time.monotonic()))

    return begin_and_note


if __name__ == "__main__":
    notes, late = Path(sys.argv[1]), float(sys.argv[2])
    del sys.argv[1:3]
    Watch.__init__ = noting(Watch.__init__, notes, late)  # type: ignore[method-assign]
    runpy.run_module("milp_pips", run_name="__main__", alter_sys=True)
