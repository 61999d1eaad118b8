"""The static page, served by Python's own server: it plays at once, and counts and hints by itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playing import LAID, lay_by_mouse, solved, square

PYODIDE = Path("web/node_modules/pyodide")


@pytest.fixture(scope="module")
def hosted(tmp_path_factory):
    """Yield the address of the static page."""
    pytest.importorskip("starlette", reason="the extra web is not installed")
    if not (PYODIDE / "pyodide.mjs").exists():
        pytest.skip("Pyodide is not there: npm ci in web/")
    out = tmp_path_factory.mktemp("site")
    program = (sys.executable, "-m", "milp_pips", "site", "--out", out, "--pyodide", PYODIDE)
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    server = (sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", out)
    with subprocess.Popen(server, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serving:
        try:
            assert serving.stdout is not None
            found = re.search(r"http://[\d.:]+/", serving.stdout.readline())
            assert found
            yield found[0]
        finally:
            serving.terminate()


def test_it_plays_counts_and_hints_without_a_server_of_ours(open_page, hosted):
    page = open_page(hosted)
    for pips, first, other in LAID:  # Python is still being loaded
        lay_by_mouse(page, pips, first, other)
    solved(page)
    page.get_by_role("link", name="Solutions").click()
    page.get_by_text("There is one solution.").wait_for(timeout=120_000)
    assert page.get_by_role("gridcell", name="Row 1, column 2: always 0").is_visible()
    assert not page.get_by_role("link", name="Compare").is_visible()
    page.get_by_role("link", name="Play").click()
    page.get_by_role("button", name="Restart").click()
    page.get_by_role("button", name="Hint", exact=True).click()
    page.get_by_role("button", name="Do it for me").click()
    page.get_by_role("button", name="Next hint").wait_for()
    assert "shares a domino" in square(page, "r1c2").get_attribute("aria-label")
