"""Drawing, looking and comparing in a browser; and that all views can be read by everybody."""

import base64
import io
import re
from pathlib import Path

import pytest
from pictures import drawn
from playing import drag, expect, go, in_tray, middle, open_example, square, wait_for_request

from milp_pips.extras.picture.board import find_dominoes
from milp_pips.extras.picture.pixels import pixels_of

AXE = Path("web/node_modules/axe-core/axe.min.js")
RING = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4), (4, 4), (4, 3), (4, 2), (4, 1), (3, 1), (2, 1)]
"""A ring of twelve squares around four that are none."""


def draw_ring(page):
    go(page, "Draw")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.mouse.move(*middle(square(page, "r1c1")))
    page.mouse.down()
    for row, column in [*RING, RING[0]]:
        page.mouse.move(*middle(square(page, f"r{row}c{column}")), steps=3)
    page.mouse.up()
    page.get_by_text("6 dominoes more, and it can be looked at.").wait_for()


def type_dominoes(page, text):
    if not page.get_by_label("or type dominoes").is_visible():
        page.get_by_text("Choose dominoes").click()
    page.get_by_label("or type dominoes").fill(text)
    page.keyboard.press("Enter")


def test_a_ring_is_drawn_counted_and_broken(page):
    draw_ring(page)
    expect(page.get_by_role("button", name="Add the missing ones at random")).to_be_enabled()
    type_dominoes(page, "1-1 1-2 2-2 2-3 3-3 3-1")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()
    verdict = page.locator(".verdict")
    # by hand: the ring is covered in 2 ways; the dominoes go on it in 6! orders, those three that are no
    # doubles either way round
    verdict.get_by_text(f"{2 * 720 * 8:,} placements").wait_for()
    expect(page.get_by_role("button", name="Add the missing ones at random")).to_be_disabled()
    expect(page.get_by_text("shows its most likely number")).not_to_be_visible()
    page.get_by_text("Show the most likely numbers").click()
    page.get_by_text("shows its most likely number").wait_for()  # a new count of the drawing may be under way
    page.get_by_role(
        "gridcell", name=re.compile(r"Row 1, column 1: square without a rule; 1 in 33%")
    ).wait_for()
    page.get_by_role("button", name="New region").click()
    expect(page.get_by_label("Rule of region A")).to_have_value("empty")
    page.get_by_label("Rule of region A").select_option("sum")
    page.get_by_label("Number of region A").fill("7")
    page.get_by_label("Number of region A").press("Enter")
    square(page, "r1c1").click()
    square(page, "r1c2").click()
    verdict.get_by_text("There is no solution, because:").wait_for()
    verdict.get_by_role("button", name=re.compile("region A", re.IGNORECASE)).first.wait_for()
    expect(page.locator(".lit-rule")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    verdict.get_by_text(f"{2 * 720 * 8:,} placements").wait_for()


def test_a_contradiction_is_said_once_in_the_words_on_the_board(page, tmp_path):
    file = tmp_path / "clash.txt"
    file.write_text("AA\nBB\nA 6, B >5\n1-1 3-3\n")
    page.get_by_label("Open a file").set_input_files(file)
    page.get_by_role("heading", name="clash").wait_for()
    go(page, "Draw")
    page.get_by_role("button", name="Copy the current puzzle").click()
    verdict = page.locator(".verdict")
    verdict.get_by_text("There is no solution, because:").wait_for()
    reason = verdict.locator(".reasons").first.get_by_role("button")
    expect(reason).to_have_count(1)
    expect(reason).to_contain_text("Region A (sum 6), region B (sum > 5)")


def test_a_drawing_is_played_and_survives(page):
    go(page, "Draw")
    page.get_by_label("Rows").fill("1")
    page.get_by_label("Rows").press("Enter")
    square(page, "r1c1").focus()
    for key in ("Space", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    type_dominoes(page, "2-5")
    page.locator(".verdict").get_by_text("2 placements").wait_for()
    page.reload()
    go(page, "Draw")
    page.get_by_role("button", name="Take out 2-5").wait_for()
    page.get_by_role("button", name="Play it").click()
    page.get_by_role("heading", name="drawn").wait_for()
    drag(page, in_tray(page, "2-5"), *middle(page.locator(".board")))
    page.get_by_role("heading", name="Solved").wait_for()


@pytest.mark.parametrize("name", ["repeated", "several"])
def test_each_change_that_leaves_one_solution_is_made_by_a_click(page, name):
    """The page counts the solutions of what it then has."""
    page.get_by_label("Open a file").set_input_files(f"examples/pips/{name}.txt")
    page.get_by_role("heading", name=name).wait_for()
    go(page, "Draw")
    page.get_by_role("button", name="Copy the current puzzle").click()
    verdict = page.locator(".verdict")
    changes = verdict.get_by_role("button", name="Do it: ")
    expect(changes).to_have_count(4)
    for number in (0, 3):
        changes.nth(number).click()
        verdict.get_by_text("There is one solution.").wait_for()
        page.get_by_role("button", name="Undo").click()
        expect(changes).to_have_count(4)


DROP = """(shot) => {
  const bytes = Uint8Array.from(atob(shot), (c) => c.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], "shot.png", { type: "image/png" }));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def test_a_screenshot_that_is_read_with_certainty_is_played_at_once(page):
    _, puzzle, image = drawn(1)
    file = io.BytesIO()
    image.save(file, "PNG")
    page.get_by_role("button", name="Other puzzle…").click()
    page.get_by_label("From a screenshot").set_input_files(
        {"name": "shot.png", "mimeType": "image/png", "buffer": file.getvalue()}
    )
    page.get_by_text(f"Pips · {len(puzzle.dominoes)} dominoes").wait_for()
    expect(page.get_by_role("heading", level=1)).to_have_text("From a screenshot")
    assert page.evaluate("scrollY") == 0


def test_a_screenshot_is_dropped_and_its_doubts_are_marked(page):
    go(page, "Draw")
    _, puzzle, image = drawn(1)
    file = io.BytesIO()
    image.save(file, "PNG")
    page.evaluate(DROP, base64.b64encode(file.getvalue()).decode())
    page.get_by_text("Every part was read with certainty.").wait_for()
    page.get_by_text(f"{len(puzzle.dominoes)} dominoes of the {len(puzzle.dominoes)} that cover").wait_for()
    low = max(domino.top for domino in find_dominoes(pixels_of(image)))
    image.paste("white", (0, low - 2, image.width, image.height))  # the last row of dominoes is cut off
    file = io.BytesIO()
    image.save(file, "PNG")
    page.locator("#screenshot").set_input_files(
        {"name": "cut.png", "mimeType": "image/png", "buffer": file.getvalue()}
    )
    page.get_by_text(re.compile("The board has .* cells, but there are", re.IGNORECASE)).wait_for()
    page.get_by_role("button", name="I have checked them").click()
    expect(page.get_by_text("may be misread")).not_to_be_visible()
    page.evaluate(DROP, base64.b64encode(b"no picture").decode())
    page.get_by_text("The browser cannot read this picture.").wait_for()


def test_all_solutions_are_counted_leafed_through_and_sampled(page):
    open_example(page, "several")
    go(page, "Solutions")
    page.get_by_text("56 placements and 56 grids.").wait_for()
    page.get_by_role("gridcell", name="Row 1, column 1: always 5").wait_for()
    expect(page.get_by_text("shows its most likely number")).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    page.locator(".piece").first.wait_for()
    seen = set()
    for number in range(2, 5):
        page.wait_for_function(f"document.getElementById('place').value === '{number}'")
        seen.add(
            page.locator(".squares").evaluate(
                "all => [...all.querySelectorAll('.square')].map(s => s.ariaLabel).join()"
            )
        )
        page.get_by_role("button", name="Next", exact=True).click()
    assert len(seen) == 3
    page.get_by_role("textbox", name="Solution").fill("56")
    page.get_by_role("textbox", name="Solution").press("Enter")
    page.wait_for_function("document.getElementById('place').value === '56'")
    page.get_by_role("button", name="One at random").click()
    expect(page.get_by_role("textbox", name="Solution")).to_have_value("")
    expect(page.locator(".piece")).to_have_count(9)
    expect(page.get_by_text("shows its most likely number")).not_to_be_visible()


def test_two_engines_are_compared(page):
    held = []
    page.route("**/api/about", lambda route: held.append(route))
    go(page, "Compare")
    wait_for_request(page, held)
    assert not page.locator(".engine input").count()  # which engines fit the puzzle is not known yet
    held.pop().continue_()
    page.locator(".engine input").first.wait_for()
    while page.locator(".engine input:checked").count():
        page.locator(".engine input:checked").first.uncheck()
    page.locator("fieldset", has=page.get_by_text("highs", exact=True)).get_by_label("projected").check()
    page.locator("fieldset", has=page.get_by_text("diagram", exact=True)).get_by_label("restricted").check()
    page.get_by_label("Seconds for each").fill("60")
    page.get_by_role("button", name="Compare", exact=True).click()
    said = page.locator(".compare").get_by_text(re.compile(r"answered"))
    said.wait_for()
    rows = page.locator("table.runs tbody tr")
    expect(rows).to_have_count(2)
    for row in rows.all():
        expect(row).to_contain_text("solved")
        assert float(re.search(r"([\d.]+) s", row.text_content())[1]) > 0
    expect(said).to_contain_text("2 engines answered")


def violations(page, tags=None):
    page.evaluate(AXE.read_text())
    # what moves has stopped when it is looked at
    rules = {"target-size": {"enabled": True}}  # 24 pixels for a finger, or room around
    asked = {"resultTypes": ["violations"], "rules": rules, **({"runOnly": tags} if tags else {})}
    found = page.evaluate("asked => axe.run(document, asked)", asked)["violations"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: npm ci in web/")
@pytest.mark.parametrize(
    ("tags", "options"),
    [
        (None, {"color_scheme": "light"}),
        (
            ["cat.color", "wcag22aa"],
            {
                "color_scheme": "dark",
                "viewport": {"width": 390, "height": 844},
                "has_touch": True,
                "is_mobile": True,
            },
        ),
    ],
    ids=["light", "dark phone"],
)
def test_no_view_shuts_anybody_out(open_page, tags, options):
    """On a dark phone the colours and sizes alone are others; nothing lies beside the screen."""
    page = open_page(bypass_csp=True, reduced_motion="reduce", **options)
    page.get_by_text("How to play").click()
    page.get_by_text("Solve, rate, send, save").click()
    in_tray(page, "0-0").click()
    assert violations(page, tags) == []
    page.get_by_role("button", name="Other puzzle…").click()
    page.get_by_text("Type or paste a puzzle").click()
    assert violations(page, tags) == []
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Show the steps").click()
    page.get_by_text(re.compile(r"Step 1 of \d+$")).wait_for()
    assert violations(page, tags) == []
    go(page, "Draw")
    page.get_by_role("button", name="Copy the current puzzle").click()
    page.get_by_text("Choose dominoes").click()
    page.get_by_text("To solve: easy").wait_for()
    page.get_by_text("Show the most likely numbers").click()
    assert violations(page, tags) == []
    open_example(page, "several")
    go(page, "Solutions")
    page.get_by_role("button", name="One at random").click()
    page.locator(".piece").first.wait_for()
    assert violations(page, tags) == []
    go(page, "Compare")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.locator(".compare").get_by_text("engines answered").wait_for()
    assert violations(page, tags) == []
    open_example(page, "ordinary")
    assert violations(page, tags) == []
    page.get_by_label("Open a file").set_input_files("examples/families/kakuro.txt")
    page.get_by_role("heading", name="kakuro").wait_for()
    assert violations(page, tags) == []
