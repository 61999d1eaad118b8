"""A folder full of modules that stand in for others, and leave a note when they are executed."""

from __future__ import annotations

import sys
from pathlib import Path

OTHERS = (
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
    "pyarrow",
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
"""Modules that are not Python's own."""

BEFORE_US = {
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
"""What plain ``python -m`` loads before any module of ours: ``SECURITY.md`` names them."""


def fill(folder: Path) -> Path:
    """Put the modules into a folder, and return the file that they write their names to."""
    note = folder.parent / f"{folder.name}-executed"
    for name in {*sys.stdlib_module_names, *OTHERS} - BEFORE_US:
        (folder / f"{name}.py").write_text(f"open({str(note)!r}, 'a').write({name!r} + '\\n')\n")
    return note
