"""The loosest rules are those of brute force over all ways to drop, weaken and merge the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import brute_force
import pytest
import sudoku_brute_force
from thoroughness import mostly_long

import milp_pips
from milp_pips.cli import main
from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule

EXAMPLES = Path(__file__).parents[3] / "examples"


def touch(one: Region, other: Region) -> bool:
    return any(abs(a - c) + abs(b - d) == 1 for a, b in one.cells for c, d in other.cells)


def partitions(regions: list[Region]) -> Iterator[list[list[Region]]]:
    """Yield the ways to merge regions with sums, up to three that touch."""
    if not regions:
        yield []
        return
    first, *rest = regions
    sums = [other for other in rest if other.rule is first.rule is Rule.SUM]
    for n in range(3):
        for more in combinations(sums, n):
            group = [first, *more]
            if sum(touch(a, b) for a, b in combinations(group, 2)) >= len(group) - 1:
                for others in partitions([other for other in rest if other not in more]):
                    yield [group, *others]


def statements(group: list[Region], pips: list[int]) -> list[tuple[int, list[Region]]]:
    """Return the ways to state a group of regions: the price in halves, and the regions."""
    cells = tuple(cell for region in group for cell in region.cells)
    if len(group) > 1:
        total = sum(region.target for region in group)
        return [(2, [Region(group[0].label, cells, Rule.SUM, total)])]
    (region,) = group
    ways = [(0, []), (2, [region])]
    if region.rule is Rule.SUM:
        ways += [
            (1, [region._replace(rule=rule)])
            for rule, end in ((Rule.GE, min(pips)), (Rule.LE, max(pips)))
            if region.target != end * len(cells)  # otherwise the other half says it all
        ]
        if len(ways) == 3:
            ways.pop()
    return ways


def loosest_by_brute_force(puzzle: Pips) -> tuple[int, int]:
    """Return the fewest rules that leave one placement and, of so many, the fewest halves."""
    free = replace(puzzle, regions=())
    pips = [pip for domino in puzzle.dominoes for pip in domino]
    layouts = [dict(half for part in one for half in part) for one in brute_force.placements(free)]
    placements = list(brute_force.placements(free))
    obeying: dict[Region, int] = {}
    for one in placements:
        assert len(one) == len(puzzle.dominoes)

    def those(region: Region) -> int:
        if region not in obeying:
            obeying[region] = sum(1 << i for i, laid in enumerate(layouts) if brute_force.fits(region, laid))
        return obeying[region]

    best = None
    for groups in partitions([region for region in puzzle.regions if region.rule is not None]):
        for chosen in product(*(statements(group, pips) for group in groups)):
            price = sum(bool(regions) for _, regions in chosen), sum(halves for halves, _ in chosen)
            if best is not None and price >= best:
                continue
            left = (1 << len(layouts)) - 1
            for _, regions in chosen:
                for region in regions:
                    left &= those(region)
            if left and not left & (left - 1):
                best = price
    assert best is not None
    return best


def unique_puzzles(dominoes):
    for rules in ("SUM", "SUM=4,EQ,LT", "SUM,EQ,NEQ,GT"):
        wanted = {"style": "plain", "dominoes": dominoes, "unique": True, "rules": rules}
        for made in milp_pips.generate(seed=7, count=2, region_sizes="1..3", **wanted):
            yield made.puzzle


@pytest.mark.parametrize(("dominoes", "unseen"), mostly_long(1, [(3, set()), (4, {"merged"})]))
def test_the_loosest_rules_are_those_of_brute_force(dominoes, unseen):
    seen = {"whole": 0, "weakened": 0, "merged": 0, "dropped": 0, "idle": 0}
    for puzzle in unique_puzzles(dominoes):
        found = milp_pips.loosen(puzzle)
        rules, halves = loosest_by_brute_force(puzzle)
        price = sum({"weakened": 1}.get(rule.kind, 2) for rule in found.kept)
        assert (len(found.kept), price) == (rules, halves), puzzle
        assert (found.key, found.loosest, found.least) == ("placement", True, rules)
        assert found.unique_by
        assert found.bound_by
        idle = [
            str(region)
            for region in puzzle.regions
            if region.rule is not None and len(brute_force.placements(without(puzzle, region))) == 1
        ]
        assert [label.partition(":")[0] for label in found.idle] == [one.partition(":")[0] for one in idle]
        for rule in found.kept:
            seen[rule.kind] += 1
        seen["dropped"] += len(found.dropped)
        seen["idle"] += len(idle)
    assert {kind for kind, times in seen.items() if not times} == unseen


def without(puzzle: Pips, region: Region) -> Pips:
    return replace(puzzle, regions=tuple(other for other in puzzle.regions if other != region))


@pytest.mark.long
def test_givens_of_a_sudoku_that_are_not_needed():
    puzzle = milp_pips.Sudoku.from_rows(["12..", "34..", "..43", "4..1"], name="four")
    found = milp_pips.loosen(puzzle)
    assert found.key == "grid"
    givens = [(r, c, x) for r, row in enumerate(puzzle.givens) for c, x in enumerate(row) if x]
    assert len(found.rules) == len(givens), "the rows, columns and boxes are the game"

    def is_unique(kept):
        rows = [["."] * 4 for _ in range(4)]
        for r, c, x in kept:
            rows[r][c] = x
        made = milp_pips.Sudoku.from_rows(["".join(row) for row in rows], name="fewer")
        return len(sudoku_brute_force.solutions(made)) == 1

    fewest = next(
        n for n in range(len(givens) + 1) if any(is_unique(kept) for kept in combinations(givens, n))
    )
    assert (len(found.kept), found.loosest) == (fewest, True)
    assert len(found.idle) == sum(is_unique([g for g in givens if g != one]) for one in givens)


def test_the_command(capsys):
    easy = str(EXAMPLES / "pips" / "easy.txt")
    assert main(["loosen", easy]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Without any one of these there is one placement still: region A: sum 0; ")
    assert "easy: three rules (" in out
    assert " of seven rules are enough, no looser ones are; one placement confirmed by " in out
    assert main(["loosen", easy, "--json", "--time-limit", "0"]) == 3
    assert json.loads(capsys.readouterr().out)["stop"] == "time"
    assert main(["loosen", str(EXAMPLES / "pips" / "several.txt"), "--quiet"]) == 1
    assert capsys.readouterr().out.startswith("several: several solutions, so no rule can go")
    assert main(["loosen", str(EXAMPLES / "pips" / "impossible.txt")]) == 2
    with pytest.raises(UsageError, match="has no solution"):
        milp_pips.loosen(milp_pips.read(EXAMPLES / "pips" / "impossible.txt"))
