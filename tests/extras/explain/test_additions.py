"""What would leave one solution: every addition does, none that would is missed, and nothing smaller does."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path

import brute_force
import pytest
import sudoku_brute_force
from generated import random_puzzle

import milp_pips
from milp_pips import AllDifferent, AllEqual, LinearSum, Pips, Problem, Relation, Variable
from milp_pips.cli import main
from milp_pips.constraints import Less
from milp_pips.extras.explain import adding
from milp_pips.extras.explain import analysis as inquiry
from milp_pips.extras.explain import explain as explaining
from milp_pips.extras.explain.additions import Addition
from milp_pips.problem.errors import FamilyFault
from milp_pips.puzzles import family as families
from milp_pips.puzzles.family import Alternative
from milp_pips.puzzles.pips.puzzle import Region, Rule, cell_name

EXAMPLES = Path(__file__).parents[3] / "examples"
SEVERAL = EXAMPLES / "pips" / "several.txt"
ALL = 10**6


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let no slow machine give up the solution space."""
    monkeypatch.setattr(inquiry, "ANALYSIS_SECONDS", 100.0)


def additions_of(puzzle, most=ALL):
    return milp_pips.explain(puzzle, additions=most).additions


def rules_for(puzzle: Pips) -> dict[str, tuple[Region, Region]]:
    """Return by what it is called each rule that a region, or a cell in none, could have: from, and to."""
    pips = [pip for domino in puzzle.dominoes for pip in domino]
    inside = {cell for region in puzzle.regions for cell in region.cells}
    alone = [Region(f"of {cell_name(c)} alone", (c,)) for c in puzzle.cells if c not in inside]
    found = {}
    for region in (*puzzle.regions, *alone):
        n, now, at = len(region.cells), region.rule, region.target
        least, most = min(pips) * n, max(pips) * n
        for rule, target in [(Rule.EQ, None), (Rule.NEQ, None), *product(["LT", "GT", "SUM"], range(100))]:
            if rule in ("EQ", "NEQ"):
                fits = n > 1 and rule != now
            elif rule == "SUM":
                fits = (n > 1 or now == "SUM") and least <= target <= most and (now, at) != ("SUM", target)
            elif rule == "LT":
                fits = least < target <= min(most, {"LT": (at or 0) - 1, "LE": at}.get(now, most))
            else:
                fits = max(least, {"GT": (at or 0) + 1, "GE": at}.get(now, least)) <= target < most
            if fits:
                new = region._replace(rule=Rule(rule), target=target)
                found[str(new)] = region, new
    return found


def dominoes_for(puzzle: Pips) -> dict[str, Pips]:
    """Return by what it is called the puzzle with each other domino in place of each."""
    laid = [tuple(sorted(domino)) for domino in puzzle.dominoes]
    pips, found = sorted({pip for domino in laid for pip in domino}), {}
    for old in set(laid):
        for new in combinations_with_replacement(pips, 2):
            if new not in laid:
                dominoes = list(laid)
                dominoes[dominoes.index(old)] = new
                name = f"the domino {new[0]}-{new[1]} in place of {old[0]}-{old[1]}"
                found[name] = replace(puzzle, dominoes=tuple(dominoes), published=None)
    return found


def changed(puzzle: Pips, *rules: tuple[Region, Region]) -> Pips:
    """Return the puzzle with rules in place of those that it has, or of none."""
    regions = list(puzzle.regions)
    for old, new in rules:
        if old in regions:
            regions[regions.index(old)] = new
        else:
            regions.append(new)
    return replace(puzzle, regions=tuple(regions), published=None)


def placements_with(puzzle: Pips, old: Region, new: Region) -> set[brute_force.Placement]:
    """Return the placements of the puzzle with another rule."""
    return set(brute_force.placements(changed(puzzle, (old, new))))


def value_halves(puzzle):
    return {half for laid in brute_force.placements(puzzle) for domino in laid for half in domino}


def single_by_brute_force(puzzle: Pips) -> set[str]:
    """Return what leaves one placement."""
    now = brute_force.placements(puzzle)
    found = {name for name, rule in rules_for(puzzle).items() if len(placements_with(puzzle, *rule)) == 1}
    found |= {name for name, other in dominoes_for(puzzle).items() if len(brute_force.placements(other)) == 1}
    for cell, value in value_halves(puzzle):
        if sum((cell, value) in {half for domino in laid for half in domino} for laid in now) == 1:
            found.add(f"{cell_name(cell)} = {value}")
    return found


def name_of(one: Addition, names) -> str:
    assert len(one.parts) == 1
    return one.rules[0].rule.label if one.rules else f"{names[one.facts[0].variable]} = {one.facts[0].value}"


def puzzles_with_several(made):
    for dominoes, seed in made:
        puzzle = random_puzzle(dominoes, seed)
        if 1 < len(brute_force.placements(puzzle)) < 200:
            yield puzzle


@pytest.mark.long
def test_single_additions_are_all_that_brute_force_finds():
    both = "sums in place of equal or different cells"
    seen = {"values": 0, "bounds": 0, both: 0, "dominoes": 0, "none": 0}
    for puzzle in puzzles_with_several([(3, 61), (4, 0), (4, 7), (4, 27)]):
        found = additions_of(puzzle)
        names = [variable.name for variable in milp_pips.state(puzzle).variables]
        expected = single_by_brute_force(puzzle)
        single = [one for one in found.found if len(one.parts) == 1] if found.key == "placement" else []
        assert {name_of(one, names) for one in single} == expected
        assert len(single) == len(expected)
        if single:
            assert (found.total, found.complete) == (len(single), True)
        rules = [one.rules[0] for one in single if one.rules]
        sums = [rule for rule in rules if isinstance(rule.rule, LinearSum)]
        seen["bounds"] += any(rule.rule.relation != Relation.EQ for rule in sums)
        seen["dominoes"] += any(rule.rule.label.startswith("the domino ") for rule in rules)
        seen[both] += any(isinstance(rule.replaced, AllEqual | AllDifferent) for rule in rules)
        seen["values"] += any(one.facts for one in single)
        seen["none"] += not single
    assert min(seen.values()) >= 1, seen


@pytest.mark.long
def test_sets_leave_one_solution_and_nothing_smaller_does():
    sizes = set()
    for puzzle in puzzles_with_several((5, seed) for seed in (1, 13, 54)):
        found = additions_of(puzzle, 50)
        if found.key != "placement" or not found.found or len(found.found[0].parts) == 1:
            continue
        assert found.bound == 2
        sizes.add(len(found.found[0].parts))
        rules, now = rules_for(puzzle), brute_force.placements(puzzle)
        for one in found.found:
            assert len(one.parts) == len(found.found[0].parts)
            left = brute_force.placements(changed(puzzle, *(rules[r.rule.label] for r in one.rules)))
            shown = {(puzzle.cells[fact.variable], fact.value) for fact in one.facts}
            left = [laid for laid in left if shown <= {half for domino in laid for half in domino}]
            assert len(left) == 1
            assert left[0] in now
            regions = [rules[r.rule.label][0] for r in one.rules]
            assert len(set(regions)) == len(regions), "a region has one rule"
        if len(found.found[0].parts) == 3:
            assert not pairs_by_brute_force(puzzle)
    assert sizes >= {2, 3}


def pairs_by_brute_force(puzzle):
    """Return pairs of values, rules that say more, or both, that leave one placement."""
    now = sorted(brute_force.placements(puzzle), key=str)
    halves = [{half for domino in laid for half in domino} for laid in now]
    where = {}
    for name, (old, new) in rules_for(puzzle).items():
        if old.rule not in ("EQ", "NEQ"):
            left = placements_with(puzzle, old, new)
            where[name, old] = {i for i, laid in enumerate(now) if laid in left}
    for half in value_halves(puzzle):
        where[half, half[0]] = {i for i, shown in enumerate(halves) if half in shown}
    return [
        (one, other)
        for (one, there), (other, here) in combinations(where, 2)
        if there != here and len(where[one, there] & where[other, here]) == 1
    ]


def test_where_only_dominoes_differ_nothing_that_is_shown_helps():
    """Two dominoes side by side, all alike: they lie across or along."""
    puzzle = Pips.from_rows(["AA", "AA"], {"A": "EQ"}, [(1, 1), (1, 1)], name="square")
    explained = milp_pips.explain(puzzle)
    assert explained.additions.already == "grid"
    assert explained.additions.found == ()
    assert "There is one grid already; nothing that could be shown leaves one placement.\n" in str(explained)


def test_where_no_grid_has_one_placement_one_grid_is_looked_for():
    """Beside the square, which lies across or along, a domino lies either way round."""
    puzzle = Pips.from_rows(["AA.##", "AA..."], {"A": "EQ"}, [(1, 1), (1, 1), (0, 2)], name="square")
    found = additions_of(puzzle)
    assert (found.key, found.already, found.total) == ("grid", "", len(found.found))
    single = [one for one in found.found if one.facts]
    assert {(fact.variable, fact.value) for one in single for fact in one.facts} == {
        (v, value) for v in (2, 3) for value in (0, 2)
    }
    text = str(milp_pips.explain(puzzle, additions=1))
    assert "One grid, though not one placement, is left with any one of these, and with " in text or (
        "One grid, though not one placement, is left with this, and with " in text
    )


def test_givens_of_a_sudoku():
    puzzle = milp_pips.Sudoku.from_rows(["12..", "..1.", ".3..", "...."], name="four")
    solutions = sudoku_brute_force.solutions(puzzle)
    found = additions_of(puzzle)
    assert len(solutions) > 1
    shown = [tuple((fact.variable, fact.value) for fact in one.facts) for one in found.found]
    size = len(shown[0])
    facts = {
        (4 * r + c, v) for s in solutions for r, row in enumerate(s) for c, v in enumerate(map(int, row))
    }

    def left(chosen):
        return sum(all(int(s[v // 4][v % 4]) == a for v, a in chosen) for s in solutions)

    expected = {frozenset(chosen) for chosen in combinations(facts, size) if left(chosen) == 1}
    assert {frozenset(chosen) for chosen in shown} == expected
    assert not any(left(chosen) == 1 for n in range(1, size) for chosen in combinations(facts, n))


def test_bounded_sums_of_any_problem_could_be_exact():
    digits = tuple(Variable(name, (0, 1, 2, 3)) for name in "ab")
    rules = LinearSum((0, 1), Relation.LE, 4, "together: at most 4"), Less((0, 1), label="a < b")
    found = additions_of(Problem(digits, rules))
    assert [one.rules[0].rule.label for one in found.found if one.rules] == [
        "together: at most 4, exactly 1",
        "together: at most 4, exactly 2",
        "together: at most 4, exactly 4",
    ]
    assert {one.facts[0][:2] for one in found.found if one.facts} == {(1, 1)}


@pytest.mark.long
def test_sets_beyond_the_limit_are_not_told_as_all(monkeypatch):
    monkeypatch.setattr(adding, "MAX_SETS", 3)
    explained = milp_pips.explain(milp_pips.read(SEVERAL), additions=2)
    assert (explained.additions.total, explained.additions.complete) == (3, False)
    assert "sets of four, and with at least one other; no fewer such changes will do:\n" in str(explained)
    monkeypatch.setattr(adding, "MAX_SETS_TRIED", 100)
    assert milp_pips.explain(milp_pips.read(SEVERAL)).additions.found == ()


@pytest.mark.long
def test_how_many_are_told(capsys):
    lines = {}
    for n in (0, 1, 2):
        assert main(["explain", str(EXAMPLES / "pips" / "repeated.txt"), "--additions", str(n)]) == 0
        lines[n] = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("- ", "One p"))]
    assert lines[0] == []
    assert lines[1] == [
        "One placement is left with this, and with 26 others:",
        "- The domino 0-0 in place of 0-1.",
    ]
    assert lines[2] == [
        "One placement is left with any one of these, and with 25 others:",
        "- The domino 0-0 in place of 0-1.",
        "- Region C: sum < 3, in place of sum 4.",
    ]


def test_json(capsys):
    assert main(["explain", str(SEVERAL), "--json", "--additions", "1"]) == 0
    record = json.loads(capsys.readouterr().out)["additions"]
    (one,) = record.pop("found")
    assert record == {"key": "placement", "total": 544, "complete": True, "bound": 2, "already": ""}
    assert one["rules"] == [
        {"label": "region B: sum > 1", "cells": ["r1c4", "r2c4"], "in_place_of": "region B: sum > 0"}
    ]
    assert all(set(fact) == {"cell", "is"} for fact in one["facts"])
    assert one["sentence"].startswith("Region B: sum > 1, in place of sum > 0; show ")
    easy = EXAMPLES / "pips" / "easy.txt"
    assert main(["explain", str(easy), "--json"]) == 0
    assert "additions" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("limit", ["0", "0.05"])
def test_a_limit_leaves_what_was_found(limit, capsys):
    assert main(["explain", str(EXAMPLES / "colour_grid" / "several.txt"), "--time-limit", limit]) in (0, 3)
    assert "Traceback" not in capsys.readouterr().err


def test_a_space_that_does_not_fit_is_told(monkeypatch):
    from milp_pips.compilation.limits import Unfinished
    from milp_pips.problem.answer import Stop

    def give_up(*_):
        raise Unfinished("too large", Stop.MEMORY)

    monkeypatch.setattr(inquiry, "compile_problem", give_up)
    explained = milp_pips.explain(milp_pips.read(EXAMPLES / "pips" / "square.txt"))
    assert explained.additions.found == ()
    assert "What would leave one solution was not found.\n" in str(explained)


@pytest.mark.parametrize(
    "given, fault",
    [
        ([LinearSum((0, 1), Relation.EQ, 3, "a sum")], "calls a LinearSum an alternative"),
        (
            [Alternative(LinearSum((0,), Relation.EQ, 3, "a sum"), AllEqual((0, 1), "none of its rules"))],
            "has an alternative to a rule that several does not have",
        ),
    ],
)
def test_a_family_that_names_no_rules_is_told(monkeypatch, given, fault):
    family = replace(families.family("pips"), alternatives=lambda _: given)
    monkeypatch.setattr(explaining, "family_of", lambda _: family)
    with pytest.raises(FamilyFault, match=fault):
        additions_of(milp_pips.read(SEVERAL))
