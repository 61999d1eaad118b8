"""``Connected``: meaning, propagation, automaton and simplification against all assignments."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import milp_pips
from milp_pips.constraints import Connected
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem.constraint import Domains
from milp_pips.problem.errors import MilpPipsError, UsageError
from milp_pips.problem.problem import Problem, Variable


@st.composite
def graphs(draw, most=6):
    """Edges on some nodes, and for each node the values 0 (outside), 1 and 2 (inside) that it may take."""
    n = draw(st.integers(1, most))
    pairs = [(i, j) for j in range(n) for i in range(j)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    domains = draw(st.lists(st.sets(st.integers(0, 2), min_size=1), min_size=n, max_size=n))
    return tuple(edges), [tuple(sorted(domain)) for domain in domains]


def parts(edges, nodes):
    """Return the components of the graph on these nodes, by merging sets."""
    found = [{i} for i in nodes]
    for i, j in edges:
        joined = [part for part in found if {i, j} & part]
        if {i, j} <= set(nodes):
            found = [part for part in found if part not in joined] + [set().union(*joined)]
    return found


def allowed(edges, domains):
    """Yield the assignments whose inside nodes are connected."""
    for values in product(*domains):
        if len(parts(edges, [i for i, value in enumerate(values) if value])) <= 1:
            yield values


def connected(edges, domains):
    return Connected(tuple(range(len(domains))), edges, (1, 2), "connected")


@given(graphs())
def test_it_holds_if_the_nodes_inside_are_connected(drawn):
    edges, domains = drawn
    rule = connected(edges, domains)
    assert {values for values in product(*domains) if rule.holds(values)} == {*allowed(edges, domains)}


@given(graphs())
@example((((0, 1), (1, 2)), [(1,), (0, 1), (2,)]))  # the only way between two nodes inside
def test_the_propagator_keeps_exactly_the_values_that_a_solution_has(drawn):
    edges, domains = drawn
    solutions = list(allowed(edges, domains))
    state = Domains([Variable(f"n{i}", domain) for i, domain in enumerate(domains)], ())
    propagate = connected(edges, domains).propagator(state)
    try:
        for _ in domains:
            propagate()
    except MilpPipsError:
        assert not solutions
    else:
        kept = [set(state.taken(v)) for v in range(len(domains))]
        assert kept == [set(column) for column in zip(*solutions, strict=True)]


@given(graphs())
def test_lazy_clauses_exclude_each_point_that_breaks_it_and_no_solution(drawn):
    edges, domains = drawn
    rule, solutions = connected(edges, domains), [*allowed(edges, domains)]
    for point in product(*domains):
        clauses = list(rule.lazy_clauses(point, domains))
        assert bool(clauses) is (point not in solutions)
        for clause in clauses:
            assert not any(point[v] == value for v, value in clause)
            assert all(any(values[v] == value for v, value in clause) for values in solutions)


def board(edges, domains):
    """Return the problem whose only constraint is that these nodes are connected."""
    nodes = tuple(Variable(f"n{i}", domain) for i, domain in enumerate(domains))
    return Problem(nodes, (connected(edges, domains),))


ROW = [(0, 1), (0, 1, 2), (0, 1), (0, 1)]
GRAPHS = {
    "row in another order": (((0, 2), (1, 3), (0, 3)), ROW),
    "ring": (((0, 1), (1, 2), (2, 3), (0, 3)), ROW),
    "two parts": (((0, 1), (2, 3)), ROW),
    "two nodes inside": (((0, 1), (1, 2), (1, 3)), [(1,), (0, 1), (0,), (2,)]),
    "a node that is never inside": (((0, 1), (1, 2)), [(0, 1), (0,), (1, 2)]),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(
    ("solver", "formulation", "method"),
    [
        ("highs", "levels", "partition"),
        ("highs", "flow", "partition"),
        ("sat", "", "native"),
        ("cp-sat", "", "native"),
    ],
)
def test_every_statement_has_the_solutions_each_once(name, solver, formulation, method):
    edges, domains = GRAPHS[name]
    listed = milp_pips.solutions(
        board(edges, domains), solver=solver, formulation=formulation, method=method, rules=()
    )
    found = [tuple(solution.values()) for solution in listed]
    assert sorted(found) == sorted(allowed(edges, domains))


@pytest.mark.parametrize(
    ("solver", "formulation", "n", "message"),
    [
        ("highs", "levels", 448, "the formulation levels would need 200,704 columns, and .* 200,000"),
        ("highs", "flow", 300, "the formulation flow would need 269,700 columns, and .* 200,000"),
    ],
)
def test_a_graph_that_is_too_large_for_a_statement_is_refused_before_it_is_built(
    solver, formulation, n, message
):
    row = board(tuple((i, i + 1) for i in range(n - 1)), [(0, 1)] * n)
    with pytest.raises(UsageError, match=f"'connected': {message}; use another formulation, or an engine"):
        milp_pips.solve(row, solver=solver, formulation=formulation)


def test_solvers_need_no_whole_statement_where_it_would_be_too_large():
    n = 750
    row = board(tuple((i, i + 1) for i in range(n - 1)), [(0, 1)] * n)
    assert milp_pips.solve(row).solver == "sat"
    with pytest.raises(UsageError, match="the formulation levels would need 562,500 columns"):
        milp_pips.solve(row, formulation="levels")
    with pytest.raises(UsageError, match="clauses would need 1,123,500 literals, and the limit is 1,000,000"):
        CnfEncoding(row)
