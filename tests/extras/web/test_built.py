"""The served files are those that the sources build."""

import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[3] / "web"


@pytest.mark.skipif(
    not (shutil.which("node") and (SOURCES / "node_modules" / "esbuild").exists()),
    reason="Node or the page's tools are not there: npm ci in web/",
)
def test_the_page_is_what_its_sources_build():
    program = ("node", "build.mjs", "--check")
    done = subprocess.run(program, cwd=SOURCES, env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not (SOURCES / "node_modules" / "typescript").exists(), reason="npm ci in web/")
def test_its_types_hold():
    done = subprocess.run(("npx", "--no-install", "tsc"), cwd=SOURCES, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_table_of_rules_is_that_of_the_package():
    writer = runpy.run_path(str(SOURCES / "rules.py"))
    assert writer["TABLE"].read_text(encoding="utf-8") == writer["table"](), "run python web/rules.py"


def test_the_lock_names_no_registry():
    assert "resolved" not in (SOURCES / "package-lock.json").read_text()
