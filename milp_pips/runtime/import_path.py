"""The import path of this process and its Python children: absolute folders, without the current folder.

Python puts the current folder first for ``-m`` and ``-c``, so that a ``pickle.py`` in a folder of puzzles
would run. This module imports no module that such a file could replace.
"""

import os
import sys

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that contains this package."""


def import_path() -> list[str]:
    """Return the import path of a child, in which this package comes before any other version of it.

    The path leaves out relative entries, and also the current folder if an empty part of ``PYTHONPATH`` names
    it. It adds the folder of this package as late as possible: a source checkout may be the current folder.
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
    """Return the value of ``PYTHONPATH`` without relative parts and empty ones (the current folder)."""
    return os.pathsep.join(filter(os.path.isabs, paths.split(os.pathsep)))


def leave_current_folder() -> None:
    """Remove from ``sys.path`` the entry that ``python -m`` added, and every other relative entry."""
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
