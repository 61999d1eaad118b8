"""The promises that the structure of the code makes: no circles, and no engine known by name."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from milp_pips import plugins

PACKAGE = Path(plugins.__file__).parent
MAY_NAME_ENGINES = ("solvers", "published", "plugins.py", "defaults.py")
"""The engines themselves, the table of where they are found, and the one table of defaults."""


def test_no_module_imports_itself_through_others():
    graph = grimp.build_graph("milp_pips", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError with the circle


def test_no_engine_is_named_outside_the_solvers():
    engines = {name for name in plugins.SOLVERS if name != "diagram"}  # that is a room as well
    assert places_of(engines, MAY_NAME_ENGINES) == []


def test_no_family_is_named_outside_the_puzzles():
    assert places_of(set(plugins.FAMILIES), ("puzzles", "plugins.py")) == []


def places_of(names: set[str], allowed: tuple[str, ...]) -> list[str]:
    """Return where the code outside the allowed files and folders has one of the names as a constant.

    Keys of a dict that is written out are no names: what is on a domino is called its pips in JSON, too.
    """
    found = list[str]()
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] not in allowed:
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            keys = {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
            found += [
                f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.value}"
                for node in nodes
                if isinstance(node, ast.Constant) and node.value in names and id(node) not in keys
            ]
    return found
