"""A folder of modules named like installed ones, each of which writes a note when it is executed."""

from __future__ import annotations

import sys
from pathlib import Path

THIRD_PARTY_MODULES = (
    "benchexec",
    "clingo",
    "cpmpy",
    "dask",
    "distributed",
    "highspy",
    "jinja2",
    "matplotlib",
    "msgpack",
    "numpy",
    "ortools",
    "psutil",
    "pulp",
    "pycryptosat",
    "pyganak",
    "pyomo",
    "pyscipopt",
    "pysat",
    "sitecustomize",
    "starlette",
    "tornado",
    "usercustomize",
    "uvicorn",
    "yaml",
)
"""Modules outside the standard library."""

LOADED_BEFORE_US = {
    "collections",
    "contextlib",
    "functools",
    "importlib",
    "keyword",
    "operator",
    "reprlib",
    "types",
    "warnings",
}
"""Modules that ``python -m`` loads before any of ours; ``SECURITY.md`` names them."""


def fill_with_modules(folder: Path) -> Path:
    """Write the modules into a folder, and return the file to which each appends its name."""
    note = folder.parent / f"{folder.name}-executed"
    for name in {*sys.stdlib_module_names, *THIRD_PARTY_MODULES} - LOADED_BEFORE_US:
        (folder / f"{name}.py").write_text(f"open({str(note)!r}, 'a').write({name!r} + '\\n')\n")
    return note
