"""Import paths and names of version 0.1 for plugins: until 1.1 they work with a DeprecationWarning."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar

SOLUTION_SETS = ("compilation.limits", "compilation.estimating", "compilation.solution_set", "tasks.compile")

MOVED_MODULES = {
    "milp_pips.answer": ("problem.answer",),
    "milp_pips.asked": ("problem.fields",),
    "milp_pips.board": ("puzzles.puzzle",),
    "milp_pips.chance": ("problem.rng",),
    "milp_pips.cnf": ("formulations.cnf",),
    "milp_pips.compilation.space": SOLUTION_SETS,
    "milp_pips.diagram": SOLUTION_SETS,
    "milp_pips.drawing": (
        "render.vocabulary",
        "render.colours",
        "render.text",
        "render.svg",
        "render.layout",
    ),
    "milp_pips.errors": ("problem.errors",),
    "milp_pips.filtering": ("propagation", "propagation.supply_certificates"),
    "milp_pips.milp": ("formulations.milp", "formulations.milp.model"),
    "milp_pips.milp.model": ("formulations.milp.model",),
    "milp_pips.pipeline": ("tasks.pipeline",),
    "milp_pips.plugins": ("engines.registry", "puzzles.registry", "problem.plugins"),
    "milp_pips.process": ("engines.execution",),
    "milp_pips.process.watched": ("runtime.interruptible",),
    "milp_pips.puzzles.partition": ("extras.generate.partition",),
    "milp_pips.reading": ("puzzles.reading",),
    "milp_pips.solvers": ("engines",),
    "milp_pips.solvers.contract": ("engines.contract",),
    "milp_pips.solvers.library": ("engines.library",),
    "milp_pips.solvers.mip": ("engines.mip",),
    "milp_pips.space": SOLUTION_SETS,
    "milp_pips.watch": ("problem.stopping",),
}
"""Old module → the modules below ``milp_pips`` that now contain its names."""

MOVED_PUBLIC = {
    "Diagram": ("compilation.solution_set", "SolutionSet", "SolutionSet"),
    "Space": ("compilation.solution_set", "SolutionSet", "SolutionSet"),
    "compile_diagram": ("tasks.compile", "compile_diagram", "compile with method='diagram'"),
    "project": ("tasks.compile", "project", "SolutionSet.project"),
    "solution_space": ("tasks.compile", "solution_space", "compile"),
}
"""Old name in ``milp_pips`` → the module that still has it, its name there, and what replaces it."""

MOVED_NAMES = {
    "Blame": "PluginErrors",
    "Chance": "RandomGenerator",
    "EarlierWatch": "EarlierDeadline",
    "Diagram": "SolutionSet",
    "Found": "MipResult",
    "PartialWatch": "SubDeadline",
    "ProcessorWatch": "SubDeadline",
    "Space": "SolutionSet",
    "Statement": "CnfEncoding",
    "Watch": "Deadline",
    "build_watched": "build_interruptibly",
    "call_watched": "call_interruptibly",
    "compile_space": "compile_problem",
    "run_watched": "run_program",
    "watching": "running_deadline",
    "yield_watched": "yield_interruptibly",
}
"""Old name → new name."""


class _OldModule(ModuleType):
    """A stand-in for a module that has moved."""

    __path__: ClassVar[list[str]] = []  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return find(self.__name__, MOVED_MODULES[self.__name__], name)


def find(old: str, modules: tuple[str, ...], name: str) -> Any:
    """Return an object of an old module, and warn. Raises AttributeError if no new module has it."""
    for module in modules:
        place = import_module(f"milp_pips.{module}")
        for new in (MOVED_NAMES.get(name, name), name):
            if hasattr(place, new):
                now = f"milp_pips.{module}.{new}"
                warnings.warn(f"{old}.{name} is now {now}", DeprecationWarning, stacklevel=3)
                return getattr(place, new)
    raise AttributeError(f"module {old!r} has no attribute {name!r}")


def find_public(name: str) -> Any:
    """Return an object that ``milp_pips`` had, and warn. Raises AttributeError for any other name."""
    if name not in MOVED_PUBLIC:
        raise AttributeError(f"module 'milp_pips' has no attribute {name!r}")
    module, current, instead = MOVED_PUBLIC[name]
    warnings.warn(f"milp_pips.{name} is now milp_pips.{instead}", DeprecationWarning, stacklevel=3)
    return getattr(import_module(f"milp_pips.{module}"), current)


class OldModuleLoader:
    """Find and load the modules that have moved; called by the last entry of ``sys.meta_path``."""

    @classmethod
    def find_spec(cls, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Return the spec of a module that has moved; None for any other module."""
        return ModuleSpec(name, cls, is_package=True) if name in MOVED_MODULES else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        """Return the stand-in for the module."""
        return _OldModule(spec.name)

    @staticmethod
    def exec_module(_module: ModuleType) -> None:
        """Do nothing: the stand-in finds each name on first use."""


class ByName(dict[str, Any]):
    """A mapping by the names of variables, which still finds an entry by the position of its variable."""

    def __init__(self, names: Mapping[int, str], content: Mapping[str, Any]):
        super().__init__(content)
        self._names = names

    def __missing__(self, key: Any) -> Any:
        if key in self._names:
            warnings.warn(
                f"read this mapping by the variable's name, not its position {key}",
                DeprecationWarning,
                stacklevel=2,
            )
            return self[self._names[key]]
        raise KeyError(key)
