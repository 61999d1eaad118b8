"""CI fails on a skip whose reason is not on the list."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LISTED, UNLISTED = "there is one core", "it is Wednesday"


@pytest.mark.long
def test_a_skip_that_is_not_listed_fails_where_ci_asks_for_that(tmp_path):
    for name in ("conftest.py", "listed_skips.txt", "thoroughness.py", "corrupted_files.py"):
        shutil.copy(HERE / name, tmp_path)
    skips = [f"def test_{i}():\n    pytest.skip({why!r})\n" for i, why in enumerate((LISTED, UNLISTED))]
    (tmp_path / "test_it.py").write_text("\n".join(["import pytest", *skips]), "utf-8")

    asked = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
            "MILP_PIPS_LISTED_SKIPS": "1",
        },
    )
    assert asked.returncode == 1, asked.stdout + asked.stderr
    assert f"a skip that is not in tests/listed_skips.txt: {UNLISTED}" in asked.stdout
    assert f"a skip that is not in tests/listed_skips.txt: {LISTED}" not in asked.stdout
