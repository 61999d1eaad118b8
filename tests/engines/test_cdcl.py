"""Clause learning in plain Python, compared with PySAT on random formulas; and the check of its proofs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pysat.solvers import Solver
from thoroughness import few_or_many

from milp_pips import read, solve
from milp_pips.engines.cdcl import ClauseLearning
from milp_pips.formulations.cnf import Clauses, is_refutation
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline

EASY = Path(__file__).parents[2] / "examples" / "pips" / "easy.txt"


def random_formula(rng, variables, clauses, sizes=(1, 2, 2, 3, 3, 3, 4)):
    formula = Clauses()
    for _ in range(variables - 1):
        formula.new()
    for _ in range(clauses):
        size = rng.choice(sizes)
        formula.add(*(rng.choice((-1, 1)) * rng.randint(1, variables) for _ in range(size)))
    return formula


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_those_of_another_solver(seed):
    rng, deadline = random.Random(seed), Deadline()
    seen = set()
    for _ in range(few_or_many(100, 3000)):
        n = rng.randint(3, 40)
        formula = random_formula(rng, n, int(n * rng.uniform(1, 4)))
        learning = ClauseLearning(formula, Deadline())
        with Solver("minisat22", bootstrap_with=formula.clauses) as other:
            for _ in range(8):
                if rng.random() < 0.3:
                    clause = [rng.choice((-1, 1)) * rng.randint(1, n + 1) for _ in range(3)]
                    n = max(n, *map(abs, clause))
                    learning.add(clause)
                    other.add_clause(clause)
                    formula.clauses.append(clause)
                assumed = [rng.choice((-1, 1)) * v for v in rng.sample(range(1, n + 1), min(n, 5))]
                follows = learning.propagate(assumed)
                found = learning.solve(assumed, deadline)
                seen.add(found)
                assert found == other.solve(assumptions=assumed)
                if found:
                    model = set(learning.model())
                    assert model.issuperset(assumed)
                    assert not any(model.isdisjoint(clause) for clause in formula.clauses)
                else:
                    assert set(learning.core()) <= set(assumed)
                    assert not other.solve(assumptions=learning.core())
                if follows is None:
                    assert not found
                for literal in follows or ():
                    assert not other.solve(assumptions=[*assumed, -literal])
    assert seen == {True, False}


def test_hard_formulas_are_decided_and_their_proofs_hold():
    rng, seen = random.Random(1), set()
    for _ in range(few_or_many(12, 200)):
        formula = random_formula(rng, 60, 270, sizes=(3,))
        learning = ClauseLearning(formula, Deadline())
        found = learning.solve((), Deadline())
        seen.add(found)
        with Solver("minisat22", bootstrap_with=formula.clauses) as other:
            assert found == other.solve()
        if not found:
            assert is_refutation(formula.clauses, learning.lessons)
    assert seen == {True, False}


def test_a_proof_with_a_gap_or_without_an_end_is_rejected():
    pairs = [[a, b] for a in (1, -1) for b in (2, -2)]  # no values fit all four
    assert is_refutation(pairs, [[1]])
    assert is_refutation(pairs, [[2], []])
    assert not is_refutation(pairs, [])
    assert not is_refutation(pairs[:3], [[1]])
    assert not is_refutation(pairs[:3], [[-1, -2, 3], []])
    assert not is_refutation(pairs, [[3]])
    assert is_refutation(pairs, [[1]], lambda: True) is None


def test_a_false_proof_raises_engine_fault(monkeypatch):
    monkeypatch.setattr(ClauseLearning, "solve", lambda *_: False)
    with pytest.raises(EngineFault, match="a proof that does not hold"):
        solve(read(EASY), "cdcl")


def test_the_conflict_limit_and_the_deadline_end_a_call():
    pigeons = Clauses()
    at = {(i, j): pigeons.new() for i in range(7) for j in range(6)}
    for i in range(7):
        pigeons.add(*(at[i, j] for j in range(6)))
    for j in range(6):
        for i in range(7):
            for k in range(i):
                pigeons.add(-at[i, j], -at[k, j])
    learning = ClauseLearning(pigeons, Deadline())
    assert learning.solve((), Deadline(), conflicts=50) is None
    assert learning.conflicts == 50
    deadline = Deadline()
    deadline.interrupt()
    assert learning.solve((), deadline) is None
    assert learning.solve((), Deadline()) is False


@pytest.mark.parametrize("clause", [(6,), (-6,), (7, -7), (6, 9), (-9, 6), (1, 8), (-1, -2, 8)])
def test_a_model_has_every_variable_also_after_clauses_with_new_ones(clause):
    formula = random_formula(random.Random(0), 4, 0)
    formula.add(1, 2)
    learning = ClauseLearning(formula, Deadline())
    assert learning.solve((), Deadline())
    learning.add(clause)
    for assumptions in ((), (3,), (-3,)):
        assert learning.solve(assumptions, Deadline())
        model = set(learning.model())
        assert sorted(map(abs, model)) == list(range(1, max(4, *map(abs, clause)) + 1))
        assert not model.isdisjoint(clause)
        assert model >= set(assumptions)
