"""A folder of days on the page: the calendar, the levels, what is kept of finishes, and their file."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from browsing import serve
from playing import LAID, expect, go, in_tray, lay_by_mouse, open_example, solved, square, turn_from
from test_views import AXE, violations

DAY = json.loads((Path(__file__).parents[3] / "examples" / "pips" / "three_levels.json").read_text())


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    """Yield the address of a page with three days in two months, and a file that is none."""
    folder = tmp_path_factory.mktemp("days")
    for date in ("2026-10-31", "2026-11-01", "2026-11-21"):
        (folder / f"{date}.json").write_text(json.dumps(DAY | {"printDate": date}))
    (folder / "notes.json").write_text("[]")
    with serve(str(folder)) as address:
        yield address


def day(page, date):
    return page.locator(f'.day[data-date="{date}"]')


def solve_easy(page):
    """Lay the solution of the easy puzzle, which is the example ``easy`` upside down."""
    square(page, "r1c4").wait_for()
    for pips, *cells in LAID:
        first, other = (f"r{5 - int(cell[1])}{cell[2:]}" for cell in cells)
        lay_by_mouse(page, pips, first, other)
    solved(page)


def test_a_day_is_solved_marked_shared_and_kept(browser, days):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(days)
    day(page, "2026-11-21").wait_for()
    assert day(page, "2026-11-21").get_attribute("aria-label").endswith("easy open, medium open, hard open")
    day(page, "2026-11-21").focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowUp"):  # by weeks, and over days that are not there
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="October 2026")).to_be_visible()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.date") == "2026-11-01"
    page.keyboard.press("Enter")
    solve_easy(page)
    page.get_by_role("button", name="Copy the result").click()
    page.get_by_text("Copied.").wait_for()
    name, how, *rows = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert name == "1 November 2026, easy · milp-pips"
    assert how.startswith("solved in 0:")
    assert how.endswith(", no hints")
    assert [len(row) for row in rows] == [4] * 4
    assert [row.count("⬛") for row in rows] == [1, 1, 2, 2]
    assert len(set("".join(rows)) - {"⬛", "⬜"}) > 2
    page.get_by_role("tab", name=re.compile("Easy.*solved")).press("ArrowRight")
    page.get_by_role("tab", name="Medium", selected=True).wait_for()
    assert page.evaluate("document.activeElement.id") == "tab-medium"
    expect(page.get_by_role("tabpanel", name="Medium")).to_be_visible()
    page.get_by_role("button", name="Day after, 21 November 2026").click()
    page.get_by_role("heading", name="21 November 2026").wait_for()
    page.reload()
    page.get_by_role("heading", name="21 November 2026").wait_for()
    go(page, "Days")
    expect(day(page, "2026-11-01")).to_have_attribute("aria-label", re.compile("easy solved in 0:"))
    expect(page.locator(".marks .solved")).to_have_count(1)
    context.close()


def test_finishes_go_to_a_file_and_come_from_one(open_page, days, tmp_path):
    now = datetime.now().replace(hour=12)
    finishes = {
        f"2026-11-21 {level}": {
            "at": (now - timedelta(days=back)).timestamp() * 1000,
            "seconds": 60 + back,
            "hints": back,
            "level": level,
        }
        for back, level in ((0, "easy"), (1, "medium"), (3, "hard"))
    }
    wrong = {"<b>": {"at": "now"}, "other": None}
    document = {"format": "milp-pips finishes", "finishes": finishes | wrong}
    (tmp_path / "in.json").write_text(json.dumps(document))
    (tmp_path / "other.json").write_text('{"format": "other"}')
    page = open_page(days + "#days", ready=".day")
    page.locator(".days input[type=file]").set_input_files(tmp_path / "other.json")
    page.get_by_text("Nothing was imported: the file was not exported by this page.").wait_for()
    page.locator(".days input[type=file]").set_input_files(tmp_path / "in.json")
    page.get_by_text("3 finishes added.").wait_for()
    expect(page.get_by_text("3 puzzles solved; days in a row: 2, at best 2.").first).to_be_visible()
    expect(page.locator(".marks .solved")).to_have_count(3)
    with page.expect_download() as saving:
        page.locator(".days").get_by_role("button", name="Export").click()
    saving.value.save_as(tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["finishes"] == finishes


def test_on_a_phone_a_level_is_solved_and_the_next_one_opened_by_touch_alone(open_page, days):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = open_page(days, ready=".day", **phone)
    day(page, "2026-11-21").tap()
    square(page, "r1c4").wait_for()
    for pips, *cells in LAID:
        first, other = (f"r{5 - int(cell[1])}{cell[2:]}" for cell in cells)
        for _ in range(1 + turn_from(first, other)):
            in_tray(page, pips).tap()
        square(page, first).tap()
    solved(page)
    following = page.locator(".end .strong")
    expect(following).to_have_text("Next: medium")
    expect(following).to_be_in_viewport(ratio=1)
    following.tap()
    page.get_by_role("tab", name="Medium", selected=True).wait_for()
    expect(page.locator(".end")).not_to_be_visible()
    expect(page.get_by_role("tab", name=re.compile("Easy.*solved"))).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0


def test_four_days_or_four_copies_are_printed_on_one_sheet(open_page, days):
    page = open_page(days, ready=".day")
    page.evaluate("window.print = () => undefined")
    day(page, "2026-11-21").click()
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Print four days").click()
    titles = page.locator(".paper figcaption")
    expect(titles).to_have_text(
        [f"{date}, easy" for date in ("31 October 2026", "1 November 2026", "21 November 2026")]
    )
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(titles).to_have_count(0)
    open_example(page, "hard")
    page.get_by_text("Solve, rate, send, save").click()
    page.get_by_role("button", name="Print four copies").click()
    expect(titles).to_have_text(["hard"] * 4)
    expect(page.locator(".paper .domino-picture")).to_have_count(4 * 14)
    sheets = page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom", "left", "right"), "1cm"))
    assert len(re.findall(rb"/Type /Page\b", sheets)) == 1


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: npm ci in web/")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_days_and_ends_shut_nobody_out(open_page, days, scheme):
    page = open_page(
        days + "#days", ready=".day", color_scheme=scheme, bypass_csp=True, reduced_motion="reduce"
    )
    assert violations(page, None) == []
    day(page, "2026-11-21").click()
    solve_easy(page)
    page.get_by_text("Solved so far").click()
    assert violations(page, None) == []
