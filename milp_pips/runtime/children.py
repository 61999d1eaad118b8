"""The environment of child programs, and the command and import path of child Python processes."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from milp_pips.runtime.import_path import absolute, import_path
from milp_pips.runtime.reaper import MARK, kill_marked, new_mark

_START = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start.py")


def environment(mark: str, temporary: str = "") -> dict[str, str]:
    """Return the environment of a program with its mark (see ``reaper``) and its temporary folder."""
    return {**os.environ, **changed_variables(mark, temporary)}


def changed_variables(mark: str, temporary: str = "") -> dict[str, str]:
    """Return the variables in which the environment of a program differs from this process's."""
    changed = {MARK: mark}
    if temporary:
        changed["TMPDIR"] = temporary
    if "PYTHONPATH" in os.environ:
        changed["PYTHONPATH"] = absolute(os.environ["PYTHONPATH"])
    return changed


def python_command() -> list[str]:
    """Return the command that starts a Python for calls; see ``worker``."""
    return [sys.executable, "-P", _START, "milp_pips.runtime.worker"]


def start_message() -> bytes:
    """Return the bytes that such a Python reads first: this process's number and the import path."""
    return pickle.dumps((os.getpid(), import_path()))


@contextmanager
def marked_programs() -> Iterator[None]:
    """End the programs that a library starts in this block, with this process or when the block ends.

    They can only inherit their mark, so the environment of this process changes meanwhile.
    """
    changed = changed_variables(new_mark())
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        kill_marked(changed[MARK])
