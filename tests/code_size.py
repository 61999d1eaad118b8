"""Lines of code by room, without blanks, comments and docstrings: ``python tests/code_size.py``."""

from __future__ import annotations

import ast
import io
import subprocess
import tarfile
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "milp_pips"


@cache
def syntax(path: Path) -> list[ast.AST]:
    """Return all nodes of the syntax tree of a file, the module first."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def count_code_lines(path: Path) -> int:
    """Return the number of lines with code; a docstring is any expression that is a bare string."""
    docstrings, texts = set[int](), set[int]()
    for node in syntax(path):
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            docstrings.update(lines_of(node))
        elif isinstance(node, ast.Constant | ast.JoinedStr):
            texts.update(lines_of(node))  # a text of several lines may have blank ones
    written = {
        number
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    return len((written | texts) - docstrings)


def lines_of(node: ast.expr | ast.Expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def room_of(path: Path, package: Path = PACKAGE) -> str:
    """Return the room of a file; each package in ``extras`` is one, and so is the top level."""
    parts = path.relative_to(package).parts
    depth = 2 if parts[0] == "extras" else 1
    return "/".join(parts[:-1][:depth]) or "top level"


def sizes(package: Path = PACKAGE) -> tuple[Counter[str], Counter[str]]:
    """Return the lines of code and the files of each room."""
    lines, files = Counter[str](), Counter[str]()
    for path in sorted(package.rglob("*.py")):
        lines[room_of(path, package)] += count_code_lines(path)
        files[room_of(path, package)] += 1
    return lines, files


def growth(ceilings: Path) -> dict[str, int]:
    """Return by how many lines of code each room has grown since the ceilings in a file were set.

    It is empty if the commit that set them is not known here.
    """
    root = ["git", "-C", str(PACKAGE.parent)]
    last = [*root, "log", "-1", "--format=%H", "-G^MOST_LINES", "--", str(ceilings)]
    try:
        commit = subprocess.run(last, capture_output=True, text=True, check=True).stdout.strip()
        archive = subprocess.run([*root, "archive", commit, "milp_pips"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        before, now = sizes(Path(folder) / "milp_pips")[0], sizes()[0]
    return {room: now[room] - before[room] for room in now | before if now[room] > before[room]}


if __name__ == "__main__":
    lines, files = sizes()
    for room in lines:
        print(f"{room:20} {lines[room]:6} lines {files[room]:4} files")
    print(f"{'all':20} {lines.total():6} lines {files.total():4} files")
