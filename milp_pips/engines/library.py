"""The base class of solvers whose engine is a Python library, and two helpers."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import ClassVar

from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import UsageError

__all__ = ["LibrarySolver", "installed", "literal"]


class LibrarySolver:
    """A solver whose engine is a Python library; the library is not imported before it is used.

    Its ``proof_family`` is its own name unless a subclass sets another.

    Parameters
    ----------
    variant
        The part after the colon in ``name:variant``, for solvers that reach several engines.
    """

    name: str
    kind: ClassVar[str]
    title: str
    requires: ClassVar[tuple[str, ...]] = ()
    distribution: ClassVar[str] = "milp-pips"
    features: frozenset[str]
    filtering: frozenset[str] = frozenset()
    proof_family: str = ""
    clashes: frozenset[str] = frozenset()
    without_presolve: Mapping[str, str] = MappingProxyType({})
    isolated: bool = False
    variants: ClassVar[str] = ""
    most_values: int = 0
    transformations: tuple[str, ...] = ("filter",)

    def __init__(self, variant: str = ""):
        if variant and not self.variants:
            raise UsageError(f"{self.name} has no variants: there is no {self.name}:{variant}")
        self.variant = variant
        self.proof_family = self.proof_family or self.name
        if variant:
            self.name = f"{self.name}:{variant}"

    @property
    def formulations(self) -> tuple[str, ...]:
        """The formulations in which it takes a problem: a single one without a name."""
        return ("",)

    @property
    def published(self) -> frozenset[str]:
        """Those of its formulations that state a published model: none."""
        return frozenset()

    @property
    def native(self) -> Collection[type[Constraint]]:
        """The classes to which it bridges all other constraints; none if it does not bridge."""
        return ()

    def known_variants(self) -> Iterable[str]:
        """Return the names of its variants: none."""
        return ()

    def unavailable(self) -> str:
        """Return which module is missing and how to install it; empty if none is missing."""
        for module in self.requires:
            if find_spec(module) is None:
                return f"the module {module} is not installed: pip install {self.distribution}"
        return ""

    def version(self) -> str:
        """Return the installed version of the library."""
        return installed(self.distribution)


def installed(distribution: str) -> str:
    """Return the installed version of a distribution; empty if it is not installed."""
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def literal(text: str) -> object:
    """Return the value of an option's text: a number, a truth value, a list, or else the text itself."""
    try:
        return ast.literal_eval(text.capitalize() if text in ("true", "false") else text)
    except (ValueError, SyntaxError):
        return text
