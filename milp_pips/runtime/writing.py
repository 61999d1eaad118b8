"""Write files whole or not at all, check paths before long computations, and make temporary folders.

A killed process leaves its temporary folder behind; the next process removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO

from milp_pips.problem import InputError, OutputError, UsageError

DEVICE_ERRORS = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO})
"""System errors for which the path is not to blame: a full disk, a size limit, a broken device."""

PARTIAL_SUFFIX = ".partial"
"""The suffix of a file while it is written. The next writer replaces what a killed one has left."""


def write_file(path: str, content: str | bytes, *, make_directory: bool = False) -> None:
    """Write a file whole, or leave the old one as it is. Raises InputError and OutputError."""
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
            stream.close()  # some systems report a full disk only now
            if os.path.exists(path):
                os.chmod(partial, os.stat(path).st_mode & 0o7777)
            os.replace(partial, os.path.realpath(path))


def write_all(stream: FileIO, data: bytes) -> None:
    """Write all of the data. Raises OSError.

    If little space is left, the system writes a part and refuses the rest. A buffered file would keep that
    rest and write it once there is space again.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def try_file(path: str) -> None:
    """Raise InputError or OutputError if ``write_file`` would fail; call it before a long computation."""
    with write_errors(path):
        if not _is_stream(path):
            _try(path)


def try_directory(path: str) -> None:
    """Make a directory if it does not exist. Raises InputError or OutputError if no file can be written."""
    with write_errors(path, "cannot write here"):
        os.makedirs(path, exist_ok=True)
        _try(os.path.join(path, "file"))


def try_place(path: str) -> None:
    """Raise InputError or OutputError if neither a file nor a directory with files can be made."""
    place = path
    while not os.path.exists(place):
        place = os.path.dirname(place) or "."
    with write_errors(path):
        if not _is_stream(path):
            _try(place if os.path.isfile(path) else os.path.join(place, "file"))


@contextmanager
def write_errors(path: str, what: str = "cannot write", hint: str = "") -> Iterator[None]:
    """Raise a system error as OutputError if the device is to blame (a full disk), else as InputError."""
    try:
        yield
    except OSError as error:
        kind = OutputError if error.errno in DEVICE_ERRORS else InputError
        raise kind(f"{what}: {error.strerror or error}{hint}", path) from None


def open_locked(path: str, name: str) -> FileIO:
    """Return a file that is open for reading and appending, and locked until it is closed.

    It is unbuffered, so that data that a full disk refused is not written later. Raises OSError, and
    UsageError, with ``name`` in its message, if another process holds the lock.
    """
    while True:
        stream = FileIO(path, "a+")
        try:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise InputError("not a regular file", path)
            _lock(stream, name)
            # If the path no longer leads to this file, the last owner has just removed it: try again.
            with suppress(OSError):
                if os.path.samestat(os.stat(path), os.fstat(stream.fileno())):
                    return stream
        except BaseException:
            stream.close()
            raise
        stream.close()


def _lock(stream: FileIO, name: str) -> None:
    """Lock an open file until it is closed. Raises UsageError if another process holds the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(f"{name} is being written by another process") from None


def _try(path: str) -> None:
    """Make a temporary file in the same directory; it has no name, so a killed process leaves nothing."""
    import tempfile

    _check_writable(path)
    with suppress(FileNotFoundError):
        os.lstat(f"{path}{PARTIAL_SUFFIX}")  # raises OSError if the name is too long
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
    """Open a new file beside the target; remove it if it still exists at the end."""
    _check_writable(path)
    partial = f"{os.path.realpath(path)}{PARTIAL_SUFFIX}"
    with suppress(FileNotFoundError):
        os.remove(partial)
    stream = FileIO(partial, "x")  # "x" does not follow a symbolic link of that name
    try:
        yield stream, partial
    finally:
        stream.close()
        with suppress(FileNotFoundError):
            os.remove(partial)


def _is_stream(path: str) -> bool:
    """Return whether the path is a device or a pipe, which can only be written in place."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


# Temporary folders. A process holds a lock on its folder, which the system releases however the process ends.
# So a folder without a lock is a leftover, also across containers, and the next process removes it.

FOLDER_PREFIX = "milp_pips-"

UNLOCKED_SECONDS = 60.0
"""Seconds for which a new folder may exist without a lock."""

_cleared: set[str] = set()
"""Directories in which this process makes temporary folders, and has removed the leftovers of others."""

_TOKEN = os.urandom(4).hex()


def _own_prefix() -> str:
    """Return how the names of this process's temporary folders begin."""
    return f"{FOLDER_PREFIX}{os.getpid()}-{_TOKEN}-"


def remove_own_folders() -> None:
    """Remove this process's temporary folders that are left because a signal came as one was made."""
    for place in _cleared:
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if entry.name.startswith(_own_prefix()):
                    shutil.rmtree(entry.path, ignore_errors=True)


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """Yield a temporary folder; remove the folders that killed processes have left beside it."""
    beside = tempfile.gettempdir()
    if beside not in _cleared:  # once for each process
        _cleared.add(beside)
        remove_leftovers(beside)
    folder, stack = tempfile.mkdtemp(prefix=_own_prefix()), contextlib.ExitStack()
    # A list that is left after its first solution keeps its folder until it is garbage collected.
    remove = weakref.finalize(stack, shutil.rmtree, folder, ignore_errors=True)
    try:
        with stack:
            with contextlib.suppress(ImportError, OSError):  # no locks: leftovers are never removed
                stack.enter_context(_locked(folder))
            yield folder
    finally:
        try:
            remove()
        finally:
            if os.path.isdir(folder):  # a signal has interrupted the removal
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def temporary_files_in_one_folder() -> Iterator[str]:
    """Yield a temporary folder that meanwhile holds all temporary files of this process, also libraries'."""
    with temporary_folder() as folder:
        before, tempfile.tempdir = tempfile.tempdir, folder
        try:
            yield folder
        finally:
            tempfile.tempdir = before


def remove_leftovers(place: str) -> None:
    """Remove this user's old temporary folders of this package in ``place`` that no process holds."""
    if not hasattr(os, "getuid"):  # Windows, which has no locks on folders
        return
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(FOLDER_PREFIX) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    old = time.time() - status.st_mtime > UNLOCKED_SECONDS
                    if old and status.st_uid == os.getuid():
                        with _locked(entry.path):
                            shutil.rmtree(entry.path)


@contextlib.contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Hold the lock of a folder. Raises OSError if another process holds it, or if it cannot be locked."""
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
