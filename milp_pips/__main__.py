"""``python -m milp_pips VERB …``, and the command ``milp-pips``: from the first moment to the exit status."""

import os
import sys

if __name__ == "__main__":  # ``python -m`` has put the current folder first: nothing is imported before
    from milp_pips.runtime.import_path import leave_current_folder

    leave_current_folder()

TYPE_CHECKING = False  # nothing else is imported before Ctrl-C is heard
if TYPE_CHECKING:
    from typing import NoReturn

FAULT, OUTPUT_FAILED, INTERRUPTED, TERMINATED = 70, 74, 130, 143
"""Exit statuses of what is no answer (sysexits.h and the shell's 128 + signal); the others are in ``cli``."""


SECOND_CALL, LAST_CALL = 0.8, 3.0
"""Seconds after which SIGTERM is told again, and then those in which everything must be cleaned up before the
system ends this process."""

_told: list[int] = []
"""Exit statuses of the signals that this process was told to end by."""


def run() -> "NoReturn":
    """Run the command of this process and leave it at once.

    Nothing is torn down: that would take longer than solving a puzzle, and an engine that was told to stop
    may still be running in its thread. Nothing that goes wrong leaves a traceback.
    """
    try:
        import signal

        signal.signal(signal.SIGTERM, _end)
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _tell_unraisable
        status = _status()
        if status == FAULT and _told:
            status = _told[-1]
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        status = 0  # whoever read has read enough
    except OSError as error:
        status = _tell(f"output failed: {error.strerror or error}", OUTPUT_FAILED)
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else FAULT
    except BaseException as error:
        if _told:  # some libraries turn the end that they are told of into a fault of theirs
            os._exit(_told[-1])
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f" ({os.path.basename(where.tb_frame.f_code.co_filename)}:{where.tb_lineno})" if where else ""
        told = " ".join(str(error).split())[:300]
        status = _tell(f"a fault of this program: {type(error).__name__}: {told}{place}", FAULT)
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    finally:
        os._exit(status)


def _status() -> int:
    if sys.stdout is None:
        return _tell("standard output is closed", OUTPUT_FAILED)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - until the end
    import warnings

    from milp_pips.cli import complain, main

    told = set[str]()

    def tell_once(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in told:
            told.add(str(message))
            complain(f"warning: {message}")

    warnings.showwarning = tell_once
    return main()


def _tell(line: str, status: int) -> int:
    """Print a line to standard error, if there is one, and return the status."""
    try:
        print(f"milp-pips: {line}", file=sys.stderr)
    except (OSError, ValueError):
        return status
    return status


def _tell_unraisable(lost: "sys.UnraisableHookArgs") -> None:
    """Tell of an error that could not be raised, as Python does; not of the end that was told to us."""
    if not _told:
        sys.__unraisablehook__(lost)


def _interrupt(*_: object) -> "NoReturn":
    """Do what Python does on Ctrl-C, and remember it."""
    _told.append(INTERRUPTED)
    raise KeyboardInterrupt


def _end(*_: object) -> "NoReturn":
    """End as on any error, so that temporary files and other processes are cleaned up.

    Once more after a moment, since an exception that comes while objects are destroyed is lost; what does
    not let go then is left behind.
    """
    import signal

    _told.append(TERMINATED)
    if hasattr(signal, "setitimer"):
        again = signal.getsignal(signal.SIGALRM) is _end
        signal.signal(signal.SIGALRM, signal.SIG_DFL if again else _end)
        signal.setitimer(signal.ITIMER_REAL, LAST_CALL if again else SECOND_CALL)
    from milp_pips.problem.errors import Terminated

    raise Terminated(TERMINATED)


if __name__ == "__main__":  # a process that helps with an enumeration imports this module again
    run()
