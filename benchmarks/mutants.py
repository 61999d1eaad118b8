"""Change one thing in a module at a time, and say which changes no test notices (mutation testing).

    python benchmarks/mutants.py verification/verify.py --most 300 --minutes 20

Each mutant is one change of the syntax tree: another comparison, a negated condition, a number one greater, a
check that is left out, another proof or stop in an engine's table. A process per mutant is forked from one
that has loaded the libraries already; it loads the package with the mutant, and runs the tests of the module
in ``TESTS`` until one fails. A mutant that takes five times as long as the unchanged module counts as caught.

mutmut 3.8 and cosmic-ray 8.7 leave out no check, and change no table of proofs. mutmut changes functions
alone, and makes each call slower: the tests take more than twice as long; a changed ``verify.py`` imports
mutmut, so it does not stand alone. cosmic-ray starts pytest anew for each mutant, 2 s of processor time.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from itertools import chain
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
TABLES = ["tests/engines/test_status_tables.py"]
ENGINES = ("highs", "cp_sat", "scip", "cbc", "pulp", "pyomo", "cpmpy", "minizinc")
TESTS: dict[str, list[str]] = {
    "verification/verify.py": [
        "tests/verification/test_checker.py",
    ],
    "tasks/query.py:judge": ["tests/tasks/test_referee.py"],
    "compilation/parts.py": ["tests/enumeration/test_joining.py"],
    "enumeration/joining.py": ["tests/enumeration/test_joining.py"],
    "engines/library.py:answer_of,end_of_list,first_of,last_of,_without_point": TABLES,
    **{f"engines/{name}.py:STATUSES": TABLES for name in ENGINES},
}
"""The tests that must notice a change of a module, or of some of its names."""

LIBRARIES = "pytest hypothesis numpy psutil highspy pulp pysat.solvers clingo pyscipopt"
SWAPS: dict[type, list[type]] = {
    ast.Lt: [ast.LtE], ast.LtE: [ast.Lt], ast.Gt: [ast.GtE], ast.GtE: [ast.Gt],
    ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn], ast.NotIn: [ast.In], ast.And: [ast.Or], ast.Or: [ast.And],
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.FloorDiv], ast.FloorDiv: [ast.Mult],
    ast.LShift: [ast.RShift], ast.RShift: [ast.LShift], ast.BitAnd: [ast.BitOr], ast.BitOr: [ast.BitAnd],
    ast.BitXor: [ast.BitAnd], ast.Break: [ast.Continue], ast.Continue: [ast.Break],
}  # fmt: skip
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min", "sorted": "list"}
ENUMS = {
    "Proof": ["NONE", "FEASIBLE", "INFEASIBLE", "OPTIMAL", "COMPLETE"],
    "Stop": ["FINISHED", "TIME", "COUNT", "MEMORY", "INTERRUPTED", "ERROR"],
}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in place of a node of the syntax tree."""
    match node:
        case ast.Compare(ops=[operator]) | ast.BoolOp(op=operator) | ast.BinOp(op=operator):
            for other in SWAPS.get(type(operator), []):
                swapped = copy.copy(node)
                if isinstance(node, ast.Compare):
                    swapped.ops = [other()]
                else:
                    swapped.op = other()
                yield swapped
        case ast.Compare(ops=operators):  # 0 <= a < b
            for i, operator in enumerate(operators):
                for other in SWAPS.get(type(operator), []):
                    others = [*operators[:i], other(), *operators[i + 1 :]]
                    yield ast.Compare(node.left, others, node.comparators)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Name(id=name) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(value=ast.Name(id=enum), attr=attribute) if attribute in ENUMS.get(enum, ()):
            others = [other for other in ENUMS[enum] if other != attribute]
            for other in others[:2]:
                yield ast.Attribute(node.value, other, ast.Load())
        case ast.If() | ast.IfExp() | ast.While():
            changed = copy.copy(node)
            changed.test = ast.UnaryOp(ast.Not(), node.test)
            yield changed
        case ast.comprehension(ifs=[_, *_]):
            yield ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.Raise() | ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Break() | ast.Continue():
            yield SWAPS[type(node)][0]()


def skipped(node: ast.AST, parent: ast.AST, field: str) -> bool:
    """Return whether a node does not matter: words of messages, types, what runs as a script."""
    return (
        isinstance(node, ast.JoinedStr)
        or field in ("annotation", "returns")
        or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        or (isinstance(parent, ast.AnnAssign) and "TypeAlias" in ast.unparse(parent.annotation))
        or (isinstance(node, ast.FunctionDef) and node.name in ("main", "_limit_resources"))
        or (isinstance(node, ast.Expr) and "progress.report" in ast.unparse(node))
        or (isinstance(parent, ast.Raise) and field == "exc")
    )


def mutants(tree: ast.Module, names: str) -> Iterator[tuple[int, str]]:
    """Change the tree in place, yield the line and the change, and undo it; no ``names`` are all names."""

    def visit(parent: ast.AST) -> Iterator[tuple[int, str]]:
        for field, value in ast.iter_fields(parent):
            for i, node in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(node, ast.AST) or skipped(node, parent, field):
                    continue
                for other in changes(node):
                    put(parent, field, i, ast.fix_missing_locations(ast.copy_location(other, node)))
                    before, after = (ast.unparse(one).partition("\n")[0] for one in (node, other))
                    line = getattr(node, "lineno", getattr(parent, "lineno", 0))
                    yield line, f"{before}  ->  {after}"
                    put(parent, field, i, node)
                yield from visit(node)

    def put(parent: ast.AST, field: str, i: int, node: ast.AST) -> None:
        if isinstance(getattr(parent, field), list):
            getattr(parent, field)[i] = node
        else:
            setattr(parent, field, node)

    if not names:
        return visit(tree)
    methods = (one for node in tree.body if isinstance(node, ast.ClassDef) for one in node.body)
    return chain.from_iterable(
        visit(node) for node in (*tree.body, *methods) if names_of(node).intersection(names.split(","))
    )


def names_of(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {getattr(node, "name", "")}


def module_of(place: str) -> str:
    """Return the name of a module by its path in the package."""
    return "milp_pips." + place.partition(":")[0].removesuffix(".py").replace("/", ".")


def passes(module: str, code: object, tests: list[str], seconds: float) -> bool:
    """Return whether the tests pass, in a forked process, with this code in place of the module's."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
    signal.alarm(int(10 * seconds) + 30)
    plain = SourceFileLoader.get_code
    SourceFileLoader.get_code = (  # type: ignore[method-assign]
        lambda loader, name: code if name == module else plain(loader, name)
    )
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1), os.dup2(nowhere, 2)
    import pytest

    status = 70
    with suppress(BaseException):
        options = [
            "-x",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            "--hypothesis-seed=0",
            "-W",
            "ignore:Module already imported",
        ]
        status = int(pytest.main([*options, *tests]))
    os._exit(status)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("modules", nargs="*", default=list(TESTS), help="keys of TESTS, all by default")
    parser.add_argument("--most", type=int, default=300, help="mutants of a module, drawn at random")
    parser.add_argument("--minutes", type=float, default=20.0, help="for each module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, nargs=2, default=(0, 10**9), help="only mutants of these lines")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    graph = grimp.build_graph("milp_pips", cache_dir=None)
    targets = {module_of(place) for place in arguments.modules}
    changed = targets.union(*(graph.find_downstream_modules(target) for target in targets))
    rooms = "milp_pips.extras", "milp_pips.testing", *(target.rpartition(".")[0] for target in targets)
    for name in [*LIBRARIES.split(), *sorted(graph.modules - changed)]:
        if not name.startswith(rooms) and "__main__" not in name:
            with suppress(ImportError):
                importlib.import_module(name)
            if early := targets.intersection(sys.modules):
                sys.exit(f"{name} has loaded {', '.join(early)} before it is changed")
    for place in arguments.modules:
        file, _, names = place.partition(":")
        path, tests = ROOT / "milp_pips" / file, TESTS[place]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        if not passes(module_of(place), compile(tree, path, "exec"), tests, 1e4):
            sys.exit(f"{place}: the tests fail without any change")
        usual = 5 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before[1]) + 5
        low, high = arguments.lines
        found = [i for i, (line, _) in enumerate(mutants(tree, names)) if low <= line <= high]
        chosen = set(random.Random(arguments.seed).sample(found, min(arguments.most, len(found))))
        tried, survivors = 0, []
        for i, (line, change) in enumerate(mutants(tree, names)):
            if i in chosen and time.monotonic() < before[0] + 60 * arguments.minutes:
                tried += 1
                if passes(module_of(place), compile(tree, path, "exec"), tests, usual):
                    survivors.append(line)
                    print(f"{file}:{line}: {change}", flush=True)
        print(f"{place}: {len(found)} mutants, {tried} tried, {tried - len(survivors)} caught", flush=True)


if __name__ == "__main__":
    main()
