"""Files that are written whole or not at all, and places that are tried before work is spent on them."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from io import FileIO

from milp_pips.problem.errors import InputError, OutputError

DEVICE_ERRORS = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO})
"""Errors of the system that are no fault of the name: a full disk, a limit of size, a broken device."""

PARTIAL = ".partial"
"""How the name of a file ends while it is written. What a kill leaves of it, the next writer replaces."""


def write_file(path: str, content: str | bytes, *, make_directory: bool = False) -> None:
    """Write a file whole, or leave what was there. Raises InputError and OutputError."""
    data = content.encode() if isinstance(content, str) else content
    with write_errors(path):
        if make_directory:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if _is_stream(path):
            with FileIO(path, "w") as stream:
                write_all(stream, data)
            return
        with _partial_file(path) as (stream, partial):
            write_all(stream, data)
            stream.close()  # some systems tell of a full disk only now
            if os.path.exists(path):
                os.chmod(partial, os.stat(path).st_mode & 0o7777)
            os.replace(partial, os.path.realpath(path))


def write_all(stream: FileIO, data: bytes) -> None:
    """Write all of the data. Raises OSError.

    Where little room is left, the system takes a part and refuses the rest. A buffered file would keep that
    rest, and write it once there is room again.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def try_file(path: str) -> None:
    """Raise InputError or OutputError where ``write_file`` could not write, before work is spent on it."""
    with write_errors(path):
        if not _is_stream(path):
            _try(path)


def try_directory(path: str) -> None:
    """Make a directory if it is not there. Raises InputError or OutputError where no file can be written."""
    with write_errors(path, "cannot write here"):
        os.makedirs(path, exist_ok=True)
        _try(os.path.join(path, "file"))


def try_place(path: str) -> None:
    """Raise InputError or OutputError where neither a file nor a directory with files can be made."""
    place = path
    while not os.path.exists(place):
        place = os.path.dirname(place) or "."
    with write_errors(path):
        if not _is_stream(path):
            _try(place if os.path.isfile(path) else os.path.join(place, "file"))


@contextmanager
def write_errors(path: str, what: str = "cannot write", hint: str = "") -> Iterator[None]:
    """Raise an error of the system as OutputError where the disk is full, as InputError for a wrong place."""
    try:
        yield
    except OSError as error:
        kind = OutputError if error.errno in DEVICE_ERRORS else InputError
        raise kind(f"{what}: {error.strerror or error}{hint}", path) from None


def _try(path: str) -> None:
    """Make an empty file in the same directory: one without a name, so that a kill leaves nothing."""
    import tempfile

    _check_writable(path)
    with suppress(FileNotFoundError):
        os.lstat(f"{path}{PARTIAL}")  # a name that is too long is an error here
    with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
        pass


def _check_writable(path: str) -> None:
    """Raise OSError if the path is a directory or a file that is read-only."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def _partial_file(path: str) -> Iterator[tuple[FileIO, str]]:
    """Open a new file beside the one that is to be written; it is removed if it is still there at the end."""
    _check_writable(path)
    partial = f"{os.path.realpath(path)}{PARTIAL}"
    with suppress(FileNotFoundError):
        os.remove(partial)
    stream = FileIO(partial, "x")  # which follows no link that somebody has put there
    try:
        yield stream, partial
    finally:
        stream.close()
        with suppress(FileNotFoundError):
            os.remove(partial)


def _is_stream(path: str) -> bool:
    """Return whether the path is a device or a pipe, which can only be written in place."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


# Temporary folders that do not outlive who made them: one that is killed leaves its own to the next.
#
# Whoever uses a folder holds a lock on it, which the system takes back however a process ends. So a folder
# that nobody holds is a leftover, on this machine or seen from a container.

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
