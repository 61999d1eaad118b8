"""Every rule of Pips in its one table: what it states, its spellings, the checker, the documents."""

import re
from itertools import product
from pathlib import Path

import pytest

import milp_pips
from milp_pips.extras.generate.pips import maker
from milp_pips.problem.errors import UsageError
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips import puzzle as pips
from milp_pips.puzzles.pips.puzzle import Pips, Region
from milp_pips.puzzles.pips.rules import RULES, SPELLINGS, Rule
from milp_pips.verification import verify

DOCS = Path(__file__).parents[2] / "docs"
RULED = [rule for rule in RULES if rule is not None]
STATED = [(rule, n) for rule in RULED for n in ((0, 1, 4, 6, -6) if RULES[rule].has_target else (None,))]


@pytest.mark.parametrize(("rule", "target"), STATED)
def test_the_constraint_the_check_and_the_checker_agree_on_all_values(rule, target):
    kind, cells = RULES[rule], (0, 1, 2)
    constraint = kind.constraint(cells, target, "it")
    plain = {
        "cells": ["a", "b", "c", "d"],
        "dominoes": [[0, 1], [2, 3]],
        "edges": [],
        "regions": [{"label": "A", "cells": cells, "rule": rule.value, "target": target}],
    }
    checked = verify.pips(plain).rules
    for values in product(range(4), repeat=3):
        assert kind.obeys(values, target) == constraint.holds(values) == obeyed(checked, values), values
        if kind.obeys(values, target):
            assert sum(values) in kind.sums(target, 0, 9)
            assert not kind.misfits(values, target)


def obeyed(rules, values) -> bool:
    for rule in rules:
        state = rule.start
        for i, cell in enumerate(rule.cells):
            state = None if state is None else rule.step(state, i, values[cell])
        if state is None or not rule.accepts(state):
            return False
    return True


@pytest.mark.parametrize("rule", RULED)
@pytest.mark.parametrize("values", [(2, 2, 2), (1, 2, 3), (0, 2, 2), (3, 0, 2)])
def test_a_new_rule_is_obeyed_by_the_values_that_it_is_made_for(rule, values):
    kind = RULES[rule]
    target = kind.target(values, 2, 0, 18)
    if kind.has_target:
        assert kind.obeys(values, target)
        assert not kind.misfits(values, target)


@pytest.mark.parametrize("rule", RULED)
def test_a_rule_is_written_and_read_in_every_format_or_refused(rule):
    kind = RULES[rule]
    target = 4 if kind.has_target else None
    puzzle = Pips.on_grid("p", [(0, 0), (0, 1)], [Region("A", ((0, 0), (0, 1)), rule, target)], [(2, 2)])
    for form in ("text", "json", "times"):
        if form == "times" and not kind.is_published:
            with pytest.raises(UsageError, match=f"^p: the Times' JSON has no rule {rule}$"):
                milp_pips.convert(puzzle, form)
        else:
            (again,) = milp_pips.read_text(milp_pips.convert(puzzle, form), "p").values()
            assert again.regions == puzzle.regions
    for spelling in (word for word, meant in SPELLINGS.items() if meant is rule):
        typed = f"AA\nA {spelling} {target or ''}\n2-2\n"
        (again,) = milp_pips.read_text(typed, "p").values()
        assert again.regions == puzzle.regions, spelling


def test_the_documents_have_the_table_of_rules():
    rows = re.findall(
        r"^\| `([A-Z]+)` \|(.*)\|(.*)\|(.*)\|(.*)\|$", (DOCS / "formats.md").read_text(), re.MULTILINE
    )
    stated = {name: tuple(cell.strip(" `") for cell in cells) for name, *cells in rows}
    assert stated == {
        rule: (kind.words, kind.sign, kind.json, "yes" * kind.is_published)
        for rule, kind in RULES.items()
        if rule is not None
    }


def test_a_product_and_parities_are_solved_counted_proved_and_drawn(tmp_path):
    rules = {"A": "PRODUCT 6", "B": "ODD", "C": "EVEN", "D": "PRODUCT 0"}
    puzzle = Pips.from_rows(["AABB", "CCDD"], rules, [(2, 3), (1, 4), (5, 5), (0, 6)])
    count = sum(pips.check(puzzle, layout) is None for layout in milp_pips.solutions(puzzle))
    assert count == milp_pips.count(puzzle).counts["placement"] == 12
    assert milp_pips.prove(puzzle, tmp_path / "list").solutions == 12
    assert milp_pips.prove(puzzle, tmp_path / "count", kind="count").solutions == 12
    assert all(sign in str(milp_pips.draw(puzzle)) for sign in ("×6", "odd", "even", "×0"))


def test_a_rule_that_the_checker_does_not_know_is_refused_in_a_sentence(monkeypatch, tmp_path):
    puzzle = Pips.from_rows(["AA"], {"A": "SUM 3"}, [(1, 2)])
    plain = pips.plain(puzzle)
    plain["regions"][0]["rule"] = "PRIME"
    monkeypatch.setattr(verify, "STATEMENTS", {"pips": lambda _: verify.pips(plain)})
    for kind in ("list", "count"):
        with pytest.raises(UsageError) as refusal:
            milp_pips.prove(puzzle, tmp_path / "proof", kind=kind)
        assert str(refusal.value) == (
            "puzzle: nothing can be proved: puzzle.json: not a puzzle of a known family: "
            "region A has the rule PRIME, which is not known here"
        )


def test_the_generator_draws_other_rules_on_demand_alone():
    def drawn(rules):
        made = maker({"dominoes": 6} | rules)
        candidates = (made.make("p", RandomGenerator(str(seed))) for seed in range(30))
        return {region.rule for one in candidates if one for region in one.puzzle.regions}

    published = {rule for rule in RULED if RULES[rule].is_published}
    assert drawn({}) <= published
    others = {Rule.PRODUCT: 1, Rule.ODD: 1, Rule.EVEN: 1}
    assert drawn({"rules": others}) == set(others)
