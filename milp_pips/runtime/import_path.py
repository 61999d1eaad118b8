"""Where this process and the Pythons that it starts import from: absolute folders, not the current one.

Python puts the current folder first for ``-m`` and ``-c``, so that a ``pickle.py`` beside somebody's puzzles
would run. This module imports nothing that such a file could stand in for.
"""

import os
import sys

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that this package is in."""


def import_path() -> list[str]:
    """Return what a child may import from; this package is found there before any other version of it.

    Relative entries are left out, and the current folder where an empty part of ``PYTHONPATH`` names it. The
    folder of this package is added as late as possible: a source checkout may be the current folder.
    """
    folders = [folder for folder in sys.path if os.path.isabs(folder)]
    named = os.environ.get("PYTHONPATH", "")
    if named and "" in named.split(os.pathsep):
        here = _current_folder()
        if here in folders and here not in named.split(os.pathsep):
            folders.remove(here)
    if HOME in folders:
        before = folders[: folders.index(HOME)]
        if not any(map(_has_package, before)):
            return folders
    where = next((i for i, folder in enumerate(folders) if _has_package(folder)), len(folders))
    return [*folders[:where], HOME, *folders[where:]]


def absolute(paths: str) -> str:
    """Return the value of ``PYTHONPATH`` without relative parts and empty ones, which mean the same."""
    return os.pathsep.join(filter(os.path.isabs, paths.split(os.pathsep)))


def leave_current_folder() -> None:
    """Take the entry from ``sys.path`` that ``python -m`` has put there, and what else is not absolute."""
    if not sys.flags.safe_path and sys.path and sys.path[0] in ("", _current_folder()):
        del sys.path[0]
    sys.path[:] = import_path()


def _has_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "milp_pips", "__init__.py"))


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it has been removed
        return ""
