"""Hints on the page: what stays in view, by keys, with the focus, and by touch on a phone."""

import json
import re
from pathlib import Path

import pytest
from playing import expect, in_tray, middle, open_example, square

from milp_pips.extras.web.answers import reply


def test_a_key_goes_on_with_the_hint_and_the_focus_is_not_lost(page):
    open_example(page, "medium")
    page.keyboard.press("h")
    page.get_by_text("Look at").first.wait_for()
    page.keyboard.press("h")
    page.get_by_role("button", name="Why?").wait_for()
    assert page.evaluate("document.activeElement.role") == "gridcell"
    page.get_by_role("button", name="Why?").press("Enter")
    page.locator(".hint button:focus", has_text="What follows?").press("Enter")
    page.locator(".hint button:focus", has_text=re.compile("Write|Next")).press("Enter")
    page.locator(".hint button:focus", has_text="Next hint").wait_for()
    page.get_by_role("button", name="Close").press("Enter")
    assert page.evaluate("document.activeElement.role") == "gridcell"


def test_the_name_of_a_cell_shows_the_cell(page):
    open_example(page, "medium")
    page.get_by_role("button", name="Hint", exact=True).click()
    name = page.locator(".hint .cell-name").first
    name.hover()
    expect(page.locator(".square.named")).to_have_attribute("data-cell", name.text_content())
    page.get_by_role("heading", level=1).hover()
    expect(page.locator(".square.named")).to_have_count(0)


@pytest.mark.parametrize("name", ["medium", "ordinary"])
def test_h_asks_for_a_hint_wherever_the_focus_is_unless_something_is_typed(page, name):
    open_example(page, name)
    page.evaluate(
        "document.activeElement.blur();"
        "document.body.append(Object.assign(document.createElement('input'), {id: 'field'}))"
    )
    page.locator("#field").press("h")
    assert page.locator("#field").input_value() == "h"
    assert page.locator(".hint button").count() == 0
    page.evaluate("document.querySelector('#field').remove()")
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    page.keyboard.press("h")
    page.get_by_text("Look at").first.wait_for()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Hint", exact=True).focus()
    page.keyboard.press("H")
    page.get_by_text("Look at").first.wait_for()


def touch_drag(page, locator, x, y):
    """Drag with a finger; the page shows the domino above it, where the finger does not hide it."""
    session = page.context.new_cdp_session(page)

    def send(kind, *points):
        touches = [{"x": px, "y": py} for px, py in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    from_x, from_y = middle(locator)
    send("touchStart", (from_x, from_y))
    for part in (0.2, 0.6, 1.0):
        send("touchMove", (from_x + (x - from_x) * part, from_y + (y + 36 - from_y) * part))
    send("touchEnd")


def test_on_a_phone_a_hint_leaves_the_board_in_view_and_a_finger_drags(open_page):
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    open_example(page, "hard")
    page.get_by_role("button", name="Hint", exact=True).tap()
    page.get_by_text("Look at region").first.wait_for()
    sheet, board = page.locator(".hint").bounding_box(), page.locator(".board").bounding_box()
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= sheet["y"]
    assert sheet["y"] + sheet["height"] == 844
    page.get_by_role("button", name="Close").tap()
    expect(page.locator(".hint")).not_to_be_visible()
    open_example(page, "easy")
    (x1, y1), (x2, y2) = middle(square(page, "r1c2")), middle(square(page, "r1c3"))
    touch_drag(page, in_tray(page, "0-0"), (x1 + x2) / 2, (y1 + y2) / 2)
    expect(square(page, "r1c3")).to_have_attribute("aria-label", re.compile("0 of 0-0"))


HELD = """() => {
  window.fetch = async (_, { signal }) => new Response(
    new ReadableStream({ start: (sent) => {
      window.sent = sent;
      signal.addEventListener("abort", () => sent.error(signal.reason));
    } }),
    { headers: { "Content-Type": "text/event-stream" } });
}"""
SEND = "event => window.sent.enqueue(new TextEncoder().encode(event))"


def test_a_hint_says_what_it_knows_before_a_long_search_which_can_be_stopped(page):
    """The first event is the server's, for a board on which nothing more follows; the answer never comes."""
    text = Path("examples/pips/several.txt").read_text()
    asked = json.dumps({"puzzle": {"text": text, "name": "several"}, "further": 60, "seconds": 60})
    told = []
    reply("hint", asked, lambda *event: told.append(event), "local", 60.0)
    (_, part), _answer = told
    open_example(page, "several")
    page.evaluate(HELD)
    page.get_by_role("button", name="Hint", exact=True).click()
    page.evaluate(SEND, f"event: part\ndata: {json.dumps(part)}\n\n")
    page.locator(".hint .asking").get_by_text(f"{part['sentence']} Looking for a long one…").wait_for()
    assert re.search(rf"left\. So far {part['cell']} can only be \d or \d\.$", part["sentence"])
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".hint .words")).to_have_text(part["sentence"])
    page.locator(".hint").get_by_role("button", name="Close").click()
    expect(page.locator(".hint")).not_to_be_visible()


def test_a_story_and_a_grade_grow_while_they_are_found(page):
    """The events are those of the server; when they come, is decided here."""
    text = Path("examples/pips/medium.txt").read_text()
    asked = json.dumps({"puzzle": {"text": text, "name": "medium"}})
    events = {"explain": [], "rate": []}
    for verb, told in events.items():
        reply(verb, asked, lambda *event, told=told: told.append(event), "local", 60.0)
    send = lambda event, data: page.evaluate(SEND, f"event: {event}\ndata: {json.dumps(data)}\n\n")  # noqa: E731
    open_example(page, "medium")
    page.evaluate(HELD)
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Show the steps").click()
    count, words = page.locator(".story .count"), page.locator(".story .words")
    first, *others = [data for event, data in events["explain"] if event == "part"]
    send("part", first)
    expect(count).to_have_text(f"Step 1 of {len(first['steps'])} so far")
    expect(words).to_have_text(first["steps"][0]["sentence"])
    for part in others[:4]:
        send("part", part)
    page.get_by_role("button", name="Next", exact=True).click()
    shown = words.text_content()
    for part in others[4:]:
        send("part", part)
    whole = events["explain"][-1][1]["steps"]
    expect(count).to_have_text(re.compile(rf"Step \d+ of {len(whole)} so far"))
    expect(words).to_have_text(shown)
    send(*events["explain"][-1])
    expect(count).to_have_text(re.compile(rf"Step \d+ of {len(whole)}$"))
    page.get_by_role("button", name="How hard is it?").click()
    grades = [data for event, data in events["rate"] if event == "part"]
    for part in (grades[0], grades[-1]):
        send("part", part)
        page.get_by_text(f"it is at least {part['at_least']}.").wait_for()
        page.get_by_text(f"{part['score']:g} points, {part['steps']} steps so far").wait_for()
    send(*events["rate"][-1])
    page.get_by_text(f"It is {grades[-1]['at_least']}, ").wait_for()
