"""Temporary folders that do not outlive who made them: one that is killed leaves its own to the next.

Whoever uses a folder holds a lock on it, which the system takes back however a process ends. So a folder that
nobody holds is a leftover, on this machine or seen from a container.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import cache

PREFIX = "milp_pips-"

YOUNG = 60.0
"""Seconds in which a folder may be there and not be held yet."""

_cleared: set[str] = set()


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """Make a folder for the time being, and remove what a killed process of ours has left beside it."""
    beside = tempfile.gettempdir()
    if beside not in _cleared:  # once for each process
        _cleared.add(beside)
        remove_leftovers(beside)
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder,
        contextlib.ExitStack() as stack,
    ):
        with contextlib.suppress(ImportError, OSError):  # no locks there: it is never called left
            stack.enter_context(_holding(folder))
        yield folder


@contextlib.contextmanager
def temporary_files_in_one_folder() -> Iterator[str]:
    """Let all temporary files of this process, whoever makes them, be in one folder for the time being."""
    with temporary_folder() as folder:
        before, tempfile.tempdir = tempfile.tempdir, folder
        try:
            yield folder
        finally:
            tempfile.tempdir = before


@cache
def keep_temporary_files_in_one_folder() -> None:
    """Let all temporary files of this process be in one folder from now on, until it ends."""
    kept = contextlib.ExitStack()
    kept.enter_context(temporary_files_in_one_folder())
    atexit.register(kept.close)


def remove_leftovers(place: str) -> None:
    """Remove the folders of ours in a place that nobody holds any more."""
    if not hasattr(os, "getuid"):  # Windows, which has no locks on folders
        return
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    old = time.time() - status.st_mtime > YOUNG
                    if old and status.st_uid == os.getuid():
                        with _holding(entry.path):
                            shutil.rmtree(entry.path)


@contextlib.contextmanager
def _holding(folder: str) -> Iterator[None]:
    """Hold a folder. Raises OSError where somebody else does, or where it cannot be held."""
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
