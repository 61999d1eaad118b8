"""What a person does on the page: lay, turn, drag, open, go elsewhere."""

import re

import pytest
from browsing import SECONDS

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect
"""Waits until something holds: what follows from a click may come later."""

expect.set_options(timeout=SECONDS * 1000)

LAID = (
    ("3-3", "r2c3", "r2c4"),
    ("0-1", "r4c4", "r3c4"),
    ("2-2", "r4c1", "r4c2"),
    ("2-4", "r3c2", "r3c3"),
    ("0-0", "r1c2", "r1c3"),
)
"""The solution of examples/pips/easy.txt: dominoes, first half first, and where their halves lie."""


def square(page, name):
    return page.locator(f'[role=gridcell][data-cell="{name}"]')


def in_tray(page, pips):
    return page.locator(f'.tray button[data-pips="{pips}"]:not([hidden])').first


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def turn_from(first, other):
    (r1, c1), (r2, c2) = (map(int, re.fullmatch(r"r(\d+)c(\d+)", name).groups()) for name in (first, other))
    return {(0, 1): 0, (1, 0): 1, (0, -1): 2, (-1, 0): 3}[r2 - r1, c2 - c1]


def drag(page, locator, x, y):
    page.mouse.move(*middle(locator))
    page.mouse.down()
    page.mouse.move(x, y, steps=6)
    page.mouse.up()


def lay_by_mouse(page, pips, first, other):
    """Take a domino, turn it as often as it must, and drag it to the middle of its two squares."""
    turn = turn_from(first, other)
    if turn:
        for _ in range(turn + 1):
            in_tray(page, pips).click()
    (x1, y1), (x2, y2) = middle(square(page, first)), middle(square(page, other))
    drag(page, in_tray(page, pips), (x1 + x2) / 2, (y1 + y2) / 2)


def solved(page):
    page.get_by_role("heading", name="Solved").wait_for()


def open_example(page, name):
    go(page, "Play")
    page.get_by_role("button", name="Other puzzle…").click()
    page.locator(".entry", has_text=name).first.click()
    page.get_by_role("heading", name=name, exact=True).wait_for()


def go(page, view):
    link = page.get_by_role("link", name=view, exact=True)
    link.click()
    expect(link).to_have_attribute("aria-current", "page")


def wait_for_request(page, held):
    """Wait until a route has put a request into the list."""
    for _ in range(1500):
        if held:
            return
        page.wait_for_timeout(20)
    raise AssertionError("the page has sent no request within 30 s")
