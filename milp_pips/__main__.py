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
    from typing import NoReturn

FAULT, OUTPUT_FAILED, INTERRUPTED, TERMINATED = 70, 74, 130, 143
"""Exit statuses without an answer (sysexits.h, and 128 + signal as in the shell); ``cli`` has the others."""


SECOND_CALL, LAST_CALL = 0.8, 3.0
"""Seconds until SIGTERM is handled a second time, and then seconds for the clean-up until the system ends
this process."""

RESEND_SECONDS = 0.05
"""Seconds until a lost Ctrl-C is sent again."""

_signal_statuses: list[int] = []
"""Exit statuses of the signals that have requested the end of this process."""


def run() -> "NoReturn":
    """Run the command of this process and leave it at once.

    The interpreter is not shut down: that would take longer than solving a puzzle, and an engine that was
    stopped may still be running in its thread. An error prints one line and no traceback.
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
            os._exit(_signal_statuses[-1])
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f" ({os.path.basename(where.tb_frame.f_code.co_filename)}:{where.tb_lineno})" if where else ""
        text = " ".join(str(error).split())[:300]
        status = _print_and_return(f"a fault of this program: {type(error).__name__}: {text}{place}", FAULT)
    try:
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


def _interrupt(*_: object) -> "NoReturn":
    """Raise KeyboardInterrupt as Python does on Ctrl-C, and record the signal."""
    _signal_statuses.append(INTERRUPTED)
    raise KeyboardInterrupt


def _end(*_: object) -> "NoReturn":
    """Raise Terminated, so that temporary files and other processes are cleaned up.

    A timer calls this handler a second time, since an exception raised while objects are destroyed is lost.
    After that, a last timer kills the process, and what is not yet cleaned up is left behind.
    """
    import signal

    _signal_statuses.append(TERMINATED)
    if hasattr(signal, "setitimer"):
        again = signal.getsignal(signal.SIGALRM) is _end
        signal.signal(signal.SIGALRM, signal.SIG_DFL if again else _end)
        signal.setitimer(signal.ITIMER_REAL, LAST_CALL if again else SECOND_CALL)
    from milp_pips.problem.errors import Terminated

    raise Terminated(TERMINATED)


if __name__ == "__main__":  # a worker process of an enumeration imports this module again
    run()
