"""Playing in a browser: by mouse, by touch, by keyboard, with hints; what survives, and what can be sent."""

import base64
import json
import re
import zipfile
import zlib

from playing import LAID, drag, expect, lay_by_mouse, middle, open_example, solved, square, turn_from

from milp_pips.verification.verify import Watch, verify


def test_a_puzzle_is_played_to_its_end_by_mouse(page):
    for pips, first, other in LAID:
        lay_by_mouse(page, pips, first, other)
        page.get_by_role("gridcell", name=f"{pips[0]} of {pips};").first.wait_for()
    solved(page)
    expect(page.locator(".badge.holds")).to_have_count(7)
    page.get_by_role("button", name="Show all steps").click()
    page.get_by_text(re.compile(r"Step 1 of \d+$")).wait_for()
    words = page.locator(".story .words")
    first = words.text_content()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(words).not_to_have_text(first)
    page.get_by_role("button", name="Back", exact=True).click()
    expect(words).to_have_text(first)


def test_a_domino_is_turned_moved_and_taken_off(page):
    lay_by_mouse(page, "2-4", "r3c2", "r3c3")
    square(page, "r3c2").click()  # turned about its first half: r4c2 lies below
    expect(square(page, "r4c2")).to_have_attribute("aria-label", re.compile("4 of 2-4"))
    drag(page, square(page, "r3c2"), *middle(square(page, "r2c3")))
    expect(square(page, "r2c3")).to_have_attribute("aria-label", re.compile("2-4"))
    drag(page, square(page, "r2c3"), 5, 500)
    expect(page.locator(".tray button:not([hidden])")).to_have_count(5)
    page.keyboard.press("Control+z")
    page.get_by_role("button", name="Undo").click()
    expect(square(page, "r4c2")).to_have_attribute("aria-label", re.compile("2-4"))


def test_a_puzzle_is_played_to_its_end_by_keyboard_alone(page):
    page.keyboard.press("Tab")
    for _ in range(30):
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
        page.keyboard.press("Tab")
    for pips, first, other in LAID:
        to_row, to_column = map(int, re.fullmatch(r"r(\d+)c(\d+)", first).groups())
        for _ in range(8):
            here = page.evaluate("document.activeElement.dataset.cell")
            row, column = map(int, re.fullmatch(r"r(\d+)c(\d+)", here).groups())
            if (row, column) == (to_row, to_column):
                break
            ways = [("ArrowRight", column < to_column), ("ArrowLeft", column > to_column)]
            ways += [("ArrowDown", row < to_row), ("ArrowUp", row > to_row)]
            for key, wanted in ways:
                if wanted:
                    page.keyboard.press(key)
                    if page.evaluate("document.activeElement.dataset.cell") != here:
                        break
        assert page.evaluate("document.activeElement.dataset.cell") == first
        for _ in range(6):
            page.keyboard.press(pips[0])
            if re.match(f"{pips} in hand", page.locator("#spoken").text_content()):
                break
        points = ("right", "down", "left", "up")[turn_from(first, other)]
        for _ in range(4):
            if points in page.locator("#spoken").text_content():
                break
            page.keyboard.press("r")
        page.keyboard.press("Enter")
        said = page.locator("#spoken").text_content()
        assert said.startswith((f"{pips} laid on", "Solved"))
    solved(page)
    assert page.locator("#spoken").text_content().startswith("Solved")


def test_hints_lead_to_the_end(page):
    page.get_by_role("button", name="Hint", exact=True).click()
    words = page.locator(".hint .words")
    page.get_by_role("button", name="Which rule?").wait_for()
    where = words.text_content()
    page.get_by_role("button", name="Which rule?").click()
    page.get_by_role("button", name="Why?").click()
    page.get_by_role("button", name="What follows?").click()
    page.get_by_role("button", name="Write it on the board").wait_for()
    assert words.text_content().startswith(where)
    page.get_by_role("button", name="Write it on the board").click()
    for _ in range(40):
        again = page.get_by_role("button", name="Next hint")
        over = page.get_by_role("heading", name="Solved")
        again.or_(over).wait_for()
        if over.is_visible():
            break
        again.click()
        page.get_by_role("button", name="Do it for me").or_(over).wait_for()
        if over.is_visible():
            break
        page.get_by_role("button", name="Do it for me").click()
    solved(page)
    expect(page.locator(".badge.holds")).to_have_count(7)


def test_a_wrong_board_is_called_wrong_with_the_reason(page):
    lay_by_mouse(page, "2-4", "r2c4", "r2c3")
    page.get_by_role("button", name="Hint", exact=True).click()
    page.get_by_text("Something on the board is wrong.", exact=True).wait_for()
    expect(page.locator(".badge text.letter")).to_have_text(["C"])
    expect(page.locator(".hint .words")).to_contain_text("region C (sum 3)")
    page.get_by_role("button", name="Take it back").click()
    expect(page.locator(".tray button:not([hidden])")).to_have_count(5)
    expect(page.locator(".badge text.letter")).to_have_count(0)


def test_it_survives_a_reload_with_undo(page):
    lay_by_mouse(page, "0-0", "r1c2", "r1c3")
    page.reload()
    page.get_by_role("gridcell", name="0 of 0-0").first.wait_for()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".tray button:not([hidden])")).to_have_count(5)


def test_a_link_brings_puzzle_and_board(page, open_page, served):
    lay_by_mouse(page, "0-0", "r1c2", "r1c3")
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Copy to send").click()
    page.get_by_text("Only this computer reaches this page").wait_for()
    assert page.get_by_role("textbox", name="The puzzle as text").input_value().startswith("4\n")
    address = {"days": [], "address": "https://example.org/pips/"}
    page.route("**/days.json", lambda route: route.fulfill(json=address))
    page.reload()
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Copy a link").click()
    link = page.get_by_role("textbox", name="Link to this puzzle").input_value()
    assert link.startswith("https://example.org/pips/#puzzle=")
    other = open_page(link.replace("https://example.org/pips/", served))
    other.get_by_role("gridcell", name="0 of 0-0").first.wait_for()
    expect(other.get_by_role("heading", name="easy")).to_be_visible()


def packed(*parts):
    """Return the fragment of a link, as the page makes it."""
    squeezed = zlib.compress(json.dumps(parts).encode(), wbits=-15)
    return "#puzzle=" + base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


NO_LINKS = [
    ("#puzzle=nonsense!", "the link is damaged"),
    ("#puzzle=AAAA", "the link is damaged"),
    ("#puzzle=" + "A" * 30_000, "the link is too long to be a puzzle"),
    (packed("bomb", "pips", "#" * 10_000_000, None), "the link unpacks to more than a puzzle"),
    (packed(1, 2, 3), "the link holds no puzzle"),
    (packed("x", "pips", "A EQ", None), "expected"),
]


def test_a_link_that_is_none_is_refused_in_a_line(page, served):
    for link, said in NO_LINKS:
        page.goto("about:blank")
        page.goto(f"{served}{link}")
        page.get_by_role("alert").get_by_text(re.compile(f"This link cannot be opened.*{said}")).wait_for()


def test_what_a_link_brings_is_text(open_page, served):
    name = "<img src=x onerror=document.title='run'>"
    board = "1 2\ndominoes\n1-2 r1c1 r1c9\n"
    page = open_page(served + packed(name, "pips", "1\n##\n0\n1\n1 2\n", board))
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    assert page.title() == f"{name} · milp-pips"
    expect(page.locator(".tray button:not([hidden])")).to_have_count(1)


def test_a_file_of_ones_own_is_opened(page, tmp_path):
    page.get_by_role("button", name="Other puzzle…").click()
    page.get_by_label("Open a file").set_input_files("examples/pips/three_levels.json")
    page.get_by_role("button", name=re.compile("2026-11-21-hard")).click()
    page.get_by_role("heading", name="2026-11-21-hard").wait_for()
    bad = tmp_path / "<img src=x onerror=alert(1)>.txt"
    bad.write_text("2\n<b>A\nAA\n1\nA SUM\n")
    page.get_by_role("button", name="Other puzzle…").click()
    page.get_by_label("Open a file").set_input_files(bad)
    fault = page.locator(".chooser .fault")
    fault.wait_for()
    expect(fault).to_contain_text("expected")
    page.get_by_role("button", name="Close").click()
    drop = """async text => {
        const dropped = new DataTransfer();
        dropped.items.add(new File([text], "dropped.txt"));
        const how = {dataTransfer: dropped, bubbles: true, cancelable: true};
        document.body.dispatchEvent(new DragEvent("drop", how));
    }"""
    page.evaluate(drop, "AAB\nC.B\nCDD\nA =, B >4\nC 5, D !=\n1-1 23 50 64")
    page.get_by_role("heading", name="dropped").wait_for()


def test_a_sudoku_is_filled_hinted_and_solved(page):
    open_example(page, "ordinary")
    square(page, "r1c1").click()
    page.keyboard.press("3")
    expect(square(page, "r1c1")).to_have_attribute("aria-label", "Row 1, column 1: 3")
    page.get_by_role("group", name="Fill the cell with").get_by_role("button", name="7").click()
    page.get_by_role("button", name="Hint", exact=True).click()
    page.get_by_text("Something on the board is wrong.", exact=True).wait_for()
    page.get_by_role("button", name="Take it back").click()
    expect(square(page, "r1c1")).to_have_attribute("aria-label", "Row 1, column 1: empty")
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Solve it").click()
    page.get_by_text(re.compile(r"^Solved in .* s; it is the only solution")).wait_for()
    expect(page.locator(".over .square span")).to_have_count(81 - 26)


def test_a_proof_is_saved_as_a_file(page, tmp_path):
    page.get_by_text("Solve, rate, send, save").click()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save a proof").click()
    page.get_by_text("Saved. The file proves: exactly 1 solution by placement").wait_for()
    assert saving.value.suggested_filename.endswith("-proof.zip")
    saving.value.save_as(tmp_path / "proof.zip")
    with zipfile.ZipFile(tmp_path / "proof.zip") as archive:
        archive.extractall(tmp_path / "proof")
    assert verify(tmp_path / "proof", Watch(60)).solutions == 1


def test_after_an_engine_has_filled_it_in_one_plays_again_from_the_start(page):
    page.get_by_role("button", name="Hint", exact=True).click()
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Show the steps").click()
    page.get_by_text(re.compile(r"Step 1 of \d+$")).wait_for()
    page.get_by_role("button", name="Solve it").click()
    page.get_by_text("Solved in").wait_for()
    expect(page.locator(".story")).to_be_hidden()
    expect(square(page, "r2c3")).to_have_attribute("aria-label", re.compile("3 of 3-3"))
    timer = page.locator(".timer")
    stopped = timer.text_content()
    page.wait_for_timeout(1100)
    expect(timer).to_have_text(stopped)
    page.get_by_role("button", name="Restart").click()
    expect(page.get_by_text("Solved in")).to_have_count(0)
    page.locator(".timer", has_not_text=stopped).wait_for()


def test_a_new_puzzle_is_made_and_solved(page):
    page.get_by_role("button", name="Other puzzle…").click()
    page.get_by_role("spinbutton", name="dominoes").fill("4")
    page.get_by_role("button", name="Make it").click()
    page.get_by_text("Pips · 4 dominoes").wait_for()
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Solve it").click()
    page.get_by_text(re.compile("Solved in .*; it is the only solution")).wait_for()
    expect(page.locator(".tray button:not([hidden])")).to_have_count(0)
    expect(page.locator(".badge.broken")).to_have_count(0)
