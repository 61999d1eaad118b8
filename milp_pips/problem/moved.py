"""Import paths and names of version 0.1 for plugins: until 0.3 they work with a DeprecationWarning."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar

MOVED_MODULES = {
    "milp_pips.answer": ("problem.answer",),
    "milp_pips.asked": ("problem.fields",),
    "milp_pips.board": ("puzzles.puzzle",),
    "milp_pips.chance": ("problem.rng",),
    "milp_pips.cnf": ("formulations.cnf",),
    "milp_pips.diagram": ("compilation.diagram",),
    "milp_pips.drawing": (
        "render.vocabulary",
        "render.colours",
        "render.text",
        "render.svg",
        "render.layout",
    ),
    "milp_pips.errors": ("problem.errors",),
    "milp_pips.filtering": ("propagation",),
    "milp_pips.milp": ("formulations.milp", "formulations.milp.model"),
    "milp_pips.milp.model": ("formulations.milp.model",),
    "milp_pips.pipeline": ("tasks.pipeline",),
    "milp_pips.plugins": ("engines.registry", "puzzles.registry", "problem.plugins"),
    "milp_pips.process": ("engines.execution",),
    "milp_pips.process.watched": ("runtime.interruptible",),
    "milp_pips.puzzles.partition": ("puzzles.region_partition",),
    "milp_pips.reading": ("puzzles.reading",),
    "milp_pips.solvers": ("engines",),
    "milp_pips.solvers.contract": ("engines.contract",),
    "milp_pips.solvers.library": ("engines.library",),
    "milp_pips.solvers.mip": ("engines.mip",),
    "milp_pips.space": ("compilation.space",),
    "milp_pips.watch": ("problem.stopping",),
}
"""Old module → the modules below ``milp_pips`` that now contain its names."""

MOVED_NAMES = {
    "Blame": "PluginErrors",
    "Chance": "RandomGenerator",
    "EarlierWatch": "EarlierDeadline",
    "Found": "MipResult",
    "PartialWatch": "SubDeadline",
    "ProcessorWatch": "CpuTimeLimit",
    "Statement": "CnfEncoding",
    "Watch": "Deadline",
    "build_watched": "build_interruptibly",
    "call_watched": "call_interruptibly",
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
        for new in (name, MOVED_NAMES.get(name, name)):
            if hasattr(place, new):
                now = f"milp_pips.{module}.{new}"
                warnings.warn(f"{old}.{name} is now {now}", DeprecationWarning, stacklevel=3)
                return getattr(place, new)
    raise AttributeError(f"module {old!r} has no attribute {name!r}")


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
