"""The static page, served by Python's own server: it plays at once, and counts and hints by itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playing import LAID, expect, lay_by_mouse, open_example, solved, square

PYODIDE = Path("web/node_modules/pyodide")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the static page."""
    pytest.importorskip("starlette", reason="the extra web is not installed")
    if not (PYODIDE / "pyodide.mjs").exists():
        pytest.skip("Pyodide is not there: npm ci in web/")
    out = tmp_path_factory.mktemp("site")
    program = (sys.executable, "-m", "milp_pips", "site", "--out", out, "--pyodide", PYODIDE)
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    return out


@pytest.fixture(scope="module")
def hosted(site):
    """Yield the address of the static page, and its server."""
    server = (sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", site)
    with subprocess.Popen(server, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serving:
        try:
            assert serving.stdout is not None
            found = re.search(r"http://[\d.:]+/", serving.stdout.readline())
            assert found
            yield found[0], serving
        finally:
            serving.terminate()


def test_it_plays_counts_and_hints_by_itself_and_later_without_a_network(open_page, hosted):
    address, server = hosted
    page = open_page(address)
    status = page.locator("#loading")
    expect(status).to_have_text(re.compile("Loading hints…|Hints are ready"))  # after or before what follows
    for pips, first, other in LAID:
        lay_by_mouse(page, pips, first, other)
    solved(page)
    page.get_by_role("link", name="Solutions").click()
    page.get_by_text("There is one solution.").wait_for(timeout=120_000)
    expect(page.get_by_role("gridcell", name="Row 1, column 2: always 0")).to_be_visible()
    expect(page.get_by_role("link", name="Compare")).not_to_be_visible()
    page.get_by_role("link", name="Play").click()
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Restart").click()
    page.get_by_role("button", name="Hint", exact=True).click()
    page.get_by_role("button", name="Do it for me").click()
    page.get_by_role("button", name="Next hint").wait_for()
    expect(square(page, "r1c2")).to_have_attribute("aria-label", re.compile("shares a domino"))
    can_be_installed = page.context.new_cdp_session(page).send("Page.getInstallabilityErrors")
    assert [fault["errorId"] for fault in can_be_installed["installabilityErrors"]] in ([], ["in-incognito"])
    server.terminate()
    server.wait()
    page.reload()
    page.locator("#loading[data-state=ready]").wait_for(timeout=120_000)
    open_example(page, "hard")
    page.get_by_role("button", name="Hint", exact=True).click()
    page.get_by_text("Look at region A.").first.wait_for()


def test_opened_as_a_file_it_says_what_to_do(browser, site):
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.get_by_text("python -m http.server").wait_for()
    page.close()
