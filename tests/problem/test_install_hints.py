"""The hints to install an extra: all say the same, and that is what works today."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import milp_pips
from milp_pips.problem import INSTALL

HINT = re.compile(r"pip install\s+'?([\w.{}-]*)\[(\w+)[\w,]*\]'?")


def test_every_hint_to_install_an_extra_says_what_works():
    """``INSTALL`` is changed by a release; the documents follow it, and the code has no hint of its own."""
    root = Path(milp_pips.__file__).parents[1]
    place = HINT.search(INSTALL.format("web"))[1]
    documents = [root / "README.md", *(root / "docs").rglob("*.md")]
    hints = [(path.name, *found) for path in documents for found in HINT.findall(path.read_text("utf-8"))]
    assert len(hints) >= 6
    assert {where for _, where, _ in hints} == {place}
    known = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {extra for *_, extra in hints} <= set(known)
    code = [path for path in (root / "milp_pips").rglob("*.py") if "pip install '" in path.read_text("utf-8")]
    assert [path.relative_to(root).as_posix() for path in code] == ["milp_pips/problem/__init__.py"]
