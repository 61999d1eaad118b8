"""The structure of the code: directions of imports, no circles, a core without extras, names, and size."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from shutil import copytree, ignore_patterns

import grimp
import pytest
from code_size import PACKAGE, growth, sizes, syntax
from thoroughness import mostly_long

from milp_pips.constraints import registry as constraints
from milp_pips.engines import registry
from milp_pips.puzzles import family as families

MAY_NAME_ENGINES = ("engines", "extras/reference", "formulations/reading")
"""The engines themselves, with the registry the table of defaults, and what takes the models of libraries."""

MAY_NAME_FAMILIES = ("puzzles", "extras/families", "extras/generate", "verification/verify.py")
"""The checker of certificates reads the plain rules of the built-in families, and stands alone."""

MAY_IMPORT = {
    "problem": "",
    "algorithms": "",
    "constraints": "problem algorithms",
    "propagation": "problem algorithms constraints",
    "formulations": "problem algorithms constraints runtime",
    "compilation": "problem algorithms constraints propagation",
    "runtime": "problem",
    "engines": "problem algorithms constraints propagation formulations compilation runtime",
    "enumeration": "problem algorithms constraints propagation formulations compilation runtime engines",
    "verification": "problem algorithms constraints propagation formulations compilation runtime engines",
    "render": "",
    "puzzles": "problem algorithms constraints render formulations",
}
"""The rooms that each room may import besides itself; import-linter holds the others to their layers."""

SHARED_NAMES = (
    *("FAMILY", "STATUSES", "WITHOUT_BOUNDS", "P", "T", "TYPE_CHECKING"),
    *("FAULT", "INTERRUPTED", "OUTPUT_FAILED"),
    # The two checkers of certificates stand alone, each in one file.
    *("CERTIFICATE_JSON", "CUTOFF_ROW", "FORMAT", "LARGEST_JSON", "LARGEST_TEXT", "MEMORY_LIMIT"),
    "OUT_OF_MEMORY",
)
"""Constants of several modules that mean the same in each, such as an engine's table of statuses."""

EXTRAS_ON = {
    "generate": "explain",
    "bench": "",
    "explain": "",
    "families": "",
    "lab": "",
    "picture": "",
    "reference": "",
    "web": "explain generate bench picture",
}
"""The extras that each extra is built on."""


@pytest.fixture(scope="module")
def modules():
    """The nodes of the syntax tree of every module, by its place in the package."""
    gc.disable()  # no node is garbage: to look for it among a million takes as long as to parse
    found = {path.relative_to(PACKAGE).as_posix(): syntax(path) for path in PACKAGE.rglob("*.py")}
    gc.freeze()
    gc.enable()
    return found


@pytest.fixture(scope="module")
def graph():
    """The imports of all modules; those for type checking count like any other."""
    return grimp.build_graph("milp_pips", cache_dir=None)


def imports_of(graph):
    for module in sorted(graph.modules):
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            yield module, imported


def test_no_module_imports_itself_through_others(graph):
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError with the circle


def test_a_room_imports_only_the_rooms_that_it_is_built_on(graph):
    wrong = []
    for module, imported in imports_of(graph):
        room, other = (name.partition(".")[2].partition(".")[0] for name in (module, imported))
        if room in MAY_IMPORT and other not in (room, *MAY_IMPORT[room].split()):
            wrong.append(f"{module} imports {imported}")
    assert wrong == []


def test_the_core_imports_no_extra(graph):
    """The top-level stub names what extras offer; at run time it is read as text."""
    wrong = [
        f"{module} imports {imported}"
        for module, imported in imports_of(graph)
        if imported.startswith("milp_pips.extras") and not module.startswith("milp_pips.extras")
    ]
    assert wrong == []


def test_an_extra_imports_only_the_extras_that_it_is_built_on(graph):
    wrong = []
    for module, imported in imports_of(graph):
        if module.startswith("milp_pips.extras.") and imported.startswith("milp_pips.extras."):
            extra, other = module.split(".")[2], imported.split(".")[2]
            if other not in (extra, *EXTRAS_ON[extra].split()):
                wrong.append(f"{module} imports {imported}")
    assert wrong == []


CORE_WORK = """
import milp_pips
puzzle = milp_pips.read("examples/pips/easy.txt")
result = milp_pips.solve(puzzle)
print(milp_pips.check(puzzle, result.solution), milp_pips.count(puzzle), milp_pips.check(puzzle, board={}))
print(len(list(milp_pips.solutions(puzzle))), milp_pips.convert(puzzle, "json")[:1], milp_pips.draw(puzzle))
from milp_pips.cli import main
easy, impossible = (f"examples/pips/{name}.txt" for name in ("easy", "impossible"))
for verb, name, status in (
    *(("solve", easy, 0), ("enumerate", easy, 0), ("count", easy, 0), ("check", easy, 2)),
    *(("show", easy, 0), ("export", easy, 0), ("solve", impossible, 1)),
):
    assert main([verb, name]) == status, (verb, name)
"""


def test_the_core_works_without_the_extras(tmp_path):
    copytree(PACKAGE, tmp_path / "milp_pips", ignore=ignore_patterns("extras"))
    run = subprocess.run(
        [sys.executable, "-c", CORE_WORK],
        cwd=PACKAGE.parent,
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr


def test_no_engine_is_named_outside_the_engines(modules):
    engines = {name for name in registry.SOLVERS if name != "diagram"}  # that is a word as well
    assert places_of(engines, MAY_NAME_ENGINES, modules) == []


def test_no_family_is_named_outside_the_puzzles(modules):
    assert places_of(set(families.FAMILIES), MAY_NAME_FAMILIES, modules) == []


PRESENTATION = {"__str__", "summary", "to_json", "drawing", "_repr_svg_", "_repr_pretty_", "_repr_html_"}


def test_results_are_data_without_presentation(modules):
    """A subclass of ``TaskResult`` has none of the methods that ``milp_pips.views`` answers."""
    results = [
        (place, node)
        for place, nodes in modules.items()
        for node in nodes
        if isinstance(node, ast.ClassDef) and "TaskResult" in [ast.unparse(base) for base in node.bases]
    ]
    assert len(results) > 10
    wrong = [
        f"{place}: {node.name}.{method.name}"
        for place, node in results
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name in PRESENTATION
    ]
    assert wrong == []


def test_only_the_tables_of_engines_dispatch_on_constraints(modules):
    """Outside their own files, only one table for each engine depends on the class of a constraint."""
    classes = {where.rpartition(":")[2] for where in constraints.CONSTRAINTS.values()} | {"Tiling", "Usage"}
    wrong, tables = [], []
    for place, nodes in modules.items():
        if not place.startswith("constraints/"):  # constraints know one another
            for node in nodes:
                match node:
                    case ast.Call(func=ast.Name("isinstance" | "issubclass"), args=[_, tested]):
                        named = tested
                    case ast.MatchClass(cls=named):
                        pass
                    case ast.Compare() if any(map(is_type_of, ast.walk(node))):
                        named = node
                    case ast.FunctionDef(decorator_list=[_, *_]) if "register" in ast.unparse(
                        node.decorator_list[0]
                    ):
                        named = node.args
                    case ast.Dict(keys=[ast.Name(), *_]):
                        if classes & {key.id for key in node.keys if isinstance(key, ast.Name)}:
                            tables.append(place)
                        continue
                    case _:
                        continue
                if classes & {name.id for name in ast.walk(named) if isinstance(name, ast.Name)}:
                    wrong.append(f"{place}:{node.lineno}")
    assert wrong == []
    assert len(tables) == len(set(tables)), f"an engine has two tables: {tables}"
    assert {place.split("/")[0] for place in tables} <= {"engines", "formulations"}, tables


def is_type_of(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


MOST_LINES, MOST_FILES = 55_806, 396
"""Ceilings of the package, lowered whenever it shrinks. What takes most beyond the puzzles, the engines and
their lists: explanations by technique 5,150 lines, setting 2,750, campaigns 2,700, the page 1,340,
certificates of puzzles 1,450 (their checker, which stands alone, has 950), screenshots 1,000, objectives and
soft rules 1,150, five families 840. Exact readers of models take 2,500 lines: four formats of files, and the
objects of fourteen libraries, each of which states its numbers in another way. The tree over a live LP takes
1,650, and the checker of its certificates, which stands alone, 750."""


def test_the_package_does_not_grow():
    lines, files = sizes()
    if told := too_large(lines.total(), files.total()):
        pytest.fail(told)


def too_large(lines: int, files: int) -> str:
    """Return what is too large, by how much, where it grew, and what to do; empty if nothing is."""
    measured = (("lines of code", lines, MOST_LINES), ("files", files, MOST_FILES))
    over = [f"{now} {what}, {now - most} more than {most}" for what, now, most in measured if now > most]
    if not over:
        return ""
    grown = sorted(growth(Path(__file__)).items(), key=lambda room: -room[1])
    where = ", ".join(f"{room} +{number}" for room, number in grown)
    since = f"; since the ceilings were set: {where}" if where else ""
    return (
        f"the package has {' and '.join(over)}{since}. Make something smaller or remove it, or raise "
        "MOST_LINES and MOST_FILES in tests/test_architecture.py with the reason in the commit's message"
    )


def test_a_package_that_grows_says_what_grew_and_what_to_do(monkeypatch):
    assert too_large(MOST_LINES, MOST_FILES) == ""
    monkeypatch.setattr(sys.modules[__name__], "growth", lambda _: {"cli": 2, "tasks": 5})
    assert too_large(MOST_LINES + 7, MOST_FILES) == (
        f"the package has {MOST_LINES + 7} lines of code, 7 more than {MOST_LINES}; since the ceilings were "
        "set: tasks +5, cli +2. Make something smaller or remove it, or raise MOST_LINES and MOST_FILES in "
        "tests/test_architecture.py with the reason in the commit's message"
    )


TRACE = """
import os, sys, threading
import milp_pips
from milp_pips.cli import main
folder, entered = os.path.dirname(milp_pips.__file__), set()
def profile(frame, event, _):
    code = frame.f_code
    if code.co_flags & 1 and code.co_filename.startswith(folder):  # a function, not the body of a module
        entered.add(os.path.relpath(code.co_filename, folder))
threading.setprofile(profile)
sys.setprofile(profile)
status = main(sys.argv[1:])
sys.setprofile(None)
files = [file for file in entered if not file.startswith("constraints")]
modules = [name for name in sys.modules if name.startswith("milp_pips")]
print(status, len(files), len(modules), *sorted(files), *sorted(modules))
"""
"""Runs a command; prints its status, how many files it enters (constraints aside) and modules it loads."""


@pytest.mark.parametrize(
    ("command", "most_files", "most_modules"),
    mostly_long(1, [("solve --solver highs", 36, 60), ("count", 31, 61)]),
)
def test_a_command_enters_few_files_and_loads_few_modules(command, most_files, most_modules):
    """Every file on the way of a command costs its user start-up time, and its reader a file to read."""
    run = subprocess.run(
        [sys.executable, "-c", TRACE, *command.split(), "examples/pips/notebook.txt"],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    status, files, modules, *names = run.stdout.splitlines()[-1].split()
    assert status == "0"
    assert (int(files) <= most_files, int(modules) <= most_modules) == (True, True), (files, modules, names)


def test_a_module_level_constant_has_one_meaning(modules):
    places: dict[str, set[str]] = {}
    for place, nodes in modules.items():
        for statement in nodes[0].body:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                for name in ast.walk(statement):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        places.setdefault(name.id, set()).add(place)
    shared = {name: files for name, files in places.items() if name.strip("_").isupper() and len(files) > 1}
    assert shared.keys() == set(SHARED_NAMES), shared


def test_a_public_module_lists_its_names():
    public = (PACKAGE.parent / "docs" / "stability.md").read_text(encoding="utf-8").split("\n## ")[1]
    cells = re.findall(r"^\| (`milp_pips\.[^|]*) \|", public, re.MULTILINE)
    names = [name for cell in cells for name in re.findall(r"`([\w.]+)`", cell)]
    assert len(names) > 15
    for name in names:
        module = import_module(name)
        assert set(module.__all__) <= set(dir(module)), name


def places_of(names: set[str], allowed: tuple[str, ...], modules: dict[str, list[ast.AST]]) -> list[str]:
    """Return where the code outside the allowed files and folders has one of the names as a constant.

    Keys of a dict that is written out are not names: what is on a domino is called its pips in JSON, too.
    """
    found = list[str]()
    for place, nodes in modules.items():
        if not place.startswith(tuple(f"{folder}/" for folder in allowed)):
            keys = {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
            found += [
                f"{place}:{node.lineno}: {node.value}"
                for node in nodes
                if isinstance(node, ast.Constant) and node.value in names and id(node) not in keys
            ]
    return found
