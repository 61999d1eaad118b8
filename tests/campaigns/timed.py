"""The program, with a note of its deadline; on SIGUSR1 it writes its stack to standard error and works on.

::

    python timed.py NOTE milp-pips' words …

The file ``NOTE`` gets the deadline, as ``time.monotonic`` has it, counted from the first line of the program.
The stack is that of the main thread: to read those of others while they work may crash.
"""

from __future__ import annotations

import faulthandler
import runpy
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from milp_pips.problem.stopping import Deadline


def noting(begin: Callable[..., None], note: Path) -> Callable[..., None]:
    """Return the initialisation of a deadline that notes the first deadline of this process."""
    begun = time.monotonic()

    def begin_and_note(self: Deadline, seconds: float | None = None, *others: object) -> None:
        begin(self, seconds, *others)
        if seconds is not None and not note.exists():
            note.write_text(str(begun + seconds))

    return begin_and_note


if __name__ == "__main__":
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    Deadline.__init__ = noting(Deadline.__init__, Path(sys.argv.pop(1)))  # type: ignore[method-assign]
    runpy.run_module("milp_pips", run_name="__main__", alter_sys=True)
