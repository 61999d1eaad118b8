"""CI fails on a skip whose reason is not on the list."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize(("reason", "status"), [("there is one core", 0), ("it is Wednesday", 1)])
def test_a_skip_that_is_not_listed_fails_where_ci_asks_for_that(reason, status, tmp_path):
    for name in ("conftest.py", "listed_skips.txt", "thoroughness.py", "corrupted_files.py"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "test_it.py").write_text(
        f"import pytest\n\ndef test_it():\n    pytest.skip({reason!r})\n", "utf-8"
    )

    def run(**more):
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), **more},
        )

    assert run(MILP_PIPS_LISTED_SKIPS="").returncode == 0
    listed = run(MILP_PIPS_LISTED_SKIPS="1")
    assert listed.returncode == status, listed.stdout + listed.stderr
    assert (f"a skip that is not in tests/listed_skips.txt: {reason}" in listed.stdout) is bool(status)
