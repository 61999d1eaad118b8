"""The checker of certificates by itself: each part against brute force, each refusal at its exact border."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest
from pysat.solvers import Solver

from milp_pips.verification import verify as checker
from milp_pips.verification.verify import Refused, Refutation, Watch

WATCH = Watch(3600)

# Small puzzles, and what their rules mean.

PIPS = {
    "family": "pips",
    "cells": list("abcdef"),
    "edges": [[0, 1], [1, 2], [3, 4], [5, 4], [0, 3], [1, 4], [2, 5]],
    "dominoes": [[0, 1], [1, 1], [0, 1]],
    "regions": [],
}
PIPS_GOAL = {
    "sense": "maximise",
    "values": [[0, 1, 5], [2, 0, -2], [2, 1, 3], [4, 1, 1]],
    "dominoes": [[1, 0, 4], [2, 5, -3]],
    "constant": 7,
    "scale": 2,
}
REGION_RULES = {
    "EQ": lambda shown, _: len(set(shown)) == 1,
    "NEQ": lambda shown, _: len(set(shown)) == len(shown),
    "SUM": lambda shown, target: sum(shown) == target,
    "LT": lambda shown, target: sum(shown) < target,
    "LE": lambda shown, target: sum(shown) <= target,
    "GT": lambda shown, target: sum(shown) > target,
    "GE": lambda shown, target: sum(shown) >= target,
    None: lambda shown, _: True,
}
SUDOKU = {
    "family": "sudoku",
    "symbols": ["1", "2", "3"],
    "numbers": {"1": 1, "2": 2, "3": 3},
    "givens": [[None, None, None], [None, "2", None], [None, None, None]],
    "regions": [],
    "groups": [],
    "cages": [],
    "repeats": False,
}
ROWS = {
    "family": "rows",
    "columns": [{"values": [0, 2]}, {"values": [-1, 0, 1]}, {"values": [3, 1]}, {"values": [0, 1, 2]}],
    "rows": [
        {"terms": [[0, 1], [1, -2]], "low": 0, "high": 3},
        {"terms": [[2, 1], [1, 1], [3, 1]], "low": None, "high": 4},
        {"terms": [[3, 2], [0, 1]], "low": 1, "high": None},
    ],
    "keys": {"all": [0, 1, 2, 3], "some": [1, 3]},
    "objective": {"sense": "minimise", "values": [[1, -1, 4], [3, 2, -5]], "dominoes": []}
    | {"constant": -1, "scale": 1},
}
COLOURS = {"family": "colour-grid", "letters": "rgb", "rows": ["r.|bb", None], "columns": ["[^b]+", "g*b"]}


def changed(puzzle, **members):
    return {**puzzle, **members}


def region(rule, target=None, cells=(0, 1, 3)):
    return {"cells": list(cells), "rule": rule, "target": target}


SQUARE = changed(PIPS, regions=[region("SUM", 2)])


def pips_obeyed(puzzle, values, partners):
    edges = [(i, j) for i, j in enumerate(partners) if i < j]
    return (
        all(partners[j] == i != j for i, j in enumerate(partners))
        and {frozenset(edge) for edge in edges} <= {frozenset(edge) for edge in puzzle["edges"]}
        and Counter(tuple(sorted((values[i], values[j]))) for i, j in edges)
        == Counter(tuple(sorted(domino)) for domino in puzzle["dominoes"])
        and all(
            REGION_RULES[one["rule"]]([values[i] for i in one["cells"]], one["target"])
            for one in puzzle["regions"]
        )
    )


def sudoku_obeyed(puzzle, values, _):
    size, number = len(puzzle["symbols"]), puzzle["numbers"]
    usual = Counter(number[symbol] for symbol in puzzle["symbols"])

    def shown(cells):
        return [values[size * r + c] for r, c in cells]

    areas = [[(r, c) for c in range(size)] for r in range(size)]
    areas += [[(r, c) for r in range(size)] for c in range(size)]
    areas += [one["cells"] for one in puzzle["regions"]]
    groups = [(area, usual) for area in areas]
    groups += [
        (
            one["cells"],
            usual if one["holds"] is None else Counter({number[a]: n for a, n in one["holds"].items()}),
        )
        for one in puzzle["groups"]
    ]
    return (
        all(
            given is None or values[size * r + c] == number[given]
            for r, row in enumerate(puzzle["givens"])
            for c, given in enumerate(row)
        )
        and all(Counter(shown(cells)) <= holds for cells, holds in groups)
        and all(
            sum(shown(one["cells"])) == one["total"]
            and (puzzle["repeats"] or len(set(shown(one["cells"]))) == len(one["cells"]))
            for one in puzzle["cages"]
        )
    )


def rows_obeyed(puzzle, values, _):
    sums = [sum(a * values[v] for v, a in row["terms"]) for row in puzzle["rows"]]
    return all(
        (row["low"] is None or row["low"] <= found) and (row["high"] is None or found <= row["high"])
        for row, found in zip(puzzle["rows"], sums, strict=True)
    )


def colours_obeyed(puzzle, values, _):
    width, letters = len(puzzle["columns"]), [puzzle["letters"][value] for value in values]
    lines = [letters[r * width : (r + 1) * width] for r in range(len(puzzle["rows"]))]
    lines += [letters[c::width] for c in range(width)]
    clues = [*puzzle["rows"], *puzzle["columns"]]
    return all(
        clue is None or re.fullmatch(clue, "".join(line)) for clue, line in zip(clues, lines, strict=True)
    )


OBEYED = {"pips": pips_obeyed, "sudoku": sudoku_obeyed, "rows": rows_obeyed, "colour-grid": colours_obeyed}
LETTERS = {
    "symbols": ["A", "A", "B"],
    "numbers": {"A": 7, "B": 4},
    "givens": [["A", None, None]] + [[None] * 3] * 2,
}
SMALL = {
    **{
        f"pips {rule}": changed(PIPS, regions=[region(rule, 2), region(None)])
        for rule in REGION_RULES
        if rule != "NEQ"
    },
    "pips with an objective": changed(PIPS, objective=PIPS_GOAL),
    "pips with several dominoes": changed(
        PIPS, dominoes=[[2, 0], [0, 0], [2, 2]], regions=[region("NEQ", cells=(1, 5))]
    ),
    "sudoku": SUDOKU,
    "sudoku with a region": changed(SUDOKU, regions=[{"cells": [[0, 0], [1, 1], [2, 2]]}]),
    "sudoku with a short group": changed(SUDOKU, groups=[{"cells": [[0, 0], [1, 2]], "holds": None}]),
    "sudoku with a full group": changed(
        SUDOKU, groups=[{"cells": [[0, 0], [0, 1]], "holds": {"3": 1, "1": 1}}]
    ),
    "sudoku with cages": changed(SUDOKU, cages=[{"cells": [[0, 0], [2, 2]], "total": 4}]),
    "sudoku with a cage that repeats": changed(
        SUDOKU, cages=[{"cells": [[0, 0], [2, 2]], "total": 4}], repeats=True
    ),
    "sudoku with letters": changed(SUDOKU, **LETTERS),
    "rows": ROWS,
    "colours": COLOURS,
}


def possible(puzzle):
    """Return all solutions of a puzzle by trying all values, and all partners."""
    return _possible(json.dumps(puzzle))


@cache
def _possible(text):
    puzzle = json.loads(text)
    statement = checker.statement_of(puzzle, "some" if puzzle["family"] == "rows" else "grid")
    cells = range(len(statement.values))
    partners = [()]
    if puzzle["family"] == "pips":
        near = [[j for j in cells if [i, j] in puzzle["edges"] or [j, i] in puzzle["edges"]] for i in cells]
        partners = [p for p in product(*near) if all(p[j] == i != j for i, j in enumerate(p))]
    obeyed = OBEYED[puzzle["family"]]
    return {
        (values, laid)
        for values in product(*statement.values)
        for laid in partners
        if obeyed(puzzle, values, laid)
    }


def solutions(name):
    found = possible(SMALL[name])
    assert found
    return found


def keys_of(name):
    family = SMALL[name]["family"]
    return ("all", "some") if family == "rows" else ("grid", "placement")[: 1 + (family == "pips")]


def looks(name, key):
    """Return the different looks of all solutions in a key: values that are shown, and edges."""
    shown = SMALL[name].get("keys", {}).get(key) or range(9)
    return {
        (tuple([values[i] for i in shown if i < len(values)]), laid if key == "placement" else ())
        for values, laid in solutions(name)
    }


@pytest.mark.parametrize("name", SMALL)
def test_a_solution_is_accepted_if_it_obeys_the_rules(name):
    puzzle, random = SMALL[name], Random(7)
    statement = checker.statement_of(puzzle, keys_of(name)[0])
    right = sorted(solutions(name))
    tried = right[:20] + [
        (tuple(map(random.choice, statement.values)), random.choice(right)[1]) for _ in range(100)
    ]
    if puzzle["family"] == "pips":
        tried += [
            (values, tuple(random.choice([-1, *range(6), 6]) for _ in range(6))) for values, _ in right[:40]
        ]
        tried += [(values, (3, 4, 5, 0, 1, 2)) for values, _ in right[:9]] + [(right[0][0], ())]
        tried += [(values, (0, 1, 2, 3, 4, 5)) for values, _ in right[:3]]
    tried += [
        (right[0][0][1:], right[0][1]),
        ((9, *right[0][0][1:]), right[0][1]),
        ((*right[0][0], 1), right[0][1]),
    ]
    for one in tried:
        if one in solutions(name):
            line = {"values": one[0], "partners": one[1]}
            assert checker.solution_of(statement, line) == one
        else:
            with pytest.raises(Refused):
                checker.check_solution(statement, one)


@pytest.mark.parametrize("name", SMALL)
def test_counts_agree_with_brute_force_in_every_order(name):
    for key in keys_of(name):
        statement, random = checker.statement_of(SMALL[name], key), Random(3)
        domains = checker.filtered(statement, statement.values, WATCH)
        assert all(
            {value for values, _ in solutions(name) for value in [values[cell]]} <= set(domain)
            for cell, domain in enumerate(domains)
        )
        for _ in range(1 if SMALL[name]["family"] == "colour-grid" else 3):
            order = list(range(len(domains)))
            if SMALL[name]["family"] != "colour-grid":
                random.shuffle(order)
            count = checker.Count(statement, key, WATCH)
            assert count.solutions(order, statement.values, order) == len(looks(name, key))


@pytest.mark.parametrize("name", SMALL)
def test_the_models_of_the_clauses_are_the_solutions(name):
    """Clauses that say too much would prove lists that lack a solution; clauses that say too little, none."""
    for key in keys_of(name):
        statement = checker.statement_of(SMALL[name], key)
        encoder, found = checker.Encoder(statement, WATCH), []
        with Solver("cadical153", bootstrap_with=encoder.clauses) as solver:
            while len(found) <= len(solutions(name)) and solver.solve():
                true = {literal for literal in solver.get_model() if literal > 0}
                one = solution_in(statement, true)
                found.append(one)
                encoder.exclude(one, key)
                solver.add_clause(encoder.clauses[-1])
        assert set(found) <= solutions(name)
        assert len(found) == len(looks(name, key))
        assert encoder.variables >= max(abs(literal) for clause in encoder.clauses for literal in clause)


def solution_in(statement, true):
    """Return the solution in a model; the first variables are (cell = value), then one for each edge."""
    number, values = 0, []
    for domain in statement.values:
        values += [value for i, value in enumerate(domain, number + 1) if i in true]
        number += len(domain)
    partners = {}
    for at, (i, j) in enumerate(statement.edges, number + 1):
        if at in true:
            partners |= {i: j, j: i}
    return tuple(values), tuple([partners[i] for i in range(len(values))] if partners else ())


@pytest.mark.parametrize("name", ["pips with an objective", "rows"])
@pytest.mark.parametrize("sense", ["maximise", "minimise"])
def test_clauses_for_an_optimum_leave_the_better_solutions(name, sense):
    puzzle = changed(SMALL[name], objective={**SMALL[name]["objective"], "sense": sense})
    goal, key = puzzle["objective"], keys_of(name)[-1]
    statement = checker.statement_of(puzzle, key)
    values = {}
    for one in solutions(name):
        shown = sum(weight for cell, value, weight in goal["values"] if one[0][cell] == value)
        laid = sum(weight for i, j, weight in goal["dominoes"] if one[1][i] == j)
        values[one] = goal["constant"] + shown + laid
        assert statement.goal.value(one) == values[one]
    assert statement.goal.scale == goal["scale"]
    sign = 1 if sense == "maximise" else -1
    assert statement.goal.sense == {1: "greatest", -1: "least"}[sign]
    for value in {*values.values(), min(values.values()) - 1, max(values.values()) + 1}:
        formula = checker.formula_of(statement, key, [], WATCH, value)
        with Solver("cadical153", bootstrap_with=formula.clauses) as solver:
            assert solver.solve() == any(sign * other > sign * value for other in values.values())
    plain = checker.formula_of(statement, key, [], WATCH)
    assert plain.clauses == checker.Encoder(statement, WATCH).clauses
    constant = checker.statement_of(changed(puzzle, objective={**goal, "values": [], "dominoes": []}), key)
    assert checker.formula_of(constant, key, [], WATCH, goal["constant"]).clauses[-1] == ()


# Faults of a puzzle.

FAULTY = {
    "dominoes cover two cells each": [
        changed(PIPS, dominoes=[[0, 1]] * 2),
        changed(PIPS, dominoes=[[0, 1]] * 4),
    ],
    "the symbols do not have one number each": [
        changed(SUDOKU, numbers={"1": 1, "2": 2}),
        changed(SUDOKU, numbers={"1": 1, "2": 2, "3": 2}),
    ],
    "cages add up numbers, but a symbol is not its number": [
        changed(SUDOKU, cages=[{"cells": [[0, 0]], "total": 1}], numbers={"1": 1, "2": 3, "3": 2})
    ],
    "the board is not square": [
        changed(SUDOKU, givens=[[None] * 3] * 2),
        changed(SUDOKU, givens=[[None] * 3] * 2 + [[None] * 4]),
    ],
    "expected an integer between 0 and 2": [
        changed(SUDOKU, regions=[{"cells": [[0, 3]]}]),
        changed(SUDOKU, regions=[{"cells": [[3, 0]]}]),
        changed(SUDOKU, regions=[{"cells": [[0, -1]]}]),
    ],
    "a letter is named twice": [changed(COLOURS, letters="rgr")],
    "a cell has a value twice": [changed(ROWS, columns=[{"values": [1, 2, 1]}] * 4, objective=None)],
    "a rule or an edge names a cell twice": [
        changed(PIPS, regions=[region("SUM", 2, (1, 1))]),
        changed(PIPS, edges=[[0, 1], [2, 2]]),
    ],
    "a rule or an edge names a cell that is not on the board": [
        changed(PIPS, regions=[region("SUM", 2, (1, 6))]),
        changed(PIPS, edges=[[0, 6]]),
        changed(PIPS, regions=[region("SUM", 2, (-1, 2))]),
        changed(PIPS, regions=[region("SUM", 2, (True, 2))]),
        changed(ROWS, keys={"some": [4]}),
    ],
    "a rule has no cell": [changed(PIPS, regions=[region("SUM", 2, ())])],
    "the objective names a value twice, or one that its cell cannot have": [
        changed(ROWS, objective={**ROWS["objective"], "values": [[1, 1, 4], [1, 1, 5]]}),
        changed(ROWS, objective={**ROWS["objective"], "values": [[1, 2, 4]]}),
    ],
    "the objective names an edge twice, or one that is not on the board": [
        changed(PIPS, objective={**PIPS_GOAL, "dominoes": [[0, 1, 1], [1, 0, 2]]}),
        changed(PIPS, objective={**PIPS_GOAL, "dominoes": [[0, 2, 1]]}),
    ],
    "expected an integer between": [
        changed(PIPS, objective={**PIPS_GOAL, "scale": 0}),
        changed(PIPS, objective={**PIPS_GOAL, "constant": 10**9 + 1}),
        changed(PIPS, dominoes=[[0, -(10**9) - 1]] * 3),
        changed(PIPS, objective={**PIPS_GOAL, "values": [[0, 1, 0.5]]}),
        changed(ROWS, objective={**ROWS["objective"], "values": [[-1, 1, 4]]}),
    ],
    "its key is placement or grid, not some": [PIPS],
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_puzzle_is_refused_by_name(fault):
    for puzzle in FAULTY[fault]:
        with pytest.raises(
            Refused, match=f"^puzzle.json: not a puzzle of a known family: {re.escape(fault)}"
        ):
            checker.statement_of(
                puzzle, "grid" if puzzle is not PIPS and puzzle["family"] != "rows" else "some"
            )


# Regular expressions.


def test_expressions_mean_what_python_says():
    random, words = Random(2), ["".join(w) for n in range(5) for w in product("rgb", repeat=n)]

    def expression(depth):
        kind = random.randrange(7 if depth else 3)
        if kind == 3:
            return expression(depth - 1) + expression(depth - 1)
        if kind == 4:
            return f"({expression(depth - 1)}|{expression(depth - 1)})"
        if kind > 4:
            bounds = ["*", "+", "?", "{2}", "{1,2}", "{2,}", "{,2}", "{0}", "{0,3}", "{3}", "{0,}", "{1,}"]
            return f"({expression(depth - 1)}){random.choice(bounds)}"
        return random.choice(["r", "g", "b", ".", "[rg]", "[^r]", "[^rb]", "()"])

    for text in ["", "|r", "r|", "r*?", "r?*", "[rg]{2}b", "(r|gb){2,3}"] + [
        expression(4) for _ in range(150)
    ]:
        plain = re.sub(r"\*\?", "*", text).replace("?*", "*")
        for size in range(1, 5):
            rule = checker.word(range(size), text, "rgb")
            values = dict(enumerate([range(3)] * size))
            layers, accepted = checker.arcs_of(rule, list(values.items()), WATCH), set()
            for numbers in product(range(3), repeat=size):
                state = 0
                for layer, value in zip(layers, numbers, strict=True):
                    state = layer.get(state, {}).get(value) if state is not None else None
                if state is not None:
                    accepted.add("".join("rgb"[value] for value in numbers))
            assert accepted == {w for w in words if len(w) == size and re.fullmatch(plain, w)}, text


@pytest.mark.parametrize(
    ("text", "fault"),
    {
        "r)": r"unexpected '\)'",
        "[r": "a class without letters or end",
        "(r": "a bracket without end",
        "x": "cannot read 'x'",
        "*r": "cannot read",
        "r{": "cannot read {",
        "r{,}": "cannot read {",
        "r{0000000002}": "cannot read {0000000002",
    }.items(),
)
def test_a_faulty_expression_is_refused(text, fault):
    with pytest.raises(ValueError, match=fault):
        checker.Expression(text, "rgb")


# Divisions of a count.


def test_an_order_must_have_the_order_of_an_expression():
    statement = checker.statement_of(COLOURS, "grid")
    assert checker.Count(statement, "grid", WATCH).solutions([0, 2, 1, 3], statement.values, range(4))
    with pytest.raises(Refused, match="differs from the order of a rule's cells"):
        checker.Count(statement, "grid", WATCH).solutions([2, 0, 1, 3], statement.values, range(4))


def test_dominoes_are_counted_as_a_whole():
    statement, halves = (
        checker.statement_of(SQUARE, "grid"),
        {"parts": [[[0, 1, 2], [0, 1, 2]], [[3, 4, 5], [3, 4, 5]]]},
    )
    for division, why in ((halves, "common dominoes"), ([0, 1, 2, 3, 4], "exactly the open cells")):
        with pytest.raises(Refused, match=why):
            checker.Count(statement, "grid", WATCH).solutions(division, statement.values, range(6))


def test_sums_and_products_are_checked_step_by_step():
    plain = {
        "family": "rows",
        "columns": [{"values": [0, 1, 2]}] * 4,
        "rows": [
            {"terms": [[0, 1], [1, 1]], "low": 1, "high": 3},
            {"terms": [[2, 1], [3, 1]], "low": None, "high": 1},
        ],
        "keys": {"all": [0, 1, 2, 3], "some": [0, 2, 3]},
    }
    pairs = [(a, b) for a in range(3) for b in range(3)]
    first, second = [p for p in pairs if 1 <= sum(p) <= 3], [p for p in pairs if sum(p) <= 1]

    def counted(division, key="all"):
        statement = checker.statement_of(plain, key)
        return checker.Count(statement, key, Watch(9)).solutions(division, statement.values, range(4))

    split = {"cell": 0, "values": {"0": [0, 1], "1": [0, 1], "2": [1, 0]}}
    product = {"parts": [[[0, 1], split], [[2, 3], [3, 2]]]}
    assert counted(product) == len(first) * len(second) == counted([0, 1, 2, 3])
    assert counted([1, 0, 2, 3], "some") == 3 * len(second)
    for wrong, why in (
        ({"parts": [[[0, 1], split]]}, "each open cell once"),
        ({"parts": [[[0, 1], split], [[1, 2, 3], [3, 2, 1]]]}, "each open cell once"),
        ({"parts": [[[0, 2], [0, 2]], [[1, 3], [1, 3]]]}, "a common rule"),
        ({"parts": [[[0, 1], [0]], [[2, 3], [3, 2]]]}, "exactly the open cells"),
        ({"parts": [[[0, 1], [0, 1]], [[2, 3], [3, 2, 0]]]}, "exactly the open cells"),
        ({"parts": [[[0], [0]], [[1], [1]], [[2, 3], [2, 3]]]}, "a common rule"),
        ([0, 1, 2, 3, 3], "names a cell twice"),
        ([0, 1, 2, 3, 4], "not on the board"),
        ([-1, 0, 1, 2, 3], "not on the board"),
        ([0, 1, 2], "exactly the open cells"),
        (
            {"parts": [[[0, 1], {"cell": 0, "values": {key: [1] for key in "012"}}], [[2, 3], [3, 2]]]},
            "lacks a cell",
        ),
    ):
        with pytest.raises(Refused, match=why):
            counted(wrong)
    with pytest.raises(KeyError):
        counted({"cell": 0, "values": {"0": [0, 1, 2, 3], "1": [0, 1, 2, 3]}})
    with pytest.raises(Refused, match="not in the key"):
        counted({"cell": 1, "values": {"0": [0, 2, 3], "1": [0, 2, 3], "2": [0, 2, 3]}}, "some")


# Refutations.


def propagated(clauses, false):
    """Return whether assuming these literals false leads to a conflict by unit propagation."""
    true = {-a for a in false}
    while True:
        if any(-a in true for a in true):
            return True
        for clause in clauses:
            left = [a for a in clause if -a not in true]
            if not left:
                return True
            if len(left) == 1 and left[0] not in true:
                true.add(left[0])
                break
        else:
            return False


def follows(clauses, clause):
    """Return whether a clause has the property RUP, or RAT on its first literal."""
    return propagated(clauses, clause) or (
        bool(clause)
        and all(propagated(clauses, [*clause, *(a for a in other if a != -clause[0])])
                for other in clauses if -clause[0] in other)
    )  # fmt: skip


def formula(random, variables, clauses):
    return [
        [
            random.choice([v, -v])
            for v in random.sample(range(1, variables + 1), random.choice([1, 2, 2, 3, 3]))
        ]
        for _ in range(clauses)
    ]


def is_satisfiable(clauses, variables):
    return any(
        all(any((bits[abs(a) - 1]) == (a > 0) for a in clause) for clause in clauses)
        for bits in product([False, True], repeat=variables)
    )


def test_refutations_agree_with_slow_checks():
    """What a slow forward check accepts is accepted; no formula with a model is refuted."""
    random, outcomes = Random(4), Counter()
    for _ in range(400):
        variables = random.randint(3, 6)
        clauses = formula(random, variables, random.randint(3, 3 * variables))
        lines, known, right = [], list(clauses), True
        while len(lines) < 12 and not propagated(known, ()):
            clause = formula(random, variables + (random.random() < 0.2), 1)[0]
            if follows(known, clause) or random.random() < 0.08:
                right = right and follows(known, clause)
                lines.append((False, clause))
                known.append(clause)
            elif random.random() < 0.1:
                lines.append((True, list(reversed(random.choice(known)))))
        if random.random() < 0.2:
            lines.append((False, []))
            right = False
        try:
            accepted = Refutation(variables, clauses, WATCH).check(iter(lines)) >= 0
        except Refused:
            accepted = False
        satisfiable = is_satisfiable(clauses, variables)
        outcomes[accepted, satisfiable] += 1
        assert not (accepted and satisfiable), (clauses, lines)
        if right and propagated(known, ()) and not any(deletes for deletes, _ in lines):
            assert accepted, (clauses, lines)
    assert outcomes[True, False] > 50
    assert outcomes[False, True] > 50


def test_a_deleted_clause_has_no_part_in_what_follows():
    """Of 1, RAT needs that no clause with -1 is left but one whose resolvent follows."""
    clauses = [(-1, 2, 3), (1, 2, 3), (2, -3), (-2, 3), (-2, -3), (4, -1)]
    lines = [(False, (1,)), (False, (2,))]
    assert Refutation(4, clauses, WATCH).check([(True, (-1, 4)), *lines]) == 2
    with pytest.raises(Refused, match="line 1 does not follow"):
        Refutation(4, clauses, WATCH).check(lines)
    # Each deletion deletes one of several equal clauses.
    with pytest.raises(Refused, match="line 2 does not follow"):
        Refutation(4, [*clauses, (-1, 4)], WATCH).check([(True, (-1, 4)), *lines])
    assert Refutation(4, [*clauses, (-1, 4)], WATCH).check([(True, (-1, 4)), (True, (4, -1)), *lines]) == 2


@pytest.mark.parametrize(
    ("clauses", "lines", "wrong"),
    [
        # The reason of a literal is not deleted: else nothing would be left of why 3 is true.
        ([(3, 5), (-5,)], [(True, (3, 5)), (False, (-3,))], 2),
        ([(3,)], [(True, (3,)), (False, (-3,))], 2),
        ([(6, 5), (-5,), (3, 5)], [(True, (5, 3)), (False, (-3,))], 2),
        # Lines before a deletion are checked as well.
        (
            [(1, 2), (1, -2), (-1, 2), (-1, -2, 3), (5, 6)],
            [(False, (-3,)), (True, (5, 6)), (False, (1,))],
            1,
        ),
        # Each resolvent is checked without what was assumed for the others.
        ([(-1, -2, 3), (1, -2, 3), (-1, 2, 4), (-1, 2, -4), (-1, -3)], [(False, (1,))], 1),
        # Lines that only another line needs are checked as well.
        ([(-1, 2), (-1, -2), (1, -2)], [(False, (2, 1)), (False, (1,))], 1),
    ],
)
def test_what_lines_cannot_prove(clauses, lines, wrong):
    assert is_satisfiable(clauses, 6)
    with pytest.raises(Refused, match=f"line {wrong} does not follow"):
        Refutation(6, clauses, WATCH).check(lines)


def test_proofs_of_a_solver_with_deletions_are_accepted():
    random, refuted = Random(8), 0
    for _ in range(25):
        clauses = [[random.choice([v, -v]) for v in random.sample(range(1, 31), 3)] for _ in range(150)]
        with Solver("glucose4", bootstrap_with=clauses, with_proof=True) as solver:
            if solver.solve():
                continue
            proof = "".join(f"{line}\n" for line in solver.get_proof())
        refuted += 1
        lines = list(checker.lines_of(proof))
        needed = Refutation(30, clauses, WATCH).check(lines)
        assert 0 < needed <= sum(not deletes for deletes, _ in lines)
        assert Refutation(30, clauses, WATCH).check([*lines, (False, [1])]) == needed
    assert refuted > 10


@pytest.mark.parametrize("line", ["1 2", "01 0", "1 0 0", "12345678 0"])
def test_a_faulty_line_of_a_proof_is_named(line):
    with pytest.raises(Refused, match=r"^proof.drat:2: expected literals, then 0$"):
        list(checker.lines_of(f"0\n{line}\n"))
    assert list(checker.lines_of("-1 1234567 0\n\nd 3 0\n")) == [(False, [-1, 1234567]), (True, [3])]


# The folder.

CLAUSES = {"family": "clauses", "variables": 3, "clauses": [[1, 2], [-2, 3]], "key": [1, -2]}


def test_models_of_a_given_formula_are_excluded_by_their_key():
    """The models are 1 -2 ±3, 1 2 3 and -1 2 3; by the key there are three."""
    models = [{1, -2, 3}, {1, 2, 3}, {2, 3}]
    formula = checker.given_formula(CLAUSES, models)
    assert formula == (3, [(1, 2), (-2, 3), (-1, 2), (-1, -2), (1, -2)])
    with Solver("cadical153", bootstrap_with=formula.clauses) as solver:
        assert not solver.solve()
    for wrong in ({1, 2, -3}, {-1, -2, 3}, {1, 2}, set()):
        with pytest.raises(Refused, match=r"solutions.jsonl:2: not a model"):
            checker.given_formula(CLAUSES, [models[0], wrong])
    for faulty in (
        {"key": [0]},
        {"clauses": [[1, 2], [1, 0]]},
        {"key": [4]},
        {"clauses": [[-4]]},
        {"variables": 10**6 + 1},
    ):
        with pytest.raises(Refused, match=r"puzzle.json: not a formula: "):
            checker.given_formula({**CLAUSES, **faulty}, models)


def folder_of(place, kind="list", puzzle=SQUARE, key="placement"):
    """Write a certificate: the list of all solutions, a count, or the best solution."""
    statement = checker.statement_of(puzzle, key)
    found, texts = sorted(possible(puzzle)), {checker.PUZZLE_JSON: json.dumps(puzzle)}
    number = len(found)
    if kind != "count":
        best = None
        if kind == "optimum":
            found = [max(found, key=statement.goal.value)]
            best = statement.goal.value(found[0])
        formula = checker.formula_of(statement, key, [] if best is not None else found, WATCH, best)
        texts |= texts_of_list([{"values": values, "partners": laid} for values, laid in found], formula)
        number = len(found)
    return written(place, texts, kind, key, number)


def texts_of_list(solutions, formula):
    """Return the solutions, the formula that excludes them, and its refutation by a solver."""
    with Solver("glucose4", bootstrap_with=formula.clauses, with_proof=True) as solver:
        assert not solver.solve()
        proof = "".join(f"{line}\n" for line in solver.get_proof())
    lines = "".join(f"{json.dumps(solution)}\n" for solution in solutions)
    return {
        checker.SOLUTIONS_JSONL: lines,
        checker.FORMULA_CNF: formula.dimacs(),
        checker.PROOF_DRAT: proof,
    }


def written(place, texts, kind, key, number):
    """Write the files of a certificate, with their manifest, and return the folder."""
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    manifest = {"format": checker.FORMAT, "kind": kind, "key": key, "solutions": number, "sha256": hashes}
    texts[checker.CERTIFICATE_JSON] = json.dumps({**manifest, "division": list(range(6))})
    place.mkdir(exist_ok=True)
    for name, text in texts.items():
        (place / name).write_text(text)
    return place


def test_each_kind_of_folder_is_accepted_in_its_words(tmp_path):
    number = len(possible(SQUARE))
    said = str(checker.verify(folder_of(tmp_path / "list"), WATCH))
    assert re.fullmatch(
        rf"proved: exactly {number} solutions by placement; each is checked, and \d+ lines refute any other "
        r"\(\d+ clauses\); trusted: that puzzle.json states the puzzle",
        said,
    )
    said = str(checker.verify(folder_of(tmp_path / "count", "count"), WATCH))
    assert re.fullmatch(
        rf"proved: exactly {number} solutions by placement; counted again, by \d+ states; trusted: .*", said
    )
    best = changed(SQUARE, objective=PIPS_GOAL)
    said = str(checker.verify(folder_of(tmp_path / "best", "optimum", best), WATCH))
    assert re.match(
        r"proved: the greatest value is \d+(/2)?; it is checked, and \d+ lines refute any better", said
    )
    none = changed(SQUARE, regions=[region("SUM", 9)])
    said = str(checker.verify(folder_of(tmp_path / "none", puzzle=none), WATCH))
    assert re.match(r"proved: no solution by placement; \d+ lines refute any \(", said)


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links of POSIX")
def test_a_link_that_takes_the_place_of_a_file_is_not_followed(tmp_path, monkeypatch):
    """Between the look at a file and its opening, someone may replace it."""
    file = folder_of(tmp_path / "certificate") / checker.PUZZLE_JSON
    looked_at = file.lstat()
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    monkeypatch.setattr(Path, "lstat", lambda _: looked_at)
    with pytest.raises(Refused, match=r"^puzzle.json: Too many levels of symbolic links$"):
        checker.verify(tmp_path / "certificate", WATCH)


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"format": "milp-pips certificate 2"}, "certificate.json: expected the format"),
        ({"kind": "proof"}, "certificate.json: expected a kind"),
        ({"key": ""}, "certificate.json: expected a kind"),
        ({"solutions": "1"}, "certificate.json: expected a kind"),
        ({"solutions": 3}, "solutions.jsonl: 4 different solutions, but certificate.json says 3"),
        ({"key": "grid"}, r"formula.cnf: not the formula|solutions.jsonl: "),
        ({"kind": "optimum"}, "an optimum needs an objective, and one solution"),
        ({"kind": "count"}, "expected the hashes of puzzle.json$"),
        ({"sha256": {}}, "expected the hashes of puzzle.json, solutions.jsonl, formula.cnf, proof.drat"),
    ],
)
def test_a_false_manifest_is_refused(members, fault, tmp_path):
    assert len(possible(SQUARE)) != 3
    fault = fault.replace("4 different", f"{len(possible(SQUARE))} different")
    manifest = folder_of(tmp_path) / checker.CERTIFICATE_JSON
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **members}))
    with pytest.raises(Refused, match=fault):
        checker.verify(tmp_path, WATCH)


def test_a_refusal_has_no_control_characters_and_names_the_file(tmp_path):
    assert str(Refused("a\x1b[31m\n" + "b" * 500)) == "a?[31m?" + "b" * 393
    with pytest.raises(Refused, match=r"^certificate.json: No such file or directory$"):
        checker.verify(tmp_path, WATCH)
    (tmp_path / checker.CERTIFICATE_JSON).write_text("[]")
    with pytest.raises(Refused, match=r"^certificate.json: expected an object$"):
        checker.verify(tmp_path, WATCH)
