"""The 0-1 points of a constraint's rows, restricted to the pairs, are its solutions, each once."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from itertools import product
from pathlib import Path
from random import Random

import pytest
from models import all_points
from problems import any_problem
from thoroughness import few_or_many

import milp_pips
from milp_pips.constraints import (
    AllEqual,
    Connected,
    Constraint,
    DominoCover,
)
from milp_pips.constraints.domino_cover.tiling import Tiling, Usage
from milp_pips.constraints.linear_sum import Relation
from milp_pips.formulations.milp import Linearisation, choices, ways_to_state
from milp_pips.formulations.milp.draft import formulate
from milp_pips.problem import plugins
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import Problem, Variable


@dataclass(frozen=True, slots=True)
class ByRows(Constraint):
    """A constraint that has nothing but the pure rows of another one."""

    rows_of: Constraint
    label: str = ""

    @property
    def variables(self):
        return self.rows_of.variables

    def holds(self, assignment):
        return self.rows_of.holds(assignment)

    def propagator(self, domains):
        return self.rows_of.propagator(domains)

    def linear_rows(self, builder):
        return self.rows_of.linear_rows(builder)


def laid(rng):
    """Return a cover, a tiling and both bounds on one kind of it, on four cells and their partners."""
    edges = tuple(edge for edge in [(0, 1), (0, 2), (1, 3), (2, 3)] if rng.random() < 0.8)
    kinds = tuple(sorted({(a, b) for a in range(3) for b in range(a, 3) if rng.random() < 0.5}))
    cells = (0, 1, 2, 3), (4, 5, 6, 7)
    limits = tuple((rng.randint(0, 1), rng.randint(1, 2)) for _ in kinds)
    yield DominoCover(*cells, edges, tuple(sorted(rng.choices([(0, 0), (0, 1), (1, 2)], k=2))), "cover")
    yield Tiling(*cells, edges, kinds, "tiling", rng.choice([(), limits]))
    for relation in (Relation.LE, Relation.GE):
        yield Usage(Tiling(*cells, edges, kinds), (0, rng.randint(0, 1)), relation, rng.randint(0, 2), "use")


def check(variables, constraint):
    expected = [point for point in product(*(v.domain for v in variables)) if constraint.holds(point)]
    for stated in (constraint, ByRows(constraint)):
        for formulation in ways_to_state(type(stated)) or [""]:
            model = formulate(Problem(variables, (stated,)), formulation)
            found = [model.decode(x) for x in all_points(model)]
            assert sorted(found) == expected, (stated, formulation)


@pytest.mark.parametrize("seed", range(few_or_many(40, 400)))
def test_the_points_of_the_rows_are_the_solutions(seed):
    problem = any_problem(Random(seed), 1)
    (constraint,) = problem.constraints
    if not isinstance(constraint, Connected):  # which may be stated by flows, of which several are one point
        check(problem.variables, constraint)


@pytest.mark.parametrize("seed", range(few_or_many(2, 20)))
def test_the_points_of_the_rows_are_the_placements(seed):
    rng = Random(seed)
    values = tuple(Variable(f"v{i}", tuple(sorted(rng.sample(range(3), 2)))) for i in range(4))
    near = [(1, 2), (0, 3), (0, 3), (1, 2)]
    partners = tuple(
        Variable(f"p{i}", tuple(sorted(rng.sample(near[i], rng.randint(1, 2))))) for i in range(4)
    )
    for constraint in laid(rng):
        check(values + partners, constraint)


FAULTY = Linearisation((AllEqual,), lambda builder, equal: 1 // 0)
EQUAL = Problem((Variable("a", (0, 1)), Variable("b", (1, 2))), (AllEqual((0, 1), "equal"),))


@pytest.fixture
def registered(monkeypatch):
    """Register linearisations as another package would."""

    def entries(group):
        star = "outside.coin_linearisation:STAR"
        where = {name: f"{__name__}:{name.upper()}" for name in ("faulty", "laid", "missing")}
        where |= {"star": star, "projected": star}
        return (
            [EntryPoint(n, w, group) for n, w in where.items()] if group.endswith(".linearisations") else []
        )

    monkeypatch.setattr(plugins, "_entries", entries)


@pytest.mark.usefixtures("registered")
def test_another_package_may_add_a_linearisation():
    assert choices(EQUAL) == ["faulty", "star"]
    model = formulate(EQUAL, "star")
    assert model.formulation == "star"
    assert [family.name for family in model.row_families] == ["region", "choose"]
    assert [model.decode(x) for x in all_points(model)] == [(1, 1)]
    assert formulate(EQUAL).formulation == ""


@pytest.mark.usefixtures("registered")
def test_a_linearisation_that_fails_or_is_none_costs_one_line():
    with pytest.raises(EngineFault, match="the linearisation faulty failed: ZeroDivisionError"):
        formulate(EQUAL, "faulty")
    with pytest.raises(UsageError, match="MISSING cannot be loaded"):
        formulate(EQUAL, "missing")
    with pytest.raises(UsageError, match="this puzzle has nothing that 'projected' could state"):
        formulate(EQUAL, "projected")
    with pytest.raises(UsageError, match="unknown formulation 'stra'"):
        formulate(EQUAL, "stra")


def test_entry_points_are_read_only_for_an_unknown_name(monkeypatch):
    def fail(group):
        raise AssertionError(group)

    monkeypatch.setattr(plugins, "_entries", fail)
    puzzle = milp_pips.Sudoku.from_rows(["1...", "..1.", ".1..", "...."])
    problem = milp_pips.state(puzzle)
    assert [formulate(problem, name).formulation for name in ("", "clique", "pairwise")] == [
        "",
        "clique",
        "pairwise",
    ]


def test_the_linearisation_in_the_documents_is_the_one_tested_here():
    root = Path(__file__).parents[2]
    code = (root / "tests" / "outside" / "coin_linearisation.py").read_text(encoding="utf-8")
    assert f"```python\n{code}```" in (root / "docs" / "plugins.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("registered")
def test_a_location_is_no_name():
    with pytest.raises(UsageError, match="unknown formulation"):
        formulate(EQUAL, "outside.coin_linearisation:STAR")
