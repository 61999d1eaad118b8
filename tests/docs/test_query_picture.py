"""The picture of a query in the tour is a record of its calls from room to room.

``pytest tests/docs/test_query_picture.py -m docs --update`` draws it anew.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import NamedTuple
from xml.etree import ElementTree

import milp_pips

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "query.svg"
PACKAGE = f"{ROOT / 'milp_pips'}/"
YOU = "your code"
ROOMS = (
    YOU,
    *("tasks", "puzzles", "propagation", "engines", "formulations", "compilation", "verification", "views"),
)
WIDTH, HEIGHT, MARGIN = 118, 24, 60


class Call(NamedTuple):
    """The first call from a room into a file of another one."""

    caller: str
    file: str

    @property
    def room(self) -> str:
        return self.file.partition("/")[0]


def query() -> None:
    """Ask HiGHS for the solution of a small puzzle, and whether there is another; print the answer."""
    puzzle = milp_pips.read(ROOT / "examples" / "pips" / "square.txt")
    str(milp_pips.solve(puzzle, "highs", unique=True))


def calls() -> list[Call]:
    """Return the first calls from each room into each file of another room, in their order."""
    query()  # all modules are loaded now
    found = dict[Call, None]()
    latest = [YOU]  # which has started the thread whose frame has no caller

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (file := file_of(frame)):
            up = frame.f_back
            while up is not None and not file_of(up):
                up = up.f_back
            in_thread = threading.current_thread() is not threading.main_thread()
            before = room_of(up) if up else latest[0] if in_thread else YOU
            call = Call(before, file)
            latest[0] = call.room
            if call.room != call.caller:
                found.setdefault(call)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        query()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return list(found)


def file_of(frame: FrameType) -> str:
    """Return the file of a frame in one of the rooms, else nothing."""
    file = frame.f_code.co_filename.removeprefix(PACKAGE)
    return file if file.partition("/")[0] in ROOMS else ""


def room_of(frame: FrameType) -> str:
    return file_of(frame).partition("/")[0]


def drawing(arrows: list[Call]) -> str:
    """Return a picture: a vertical line for each room, an arrow for each call, from top to bottom."""
    place = {room: MARGIN + WIDTH * number for number, room in enumerate(ROOMS)}
    height = HEIGHT * (len(arrows) + 2)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * len(ROOMS) + MARGIN} {height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for room, x in place.items():
        lines.append(f'<text x="{x}" y="16" text-anchor="middle" font-weight="bold">{room}</text>')
        lines.append(f'<path d="M{x} 24V{height - 8}" stroke="#bbb" stroke-dasharray="2 3"/>')
    for number, call in enumerate(arrows, start=1):
        start, end, y = place[call.caller], place[call.room], HEIGHT * (number + 1)
        back = 1 if start > end else -1
        head = f"m{6 * back} -4l{-6 * back} 4l{6 * back} 4"
        lines.append(f'<path d="M{start} {y}H{end}{head}" fill="none" stroke="#06c"/>')
        side, shift = ("end", -6) if back == 1 else ("start", 6)
        label = call.file.partition("/")[2]
        lines.append(
            f'<text x="{end + shift}" y="{y + 4}" text-anchor="{side}" stroke="#fff" stroke-width="3" '
            f'paint-order="stroke">{label}</text>'
        )
    return "\n".join([*lines, "</svg>\n"])


def test_the_picture_of_a_query_shows_the_calls_that_are_made(request):
    made = calls()
    if request.config.getoption("--update"):
        PICTURE.write_text(drawing(made), encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == drawing(made), "run this test with -m docs --update"


def test_a_query_is_stated_filtered_solved_confirmed_and_shown():
    way = [call.room for call in calls()]
    steps = ("puzzles", "propagation", "formulations", "verification", "views")
    firsts = [way.index(room) for room in steps]
    assert firsts == sorted(firsts)
    assert ElementTree.fromstring(PICTURE.read_text(encoding="utf-8")).tag.endswith("svg")
