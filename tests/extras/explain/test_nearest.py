"""The nearest puzzles with one solution: no set of fewer changes does, as brute force over all pairs says."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product

import brute_force
import pytest
from generated import random_puzzle

import milp_pips
from milp_pips import AllDifferent, LinearSum, Pips, Problem, Relation, Variable
from milp_pips.extras.explain.additions import Addition
from milp_pips.puzzles.family import Alternative
from milp_pips.puzzles.pips.puzzle import Region, Rule, cell_name


def draft_of(dominoes: int, seed: int) -> Pips:
    """Return a puzzle two of whose regions have wrong sums."""
    puzzle = random_puzzle(dominoes, seed)
    wrong = [
        region._replace(rule=Rule.SUM, target=(7 * n + seed) % (6 * len(region.cells) + 1))
        if n < 2
        else region
        for n, region in enumerate(puzzle.regions)
    ]
    return replace(puzzle, regions=tuple(wrong), published=None)


def changes_of(puzzle: Pips) -> list[tuple[str, object, object]]:
    """Return the changes, as kind, what is replaced, and by what; exact sums stand for bounds."""
    pips = sorted({pip for domino in puzzle.dominoes for pip in domino})
    inside = {cell for region in puzzle.regions for cell in region.cells}
    alone = [Region(f"of {cell_name(c)} alone", (c,)) for c in puzzle.cells if c not in inside]
    found: list[tuple[str, object, object]] = []
    for region in (*puzzle.regions, *alone):
        n, rule, at = len(region.cells), region.rule, region.target or 0
        sums = range(pips[0] * n, pips[-1] * n + 1)
        others = [(Rule.SUM, total) for total in sums if n > 1 or rule is Rule.SUM]
        if n == 1:  # a shown value keeps the rule of its cell, so a bound can do what it cannot
            most = {Rule.LT: at - 1, Rule.LE: at}.get(rule, pips[-1])
            least = {Rule.GT: at + 1, Rule.GE: at}.get(rule, pips[0])
            others += [(Rule.LT, bound) for bound in sums if bound <= most]
            others += [(Rule.GT, bound) for bound in sums if bound >= least]
        others += [(Rule.EQ, None), (Rule.NEQ, None)] if n > 1 else []
        found += [
            ("rule", region, region._replace(rule=new, target=target))
            for new, target in others
            if (new, target) != (rule, region.target)
        ]
    laid = {tuple(sorted(domino)) for domino in puzzle.dominoes}
    new = [domino for domino in combinations_with_replacement(pips, 2) if domino not in laid]
    return found + [("domino", old, other) for old in laid for other in new]


def changed(puzzle: Pips, *changes: tuple[str, object, object]) -> Pips:
    """Return the puzzle with these changes."""
    regions, dominoes = list(puzzle.regions), [tuple(sorted(domino)) for domino in puzzle.dominoes]
    for kind, old, new in changes:
        known = regions if kind == "rule" else dominoes
        if old in known:
            known[known.index(old)] = new
        else:
            known.append(new)
    return replace(puzzle, regions=tuple(regions), dominoes=tuple(dominoes), published=None)


def is_enough(puzzle: Pips, *changes: tuple[str, object, object]) -> bool:
    return len(brute_force.placements(changed(puzzle, *changes))) == 1


def sets_by_brute_force(puzzle: Pips) -> tuple[list, list]:
    """Return the single changes and the pairs that leave one placement; values shown are single cells."""
    changes = changes_of(puzzle)
    single = [one for one in changes if is_enough(puzzle, one)]
    pairs = [
        pair
        for pair in combinations(changes, 2)
        if pair[0][:2] != pair[1][:2] and pair[0][2] != pair[1][2] and not single and is_enough(puzzle, *pair)
    ]
    return single, pairs


def read_back(puzzle: Pips, one: Addition) -> Pips:
    """Return the puzzle with an addition, read from its words."""
    regions = {region.label: region for region in puzzle.regions}
    made = []
    for rule in one.rules:
        label = rule.rule.label
        if label.startswith("the domino "):
            new, old = (tuple(map(int, label.split()[i].split("-"))) for i in (2, -1))
            made.append(("domino", old, new))
            continue
        name, said = label.removeprefix("region ").split(": ")
        cells = tuple(puzzle.cells[v] for v in rule.rule.variables)
        words = {"all equal": (Rule.EQ, None), "all different": (Rule.NEQ, None)}
        signs = {"sum": Rule.SUM, "sum <": Rule.LT, "sum >": Rule.GT}
        stated = words.get(said) or (signs[said.rpartition(" ")[0]], int(said.split()[-1]))
        made.append(("rule", regions.get(name), Region(name, cells, *stated)))
    return changed(puzzle, *made)


@pytest.mark.long
def test_pairs_are_found_where_brute_force_has_some_and_nothing_less_is_enough():
    seen = set()
    for seed in (0, 2, 3, 10):
        puzzle = draft_of(3, seed)
        single, pairs = sets_by_brute_force(puzzle)
        now = len(brute_force.placements(puzzle))
        found = milp_pips.explain(puzzle, additions=50).additions
        size = 1 if single else 2 if pairs and not now else 3
        seen.add((size, now > 0))
        if now and not single:
            continue  # with several solutions only values and stricter rules are combined
        assert (found.key, found.bound, found.complete) == ("placement", size, size < 3)
        assert {len(one.parts) for one in found.found} == ({size} if size < 3 else set())
        for one in found.found:
            shown = {(puzzle.cells[fact.variable], fact.value) for fact in one.facts}
            left = brute_force.placements(read_back(puzzle, one))
            assert sum(shown <= {half for domino in laid for half in domino} for laid in left) == 1
        if size == 2 and found.total == len(found.found):
            places = {frozenset(old for _, old, _ in pair) for pair in pairs}
            places = {those for those in places if "alone" not in str(those)}
            assert places <= {frozenset(map(place_of(puzzle), one.rules)) for one in found.found}
    assert {size for size, _ in seen} == {1, 2, 3}, seen


def place_of(puzzle: Pips):
    """Return a function from an alternative to the region or the domino that it replaces."""
    regions = {frozenset(region.cells): region for region in puzzle.regions}

    def place(one: Alternative) -> object:
        if one.rule.label.startswith("the domino "):
            return tuple(map(int, one.rule.label.split()[-1].split("-")))
        return regions.get(frozenset(puzzle.cells[v] for v in one.rule.variables))

    return place


def test_sets_without_a_family_have_exact_sums_and_values():
    digits = tuple(Variable(name, range(1, 4)) for name in "abcd")
    at_most = [LinearSum(pair, Relation.LE, 5, f"{pair}: at most 5") for pair in ((0, 1), (2, 3))]
    apart = [AllDifferent(pair, f"{pair} differ") for pair in ((0, 1), (2, 3), (0, 2))]
    found = milp_pips.explain(Problem(digits, (*at_most, *apart)), additions=100).additions
    points = [p for p in product(range(1, 4), repeat=4) if p[0] != p[1] and p[2] != p[3] and p[0] != p[2]]
    facts = [{p for p in points if p[v] == value} for v in range(4) for value in range(1, 4)]
    sums = [{p for p in points if p[v] + p[v + 1] == total} for v in (0, 2) for total in range(2, 6)]
    for size in (1, 2, 3):
        enough = any(len(set.intersection(*chosen)) == 1 for chosen in combinations(facts + sums, size))
        assert enough == (size >= len(found.found[0].parts))
    assert found.bound == 2
