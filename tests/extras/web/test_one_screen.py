"""Play on one screen: the board, the whole tray and the buttons are seen together, without scrolling."""

import pytest
from generated import random_puzzle
from playing import expect

from milp_pips.tasks.convert import convert

SCREENS = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "small phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
    "laptop": {"viewport": {"width": 1280, "height": 700}},
}
PLACES = """() => {
  const boxes = (what) => [...document.querySelectorAll(what)].map((e) => e.getBoundingClientRect());
  const tray = boxes(".tray-domino"), squares = boxes("[role=gridcell]");
  const beside = (a, b) =>
    a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  return {
    tray: tray.length,
    outside: [...tray, ...squares, ...boxes(".controls button, .head button, .masthead a")].filter(
      ({ left, top, right, bottom }) => left < 0 || top < 0 || right > innerWidth || bottom > innerHeight,
    ).length,
    covered: tray.filter((domino) => !squares.every((square) => beside(domino, square))).length,
    square: squares[0].width,
    finger: Math.min(...tray.map(({ height }) => height)),
  };
}"""


@pytest.mark.parametrize("screen", SCREENS)
def test_board_and_tray_are_on_one_screen(open_page, tmp_path, screen):
    page = open_page(**SCREENS[screen])
    for dominoes in (5, 10, 16):
        file = tmp_path / f"{dominoes}.txt"
        file.write_text(convert(random_puzzle(dominoes, 3), "text"))
        page.get_by_role("button", name="Other puzzle…").click()
        page.get_by_label("Open a file").set_input_files(file)
        expect(page.locator(".by")).to_have_text(f"Pips · {dominoes} dominoes")
        places = page.evaluate(PLACES)
        assert places["tray"] == dominoes
        assert places["outside"] == places["covered"] == 0
        assert places["square"] >= 30
        assert places["finger"] >= 40
