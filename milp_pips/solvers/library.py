"""What solvers that live in a Python library have in common."""

from __future__ import annotations

from importlib.util import find_spec
from typing import ClassVar


class LibrarySolver:
    """A solver whose engine is a Python library: found and named without being imported."""

    name: ClassVar[str]
    kind: ClassVar[str]
    title: ClassVar[str]
    requires: ClassVar[tuple[str, ...]]
    distribution: ClassVar[str]
    features: ClassVar[frozenset[str]]
    formulations: ClassVar[tuple[str, ...]]

    def unavailable(self) -> str:
        """Return which module is missing, and how to get it; empty where nothing is."""
        for module in self.requires:
            if find_spec(module) is None:
                return f"the module {module} is not installed: pip install {self.distribution}"
        return ""

    def version(self) -> str:
        """Return the installed version of the library."""
        from importlib import metadata

        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return ""
