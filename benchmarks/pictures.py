"""Measure how many screenshots are read exactly, and whether what is wrong is marked as doubtful.

``FOLDER`` has real screenshots, with their puzzles in ``truth.json`` in the Times' format by file name;
pictures without truth are only read. ``--drawn N`` draws N puzzles as screenshots of a phone or a desktop, as
they are, scaled, cropped, as JPEG, and with light noise. A part is a cell, a region with its rule, or a
domino. A wrong part counts as marked if a doubt is about it, or about the whole picture. ``--keep DIR``
writes the pictures that were misread.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from measure import header
from PIL import Image
from screenshots import look_of, screenshot, worn

import milp_pips
from milp_pips.extras.picture.draft import Draft
from milp_pips.extras.picture.pixels import decode, pixels_of
from milp_pips.extras.picture.reading import read_picture
from milp_pips.problem.errors import InputError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.pips.puzzle import Pips, Rule
from milp_pips.puzzles.reading import read_text

Part = tuple[Any, ...]

KINDS = ("phone", "desktop", "scaled", "cropped", "jpeg", "noisy")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="real screenshots")
    parser.add_argument("--drawn", type=int, default=0, metavar="N", help="how many drawn screenshots")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first number (default: 0)")
    parser.add_argument("--keep", metavar="DIR", help="write misread pictures into this directory")
    arguments = parser.parse_args()
    print(f"{header('pillow')}\n")
    for folder in arguments.folders:
        measure_real(Path(folder))
    if arguments.drawn:
        measure_drawn(range(arguments.first, arguments.first + arguments.drawn), arguments.keep)


def measure_real(folder: Path) -> None:
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    for path in sorted(folder.glob("*.png")):
        begun = time.process_time()
        draft = read_picture(decode(str(path)), path.stem, Deadline(60))
        seconds = time.process_time() - begun
        known = truth.get(path.name)
        verdict = "no truth"
        if known:
            (puzzle,) = read_text(json.dumps({"easy": known}), path.name).values()
            wrong = wrong_parts(draft, puzzle)
            verdict = f"wrong: {listed(wrong)}" if wrong else "exact"
        doubts = "; ".join(doubt.words for doubt in draft.doubts)
        print(f"{path.name}: {verdict}; {seconds:.1f} s; doubts: {doubts or 'none'}")


def measure_drawn(seeds: range, keep: str | None) -> None:
    exact, total, seconds, doubts, unmarked = Counter[str](), Counter[str](), [], [], []
    for seed in seeds:
        kind, puzzle, image = drawn(seed)
        total[kind] += 1
        begun = time.process_time()
        try:
            draft = read_picture(pixels_of(image), "drawn", Deadline(60))
        except InputError as error:
            print(f"{seed} {kind}: refused: {error}", flush=True)
            wrong, missed = {("picture",)}, []
        else:
            wrong = wrong_parts(draft, puzzle)
            doubts.append(len(draft.doubts))
            missed = [part for part in wrong if not is_marked(part, draft)]
            if wrong:
                said = "; ".join(doubt.words for doubt in draft.doubts)
                print(
                    f"{seed} {kind}: wrong {listed(wrong)}; not marked {listed(missed)}; {said}", flush=True
                )
            if missed:
                unmarked.append(seed)
        seconds.append(time.process_time() - begun)
        exact[kind] += not wrong
        if wrong and keep:
            Path(keep).mkdir(parents=True, exist_ok=True)
            image.save(Path(keep, f"{seed}-{kind}.png"))
    print("\n| kind | pictures | exactly right |\n|---|---|---|")
    for kind in KINDS:
        if total[kind]:
            print(f"| {kind} | {total[kind]} | {exact[kind]} |")
    share = exact.total() / total.total()
    print(f"| all | {total.total()} | {exact.total()} ({share:.1%}) |\n")
    print(f"pictures with a wrong part that is not marked: {len(unmarked)} {unmarked}")
    print(f"processor seconds per picture: median {statistics.median(seconds):.2f}, most {max(seconds):.2f}")
    print(f"pictures without a doubt: {sum(not n for n in doubts)}; doubts: {sum(doubts)}")


def listed(parts: Iterable[Part]) -> str:
    """Return the first of the parts as text."""
    return ", ".join(sorted(map(str, parts))[:9]) or "none"


def drawn(seed: int) -> tuple[str, Pips, Image.Image]:
    """Return the kind, the puzzle and the picture with this number."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    size = {"dominoes": rng.randrange(4, 17), "rows": 10, "columns": 8}
    made = next(iter(milp_pips.generate(seed=seed, style="setter", **size)))
    assert isinstance(made.puzzle, Pips)
    puzzle = varied(made.puzzle, made.hidden.values, rng)
    device = kind if kind in ("phone", "desktop") else rng.choice(("phone", "desktop"))
    return kind, puzzle, worn(screenshot(puzzle, look_of(puzzle, device, rng), rng), kind, rng)


def varied(puzzle: Pips, values, rng: random.Random) -> Pips:
    """Return the puzzle with more kinds of rules, which its solution obeys, as the Times has them."""
    regions = []
    for region in puzzle.regions:
        pips = [values[cell] for cell in region.cells]
        total, choice = sum(pips), rng.random()
        if region.rule is Rule.SUM and choice < 0.2:
            region = region._replace(rule=Rule.LT, target=total + rng.randrange(1, 4))
        elif region.rule is Rule.SUM and choice < 0.4 and total:
            region = region._replace(rule=Rule.GT, target=max(0, total - rng.randrange(1, 4)))
        elif region.rule is Rule.SUM and choice < 0.5 and 1 < len(set(pips)) == len(pips):
            region = region._replace(rule=Rule.NEQ, target=None)
        regions.append(region)
    rng.shuffle(dominoes := [pair[:: rng.choice((1, -1))] for pair in puzzle.dominoes])
    return Pips.on_grid(puzzle.name, puzzle.cells, regions, dominoes)


def parts_of(board: Mapping[Any, str], rules: Mapping[str, Any], dominoes: Iterable[Any]) -> Iterator[Part]:
    """Yield the parts of a puzzle: cells, regions without their names, and dominoes by number."""
    yield from (("cell", (cell,)) for cell in board)
    for label, rule in rules.items():
        yield "region", tuple(sorted(cell for cell in board if board[cell] == label)), *rule
    yield from (("domino", i, *pair) for i, pair in enumerate(dominoes))


def wrong_parts(draft: Draft, puzzle: Pips) -> set[Part]:
    """Return the parts that are in the draft or in the puzzle, but not in both."""
    regions = [region for region in puzzle.regions if region.rule]
    board = dict.fromkeys(puzzle.cells, "#") | {
        cell: region.label for region in regions for cell in region.cells
    }
    rules = {region.label: (region.rule, region.target) for region in regions}
    read = set(parts_of(draft.board, draft.rules, draft.dominoes))
    return read ^ set(parts_of(board, rules, puzzle.dominoes))


def is_marked(part: Part, draft: Draft) -> bool:
    """Return whether a doubt is about the part, or about the picture as a whole."""
    kind, where, *_ = part
    for doubt in draft.doubts:
        if doubt.domino is None and not doubt.cells and doubt.label is None:
            return True
        if doubt.domino == where if kind == "domino" else not {*where}.isdisjoint(doubt.cells):
            return True
    return False


if __name__ == "__main__":
    main()
