"""Draw the README's picture of the page: ``python tests/extras/web/picture.py docs/web.png``."""

import sys

from browsing import CHROMIUM, QUIETLY, serve
from playing import lay_by_mouse, open_example
from playwright.sync_api import sync_playwright

LAID = (("1-3", "r1c3", "r1c2"), ("1-1", "r3c4", "r3c5"), ("5-6", "r2c4", "r1c4"))
"""A good beginning on examples/pips/medium.txt."""


def main(out: str) -> None:
    with serve() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIETLY)
        page = browser.new_page(viewport={"width": 1120, "height": 740}, device_scale_factor=1.5)
        page.goto(address)
        open_example(page, "medium")
        for pips, first, other in LAID:
            lay_by_mouse(page, pips, first, other)
        page.get_by_role("button", name="Hint", exact=True).click()
        page.get_by_role("button", name="Which rule?").click()
        page.get_by_role("button", name="Why?").click()
        page.get_by_role("button", name="What follows?").wait_for()
        page.mouse.move(1, 1)
        page.wait_for_timeout(500)
        page.screenshot(path=out)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
