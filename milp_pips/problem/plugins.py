"""The loader for plugins of every kind: it finds them by name in a built-in table or in the entry points."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from milp_pips.problem.errors import EngineFault, MilpPipsError, Terminated, UsageError, unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def names(group: str, built_in: Mapping[str, str]) -> dict[str, str]:
    """Return the location of each plugin of a group, by name.

    The built-in plugins come first, and an entry point cannot replace one. A location is ``module`` or
    ``module:object``.
    """
    found = dict(built_in)
    for entry in _entries(group):
        found.setdefault(entry.name, entry.value)
    return found


def _entries(group: str) -> Iterable[EntryPoint]:
    """Return the entry points of a group, which are read anew when the path or one of its folders changes."""
    return _read_entries(group, tuple((folder, _version_of(folder or os.curdir)) for folder in sys.path))


def _version_of(folder: str) -> tuple[int, int] | None:
    """Return numbers that change when a package is installed in the folder; None if it does not exist."""
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


@lru_cache(maxsize=32)
def _read_entries(group: str, _path: object) -> Iterable[EntryPoint]:
    """Return the entry points of a group. Reading them takes 10 ms, and a solve needs them several times."""
    if not _is_declared(group):
        return ()
    from importlib import metadata

    return metadata.entry_points(group=group)


def _is_declared(group: str) -> bool:
    """Return whether a distribution on the path may declare entry points of a group.

    ``importlib.metadata`` takes as long to import as half of a small solve, and most groups have no entry.
    """
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return len(finders) > 1 or any(
        _declares(folder or os.curdir, f"[{group}]".encode()) for folder in sys.path
    )


def _declares(folder: str, section: bytes) -> bool:
    """Return whether a folder of the path has a distribution with this section, or is no folder."""
    try:
        names = os.listdir(folder)
    except NotADirectoryError:
        return True  # an archive
    except OSError:
        return False
    for name in names:
        if name.lower().endswith(("dist-info", "egg-info")):
            with suppress(OSError), open(os.path.join(folder, name, "entry_points.txt"), "rb") as stream:
                if section in stream.read():
                    return True
    return False


def is_foreign(group: str, name: str) -> bool:
    """Return whether the entry point of this name comes from another distribution than this package."""
    entry = next((entry for entry in _entries(group) if entry.name == name), None)
    return entry is not None and not (entry.dist and entry.dist.name.replace("_", "-") == "milp-pips")


def location(
    name: str, built_in: Mapping[str, str], names: Callable[[], Mapping[str, str]], kind: str
) -> str:
    """Return the location of the plugin of this name; entry points are read only if it is not built in.

    Raises UsageError, naming the kind of plugin, if there is none.
    """
    where = built_in.get(name) or names().get(name)
    if where is None:
        raise unknown_name(kind, name, names())
    return where


EXTRAS_PACKAGE = "milp_pips.extras"


def extra(where: str) -> Any:
    """Return the object at ``module:object`` below ``milp_pips.extras``; None if that is not installed."""
    module, _, attribute = f"{EXTRAS_PACKAGE}.{where}".partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            return None
        raise
    return getattr(found, attribute)


class PluginErrors:
    """A context for running code of a plugin: an exception becomes one line that names the plugin.

    Errors of this package and interruptions pass unchanged. Any other exception, SystemExit included, is
    raised as ``kind``, with ``words`` at the start of its message.
    """

    def __init__(self, words: str, kind: type[MilpPipsError] = EngineFault):
        self._words, self._kind = words, kind

    def __enter__(self) -> None:
        """Redirect standard output to standard error, which no program reads as an answer.

        Only the main thread does so: two threads that redirected in turn would restore the wrong stream.
        """
        self._output = sys.stdout
        if threading.current_thread() is threading.main_thread():
            sys.stdout = sys.stderr

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if threading.current_thread() is threading.main_thread():
            sys.stdout = self._output
        if not isinstance(error, PASSING):
            text = " ".join(str(error).split())[:300]
            raise self._kind(f"{self._words}: {type(error).__name__}{': ' if text else ''}{text}") from error


PASSING = (type(None), MilpPipsError, Terminated, KeyboardInterrupt, StopIteration, GeneratorExit)

_hanging: set[str] = set()
"""Modules whose import exceeded the time limit. It still runs in its thread; no call waits for it again."""

IMPORT_SECONDS = 10.0
"""Time limit in seconds for importing a plugin of another distribution; an engine library takes 1 or 2 s."""


def load(where: str) -> Any:
    """Return the module or object at ``module`` or ``module:object``. Raises UsageError.

    A module of another distribution is imported in a thread of its own, so that an import that hangs is
    reported.
    """
    module, _, attribute = where.partition(":")
    loaded: list[Any] = []

    def import_it() -> None:
        with suppress(BaseException):  # the import below raises it again
            loaded.append(importlib.import_module(module))

    if not module.startswith("milp_pips.") and module not in sys.modules:
        if module in _hanging:
            raise UsageError(f"the plugin {where} cannot be loaded: its import hangs")
        thread = threading.Thread(target=import_it, daemon=True)
        thread.start()
        thread.join(IMPORT_SECONDS)
        if thread.is_alive():
            _hanging.add(module)
            raise UsageError(
                f"the plugin {where} cannot be loaded: its import takes over {IMPORT_SECONDS:g} s"
            )
    with PluginErrors(f"the plugin {where} cannot be loaded", UsageError):
        found = loaded[0] if loaded else importlib.import_module(module)
        return getattr(found, attribute) if attribute else found


def all_text(words: Any) -> bool:
    """Return whether all of these are strings."""
    return all(isinstance(word, str) for word in words)


def kind_of(value: object) -> str:
    """Return the type of a value with its article, such as ``an int``."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def lazy(where: str) -> Callable[..., Any]:
    """Return a function that calls the one at ``module:name``. The first call imports the module.

    Without a name, the returned function imports and returns the module, such as a generator.
    """
    module, _, name = where.partition(":")
    if not name:
        return lambda: importlib.import_module(module)
    found: Callable[..., Any] | None = None  # cached: a list of solutions calls it millions of times

    def call(*arguments: Any) -> Any:
        nonlocal found
        if found is None:
            found = getattr(importlib.import_module(module), name)
        return found(*arguments)

    return call


def functions_of(package: str, **modules: str) -> dict[str, Any]:
    """Return functions of a package by name. The first call of one imports its module, see ``lazy``.

    ``modules`` has the names of the functions in each module, separated by blanks.
    """
    named = {name: module for module, names in modules.items() for name in names.split()}
    return {name: lazy(f"{package}.{module}:{name}") for name, module in named.items()}


@lru_cache
def lazy_package(package: str, folder: str) -> tuple[Callable[[str], Any], list[str]]:
    """Return the ``__getattr__`` and the ``__all__`` of a package, which imports each name on first use.

    The stub ``__init__.pyi`` in its folder lists the names, in lines ``from module import name as name``.
    """
    with open(os.path.join(folder, "__init__.pyi"), encoding="utf-8") as stub:
        words = [line.split() for line in stub if line.startswith("from ")]
    modules = {name: module for _, module, _, name, *_ in words}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find, sorted(modules)
