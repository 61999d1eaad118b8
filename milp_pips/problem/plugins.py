"""One loader for plugins of every kind: by name from a built-in table or from entry points."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from milp_pips.problem.errors import EngineFault, MilpPipsError, Terminated, UsageError, unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def names(group: str, built_in: Mapping[str, str]) -> dict[str, str]:
    """Return where each plugin of a group is found, the built-in ones first; those keep their names.

    A place is ``module`` or ``module:object``.
    """
    found = dict(built_in)
    for entry in _entries(group):
        found.setdefault(entry.name, entry.value)
    return found


def _entries(group: str) -> Iterable[EntryPoint]:
    from importlib import metadata

    return metadata.entry_points(group=group)


def is_foreign(group: str, name: str) -> bool:
    """Return whether the entry point of this name comes from another distribution than this package."""
    entry = next((entry for entry in _entries(group) if entry.name == name), None)
    return entry is not None and not (entry.dist and entry.dist.name.replace("_", "-") == "milp-pips")


def location(
    name: str, built_in: Mapping[str, str], names: Callable[[], Mapping[str, str]], kind: str
) -> str:
    """Return where the plugin of this name is found; entry points are read only where it is not built in.

    Raises UsageError, naming the kind, if there is none.
    """
    where = built_in.get(name) or names().get(name)
    if where is None:
        raise unknown_name(kind, name, names())
    return where


EXTRAS_PACKAGE = "milp_pips.extras"


def extra(where: str) -> Any:
    """Return the object at ``module:object`` below ``milp_pips.extras``; None where that is not installed."""
    module, _, attribute = f"{EXTRAS_PACKAGE}.{where}".partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            return None
        raise
    return getattr(found, attribute)


class PluginErrors:
    """A context in which code from elsewhere runs: what it raises is told in one line, as somebody's fault.

    Our own errors pass, and so does an interruption; anything else, SystemExit included, becomes ``kind``.
    """

    def __init__(self, words: str, kind: type[MilpPipsError] = EngineFault):
        self._words, self._kind = words, kind

    def __enter__(self) -> None:
        """Send what is printed there to standard error, which is not read as an answer.

        In the main thread alone: two threads that changed it in turn would not restore what was there.
        """
        self._output = sys.stdout
        if threading.current_thread() is threading.main_thread():
            sys.stdout = sys.stderr

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if threading.current_thread() is threading.main_thread():
            sys.stdout = self._output
        if not isinstance(error, PASSING):
            told = " ".join(str(error).split())[:300]
            raise self._kind(f"{self._words}: {type(error).__name__}{': ' if told else ''}{told}") from error


PASSING = (type(None), MilpPipsError, Terminated, KeyboardInterrupt, StopIteration, GeneratorExit)

_hanging: set[str] = set()
"""Modules whose import has not ended in time: it goes on in its thread, and nobody waits for it again."""

IMPORT_SECONDS = 10.0
"""Seconds that a plugin from outside may take to be imported: a library of engines takes one or two."""


def load(where: str) -> Any:
    """Return the module or object at ``module`` or ``module:object``. Raises UsageError.

    What is not of this package is imported in a thread of its own, so that one that hangs is told.
    """
    module, _, attribute = where.partition(":")
    loaded: list[Any] = []

    def import_it() -> None:
        with suppress(BaseException):  # said again by the import below
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
    """Return whether all of these are text."""
    return all(isinstance(word, str) for word in words)


def kind_of(value: object) -> str:
    """Return the type of a value as a message names it, such as ``an int``."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
