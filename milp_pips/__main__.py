"""Entry point of ``python -m milp_pips VERB …`` and of the command ``milp-pips``.

Handles signals, faults and the exit status; ``milp_pips.cli`` does the rest.
"""

import os
import sys

if __name__ == "__main__":  # ``python -m`` has put the current folder first: remove it before any import
    from milp_pips.runtime.import_path import leave_current_folder

    leave_current_folder()

TYPE_CHECKING = False  # import nothing else before the handler of Ctrl-C is set
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

FAULT, OUTPUT_FAILED, INTERRUPTED, TERMINATED = 70, 74, 130, 143
"""Exit statuses without an answer (sysexits.h, and 128 + signal as in the shell); ``cli`` has the others."""

TRACEBACK = "MILP_PIPS_TRACEBACK"
"""The environment variable that requests the traceback of a fault."""

SECOND_CALL, LAST_CALL = 0.8, 3.0
"""Seconds until SIGTERM is handled a second time, and then seconds for the clean-up until the system ends
this process."""

RESEND_SECONDS = 0.05
"""Seconds until a lost Ctrl-C is sent again."""

POSTPONED_SECONDS, MOST_POSTPONED = 0.01, 50
"""Seconds until a signal that arrives while a module lock is made is handled, and how often it may wait."""

_signal_statuses: list[int] = []
"""Exit statuses of the signals that have requested the end of this process."""

_raised: list[int] = []
"""The statuses for which an exception has been raised."""

_postponed: "list[Callable[..., None]]" = []
"""The handlers that have been postponed, once for each time."""


def run() -> "NoReturn":
    """Run the command of this process and leave it at once.

    The interpreter is not shut down: that would take longer than solving a puzzle, and an engine that was
    stopped may still be running in its thread. An error prints one line.
    """
    try:
        import signal

        signal.signal(signal.SIGTERM, _end)
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _print_unraisable
        status = _status()
        if status == FAULT and _signal_statuses:
            status = _signal_statuses[-1]
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        status = 0  # the reader has closed the pipe because it has read enough
    except OSError as error:
        status = _print_and_return(f"output failed: {error.strerror or error}", OUTPUT_FAILED)
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else FAULT
    except BaseException as error:
        if _signal_statuses:  # some libraries turn our Terminated into an error of their own
            status = _signal_statuses[-1]
        else:
            shown = bool(os.environ.get(TRACEBACK))
            if shown:
                sys.excepthook(type(error), error, error.__traceback__)
            hint = "" if shown else f"; {TRACEBACK}=1 shows the traceback"
            status = _print_and_return(f"a fault of this program: {_fault_text(error)}{hint}", FAULT)
    try:
        if _signal_statuses and (writing := sys.modules.get("milp_pips.runtime.writing")):
            writing.remove_own_folders()
        if sys.stderr is not None:
            sys.stderr.flush()
    finally:
        os._exit(status)


def _status() -> int:
    if sys.stdout is None:
        return _print_and_return("standard output is closed", OUTPUT_FAILED)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - until the end
    import warnings

    from milp_pips.cli import complain, main

    printed = set[str]()

    def print_once(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in printed:
            printed.add(str(message))
            complain(f"warning: {message}")

    warnings.showwarning = print_once
    return main()


def _fault_text(error: BaseException) -> str:
    """Return the class and the text of an error, and the line of code that raised it."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f" ({os.path.basename(where.tb_frame.f_code.co_filename)}:{where.tb_lineno})" if where else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}{place}"


def _print_and_return(line: str, status: int) -> int:
    """Print a line to standard error, if there is one, and return the status."""
    try:
        print(f"milp-pips: {line}", file=sys.stderr)
    except (OSError, ValueError):
        return status
    return status


def _print_unraisable(lost: "sys.UnraisableHookArgs") -> None:
    """Print an error that could not be raised, as Python does, unless a signal has requested the end.

    A Ctrl-C that arrives while an object is destroyed is lost, so it is sent again.
    """
    if isinstance(lost.exc_value, KeyboardInterrupt):
        import _thread

        _thread.start_new_thread(_interrupt_soon, (_thread.get_ident(),))
    elif not _signal_statuses:
        sys.__unraisablehook__(lost)


def _interrupt_soon(main_thread: int) -> None:
    import signal
    import time

    time.sleep(RESEND_SECONDS)
    if hasattr(signal, "pthread_kill"):  # which wakes the main thread
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


def _interrupt(*_: object) -> None:
    """Raise KeyboardInterrupt as Python does on Ctrl-C, and record the signal."""
    _signal_statuses.append(INTERRUPTED)
    if not _postpone(_interrupt):
        raise KeyboardInterrupt


def _end(*_: object) -> None:
    """Raise Terminated, so that temporary files and other processes are cleaned up.

    A timer calls this handler a second time, since an exception raised while objects are destroyed is lost.
    After that, a last timer kills the process, and what is not yet cleaned up is left behind.
    """
    import signal

    _signal_statuses.append(TERMINATED)
    if _postpone(_end):
        return
    if hasattr(signal, "setitimer"):
        again = TERMINATED in _raised
        signal.signal(signal.SIGALRM, signal.SIG_DFL if again else _end)
        signal.setitimer(signal.ITIMER_REAL, LAST_CALL if again else SECOND_CALL)
    _raised.append(TERMINATED)
    from milp_pips.problem.errors import Terminated

    raise Terminated(TERMINATED)


def _postpone(handler: "Callable[..., None]") -> bool:
    """Return whether a timer calls the handler again soon, because Python's import lock is held.

    An exception between the acquisition of that lock and the ``try`` that releases it would leave it locked,
    and the next fork in another thread would wait for it forever.
    """
    import _imp
    import signal

    if not _imp.lock_held() or len(_postponed) >= MOST_POSTPONED or not hasattr(signal, "setitimer"):
        return False
    _postponed.append(handler)
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, POSTPONED_SECONDS)
    return True


if __name__ == "__main__":  # a worker process of an enumeration imports this module again
    run()
