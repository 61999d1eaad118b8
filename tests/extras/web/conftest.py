"""The page in Debian's Chromium, driven by Playwright; where either is absent, the tests are skipped.

Playwright keeps a loop of events running in the process: it ends with each file, for other tests run theirs.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import CHROMIUM, QUIETLY, Opened, new_context, serve


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=QUIETLY)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """Yield the address of the local page."""
    pytest.importorskip("starlette", reason="the extra web is not installed")
    with serve() as address:
        yield address


@pytest.fixture(scope="module")
def usual_context(browser):
    """Return the context of all pages without options of their own: to make one takes half a second."""
    return new_context(browser)


@pytest.fixture
def open_page(browser, usual_context, served):
    """Open the local page; nothing may go wrong on it, and no other host be asked."""
    opened: list[Opened] = []
    own = []

    def open_page(address: str = served, ready: str = "[role=gridcell]", **options):
        if options:
            own.append(new_context(browser, **options))
        opened.append(Opened(own[-1] if options else usual_context, address, ready))
        return opened[-1].page

    yield open_page
    for page in usual_context.pages:
        page.close()
    for context in own:
        context.close()
    for one in opened:
        assert not one.faults
        assert not one.foreign


@pytest.fixture
def page(open_page):
    return open_page()
