"""A browser, the page that is served to it, and what goes wrong there."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
QUIETLY = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SECONDS = 60.0
"""That the page has to show what a test waits for, on a machine that does much else."""


@contextmanager
def serve(*words: str) -> Iterator[str]:
    """Serve the local page, with more arguments of ``milp-pips web``, and yield its address."""
    command = (sys.executable, "-m", "milp_pips", "web", "--no-browser", "--port", "0", *words)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found
            yield found[0]
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()  # else it would go on unnoticed
                raise


def new_context(browser, **options):
    """Return a context, as if for another person, of a usual width; what moves is not drawn at each step."""
    usual = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
    context = browser.new_context(**{**usual, **options})
    context.set_default_timeout(SECONDS * 1000)
    return context


class Opened:
    """A page, in which nothing is kept of others, and what went wrong on it."""

    def __init__(self, context, address: str, ready: str = "[role=gridcell]"):
        self.page = context.new_page()
        origin = "/".join(address.split("/", 3)[:3])
        context.new_cdp_session(self.page).send(
            "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"}
        )
        self.address = address.partition("#")[0]
        self.faults: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", lambda said: said.type == "error" and self.faults.append(said.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self._look_at)
        self.page.goto(address)
        self.page.wait_for_selector(ready)

    def _look_at(self, request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.foreign.append(request.url)
