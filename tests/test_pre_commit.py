"""The hooks of pre-commit find the tools of .venv, whether or not an environment is activated."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ENTRIES = re.findall(
    r"^ +entry: (.*)$",
    (Path(__file__).parents[1] / ".pre-commit-config.yaml").read_text("utf-8"),
    re.MULTILINE,
)


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_hook_runs_the_tool_of_the_environment_without_an_activated_one(entry, tmp_path):
    tools = tmp_path / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("ruff", "mypy", "lint-imports"):
        (tools / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tools / name).chmod(0o755)
    run = subprocess.run(
        [*shlex.split(entry), "a file.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")},
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert re.fullmatch(r"(ruff check --fix|ruff format|mypy|lint-imports) a file.py\n", run.stdout)
