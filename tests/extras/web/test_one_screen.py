"""Play on one screen: the board, the whole tray and the buttons are seen together, without scrolling."""

import pytest
from generated import random_puzzle
from playing import expect

from milp_pips.puzzles.reading import read_text
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


PAIRS = [f"{a}-{b}" for a in range(5) for b in range(a, 5)] + ["5-5"]
"""Sixteen dominoes: no puzzle of the Times has more."""


def strip(row: str, rows: int) -> str:
    """Return a puzzle without rules on a board of equal rows."""
    dominoes = PAIRS[: rows * row.count("#") // 2]
    return "\n".join([*[row] * rows, " ".join(dominoes)])


BOARDS = {  # with more than 13 columns a board scrolls on a small phone, so that a finger hits a square
    **{f"random {n}": convert(random_puzzle(n, n), "text") for n in range(3, 17)},
    **{f"random {n} again": convert(random_puzzle(n, 100 + n), "text") for n in (9, 12, 14, 16)},
    "wide": strip("#" * 13, 2),
    "tall": strip("##", 16),
    "square": strip("#" * 5 + "." + "#", 5),
}


@pytest.mark.parametrize("screen", SCREENS)
def test_board_and_tray_are_on_one_screen(open_page, tmp_path, screen):
    page, faults = open_page(**SCREENS[screen]), []
    for name, text in BOARDS.items():
        (puzzle,) = read_text(text, name).values()
        dominoes = len(puzzle.dominoes)
        file = tmp_path / f"{name}.txt"
        file.write_text(text)
        page.get_by_role("button", name="Other puzzle…").click()
        page.get_by_label("Open a file").set_input_files(file)
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page.locator(".by")).to_have_text(f"Pips · {dominoes} dominoes")
        places = page.evaluate(PLACES)
        lines = max(place for cell in puzzle.cells for place in cell) + 1
        least = min(30, 312 // lines)  # a board of many lines has smaller squares on a phone
        seen = {"tray": places["tray"] == dominoes, "square": places["square"] >= least}
        seen |= {"finger": places["finger"] >= 40}
        seen |= {fault: not places[fault] for fault in ("outside", "covered")}
        faults += [f"{name}: {what}: {places}" for what, holds in seen.items() if not holds]
    assert not faults
